//! The Chat tab and the real store: what is kept, what the store refuses, and what is there after a restart.

use std::collections::{HashSet, VecDeque};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use benchtop::api::call::{Progress, Ticket};
use benchtop::component::Level;
use benchtop::component::{Component, Effect, Response};
use benchtop::record::Stored;
use benchtop::store::Store;
use benchtop::tabs::Tab;
use benchtop::tabs::chat::Chat;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tempfile::TempDir;

use crate::desk::{Desk, call, chunk, counts};
use crate::request::{TYPED, expected};

/// How long the store may take before the test has failed.
const LIMIT: Duration = Duration::from_mins(1);

/// A desk with a store of its own. Nothing fails here: an order that the store refuses, or an error that is said, ends
/// the test.
pub struct Disk {
    pub desk: Desk,
    store: Store,
    answers: Receiver<(Ticket, Stored)>,
    home: TempDir,
}

impl Disk {
    pub fn new() -> Self {
        Self::open(tempfile::tempdir().unwrap(), 1_700_000_000_000)
    }

    fn open(home: TempDir, unix_ms: i64) -> Self {
        let (send, answers) = channel();
        let path = home.path().join("benchtop.db");
        let store = Store::open(&path, move |ticket, stored| send.send((ticket, stored)).unwrap_or_default()).unwrap();
        assert!(store.warnings().is_empty(), "{:?}", store.warnings());
        let mut disk = Self { desk: Desk::new(), store, answers, home };
        disk.desk.chat = Chat::new();
        disk.desk.unix_ms = unix_ms;
        disk.act(Tab::enter);
        disk.picture();
        disk
    }

    /// The program ends in order and begins again.
    pub fn restart(mut self) -> Self {
        self.act(Tab::before_quit);
        assert!(self.store.close());
        // Its threads end on their own; until then it counts as another copy, whose drafts are its own.
        let runs = |file: std::fs::DirEntry| {
            let is_mark = file.file_name().to_string_lossy().contains(".copy-");
            is_mark && std::fs::File::open(file.path()).is_ok_and(|file| file.try_lock_shared().is_err())
        };
        let end = Instant::now() + LIMIT;
        while std::fs::read_dir(self.home.path()).unwrap().any(|file| runs(file.unwrap())) {
            assert!(Instant::now() < end, "the store does not end");
            std::thread::yield_now();
        }
        Self::open(self.home, self.desk.unix_ms + 60_000)
    }

    /// Does something, and has the store carry out all that it leads to.
    pub fn act<R>(&mut self, act: impl FnOnce(&mut Chat, &mut benchtop::component::Cx) -> R) -> Vec<Effect> {
        let mut all = Vec::new();
        let mut next = VecDeque::from([self.desk.with(act)]);
        while let Some(effects) = next.pop_front() {
            let mut waiting = HashSet::new();
            for effect in &effects {
                match effect {
                    Effect::Record(ticket, record) => {
                        waiting.insert(*ticket);
                        self.store.record(*ticket, record.clone());
                    }
                    Effect::Save(ticket, record) => {
                        waiting.insert(*ticket);
                        self.store.save(*ticket, record.clone());
                    }
                    Effect::Load(ticket, query) => {
                        waiting.insert(*ticket);
                        self.store.load(*ticket, query.clone());
                    }
                    Effect::Work(ticket, work) => {
                        if let Some(done) = counts(work) {
                            next.push_back(
                                self.desk.with(|chat, cx| chat.reply(*ticket, &mut Response::Work(done), cx)),
                            );
                        }
                    }
                    Effect::Notify(notice) => {
                        assert_ne!(notice.level, Level::Error, "{}", notice.text.raw());
                    }
                    _ => {}
                }
            }
            // Not by their number: what answers an order of before may come late.
            while !waiting.is_empty() {
                let (ticket, stored) = self.answers.recv_timeout(LIMIT).expect("every order is answered");
                assert!(!matches!(stored, Stored::Failed(_) | Stored::Waiting(_)), "{stored:?}");
                waiting.remove(&ticket);
                next.push_back(self.desk.with(|chat, cx| chat.reply(ticket, &mut Response::Store(stored), cx)));
            }
            all.extend(effects);
        }
        all
    }

    pub fn key(&mut self, code: KeyCode) -> Vec<Effect> {
        self.act(|chat, cx| chat.key(KeyEvent::from(code), cx))
    }

    pub fn keys(&mut self, keys: &str) -> Vec<Effect> {
        keys.chars().flat_map(|c| self.key(KeyCode::Char(c))).collect()
    }

    pub fn clear(&mut self) {
        self.act(|chat, cx| chat.key(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL), cx));
    }

    /// Time goes by until what was typed is kept.
    pub fn rest(&mut self) {
        self.desk.now += Duration::from_secs(2);
        self.act(Component::tick);
    }

    /// What follows a request: its answer, whole.
    fn answer(&mut self, effects: &[Effect], answer: &str) {
        let ticket = call(effects).expect("it is sent").0;
        self.act(|chat, cx| chat.reply(ticket, &mut Response::Call(chunk(answer)), cx));
        self.act(|chat, cx| chat.reply(ticket, &mut Response::Call(Progress::Closed(Ok(()))), cx));
        self.desk.unix_ms += 1000;
    }

    pub fn talk(&mut self, prompt: &str, answer: &str) {
        self.keys(prompt);
        let sent = self.key(KeyCode::Enter);
        self.answer(&sent, answer);
    }

    /// A new conversation, from the message box.
    pub fn fresh(&mut self) {
        self.key(KeyCode::Esc);
        self.keys("n");
    }

    pub fn picture(&mut self) -> String {
        self.desk.picture(120, 34)
    }

    /// Asserts what is shown and what is not.
    pub fn shows(&mut self, there: &[&str], gone: &[&str]) {
        let picture = self.picture();
        for (text, shown) in there.iter().map(|text| (text, true)).chain(gone.iter().map(|text| (text, false))) {
            assert_eq!(picture.contains(text), shown, "{text} in {picture}");
        }
    }
}

#[test]
fn a_draft_outlives_the_program_until_it_is_emptied() {
    let mut disk = Disk::new();
    disk.keys("half a thought");
    disk.rest();
    let mut disk = disk.restart();
    assert_eq!(disk.desk.draft(), "half a thought");
    disk.shows(&["Draft", "saved ✓"], &[]);
    disk.clear();
    disk.rest();
    disk.shows(&["none yet"], &["Draft"]);
    let mut disk = disk.restart();
    assert_eq!(disk.desk.draft(), "");
    disk.shows(&["none yet"], &["Draft"]);
    // The last moment counts, too.
    disk.keys("another");
    let mut disk = disk.restart();
    assert_eq!(disk.desk.draft(), "another");
    disk.talk("", "Yes.");
    let mut disk = disk.restart();
    assert_eq!(disk.desk.draft(), "");
    disk.shows(&["Yes.", "2 messages", "saved ✓"], &["Draft"]);
}

#[test]
fn the_trash_is_emptied_by_hand_and_not_by_a_restart() {
    let mut disk = Disk::new();
    disk.talk("keep me", "one");
    disk.fresh();
    disk.talk("throw me", "two");
    disk.key(KeyCode::Esc);
    disk.keys("x");
    let mut disk = disk.restart();
    disk.shows(&["keep me", "▸ Trash (1)"], &["throw me"]);
    // The list, its trash, and what lies in it.
    let into_trash = |disk: &mut Disk| {
        disk.key(KeyCode::Esc);
        disk.key(KeyCode::Tab);
        disk.keys("G");
        disk.key(KeyCode::Enter);
        disk.picture();
        disk.keys("G");
    };
    into_trash(&mut disk);
    disk.keys("u");
    let mut disk = disk.restart();
    disk.shows(&["keep me", "throw me"], &["Trash"]);
    disk.key(KeyCode::Esc);
    disk.key(KeyCode::Tab);
    disk.keys("gx");
    let mut disk = disk.restart();
    disk.shows(&["▸ Trash (1)"], &["throw me"]);
    into_trash(&mut disk);
    disk.keys("X");
    disk.key(KeyCode::Tab);
    disk.key(KeyCode::Enter);
    let mut disk = disk.restart();
    disk.shows(&["keep me"], &["throw me", "Trash"]);
}

#[test]
fn versions_are_all_there_again_and_the_one_shown_is_shown() {
    let mut disk = Disk::new();
    disk.talk("first question", "answer one");
    disk.key(KeyCode::Esc);
    let again = disk.keys("r");
    disk.answer(&again, "answer two");
    let mut disk = disk.restart();
    disk.shows(&["answer two", "‹2/2›"], &["answer one"]);
    disk.key(KeyCode::Esc);
    disk.keys("<");
    disk.shows(&["answer one", "‹1/2›"], &["answer two"]);
    // The branch that was chosen is the one that goes on.
    let mut disk = disk.restart();
    disk.shows(&["answer one", "‹1/2›"], &["answer two"]);
    disk.key(KeyCode::Esc);
    disk.keys("e");
    disk.keys(" anew");
    let sent = disk.key(KeyCode::Enter);
    let said: Vec<&str> = call(&sent).unwrap().1.messages.iter().map(|message| message.content.raw()).collect();
    assert_eq!(said, ["first question anew"]);
    disk.answer(&sent, "answer three");
    let mut disk = disk.restart();
    disk.shows(&["first question anew", "answer three"], &["answer one", "answer two"]);
    disk.key(KeyCode::Esc);
    disk.keys("kk<");
    disk.shows(&["first question", "‹1/2›"], &["answer three"]);
}

#[test]
fn parameters_prompt_and_title_are_the_conversations() {
    let mut disk = Disk::new();
    disk.key(KeyCode::Esc);
    disk.keys("t");
    for value in TYPED {
        disk.key(KeyCode::Enter);
        disk.keys(value);
        disk.key(KeyCode::Enter);
        disk.keys("j");
    }
    disk.keys(" ");
    disk.key(KeyCode::Esc);
    disk.keys("pBe brief.");
    disk.key(KeyCode::Esc);
    let mut disk = disk.restart();
    let sent = disk.keys("hi").into_iter().chain(disk.key(KeyCode::Enter)).collect::<Vec<_>>();
    assert_eq!(call(&sent).unwrap().1, &expected("Be brief.", "hi"));
    disk.answer(&sent, "Hi.");
    disk.key(KeyCode::Esc);
    disk.key(KeyCode::Tab);
    disk.keys("e");
    disk.clear();
    disk.keys("A name");
    disk.key(KeyCode::Enter);
    disk.restart().shows(&["A name"], &["▌hi"]);
}

#[test]
fn the_list_is_filtered_by_titles_and_by_what_was_said() {
    let mut disk = Disk::new();
    for (prompt, answer) in
        [("about rivers", "They flow."), ("about bread", "Knead it."), ("on rain", "A river falls.")]
    {
        disk.talk(prompt, answer);
        disk.fresh();
    }
    disk.key(KeyCode::Esc);
    disk.key(KeyCode::Tab);
    let mut only = |words: &str, there: &[&str]| {
        disk.keys("/");
        disk.clear();
        disk.keys(words);
        disk.key(KeyCode::Enter);
        let gone: Vec<&str> =
            ["about rivers", "about bread", "on rain"].into_iter().filter(|title| !there.contains(title)).collect();
        disk.shows(there, &gone);
    };
    only("about", &["about rivers", "about bread"]);
    only("RIVER", &["about rivers", "on rain"]);
    only("knead", &["about bread"]);
    only("nothing of it", &[]);
    disk.shows(&["nothing matches"], &[]);
    disk.key(KeyCode::Esc);
    disk.shows(&["about rivers", "about bread", "on rain"], &[]);
}

#[test]
fn an_answer_that_the_end_of_the_program_found_is_there_as_far_as_it_came() {
    let mut disk = Disk::new();
    disk.keys("q");
    let sent = disk.key(KeyCode::Enter);
    let ticket = call(&sent).unwrap().0;
    disk.act(|chat, cx| chat.reply(ticket, &mut Response::Call(chunk("as far as")), cx));
    let mut disk = disk.restart();
    disk.shows(&["as far as", "■ stopped", "saved ✓"], &[]);
    // Without a last word: what was kept until then.
    disk.key(KeyCode::Esc);
    let sent = disk.keys("c");
    let ticket = call(&sent).unwrap().0;
    disk.act(|chat, cx| chat.reply(ticket, &mut Response::Call(chunk(" this")), cx));
    disk.desk.now += Duration::from_secs(1);
    disk.act(Component::tick);
    disk.act(|chat, cx| chat.reply(ticket, &mut Response::Call(chunk(" and no more")), cx));
    assert!(disk.store.close());
    let mut disk = Disk::open(disk.home, disk.desk.unix_ms + 60_000);
    disk.shows(&["as far as this", "✕ cut off"], &["and no more"]);
}
