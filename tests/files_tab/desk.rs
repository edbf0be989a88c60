//! The workbench with Files in front: a made-up disk, and a server whose answers the test makes up.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

use benchtop::api::call::{Call, Downloaded, Failure, Reply, Ticket};
use benchtop::api::file::File;
use benchtop::api::job::{Dialect, Job, JobStatus};
use benchtop::app::{Effect, Event};
use benchtop::component::Session;
use benchtop::record::files::{Entry, Folder};
use benchtop::record::training::{CheckReport, RowForm};
use benchtop::record::work::{Done, Work};
use benchtop::record::{Query, Stored};
use benchtop::settings::ProfileId;

pub use crate::kit::Disk;
use crate::kit::{Driver, Setup, Tab, Writes};
pub use crate::made::{HERE, NOW, csv, entry, failure, file, files, folder, job, not_found, problems};
use crate::made::{folders, mapped, window};

pub type Desk = Driver<Files>;

pub struct Files {
    /// Local folders by their paths.
    pub folders: BTreeMap<String, Vec<Entry>>,
    /// What a check of a file of this name finds; others are sound.
    pub reports: BTreeMap<String, CheckReport>,
    /// First byte of the hash of a local file of this name; of others 1.
    pub hashes: BTreeMap<String, u8>,
    /// What Tab completes to.
    pub paths: Vec<String>,
    /// Checks and hashes wait for [`Driver::release`].
    pub holds: bool,
    /// Folders wait for [`Driver::release`].
    pub slow: bool,
    /// The store answers questions for settings with a failure.
    fails: bool,
}

impl Tab for Files {
    fn digit(&self) -> Option<char> {
        Some('5')
    }

    fn work(&mut self, _: Ticket, work: Work) -> Done {
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        match &work {
            Work::Folder { path } => {
                let path = match path.as_str() {
                    "" => HERE.to_owned(),
                    "~" => "/home/you".to_owned(),
                    path => path.trim_end_matches('/').to_owned(),
                };
                match self.folders.get(&path) {
                    Some(entries) => Done::Folder(Folder { path: path.into(), entries: entries.clone(), cut: None }),
                    None => Done::Failed("there is no such folder; check the path".into()),
                }
            }
            Work::Paths(_) => Done::Paths(self.paths.iter().map(|path| path.as_str().into()).collect()),
            Work::Hash { path } => Done::Hashed([self.hashes.get(&name(path)).copied().unwrap_or(1); 32], 1),
            Work::Check(check) => Done::Checked(Box::new(match self.reports.get(&name(&check.path)) {
                Some(report) => mapped(report.clone(), &check.mappings),
                None => CheckReport {
                    rows: 500,
                    valid: 500,
                    form: Some(RowForm::Pairs),
                    encoding: "UTF-8",
                    ..CheckReport::default()
                },
            })),
            Work::Look(look) => Done::Window(Box::new(window(&look.place))),
            Work::Highlight { .. } => Done::Highlighted(Vec::new()),
            Work::Tokenize { .. } => Done::Tokens(None),
            Work::Spell { .. } => Done::Spelled(None),
            Work::Count { texts, .. } => Done::Counted(false, vec![1; texts.len()]),
            Work::Save { path, .. } | Work::Export { path, .. } => Done::Saved(path.as_str().into()),
            _ => Done::Failed("there is no such work here".into()),
        }
    }

    fn waits(&self, effect: &Effect) -> bool {
        match effect {
            Effect::Work(_, Work::Folder { .. }) => self.slow,
            Effect::Work(_, Work::Check(_) | Work::Hash { .. }) => self.holds,
            _ => false,
        }
    }

    fn released(&mut self) {
        (self.slow, self.holds) = (false, false);
    }

    fn stored(&self, effect: &Effect) -> Option<Stored> {
        let setting = matches!(effect, Effect::Load(_, Query::Setting(name)) if name.starts_with("files."));
        (self.fails && setting).then(|| Stored::Failed("the disk is broken".into()))
    }
}

impl Desk {
    /// Files in front, a folder and a server with files in it.
    pub fn new() -> Self {
        let mut desk = Self::blank(&Disk::new());
        desk.list(files());
        desk.jobs(vec![
            job("ft-8QkAbCdEfGhIjKl", JobStatus::Running, "train"),
            job("ft-7RtAbCdEfGhIjKl", JobStatus::Succeeded, "valid"),
        ]);
        desk.news();
        desk
    }

    /// Files in front; the server has not answered yet.
    pub fn blank(disk: &Rc<Disk>) -> Self {
        Self::with(disk, false)
    }

    /// The same, where nothing that was kept can be read.
    pub fn unreadable() -> Self {
        Self::with(&Disk::new(), true)
    }

    fn with(disk: &Rc<Disk>, fails: bool) -> Self {
        let session = Session {
            model: "davinci".into(),
            profiles: vec![(ProfileId("work".into()), "work".into()), (ProfileId("home".into()), "home".into())],
            ..Session::default()
        };
        let tab = Files {
            folders: folders(),
            reports: BTreeMap::new(),
            hashes: BTreeMap::new(),
            paths: Vec::new(),
            holds: false,
            slow: false,
            fails,
        };
        let mut desk = Self::start(disk, tab, Setup { unix_ms: NOW, session, ..Setup::default() });
        desk.writes = Writes::AsTheStoreDoes;
        desk
    }

    /// What waits goes on a little.
    pub fn move_work(&mut self, done: u64, total: u64) {
        let ticket = |effect: &Effect| if let Effect::Work(ticket, _) = effect { Some(*ticket) } else { None };
        let waiting: Vec<Ticket> = self.waiting.iter().filter_map(ticket).collect();
        for ticket in waiting {
            self.event(Event::Worked(ticket, Done::Moved { done, total }));
        }
    }

    /// The list comes.
    pub fn list(&mut self, files: Vec<File>) {
        let (ticket, _) = self.last(|call| *call == Call::Files);
        self.reply(ticket, Reply::Files(files));
    }

    /// The list does not come.
    pub fn unlisted(&mut self, why: Failure) {
        let (ticket, _) = self.last(|call| *call == Call::Files);
        self.fail(ticket, why);
    }

    /// The jobs come. Other tabs may ask for them, too.
    pub fn jobs(&mut self, jobs: Vec<Job>) {
        let (ticket, _) = self.last(|call| *call == Call::Jobs);
        self.reply(ticket, Reply::Jobs(Dialect::FineTunes, jobs));
    }

    /// Uploads and downloads under way, oldest first.
    pub fn transfers(&self) -> Vec<(Ticket, Call)> {
        let call = |effect: &Effect| match effect {
            Effect::Call(ticket, _, call @ (Call::Upload(_) | Call::Download(_))) => Some((*ticket, call.clone())),
            _ => None,
        };
        self.effects.iter().filter_map(call).collect()
    }

    /// An upload or download ends well.
    pub fn finish(&mut self, ticket: Ticket, call: &Call) {
        let reply = match call {
            Call::Upload(upload) => {
                let id = format!("up{}", ticket.0);
                let file = file(&id, &upload.name, 3_300, &upload.purpose, 7, "uploaded");
                Reply::Uploaded(Box::new(file), [9; 32])
            }
            Call::Download(download) => Reply::Downloaded(Downloaded {
                path: PathBuf::from(format!("{}/{}", download.folder.display(), download.name)),
                bytes: download.bytes.unwrap_or(7),
                sha256: [8; 32],
            }),
            other => panic!("{other:?}"),
        };
        self.reply(ticket, reply);
    }
}
