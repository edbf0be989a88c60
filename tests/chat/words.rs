//! Nothing typed is lost: drafts, edits, recalled prompts, the system prompt.

use std::time::Duration;

use benchtop::api::call::Progress;
use benchtop::component::{Component, Effect, Offer};
use benchtop::record::{Query, Record};
use benchtop::tabs::Tab;
use crossterm::event::{KeyCode, KeyModifiers};
use ratatui::buffer::Cell;
use ratatui::style::Modifier;

use crate::desk::{Desk, Writes, call, chunk, records, turns};

impl Desk {
    /// Lets enough time pass for the draft to be stored.
    pub fn rest(&mut self) -> Vec<Effect> {
        self.now += Duration::from_secs(2);
        self.with(Component::tick)
    }

    /// Starts a new conversation from the message box.
    pub fn fresh(&mut self) {
        self.press("\tn");
    }

    /// Opens, from the message box, the conversation `rows` rows below the open one in the list at the left of a wide
    /// screen.
    pub fn open(&mut self, rows: isize) {
        self.view(120, 34);
        self.press("\t\t");
        self.press(&if rows > 0 { "j" } else { "k" }.repeat(rows.unsigned_abs()));
        self.press("\n");
    }
}

#[test]
fn a_draft_is_there_when_its_conversation_is_opened_again() {
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.fresh();
    desk.talk("second", "y");
    desk.press("my draft");
    assert!(desk.view(80, 22).contains("saving…"), "a draft that is not kept yet is not saved");
    desk.rest();
    assert!(desk.view(80, 22).contains("saved ✓"));
    desk.open(1);
    assert_eq!(desk.draft(), "");
    desk.open(-1);
    assert_eq!(desk.draft(), "my draft");
}

#[test]
fn another_draft_is_not_denied_before_the_conversation_is_read() {
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.holds = |effect| matches!(effect, Effect::Load(_, Query::Drafts(_) | Query::Outline(_)));
    desk.restart();
    let said = |effects: &[Effect], words: &str| {
        assert!(matches!(effects, [Effect::Notify(notice)] if notice.text.line().contains(words)), "{effects:?}");
    };
    said(&desk.code(KeyCode::F(3)), "still being read");
    desk.release();
    said(&desk.code(KeyCode::F(3)), "there is no other draft");
}

#[test]
fn a_conversation_of_nothing_but_a_draft_is_in_the_list_until_it_is_empty() {
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.fresh();
    desk.press("my only draft");
    desk.rest();
    assert!(desk.view(120, 34).contains("▌Draft"));
    desk.press("^u");
    let gone = desk.rest();
    let kept = records(&gone).iter().any(|record| matches!(record, Record::Draft { text, .. } if text.is_empty()));
    assert!(kept, "{gone:?}");
    assert!(!desk.view(120, 34).contains("Draft"));
    desk.press("another");
    desk.rest();
    desk.open(1);
    desk.open(-1);
    assert_eq!(desk.draft(), "another");
}

#[test]
fn a_recalled_prompt_that_was_changed_is_a_text_of_its_own() {
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.talk("second", "x");
    desk.view(80, 22);
    desk.press("↑");
    desk.press(" edited");
    desk.view(80, 22);
    for code in [KeyCode::Down, KeyCode::Up, KeyCode::Up] {
        desk.code(code);
        assert_eq!(desk.draft(), "second edited", "looking back replaces nothing that is being written");
    }
    desk.press("^u");
    desk.press("↑");
    desk.press("↑");
    assert_eq!(desk.draft(), "first");
}

#[test]
fn a_long_paste_is_shown_in_full_also_when_more_was_typed_after_it() {
    let mut desk = Desk::new();
    assert!(!desk.view(160, 36).contains("show paste"));
    let lines: Vec<String> = (1..=23).map(|line| format!("line {line} of it")).collect();
    desk.paste(&lines.join("\n"));
    desk.press(" and tell me");
    let picture = desk.view(160, 36);
    assert!(picture.contains("[pasted 23 lines") && picture.contains("^G show paste"), "{picture}");
    desk.press("^g");
    let picture = desk.view(160, 36);
    assert!(!picture.contains("[pasted") && !picture.contains("show paste"), "{picture}");
    assert_eq!(desk.draft(), format!("{} and tell me", lines.join("\n")));
}

#[test]
fn the_key_that_shows_a_paste_comes_and_goes_with_it() {
    let mut desk = Desk::new();
    desk.paste(&"a line of it\n".repeat(23));
    for (keys, is_there) in [("", true), ("^xu", false), ("^xr", true), ("^xa^xx", false)] {
        desk.press(keys);
        let picture = desk.view(160, 36);
        assert_eq!(picture.contains("^G show paste"), is_there, "{keys}: {picture}");
    }
}

#[test]
fn an_edit_that_was_left_is_an_edit_when_one_comes_back() {
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.fresh();
    desk.talk("second", "y");
    desk.view(80, 22);
    desk.press("\u{1b}");
    desk.press("e");
    desk.press("!");
    desk.rest();
    desk.open(1);
    desk.open(-1);
    assert_eq!(desk.draft(), "second!");
    let kept = desk.press("\n");
    let turn = turns(&kept).remove(0);
    assert_eq!((turn.content.raw(), turn.parent), ("second!", None), "a version of the first, not its answer's answer");
}

#[test]
fn an_edited_message_keeps_its_role() {
    let mut desk = Desk::new();
    desk.press("^o");
    desk.press("^o");
    desk.press("be brief");
    let kept = desk.press("\n");
    assert_eq!(turns(&kept)[0].role, "system");
    assert!(call(&kept).is_none(), "a system message asks for nothing");
    desk.press("\u{1b}");
    desk.press("e");
    desk.press("er");
    let kept = desk.press("\n");
    assert_eq!((turns(&kept)[0].role.raw(), turns(&kept)[0].content.raw()), ("system", "be briefer"));
    assert!(call(&kept).is_none());
}

#[test]
fn what_is_typed_into_the_system_prompt_is_kept_as_it_changes() {
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.press("\u{1b}");
    desk.press("p");
    desk.press("be nice");
    let kept = desk.rest();
    let system = |record: &Record| match record {
        Record::Conversation(kept) => Some(kept.system.clone()),
        _ => None,
    };
    assert_eq!(records(&kept).iter().find_map(system).as_deref(), Some("be nice"));
    desk.press("r");
    // Another window takes its place before it was closed.
    desk.with(|chat, cx| chat.command("rename", cx));
    desk.press("\u{1b}");
    desk.press("p");
    assert!(desk.view(80, 22).contains("be nicer"));
    desk.press("\u{1b}");
    assert!(desk.view(80, 22).contains("Message · system prompt"), "the message box says that there is one");
}

#[test]
fn text_that_could_not_be_saved_stays_in_memory() {
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.fresh();
    let ticket = desk.ask("second");
    desk.progress(ticket, chunk("precious"));
    desk.writes = Writes::Waiting;
    desk.progress(ticket, Progress::Closed(Ok(())));
    desk.refuse("the disk is full; free some space");
    for (width, height) in [(120, 34), (80, 22), (40, 10)] {
        assert!(desk.view(width, height).contains("not saved"), "{width} columns");
    }
    desk.open(1);
    desk.open(-1);
    assert!(desk.view(120, 34).contains("precious"));
}

#[test]
fn a_long_text_that_was_typed_is_never_a_chip() {
    let mut desk = Desk::new();
    let lines: Vec<String> = (1..=25).map(|line| format!("line {line}")).collect();
    desk.with(|chat, cx| chat.edited(&lines.join("\n"), cx));
    assert!(desk.view(80, 22).contains("line 25"));
    assert_eq!(desk.draft(), lines.join("\n"));
}

#[test]
fn a_word_is_undone_at_once_and_a_pause_begins_another_step() {
    let mut desk = Desk::new();
    desk.press("one two");
    desk.wait(Duration::from_secs(3));
    desk.press(" three");
    for (keys, expected) in [("^xu", "one two"), ("^xu", ""), ("^xr", "one two"), ("^xr", "one two three")] {
        desk.press(keys);
        assert_eq!(desk.draft(), expected);
    }
    // A long paste is one step.
    desk.paste(&"line\n".repeat(100));
    desk.shows("[pasted 100 lines");
    desk.press("^xu");
    desk.hides("[pasted 100 lines");
    desk.press("^xr");
    desk.shows("[pasted 100 lines");
    desk.press("^xu^xu");
    assert_eq!(desk.draft(), "one two");
}

#[test]
fn what_was_typed_and_deleted_again_comes_back() {
    let mut desk = Desk::new();
    desk.press("hello");
    for _ in 0..5 {
        desk.code(KeyCode::Backspace);
    }
    assert_eq!(desk.draft(), "");
    desk.press("^xu");
    assert_eq!(desk.draft(), "hello");
    desk.press("^xu");
    assert_eq!(desk.draft(), "");
}

#[test]
fn a_key_that_goes_elsewhere_ends_ctrl_x() {
    let mut desk = Desk::new();
    desk.press("one^x");
    desk.code(KeyCode::PageUp);
    desk.press("ab");
    assert_eq!(desk.draft(), "oneab");
    desk.press("^x^jcd");
    assert_eq!(desk.draft(), "oneab\ncd");
    desk.press("^x\u{1b}iab");
    assert_eq!(desk.draft(), "oneab\ncdab");
    desk.press("^x");
    desk.paste("!");
    desk.press("ab");
    assert_eq!(desk.draft(), "oneab\ncdab!ab");
}

#[test]
fn a_text_from_another_tab_replaces_no_selection() {
    let mut desk = Desk::new();
    desk.press("one^xa");
    desk.with(|chat, cx| chat.accept(Offer::Text(" two".into()), cx));
    assert_eq!(desk.draft(), "one two");
}

#[test]
fn shift_selects_in_the_message_box_and_the_selection_is_copied_cut_and_replaced() {
    let mut desk = Desk::new();
    desk.press("first line^jsecond line");
    desk.key(KeyCode::Up, KeyModifiers::SHIFT);
    desk.key(KeyCode::Home, KeyModifiers::SHIFT);
    let reversed = |desk: &mut Desk| {
        let buf = desk.cells();
        let row = |y: u16| {
            let cells = (0..buf.area.width).map(|x| &buf[(x, y)]);
            cells.filter(|cell| cell.modifier.contains(Modifier::REVERSED)).map(Cell::symbol).collect::<String>()
        };
        (0..buf.area.height).map(row).filter(|row| row.contains("line")).collect::<Vec<_>>()
    };
    assert_eq!(reversed(&mut desk), ["first line ", "second line"], "the line end has a cell");
    let copied = desk.press("^xc");
    assert!(copied.contains(&Effect::Copy("first line\nsecond line".into())), "{copied:?}");
    assert_eq!(desk.draft(), "first line\nsecond line");
    desk.code(KeyCode::Right);
    assert_eq!(reversed(&mut desk), [""; 0]);
    desk.key(KeyCode::Left, KeyModifiers::SHIFT | KeyModifiers::CONTROL);
    let cut = desk.press("^xx");
    assert!(cut.contains(&Effect::Copy("line".into())), "{cut:?}");
    assert_eq!(desk.draft(), "first line\nsecond ");
    desk.press("^xa");
    desk.press("new");
    assert_eq!(desk.draft(), "new");
    desk.press("^xu");
    assert_eq!(desk.draft(), "first line\nsecond ");
    // Of a paste all is copied, though its label is cut by the selection.
    desk.press("^xa");
    let long = "line\n".repeat(100);
    desk.paste(&long);
    desk.key(KeyCode::Left, KeyModifiers::SHIFT);
    let copied = desk.press("^xc");
    assert!(copied.contains(&Effect::Copy(long.as_str().into())));
    desk.press("!");
    assert_eq!(desk.draft(), "!");
}

#[test]
fn shift_selects_in_a_recalled_prompt_and_looks_no_further_back() {
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.talk("second", "x");
    desk.view(80, 22);
    desk.press("↑");
    desk.key(KeyCode::Up, KeyModifiers::SHIFT);
    desk.key(KeyCode::Home, KeyModifiers::SHIFT);
    desk.press("third");
    assert_eq!(desk.draft(), "third");
}
