//! What the palette offers of this tab: one table for titles, keys and what they do.

use super::Tune;
use super::keys::Action;
use crate::component::{Command, Cx, keywords};

/// What has to be so for a command to make sense.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    Nothing,
    /// There is a job.
    Job,
    /// The job under the cursor runs or waits.
    Running,
    /// It made a model.
    Model,
    /// It has a result file.
    Results,
    /// Something failed.
    Failure,
}

/// Id, action, title, need.
#[rustfmt::skip]
const TABLE: [(&str, Action, &str, Needs); 19] = [
    ("create", Action::Create, "create a fine-tune", Needs::Nothing),
    ("clone", Action::Clone, "a new job with this one's settings", Needs::Job),
    ("refresh", Action::Refresh, "ask for the jobs again", Needs::Nothing),
    ("details", Action::Details, "details of the job", Needs::Job),
    ("cancel", Action::Cancel, "cancel the job", Needs::Running),
    ("follow", Action::Follow, "follow the job, or no more", Needs::Running),
    ("hurry", Action::Hurry, "try lost streams now", Needs::Nothing),
    ("try", Action::Try, "try the model beside its base", Needs::Model),
    ("score", Action::Score, "score held-out rows", Needs::Model),
    ("results", Action::Results, "fetch the result file and draw it", Needs::Results),
    ("open", Action::Open, "open a result file or log of events of this machine", Needs::Nothing),
    ("mark", Action::Mark, "mark the job to overlay curves", Needs::Job),
    ("all", Action::All, "events of this job, or of all", Needs::Job),
    ("wrap", Action::Wrap, "wrap long events", Needs::Job),
    ("sort", Action::Sort, "sort jobs", Needs::Job),
    ("copy", Action::CopyModel, "copy the model's name", Needs::Model),
    ("id", Action::CopyId, "copy the job's id", Needs::Job),
    ("delete", Action::Delete, "delete the model", Needs::Model),
    ("failure", Action::Failure, "details of a failure", Needs::Failure),
];

/// Other words for some of them, by id.
const KEYWORDS: [(&str, &str); 14] = [
    ("create", "train new start"),
    ("clone", "again repeat copy"),
    ("refresh", "reload list"),
    ("cancel", "stop"),
    ("try", "test compare"),
    ("score", "evaluate accuracy"),
    ("results", "metrics loss export"),
    ("open", "import csv"),
    ("mark", "compare"),
    ("all", "log"),
    ("copy", "clipboard yank"),
    ("id", "clipboard yank"),
    ("delete", "remove"),
    ("failure", "error"),
];

impl Tune {
    pub(super) fn table(&self) -> Vec<Command> {
        let command = |(id, action, title, needs): &(&'static str, Action, &'static str, Needs)| Command {
            id,
            title: format!("Tune: {title}"),
            key: self.keys.key(*action),
            disabled: self.lacks(*needs).map(str::to_owned),
            keywords: keywords(&KEYWORDS, id),
        };
        TABLE.iter().map(command).collect()
    }

    /// What is missing for a command; `None`: nothing.
    fn lacks(&self, needs: Needs) -> Option<&'static str> {
        let board = self.state.board();
        let here = board.and_then(|board| board.here());
        match needs {
            Needs::Nothing => None,
            Needs::Failure => board.is_none_or(|board| board.failure.is_none()).then_some("nothing has failed"),
            _ if here.is_none() => Some("there is no job (create one: C)"),
            Needs::Job => None,
            Needs::Running => (!here?.runs()).then_some("the job is over"),
            Needs::Model => here?.model().is_none().then_some("the job has made no model"),
            Needs::Results => here?.job.result_files.is_empty().then_some("the job has no result file yet"),
        }
    }

    /// Runs the entry with this id.
    pub(super) fn run_command(&mut self, id: &str, cx: &mut Cx) {
        self.state.settle(cx);
        if let Some((_, action, _, needs)) = TABLE.iter().find(|(other, ..)| *other == id)
            && self.lacks(*needs).is_none()
        {
            if self.state.page == super::state::Page::Create {
                self.state.page = super::state::Page::Jobs;
            }
            self.act(*action, cx);
        }
    }
}
