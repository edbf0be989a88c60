//! The real store.

use std::cell::{Ref, RefCell};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use benchtop::api::call::Ticket;
use benchtop::record::{
    Bench, Check, Conversation, Id, Marked, Preset, Query, Record, Rows, Run, Sheet, Step, Stored, TextKey, TextList,
    TextRow, Token, Turn,
};
use benchtop::store::Store;
use tempfile::TempDir;

const LIMIT: Duration = Duration::from_mins(1);

/// A store that several drivers may share, as several running copies of the program do.
pub struct Disk {
    store: RefCell<Option<Store>>,
    answers: Receiver<(Ticket, Stored)>,
    answered: Sender<(Ticket, Stored)>,
    folder: Option<TempDir>,
}

impl Disk {
    /// Opens a store in memory.
    pub fn new() -> Rc<Self> {
        Self::over(None)
    }

    /// Opens a store in a folder of its own.
    pub fn in_folder() -> Rc<Self> {
        Self::over(Some(tempfile::tempdir().unwrap()))
    }

    fn over(folder: Option<TempDir>) -> Rc<Self> {
        let (answered, answers) = channel();
        let disk = Self { store: RefCell::default(), answers, answered, folder };
        disk.open();
        Rc::new(disk)
    }

    fn open(&self) {
        let send = self.answered.clone();
        let answer = move |ticket, stored| send.send((ticket, stored)).unwrap_or_default();
        let store = match &self.folder {
            Some(folder) => Store::open(&folder.path().join("benchtop.db"), answer).unwrap(),
            None => Store::memory(answer),
        };
        assert!(store.warnings().is_empty(), "{:?}", store.warnings());
        self.store.replace(Some(store));
    }

    /// Closes a store in a folder and opens it again; one in memory stays as it is.
    pub fn reopen(&self) {
        let Some(folder) = self.folder.as_ref().map(TempDir::path) else { return };
        assert!(self.store.take().unwrap().close());
        // Its threads end on their own; until then it counts as another copy, with drafts of its own.
        let runs = |file: std::fs::DirEntry| {
            let is_mark = file.file_name().to_string_lossy().contains(".copy-");
            is_mark && std::fs::File::open(file.path()).is_ok_and(|file| file.try_lock_shared().is_err())
        };
        let end = Instant::now() + LIMIT;
        while std::fs::read_dir(folder).unwrap().any(|file| runs(file.unwrap())) {
            assert!(Instant::now() < end, "the store does not end");
            std::thread::yield_now();
        }
        self.open();
    }

    fn store(&self) -> Ref<'_, Store> {
        Ref::map(self.store.borrow(), |store| store.as_ref().unwrap())
    }

    pub fn record(&self, record: Record) -> Stored {
        self.store().try_save(Ticket(1), record);
        self.answer()
    }

    pub fn load(&self, query: Query) -> Rows {
        self.store().load(Ticket(1), query);
        match self.answer() {
            Stored::Rows(rows) => rows,
            other => panic!("{other:?}"),
        }
    }

    pub fn setting(&self, name: &str) -> Option<String> {
        let Rows::Setting(_, value) = self.load(Query::Setting(name.into())) else { panic!() };
        value.map(|value| value.raw().to_owned())
    }

    /// Returns the list of texts that a setting names.
    pub fn texts(&self, setting: &str) -> Vec<String> {
        let Some(id) = self.setting(setting) else { return Vec::new() };
        let Rows::Texts(Some((_, rows))) = self.load(Query::Texts(Id(id.parse().unwrap()))) else { panic!() };
        rows.into_iter().map(|row| row.text.raw().to_owned()).collect()
    }

    /// Stores the texts of a file, with labels, as a list with the id 7.
    pub fn put_texts<'a>(&self, bench: Bench, path: &str, texts: impl IntoIterator<Item = (String, Option<&'a str>)>) {
        let name = path.rsplit('/').next().unwrap().into();
        let rows: Vec<TextRow> = texts
            .into_iter()
            .zip(0..)
            .map(|((text, label), place)| TextRow {
                id: Id(100 + i64::from(place)),
                place,
                name: "".into(),
                text: text.into(),
                label: label.map(Into::into),
            })
            .collect();
        let list = TextList {
            id: Id(7),
            bench,
            name,
            source: path.into(),
            created_ms: 1,
            updated_ms: 1,
            state: String::new(),
            rows: rows.len() as u64,
        };
        let records = vec![Record::TextList(Box::new(list)), Record::TextRows { list: Id(7), rows }];
        assert_eq!(self.record(Record::Batch(records)), Stored::Committed);
    }

    /// Returns the sheet that the next start opens, with its steps.
    pub fn sheet(&self) -> (Sheet, Vec<Step>) {
        self.sheet_of(Id(self.setting("completion.sheet").expect("a sheet").parse().unwrap()))
    }

    pub fn sheet_of(&self, id: Id) -> (Sheet, Vec<Step>) {
        let Rows::Sheet(Some(sheet)) = self.load(Query::Sheet(id)) else { panic!("none") };
        sheet
    }

    pub fn runs(&self) -> Vec<Run> {
        let Rows::Runs(runs) = self.load(Query::Runs(1000)) else { panic!() };
        runs
    }

    pub fn presets(&self) -> Vec<Preset> {
        let Rows::Presets(presets) = self.load(Query::Presets) else { panic!() };
        presets
    }

    pub fn tokens(&self, of: Id) -> Vec<Token> {
        let Rows::Tokens(found) = self.load(Query::Tokens(vec![of])) else { panic!() };
        found.into_iter().next().map(|(_, tokens)| tokens).unwrap_or_default()
    }

    /// Returns all conversations, newest first.
    pub fn conversations(&self) -> Vec<Conversation> {
        let Rows::Heads(heads) = self.load(Query::Heads) else { panic!() };
        heads.into_iter().map(|head| head.conversation).collect()
    }

    /// Returns the turns of all conversations, oldest first.
    pub fn turns(&self) -> Vec<Turn> {
        let of = |conversation: Conversation| {
            let Rows::Outline(_, outline) = self.load(Query::Outline(conversation.id)) else { panic!() };
            outline.into_iter().map(|(id, _)| id)
        };
        let Rows::Turns(mut turns) = self.load(Query::Turns(self.conversations().into_iter().flat_map(of).collect()))
        else {
            panic!()
        };
        turns.sort_by_key(|turn| turn.id);
        turns
    }

    pub fn marks(&self) -> Vec<Marked> {
        let Rows::Marked(marks) = self.load(Query::Marks) else { panic!() };
        marks
    }

    /// Returns all checks of a text, newest first.
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
