//! Tests the page without a screen: opens a file, and answers, pauses, kills and continues its run.

mod looked;
mod rows;
mod server;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent};

use super::*;
use crate::api::call::{Call, Failure, FailureKind, Reply};
use crate::api::moderation::{Moderation, ModerationResult, Texts};
use crate::component::{Effect, Session};
use crate::record::work::{Columns, Done, FileText, FileTexts, Layout};
use crate::record::{Check, Id, Query, Record, Rows, TextList, TextRow};
use crate::settings::ProfileId;

/// The page, and a disk and a server beside it.
struct Desk {
    page: FilePage,
    session: Session,
    now: Instant,
    unix_ms: i64,
    tickets: u64,
    /// Requests nobody has answered yet.
    calls: Vec<(Ticket, Vec<String>)>,
    /// Every text that was ever sent.
    sent: Vec<String>,
    notices: Vec<String>,
    /// Whom the last request went to.
    asked: String,
    /// Whether the disk takes its time, and what waits for it.
    slow: bool,
    waiting: Vec<(Ticket, Record)>,
    /// Records that the full disk refused, which the store offers it again.
    refused: Vec<(Ticket, Record)>,
    /// Lines of the ledger.
    bills: usize,
    /// Whether what is known cannot be read.
    unread: bool,
    /// Whether it is read late, and the questions that wait.
    late: bool,
    asks: Vec<(Ticket, Query)>,
    /// What is on disk.
    lists: Vec<TextList>,
    rows: Vec<(Id, TextRow)>,
    checks: Vec<Check>,
    last: Option<Untrusted>,
    /// Whether the disk is full.
    full: bool,
    most: usize,
}

impl Desk {
    fn new() -> Self {
        let session = Session { profile: ProfileId("work".into()), ..Session::default() };
        Self {
            page: FilePage::default(),
            session,
            now: Instant::now(),
            unix_ms: 1_000_000,
            tickets: 0,
            calls: Vec::new(),
            sent: Vec::new(),
            notices: Vec::new(),
            asked: String::new(),
            slow: false,
            waiting: Vec::new(),
            refused: Vec::new(),
            bills: 0,
            unread: false,
            late: false,
            asks: Vec::new(),
            lists: Vec::new(),
            rows: Vec::new(),
            checks: Vec::new(),
            last: None,
            full: false,
            most: 0,
        }
    }

    fn with(&mut self, act: impl FnOnce(&mut FilePage, &mut Cx)) {
        let mut effects = Vec::new();
        let mut cx = Cx::new(&self.session, self.now, self.unix_ms, &mut self.tickets, &mut effects);
        act(&mut self.page, &mut cx);
        for effect in effects {
            self.effect(effect);
        }
    }

    fn effect(&mut self, effect: Effect) {
        match effect {
            Effect::Call(ticket, profile, Call::Moderate(request)) => {
                self.asked = profile.0;
                let texts = match request.input {
                    Texts::One(text) => vec![text],
                    Texts::Many(texts) => texts,
                };
                self.sent.extend(texts.iter().cloned());
                self.calls.push((ticket, texts));
                self.most = self.most.max(self.calls.len());
            }
            Effect::Cancel(ticket) => self.calls.retain(|(other, _)| *other != ticket),
            Effect::Notify(notice) => self.notices.push(notice.text.line().into_owned()),
            Effect::Save(ticket, record) if self.slow => self.waiting.push((ticket, record)),
            Effect::Save(ticket, record) => self.save(ticket, record),
            Effect::Load(ticket, query @ Query::ListChecks(_)) if self.late => self.asks.push((ticket, query)),
            Effect::Load(ticket, query) => {
                let unread = self.unread && matches!(query, Query::ListChecks(_));
                let mut stored =
                    if unread { Stored::Failed("disk busy".into()) } else { Stored::Rows(self.load(query)) };
                self.with(|page, cx| _ = page.handle_stored(ticket, &mut stored, cx));
            }
            _ => {}
        }
    }

    /// Saves a record as the store does, or holds it while the disk is full.
    fn save(&mut self, ticket: Ticket, record: Record) {
        let mut stored = if self.full {
            self.refused.push((ticket, record));
            Stored::Waiting("disk full".into())
        } else {
            self.keep(record)
        };
        self.with(|page, cx| _ = page.handle_stored(ticket, &mut stored, cx));
    }

    fn keep(&mut self, record: Record) -> Stored {
        match record {
            Record::TextList(list) => {
                self.lists.retain(|other| other.id != list.id);
                self.lists.push(*list);
            }
            Record::TextRows { list, rows } => self.rows.extend(rows.into_iter().map(|row| (list, row))),
            Record::Checks(checks) => {
                for check in checks {
                    if self.checks.iter().all(|known| known.id != check.id) {
                        self.checks.push(check);
                    }
                }
            }
            Record::Ledger(_) => self.bills += 1,
            Record::Setting(_, value) => self.last = Some(value),
            Record::Batch(records) => {
                for record in records {
                    self.keep(record);
                }
            }
            _ => {}
        }
        Stored::Committed
    }

    fn load(&self, query: Query) -> Rows {
        match query {
            Query::Setting(name) => Rows::Setting(name, self.last.clone()),
            Query::Texts(id) => {
                let rows = self.rows.iter().filter(|(list, _)| *list == id).map(|(_, row)| row.clone()).collect();
                Rows::Texts(self.lists.iter().find(|list| list.id == id).map(|list| (list.clone(), rows)))
            }
            Query::ListChecks(_) => {
                // The newest of each text.
                let mut checks = self.checks.clone();
                checks.reverse();
                let mut seen = HashSet::new();
                checks.retain(|check| seen.insert(check.text));
                Rows::Checks(checks)
            }
            Query::TextLists(_) => Rows::TextLists(self.lists.clone()),
            other => panic!("{other:?}"),
        }
    }

    /// Opens a file of these texts and labels.
    fn file(&mut self, texts: &[(&str, Option<&str>)]) {
        let columns = Columns { layout: Layout::Csv, text: 0, label: None, header: true };
        self.with(|page, cx| page.read("/a/file.csv".into(), columns, "file.csv".into(), cx));
        let ticket = Ticket(self.tickets);
        let rows = texts.iter().zip(1..).map(|((text, label), line)| FileText {
            line,
            text: (*text).into(),
            label: label.map(Into::into),
        });
        let done = Done::Texts(FileTexts { rows: rows.collect(), ..FileTexts::default() });
        self.with(|page, cx| assert!(page.worked_step(ticket, &done, cx)));
    }

    /// Lets the disk do what it was asked for; `failed`: it cannot.
    fn settle(&mut self, failed: bool) {
        (self.slow, self.full) = (false, failed);
        for (ticket, record) in std::mem::take(&mut self.waiting) {
            self.save(ticket, record);
        }
        self.full = false;
    }

    /// Passes on the answers to what the disk was asked for.
    fn arrive(&mut self) {
        self.late = false;
        for (ticket, query) in std::mem::take(&mut self.asks) {
            self.effect(Effect::Load(ticket, query));
        }
    }

    fn many(&mut self, count: usize) {
        let texts: Vec<String> = (0..count).map(|n| format!("text {n}")).collect();
        let texts: Vec<(&str, Option<&str>)> = texts.iter().map(|text| (text.as_str(), None)).collect();
        self.file(&texts);
    }

    fn press(&mut self, code: KeyCode) -> Handled<FileEvent> {
        let mut event = Handled::Consumed;
        self.with(|page, cx| event = page.key(KeyEvent::from(code), cx));
        event
    }

    fn keys(&mut self, keys: &str) {
        for key in keys.chars() {
            self.press(KeyCode::Char(key));
        }
    }

    fn tell(&mut self, ticket: Ticket, progress: Progress) {
        self.with(|page, cx| assert!(page.handle_progress(ticket, &progress, cx)));
    }

    /// Answers the oldest request: the score of `text n` is n hundredths, two categories.
    fn answer(&mut self) {
        let (ticket, texts) = self.calls.remove(0);
        let results = texts.iter().map(|text| result(text)).collect();
        let answer = Moderation { id: "modr-1".into(), model: "m-007".into(), results };
        self.tell(ticket, Progress::Reply(Reply::Moderation(answer)));
        self.tell(ticket, Progress::Closed(Ok(())));
    }

    fn fail(&mut self, kind: FailureKind) {
        let (ticket, _) = self.calls.remove(0);
        let status = (kind == FailureKind::Refused).then_some(400);
        let why = Failure { status, ..Failure::new(kind, "it failed; try again") };
        self.tell(ticket, Progress::Closed(Err(why)));
    }

    fn finish(&mut self) {
        for _ in 0..10_000 {
            if self.calls.is_empty() {
                return;
            }
            self.answer();
        }
        panic!("it does not end");
    }

    fn wait(&mut self, time: Duration) {
        self.now += time;
        self.unix_ms += time.as_millis() as i64;
        if !self.full {
            for (ticket, record) in std::mem::take(&mut self.refused) {
                self.effect(Effect::Save(ticket, record));
            }
        }
        self.with(Component::tick);
    }

    /// Kills the program and starts it again: it has what is on disk and nothing else.
    fn restart(&mut self) {
        self.page = FilePage { shared: std::mem::take(&mut self.page.shared), ..FilePage::default() };
        self.calls.clear();
        self.with(FilePage::enter);
    }

    fn open(&self) -> &OpenTextFile {
        let FilePhase::Open(open) = &self.page.phase else { panic!("no list is open: {:?}", self.page.phase) };
        open
    }

    /// Returns the rows that are shown, from 1.
    fn rows(&self) -> Vec<u32> {
        self.open().rows.order.iter().map(|row| row + 1).collect()
    }
}

fn result(text: &str) -> ModerationResult {
    let number: f64 = text.split(' ').next_back().and_then(|word| word.parse().ok()).unwrap_or(0.0);
    let score = (number / 100.0).min(1.0);
    let mut result = ModerationResult { flagged: score >= 0.9, ..ModerationResult::default() };
    for (name, score) in [("hate", score), ("violence", 1.0 - score)] {
        result.category_scores.insert(name.into(), Some(score / 2.0 + if name == "hate" { score / 2.0 } else { 0.0 }));
        result.categories.insert(name.into(), Some(name == "hate" && result.flagged));
    }
    result
}

#[test]
fn a_file_is_kept_checked_and_sorted() {
    let mut desk = Desk::new();
    desk.many(300);
    assert_eq!(
        (desk.rows.len(), desk.open().dataset.len(), desk.calls.len()),
        (300, 300, 0),
        "nothing is sent unasked"
    );
    desk.keys("p");
    assert_eq!(desk.calls.len(), 8);
    desk.finish();
    assert_eq!((desk.most, desk.sent.len(), desk.checks.len()), (8, 300, 300));
    assert_eq!(desk.open().state(), Some(BatchState::Finished));
    assert_eq!(desk.open().tally().done, 300);
    assert_eq!(desk.rows()[0], 101, "the first of those with the highest score");
    let places: Vec<&str> = desk.sent.iter().map(String::as_str).take(3).collect();
    assert_eq!(places, ["text 0", "text 1", "text 2"], "in the file's order");
    desk.keys("s");
    assert_eq!(desk.rows()[..3], [1, 2, 3]);
}

#[test]
fn the_same_text_is_sent_once_and_earlier_results_count() {
    let mut desk = Desk::new();
    desk.file(&[("a 1", None), ("b 2", None), ("a 1", None), ("a 1", None)]);
    desk.keys("p");
    desk.finish();
    assert_eq!(desk.sent, ["a 1", "b 2"]);
    assert_eq!(desk.open().tally().done, 4);
    desk.file(&[("b 2", None), ("c 3", None)]);
    assert_eq!(desk.open().tally().done, 1, "known from the other file");
    desk.keys("p");
    desk.finish();
    assert_eq!(desk.sent, ["a 1", "b 2", "c 3"]);
    // All again.
    desk.unix_ms += 1;
    desk.keys("Ry");
    assert_eq!(desk.open().tally().done, 0);
    desk.unix_ms += 1;
    desk.finish();
    assert_eq!((desk.sent.len(), desk.open().tally().done), (5, 2));
}

#[test]
fn a_run_that_was_cut_goes_on_and_one_that_was_paused_waits() {
    let mut desk = Desk::new();
    desk.many(1_000);
    desk.keys("p");
    for _ in 0..20 {
        desk.answer();
    }
    let kept = desk.checks.len();
    let under_way: usize = desk.calls.iter().map(|(_, texts)| texts.len()).sum();
    assert_eq!((kept, under_way), (320, 128));
    desk.wait(Duration::from_secs(1));
    desk.restart();
    assert!(desk.notices.iter().any(|words| words.contains("680 texts left")), "{:?}", desk.notices);
    desk.finish();
    assert_eq!(desk.open().tally().done, 1_000);
    assert_eq!(desk.sent.len(), 1_000 + under_way, "only what was under way is sent again");
    // Paused.
    desk.many(40);
    desk.keys("Ry");
    desk.answer();
    desk.keys("p");
    assert_eq!(desk.open().state(), Some(BatchState::Paused));
    desk.finish();
    let before = desk.sent.len();
    desk.wait(Duration::from_secs(1));
    desk.restart();
    desk.wait(Duration::from_secs(1));
    assert_eq!(desk.sent.len(), before, "it waits for somebody");
}

#[test]
fn what_is_paused_goes_on_where_it_was() {
    let mut desk = Desk::new();
    desk.many(500);
    desk.keys("p");
    desk.answer();
    desk.keys("p");
    while !desk.calls.is_empty() {
        desk.answer();
    }
    assert_eq!(desk.open().tally().done, 9 * 16, "what was under way came to its end");
    desk.keys("p");
    desk.finish();
    assert_eq!((desk.sent.len(), desk.open().tally().done), (500, 500));
}

#[test]
fn new_results_do_not_move_the_rows_under_the_cursor() {
    let mut desk = Desk::new();
    desk.many(300);
    desk.keys("pjjj");
    let selected = desk.open().selected_row();
    for _ in 0..5 {
        desk.answer();
    }
    assert_eq!((desk.open().selected_row(), desk.open().rows.fresh), (selected, 80));
    desk.keys("s");
    assert_eq!((desk.open().selected_row(), desk.open().rows.fresh), (selected, 0), "the cursor goes with its row");
    desk.finish();
    assert_eq!(desk.open().selected_row(), selected);
}

#[test]
fn another_file_lets_the_first_wait() {
    let mut desk = Desk::new();
    desk.many(300);
    desk.keys("p");
    desk.answer();
    desk.many(20);
    assert!(desk.calls.is_empty());
    assert!(desk.notices.iter().any(|words| words.contains("is paused; L opens it again")), "{:?}", desk.notices);
    let first = desk.lists.iter().min_by_key(|list| list.id).unwrap().id;
    desk.with(|page, cx| page.load(first, false, cx));
    assert_eq!(desk.open().tally().done, 16);
    desk.keys("p");
    desk.finish();
    assert_eq!(desk.open().tally().done, 300);
}
