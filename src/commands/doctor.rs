//! `benchtop doctor`: checks terminal, programs, settings, store, profiles and local service, and says what to do.

use std::collections::VecDeque;

use clap::Args;
use serde::Serialize;

use super::advice;
use super::doctor_checks::Finding;
use super::request::VERSION;
use super::{Output, Status, Task};
use crate::api::call::{Call, Failure, FailureKind, Progress, Reply, Ticket};
use crate::api::check::{CheckOutcome, CheckStep, Checked};
use crate::app::Profile;
use crate::app::effects::Resolve;
use crate::component::{Cx, Response};
use crate::settings::{KeySource, ProfileId};

/// The command line of `benchtop doctor`.
#[derive(Clone, Copy, Debug, Args)]
pub struct DoctorArgs {
    /// Check the servers of all profiles, not only of the one in use
    #[arg(long)]
    pub all: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// The command. It is given what was found without a server.
pub struct Doctor {
    args: DoctorArgs,
    findings: Vec<Finding>,
    profiles: Vec<Profile>,
    in_use: ProfileId,
    resolve: Resolve,
    /// Profiles whose servers are still to be checked.
    left: VecDeque<Profile>,
    /// The server that is being checked, and the steps so far.
    checking: Option<(Ticket, Profile, Vec<Checked>)>,
    status: Option<Status>,
}

impl Doctor {
    /// Creates the command with what was found so far.
    pub fn new(
        args: DoctorArgs,
        findings: Vec<Finding>,
        profiles: Vec<Profile>,
        in_use: ProfileId,
        resolve: Resolve,
    ) -> Self {
        Self { args, findings, profiles, in_use, resolve, left: VecDeque::new(), checking: None, status: None }
    }

    /// Notes where the keys of profiles are found whose servers are not checked. A key command runs only for a server
    /// that is checked: it may ask its user something.
    fn check_key(&mut self, profile: &Profile) {
        let name = profile.id.0.as_str();
        let finding = match &profile.key {
            KeySource::Command(_) => Finding::ok("profile", name, "its key comes from a command, which was not run")
                .advice("--all runs it and checks the server"),
            _ => match (self.resolve)(&profile.id) {
                Ok(endpoint) if endpoint.key.is_some() => {
                    Finding::ok("profile", name, &format!("its key is found ({})", profile.key.words()))
                }
                Ok(_) => Finding::ok("profile", name, "it has no key"),
                Err(why) => failed("profile", name, &why),
            },
        };
        self.findings.push(finding);
    }

    /// Checks the next server; after the last one all findings are printed.
    fn next(&mut self, cx: &mut Cx, out: &mut Output) {
        if let Some(profile) = self.left.pop_front() {
            out.progress(format!("checking {}", profile.name.line()));
            let ticket = cx.call_to(profile.id.clone(), Call::Check);
            self.checking = Some((ticket, profile, Vec::new()));
        } else {
            self.print(out);
        }
    }

    fn print(&mut self, out: &mut Output) {
        out.clear_progress();
        if self.args.json {
            let status = self.findings.iter().map(Finding::mark).max().map_or("ok", super::doctor_checks::Mark::word);
            out.json(&DoctorJson { version: VERSION, status, checks: &self.findings });
        } else {
            for (at, finding) in self.findings.iter().enumerate() {
                finding.print(self.findings.get(at + 1), out);
            }
        }
        let has_failed = self.findings.iter().any(Finding::has_failed);
        self.status = Some(if has_failed { Status::ResultIsNo } else { Status::Done });
    }
}

/// Returns what the check of a server found.
fn finding(profile: &Profile, steps: &[Checked], end: Result<(), Failure>) -> Finding {
    let (area, name) = (if profile.local { "local service" } else { "profile" }, profile.id.0.as_str());
    let why = match end {
        Ok(()) => {
            let key = steps.iter().find(|step| step.step == CheckStep::Key);
            let models = steps.iter().find(|step| step.step == CheckStep::Models);
            let part = |step: Option<&Checked>| step.map(|step| step.words.line().into_owned()).unwrap_or_default();
            let words = if profile.local {
                format!("it runs, {}", part(models))
            } else {
                format!("{} is reached; key: {}; models: {}", profile.host.line(), part(key), part(models))
            };
            let remarks = steps.iter().filter(|step| step.outcome == CheckOutcome::Noted);
            // No key, and a server without a list of models, are no faults.
            let remarks: Vec<String> = remarks
                .filter(|step| matches!(step.step, CheckStep::Certificate))
                .map(|step| format!("certificate: {}", step.words.line()))
                .collect();
            return if remarks.is_empty() {
                Finding::ok(area, name, &words)
            } else {
                Finding::warn(area, name, &words).advice(&remarks.join("; "))
            };
        }
        Err(why) => why,
    };
    let found = failed(area, name, &why.sentence.line());
    match why.kind {
        FailureKind::Offline if profile.local => found.advice("see the logs (benchtop config path --all names them)"),
        FailureKind::Offline | FailureKind::Timeout => {
            found.advice("check the network, proxy and base_url; benchtop config show lists what is in force")
        }
        _ => found,
    }
}

/// Returns the finding of a sentence that may end with advice.
fn failed(area: &'static str, name: &str, sentence: &str) -> Finding {
    let (found, advice) = advice::split(sentence);
    let finding = Finding::fail(area, name, found);
    advice.into_iter().fold(finding, Finding::advice)
}

impl Task for Doctor {
    fn start(&mut self, cx: &mut Cx, out: &mut Output) {
        for profile in std::mem::take(&mut self.profiles) {
            if profile.local || profile.id == self.in_use || self.args.all {
                self.left.push_back(profile);
            } else {
                self.check_key(&profile);
            }
        }
        self.next(cx, out);
    }

    fn reply(&mut self, ticket: Ticket, response: Response, cx: &mut Cx, out: &mut Output) {
        let Response::Call(progress) = response else { return };
        let Some((_, profile, mut steps)) = self.checking.take_if(|(asked, _, _)| *asked == ticket) else { return };
        match progress {
            Progress::Reply(Reply::Checked(step)) => steps.push(step),
            Progress::Closed(end) => {
                self.findings.push(finding(&profile, &steps, end));
                return self.next(cx, out);
            }
            _ => {}
        }
        self.checking = Some((ticket, profile, steps));
    }

    fn interrupt(&mut self, cx: &mut Cx, _out: &mut Output) {
        if let Some((ticket, ..)) = self.checking.take() {
            cx.cancel(ticket);
        }
        self.status = Some(Status::Done);
    }

    fn status(&self) -> Option<Status> {
        self.status
    }
}

/// All findings as JSON.
#[derive(Debug, Serialize)]
struct DoctorJson<'a> {
    version: u32,
    /// The worst of the marks.
    status: &'static str,
    checks: &'a [Finding],
}
