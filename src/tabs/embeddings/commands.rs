//! What the palette offers of this tab: one table for titles, keys and what they do.

use super::Embed;
use super::keys::Action;
use crate::component::{Command, Cx, keywords};

/// What has to be so for a command to make sense.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    Nothing,
    /// There is a text.
    Text,
    /// There are two.
    Two,
    /// There are vectors.
    Vectors,
    /// A run is under way.
    Busy,
    /// None is.
    Rest,
    /// Something failed.
    Failure,
    /// Something can be undone.
    Undo,
}

/// Id, action, title, need.
#[rustfmt::skip]
const TABLE: [(&str, Action, &str, Needs); 27] = [
    ("run", Action::Run, "embed what has no vector yet", Needs::Text),
    ("pause", Action::Pause, "pause or go on", Needs::Busy),
    ("add", Action::Add, "add a text", Needs::Nothing),
    ("edit", Action::Edit, "edit the text", Needs::Text),
    ("external", Action::External, "edit the text in $EDITOR", Needs::Text),
    ("delete", Action::Delete, "delete the text", Needs::Text),
    ("undo", Action::Undo, "undo the last change of the list", Needs::Undo),
    ("file", Action::File, "texts from a file", Needs::Rest),
    ("lists", Action::Lists, "files that were opened", Needs::Rest),
    ("typed", Action::Typed, "back to the typed texts", Needs::Rest),
    ("inputs", Action::Inputs, "inputs", Needs::Nothing),
    ("map", Action::Map, "map", Needs::Two),
    ("pairs", Action::Pairs, "pairs and near-duplicates", Needs::Two),
    ("query", Action::Query, "rank by a text that is typed", Needs::Two),
    ("compare", Action::Compare, "compare two models or two lengths", Needs::Two),
    ("hygiene", Action::Hygiene, "what the vectors are like", Needs::Vectors),
    ("order", Action::Order, "order by cluster, or as typed", Needs::Vectors),
    ("scale", Action::Scale, "colours from 0 to 1, or from least to most", Needs::Vectors),
    ("dimensions", Action::Dimensions, "dimensions", Needs::Nothing),
    ("model", Action::Model, "model", Needs::Nothing),
    ("newlines", Action::Newlines, "newlines as spaces, or as they are", Needs::Nothing),
    ("load", Action::Load, "load the vectors that are on disk", Needs::Text),
    ("export", Action::Export, "export vectors or matrix", Needs::Vectors),
    ("import", Action::Import, "import vectors or a matrix", Needs::Rest),
    ("find", Action::Find, "find a text", Needs::Text),
    ("offer", Action::Offer, "send the texts to another tab", Needs::Text),
    ("details", Action::Details, "details of the failure", Needs::Failure),
];

/// Other words for some of them, by id.
const KEYWORDS: [(&str, &str); 16] = [
    ("run", "vectors"),
    ("file", "import open csv"),
    ("lists", "history recent"),
    ("map", "plot scatter projection"),
    ("pairs", "similar"),
    ("query", "search nearest similarity"),
    ("hygiene", "quality statistics"),
    ("scale", "color"),
    ("model", "choose switch"),
    ("load", "cache"),
    ("export", "save npy csv"),
    ("import", "open npy csv"),
    ("find", "search"),
    ("offer", "share"),
    ("details", "error"),
    ("external", "editor"),
];

impl Embed {
    pub(super) fn table(&self) -> Vec<Command> {
        let key = |action| {
            let key = self.inputs_keys.key(action);
            if key.is_empty() { self.matrix_keys.key(action) } else { key }
        };
        let command = |(id, action, title, needs): &(&'static str, Action, &'static str, Needs)| Command {
            id,
            title: format!("Embed: {title}"),
            key: key(*action),
            disabled: self.lacks(*needs).map(str::to_owned),
            keywords: keywords(&KEYWORDS, id),
        };
        let stop = Command {
            id: "stop",
            title: "Embed: stop".to_owned(),
            key: "esc".to_owned(),
            disabled: self.state.job.is_none().then(|| "nothing runs".to_owned()),
            keywords: "cancel",
        };
        let mut commands: Vec<Command> = TABLE.iter().map(command).collect();
        commands.insert(1, stop);
        commands
    }

    /// What is missing for a command; `None`: nothing.
    fn lacks(&self, needs: Needs) -> Option<&'static str> {
        let state = &self.state;
        let texts = state.read.texts.len();
        match needs {
            Needs::Text if texts == 0 => Some("there is no text (add one: a)"),
            Needs::Two if texts < 2 => Some("needs 2 texts (add one: a)"),
            Needs::Vectors if state.read.table.is_none() && state.read.matrix.is_none() => {
                Some("there are no vectors (embed: ^R)")
            }
            Needs::Busy if state.job.is_none() => Some("nothing runs"),
            Needs::Rest if state.is_busy() => Some("a run is under way"),
            Needs::Failure if state.failure.is_none() => Some("nothing has failed"),
            Needs::Undo if state.undo.is_empty() => Some("nothing was changed"),
            _ => None,
        }
    }

    /// Runs the entry with this id.
    pub(super) fn run_command(&mut self, id: &str, cx: &mut Cx) {
        self.state.choosing = false;
        // What is being typed stands in a row: it is taken before rows change their places.
        if id != "external" {
            self.state.written(false, cx);
        }
        if id == "stop" {
            self.state.stop(cx);
        } else if let Some((_, action, _, needs)) = TABLE.iter().find(|(other, ..)| *other == id)
            && self.lacks(*needs).is_none()
        {
            self.act(*action, cx);
        }
        self.state.pump(cx);
    }
}
