//! Dialogs over the panes, and what their answers do.

use crossterm::event::{KeyCode, KeyEvent};

use super::Chat;
use super::marks::MarksEvent;
use super::state::{ChatPane, DialogAnswer, State};
use crate::component::{
    Component, ConfirmDialog, Cx, EditorDialog, FailureDetails, FindBarEvent, Handled, LinePrompt, PathInput,
    PathPrompt, Wanted,
};
use crate::record::Id;
use crate::text::Untrusted;
use crate::ui::editor::Editor;
use crate::ui::overlay::Confirm;
use crate::ui::text_field::TextField;

/// Columns and rows of the system prompt at most.
const SYSTEM: (u16, u16) = (76, 16);
/// Columns and rows of a message that is edited.
const MESSAGE: (u16, u16) = (96, 20);

impl State {
    /// Returns whether something lies over the panes or is typed in one, and takes the keys.
    pub(super) fn is_covered(&self) -> bool {
        self.modals.is_open() || self.is_finding() || self.marks_page.is_some()
    }

    /// Returns whether words to find or to filter by are typed.
    pub(super) fn is_finding(&self) -> bool {
        self.find.is_typing() || self.list.typing()
    }

    /// Asks for a conversation's title.
    pub(super) fn open_rename(&mut self, id: Id) {
        let title = self.list.items.head(id).map(|head| TextField::edit(&head.conversation.title)).unwrap_or_default();
        let answer = move |title: &str, _| DialogAnswer::Rename(id, title.to_owned());
        self.modals.open(LinePrompt::new("Title", "rename", title, answer));
    }

    /// Asks where a text goes, first at this path.
    pub(super) fn open_save(&mut self, path: &str, text: Untrusted) {
        let answer = move |path, _| DialogAnswer::SaveAs(path, text.clone());
        self.modals.open(PathPrompt::save("Save to a new file", "save", path, answer));
    }

    /// Asks for the path of a file that goes with the message, first the part of it that is typed there.
    pub(super) fn open_attach(&mut self, begun: &str, cx: &mut Cx) {
        let mut input = PathInput::new(Wanted::File, begun);
        input.ask(cx);
        self.modals.open(PathPrompt::new("Attach a file", "attach", input, DialogAnswer::Attach).attachable());
    }

    /// Opens the system prompt; as everything typed, it is kept as it changes.
    pub(super) fn open_system(&mut self) {
        let mut editor = Editor::new("How the model should behave; if empty, none is sent");
        editor.set_text(&self.conversation().record.system);
        let dialog = EditorDialog::new("System prompt", SYSTEM, editor, |_| DialogAnswer::SystemClosed);
        self.modals.open(dialog.emitting(DialogAnswer::System));
    }

    /// Opens an editor for what an answer should have been.
    pub(super) fn open_ideal(&mut self, turn: Id, text: &Untrusted) {
        let mut editor = Editor::new("What the answer should have been; if empty, the mark stays as it is");
        editor.edit(text);
        let title = "What the answer should have been";
        self.modals.open(EditorDialog::new(title, MESSAGE, editor, move |text| DialogAnswer::Ideal(turn, text)));
    }

    /// Opens an editor for another text of a message.
    pub(super) fn open_change(&mut self, turn: Id, text: &Untrusted) {
        let mut editor = Editor::new("The message's text; if empty, it stays as it is");
        editor.edit(text);
        self.modals
            .open(EditorDialog::new("Edit in place", MESSAGE, editor, move |text| DialogAnswer::Change(turn, text)));
    }

    /// Asks whether a conversation is deleted for good.
    pub(super) fn open_purge(&mut self, id: Id) {
        let title = self.list.items.head(id).map(|head| head.conversation.title.line().into_owned());
        let title = title.filter(|title| !title.is_empty()).unwrap_or_else(|| "Draft".to_owned());
        let lines = vec![format!("“{title}”").into(), "".into(), "This cannot be undone.".into()];
        self.modals
            .open(ConfirmDialog::new(Confirm::new("Delete for good?", lines, "Delete"), DialogAnswer::Purge(id)));
    }

    /// Asks for a file with definitions of tools.
    pub(super) fn open_tools_file(&mut self) {
        let title = "Which file defines the tools?";
        self.modals.open(PathPrompt::new(title, "read", PathInput::default(), DialogAnswer::Tools).contents());
    }

    /// Shows why an answer failed. Returns whether it did.
    pub(super) fn open_details(&mut self, turn: Id) -> bool {
        let Some(why) = self.conversation().failures.get(&turn).cloned() else { return false };
        self.modals.open(FailureDetails::new(why));
        true
    }

    /// Closes a dialog with a text, as the program ends, and returns its answer.
    pub(super) fn close_editor(&mut self, cx: &mut Cx) -> Option<DialogAnswer> {
        self.modals.editable()?;
        match self.modals.key(KeyEvent::from(KeyCode::Esc), cx) {
            Handled::Emit(answer) => Some(answer),
            Handled::Consumed | Handled::Ignored => None,
        }
    }
}

impl Chat {
    /// Passes a key to what lies over the panes. Returns whether something does.
    pub(super) fn covered_key(&mut self, key: KeyEvent, cx: &mut Cx) -> bool {
        if self.state.modals.key(key, cx).act(|answer| self.answer(answer, cx)) {
            return true;
        }
        if self.state.find.is_typing() {
            match self.state.find.key(key) {
                FindBarEvent::Ignored | FindBarEvent::Moved(_) => {}
                FindBarEvent::Changed | FindBarEvent::Cancelled => self.view.transcript().find(self.state.find.text()),
                FindBarEvent::Submitted => self.state.focus = ChatPane::Transcript,
            }
            return true;
        }
        if self.state.list.typing() {
            return self.state.list.key(key, cx).act(|event| self.list_event(event, cx));
        }
        let handled = self.state.marks_page.as_mut().map_or(Handled::Ignored, |page| page.key(key, cx));
        handled.act(|event| self.marks_event(event, cx))
    }

    /// Does what the page of marked answers asks for.
    pub(super) fn marks_event(&mut self, event: MarksEvent, cx: &mut Cx) {
        match event {
            MarksEvent::Close => self.state.marks_page = None,
            MarksEvent::Open(conversation, turn) => {
                self.state.marks_page = None;
                self.state.open_marked(conversation, turn, cx);
            }
            MarksEvent::Unmark(conversation, turn) => self.state.unmark(turn, conversation, cx),
            MarksEvent::Save(file) => self.state.save_rows(file.path, file.text, file.words, cx),
        }
    }

    /// Does what a dialog was answered with.
    pub(super) fn answer(&mut self, answer: DialogAnswer, cx: &mut Cx) {
        let state = &mut self.state;
        match answer {
            DialogAnswer::Rename(id, title) => state.rename(id, &title, cx),
            DialogAnswer::SaveAs(path, text) => state.save_file(path, text, cx),
            DialogAnswer::System(text) if text == state.conversation().record.system => {}
            DialogAnswer::System(text) => state.set_system(text, cx.now),
            DialogAnswer::SystemClosed => state.save_draft(cx),
            DialogAnswer::Ideal(turn, text) => state.end_ideal(turn, &text, cx),
            DialogAnswer::Change(turn, text) => state.finish_turn_edit(turn, text, cx),
            DialogAnswer::Purge(id) => state.purge(id, cx),
            DialogAnswer::CallResult(call, source) => state.begin_result(*call, source, cx),
            DialogAnswer::ResultText(call, text) => state.fill_result(*call, &text, cx),
            DialogAnswer::Tools(text) => state.set_param("tools", &text, cx),
            DialogAnswer::Attach(path) => {
                state.composer.attach(&path, cx.now);
                state.focus = ChatPane::Composer;
            }
        }
    }
}
