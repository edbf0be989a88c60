//! What the palette offers of this tab: one table for titles, keys and what they do.

use super::Chat;
use super::keys::Action;
use super::state::{Focus, State};
use crate::tabs::Cx;
use crate::tabs::tab::Command;

/// What has to be so for a command to make sense.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    Nothing,
    /// Something was said.
    Turn,
    /// Something was said and nothing is under way.
    Rest,
    /// An answer is under way.
    Busy,
    /// The last answer can be continued.
    Unfinished,
    /// Something is in the trash since this program began.
    Trashed,
}

type Row = (&'static str, Action, &'static str, &'static str, Needs);

/// Id, action, key, title, need.
#[rustfmt::skip]
const TABLE: [Row; 27] = [
    ("new", Action::New, "n", "new conversation", Needs::Nothing),
    ("rename", Action::Rename, "e", "rename this conversation", Needs::Turn),
    ("trash", Action::Trash, "x", "move this conversation to the trash", Needs::Turn),
    ("undo", Action::Undo, "u", "bring back what was trashed last", Needs::Trashed),
    ("system", Action::System, "p", "system prompt", Needs::Nothing),
    ("params", Action::Params, "t", "parameters", Needs::Nothing),
    ("role", Action::NextRole, "^O", "role of the next message", Needs::Nothing),
    ("stop", Action::Stop, "esc", "stop the answer", Needs::Busy),
    ("regenerate", Action::Regenerate, "r", "regenerate the last answer", Needs::Rest),
    ("edit", Action::Edit, "e", "edit the last message and resend", Needs::Turn),
    ("continue", Action::Continue, "c", "continue the last answer", Needs::Unfinished),
    ("older", Action::Older, "<", "version before", Needs::Turn),
    ("newer", Action::Newer, ">", "version after", Needs::Turn),
    ("beside", Action::SideBySide, "D", "versions side by side", Needs::Turn),
    ("copy", Action::CopyRaw, "Y", "copy the last message, raw", Needs::Turn),
    ("block", Action::CopyBlock, "y", "copy the selected block", Needs::Turn),
    ("save", Action::Save, "s", "save the selected block to a file", Needs::Turn),
    ("find", Action::Find, "/", "find in this conversation", Needs::Turn),
    ("follow", Action::Follow, "f", "follow the answer or stay", Needs::Turn),
    ("fold", Action::Fold, "z", "fold or unfold a long message", Needs::Turn),
    ("reasoning", Action::Reasoning, "o", "show or hide the reasoning", Needs::Turn),
    ("raw", Action::Raw, "R", "raw text or Markdown", Needs::Turn),
    ("details", Action::Details, "d", "details of a failure", Needs::Turn),
    ("external", Action::External, "F4", "write in $EDITOR", Needs::Nothing),
    ("expand", Action::ExpandPaste, "^G", "show a pasted text in full", Needs::Nothing),
    ("filter", Action::Filter, "/", "filter conversations", Needs::Nothing),
    ("list", Action::SideList, "b", "show or hide the list", Needs::Nothing),
];

impl Chat {
    pub(super) fn table(&self) -> Vec<Command> {
        TABLE
            .iter()
            .map(|(id, _, key, title, needs)| Command {
                id,
                title: format!("Chat: {title}"),
                key: (*key).to_owned(),
                disabled: self.lacks(*needs).map(str::to_owned),
            })
            .collect()
    }

    /// Why something cannot be done now.
    fn lacks(&self, needs: Needs) -> Option<&'static str> {
        let room = self.state.room();
        let last = room.path.last().and_then(|id| room.tree.turn(*id));
        match needs {
            Needs::Nothing => None,
            Needs::Busy => (!room.is_busy()).then_some("nothing is streaming"),
            Needs::Trashed => self.state.trashed.is_empty().then_some("nothing was trashed"),
            _ if last.is_none() => Some("nothing was said yet"),
            Needs::Rest | Needs::Unfinished if room.is_busy() => Some("an answer is under way"),
            Needs::Turn | Needs::Rest => None,
            Needs::Unfinished => (!last.is_some_and(State::unfinished)).then_some("the last answer is complete"),
        }
    }

    pub(super) fn run(&mut self, id: &str, cx: &mut Cx) {
        let Some((_, action, ..)) = TABLE.iter().find(|(known, ..)| *known == id) else { return };
        // These act on the conversation, whichever pane has the keys.
        if self.state.focus == Focus::List {
            self.state.focus = Focus::Transcript;
        }
        match action {
            Action::Rename => self.begin_rename(self.state.open),
            // The key means the next match while something is looked for; the command does not.
            Action::New => self.state.fresh(cx),
            action => self.act(*action, cx),
        }
    }
}
