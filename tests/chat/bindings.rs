//! Every key of every pane does what its line in the help says: no binding without a row here.

use std::collections::BTreeSet;

use benchtop::component::{Component, Effect};
use benchtop::record::Record;
use benchtop::tabs::Tab;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::desk::{Desk, call, records, turns};

/// A line of the help: its keys as shown, and what each of them must do.
pub type Row = (&'static str, fn(KeyEvent));

/// The key that is shown so.
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
        name => {
            let mut chars = name.chars();
            let (Some(c), None) = (chars.next(), chars.next()) else { panic!("what key is {name}?") };
            KeyCode::Char(if modifiers == KeyModifiers::CONTROL { c.to_ascii_lowercase() } else { c })
        }
    };
    KeyEvent::new(code, modifiers)
}

/// Tries every key of a pane's help.
pub fn every_key(pane: &str, rows: &[Row]) {
    let help = Desk::new().chat.help();
    let (_, hints) = help.iter().find(|(name, _)| *name == pane).unwrap();
    let bound: BTreeSet<&str> = hints.iter().map(|hint| hint.key.as_str()).collect();
    let tried: BTreeSet<&str> = rows.iter().map(|(keys, _)| *keys).collect();
    assert_eq!(bound, tried, "the keys of {pane}, and those tried here");
    for (keys, check) in rows {
        keys.split(' ').for_each(|key| check(event(key)));
    }
}

impl Desk {
    pub fn press(&mut self, key: KeyEvent) -> Vec<Effect> {
        let effects = self.with(|chat, cx| chat.key(key, cx));
        self.commit(&effects);
        effects
    }

    /// The pane that has the keys.
    pub fn front(&self) -> &'static str {
        self.chat.help()[0].0
    }
}

/// What is put on the clipboard.
pub fn copied(effects: &[Effect]) -> Option<&str> {
    effects.iter().find_map(|effect| if let Effect::Copy(text) = effect { Some(text.raw()) } else { None })
}

/// The rows `row N` of a picture: the first one's number, and how many there are.
pub fn rows(picture: &str) -> (usize, usize) {
    let number = |line: &str| line.split_once("row ")?.1.split_whitespace().next()?.parse::<usize>().ok();
    let mut numbers = picture.lines().filter_map(number);
    let first = numbers.next().unwrap_or_else(|| panic!("no rows in {picture}"));
    (first, 1 + numbers.count())
}

/// A listing of 300 rows.
pub fn long() -> String {
    let rows: Vec<String> = (1..=300).map(|row| format!("row {row}")).collect();
    format!("```\n{}\n```", rows.join("\n"))
}

/// Asserts that a key sends what is written.
fn sends(key: KeyEvent) {
    let mut desk = Desk::new();
    desk.text("hi");
    let kept = desk.with(|chat, cx| chat.key(key, cx));
    assert_eq!(turns(&kept)[0].content, "hi");
    assert!(call(&desk.commit(&kept)).is_some());
}

/// Asserts that a key begins a new line.
fn breaks_the_line(key: KeyEvent) {
    let mut desk = Desk::new();
    desk.text("a");
    assert!(desk.press(key).is_empty());
    desk.text("b");
    assert_eq!(desk.draft(), "a\nb");
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
                desk.press(key);
                assert_eq!(desk.front(), "Transcript");
            }),
            ("shift+tab", |key| {
                let mut desk = Desk::new();
                desk.picture(120, 34);
                desk.press(key);
                assert_eq!(desk.front(), "Conversations");
            }),
            ("F3", |key| {
                let mut desk = Desk::new();
                desk.talk("first", "x");
                desk.drafts = vec!["theirs".to_owned()];
                desk.restart();
                desk.text("mine");
                let picture = desk.picture(120, 34);
                assert!(picture.contains("F3 other draft"), "{picture}");
                desk.press(key);
                assert_eq!(desk.draft(), "theirs");
                desk.press(key);
                assert_eq!(desk.draft(), "mine");
            }),
            ("F4", |key| assert_eq!(Desk::new().press(key), [Effect::Edit])),
            ("PgUp", |key| {
                let mut desk = Desk::new();
                desk.talk("q", &long());
                let (before, page) = rows(&desk.picture(80, 22));
                desk.press(key);
                let (after, _) = rows(&desk.picture(80, 22));
                assert!((page - 2..=page + 2).contains(&(before - after)), "{before} {after}");
                assert_eq!(desk.front(), "Message");
            }),
            ("PgDn", |key| {
                let mut desk = Desk::new();
                desk.talk("q", &long());
                let end = desk.picture(80, 22);
                desk.key(KeyCode::PageUp);
                desk.picture(80, 22);
                desk.press(key);
                assert_eq!(desk.picture(80, 22), end);
            }),
            ("^Y", |key| {
                let mut desk = Desk::new();
                desk.talk("q", "```\nlet a = 1;\n```");
                desk.picture(80, 22);
                assert_eq!(copied(&desk.press(key)), Some("let a = 1;\n"));
            }),
            ("^O", |key| {
                for (times, role) in [(1, "assistant"), (2, "system"), (3, "user")] {
                    let mut desk = Desk::new();
                    (0..times).for_each(|_| drop(desk.press(key)));
                    desk.text("hi");
                    assert_eq!(turns(&desk.key(KeyCode::Enter))[0].role, role);
                }
            }),
            ("^T", |key| {
                let mut desk = Desk::new();
                desk.press(key);
                assert_eq!(desk.front(), "Parameters");
            }),
            ("^G", |key| {
                let mut desk = Desk::new();
                let lines: Vec<String> = (1..=30).map(|line| format!("line {line}")).collect();
                desk.with(|chat, cx| chat.paste(&lines.join("\n"), cx));
                assert!(desk.picture(80, 22).contains("[pasted 30 lines"));
                desk.press(key);
                let picture = desk.picture(80, 22);
                assert!(!picture.contains("[pasted") && picture.contains("line 30"), "{picture}");
                assert_eq!(desk.draft(), lines.join("\n"));
            }),
        ],
    );
}

/// Three conversations of which the last is open, at the list: `third`, `second`, `first`.
fn listed() -> Desk {
    let mut desk = Desk::new();
    for (prompt, answer) in [("first", "answer one"), ("second", "answer two"), ("third", "answer three")] {
        desk.talk(prompt, answer);
        desk.fresh();
    }
    desk.picture(120, 34);
    for _ in 0..2 {
        desk.key(KeyCode::Tab);
    }
    assert_eq!(desk.front(), "Conversations");
    desk.keys("g");
    assert_eq!(chosen(&mut desk), "third");
    desk
}

/// The conversation the list's keys act on: what renaming offers.
fn chosen(desk: &mut Desk) -> String {
    desk.keys("e");
    let picture = desk.picture(120, 34);
    desk.key(KeyCode::Esc);
    let mut lines = picture.lines().skip_while(|line| !line.contains("─ Title"));
    let line = lines.nth(1).unwrap_or_else(|| panic!("no title in {picture}"));
    line.split('│').nth_back(1).unwrap_or(line).trim().to_owned()
}

fn trashes(effects: &[Effect], away: bool) -> bool {
    let is = |record: &Record| matches!(record, Record::Trashed { at_ms, .. } if at_ms.is_some() == away);
    records(effects).any(|(_, record)| is(record))
}

/// `third` in the trash, which is open, the cursor on it.
fn trashed() -> Desk {
    let mut desk = listed();
    assert!(trashes(&desk.keys("x"), true));
    desk.keys("G");
    desk.key(KeyCode::Enter);
    assert!(desk.picture(120, 34).contains("▾ Trash (1)"));
    desk.keys("G");
    desk
}

#[test]
fn the_list() {
    every_key(
        "Conversations",
        &[
            ("⏎ l →", |key| {
                let mut desk = listed();
                desk.keys("j");
                let asked = desk.press(key);
                desk.look_up(&asked);
                assert!(desk.picture(120, 34).contains("answer two"));
                assert_eq!(desk.front(), "Message");
            }),
            ("j ↓", |key| {
                let mut desk = listed();
                desk.press(key);
                assert_eq!(chosen(&mut desk), "second");
            }),
            ("k ↑", |key| {
                let mut desk = listed();
                desk.keys("jj");
                desk.press(key);
                assert_eq!(chosen(&mut desk), "second");
            }),
            ("n", |key| {
                let mut desk = listed();
                desk.press(key);
                assert!(desk.picture(120, 34).contains("New conversation"));
                assert_eq!(desk.front(), "Message");
            }),
            ("e", |key| {
                let mut desk = listed();
                desk.press(key);
                desk.control('u');
                desk.text("another name");
                let kept = desk.key(KeyCode::Enter);
                assert!(
                    records(&kept)
                        .any(|(_, record)| matches!(record, Record::Title { title, .. } if *title == "another name"))
                );
                assert!(desk.picture(120, 34).contains("another name"));
            }),
            ("/", |key| {
                let mut desk = listed();
                desk.press(key);
                desk.text("seco");
                desk.key(KeyCode::Enter);
                let picture = desk.picture(120, 34);
                assert!(picture.contains("second") && !picture.contains("first"), "{picture}");
                assert_eq!(chosen(&mut desk), "second");
            }),
            ("x", |key| {
                let mut desk = listed();
                assert!(trashes(&desk.press(key), true));
                let picture = desk.picture(120, 34);
                assert!(picture.contains("▸ Trash (1)") && !picture.contains("third"), "{picture}");
            }),
            ("u", |key| {
                let mut desk = trashed();
                assert!(trashes(&desk.press(key), false));
                let picture = desk.picture(120, 34);
                assert!(picture.contains("third") && !picture.contains("Trash"), "{picture}");
            }),
            ("X", |key| {
                let mut desk = trashed();
                desk.press(key);
                assert!(desk.picture(120, 34).contains("Delete for good?"));
                desk.key(KeyCode::Tab);
                let purged = desk.key(KeyCode::Enter);
                assert!(records(&purged).any(|(_, record)| matches!(record, Record::Purge(_))));
                let mut desk = listed();
                desk.press(key);
                assert!(!desk.picture(120, 34).contains("Delete for good?"), "not what is not in the trash");
            }),
            ("m", |key| assert_eq!(listed().press(key), [Effect::ChooseModel])),
            ("p", |key| {
                let mut desk = listed();
                desk.press(key);
                assert!(desk.picture(120, 34).contains("─ System prompt"));
            }),
            ("t", |key| {
                let mut desk = listed();
                desk.press(key);
                assert_eq!(desk.front(), "Parameters");
            }),
            ("b", |key| {
                let mut desk = listed();
                desk.press(key);
                assert!(!desk.picture(120, 34).contains("Conversations"));
            }),
            ("i", |key| {
                let mut desk = listed();
                desk.press(key);
                assert_eq!(desk.front(), "Message");
            }),
            ("g home", |key| {
                let mut desk = listed();
                desk.keys("jj");
                desk.press(key);
                assert_eq!(chosen(&mut desk), "third");
            }),
            ("G end", |key| {
                let mut desk = listed();
                desk.press(key);
                assert_eq!(chosen(&mut desk), "first");
            }),
            ("tab", |key| {
                let mut desk = listed();
                desk.press(key);
                assert_eq!(desk.front(), "Message");
            }),
            ("shift+tab", |key| {
                let mut desk = listed();
                desk.press(key);
                assert_eq!(desk.front(), "Transcript");
            }),
        ],
    );
}

#[test]
fn ctrl_x_ctrl_e_opens_the_editor_and_nothing_between_them() {
    let mut desk = Desk::new();
    desk.control('x');
    assert_eq!(desk.control('e'), [Effect::Edit]);
    assert_eq!(desk.control('e'), [], "alone it is the end of the line");
    desk.control('x');
    desk.text("a");
    assert_eq!(desk.control('e'), []);
}

#[test]
fn enter_is_a_newline_where_the_config_says_so() {
    let mut desk = Desk::new();
    desk.session.enter.inserts_newline = true;
    desk.chat = benchtop::tabs::chat::Chat::new();
    desk.with(Tab::enter);
    let (enter, alt) = (KeyEvent::from(KeyCode::Enter), KeyEvent::new(KeyCode::Enter, KeyModifiers::ALT));
    desk.text("a");
    assert!(desk.press(enter).is_empty());
    desk.text("b");
    assert_eq!(desk.draft(), "a\nb");
    assert!(desk.picture(100, 22).contains("alt+⏎ send"), "and the rule says so");
    let kept = desk.press(alt);
    assert_eq!(turns(&kept)[0].content, "a\nb");
    assert_eq!(desk.draft(), "");
}
