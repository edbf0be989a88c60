//! Nothing typed is lost: drafts, edits, recalled prompts, the system prompt.

use std::time::Duration;

use benchtop::api::call::Progress;
use benchtop::component::{Component, Effect, Response};
use benchtop::record::{Record, Stored};
use benchtop::tabs::Tab;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::desk::{Desk, call, chunk, records, turns};

impl Desk {
    /// A prompt and its whole answer, all of it on disk.
    pub fn talk(&mut self, prompt: &str, answer: &str) {
        let ticket = self.ask(prompt);
        for progress in [chunk(answer), Progress::Closed(Ok(()))] {
            let effects = self.progress(ticket, progress);
            self.commit(&effects);
        }
        self.unix_ms += 1000;
    }

    /// Letters as keys, and everything they want kept kept.
    pub fn keys(&mut self, keys: &str) -> Vec<Effect> {
        let mut all = Vec::new();
        for c in keys.chars() {
            let effects = self.key(KeyCode::Char(c));
            self.commit(&effects);
            all.extend(effects);
        }
        all
    }

    pub fn control(&mut self, c: char) -> Vec<Effect> {
        self.with(|chat, cx| chat.key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL), cx))
    }

    /// Time goes by until what was typed is kept.
    pub fn rest(&mut self) -> Vec<Effect> {
        self.now += Duration::from_secs(2);
        let effects = self.with(Component::tick);
        self.commit(&effects);
        effects
    }

    /// From the message box to a new conversation.
    pub fn fresh(&mut self) {
        self.key(KeyCode::Tab);
        self.keys("n");
    }

    /// From the message box, opens the conversation so many rows from the one that is open, in the list at the left of a wide screen.
    pub fn open(&mut self, rows: isize) {
        self.picture(120, 34);
        self.key(KeyCode::Tab);
        self.key(KeyCode::Tab);
        for _ in 0..rows.abs() {
            self.keys(if rows > 0 { "j" } else { "k" });
        }
        let effects = self.key(KeyCode::Enter);
        self.commit(&effects);
        self.look_up(&effects);
    }
}

#[test]
fn a_draft_is_there_when_its_conversation_is_opened_again() {
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.fresh();
    desk.talk("second", "y");
    desk.text("my draft");
    assert!(desk.picture(80, 22).contains("saving…"), "a draft that is not kept yet is not saved");
    desk.rest();
    assert!(desk.picture(80, 22).contains("saved ✓"));
    desk.open(1);
    assert_eq!(desk.draft(), "");
    desk.open(-1);
    assert_eq!(desk.draft(), "my draft");
}

#[test]
fn a_conversation_of_nothing_but_a_draft_is_in_the_list_until_it_is_empty() {
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.fresh();
    desk.text("my only draft");
    desk.rest();
    assert!(desk.picture(120, 34).contains("▌Draft"));
    desk.control('u');
    let gone = desk.rest();
    let kept = records(&gone).any(|(_, record)| matches!(record, Record::Draft { text, .. } if text.is_empty()));
    assert!(kept, "{gone:?}");
    assert!(!desk.picture(120, 34).contains("Draft"));
    desk.text("another");
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
    desk.picture(80, 22);
    desk.key(KeyCode::Up);
    desk.text(" edited");
    desk.picture(80, 22);
    for code in [KeyCode::Down, KeyCode::Up, KeyCode::Up] {
        desk.key(code);
        assert_eq!(desk.draft(), "second edited", "looking back replaces nothing that is being written");
    }
    desk.control('u');
    desk.key(KeyCode::Up);
    desk.key(KeyCode::Up);
    assert_eq!(desk.draft(), "first");
}

#[test]
fn an_edit_that_was_left_is_an_edit_when_one_comes_back() {
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.fresh();
    desk.talk("second", "y");
    desk.picture(80, 22);
    desk.key(KeyCode::Esc);
    desk.keys("e");
    desk.text("!");
    desk.rest();
    desk.open(1);
    desk.open(-1);
    assert_eq!(desk.draft(), "second!");
    let kept = desk.key(KeyCode::Enter);
    let turn = turns(&kept).pop().unwrap();
    assert_eq!((turn.content.raw(), turn.parent), ("second!", None), "a version of the first, not its answer's answer");
}

#[test]
fn an_edited_message_keeps_its_role() {
    let mut desk = Desk::new();
    desk.control('o');
    desk.control('o');
    desk.text("be brief");
    let kept = desk.key(KeyCode::Enter);
    assert_eq!(turns(&kept)[0].role, "system");
    assert!(call(&desk.commit(&kept)).is_none(), "a system message asks for nothing");
    desk.key(KeyCode::Esc);
    desk.keys("e");
    desk.text("er");
    let kept = desk.key(KeyCode::Enter);
    assert_eq!((turns(&kept)[0].role.raw(), turns(&kept)[0].content.raw()), ("system", "be briefer"));
    assert!(call(&desk.commit(&kept)).is_none());
}

#[test]
fn what_is_typed_into_the_system_prompt_is_kept_as_it_changes() {
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.key(KeyCode::Esc);
    desk.keys("p");
    desk.text("be nice");
    let kept = desk.rest();
    let system = |record: &Record| match record {
        Record::Conversation(kept) => Some(kept.system.clone()),
        _ => None,
    };
    assert_eq!(records(&kept).find_map(|(_, record)| system(record)).as_deref(), Some("be nice"));
    desk.text("r");
    // Another window takes its place before it was closed.
    desk.with(|chat, cx| chat.command("rename", cx));
    desk.key(KeyCode::Esc);
    desk.keys("p");
    assert!(desk.picture(80, 22).contains("be nicer"));
    desk.key(KeyCode::Esc);
    assert!(desk.picture(80, 22).contains("Message · system prompt"), "the message box says that there is one");
}

#[test]
fn text_that_could_not_be_saved_stays_in_memory() {
    let mut desk = Desk::new();
    desk.talk("first", "x");
    desk.fresh();
    let ticket = desk.ask("second");
    desk.progress(ticket, chunk("precious"));
    let orders: Vec<_> = records(&desk.progress(ticket, Progress::Closed(Ok(())))).map(|(ticket, _)| ticket).collect();
    for order in orders {
        desk.with(|chat, cx| {
            chat.reply(order, &mut Response::Store(Stored::Failed("the disk is full; free some space".into())), cx)
        });
    }
    for (width, height) in [(120, 34), (80, 22), (40, 10)] {
        assert!(desk.picture(width, height).contains("not saved"), "{width} columns");
    }
    desk.open(1);
    desk.open(-1);
    assert!(desk.picture(120, 34).contains("precious"));
}

#[test]
fn a_long_text_that_was_typed_is_never_a_chip() {
    let mut desk = Desk::new();
    let lines: Vec<String> = (1..=25).map(|line| format!("line {line}")).collect();
    desk.with(|chat, cx| chat.edited(&lines.join("\n"), cx));
    assert!(desk.picture(80, 22).contains("line 25"));
    assert_eq!(desk.draft(), lines.join("\n"));
}
