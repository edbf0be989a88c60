//! What the palette offers of this tab: one table for titles, keys and what they do.

use super::Complete;
use super::keys::Action;
use crate::component::{Command, Cx, keywords};

/// What has to be so for a command to make sense.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    Nothing,
    /// There is text.
    Text,
    /// A model wrote some of it.
    Generated,
    /// A run is under way.
    Busy,
    /// None is.
    Rest,
    /// A run failed.
    Failure,
}

/// Id, action, title, need.
#[rustfmt::skip]
const TABLE: [(&str, Action, &str, Needs); 27] = [
    ("run", Action::Run, "run at the caret", Needs::Rest),
    ("again", Action::Again, "run again from the same place", Needs::Generated),
    ("stop", Action::Stop, "stop", Needs::Busy),
    ("new", Action::New, "new text", Needs::Rest),
    ("write", Action::Write, "edit the text", Needs::Nothing),
    ("undo", Action::Undo, "undo the last part or edit", Needs::Rest),
    ("redo", Action::Redo, "redo", Needs::Rest),
    ("accept", Action::Accept, "accept the generated text", Needs::Generated),
    ("older", Action::Older, "candidate before", Needs::Generated),
    ("newer", Action::Newer, "candidate after", Needs::Generated),
    ("beside", Action::Beside, "all candidates side by side", Needs::Generated),
    ("compare", Action::Compare, "compare models, settings or profiles", Needs::Nothing),
    ("heat", Action::Heat, "colour by probability", Needs::Nothing),
    ("strip", Action::Strip, "token strip on or off", Needs::Nothing),
    ("tokens", Action::Tokenizer, "tokens with their ids", Needs::Nothing),
    ("biases", Action::Biases, "biases of tokens", Needs::Nothing),
    ("settings", Action::Settings, "settings", Needs::Nothing),
    ("presets", Action::Presets, "presets and examples", Needs::Nothing),
    ("save", Action::SavePreset, "save as a preset", Needs::Nothing),
    ("runs", Action::Runs, "all runs", Needs::Nothing),
    ("copy", Action::Copy, "copy the generated part", Needs::Text),
    ("all", Action::CopyAll, "copy the whole text", Needs::Text),
    ("curl", Action::Curl, "copy the request as curl", Needs::Text),
    ("offer", Action::Offer, "send the text to another tab", Needs::Text),
    ("find", Action::Find, "find in the text", Needs::Text),
    ("details", Action::Details, "details of the failure", Needs::Failure),
    ("external", Action::External, "write in $EDITOR", Needs::Rest),
];

/// Other words for some of them, by id.
const KEYWORDS: [(&str, &str); 19] = [
    ("again", "retry regenerate"),
    ("accept", "keep"),
    ("beside", "compare"),
    ("compare", "diff"),
    ("heat", "logprobs color"),
    ("strip", "logprobs alternatives"),
    ("tokens", "tokenizer"),
    ("biases", "logit"),
    ("settings", "parameters temperature options"),
    ("presets", "templates samples"),
    ("save", "template"),
    ("runs", "history"),
    ("copy", "clipboard yank"),
    ("all", "clipboard yank export"),
    ("curl", "http export"),
    ("offer", "share"),
    ("find", "search"),
    ("details", "error"),
    ("external", "editor"),
];

impl Complete {
    pub(super) fn table(&self) -> Vec<Command> {
        let command = |(id, action, title, needs): &(&'static str, Action, &'static str, Needs)| Command {
            id,
            title: format!("Complete: {title}"),
            key: if *action == Action::Stop { "esc".to_owned() } else { self.browse_keys.key(*action) },
            disabled: self.lacks(*needs).map(str::to_owned),
            keywords: keywords(&KEYWORDS, id),
        };
        TABLE.iter().map(command).collect()
    }

    /// What is missing for a command; `None`: nothing.
    fn lacks(&self, needs: Needs) -> Option<&'static str> {
        let state = &self.state;
        let generated = state.history.last_generated().is_some();
        let failed = state.failed_run().is_some();
        match needs {
            Needs::Text if state.buffer.is_empty() => Some("there is no text"),
            Needs::Generated if !generated => Some("nothing is generated yet"),
            Needs::Busy if !state.is_busy() => Some("nothing runs"),
            Needs::Rest if state.is_busy() => Some("a run is under way"),
            Needs::Failure if !failed => Some("nothing has failed"),
            _ => None,
        }
    }

    /// Runs the entry with this id.
    pub(super) fn run_command(&mut self, id: &str, cx: &mut Cx) {
        if let Some((_, action, _, needs)) = TABLE.iter().find(|(other, ..)| *other == id)
            && self.lacks(*needs).is_none()
        {
            self.act(*action, cx);
        }
    }
}
