//! The workbench with Moderate in front, and a server whose answers the test makes up.

use std::rc::Rc;

use benchtop::api::call::{Call, Progress, Reply, Ticket};
use benchtop::api::moderation::{Moderation, ModerationRequest, Texts};
use benchtop::app::Effect;
use benchtop::component::Session;
use benchtop::record::work::{Done, Work};

pub use crate::kit::{Disk, Writes};
use crate::kit::{Driver, Setup, Tab, without_files, worked};
use crate::replies;

pub const MODEL: &str = "text-moderation-latest";
pub const MODELS: [&str; 3] = ["gpt-mini", MODEL, "text-moderation-stable"];

pub type Desk = Driver<Moderate>;

#[derive(Default)]
pub struct Moderate {
    /// What `Work::Read` finds.
    pub file: String,
    /// Whether files are read and written for real.
    pub files: bool,
    /// Whether exports wait for [`Driver::release`].
    pub slow_exports: bool,
}

impl Tab for Moderate {
    fn digit(&self) -> Option<char> {
        Some('3')
    }

    fn work(&mut self, _: Ticket, work: Work) -> Done {
        match work {
            Work::Peek { .. } | Work::ReadTexts { .. } | Work::Export { .. } if self.files => worked(work),
            Work::Read { .. } => Done::Read(self.file.as_str().into()),
            work => without_files(work),
        }
    }

    fn waits(&self, effect: &Effect) -> bool {
        self.slow_exports && matches!(effect, Effect::Work(_, Work::Export { .. }))
    }

    fn released(&mut self) {
        self.slow_exports = false;
    }
}

impl Desk {
    pub fn new() -> Self {
        Self::on(&Disk::new())
    }

    /// A copy that starts on this disk.
    pub fn on(disk: &Rc<Disk>) -> Self {
        Self::at(disk, Setup::default().unix_ms)
    }

    /// A copy that starts at another time: its ids differ from those of a copy before.
    fn at(disk: &Rc<Disk>, unix_ms: i64) -> Self {
        let mut desk = Self::knowing(disk, unix_ms, &MODELS, "work");
        desk.models_come(&MODELS);
        desk
    }

    /// The same with the models that are known at the start, and another profile; the list is not fetched again.
    pub fn knowing(disk: &Rc<Disk>, unix_ms: i64, models: &[&str], profile: &'static str) -> Self {
        let model = models.first().copied().unwrap_or_default().into();
        let session = Session { model, models: models.iter().map(|id| (*id).into()).collect(), ..Session::default() };
        let profiles = vec![(profile, ""), ("home", "")];
        Self::start(disk, Moderate::default(), Setup { unix_ms, session, profiles, ..Setup::default() })
    }

    /// A copy that starts where this one ended.
    pub fn again(mut self) -> Self {
        let unix_ms = self.end();
        Self::at(&self.disk, unix_ms)
    }

    /// Checks asked for since this was asked last.
    pub fn sent(&mut self) -> Vec<(Ticket, ModerationRequest)> {
        let call = |(ticket, call)| if let Call::Moderate(request) = call { Some((ticket, *request)) } else { None };
        self.calls().into_iter().filter_map(call).collect()
    }

    /// Checks; what is asked for.
    pub fn run(&mut self) -> Vec<(Ticket, ModerationRequest)> {
        self.press("^r");
        self.sent()
    }

    /// The texts of a request.
    pub fn texts(request: &ModerationRequest) -> Vec<&str> {
        match &request.input {
            Texts::One(text) => vec![text],
            Texts::Many(texts) => texts.iter().map(String::as_str).collect(),
        }
    }

    pub fn answer(&mut self, ticket: Ticket, answer: Moderation) {
        self.progress(ticket, Progress::Opened { request_id: None });
        self.reply(ticket, Reply::Moderation(answer));
    }

    /// Answers every request as the made-up service does, those that follow too. How many there were.
    pub fn serve(&mut self) -> usize {
        let sent = self.sent();
        let count = sent.len();
        for (ticket, request) in sent {
            let texts: Vec<String> = Self::texts(&request).into_iter().map(str::to_owned).collect();
            self.answer(ticket, replies::judge(request.model.as_deref().unwrap_or_default(), &texts));
        }
        if count > 0 { count + self.serve() } else { 0 }
    }

    /// Checks, and the service answers. How many requests it took.
    pub fn check(&mut self) -> usize {
        self.news();
        self.press("^r");
        self.serve()
    }

    /// Puts texts on the bench.
    pub fn texts_are(&mut self, texts: &[&str]) {
        for text in texts {
            self.paste(text);
        }
        self.settle();
    }

    /// The texts of the bench as they are saved.
    pub fn saved(&self) -> Vec<String> {
        self.disk.texts("moderate.bench").into_iter().map(|row| row.text.raw().to_owned()).collect()
    }
}
