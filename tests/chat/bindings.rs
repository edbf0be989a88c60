//! Every key of every pane does what its line in the help says: no binding without a row here.

use std::collections::BTreeSet;

use benchtop::api::call::Progress;
use benchtop::component::{Component, Effect};
use benchtop::record::{Query, Record, Rows, Stored};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::blocks::{CALL, delta};
use crate::desk::{Desk, call, end, records, turns};

/// A line of the help: its keys as shown, and what each of them must do.
pub type Row = (&'static str, fn(KeyEvent));

/// Returns the key event for a key as it is shown.
pub fn event(shown: &str) -> KeyEvent {
    let (modifiers, name) = match shown {
        "^" => (KeyModifiers::NONE, shown),
        _ => match (shown.strip_prefix('^'), shown.strip_prefix("alt+"), shown.strip_prefix("shift+")) {
            (Some(letter), ..) => (KeyModifiers::CONTROL, letter),
            (_, Some(name), _) => (KeyModifiers::ALT, name),
            (_, _, Some("tab")) => return KeyEvent::from(KeyCode::BackTab),
            (_, _, Some(name)) => (KeyModifiers::SHIFT, name),
            _ => (KeyModifiers::NONE, shown),
        },
    };
    let code = match name {
        "⏎" => KeyCode::Enter,
        "tab" => KeyCode::Tab,
        "esc" => KeyCode::Esc,
        "↑" => KeyCode::Up,
        "↓" => KeyCode::Down,
        "→" => KeyCode::Right,
        "←" => KeyCode::Left,
        "PgUp" => KeyCode::PageUp,
        "PgDn" => KeyCode::PageDown,
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        "F3" => KeyCode::F(3),
        "F4" => KeyCode::F(4),
        "F6" => KeyCode::F(6),
        name => {
            let mut chars = name.chars();
            let (Some(c), None) = (chars.next(), chars.next()) else { panic!("what key is {name}?") };
            KeyCode::Char(if modifiers == KeyModifiers::CONTROL { c.to_ascii_lowercase() } else { c })
        }
    };
    KeyEvent::new(code, modifiers)
}

/// The headings of the panes' help.
const PANES: [&str; 5] = ["Message", "Transcript", "Conversations", "Parameters", "Probabilities"];

/// Tries every key of a pane's help.
pub fn every_key(pane: &str, rows: &[Row]) {
    let help = Desk::new().app.tab.help();
    // The groups of a pane stand behind its own, up to the next pane's.
    let own = help.iter().skip_while(|(name, _)| *name != pane).skip(1).take_while(|(name, _)| !PANES.contains(name));
    let first = help.iter().filter(|(name, _)| *name == pane);
    let bound: BTreeSet<&str> = first.chain(own).flat_map(|(_, hints)| hints).map(|hint| hint.key.as_str()).collect();
    let tried: BTreeSet<&str> = rows.iter().map(|(keys, _)| *keys).collect();
    assert_eq!(bound, tried, "the keys of {pane}, and those tried here");
    for (keys, check) in rows {
        // After ^X, the check presses that.
        let keys = keys.strip_prefix("^X ").unwrap_or(keys);
        keys.split(' ').for_each(|key| check(event(key)));
    }
}

impl Desk {
    /// Returns the name of the pane with the focus.
    pub fn front(&self) -> &'static str {
        self.app.tab.help()[0].0
    }
}

/// Returns the text put on the clipboard.
pub fn copied(effects: &[Effect]) -> Option<&str> {
    effects.iter().find_map(|effect| if let Effect::Copy(text) = effect { Some(text.raw()) } else { None })
}

/// Returns the first of the rows `row N` on a screen, and their number.
pub fn rows(picture: &str) -> (usize, usize) {
    let number = |line: &str| line.split_once("row ")?.1.split_whitespace().next()?.parse::<usize>().ok();
    let mut numbers = picture.lines().filter_map(number);
    let first = numbers.next().unwrap_or_else(|| panic!("no rows in {picture}"));
    (first, 1 + numbers.count())
}

/// Returns a listing of 300 rows.
pub fn long() -> String {
    let rows: Vec<String> = (1..=300).map(|row| format!("row {row}")).collect();
    format!("```\n{}\n```", rows.join("\n"))
}

/// Asserts that a key sends what is written.
fn sends(key: KeyEvent) {
    let mut desk = Desk::new();
    desk.press("hi");
    let kept = desk.code(key);
    assert_eq!(turns(&kept)[0].content, "hi");
    assert!(call(&kept).is_some());
}

/// Asserts that a key begins a new line.
fn breaks_the_line(key: KeyEvent) {
    let mut desk = Desk::new();
    desk.press("a");
    assert!(desk.code(key).is_empty());
    desk.press("b");
    assert_eq!(desk.draft(), "a\nb");
}

/// Asserts that a key asks where the result of a call is to come from, after those that lead to its pane.
pub fn asks_for_a_result(before: &str, key: KeyEvent) {
    let mut desk = Desk::new();
    let ticket = desk.ask("q");
    for json in CALL {
        desk.progress(ticket, delta(json));
    }
    desk.progress(ticket, end(0, "tool_calls"));
    desk.progress(ticket, Progress::Closed(Ok(())));
    desk.press(before);
    desk.code(key);
    let picture = desk.view(80, 30);
    assert!(picture.contains("Result of a call") && picture.contains("Write the result of get_time"), "{picture}");
}

/// Presses keys after `abc` was typed, and ^X with one more. Returns what that copied, and the text.
fn after_x(keys: &str, key: KeyEvent) -> (Option<String>, String) {
    let mut desk = Desk::new();
    desk.press(&format!("abc{keys}^x"));
    let copies = copied(&desk.code(key)).map(str::to_owned);
    (copies, desk.draft())
}

#[test]
fn after_ctrl_x_other_keys_than_those_that_may_follow_type_nothing() {
    let mut desk = Desk::new();
    desk.press("abc^x");
    assert!(desk.app.tab.is_prefix_pending());
    let effects = desk.press("q");
    assert!(!desk.app.tab.is_prefix_pending());
    let said = effects.iter().find_map(|effect| match effect {
        Effect::Notify(notice) => Some(notice.text.raw()),
        _ => None,
    });
    assert!(said.is_some_and(|said| said.contains("u undo") && said.contains("r redo")), "{said:?}");
    assert_eq!(desk.draft(), "abc");
    desk.press("d");
    assert_eq!(desk.draft(), "abcd");
}

#[test]
fn the_message_box() {
    every_key(
        "Message",
        &[
            ("⏎", sends),
            ("^R", sends),
            ("^J", breaks_the_line),
            ("alt+⏎ shift+⏎", breaks_the_line),
            ("tab", |key| {
                let mut desk = Desk::new();
                desk.code(key);
                assert_eq!(desk.front(), "Transcript");
            }),
            ("shift+tab", |key| {
                let mut desk = Desk::new();
                desk.view(120, 34);
                desk.code(key);
                assert_eq!(desk.front(), "Conversations");
            }),
            ("shift+→", |key| {
                let mut desk = Desk::new();
                desk.press("abc←←");
                desk.code(key);
                desk.press("x");
                assert_eq!(desk.draft(), "axc");
            }),
            ("^_", |key| {
                let mut desk = Desk::new();
                desk.press("abc");
                desk.code(key);
                assert_eq!(desk.draft(), "");
            }),
            ("alt+z", |key| {
                let mut desk = Desk::new();
                desk.press("abc^xu");
                desk.code(key);
                assert_eq!(desk.draft(), "abc");
            }),
            ("^X u", |key| assert_eq!(after_x("^xa^xx", key).1, "abc")),
            ("^X r", |key| assert_eq!(after_x("^xu", key).1, "abc")),
            ("^X a", |key| {
                let mut desk = Desk::new();
                desk.press("abc^x");
                desk.code(key);
                desk.press("x");
                assert_eq!(desk.draft(), "x");
            }),
            ("^X c", |key| assert_eq!(after_x("^xa", key), (Some("abc".to_owned()), "abc".to_owned()))),
            ("^X x", |key| assert_eq!(after_x("^xa", key), (Some("abc".to_owned()), String::new()))),
            ("F3", |key| {
                let mut desk = Desk::new();
                desk.talk("first", "x");
                desk.answers = Box::new(|query| match query {
                    Query::Drafts(id) => Some(Stored::Rows(Rows::Drafts(*id, vec!["theirs".to_owned()]))),
                    _ => None,
                });
                desk.restart();
                desk.press("mine");
                let picture = desk.view(120, 34);
                assert!(picture.contains("F3 other draft"), "{picture}");
                desk.code(key);
                assert_eq!(desk.draft(), "theirs");
                desk.code(key);
                assert_eq!(desk.draft(), "mine");
            }),
            ("F4", |key| assert_eq!(Desk::new().code(key), [Effect::EditText])),
            ("F6", |key| asks_for_a_result("", key)),
            ("PgUp", |key| {
                let mut desk = Desk::new();
                desk.talk("q", &long());
                let (before, page) = rows(&desk.view(80, 22));
                desk.code(key);
                let (after, _) = rows(&desk.view(80, 22));
                assert!((page - 2..=page + 2).contains(&(before - after)), "{before} {after}");
                assert_eq!(desk.front(), "Message");
            }),
            ("PgDn", |key| {
                let mut desk = Desk::new();
                desk.talk("q", &long());
                let end = desk.view(80, 22);
                desk.code(KeyCode::PageUp);
                desk.view(80, 22);
                desk.code(key);
                assert_eq!(desk.view(80, 22), end);
            }),
            ("^Y", |key| {
                let mut desk = Desk::new();
                desk.talk("q", "```\nlet a = 1;\n```");
                desk.view(80, 22);
                assert_eq!(copied(&desk.code(key)), Some("let a = 1;\n"));
            }),
            ("^O", |key| {
                for (times, role) in [(1, "assistant"), (2, "system"), (3, "user")] {
                    let mut desk = Desk::new();
                    (0..times).for_each(|_| drop(desk.code(key)));
                    desk.press("hi");
                    assert_eq!(turns(&desk.press("\n"))[0].role, role);
                }
            }),
            ("^T", |key| {
                let mut desk = Desk::new();
                desk.code(key);
                assert_eq!(desk.front(), "Parameters");
            }),
            ("^G", |key| {
                let mut desk = Desk::new();
                let lines: Vec<String> = (1..=30).map(|line| format!("line {line}")).collect();
                desk.paste(&lines.join("\n"));
                assert!(desk.view(80, 22).contains("[pasted 30 lines"));
                desk.code(key);
                let picture = desk.view(80, 22);
                assert!(!picture.contains("[pasted") && picture.contains("line 30"), "{picture}");
                assert_eq!(desk.draft(), lines.join("\n"));
            }),
        ],
    );
}

/// Creates three conversations, `third`, `second`, `first`, with the last open and the list focused.
fn listed() -> Desk {
    let mut desk = Desk::new();
    for (prompt, answer) in [("first", "answer one"), ("second", "answer two"), ("third", "answer three")] {
        desk.talk(prompt, answer);
        desk.fresh();
    }
    desk.view(120, 34);
    for _ in 0..2 {
        desk.press("\t");
    }
    assert_eq!(desk.front(), "Conversations");
    desk.press("g");
    assert_eq!(chosen(&mut desk), "third");
    desk
}

/// Returns the title of the conversation on which the list's keys act, as renaming shows it.
fn chosen(desk: &mut Desk) -> String {
    desk.press("e");
    let picture = desk.view(120, 34);
    desk.press("\u{1b}");
    let mut lines = picture.lines().skip_while(|line| !line.contains("─ Title"));
    let line = lines.nth(1).unwrap_or_else(|| panic!("no title in {picture}"));
    line.split('│').nth_back(1).unwrap_or(line).trim().trim_start_matches("> ").to_owned()
}

fn trashes(effects: &[Effect], away: bool) -> bool {
    let is = |record: &Record| matches!(record, Record::Trashed { at_ms, .. } if at_ms.is_some() == away);
    records(effects).iter().any(is)
}

/// Moves `third` into the trash, and opens that with the cursor on `third`.
fn trashed() -> Desk {
    let mut desk = listed();
    assert!(trashes(&desk.press("x"), true));
    desk.press("G");
    desk.press("\n");
    assert!(desk.view(120, 34).contains("▾ Trash (1)"));
    desk.press("G");
    desk
}

#[test]
fn the_list() {
    every_key(
        "Conversations",
        &[
            ("⏎ l →", |key| {
                let mut desk = listed();
                desk.press("j");
                desk.code(key);
                assert!(desk.view(120, 34).contains("answer two"));
                assert_eq!(desk.front(), "Message");
            }),
            ("j ↓", |key| {
                let mut desk = listed();
                desk.code(key);
                assert_eq!(chosen(&mut desk), "second");
            }),
            ("k ↑", |key| {
                let mut desk = listed();
                desk.press("jj");
                desk.code(key);
                assert_eq!(chosen(&mut desk), "second");
            }),
            ("n", |key| {
                let mut desk = listed();
                desk.code(key);
                assert!(desk.view(120, 34).contains("New conversation"));
                assert_eq!(desk.front(), "Message");
            }),
            ("e", |key| {
                let mut desk = listed();
                desk.code(key);
                desk.press("^u");
                desk.press("another name");
                let kept = desk.press("\n");
                assert!(
                    records(&kept)
                        .iter()
                        .any(|record| matches!(record, Record::Title { title, .. } if *title == "another name"))
                );
                assert!(desk.view(120, 34).contains("another name"));
            }),
            ("/", |key| {
                let mut desk = listed();
                desk.code(key);
                desk.press("seco");
                desk.press("\n");
                let picture = desk.view(120, 34);
                assert!(picture.contains("second") && !picture.contains("first"), "{picture}");
                assert_eq!(chosen(&mut desk), "second");
            }),
            ("x", |key| {
                let mut desk = listed();
                assert!(trashes(&desk.code(key), true));
                let picture = desk.view(120, 34);
                assert!(picture.contains("▸ Trash (1)") && !picture.contains("third"), "{picture}");
            }),
            ("u", |key| {
                let mut desk = trashed();
                assert!(trashes(&desk.code(key), false));
                let picture = desk.view(120, 34);
                assert!(picture.contains("third") && !picture.contains("Trash"), "{picture}");
            }),
            ("X", |key| {
                let mut desk = trashed();
                desk.code(key);
                assert!(desk.view(120, 34).contains("Delete for good?"));
                desk.press("\t");
                let purged = desk.press("\n");
                assert!(records(&purged).iter().any(|record| matches!(record, Record::Purge(_))));
                let mut desk = listed();
                desk.code(key);
                assert!(!desk.view(120, 34).contains("Delete for good?"), "not what is not in the trash");
            }),
            ("m", |key| assert_eq!(listed().code(key), [Effect::OpenModelPicker])),
            ("p", |key| {
                let mut desk = listed();
                desk.code(key);
                assert!(desk.view(120, 34).contains("─ System prompt"));
            }),
            ("t", |key| {
                let mut desk = listed();
                desk.code(key);
                assert_eq!(desk.front(), "Parameters");
            }),
            ("b", |key| {
                let mut desk = listed();
                desk.code(key);
                assert!(!desk.view(120, 34).contains("Conversations"));
            }),
            ("i", |key| {
                let mut desk = listed();
                desk.code(key);
                assert_eq!(desk.front(), "Message");
            }),
            ("g home", |key| {
                let mut desk = listed();
                desk.press("jj");
                desk.code(key);
                assert_eq!(chosen(&mut desk), "third");
            }),
            ("G end", |key| {
                let mut desk = listed();
                desk.code(key);
                assert_eq!(chosen(&mut desk), "first");
            }),
            ("tab", |key| {
                let mut desk = listed();
                desk.code(key);
                assert_eq!(desk.front(), "Message");
            }),
            ("shift+tab", |key| {
                let mut desk = listed();
                desk.code(key);
                assert_eq!(desk.front(), "Transcript");
            }),
        ],
    );
}

#[test]
fn ctrl_x_ctrl_e_opens_the_editor_and_nothing_between_them() {
    let mut desk = Desk::new();
    desk.press("^x");
    assert_eq!(desk.press("^e"), [Effect::EditText]);
    assert_eq!(desk.press("^e"), [], "alone it is the end of the line");
    desk.press("^x");
    desk.press("a");
    assert_eq!(desk.press("^e"), []);
}

#[test]
fn enter_is_a_newline_where_the_config_says_so() {
    let mut desk = Desk::new();
    desk.app.session.enter.inserts_newline = true;
    desk.restart();
    let (enter, alt) = (KeyEvent::from(KeyCode::Enter), KeyEvent::new(KeyCode::Enter, KeyModifiers::ALT));
    desk.press("a");
    assert!(desk.code(enter).is_empty());
    desk.press("b");
    assert!(desk.code(KeyEvent::new(KeyCode::Enter, KeyModifiers::SHIFT)).is_empty());
    desk.press("c");
    desk.press("^j");
    desk.press("d");
    assert_eq!(desk.draft(), "a\nb\nc\nd");
    assert!(desk.view(100, 22).contains("alt+⏎ send"), "and the rule says so");
    let kept = desk.code(alt);
    assert_eq!(turns(&kept)[0].content, "a\nb\nc\nd");
    assert_eq!(desk.draft(), "");
}
