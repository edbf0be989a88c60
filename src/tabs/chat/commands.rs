//! What the palette offers of this tab: one table for titles, keys and what they do.

use super::Chat;
use super::keys::Action;
use super::state::{Focus, State};
use crate::component::{Command, Cx, keywords};

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
    /// Something was done that can be taken back.
    Undo,
    /// The conversation is in the trash.
    InTrash,
    /// Something is looked for.
    Finding,
    /// Several models answer.
    Trial,
}

type Row = (&'static str, Action, &'static str, Needs);

/// Id, action, title, need.
#[rustfmt::skip]
const TABLE: [Row; 44] = [
    ("new", Action::New, "new conversation", Needs::Nothing),
    ("rename", Action::Rename, "rename this conversation", Needs::Turn),
    ("trash", Action::Trash, "move this conversation to the trash", Needs::Turn),
    ("undo", Action::Undo, "undo: bring back what was trashed, deleted or edited last", Needs::Undo),
    ("purge", Action::Purge, "delete this conversation for good", Needs::InTrash),
    ("write", Action::Write, "write a message", Needs::Nothing),
    ("system", Action::System, "system prompt", Needs::Nothing),
    ("params", Action::Params, "parameters", Needs::Nothing),
    ("role", Action::NextRole, "role of the next message", Needs::Nothing),
    ("stop", Action::Stop, "stop the answer", Needs::Busy),
    ("regenerate", Action::Regenerate, "regenerate the last answer", Needs::Rest),
    ("edit", Action::Edit, "edit the last message and resend", Needs::Turn),
    ("change", Action::Change, "edit the last message in place", Needs::Turn),
    ("delete", Action::DeleteTurn, "delete the last message", Needs::Turn),
    ("curl", Action::Curl, "copy the conversation's request as a curl command", Needs::Turn),
    ("continue", Action::Continue, "continue the last answer", Needs::Unfinished),
    ("older", Action::Older, "version before", Needs::Turn),
    ("newer", Action::Newer, "version after", Needs::Turn),
    ("beside", Action::SideBySide, "versions side by side", Needs::Turn),
    ("alone", Action::EndTrial, "let one model answer again", Needs::Trial),
    ("mark", Action::Mark, "mark the last answer as good, or take it back", Needs::Turn),
    ("ideal", Action::Ideal, "write what the last answer should have been", Needs::Turn),
    ("marks", Action::Marks, "all marked answers: search, make training rows", Needs::Nothing),
    ("copy", Action::CopyRaw, "copy the last message, raw", Needs::Turn),
    ("offer", Action::Offer, "send the last message to another tab", Needs::Turn),
    ("whole", Action::OfferAll, "send the conversation to another tab", Needs::Turn),
    ("block", Action::CopyBlock, "copy the selected block", Needs::Turn),
    ("save", Action::Save, "save the selected block to a file", Needs::Turn),
    ("find", Action::Find, "find in this conversation", Needs::Turn),
    ("next", Action::New, "next match", Needs::Finding),
    ("previous", Action::FindBack, "previous match", Needs::Finding),
    ("top", Action::Top, "to the first message", Needs::Turn),
    ("end", Action::Bottom, "to the end", Needs::Turn),
    ("follow", Action::Follow, "follow the answer or stay", Needs::Turn),
    ("fold", Action::Fold, "fold or unfold a long message", Needs::Turn),
    ("reasoning", Action::Reasoning, "show or hide the reasoning", Needs::Turn),
    ("probabilities", Action::Probabilities, "what the model thought of each token", Needs::Turn),
    ("raw", Action::Raw, "raw text or Markdown", Needs::Turn),
    ("details", Action::Details, "details of a failure", Needs::Turn),
    ("draft", Action::NextDraft, "another draft of this conversation", Needs::Nothing),
    ("external", Action::External, "write in $EDITOR", Needs::Nothing),
    ("expand", Action::ExpandPaste, "show a pasted text in full", Needs::Nothing),
    ("filter", Action::Filter, "filter conversations", Needs::Nothing),
    ("list", Action::SideList, "show or hide the list", Needs::Nothing),
];

/// Other words for some of them, by id.
const KEYWORDS: [(&str, &str); 23] = [
    ("new", "start blank"),
    ("rename", "title name"),
    ("trash", "delete remove"),
    ("purge", "erase remove"),
    ("system", "instructions persona"),
    ("params", "settings temperature options"),
    ("regenerate", "retry again"),
    ("edit", "change branch"),
    ("older", "previous branch"),
    ("newer", "next branch"),
    ("beside", "compare diff"),
    ("marks", "export dataset jsonl"),
    ("copy", "clipboard yank"),
    ("offer", "share"),
    ("whole", "share"),
    ("block", "clipboard yank code"),
    ("save", "export download code"),
    ("find", "search"),
    ("probabilities", "logprobs tokens"),
    ("details", "error"),
    ("external", "editor"),
    ("filter", "search"),
    ("list", "sidebar history"),
];

impl Chat {
    pub(super) fn table(&self) -> Vec<Command> {
        TABLE
            .iter()
            .map(|(id, action, title, needs)| Command {
                id,
                title: format!("Chat: {title}"),
                key: self.key_of(*action),
                disabled: self.lacks(*needs).map(str::to_owned),
                keywords: keywords(&KEYWORDS, id),
            })
            .collect()
    }

    /// The key for an action, in whichever pane it has one.
    fn key_of(&self, action: Action) -> String {
        if action == Action::Stop {
            return "esc".to_owned();
        }
        let maps = [&self.transcript_keys, &self.list_keys, &self.composer_keys];
        maps.iter().map(|map| map.key(action)).find(|key| !key.is_empty()).unwrap_or_default()
    }

    /// Why something cannot be done now.
    fn lacks(&self, needs: Needs) -> Option<&'static str> {
        let room = self.state.room();
        let last = room.path.last().and_then(|id| room.tree.turn(*id));
        match needs {
            Needs::Nothing => None,
            Needs::Busy => (!room.is_busy()).then_some("nothing is streaming"),
            Needs::InTrash => room.conversation.trashed_ms.is_none().then_some("it is not in the trash"),
            Needs::Finding => self.state.find.words().is_empty().then_some("nothing is looked for; find first"),
            Needs::Trial => (!self.state.is_trial()).then_some("one model answers here"),
            Needs::Undo => self.state.undos.is_empty().then_some("nothing to undo"),
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
            Action::Rename => self.state.open_rename(self.state.open),
            Action::Purge => self.state.open_purge(self.state.open),
            // One key for both: the next match while something is looked for.
            Action::New if id == "next" => self.find(false, cx),
            Action::New => self.state.fresh(cx),
            action => self.act(*action, cx),
        }
    }
}
