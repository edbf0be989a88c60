//! What is said of the files of a plan.

use super::duplicate_search::DuplicateState;
use super::planned_file::{FileCheck, FileSize, PlannedFile, UploadDecision};
use crate::record::training::{CheckReport, TrainingFormat};
use crate::tabs::files::remote_files::RemoteFiles;
use crate::tabs::files::soundness::{is_raw, is_sound, only_warnings};
use crate::text::Untrusted;
use crate::ui::meter::{bytes, count, percent};

impl PlannedFile {
    /// Returns what is said beside its name.
    pub(super) fn status_words(&self, remote: &RemoteFiles) -> String {
        match (&self.size, &self.decision) {
            (FileSize::Wrong(why), _) => format!("✕ {}", why.line()),
            (FileSize::Asked(_), _) => "…".to_owned(),
            (_, Some(UploadDecision::Out)) => "left out".to_owned(),
            (_, Some(UploadDecision::Use(id))) => format!("= {} is used", name(remote, id)),
            (_, Some(UploadDecision::Send)) => format!("✓ included{}", self.found_words(remote)),
            (FileSize::Known(_), None) => {
                let found = self.found_words(remote);
                if found.is_empty() { "✓".to_owned() } else { found.trim_start_matches(" · ").to_owned() }
            }
        }
    }

    /// Returns what was found, each with ` · ` before it.
    fn found_words(&self, remote: &RemoteFiles) -> String {
        let share = |at: &Option<(u64, u64)>| match at {
            Some((done, total)) if *total > 0 => format!(" {}", percent(*done as f64 / *total as f64)),
            _ => String::new(),
        };
        let duplicate = match &self.duplicate.state {
            DuplicateState::None => String::new(),
            DuplicateState::Hashing(_, at) => format!(" · … comparing{}", share(at)),
            DuplicateState::Comparing(_, id, at) => format!(" · … reading {}{}", name(remote, id), share(at)),
            DuplicateState::AwaitingList => " · … waiting for the server's list".to_owned(),
            DuplicateState::DuplicateOf(name) => {
                format!(" · = same content as {}", Untrusted::from(name.as_str()).line())
            }
            DuplicateState::NeedsConfirm(id) => format!(" · ? same size as {}", name(remote, id)),
            DuplicateState::SameAs(id) => format!(" · = same content as {} on the server", name(remote, id)),
            DuplicateState::Unknown(_) => " · ! not compared".to_owned(),
        };
        let check = match &self.check {
            FileCheck::None => String::new(),
            FileCheck::Runs(_, at) => format!(" · … checking{}", share(at)),
            FileCheck::Failed(_) => " · ✕ not checked".to_owned(),
            FileCheck::Done(report) if is_sound(report) => format!(" · ✓ {} examples", count(report.rows)),
            FileCheck::Done(report) if only_warnings(report) => format!(" · ! {}", problems(report)),
            FileCheck::Done(report) => format!(" · ✕ {}", problems(report)),
        };
        format!("{duplicate}{check}")
    }

    /// Returns the keys that decide on it; `only`: no other file is undecided, `alone`: it is the only file. Without the
    /// only file nothing would be left to upload.
    pub(super) fn decision_words(&self, only: bool, alone: bool) -> &'static str {
        match (&self.duplicate.state, only) {
            (DuplicateState::SameAs(_), _) if alone => "decide first: e uses the stored file, s includes it anyway",
            (DuplicateState::NeedsConfirm(_), _) if alone => "decide first: r compares them, s includes it anyway",
            _ if alone => "decide first: s includes it anyway",
            (DuplicateState::SameAs(_), true) => "decide first: e uses the stored file, s includes it, o leaves it out",
            (DuplicateState::SameAs(_), false) => {
                "e uses the stored file, s includes it, o leaves it out; E, S, O for all"
            }
            (DuplicateState::NeedsConfirm(_), true) => "decide first: r compares them, s includes it, o leaves it out",
            (DuplicateState::NeedsConfirm(_), false) => {
                "r compares them, s includes it, o leaves it out; S, O, E for all"
            }
            (_, true) => "decide first: s includes it, o leaves it out",
            (_, false) => "s includes it, o leaves it out; S, O and E decide for all undecided files",
        }
    }

    /// Returns how many problems its check found besides those it lists.
    pub(super) fn unlisted_problems(&self) -> u64 {
        let FileCheck::Done(report) = &self.check else { return 0 };
        report.problem_count().saturating_sub(report.problems.len() as u64)
    }

    /// Returns sentences about it, for the foot of the box.
    pub(super) fn sentences(&self, remote: &RemoteFiles) -> Vec<Untrusted> {
        let mut lines = Vec::new();
        match &self.duplicate.state {
            DuplicateState::NeedsConfirm(id) => lines.push(
                format!(
                    "{} on the server has the same size. r downloads it ({}) to compare, s includes this file without comparing.",
                    name(remote, id),
                    bytes(self.bytes())
                )
                .into(),
            ),
            DuplicateState::SameAs(id) => lines.push(
                format!(
                    "{} on the server has the same content: e uses it, s includes this file anyway.",
                    name(remote, id)
                )
                .into(),
            ),
            DuplicateState::DuplicateOf(name) => lines.push(
                format!(
                    "{} in this upload has the same content: o leaves this one out, s includes both.",
                    Untrusted::from(name.as_str()).line()
                )
                .into(),
            ),
            DuplicateState::Unknown(why) => lines.push(why.clone()),
            _ => {}
        }
        match &self.check {
            FileCheck::Failed(why) => lines.push(why.clone()),
            FileCheck::Done(report) => {
                if report.source != TrainingFormat::Jsonl {
                    lines.push("This is not JSON Lines: v opens the check page, which converts it.".into());
                }
                lines.extend(report.stop.clone());
                if only_warnings(report) {
                    lines.push("All rows can be used. s includes the file as it is, v checks and repairs it.".into());
                }
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

/// Returns what is wrong with a file, such as `3 problems` or `not JSON Lines`.
fn problems(report: &CheckReport) -> String {
    let what = if only_warnings(report) { "warning" } else { "problem" };
    match report.problem_count().max(report.problems.len() as u64) {
        _ if report.source != TrainingFormat::Jsonl => "not JSON Lines".to_owned(),
        _ if is_raw(report) => "needs preparation: v".to_owned(),
        0 => "cannot be used".to_owned(),
        1 => format!("1 {what}"),
        some => format!("{} {what}s", count(some)),
    }
}

/// Returns the name of a stored file.
fn name(remote: &RemoteFiles, id: &str) -> String {
    let file = remote.list.get(id);
    file.map_or_else(|| Untrusted::from(id).line().into_owned(), |file| file.name.line().into_owned())
}
