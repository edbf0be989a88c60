//! The workbench with Tune in front, and a server whose answers the test makes up.

use std::rc::Rc;

use benchtop::api::call::{Call, Followed, Progress, Reply, Ticket};
use benchtop::api::job::{Dialect, Job, JobEvent};
use benchtop::app::Effect;
use benchtop::component::Session;
use benchtop::record::answers::{HeldOut, HeldRow};
use benchtop::record::work::{Done, Work};
use benchtop::record::{Query, Stored};

pub use crate::kit::{Disk, Writes};
use crate::kit::{Driver, Setup, Tab};

/// Noon of a Wednesday, UTC.
pub const NOON: i64 = 1_700_049_600;

pub type Desk = Driver<Tune>;

#[derive(Default)]
pub struct Tune {
    /// Whether another tab stays in front.
    elsewhere: bool,
    /// Whether the disk gives no setting.
    pub blind: bool,
    /// Rows that are read out of a file of examples.
    pub held: Vec<HeldRow>,
    /// Names that `Work::Paths` finds.
    pub paths: Vec<&'static str>,
}

impl Tab for Tune {
    fn digit(&self) -> Option<char> {
        (!self.elsewhere).then_some('6')
    }

    fn work(&mut self, _: Ticket, work: Work) -> Done {
        match work {
            Work::Paths(_) => Done::Paths(self.paths.iter().map(|path| (*path).into()).collect()),
            Work::Examples(_) if !self.held.is_empty() => {
                let chat = self.held[0].prompt.raw().starts_with('[');
                Done::Examples(Box::new(HeldOut { rows: self.held.clone(), chat, key: None }))
            }
            _ => Done::Failed("there is no such work here".into()),
        }
    }

    fn stored(&self, effect: &Effect) -> Option<Stored> {
        let fails = self.blind && matches!(effect, Effect::Load(_, Query::Setting(_)));
        fails.then(|| Stored::Failed("the disk is broken".into()))
    }
}

impl Desk {
    pub fn new() -> Self {
        Self::on(&Disk::new())
    }

    /// A copy that starts on this disk.
    pub fn on(disk: &Rc<Disk>) -> Self {
        Self::with(disk, NOON * 1000, Session::default())
    }

    /// A copy that stays in the first tab.
    pub fn elsewhere(disk: &Rc<Disk>) -> Self {
        Self::begin(disk, Tune { elsewhere: true, ..Tune::default() }, NOON * 1000, Session::default())
    }

    /// A copy whose store gives no setting.
    pub fn blind(disk: &Rc<Disk>) -> Self {
        Self::begin(disk, Tune { blind: true, ..Tune::default() }, NOON * 1000, Session::default())
    }

    /// A copy that starts at another time and with another session.
    pub fn with(disk: &Rc<Disk>, unix_ms: i64, session: Session) -> Self {
        Self::begin(disk, Tune::default(), unix_ms, session)
    }

    fn begin(disk: &Rc<Disk>, tab: Tune, unix_ms: i64, session: Session) -> Self {
        let models = ["gpt-mini", "ada", "curie"].map(Into::into).to_vec();
        let session = Session { model: "gpt-mini".into(), models, ..session };
        Self::start(disk, tab, Setup { unix_ms, session, ..Setup::default() })
    }

    /// A copy that starts where this one ended.
    pub fn again(mut self) -> Self {
        let unix_ms = self.end();
        Self::with(&self.disk, unix_ms, Session::default())
    }

    /// The last call that is like this.
    #[track_caller]
    pub fn asked(&self, like: impl Fn(&Call) -> bool) -> Ticket {
        self.last(like).0
    }

    /// The list that was asked for comes.
    pub fn list(&mut self, dialect: Dialect, jobs: Vec<Job>) {
        let ticket = self.asked(|call| *call == Call::Jobs);
        self.reply(ticket, Reply::Jobs(dialect, jobs));
    }

    /// The stream of a job.
    #[track_caller]
    pub fn stream(&self, id: &str) -> Ticket {
        self.asked(|call| matches!(call, Call::Follow(of) if of == id))
    }

    /// A job's stream brings something.
    #[track_caller]
    pub fn tell(&mut self, id: &str, news: Followed) {
        let ticket = self.stream(id);
        self.progress(ticket, Progress::Reply(Reply::Followed(news)));
    }

    /// A job's stream brings events: seconds from noon, words.
    #[track_caller]
    pub fn events(&mut self, id: &str, first: u64, events: &[(i64, &str)]) {
        let event = |(at, words): &(i64, &str)| JobEvent {
            created_at: NOON + at,
            level: if words.starts_with("Fine-tune failed") { "error" } else { "info" }.into(),
            message: (*words).into(),
            ..JobEvent::default()
        };
        self.tell(id, Followed::Events { first, events: events.iter().map(event).collect() });
    }
}
