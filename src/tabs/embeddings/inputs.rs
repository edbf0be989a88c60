//! Adds typed, pasted and sample texts to the list.

use std::time::Instant;

use crossterm::event::KeyEvent;

use super::editing::{NewText, RowEditor};
use super::embedded_list::EmbeddedList;
use super::keys::TypingAction;
use super::pane_data::Page;
use super::state::{Answer, State};
use crate::component::{Cx, Effect, Notice, Question};
use crate::text::Untrusted;
use crate::ui::editor::Editor;

/// The sample texts with their labels.
pub(super) const SAMPLE: [(&str, &str); 8] = [
    ("refund within 30 days", "refunds"),
    ("money back guarantee", "refunds"),
    ("return unused shoes", "refunds"),
    ("shipping costs", "delivery"),
    ("delivery takes 5 days", "delivery"),
    ("change my password", "account"),
    ("reset login", "account"),
    ("日本語: 返金について", "refunds"),
];

impl State {
    /// Opens the box for a new text, or for one that is there.
    pub(super) fn start_editing(&mut self, row: Option<usize>, cx: &mut Cx) {
        let row = row.filter(|row| *row < self.list.data.texts.len());
        let is_possible = if row.is_some() { self.list.can_change(cx) } else { self.list.can_add(1, cx) };
        if !is_possible {
            return;
        }
        let mut editor = Editor::new("a text to embed");
        if let Some(row) = row {
            editor.edit(&self.list.data.texts[row].text);
        }
        self.view.page = Page::Inputs;
        self.editing = Some(RowEditor { row, editor, enter_newline: cx.session.enter.inserts_newline });
    }

    /// Handles a key while a text is typed.
    pub(super) fn editing_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let Some(row_editor) = &mut self.editing else { return };
        match row_editor.bindings().find(&key) {
            Some(TypingAction::TakeNext) => {
                if self.finish_editing(cx) {
                    self.start_editing(None, cx);
                }
            }
            Some(TypingAction::Take) => {
                self.finish_editing(cx);
            }
            Some(TypingAction::Newline) => row_editor.editor.insert_newline(cx.now),
            Some(TypingAction::Embed) => {
                self.finish_editing(cx);
                self.run(cx);
            }
            Some(TypingAction::External) => cx.push(Effect::EditText),
            None => drop(cx.type_into(&mut row_editor.editor, key)),
        }
    }

    /// Puts the text of the box into the list and closes the box; a text that the list refuses goes to the clipboard.
    /// Returns whether a text was added.
    pub(super) fn finish_editing(&mut self, cx: &mut Cx) -> bool {
        let Some(RowEditor { row, editor, .. }) = self.editing.take() else { return false };
        let text = Untrusted::from(editor.text());
        if let Some(row) = row.filter(|row| *row < self.list.data.texts.len()) {
            self.change_list(cx, |list, _| list.rewrite(row, text));
            return false;
        }
        if text.is_empty() {
            return false;
        }
        if !self.list.can_add(1, cx) {
            // The list has become another one while it was typed.
            cx.copy(text);
            return false;
        }
        self.add(vec![text.into()], cx);
        true
    }

    /// Adds texts at the end; the cursor goes to the first of them.
    pub(super) fn add(&mut self, texts: Vec<NewText>, cx: &mut Cx) {
        if self.list.can_add(texts.len(), cx) {
            self.saves.settings_changed |= self.list.storage.begin(cx);
            self.change_list(cx, |list, cx| list.add(texts, cx));
        }
    }

    /// Changes the list by a method that returns whether it did.
    pub(super) fn change_list(&mut self, cx: &mut Cx, change: impl FnOnce(&mut EmbeddedList, &mut Cx) -> bool) {
        if change(&mut self.list, cx) {
            self.texts_changed(cx.now);
        }
    }

    /// Plans to save the list, and clears the summary of the last run, which was about other texts.
    pub(super) fn texts_changed(&mut self, now: Instant) {
        self.run.summary = None;
        self.saves.plan(now);
        self.list.texts_changed(now);
    }

    /// Passes pasted text to the dialog, find bar, box or pane that takes text; otherwise adds it to the list.
    pub(super) fn paste(&mut self, text: &str, cx: &mut Cx) {
        if self.modals.paste(text, cx).act(|answer| self.answer(answer, cx)) {
            return;
        }
        if self.find.bar.paste(text) {
            return self.find_typed();
        }
        if let Some(row_editor) = &mut self.editing {
            if let Err(why) = row_editor.editor.paste(text) {
                cx.notify(Notice::warn(why));
            }
            return;
        }
        if let Some(pane) = self.list.panes.get_mut(self.view.page).filter(|pane| pane.typing()) {
            pane.paste(text, cx);
            return;
        }
        let lines: Vec<NewText> =
            text.lines().filter(|line| !line.trim().is_empty()).map(|line| Untrusted::from(line).into()).collect();
        let whole = vec![Untrusted::from(text.trim_end_matches('\n')).into()];
        match lines.len() {
            0 => {}
            1 => self.add(whole, cx),
            count => {
                let said = format!("{count} lines were pasted. Is each line a separate text?");
                self.modals.open(
                    Question::new("Paste", vec![said.into()])
                        .answer('l', "one text per line", Answer::Add(lines))
                        .answer('t', "one text in all", Answer::Add(whole)),
                );
            }
        }
    }

    /// Adds the sample texts. The local service, which costs nothing, embeds them at once.
    pub(super) fn add_sample(&mut self, cx: &mut Cx) {
        let new = |(text, label): (&str, &str)| NewText {
            text: text.into(),
            label: Some(label.into()),
            ..NewText::default()
        };
        self.add(SAMPLE.map(new).into(), cx);
        self.list.move_cursor(0, Some(1));
        self.view.page = Page::Matrix;
        if cx.session.local {
            self.run(cx);
        }
    }
}
