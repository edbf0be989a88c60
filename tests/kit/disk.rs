//! A real store in memory.

use std::rc::Rc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use benchtop::api::call::Ticket;
use benchtop::record::{Check, Id, Query, Record, Rows, Stored, TextKey, TextRow};
use benchtop::store::Store;

const LIMIT: Duration = Duration::from_mins(1);

/// A store that several drivers may share, as several copies of the program do.
pub struct Disk {
    store: Store,
    answers: Receiver<(Ticket, Stored)>,
}

impl Disk {
    pub fn new() -> Rc<Self> {
        let (send, answers) = channel();
        let store = Store::memory(move |ticket, stored| send.send((ticket, stored)).unwrap_or_default());
        Rc::new(Self { store, answers })
    }

    pub fn record(&self, record: Record) -> Stored {
        self.store.record(Ticket(1), record);
        self.answer()
    }

    pub fn load(&self, query: Query) -> Rows {
        self.store.load(Ticket(1), query);
        match self.answer() {
            Stored::Rows(rows) => rows,
            other => panic!("{other:?}"),
        }
    }

    pub fn setting(&self, name: &str) -> Option<String> {
        let Rows::Setting(_, value) = self.load(Query::Setting(name.into())) else { panic!() };
        value.map(|value| value.raw().to_owned())
    }

    /// The rows of the list of texts that a setting names.
    pub fn texts(&self, setting: &str) -> Vec<TextRow> {
        let Some(id) = self.setting(setting) else { return Vec::new() };
        let Rows::Texts(Some((_, rows))) = self.load(Query::Texts(Id(id.parse().unwrap()))) else { panic!() };
        rows
    }

    /// All checks of a text, newest first.
    pub fn checks(&self, text: &str) -> Vec<Check> {
        let Rows::Checks(checks) = self.load(Query::Checks(vec![TextKey::of(&text.into())])) else { panic!() };
        checks
    }

    fn answer(&self) -> Stored {
        self.answers.recv_timeout(LIMIT).expect("the store answers").1
    }
}

/// What the disk does with records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// It keeps them; a test fails with a record that the store refuses.
    Done,
    /// It keeps them or refuses them, as the store does.
    AsTheStoreDoes,
    /// They wait for [`super::Driver::release`].
    Waiting,
    /// They wait, and the store says that the disk is full.
    Full,
    /// It refuses them for good.
    Refused,
}
