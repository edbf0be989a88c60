//! What the palette offers of this tab: one table for titles, keys and what they do.

use super::Moderate;
use super::keys::Action;
use crate::component::{Command, Cx, keywords};

/// What has to be so for a command to make sense.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    Nothing,
    /// There is a text.
    Text,
    /// There are results.
    Results,
    /// A text was deleted.
    Deleted,
    /// Something runs.
    Busy,
    /// A check failed.
    Failure,
    /// A conversation was sent here.
    Turns,
}

/// Id, action, title, need.
#[rustfmt::skip]
const TABLE: [(&str, Action, &str, Needs); 26] = [
    ("run", Action::Run, "check what is new", Needs::Text),
    ("again", Action::Again, "check this column again", Needs::Text),
    ("stop", Action::Stop, "stop", Needs::Busy),
    ("add", Action::Add, "add a text", Needs::Nothing),
    ("edit", Action::Edit, "edit the text", Needs::Text),
    ("external", Action::External, "edit the text in $EDITOR", Needs::Text),
    ("delete", Action::Delete, "delete the text", Needs::Text),
    ("undo", Action::Undo, "bring the deleted text back", Needs::Deleted),
    ("file", Action::File, "a file of texts", Needs::Nothing),
    ("lists", Action::Lists, "files opened before", Needs::Nothing),
    ("turns", Action::Turns, "the conversation that was sent here", Needs::Turns),
    ("model", Action::AddModel, "add a model as a column", Needs::Nothing),
    ("unmodel", Action::DropModel, "remove this column's model", Needs::Text),
    ("thresholds", Action::Thresholds, "threshold profiles", Needs::Nothing),
    ("sort", Action::Sort, "sort by score, or by name", Needs::Results),
    ("families", Action::Families, "group by family", Needs::Results),
    ("differences", Action::Differences, "only differences", Needs::Results),
    ("beside", Action::Beside, "columns side by side", Needs::Text),
    ("past", Action::Past, "this text at other times", Needs::Text),
    ("origin", Action::Origin, "where it comes from, sentence by sentence", Needs::Text),
    ("blur", Action::Blur, "blur flagged texts, or show them", Needs::Nothing),
    ("details", Action::Details, "details of a failure", Needs::Failure),
    ("export", Action::Export, "export as CSV or JSON", Needs::Results),
    ("offer", Action::Offer, "send the text to another tab", Needs::Text),
    ("copy", Action::Copy, "copy the text", Needs::Text),
    ("curl", Action::Curl, "copy the request as curl", Needs::Text),
];

/// Other words for some of them, by id.
const KEYWORDS: [(&str, &str); 17] = [
    ("run", "classify moderate"),
    ("again", "retry"),
    ("file", "import open csv"),
    ("lists", "history recent"),
    ("model", "choose switch"),
    ("thresholds", "limits cutoff"),
    ("sort", "order"),
    ("differences", "disagreements compare"),
    ("past", "history"),
    ("origin", "explain why"),
    ("blur", "hide"),
    ("details", "error"),
    ("export", "save download"),
    ("offer", "share"),
    ("copy", "clipboard yank"),
    ("curl", "http"),
    ("external", "editor"),
];

impl Moderate {
    pub(super) fn table(&self) -> Vec<Command> {
        let command = |(id, action, title, needs): &(&'static str, Action, &'static str, Needs)| Command {
            id,
            title: format!("Moderate: {title}"),
            key: if *action == Action::Stop { "esc".to_owned() } else { self.bench_keys.key(*action) },
            disabled: self.lacks(*needs).map(str::to_owned),
            keywords: keywords(&KEYWORDS, id),
        };
        TABLE.iter().map(command).collect()
    }

    /// What is missing for a command; `None`: nothing.
    fn lacks(&self, needs: Needs) -> Option<&'static str> {
        let state = &self.state;
        match needs {
            Needs::Text if state.texts.len() == 0 => Some("there is no text (add one: a)"),
            Needs::Results if state.board.rows.is_empty() && !state.differences => {
                Some("nothing is checked yet (check: ^R)")
            }
            Needs::Deleted if !state.texts.has_gone() => Some("no text was deleted"),
            Needs::Busy if !state.is_busy() => Some("nothing runs"),
            Needs::Failure if !state.results.has_failures() => Some("nothing has failed"),
            Needs::Turns if state.turns.is_empty() => Some("none was sent (Chat's palette does it)"),
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
