//! A store on a bench: orders in, answers waited for.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use benchtop::api::call::Ticket;
use benchtop::record::{ChatParams, Conversation, Id, Query, Record, Rows, Stored, Turn, TurnStatus};
use benchtop::store::{Store, StoreError};
use tempfile::TempDir;

/// Deletes a folder with all it holds, also while the store's threads add files to it.
pub fn delete_folder(folder: &Path) {
    while let Err(why) = fs::remove_dir_all(folder) {
        assert_eq!(why.kind(), std::io::ErrorKind::DirectoryNotEmpty, "{why}");
    }
}

/// A store and its answers.
pub struct Bench {
    pub store: Store,
    pub answers: Receiver<(Ticket, Stored)>,
    next: std::cell::Cell<u64>,
}

impl Bench {
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let (send, answers) = channel();
        let store = Store::open(path, move |ticket, stored| send.send((ticket, stored)).unwrap_or_default())?;
        Ok(Self { store, answers, next: std::cell::Cell::new(0) })
    }

    pub fn memory() -> Self {
        let (send, answers) = channel();
        let store = Store::memory(move |ticket, stored| send.send((ticket, stored)).unwrap_or_default());
        Self { store, answers, next: std::cell::Cell::new(0) }
    }

    pub fn ticket(&self) -> Ticket {
        self.next.set(self.next.get() + 1);
        Ticket(self.next.get())
    }

    pub fn answer(&self) -> (Ticket, Stored) {
        self.answers.recv_timeout(Duration::from_secs(30)).expect("an answer")
    }

    pub fn record(&self, record: Record) -> Stored {
        let ticket = self.ticket();
        self.store.try_save(ticket, record);
        let (answered, stored) = self.answer();
        assert_eq!(answered, ticket);
        stored
    }

    pub fn keep(&self, record: Record) {
        assert_eq!(self.record(record), Stored::Committed);
    }

    pub fn load(&self, query: Query) -> Rows {
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

    pub fn turns(&self, ids: &[i64]) -> Vec<Turn> {
        match self.load(Query::Turns(ids.iter().copied().map(Id).collect())) {
            Rows::Turns(turns) => turns,
            other => panic!("{other:?}"),
        }
    }

    pub fn found(&self, words: &str) -> Vec<(i64, i64, String)> {
        match self.load(Query::Search(words.to_owned())) {
            Rows::Found(found) => found.into_iter().map(|(c, t, text)| (c.0, t.0, text.raw().to_owned())).collect(),
            other => panic!("{other:?}"),
        }
    }

    pub fn heads(&self) -> Vec<(i64, u64, String)> {
        match self.load(Query::Heads) {
            Rows::Heads(heads) => heads
                .into_iter()
                .map(|h| (h.conversation.id.0, h.turns, h.conversation.title.raw().to_owned()))
                .collect(),
            other => panic!("{other:?}"),
        }
    }

    pub fn conversation(&self, id: i64) -> Option<Conversation> {
        match self.load(Query::Conversation(Id(id))) {
            Rows::Conversation(found) => found.map(|c| *c),
            other => panic!("{other:?}"),
        }
    }
}

pub fn conversation(id: i64, title: &str) -> Conversation {
    Conversation {
        id: Id(id),
        title: title.into(),
        titled: false,
        created_ms: 1,
        updated_ms: id,
        trashed_ms: None,
        profile: "local".into(),
        model: "".into(),
        system: "be brief".to_owned(),
        params: ChatParams { temperature: Some(0.5), seed: Some(-1), ..ChatParams::default() },
        leaf: None,
        draft: String::new(),
    }
}

pub fn turn(id: i64, conversation: i64, content: &str) -> Turn {
    Turn {
        id: Id(id),
        conversation: Id(conversation),
        parent: (id > 1).then_some(Id(id - 1)),
        role: "assistant".into(),
        content: content.into(),
        reasoning: "".into(),
        blocks: Vec::new(),
        model: "m".into(),
        choice: 0,
        status: TurnStatus::Done,
        error: "".into(),
        details: None,
        finish_reason: "stop".into(),
        created_ms: id,
        prompt_tokens: 3,
        completion_tokens: u64::MAX,
        estimated: true,
        cost_nano: Some(-5),
        first_token_ms: 7,
        total_ms: 9,
    }
}

pub fn keep_conversation(c: Conversation) -> Record {
    Record::Conversation(Box::new(c))
}

pub fn keep_turn(t: Turn) -> Record {
    Record::Turn(Box::new(t))
}

pub fn extend(turn: i64, content_at: u64, content: &str, reasoning_at: u64, reasoning: &str) -> Record {
    Record::Extend { turn: Id(turn), content_at, content: content.into(), reasoning_at, reasoning: reasoning.into() }
}

pub fn home() -> (TempDir, PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("data").join("benchtop.db");
    (home, path)
}

pub fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(directory).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
