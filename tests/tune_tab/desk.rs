//! The workbench with Tune in front, and a server whose answers the test makes up.

use std::time::Duration;

use benchtop::api::call::{Call, Followed, Progress, Reply, Ticket};
use benchtop::api::job::{Dialect, Job};
use benchtop::component::Session;
use benchtop::record::answers::{HeldOut, HeldRow};
use benchtop::record::work::{Done, Work};

pub use crate::kit::{Disk, Writes};
use crate::kit::{Driver, Setup, Tab};
use crate::replies::{NOON, SAID, events, jobs};

pub type Desk = Driver<Tune>;

#[derive(Default)]
pub struct Tune {
    /// What work finds: the rows of a file of examples, and names of paths.
    pub held: Vec<HeldRow>,
    pub paths: Vec<&'static str>,
}

impl Tab for Tune {
    type Request = Call;

    fn setup() -> Setup {
        let models = ["gpt-mini", "ada", "curie"].map(Into::into).to_vec();
        let session = Session { model: "gpt-mini".into(), models, ..Session::default() };
        Setup { digit: Some('6'), unix_ms: NOON * 1000, session, ..Setup::default() }
    }

    fn work(&mut self, work: Work) -> Done {
        match work {
            Work::Save { path, .. } => Done::Saved(path.into()),
            Work::Paths(_) => Done::Paths(self.paths.iter().map(|path| (*path).into()).collect()),
            Work::Examples(_) if !self.held.is_empty() => {
                let chat = self.held[0].prompt.raw().starts_with('[');
                Done::Examples(Box::new(HeldOut { rows: self.held.clone(), chat, key: None }))
            }
            Work::Count { texts, .. } => Done::Counted(true, vec![1; texts.len()]),
            _ => Done::Failed("there is no such work here".into()),
        }
    }
}

impl Desk {
    /// Answers the list of jobs.
    pub fn list(&mut self, dialect: Dialect, jobs: Vec<Job>) {
        self.answer_last(&Call::Jobs, Reply::Jobs(dialect, jobs));
    }

    /// Returns the ticket of the stream of a job.
    #[track_caller]
    pub fn stream(&self, id: &str) -> Ticket {
        self.last(|call| matches!(call, Call::Follow(of) if of == id)).0
    }

    /// Sends news on a job's stream.
    pub fn tell(&mut self, id: &str, news: Followed) {
        self.progress(self.stream(id), Progress::Reply(Reply::Followed(news)));
    }

    /// Sends events on a job's stream: seconds from noon, words.
    pub fn events(&mut self, id: &str, first: u64, said: &[(i64, &str)]) {
        self.tell(id, Followed::Events { first, events: events(said) });
    }
}

/// Creates a desk with the six jobs, of which the running ones are followed.
pub fn running() -> Desk {
    let mut desk = Desk::new();
    desk.list(Dialect::FineTunes, jobs());
    for (id, said) in SAID {
        desk.tell(id, Followed::Live { replayed: 0, polling: false });
        desk.events(id, 0, said);
    }
    desk.wait(Duration::from_secs(1));
    desk
}
