//! A file that is to be uploaded: what is found out about it first.

use crate::api::call::{Call, Progress, Reply, Sha256, Ticket};
use crate::component::Cx;
use crate::record::files::EntryKind;
use crate::record::training::{self, Report, Source};
use crate::record::work::{Done, Work};
use crate::tabs::files::known::Fact;
use crate::tabs::files::local::{name_of, split};
use crate::tabs::files::shelf::{Shelf, Status};
use crate::text::Untrusted;
use crate::ui::meter::{bytes, count};

/// A stored file of at most so many bytes is read to compare it, without a question.
const SMALL: u64 = 8_000_000;

/// What the user says about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Send it, whatever was found.
    Send,
    /// The stored file of this id has the same content: use that.
    Use(String),
    /// Not this one.
    Out,
}

/// What becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Something is still being found out.
    Waits,
    /// The user has to say.
    Asks,
    Send,
    Use(String),
    Out,
}

/// How big it is.
#[derive(Debug)]
enum Size {
    Asked(Ticket),
    Known(u64),
    /// It cannot be sent.
    Wrong(Untrusted),
}

/// Its check as a training file.
#[derive(Debug)]
enum Check {
    /// It needs none.
    None,
    Runs(Ticket, Option<(u64, u64)>),
    Done(Box<Report>),
    Failed(Untrusted),
}

/// Whether the same content is on the server.
#[derive(Debug)]
enum Twin {
    /// No stored file has its size, or none has its content.
    None,
    /// Its own hash is on its way; so many bytes of how many.
    Hashes(Ticket, Option<(u64, u64)>),
    /// The hash of this stored file is on its way.
    Reads(Ticket, String, Option<(u64, u64)>),
    /// This stored file has its size; to compare them it has to be read.
    Asks(String),
    /// This one has its content.
    Same(String),
    /// The server's list is on its way.
    Lists,
    /// One before it in the plan has its content: its name.
    Double(String),
    /// It could not be found out.
    Unknown(Untrusted),
}

/// A file.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) path: String,
    size: Size,
    check: Check,
    twin: Twin,
    hash: Option<Sha256>,
    /// Stored files of its size that were not compared yet.
    others: Vec<String>,
    pub(crate) decision: Option<Decision>,
}

impl Item {
    /// A file by its absolute path, and its size where known. Nothing is asked before [`Item::begin`].
    pub(super) fn new(path: String, bytes: Option<u64>, cx: &mut Cx) -> Self {
        let size = match bytes {
            Some(bytes) => Size::Known(bytes),
            None => {
                let folder = split(&path).map_or("", |(folder, _)| folder).to_owned();
                Size::Asked(cx.work(Work::Folder { path: folder }))
            }
        };
        let (check, twin) = (Check::None, Twin::None);
        Self { path, size, check, twin, hash: None, others: Vec::new(), decision: None }
    }

    /// Whether it could not be found out how big it is, or whether the server has its content.
    pub(super) fn is_unknown(&self) -> bool {
        matches!(self.size, Size::Wrong(_)) || matches!(self.twin, Twin::Unknown(_))
    }

    pub(crate) fn name(&self) -> &str {
        name_of(&self.path)
    }

    /// Its size; 0: not known yet.
    pub(crate) fn bytes(&self) -> u64 {
        if let Size::Known(bytes) = self.size { bytes } else { 0 }
    }

    /// Looks for the same content on the server; `hash`: it is compared with others of the plan, too.
    pub(super) fn compare(&mut self, shelf: &Shelf, hash: bool, cx: &mut Cx) {
        let Size::Known(size) = self.size else { return };
        if shelf.at_ms.is_none() && !shelf.is_unsupported() {
            self.twin = if shelf.is_asking() {
                Twin::Lists
            } else {
                Twin::Unknown("what the server holds is not known: it was not compared".into())
            };
            return;
        }
        let same =
            |file: &&super::super::shelf::Stored| file.bytes == size && file.status != Status::Gone && !file.going;
        let mut others: Vec<&super::super::shelf::Stored> = shelf.files().iter().filter(same).collect();
        // Those of the same name first; of many of one size only some are looked at.
        others.sort_by_key(|file| file.name.raw() != self.name());
        self.others = others.into_iter().take(16).map(|file| file.id.clone()).collect();
        self.twin = Twin::None;
        if self.hash.is_some() {
            self.next(shelf, false, cx);
        } else if (hash || !self.others.is_empty()) && size > 0 {
            self.hash(cx);
        }
    }

    /// Asks for its hash, where nothing is known or asked yet.
    pub(super) fn hash(&mut self, cx: &mut Cx) {
        if self.hash.is_none() && matches!((&self.twin, &self.size), (Twin::None, Size::Known(1..))) {
            self.twin = Twin::Hashes(cx.work(Work::Hash { path: self.path.clone() }), None);
        }
    }

    /// Whether a list of the server says something new about it: one that waits for it, or that nothing was like yet.
    pub(super) fn is_open(&self, shelf: &Shelf) -> bool {
        match &self.twin {
            Twin::Lists => shelf.at_ms.is_some() || !shelf.is_asking(),
            Twin::None => shelf.at_ms.is_some() && !shelf.is_asking(),
            _ => false,
        }
    }

    /// Notices one before it in the plan that has its content.
    pub(super) fn double(&mut self, before: &[Self]) {
        if !matches!(self.twin, Twin::None | Twin::Double(_)) {
            return;
        }
        let same =
            |other: &&Self| other.hash.is_some() && other.hash == self.hash && !matches!(other.verdict(), Verdict::Out);
        let found = before.iter().find(same).map(|other| other.name().to_owned());
        self.twin = found.map_or(Twin::None, Twin::Double);
    }

    /// Checks it for what it is to train.
    pub(super) fn check(&mut self, model: &Untrusted, local: bool, cx: &mut Cx) {
        if matches!(self.check, Check::None) && !matches!(self.size, Size::Wrong(_)) {
            let check = training::Check { path: self.path.clone(), model: model.clone(), local, mappings: Vec::new() };
            self.check = Check::Runs(cx.work(Work::Check(Box::new(check))), None);
        }
    }

    /// It needs no check any more.
    pub(super) fn spare(&mut self, cx: &mut Cx) {
        if let Check::Runs(ticket, _) = std::mem::replace(&mut self.check, Check::None) {
            cx.cancel(ticket);
        }
    }

    /// Compares with what is known, and asks for what is not.
    fn next(&mut self, shelf: &Shelf, ask: bool, cx: &mut Cx) {
        let Some(hash) = self.hash else { return };
        while let Some(id) = self.others.first().cloned() {
            let fact = shelf.known.of(&id).and_then(Fact::sha256);
            match fact {
                Some(other) if other == hash => {
                    self.twin = Twin::Same(id);
                    return;
                }
                Some(_) => {}
                None if ask || self.bytes() <= SMALL => {
                    let ticket = cx.call_to(shelf.profile.clone(), Call::Digest(id.clone()));
                    self.twin = Twin::Reads(ticket, id, None);
                    return;
                }
                None => {
                    self.twin = Twin::Asks(id);
                    return;
                }
            }
            self.others.remove(0);
        }
        self.twin = Twin::None;
    }

    /// The user wants the stored file read to compare it. Whether that was the question.
    pub(super) fn read(&mut self, shelf: &mut Shelf, cx: &mut Cx) -> bool {
        let asks = matches!(self.twin, Twin::Asks(_));
        if asks {
            self.next(shelf, true, cx);
        }
        asks
    }

    /// The work threads' answer; whether the order was its. `Some(true)`: its size became known.
    pub(super) fn worked(&mut self, ticket: Ticket, done: &Done, shelf: &mut Shelf, cx: &mut Cx) -> Option<bool> {
        match &mut self.size {
            Size::Asked(asked) if *asked == ticket => {
                if !matches!(done, Done::Moved { .. }) {
                    self.size = self.found(done);
                    return Some(true);
                }
                return Some(false);
            }
            _ => {}
        }
        match (&mut self.check, done) {
            (Check::Runs(asked, at), Done::Moved { done, total }) if *asked == ticket => *at = Some((*done, *total)),
            (Check::Runs(asked, _), done) if *asked == ticket => {
                self.check = match done {
                    Done::Checked(report) => Check::Done(report.clone()),
                    Done::Failed(why) => Check::Failed(why.clone()),
                    _ => Check::Failed("it could not be checked".into()),
                };
            }
            _ => match (&mut self.twin, done) {
                (Twin::Hashes(asked, at), Done::Moved { done, total }) if *asked == ticket => {
                    *at = Some((*done, *total));
                }
                (Twin::Hashes(asked, _), done) if *asked == ticket => match done {
                    Done::Hashed(hash, _) => {
                        self.hash = Some(*hash);
                        self.next(shelf, false, cx);
                    }
                    Done::Failed(why) => self.twin = Twin::Unknown(why.clone()),
                    _ => self.twin = Twin::Unknown("it could not be compared".into()),
                },
                _ => return None,
            },
        }
        Some(false)
    }

    /// Its size, out of the folder it is in.
    fn found(&mut self, done: &Done) -> Size {
        match done {
            Done::Folder(folder) => {
                let entry = folder.entries.iter().find(|entry| entry.name.raw() == self.name());
                match entry.map(|entry| entry.kind) {
                    Some(EntryKind::File) => {
                        self.path = super::super::local::join(folder.path.raw(), self.name());
                        Size::Known(entry.map_or(0, |entry| entry.bytes))
                    }
                    Some(EntryKind::Folder) => Size::Wrong("it is a folder; files are uploaded".into()),
                    Some(_) => Size::Wrong("it is no file that can be read".into()),
                    None => Size::Wrong("there is no such file".into()),
                }
            }
            Done::Failed(why) => Size::Wrong(why.clone()),
            _ => Size::Wrong("its folder could not be read".into()),
        }
    }

    /// News of a call; whether the call was its.
    pub(super) fn progress(&mut self, ticket: Ticket, progress: &Progress, shelf: &mut Shelf, cx: &mut Cx) -> bool {
        let Twin::Reads(asked, id, at) = &mut self.twin else { return false };
        if *asked != ticket {
            return false;
        }
        match progress {
            Progress::Moved { done, total } => *at = total.map(|total| (*done, total)),
            Progress::Reply(Reply::Digest(hash, _)) => {
                let fact = shelf.known.of(id).cloned().unwrap_or_default().hashed(hash);
                let id = id.clone();
                shelf.learn(&id, fact, cx);
            }
            Progress::Closed(Ok(())) => {
                let learnt = shelf.known.of(id).and_then(Fact::sha256).is_some();
                if learnt {
                    self.next(shelf, false, cx);
                } else {
                    self.twin = Twin::Unknown("the stored file could not be read".into());
                }
            }
            Progress::Closed(Err(why)) => self.twin = Twin::Unknown(why.sentence.clone()),
            _ => {}
        }
        true
    }

    /// Ends what is on its way.
    pub(super) fn close(&mut self, cx: &mut Cx) {
        if let Size::Asked(ticket) = self.size {
            cx.cancel(ticket);
        }
        if let Check::Runs(ticket, _) = self.check {
            cx.cancel(ticket);
        }
        if let Twin::Hashes(ticket, _) | Twin::Reads(ticket, ..) = self.twin {
            cx.cancel(ticket);
        }
    }

    pub(crate) fn verdict(&self) -> Verdict {
        match (&self.size, &self.decision) {
            (Size::Wrong(_), _) | (_, Some(Decision::Out)) => return Verdict::Out,
            (Size::Asked(_), _) => return Verdict::Waits,
            (_, Some(Decision::Send)) => return Verdict::Send,
            (_, Some(Decision::Use(id))) => return Verdict::Use(id.clone()),
            (Size::Known(_), None) => {}
        }
        let check = match &self.check {
            Check::Runs(..) => Verdict::Waits,
            Check::Done(report) if is_sound(report) => Verdict::Send,
            Check::Done(_) | Check::Failed(_) => Verdict::Asks,
            Check::None => Verdict::Send,
        };
        match (check, &self.twin) {
            (_, Twin::Same(_) | Twin::Asks(_) | Twin::Double(_)) | (Verdict::Asks, _) => Verdict::Asks,
            (Verdict::Waits, _) | (_, Twin::Hashes(..) | Twin::Reads(..) | Twin::Lists) => Verdict::Waits,
            (verdict, Twin::None | Twin::Unknown(_)) => verdict,
        }
    }

    /// The stored file of the same content.
    pub(super) fn same(&self) -> Option<&str> {
        if let Twin::Same(id) = &self.twin { Some(id) } else { None }
    }

    /// What the check learnt, and the hash.
    pub(crate) fn fact(&self) -> Fact {
        let mut fact = Fact::default();
        if let Check::Done(report) = &self.check {
            (fact.rows, fact.tokens) = (report.rows, report.tokens.total);
            fact.class_count = report.class_count;
            fact.classes = report.classes.iter().map(|(class, _)| class.raw().to_owned()).collect();
        }
        match &self.hash {
            Some(hash) => fact.hashed(hash),
            None => fact,
        }
    }

    /// What is said beside its name: whether it is a warning, and the words.
    pub(crate) fn state(&self, shelf: &Shelf) -> (Verdict, String) {
        let verdict = self.verdict();
        let words = match (&self.size, &self.decision) {
            (Size::Wrong(why), _) => format!("✕ {}", why.line()),
            (Size::Asked(_), _) => "…".to_owned(),
            (_, Some(Decision::Out)) => "left out".to_owned(),
            (_, Some(Decision::Use(id))) => format!("= {} is used", name(shelf, id)),
            (_, Some(Decision::Send)) => format!("↑ sent all the same{}", self.found_words(shelf)),
            (Size::Known(_), None) => {
                let found = self.found_words(shelf);
                if found.is_empty() { "✓".to_owned() } else { found.trim_start_matches(" · ").to_owned() }
            }
        };
        (verdict, words)
    }

    /// What was found, each with ` · ` before it.
    fn found_words(&self, shelf: &Shelf) -> String {
        let share = |at: &Option<(u64, u64)>| match at {
            Some((done, total)) if *total > 0 => format!(" {}%", (*done as f64 / *total as f64 * 100.0) as u64),
            _ => String::new(),
        };
        let twin = match &self.twin {
            Twin::None => String::new(),
            Twin::Hashes(_, at) => format!(" · … compared{}", share(at)),
            Twin::Reads(_, id, at) => format!(" · … {} is read{}", name(shelf, id), share(at)),
            Twin::Lists => " · … the server's list comes".to_owned(),
            Twin::Double(name) => format!(" · = the same as {} here", Untrusted::from(name.as_str()).line()),
            Twin::Asks(id) => format!(" · ? {} has its size", name(shelf, id)),
            Twin::Same(id) => format!(" · = the same as {} there", name(shelf, id)),
            Twin::Unknown(_) => " · ! not compared".to_owned(),
        };
        let check = match &self.check {
            Check::None => String::new(),
            Check::Runs(_, at) => format!(" · … checked{}", share(at)),
            Check::Failed(_) => " · ✕ not checked".to_owned(),
            Check::Done(report) if is_sound(report) => format!(" · ✓ {} examples", count(report.rows)),
            Check::Done(report) => format!(" · ✕ {}", problems(report)),
        };
        format!("{twin}{check}")
    }

    /// Sentences about it, for the foot of the box.
    pub(crate) fn lines(&self, shelf: &Shelf) -> Vec<Untrusted> {
        let mut lines = Vec::new();
        match &self.twin {
            Twin::Asks(id) => lines.push(
                format!(
                    "{} on the server has the same size. r reads it ({}) to compare, s sends without.",
                    name(shelf, id),
                    bytes(self.bytes())
                )
                .into(),
            ),
            Twin::Same(id) => lines.push(
                format!(
                    "The same content is there as {}: e uses it, s sends it again, o leaves it out.",
                    name(shelf, id)
                )
                .into(),
            ),
            Twin::Double(name) => lines.push(
                format!(
                    "{} of this plan has the same content: o leaves this one out, s sends both.",
                    Untrusted::from(name.as_str()).line()
                )
                .into(),
            ),
            Twin::Unknown(why) => lines.push(why.clone()),
            _ => {}
        }
        match &self.check {
            Check::Failed(why) => lines.push(why.clone()),
            Check::Done(report) => {
                if report.source != Source::Jsonl {
                    lines.push("It is not JSON Lines: v opens the check page, which makes a file of that form.".into());
                }
                lines.extend(report.stop.clone());
                for problem in &report.problems {
                    let mut line = Untrusted::from(format!("line {}  ", count(problem.line)));
                    line.append(&problem.words);
                    lines.push(line);
                }
                lines.extend(report.cut.clone());
            }
            _ => {}
        }
        lines
    }
}

/// Whether a file can be sent as it is.
fn is_sound(report: &Report) -> bool {
    let bad = report.counts.iter().any(|(_, count)| *count > 0) || !report.problems.is_empty();
    let whole = report.stop.is_none() && report.cut.is_none();
    report.source == Source::Jsonl && whole && report.valid > 0 && !bad && !is_raw(report)
}

/// Whether its rows are only found with a guess what its columns are, or in a copy in UTF-8: a job would not find them.
fn is_raw(report: &Report) -> bool {
    report.guessed || report.encoding != "UTF-8"
}

/// `3 problems`, `not JSON Lines`.
fn problems(report: &Report) -> String {
    let all: u64 = report.counts.iter().map(|(_, count)| count).sum();
    match all.max(report.problems.len() as u64) {
        _ if report.source != Source::Jsonl => "not JSON Lines".to_owned(),
        _ if is_raw(report) => "not as a job reads it: v prepares it".to_owned(),
        0 => "cannot be used".to_owned(),
        1 => "1 problem".to_owned(),
        some => format!("{} problems", count(some)),
    }
}

/// A stored file by its name.
fn name(shelf: &Shelf, id: &str) -> String {
    let file = shelf.file(id);
    file.map_or_else(|| Untrusted::from(id).line().into_owned(), |file| file.name.line().into_owned())
}
