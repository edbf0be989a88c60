//! The Chat tab and the real store in a folder: what is kept, and what is there after a restart.

use std::time::Duration;

use benchtop::component::{Component, Effect, Level};

use crate::desk::{Desk, Disk, call, chunk};
use crate::request::{TYPED, expected};

impl Desk {
    /// Creates a desk with a store in a folder.
    pub fn in_folder() -> Self {
        let mut desk = Self::on(&Disk::in_folder(), Self::new().app.session);
        desk.view(120, 34);
        desk
    }

    /// Asserts what is shown and what is not, and that no error was said.
    #[track_caller]
    pub fn has(&mut self, there: &[&str], gone: &[&str]) {
        self.view(120, 34);
        for text in there {
            self.shows(text);
        }
        for text in gone {
            self.hides(text);
        }
        let error = |effect: &&Effect| matches!(effect, Effect::Notify(notice) if notice.level == Level::Error);
        assert_eq!(self.effects.iter().find(error), None);
    }
}

#[test]
fn a_draft_outlives_the_program_until_it_is_emptied() {
    let mut desk = Desk::in_folder();
    desk.press("half a thought");
    desk.rest();
    desk.restart();
    assert_eq!(desk.draft(), "half a thought");
    desk.has(&["Draft", "saved ✓"], &[]);
    desk.press("^u");
    desk.rest();
    desk.has(&["none yet"], &["Draft"]);
    desk.restart();
    assert_eq!(desk.draft(), "");
    desk.has(&["none yet"], &["Draft"]);
    // The last moment counts, too.
    desk.press("another");
    desk.restart();
    assert_eq!(desk.draft(), "another");
    desk.talk("", "Yes.");
    desk.restart();
    assert_eq!(desk.draft(), "");
    desk.has(&["Yes.", "2 messages", "saved ✓"], &["Draft"]);
}

#[test]
fn the_trash_is_emptied_by_hand_and_not_by_a_restart() {
    let mut desk = Desk::in_folder();
    desk.talk("keep me", "one");
    desk.fresh();
    desk.talk("throw me", "two");
    desk.press("\u{1b}");
    desk.press("x");
    desk.restart();
    desk.has(&["keep me", "▸ Trash (1)"], &["throw me"]);
    // The list, its trash, and what lies in it.
    let into_trash = |desk: &mut Desk| {
        desk.press("\u{1b}");
        desk.press("\t");
        desk.press("G");
        desk.press("\n");
        desk.view(120, 34);
        desk.press("G");
    };
    into_trash(&mut desk);
    desk.press("u");
    desk.restart();
    desk.has(&["keep me", "throw me"], &["Trash"]);
    desk.press("\u{1b}");
    desk.press("\t");
    desk.press("gx");
    desk.restart();
    desk.has(&["▸ Trash (1)"], &["throw me"]);
    into_trash(&mut desk);
    desk.press("X");
    desk.press("\t");
    desk.press("\n");
    desk.restart();
    desk.has(&["keep me"], &["throw me", "Trash"]);
}

#[test]
fn versions_are_all_there_again_and_the_one_shown_is_shown() {
    let mut desk = Desk::in_folder();
    desk.talk("first question", "answer one");
    desk.press("\u{1b}");
    let again = desk.press("r");
    desk.says(call(&again).unwrap().0, "answer two");
    desk.unix_ms += 1000;
    desk.restart();
    desk.has(&["answer two", "‹2/2›"], &["answer one"]);
    desk.press("\u{1b}");
    desk.press("<");
    desk.has(&["answer one", "‹1/2›"], &["answer two"]);
    // The branch that was chosen is the one that goes on.
    desk.restart();
    desk.has(&["answer one", "‹1/2›"], &["answer two"]);
    desk.press("\u{1b}");
    desk.press("e");
    desk.press(" anew");
    let sent = desk.press("\n");
    let said: Vec<&str> = call(&sent).unwrap().1.messages.iter().map(|message| message.content.raw()).collect();
    assert_eq!(said, ["first question anew"]);
    desk.says(call(&sent).unwrap().0, "answer three");
    desk.unix_ms += 1000;
    desk.restart();
    desk.has(&["first question anew", "answer three"], &["answer one", "answer two"]);
    desk.press("\u{1b}");
    desk.press("kk<");
    desk.has(&["first question", "‹1/2›"], &["answer three"]);
}

#[test]
fn parameters_prompt_and_title_are_the_conversations() {
    let mut desk = Desk::in_folder();
    desk.press("\u{1b}");
    desk.press("t");
    for value in TYPED {
        desk.press("\n");
        desk.press(value);
        desk.press("\n");
        desk.press("j");
    }
    desk.press(" ");
    desk.press("\u{1b}");
    desk.press("pBe brief.");
    desk.press("\u{1b}");
    desk.restart();
    let sent = desk.press("hi").into_iter().chain(desk.press("\n")).collect::<Vec<_>>();
    assert_eq!(call(&sent).unwrap().1, &expected("Be brief.", "hi"));
    desk.says(call(&sent).unwrap().0, "Hi.");
    desk.unix_ms += 1000;
    desk.press("\u{1b}");
    desk.press("\t");
    desk.press("e");
    desk.press("^u");
    desk.press("A name");
    desk.press("\n");
    desk.restart();
    desk.has(&["A name"], &["▌hi"]);
}

#[test]
fn the_list_is_filtered_by_titles_and_by_what_was_said() {
    let mut desk = Desk::in_folder();
    for (prompt, answer) in
        [("about rivers", "They flow."), ("about bread", "Knead it."), ("on rain", "A river falls.")]
    {
        desk.talk(prompt, answer);
        desk.fresh();
    }
    desk.press("\u{1b}");
    desk.press("\t");
    let mut only = |words: &str, there: &[&str]| {
        desk.press("/");
        desk.press("^u");
        desk.press(words);
        desk.press("\n");
        let gone: Vec<&str> =
            ["about rivers", "about bread", "on rain"].into_iter().filter(|title| !there.contains(title)).collect();
        desk.has(there, &gone);
    };
    only("about", &["about rivers", "about bread"]);
    only("RIVER", &["about rivers", "on rain"]);
    only("knead", &["about bread"]);
    only("nothing of it", &[]);
    desk.has(&["No conversation has these"], &[]);
    desk.press("\u{1b}");
    desk.has(&["about rivers", "about bread", "on rain"], &[]);
}

#[test]
fn an_answer_that_the_end_of_the_program_found_is_there_as_far_as_it_came() {
    let mut desk = Desk::in_folder();
    desk.press("q");
    let sent = desk.press("\n");
    let ticket = call(&sent).unwrap().0;
    desk.progress(ticket, chunk("as far as"));
    desk.restart();
    desk.has(&["as far as", "■ stopped", "saved ✓"], &[]);
    // Without a last word: what was kept until then.
    desk.press("\u{1b}");
    let sent = desk.press("c");
    let ticket = call(&sent).unwrap().0;
    desk.progress(ticket, chunk(" this"));
    desk.now += Duration::from_secs(1);
    desk.with(Component::tick);
    desk.progress(ticket, chunk(" and no more"));
    desk.begin_again();
    desk.view(120, 34);
    desk.has(&["as far as this", "✕ cut off"], &["and no more"]);
}
