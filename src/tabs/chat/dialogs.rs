//! Dialogs over the panes, and what their answers do.

use crossterm::event::{KeyCode, KeyEvent};

use super::state::{Answer, ChatPane, State};
use super::{Chat, marks};
use crate::component::{Component, ConfirmDialog, Cx, EditorDialog, FailureDetails, Find, Handled, LinePrompt};
use crate::record::Id;
use crate::text::Untrusted;
use crate::ui::editor::Editor;
use crate::ui::line::Line;
use crate::ui::overlay::Confirm;

/// Columns and rows of the system prompt at most.
const SYSTEM: (u16, u16) = (76, 16);
/// Columns and rows of a message that is edited.
const MESSAGE: (u16, u16) = (96, 20);

impl State {
    /// Returns whether something lies over the panes and takes the keys.
    pub(super) fn is_covered(&self) -> bool {
        self.modals.is_open() || self.find.is_typing() || self.marked.is_some()
    }

    /// Asks for a conversation's title.
    pub(super) fn open_rename(&mut self, id: Id) {
        let title = self.list.items.head(id).map(|head| Line::edit(&head.conversation.title)).unwrap_or_default();
        let answer = move |title: &str, _| Answer::Rename(id, title.to_owned());
        self.modals.open(LinePrompt::new("Title", ("rename", "⏎ rename  esc cancel"), title, answer));
    }

    /// Asks for the words that conversations are filtered by.
    pub(super) fn open_filter(&mut self) {
        let line = Line::edit(self.list.items.words());
        let prompt =
            LinePrompt::new("Filter conversations", ("keep", "⏎ keep  esc clear"), line, |_, _| Answer::FilterKept);
        self.modals.open(prompt.emitting(|words| Answer::Filter(words.to_owned())).cancelled(|| Answer::FilterCleared));
    }

    /// Asks where a text goes, first at this path.
    pub(super) fn open_save(&mut self, path: String, text: Untrusted) {
        let answer = move |path: &str, _| Answer::SaveAs(path.to_owned(), text.clone());
        self.modals.open(LinePrompt::new(
            "Save to a new file",
            ("save", "⏎ save  esc cancel"),
            Line::new(path),
            answer,
        ));
    }

    /// Opens the system prompt; as everything typed, it is kept as it changes.
    pub(super) fn open_system(&mut self) {
        let mut editor = Editor::new("How the model should behave; empty: nothing is sent");
        editor.set_text(&self.conversation().record.system);
        let dialog = EditorDialog::new("System prompt", SYSTEM, editor, |_| Answer::SystemClosed);
        self.modals.open(dialog.emitting(Answer::System));
    }

    /// Opens an editor for what an answer should have been.
    pub(super) fn open_ideal(&mut self, turn: Id, text: &Untrusted) {
        let mut editor = Editor::new("What the answer should have been; empty: the mark as it was");
        editor.edit(text);
        let title = "What the answer should have been";
        self.modals.open(EditorDialog::new(title, MESSAGE, editor, move |text| Answer::Ideal(turn, text)));
    }

    /// Opens an editor for another text of a message.
    pub(super) fn open_change(&mut self, turn: Id, text: &Untrusted) {
        let mut editor = Editor::new("The message's text; empty: it stays as it was");
        editor.edit(text);
        self.modals.open(EditorDialog::new("Edit in place", MESSAGE, editor, move |text| Answer::Change(turn, text)));
    }

    /// Asks whether a conversation is deleted for good.
    pub(super) fn open_purge(&mut self, id: Id) {
        let title = self.list.items.head(id).map(|head| head.conversation.title.line().into_owned());
        let title = title.filter(|title| !title.is_empty()).unwrap_or_else(|| "Draft".to_owned());
        let lines = vec![format!("“{title}”").into(), "".into(), "This cannot be undone.".into()];
        self.modals.open(ConfirmDialog::new(Confirm::new("Delete for good?", lines, "Delete"), Answer::Purge(id)));
    }

    /// Shows why an answer failed; whether it did.
    pub(super) fn open_details(&mut self, turn: Id) -> bool {
        let Some(why) = self.conversation().failures.get(&turn).cloned() else { return false };
        self.modals.open(FailureDetails::new(why));
        true
    }

    /// The program ends: a dialog with a text answers with it.
    pub(super) fn close_editor(&mut self, cx: &mut Cx) -> Option<Answer> {
        self.modals.editable()?;
        match self.modals.key(KeyEvent::from(KeyCode::Esc), cx) {
            Handled::Emit(answer) => Some(answer),
            Handled::Consumed | Handled::Ignored => None,
        }
    }
}

impl Chat {
    /// Passes a key to what lies over the panes; returns whether something does.
    pub(super) fn covered_key(&mut self, key: KeyEvent, cx: &mut Cx) -> bool {
        let handled = self.state.modals.key(key, cx);
        if self.handle_dialog(handled, cx) {
            return true;
        }
        if self.state.find.is_typing() {
            match self.state.find.key(key) {
                Find::Ignored => {}
                Find::Changed | Find::Cleared => self.view.transcript().find(self.state.find.words()),
                Find::Done => self.state.focus = ChatPane::Transcript,
            }
            return true;
        }
        let handled = self.state.marked.as_mut().map_or(Handled::Ignored, |page| page.key(key, cx));
        self.page_did(handled, cx)
    }

    /// Does what the page of marked answers asks for. Returns whether the event was the page's.
    pub(super) fn page_did(&mut self, handled: Handled<marks::Event>, cx: &mut Cx) -> bool {
        let event = match handled {
            Handled::Ignored => return false,
            Handled::Consumed => return true,
            Handled::Emit(event) => event,
        };
        match event {
            marks::Event::Close => self.state.marked = None,
            marks::Event::Open(conversation, turn) => {
                self.state.marked = None;
                self.state.open_marked(conversation, turn, cx);
            }
            marks::Event::Unmark(conversation, turn) => self.state.unmark(turn, conversation, cx),
            marks::Event::Save(file) => self.state.save_rows(file.path, file.text, file.words, cx),
        }
        true
    }

    /// Does what a dialog asks for. Returns whether the event was a dialog's.
    pub(super) fn handle_dialog(&mut self, handled: Handled<Answer>, cx: &mut Cx) -> bool {
        match handled {
            Handled::Ignored => return false,
            Handled::Consumed => {}
            Handled::Emit(answer) => self.answer(answer, cx),
        }
        true
    }

    /// Does what a dialog was answered with.
    pub(super) fn answer(&mut self, answer: Answer, cx: &mut Cx) {
        let state = &mut self.state;
        match answer {
            Answer::Rename(id, title) => state.rename(id, &title, cx),
            Answer::Filter(words) => state.set_filter(&words, cx),
            Answer::FilterKept => state.list.move_by(0),
            Answer::FilterCleared => state.list.items.filter(""),
            Answer::SaveAs(path, text) => state.save_file(path, text, cx),
            Answer::System(text) if text == state.conversation().record.system => {}
            Answer::System(text) => state.set_system(text, cx.now),
            Answer::SystemClosed => state.save_draft(cx),
            Answer::Ideal(turn, text) => state.end_ideal(turn, &text, cx),
            Answer::Change(turn, text) => state.finish_turn_edit(turn, text, cx),
            Answer::Purge(id) => state.purge(id, cx),
        }
    }
}
