//! The store from outside: what was acknowledged is there, whatever happened in between.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use benchtop::api::call::Ticket;
use benchtop::record::{ChatParams, Conversation, Id, LedgerRow, Query, Record, Rows, Stored, Turn, TurnStatus};
use benchtop::store::{Store, StoreError};
use tempfile::TempDir;

/// A store and its answers.
struct Bench {
    store: Store,
    answers: Receiver<(Ticket, Stored)>,
    next: std::cell::Cell<u64>,
}

impl Bench {
    fn open(path: &Path) -> Result<Self, StoreError> {
        let (send, answers) = channel();
        let store = Store::open(path, move |ticket, stored| send.send((ticket, stored)).unwrap_or_default())?;
        Ok(Self { store, answers, next: std::cell::Cell::new(0) })
    }

    fn memory() -> Self {
        let (send, answers) = channel();
        let store = Store::memory(move |ticket, stored| send.send((ticket, stored)).unwrap_or_default());
        Self { store, answers, next: std::cell::Cell::new(0) }
    }

    fn ticket(&self) -> Ticket {
        self.next.set(self.next.get() + 1);
        Ticket(self.next.get())
    }

    fn answer(&self) -> (Ticket, Stored) {
        self.answers.recv_timeout(Duration::from_secs(30)).expect("an answer")
    }

    fn record(&self, record: Record) -> Stored {
        let ticket = self.ticket();
        self.store.record(ticket, record);
        let (answered, stored) = self.answer();
        assert_eq!(answered, ticket);
        stored
    }

    fn keep(&self, record: Record) {
        assert_eq!(self.record(record), Stored::Committed);
    }

    fn load(&self, query: Query) -> Rows {
        let ticket = self.ticket();
        self.store.load(ticket, query);
        match self.answer() {
            (answered, Stored::Rows(rows)) => {
                assert_eq!(answered, ticket);
                rows
            }
            other => panic!("no rows: {other:?}"),
        }
    }

    fn turns(&self, ids: &[i64]) -> Vec<Turn> {
        match self.load(Query::Turns(ids.iter().copied().map(Id).collect())) {
            Rows::Turns(turns) => turns,
            other => panic!("{other:?}"),
        }
    }

    fn found(&self, words: &str) -> Vec<(i64, i64, String)> {
        match self.load(Query::Search(words.to_owned())) {
            Rows::Found(found) => found.into_iter().map(|(c, t, text)| (c.0, t.0, text)).collect(),
            other => panic!("{other:?}"),
        }
    }

    fn heads(&self) -> Vec<(i64, u64, String)> {
        match self.load(Query::Heads) {
            Rows::Heads(heads) => {
                heads.into_iter().map(|h| (h.conversation.id.0, h.turns, h.conversation.title)).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    fn conversation(&self, id: i64) -> Option<Conversation> {
        match self.load(Query::Conversation(Id(id))) {
            Rows::Conversation(found) => found.map(|c| *c),
            other => panic!("{other:?}"),
        }
    }
}

fn conversation(id: i64, title: &str) -> Conversation {
    Conversation {
        id: Id(id),
        title: title.to_owned(),
        titled: false,
        created_ms: 1,
        updated_ms: id,
        trashed_ms: None,
        profile: "local".to_owned(),
        model: String::new(),
        system: "be brief".to_owned(),
        params: ChatParams { temperature: Some(0.5), seed: Some(-1), ..ChatParams::default() },
        leaf: None,
        draft: String::new(),
    }
}

fn turn(id: i64, conversation: i64, content: &str) -> Turn {
    Turn {
        id: Id(id),
        conversation: Id(conversation),
        parent: (id > 1).then_some(Id(id - 1)),
        role: "assistant".to_owned(),
        content: content.to_owned(),
        reasoning: String::new(),
        model: "m".to_owned(),
        choice: 0,
        status: TurnStatus::Done,
        error: String::new(),
        finish_reason: "stop".to_owned(),
        created_ms: id,
        prompt_tokens: 3,
        completion_tokens: u64::MAX,
        estimated: true,
        cost_nano: Some(-5),
        first_token_ms: 7,
        total_ms: 9,
    }
}

fn keep_conversation(c: Conversation) -> Record {
    Record::Conversation(Box::new(c))
}

fn keep_turn(t: Turn) -> Record {
    Record::Turn(Box::new(t))
}

fn extend(turn: i64, content_at: u64, content: &str, reasoning_at: u64, reasoning: &str) -> Record {
    Record::Extend {
        turn: Id(turn),
        content_at,
        content: content.to_owned(),
        reasoning_at,
        reasoning: reasoning.to_owned(),
    }
}

fn home() -> (TempDir, PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("data").join("benchtop.db");
    (home, path)
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(directory).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn what_was_kept_comes_back_byte_for_byte() {
    let (_home, path) = home();
    let odd = "a\0b\r\n\u{1b}[2J\u{202e}é世\t";
    let mut c = conversation(10, odd);
    c.leaf = Some(Id(2));
    let mut t = turn(2, 10, odd);
    t.reasoning = odd.to_owned();
    let bench = Bench::open(&path).unwrap();
    bench.keep(keep_conversation(c.clone()));
    bench.keep(keep_turn(t.clone()));
    bench.keep(Record::Setting("theme".into(), "dark".into()));
    assert!(bench.store.close());

    let bench = Bench::open(&path).unwrap();
    assert!(bench.store.warnings().is_empty());
    t.completion_tokens = i64::MAX as u64;
    assert_eq!(bench.turns(&[99, 2]), vec![t]);
    assert_eq!(bench.conversation(10), Some(c));
    assert_eq!(bench.conversation(11), None);
    assert_eq!(bench.heads(), vec![(10, 1, odd.to_owned())]);
    assert_eq!(bench.load(Query::Outline(Id(10))), Rows::Outline(Id(10), vec![(Id(2), Some(Id(1)))]));
    assert_eq!(bench.load(Query::Setting("theme".into())), Rows::Setting("theme".into(), Some("dark".into())));
    assert_eq!(bench.load(Query::Setting("x".into())), Rows::Setting("x".into(), None));
}

#[test]
fn a_stream_is_appended_checked_and_idempotent() {
    let bench = Bench::memory();
    bench.keep(keep_conversation(conversation(1, "")));
    bench.keep(keep_turn(Turn { status: TurnStatus::Streaming, ..turn(2, 1, "He") }));
    bench.keep(extend(2, 2, "llo ", 0, "hm"));
    bench.keep(extend(2, 6, "wörld", 2, ""));
    // The same again, a piece of it again, and one that overlaps and goes on.
    bench.keep(extend(2, 6, "wörld", 0, "hm"));
    bench.keep(extend(2, 2, "llo", 0, "h"));
    bench.keep(extend(2, 2, "llo wörld!", 0, "hm?"));
    let text = |turn: &Turn| (turn.content.clone(), turn.reasoning.clone(), turn.status);
    assert_eq!(text(&bench.turns(&[2])[0]), ("Hello wörld!".into(), "hm?".into(), TurnStatus::Streaming));
    let gap = extend(2, 14, "x", 3, "");
    let differs = extend(2, 2, "lla", 3, "");
    let inside_a_character = extend(2, 8, "x", 3, "");
    let of_no_turn = extend(3, 0, "x", 0, "");
    for wrong in [gap, differs, inside_a_character, of_no_turn] {
        assert!(matches!(bench.record(wrong), Stored::Failed(_)));
    }
    // A failing order leaves no half behind: the content fits, the reasoning does not.
    assert!(matches!(bench.record(extend(2, 13, "more", 9, "x")), Stored::Failed(_)));
    assert_eq!(text(&bench.turns(&[2])[0]).0, "Hello wörld!");
    bench.keep(keep_turn(turn(2, 1, "Bye")));
    assert_eq!(text(&bench.turns(&[2])[0]), ("Bye".into(), String::new(), TurnStatus::Done));
    bench.keep(extend(2, 3, "!", 0, ""));
    assert_eq!(bench.turns(&[2])[0].content, "Bye!");
}

#[test]
fn drafts_and_conversations_do_not_touch_each_other() {
    let bench = Bench::memory();
    bench.keep(Record::Draft { conversation: Id(1), text: "early".into() });
    bench.keep(keep_conversation(Conversation { draft: "ignored".into(), ..conversation(1, "a") }));
    assert_eq!(bench.conversation(1).unwrap().draft, "early");
    bench.keep(Record::Draft { conversation: Id(1), text: "late".into() });
    bench.keep(keep_conversation(conversation(1, "b")));
    let found = bench.conversation(1).unwrap();
    assert_eq!((found.title.as_str(), found.draft.as_str()), ("b", "late"));
}

#[test]
fn a_burst_is_committed_together_and_each_ticket_is_answered_once() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    bench.keep(keep_conversation(conversation(1, "")));
    let mut expected = Vec::new();
    for n in 0..300_i64 {
        let ticket = bench.ticket();
        let (record, good) = match n % 3 {
            0 => (keep_turn(turn(100 + n, 1, &format!("turn {n}"))), true),
            1 => (Record::Draft { conversation: Id(1), text: format!("draft {n}") }, true),
            _ => (keep_turn(turn(100 + n, 777, "of no conversation")), false),
        };
        expected.push((ticket, good));
        bench.store.record(ticket, record);
    }
    let mut answers: Vec<_> =
        (0..300).map(|_| bench.answer()).map(|(ticket, stored)| (ticket, stored == Stored::Committed)).collect();
    answers.sort_unstable();
    assert_eq!(answers, expected);
    assert_eq!(bench.conversation(1).unwrap().draft, "draft 298");
    assert_eq!(bench.heads()[0].1, 100);
    assert!(bench.answers.try_recv().is_err());
}

#[test]
fn a_batch_is_whole_or_not_at_all() {
    let bench = Bench::memory();
    let good = keep_conversation(conversation(1, "x"));
    let bad = keep_turn(turn(5, 2, "of no conversation"));
    assert!(matches!(bench.record(Record::Batch(vec![good.clone(), bad])), Stored::Failed(_)));
    assert_eq!(bench.conversation(1), None);
    bench.keep(Record::Batch(vec![good, keep_turn(turn(5, 1, "y"))]));
    assert_eq!(bench.heads(), vec![(1, 1, "x".into())]);
}

#[test]
fn words_are_found_in_titles_and_finished_turns() {
    let bench = Bench::memory();
    bench.keep(keep_conversation(conversation(1, "Refund policy")));
    bench.keep(keep_conversation(conversation(2, "Reise")));
    bench.keep(keep_turn(turn(11, 1, "The customer asks for money.")));
    let long = format!("{} Überweisung \"AND\" NOT {}", "word ".repeat(60), "end ".repeat(60));
    bench.keep(keep_turn(turn(12, 1, &long)));
    bench.keep(keep_turn(turn(21, 2, "東京は世界の都市")));
    bench.keep(keep_turn(Turn { status: TurnStatus::Streaming, ..turn(22, 2, "unfinished") }));
    let hits = |words: &str| bench.found(words).into_iter().map(|(c, t, _)| (c, t)).collect::<Vec<_>>();
    assert_eq!(hits("money"), [(1, 11)]);
    assert_eq!(hits("MON"), [(1, 11)]);
    // Words of one conversation in different turns and the title.
    assert_eq!(hits("refund uberweisung money").len(), 1);
    assert_eq!(hits("refund 世界"), []);
    assert_eq!(hits("世界"), [(2, 21)]);
    assert_eq!(hits("unfinished"), []);
    assert_eq!(hits("\"AND\" NOT* OR ("), []);
    assert_eq!(hits("\"AND\" NOT"), [(1, 12)]);
    assert_eq!(hits("'\" ()"), []);
    let (_, _, snippet) = &bench.found("überweisung")[0];
    assert!(snippet.starts_with('…') && snippet.ends_with('…') && snippet.contains("Überweisung"), "{snippet}");
    assert!(snippet.chars().count() <= 125, "{snippet}");
    // A turn that changes, a title that changes, a conversation that goes.
    bench.keep(keep_turn(turn(11, 1, "Nothing of it.")));
    bench.keep(keep_turn(turn(22, 2, "finished")));
    bench.keep(keep_conversation(Conversation { trashed_ms: Some(5), ..conversation(1, "Other") }));
    assert_eq!(hits("money"), []);
    assert_eq!(hits("refund"), []);
    assert_eq!(hits("finished"), [(2, 22)]);
    assert_eq!(hits("other"), [(1, 12)]);
    bench.keep(Record::Purge(Id(1)));
    assert_eq!(hits("nothing"), []);
    assert_eq!(bench.turns(&[11, 12]), []);
}

#[test]
fn only_the_trash_can_be_purged() {
    let bench = Bench::memory();
    bench.keep(keep_conversation(conversation(1, "kept")));
    bench.keep(keep_turn(turn(11, 1, "text")));
    assert!(matches!(bench.record(Record::Purge(Id(1))), Stored::Failed(_)));
    assert_eq!(bench.heads(), vec![(1, 1, "kept".into())]);
    bench.keep(Record::Purge(Id(2)));
}

#[test]
fn the_ledger_counts_each_request_once() {
    let bench = Bench::memory();
    let row = |request: &str, at_ms, profile: &str, cost_nano| LedgerRow {
        request_id: request.into(),
        at_ms,
        profile: profile.into(),
        tab: "Chat".into(),
        model: "m".into(),
        prompt_tokens: 1,
        completion_tokens: 2,
        estimated: false,
        cost_nano,
    };
    for row in [
        row("a", 100, "work", Some(50)),
        row("a", 100, "work", Some(70)),
        row("b", 99, "work", Some(1)),
        row("c", 101, "local", Some(1)),
        row("d", 102, "work", None),
    ] {
        bench.keep(Record::Ledger(row));
    }
    let spent = |since_ms| bench.load(Query::Spent { profile: "work".into(), since_ms });
    assert_eq!(spent(100), Rows::Spent(50, 1));
    bench.keep(Record::Ledger(row("e", 103, "work", Some(i64::MAX))));
    assert_eq!(spent(100), Rows::Spent(i64::MAX, 1));
    assert_eq!(spent(104), Rows::Spent(0, 0));
}

#[test]
fn copies_share_a_store() {
    let (_home, path) = home();
    let one = Bench::open(&path).unwrap();
    one.keep(keep_conversation(conversation(1, "shared")));
    one.keep(keep_turn(Turn { status: TurnStatus::Streaming, ..turn(11, 1, "still ") }));
    let two = Bench::open(&path).unwrap();
    assert!(two.store.warnings().is_empty());
    assert_eq!(two.turns(&[11])[0].status, TurnStatus::Streaming);
    two.keep(keep_conversation(conversation(2, "second")));
    assert!(two.store.close());
    // The first goes on with its stream.
    one.keep(extend(11, 6, "coming", 0, ""));
    assert_eq!(one.turns(&[11])[0].content, "still coming");
    assert_eq!(one.heads().len(), 2);
}

#[test]
fn close_finishes_what_was_ordered_and_leaves_one_file() {
    let (_home, path) = home();
    let bench = Bench::open(&path).unwrap();
    bench.store.record(Ticket(1), keep_conversation(conversation(1, "")));
    for n in 0..200 {
        bench.store.record(Ticket(2 + n), keep_turn(turn(10 + n as i64, 1, "x")));
    }
    bench.store.load(Ticket(1000), Query::Heads);
    assert!(bench.store.close());
    let answers: Vec<_> = bench.answers.iter().collect();
    assert_eq!(answers.len(), 202);
    assert!(matches!(&answers[201].1, Stored::Rows(Rows::Heads(heads)) if heads[0].turns == 200));
    let left = names(path.parent().unwrap());
    assert!(!left.iter().any(|name| name.ends_with("-wal") || name.ends_with("-shm")), "{left:?}");
}

#[cfg(unix)]
#[test]
fn the_file_is_for_this_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (_home, path) = home();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let bench = Bench::open(&path).unwrap();
    bench.keep(Record::Setting("a".into(), "b".into()));
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(&path.with_file_name("benchtop.db-wal")), 0o600);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    bench.store.close();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    Bench::open(&path).unwrap();
    assert_eq!(mode(&path), 0o600);
}

#[test]
fn what_cannot_be_opened_says_why_and_stays_as_it_is() {
    let (home, path) = home();
    // A directory that cannot be: its parent is a file.
    fs::write(home.path().join("data"), "").unwrap();
    assert!(Bench::open(&path).err().unwrap().to_string().starts_with("cannot use "));
    fs::remove_file(home.path().join("data")).unwrap();

    Bench::open(&path).unwrap().store.close();
    let change = |sql: &str| rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    change("PRAGMA user_version = 99");
    assert!(matches!(Bench::open(&path).err().unwrap(), StoreError::Newer { found: 99, .. }));
    change("PRAGMA user_version = 1; PRAGMA application_id = 7");
    let before = fs::read(&path).unwrap();
    assert!(matches!(Bench::open(&path).err().unwrap(), StoreError::Foreign));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[cfg(unix)]
#[test]
fn a_directory_that_cannot_be_written_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let (_home, path) = home();
    let directory = path.parent().unwrap();
    fs::create_dir_all(directory).unwrap();
    fs::set_permissions(directory, fs::Permissions::from_mode(0o500)).unwrap();
    let writable = fs::write(directory.join("probe"), "").is_ok();
    let opened = Bench::open(&path);
    fs::set_permissions(directory, fs::Permissions::from_mode(0o700)).unwrap();
    // The superuser may write everywhere.
    assert_eq!(opened.is_ok(), writable);
}

/// A store of 2,000 turns, cleanly closed.
fn filled(path: &Path) {
    let bench = Bench::open(path).unwrap();
    bench.keep(keep_conversation(Conversation { leaf: Some(Id(2099)), ..conversation(1, "damaged") }));
    let turns = (100..2100).map(|n| keep_turn(turn(n, 1, &format!("{n} {}", "text of some length ".repeat(20)))));
    bench.keep(Record::Batch(turns.collect()));
    bench.keep(Record::Draft { conversation: Id(1), text: "draft".into() });
    assert!(bench.store.close());
}

#[test]
fn a_damaged_store_is_put_aside_and_salvaged() {
    let (_home, path) = home();
    let directory = path.parent().unwrap().to_owned();
    fs::create_dir_all(directory.join("backups")).unwrap();
    fs::write(directory.join("backups").join("benchtop-2020-01-01.db"), "old").unwrap();
    filled(&path);
    // What a bad disk does: some pages in the middle are noise. The log says that the exit was not clean.
    let mut bytes = fs::read(&path).unwrap();
    let pages = bytes.len() / 4096;
    for page in [pages / 3, pages / 2, pages / 2 + 1] {
        bytes[page * 4096..(page + 1) * 4096].fill(0xa5);
    }
    fs::write(&path, &bytes).unwrap();
    fs::write(directory.join("benchtop.db-wal"), "x").unwrap();

    let bench = Bench::open(&path).unwrap();
    let warning = bench.store.warnings().join("\n");
    assert!(warning.contains("damaged") && warning.contains(".corrupt-"), "{warning}");
    assert!(warning.contains("backups"), "{warning}");
    let heads = bench.heads();
    assert!((1900..2000).contains(&heads[0].1), "{} of 2,000 turns left", heads[0].1);
    assert_eq!(heads[0].2, "damaged");
    assert_eq!(bench.conversation(1).unwrap().draft, "draft");
    let ids: Vec<i64> = match bench.load(Query::Outline(Id(1))) {
        Rows::Outline(_, shape) => {
            assert!(shape.iter().all(|(_, parent)| parent.is_none_or(|p| shape.iter().any(|(id, _)| *id == p))));
            shape.into_iter().map(|(id, _)| id.0).collect()
        }
        other => panic!("{other:?}"),
    };
    for turn in bench.turns(&ids) {
        assert!(turn.content.starts_with(&format!("{} text", turn.id.0)));
    }
    assert_eq!(bench.found("length").len(), 1);
    // The damaged file is as it was, and the new one is in order.
    let aside = names(&directory).into_iter().find(|n| n.contains(".corrupt-") && !n.ends_with("-wal")).unwrap();
    assert_eq!(fs::read(directory.join(aside)).unwrap(), bytes);
    bench.keep(keep_turn(turn(5000, 1, "goes on")));
    assert!(bench.store.close());
    assert!(Bench::open(&path).unwrap().store.warnings().is_empty());
}

#[test]
fn a_file_that_is_no_store_at_all_does_not_block_the_start() {
    let (_home, path) = home();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "not a database, but more than a hundred bytes of something else. ".repeat(100)).unwrap();
    let bench = Bench::open(&path).unwrap();
    assert!(bench.store.warnings()[0].contains("0 turns"), "{:?}", bench.store.warnings());
    bench.keep(keep_conversation(conversation(1, "new")));
}

#[test]
fn damage_while_another_copy_runs_is_an_error() {
    let (_home, path) = home();
    filled(&path);
    // Another copy, as its lock shows it.
    let other = fs::File::open(path.with_file_name("benchtop.db.open")).unwrap();
    other.lock_shared().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[..100].fill(0);
    fs::write(&path, &bytes).unwrap();
    assert!(matches!(Bench::open(&path).err().unwrap(), StoreError::DamagedInUse));
    assert_eq!(fs::read(&path).unwrap(), bytes);
    drop(other);
    assert_eq!(Bench::open(&path).unwrap().store.warnings().len(), 1);
}

#[test]
fn a_daily_backup_holds_what_the_store_held() {
    let (_home, path) = home();
    let directory = path.with_file_name("backups");
    fs::create_dir_all(&directory).unwrap();
    for day in 1..=9 {
        fs::write(directory.join(format!("benchtop-2020-01-0{day}.db")), "old").unwrap();
    }
    fs::write(directory.join("benchtop-mine.db"), "not ours").unwrap();
    let bench = Bench::open(&path).unwrap();
    bench.keep(keep_conversation(conversation(1, "backed up")));
    let deadline = std::time::Instant::now() + Duration::from_secs(30);
    while names(&directory).len() != 8 {
        assert!(std::time::Instant::now() < deadline, "{:?}", names(&directory));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(bench.store.close());
    let left = names(&directory);
    assert_eq!(left[0], "benchtop-2020-01-04.db");
    assert!(left.contains(&"benchtop-mine.db".to_owned()));
    let newest = directory.join(left.iter().rev().find(|name| !name.contains("mine")).unwrap());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&newest).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let copy = rusqlite::Connection::open(newest).unwrap();
    let title: String = copy.query_row("SELECT title FROM conversations", [], |row| row.get(0)).unwrap();
    assert_eq!(title, "backed up");
}
