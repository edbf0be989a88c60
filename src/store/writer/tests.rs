//! The writer on a disk that is full, or locked.

use super::super::schema::{Medium, migrate, prepare};
use super::*;
use crate::record::Id;

fn write(connection: &Connection, record: &Record) -> WriteResult {
    super::write(connection, record, &Copies::alone())
}

fn setting(name: &str, length: usize) -> Record {
    Record::Setting(name.to_owned(), "x".repeat(length).into())
}

fn store() -> Connection {
    let mut connection = Connection::open_in_memory().unwrap();
    prepare(&connection, Medium::Memory).unwrap();
    migrate(&mut connection).unwrap();
    connection
}

#[test]
fn a_full_disk_refuses_what_does_not_fit_and_no_more() {
    let mut connection = store();
    let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    connection.pragma_update_and_check(None, "max_page_count", pages + 10, |_| Ok(())).unwrap();
    let results = commit(&mut connection, &[setting("a", 10), setting("b", 1 << 20), setting("c", 10)], write);
    assert!(results[0].is_ok() && results[2].is_ok(), "{results:?}");
    assert!(results[1].as_ref().unwrap_err().sentence().starts_with("disk full"), "{results:?}");
    let kept: i64 = connection.query_row("SELECT count(*) FROM settings", [], |row| row.get(0)).unwrap();
    assert_eq!(kept, 2);
}

#[test]
fn a_failure_inside_takes_one_record_and_no_more() {
    let mut connection = store();
    let fails = |connection: &Connection, record: &Record| {
        assert!(!matches!(record, Record::Setting(name, _) if name == "b"), "this one fails inside");
        write(connection, record)
    };
    let results = commit(&mut connection, &[setting("a", 1), setting("b", 1), setting("c", 1)], fails);
    assert!(results[0].is_ok() && results[2].is_ok(), "{results:?}");
    let why = results[1].as_ref().unwrap_err();
    assert!(!why.is_temporary() && why.sentence().contains("internal error"), "{results:?}");
    let kept: i64 = connection.query_row("SELECT count(*) FROM settings", [], |row| row.get(0)).unwrap();
    assert_eq!(kept, 2);
}

#[test]
fn a_lock_that_stays_is_waited_for_once() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("a.db");
    let mut one = Connection::open(&path).unwrap();
    prepare(&one, Medium::Local).unwrap();
    migrate(&mut one).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    one.busy_timeout(std::time::Duration::from_millis(10)).unwrap();
    let results = commit(&mut one, &[setting("a", 1), setting("b", 1)], write);
    assert!(results.iter().all(|result| result.as_ref().unwrap_err().sentence().contains("another copy")));
    other.execute_batch("COMMIT").unwrap();
    assert!(commit(&mut one, &[setting("a", 1)], write)[0].is_ok());
}

/// Creates a writer whose disk can be full, and the channel of its answers.
fn bench() -> (Writer, Receiver<(Ticket, Stored)>) {
    let (_requests, requests) = std::sync::mpsc::channel();
    let (send, answers) = std::sync::mpsc::channel();
    let writer = Writer {
        connection: store(),
        requests,
        helpers: Helpers::default(),
        query_interrupt: Arc::new(std::sync::Mutex::new(store().get_interrupt_handle())),
        replies: ReplySender::new(move |ticket, stored| send.send((ticket, stored)).unwrap_or_default()),
        corruption: CorruptionFlag::default(),
        file: None,
        copies: Arc::new(Copies::alone()),
        waiting: Waiting::default(),
        events: StoreEvents::default(),
        hold: None,
    };
    (writer, answers)
}

impl Writer {
    fn pages(&self) -> i64 {
        self.connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap()
    }

    /// Limits the store to so many pages.
    fn room(&self, pages: i64) {
        self.connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(())).unwrap();
    }

    fn record(&mut self, ticket: u64, record: Record) {
        self.waiting.add(Ticket(ticket), record, OnRefusal::Report).unwrap();
        self.commit_new();
    }

    fn text(&self, query: &str) -> String {
        self.connection.query_row(query, [], |row| row.get(0)).unwrap()
    }
}

fn answers_so_far(answers: &Receiver<(Ticket, Stored)>) -> Vec<(u64, &'static str)> {
    let word = |stored: &Stored| match stored {
        Stored::Committed => "kept",
        Stored::Waiting(why) if why.line().starts_with("disk full") => "waits",
        _ => "failed",
    };
    answers.try_iter().map(|(ticket, stored)| (ticket.0, word(&stored))).collect()
}

fn step(id: i64) -> Record {
    long_step(id, 0)
}

fn sheet(current: Option<i64>) -> Record {
    let current = current.map(Id);
    Record::Sheet(crate::record::Sheet { id: Id(1), created_ms: 0, updated_ms: 0, current, caret: 0 })
}

fn long_step(id: i64, length: usize) -> Record {
    Record::Step(Box::new(crate::record::Step {
        id: Id(id),
        sheet: Id(1),
        parent: None,
        made: crate::record::Made::Typed,
        at: 0,
        removed: "".into(),
        inserted: "x".repeat(length).into(),
        status: crate::record::TurnStatus::Streaming,
        finish_reason: "".into(),
        created_ms: 0,
    }))
}

#[test]
fn what_streams_into_a_full_disk_is_whole_when_it_has_room() {
    let (mut writer, answers) = bench();
    writer.record(1, sheet(None));
    writer.record(2, step(2));
    writer.room(writer.pages());
    writer.record(3, setting("fill", 100_000));
    assert_eq!(answers_so_far(&answers), [(1, "kept"), (2, "kept"), (3, "waits")]);
    let mut whole = String::new();
    for n in 0..3_000_u64 {
        let piece = format!("piece {n}, ünïcode; ");
        let record = Record::Grow { step: Id(2), at: whole.len() as u64, text: piece.as_str().into() };
        whole.push_str(&piece);
        writer.record(10 + n, record);
    }
    let answered = answers_so_far(&answers);
    let kept = answered.iter().filter(|(_, word)| *word == "kept").count();
    assert!(kept < 1_000 && answered.iter().all(|(_, word)| *word != "failed"), "{kept} fitted");
    writer.room(1 << 20);
    writer.commit_all();
    let answered = answers_so_far(&answers);
    assert_eq!((answered.len(), answered[0]), (3_001 - kept, (3, "kept")));
    assert!(answered.iter().all(|(_, word)| *word == "kept") && writer.waiting.due().is_none());
    let text = writer.text("SELECT group_concat(text, '') FROM (SELECT text FROM grown ORDER BY place)");
    assert!(text == whole, "{} of {} bytes", text.len(), whole.len());
}

#[test]
fn what_still_fits_goes_ahead_of_what_waits_unless_it_depends_on_it() {
    let (mut writer, answers) = bench();
    writer.room(writer.pages() + 10);
    let conversation = Record::Title { conversation: Id(1), title: "x".repeat(100_000).into() };
    let batch = Record::Batch(vec![setting("a", 100_000), setting("b", 1)]);
    writer.record(1, batch);
    writer.record(2, setting("b", 2));
    writer.record(3, setting("c", 3));
    writer.record(4, conversation);
    // The last belongs to no conversation: it is not stored later either.
    assert_eq!(answers_so_far(&answers), [(1, "waits"), (2, "waits"), (3, "kept"), (4, "failed")]);
    writer.room(1 << 20);
    writer.commit_all();
    assert_eq!(answers_so_far(&answers), [(1, "kept"), (2, "kept")]);
    assert_eq!(writer.text("SELECT value FROM settings WHERE name = 'b'"), "xx", "the later one stays");
}

#[test]
fn what_waits_is_offered_once_more_at_the_end_and_what_is_refused_then_is_said() {
    let (mut writer, answers) = bench();
    writer.room(writer.pages() + 10);
    writer.record(1, setting("a", 100_000));
    writer.record(2, Record::Draft { conversation: Id(1), text: "x".repeat(200_000) });
    assert_eq!(answers_so_far(&answers), [(1, "waits"), (2, "waits")]);
    writer.room(writer.pages() + 30);
    let lost = writer.end(EndCause::Closed);
    assert_eq!(lost.as_deref(), Some("drafts: disk full; free some space"));
    assert_eq!(answers_so_far(&answers), [(1, "kept"), (2, "failed")]);
}

#[test]
fn what_waits_is_left_alone_until_its_pause_is_over() {
    let (mut writer, answers) = bench();
    writer.room(writer.pages() + 10);
    writer.record(1, setting("a", 100_000));
    writer.room(1 << 20);
    writer.record(2, setting("b", 1));
    writer.record(3, setting("a", 2));
    assert_eq!(
        answers_so_far(&answers),
        [(1, "waits"), (2, "kept"), (3, "waits")],
        "only what depends on nothing is tried"
    );
    writer.commit_all();
    assert_eq!(answers_so_far(&answers), [(1, "kept"), (3, "kept")]);
    assert_eq!(writer.text("SELECT value FROM settings WHERE name = 'a'"), "xx");
}

#[test]
fn a_sheet_is_not_written_ahead_of_the_step_it_points_at() {
    let (mut writer, answers) = bench();
    writer.record(1, sheet(None));
    writer.room(writer.pages() + 10);
    for id in [2, 3] {
        writer.record(10 * id as u64, long_step(id, 100_000));
        writer.record(10 * id as u64 + 1, sheet(Some(id)));
    }
    assert_eq!(answers_so_far(&answers), [(1, "kept"), (20, "waits"), (21, "waits"), (30, "waits"), (31, "waits")]);
    writer.commit_all();
    let current = "SELECT coalesce(current, 'none') FROM sheets";
    assert_eq!(writer.text(&format!("SELECT CAST(({current}) AS TEXT)")), "none");
    writer.room(1 << 20);
    writer.commit_all();
    assert_eq!(answers_so_far(&answers).len(), 4);
    assert_eq!(writer.text(&format!("SELECT CAST(({current}) AS TEXT)")), "3");
}
