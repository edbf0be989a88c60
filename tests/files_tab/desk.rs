//! The workbench with Files in front: folders that are made up, and a server whose answers the test makes up.

use std::rc::Rc;

use benchtop::api::call::{Call, Failure, Reply, Ticket};
use benchtop::api::file::File;
use benchtop::api::job::{Dialect, Job, JobStatus};
use benchtop::app::Effect;
use benchtop::component::Session;
use benchtop::record::work::{Done, Work};
use benchtop::settings::ProfileId;

pub use crate::kit::local_files::{HERE, LocalFiles, entry, folder, problems};
pub use crate::kit::replies::files::{NOW, file, files, job};
pub use crate::kit::{Disk, replies};
use crate::kit::{Driver, Setup, Tab, Writes};

pub type Desk = Driver<LocalFiles>;

impl Tab for LocalFiles {
    type Request = Call;

    fn setup() -> Setup {
        let profiles = ["work", "home"].map(|name| (ProfileId(name.into()), name.into())).into();
        let session = Session { model: "davinci".into(), profiles, ..Session::default() };
        Setup { digit: Some('5'), unix_ms: NOW, session, writes: Writes::AsTheStoreDoes, ..Setup::default() }
    }

    fn work(&mut self, work: Work) -> Done {
        self.worked(work)
    }

    /// Answers the lists of files and jobs.
    fn started(desk: &mut Desk) {
        desk.list(files());
        desk.jobs(vec![
            job("ft-8QkAbCdEfGhIjKl", JobStatus::Running, "train"),
            job("ft-7RtAbCdEfGhIjKl", JobStatus::Succeeded, "valid"),
        ]);
        desk.news();
    }
}

impl Desk {
    /// Starts Files before the server has answered.
    pub fn blank(disk: &Rc<Disk>) -> Self {
        Self::start(disk, LocalFiles::setup())
    }

    /// Answers the list of files.
    pub fn list(&mut self, files: Vec<File>) {
        self.answer_last(&Call::Files, Reply::Files(files));
    }

    /// Fails the list of files.
    pub fn unlisted(&mut self, why: Failure) {
        let (ticket, _) = self.last(|call| *call == Call::Files);
        self.fail(ticket, why);
    }

    /// Answers the list of jobs, which other tabs may request, too.
    pub fn jobs(&mut self, jobs: Vec<Job>) {
        self.answer_last(&Call::Jobs, Reply::Jobs(Dialect::FineTunes, jobs));
    }

    /// Uploads and downloads under way, oldest first.
    pub fn transfers(&self) -> Vec<(Ticket, Call)> {
        let call = |effect: &Effect| match effect {
            Effect::Call(ticket, _, call @ (Call::Upload(_) | Call::Download(_))) => Some((*ticket, call.clone())),
            _ => None,
        };
        self.effects.iter().filter_map(call).collect()
    }

    /// Completes an upload or download.
    pub fn finish(&mut self, ticket: Ticket, call: &Call) {
        self.reply(ticket, replies::files::moved(ticket, call));
    }
}
