//! The workbench with Moderate in front, and a server whose answers the test makes up.

use std::rc::Rc;

use benchtop::api::moderation::ModerationRequest;
use benchtop::component::Session;
use benchtop::record::work::{Done, Work};

pub use crate::kit::{Disk, Writes};
use crate::kit::{Driver, Setup, Tab, without_files, worked};
use crate::replies::{judge, texts};

pub const MODEL: &str = "text-moderation-latest";
pub const MODELS: [&str; 3] = ["gpt-mini", MODEL, "text-moderation-stable"];

pub type Desk = Driver<Moderate>;

#[derive(Default)]
pub struct Moderate {
    /// What `Work::Read` finds.
    pub file: String,
    /// Whether files are read and written for real.
    pub files: bool,
}

impl Tab for Moderate {
    type Request = ModerationRequest;

    fn setup() -> Setup {
        let session = Session { model: MODELS[0].into(), models: MODELS.map(Into::into).into(), ..Session::default() };
        Setup { digit: Some('3'), session, ..Setup::default() }
    }

    fn work(&mut self, work: Work) -> Done {
        match work {
            Work::Peek { .. } | Work::ReadTexts { .. } | Work::Export { .. } if self.files => worked(work),
            Work::Read { .. } => Done::Read(self.file.as_str().into()),
            work => without_files(work),
        }
    }

    fn started(desk: &mut Desk) {
        desk.models_come(&MODELS);
    }
}

impl Desk {
    /// Starts a copy with these models and this profile; the list is not fetched again.
    pub fn knowing(disk: &Rc<Disk>, unix_ms: i64, models: &[&str], profile: &'static str) -> Self {
        let model = models.first().copied().unwrap_or_default().into();
        let models = models.iter().map(|id| (*id).into()).collect();
        let session = Session { model, models, local: profile == "local", ..Session::default() };
        Self::start(disk, Setup { unix_ms, session, profiles: vec![(profile, ""), ("home", "")], ..Moderate::setup() })
    }

    /// Answers every request as the made-up service does, those that follow too. How many there were.
    pub fn serve(&mut self) -> usize {
        let sent = self.sent();
        let count = sent.len();
        for (ticket, request) in sent {
            self.answer(ticket, judge(request.model.as_deref().unwrap_or_default(), &texts(&request)));
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
}
