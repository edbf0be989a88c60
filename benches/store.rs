//! What the store costs: a commit, a burst of a hundred, opening a conversation of 10,000 turns, a sheet of 10,000
//! steps or the tokens of a long answer, a list of 10,000 texts with what was said of them, and their vectors. (For
//! 100,000 texts see `tests/store/large.rs`.)
//!
//! `cargo bench --bench store`. Commits wait for the disk that holds the temporary directory; `TMPDIR` chooses another.
#![allow(missing_docs, clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use benchtop::api::call::Ticket;
use benchtop::record::{
    Alternative, ChatParams, Check, Conversation, Id, Made, Query, Record, Sheet, Step, Stored, TextKey, TextList,
    TextRow, Token, Turn, TurnStatus, VectorKey,
};
use benchtop::store::Store;
use benchtop::text::Untrusted;
use divan::Bencher;
use tempfile::TempDir;

fn main() {
    divan::main();
}

/// Turns of the long conversation.
const LONG: i64 = 10_000;

struct Bench {
    store: Store,
    answers: Receiver<Stored>,
    next: std::cell::Cell<i64>,
    home: TempDir,
}

impl Bench {
    /// An empty store with one conversation.
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let (store, answers) = open(&home.path().join("benchtop.db"));
        let bench = Self { store, answers, next: std::cell::Cell::new(LONG), home };
        bench.wait(Record::Conversation(Box::new(conversation())));
        bench
    }

    /// A store with a conversation of 10,000 turns, opened again.
    fn long() -> Self {
        let bench = Self::new();
        bench.wait(Record::Batch((1..=LONG).map(turn).collect()));
        bench.again()
    }

    /// A store with a sheet of 10,000 steps and a long answer's tokens, opened again.
    fn sheet() -> Self {
        let bench = Self::new();
        let sheet = Record::Sheet(Sheet { id: Id(1), created_ms: 0, updated_ms: 0, current: None, caret: 0 });
        bench.wait(Record::Batch([sheet].into_iter().chain((1..=LONG).map(step)).collect()));
        for at in (0..LONG as u64).step_by(10) {
            bench.wait(Record::Tokens { of: Id(LONG), at, tokens: (at..at + 10).map(token).collect() });
        }
        bench.again()
    }

    /// A store with a list of 10,000 texts, three checks of each and a vector of 1,536 numbers, opened again.
    fn texts() -> Self {
        let bench = Self::new();
        bench.wait(Record::TextList(Box::new(TextList {
            id: Id(1),
            bench: benchtop::record::Bench::Moderate,
            name: "long".into(),
            source: "/long".into(),
            created_ms: 0,
            updated_ms: 0,
            state: String::new(),
            rows: 0,
        })));
        bench.wait(Record::TextRows { list: Id(1), rows: (0..LONG).map(text_row).collect() });
        for time in 0..3 {
            bench.wait(Record::Checks((0..LONG).map(|n| check(n, time)).collect()));
        }
        for first in (0..LONG).step_by(2_000) {
            let vector = |n: i64| (TextKey::of(&words(n)), Arc::from([n as f32; 1_536]));
            bench.wait(Record::Vectors { key: vector_key(), vectors: (first..first + 2_000).map(vector).collect() });
        }
        bench.again()
    }

    fn again(mut self) -> Self {
        let (store, answers) = open(&self.home.path().join("benchtop.db"));
        std::mem::replace(&mut self.store, store).close();
        self.answers = answers;
        self
    }

    fn wait(&self, record: Record) {
        self.store.try_save(Ticket(0), record);
        assert_eq!(self.answers.recv().unwrap(), Stored::Committed);
    }

    fn ask(&self, query: Query) -> Stored {
        self.store.load(Ticket(0), query);
        self.answers.recv().unwrap()
    }

    fn fresh(&self) -> i64 {
        self.next.set(self.next.get() + 1);
        self.next.get()
    }
}

fn open(path: &Path) -> (Store, Receiver<Stored>) {
    let (send, answers) = channel();
    let store = Store::open(path, move |_, stored| send.send(stored).unwrap_or_default()).unwrap();
    (store, answers)
}

fn conversation() -> Conversation {
    Conversation {
        id: Id(1),
        title: "long".into(),
        titled: true,
        created_ms: 0,
        updated_ms: 0,
        trashed_ms: None,
        profile: "".into(),
        model: "".into(),
        system: String::new(),
        params: ChatParams::default(),
        leaf: None,
        draft: String::new(),
    }
}

/// A turn of about 1 KB.
fn turn(id: i64) -> Record {
    Record::Turn(Box::new(Turn {
        id: Id(id),
        conversation: Id(1),
        parent: (id > 1).then_some(Id(id - 1)),
        role: "user".into(),
        content: format!("turn {id}: {}", "what the store costs is measured with some common words. ".repeat(18))
            .into(),
        reasoning: "".into(),
        blocks: Vec::new(),
        model: "".into(),
        choice: 0,
        status: TurnStatus::Done,
        error: "".into(),
        details: None,
        finish_reason: "".into(),
        created_ms: id,
        prompt_tokens: 0,
        completion_tokens: 0,
        estimated: false,
        cost_nano: None,
        first_token_ms: 0,
        total_ms: 0,
    }))
}

/// A step of about 60 bytes.
fn step(id: i64) -> Record {
    Record::Step(Box::new(Step {
        id: Id(id),
        sheet: Id(1),
        parent: (id > 1).then_some(Id(id - 1)),
        made: Made::Generated { run: Id(1), choice: 0 },
        at: 0,
        removed: "".into(),
        inserted: format!("step {id}: what the store costs is measured with some words").into(),
        status: TurnStatus::Done,
        finish_reason: "stop".into(),
        created_ms: id,
    }))
}

/// A token with five alternatives.
fn token(n: u64) -> Token {
    let logprob = -(n as f64) / 7.0;
    let top = vec![Alternative { bytes: b" word".to_vec(), logprob }; 5];
    Token { bytes: b" word".to_vec(), logprob: Some(logprob), top }
}

fn words(n: i64) -> Untrusted {
    format!("text {n}: what the store costs is measured with some words").into()
}

fn text_row(n: i64) -> TextRow {
    TextRow { id: Id(n + 2), place: n as u32, name: "".into(), text: words(n), label: Some("ok".into()) }
}

/// What was said of a text, once.
fn check(n: i64, time: i64) -> Check {
    Check {
        id: Id(time * LONG + n),
        text: TextKey::of(&words(n)),
        profile: "local".into(),
        asked: "m".into(),
        model: "text-moderation-004".into(),
        at_ms: time,
        latency_ms: 7,
        flagged: false,
        categories: (0..13).map(|n| format!("category/{n}").into()).collect(),
        scores: [Some(0.25); 13].into(),
        flags: [Some(false); 13].into(),
    }
}

fn vector_key() -> VectorKey {
    VectorKey { profile: "local".into(), model: "m".into(), dimensions: None }
}

fn all_texts() -> Arc<[TextKey]> {
    (0..LONG).map(|n| TextKey::of(&words(n))).collect()
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn list_of_10_000_texts(bencher: Bencher) {
    let bench = Bench::texts();
    bencher.bench_local(|| bench.ask(Query::Texts(Id(1))));
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn newest_of_30_000_checks_of_10_000_texts(bencher: Bencher) {
    let bench = Bench::texts();
    bencher.bench_local(|| bench.ask(Query::ListChecks(Id(1))));
}

#[divan::bench(sample_count = 100, sample_size = 1)]
fn commit_the_checks_of_a_request_of_16_texts(bencher: Bencher) {
    let bench = Bench::texts();
    let time = std::cell::Cell::new(3);
    let checks = || {
        time.set(time.get() + 1);
        Record::Checks((0..16).map(|n| check(n * 600, time.get())).collect())
    };
    bencher.with_inputs(checks).bench_local_values(|record| bench.wait(record));
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn which_of_10_000_texts_have_vectors(bencher: Bencher) {
    let (bench, texts) = (Bench::texts(), all_texts());
    bencher.bench_local(|| bench.ask(Query::HasVectors { key: vector_key(), texts: Arc::clone(&texts) }));
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn vectors_of_10_000_texts_1_536_numbers_each(bencher: Bencher) {
    let (bench, texts) = (Bench::texts(), all_texts());
    bencher.bench_local(|| bench.ask(Query::Vectors { key: vector_key(), texts: Arc::clone(&texts) }));
}

#[divan::bench(sample_count = 100, sample_size = 1)]
fn commit_one_turn(bencher: Bencher) {
    let bench = Bench::new();
    bencher.with_inputs(|| turn(bench.fresh())).bench_local_values(|record| bench.wait(record));
}

#[divan::bench(sample_count = 100, sample_size = 1)]
fn commit_a_piece_of_4_kib_of_a_long_answer(bencher: Bencher) {
    let bench = Bench::new();
    let Record::Turn(mut streaming) = turn(5) else { return };
    streaming.status = TurnStatus::Streaming;
    streaming.content.clear();
    bench.wait(Record::Turn(streaming));
    let at = std::cell::Cell::new(0);
    bencher.bench_local(|| {
        let content = "x".repeat(4096).into();
        let record =
            Record::Extend { turn: Id(5), content_at: at.get(), content, reasoning_at: 0, reasoning: "".into() };
        at.set(at.get() + 4096);
        bench.wait(record);
    });
}

#[divan::bench(sample_count = 50, sample_size = 1)]
fn commit_a_burst_of_100_turns(bencher: Bencher) {
    let bench = Bench::new();
    bencher.with_inputs(|| (0..100).map(|_| turn(bench.fresh())).collect::<Vec<_>>()).bench_local_values(|records| {
        for record in records {
            bench.store.try_save(Ticket(0), record);
        }
        for _ in 0..100 {
            assert_eq!(bench.answers.recv().unwrap(), Stored::Committed);
        }
    });
}

#[divan::bench(sample_count = 50)]
fn outline_of_10_000_turns(bencher: Bencher) {
    let bench = Bench::long();
    bencher.bench_local(|| bench.ask(Query::Outline(Id(1))));
}

#[divan::bench(sample_count = 50)]
fn last_200_of_10_000_turns(bencher: Bencher) {
    let bench = Bench::long();
    bencher.bench_local(|| bench.ask(Query::Turns((LONG - 199..=LONG).map(Id).collect())));
}

#[divan::bench(sample_count = 50)]
fn search_a_rare_word_in_10_000_turns(bencher: Bencher) {
    let bench = Bench::long();
    bencher.bench_local(|| bench.ask(Query::Search("9876".to_owned())));
}

#[divan::bench(sample_count = 20)]
fn search_a_word_of_all_10_000_turns(bencher: Bencher) {
    let bench = Bench::long();
    bencher.bench_local(|| bench.ask(Query::Search("common".to_owned())));
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn open_a_store_of_10_000_turns(bencher: Bencher) {
    let bench = Bench::long();
    bencher.bench_local(|| open(&bench.home.path().join("benchtop.db")));
}

#[divan::bench(sample_count = 50)]
fn sheet_of_10_000_steps(bencher: Bencher) {
    let bench = Bench::sheet();
    bencher.bench_local(|| bench.ask(Query::Sheet(Id(1))));
}

#[divan::bench(sample_count = 50)]
fn tokens_10_000_with_5_alternatives_each(bencher: Bencher) {
    let bench = Bench::sheet();
    bencher.bench_local(|| bench.ask(Query::Tokens(vec![Id(LONG)])));
}

#[divan::bench(sample_count = 100, sample_size = 1)]
fn commit_a_piece_of_a_growing_step_with_10_tokens(bencher: Bencher) {
    let bench = Bench::sheet();
    let at = std::cell::Cell::new(0);
    let Record::Step(mut streaming) = step(LONG + 1) else { return };
    streaming.status = TurnStatus::Streaming;
    streaming.inserted.clear();
    bench.wait(Record::Step(streaming));
    bencher.bench_local(|| {
        let tokens = (at.get()..at.get() + 10).map(token).collect();
        let of = Id(LONG + 1);
        bench.wait(Record::Batch(vec![
            Record::Grow { step: of, at: at.get() * 5, text: " word".repeat(10).into() },
            Record::Tokens { of, at: at.get(), tokens },
        ]));
        at.set(at.get() + 10);
    });
}
