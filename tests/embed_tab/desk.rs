//! The workbench with Embed in front: the real work threads, and a server whose answers the test makes up.

use std::rc::Rc;

use benchtop::api::call::{Call, Progress, Reply, Ticket};
use benchtop::api::completion::Prompt;
use benchtop::api::embedding::{EmbeddingList, EmbeddingRequest};
use benchtop::app::Effect;
use benchtop::component::Session;
use benchtop::record::work::{Done, Work};
use benchtop::record::{Id, Query, Rows};

pub use crate::kit::{Disk, Writes, records};
use crate::kit::{Driver, Setup, Tab, worked};

pub const MODEL: &str = "text-embedding-ada-002";

pub type Desk = Driver<Embed>;

pub struct Embed {
    /// Work waits for [`Driver::release`].
    pub slow_work: bool,
    /// What is read from the disk waits for [`Driver::release`].
    pub slow_loads: bool,
}

impl Tab for Embed {
    fn digit(&self) -> Option<char> {
        Some('4')
    }

    fn work(&mut self, _: Ticket, work: Work) -> Done {
        worked(work)
    }

    fn waits(&self, effect: &Effect) -> bool {
        match effect {
            Effect::Work(..) => self.slow_work,
            Effect::Load(..) => self.slow_loads,
            _ => false,
        }
    }
}

impl Desk {
    pub fn new() -> Self {
        Self::on(&Disk::new())
    }

    /// A copy that starts on this disk.
    pub fn on(disk: &Rc<Disk>) -> Self {
        Self::at(disk, 1_700_000_000_000)
    }

    /// A copy that starts at another time: its ids differ from those of a copy before.
    pub fn at(disk: &Rc<Disk>, unix_ms: i64) -> Self {
        let tab = Embed { slow_work: false, slow_loads: false };
        let session = Session { model: "gpt-3.5-turbo".into(), ..Session::default() };
        let profiles = vec![("work", "gpt-3.5-turbo"), ("home", "")];
        let mut desk = Self::start(disk, tab, Setup { unix_ms, session, profiles, ..Setup::default() });
        desk.news();
        desk
    }

    /// A copy that starts where this one ended.
    pub fn again(mut self) -> Self {
        let unix_ms = self.end();
        Self::at(&self.disk, unix_ms)
    }

    /// Runs that many texts, one a line: "text 0" and so on.
    pub fn run_lines(&mut self, count: usize) {
        let lines: Vec<String> = (0..count).map(|number| format!("text {number}")).collect();
        self.paste(&lines.join("\n"));
        self.press("l");
        self.settle();
        self.press("^r");
    }

    /// Embeddings asked for since this was asked last.
    pub fn sent(&mut self) -> Vec<(Ticket, EmbeddingRequest)> {
        let call = |(ticket, call)| if let Call::Embed(request) = call { Some((ticket, *request)) } else { None };
        self.calls().into_iter().filter_map(call).collect()
    }

    /// Runs; the only call this leads to.
    pub fn run(&mut self) -> (Ticket, EmbeddingRequest) {
        self.press("^r");
        let mut sent = self.sent();
        assert_eq!(sent.len(), 1, "one call\n{}", self.screen());
        sent.remove(0)
    }

    /// A whole answer.
    pub fn answer(&mut self, ticket: Ticket, answer: EmbeddingList) {
        self.progress(ticket, Progress::Opened { request_id: Some(format!("req-{}", ticket.0).into()) });
        self.reply(ticket, Reply::Embeddings(answer));
    }
}

impl Disk {
    /// The typed list's texts, as they are kept.
    pub fn bench(&self) -> Vec<String> {
        let id = Id(self.setting("embed.bench").expect("a list").parse().unwrap());
        let Rows::Texts(Some((_, rows))) = self.load(Query::Texts(id)) else { panic!("no list") };
        rows.into_iter().map(|row| row.text.raw().to_owned()).collect()
    }
}

/// The texts of a request.
pub fn texts(request: &EmbeddingRequest) -> &[String] {
    match &request.input {
        Prompt::Texts(texts) => texts,
        other => panic!("{other:?}"),
    }
}
