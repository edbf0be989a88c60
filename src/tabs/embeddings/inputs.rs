//! The list of texts as it is typed: adding, editing in place, deleting with undo, moving.

use std::time::Instant;

use crossterm::event::KeyEvent;

use super::editing::{RowEditor, UndoEntry};
use super::keys::{TYPING, TYPING_NEWLINES, TypingAction};
use super::pane_data::{Page, TextItem};
use super::state::{Answer, REST, State};
use crate::component::{Cx, Effect, Notice, Question};
use crate::record::vectors::MATRIX;
use crate::record::{Id, TextKey};
use crate::text::Untrusted;
use crate::ui::editor::Editor;

/// Texts that are tried first, with their labels: the ones people ask a shop.
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

/// A text that is added.
#[derive(Clone, Debug, Default)]
struct NewText {
    name: Untrusted,
    text: Untrusted,
    label: Option<Untrusted>,
}

impl From<(Untrusted, Untrusted)> for NewText {
    fn from((name, text): (Untrusted, Untrusted)) -> Self {
        Self { name, text, label: None }
    }
}

impl State {
    /// Returns a text as it is sent: newlines may become spaces, as the OpenAI documentation advises.
    pub(super) fn sent(&self, text: &Untrusted) -> Untrusted {
        if self.sends_as_is() || !text.contains("\n") { text.clone() } else { without_line_ends(text.raw()).into() }
    }

    /// Returns whether newlines stay.
    pub(super) fn sends_as_is(&self) -> bool {
        self.saves.settings.keep_newlines || self.list.is_imported()
    }

    /// Newlines of all texts that become spaces.
    pub(super) fn newlines(&self) -> usize {
        if self.sends_as_is() {
            return 0;
        }
        let of = |text: &TextItem| text.text.raw().bytes().filter(|byte| *byte == b'\n').count();
        self.data.texts.iter().map(of).sum()
    }

    /// Returns whether the list may be changed here, which is said if not.
    fn can_change(&self, cx: &mut Cx) -> bool {
        let fits = self.data.texts.len() <= MATRIX;
        if !fits {
            cx.notify(Notice::warn(
                "a list of more than 2,000 texts cannot be edited; change its file and open it again",
            ));
        } else if self.list.is_imported() {
            cx.notify(Notice::warn("these texts came with their vectors; choose a model (M) to edit them"));
        }
        fits && !self.list.is_imported()
    }

    /// Opens the box for a new text, or for one that is there.
    pub(super) fn start_editing(&mut self, row: Option<usize>, cx: &mut Cx) {
        if !self.can_change(cx) {
            return;
        }
        let mut editor = Editor::new("a text to embed");
        if let Some(text) = row.and_then(|row| self.data.texts.get(row)) {
            editor.edit(&text.text);
        } else if row.is_some() {
            return self.start_editing(None, cx);
        }
        self.view.page = Page::Inputs;
        self.editing = Some(RowEditor { row, editor, enter_newline: cx.session.enter.inserts_newline });
    }

    /// Handles a key while a text is typed.
    pub(super) fn editing_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let Some(RowEditor { editor, enter_newline, .. }) = &mut self.editing else { return };
        let table = if *enter_newline { &TYPING_NEWLINES } else { &TYPING };
        match table.find(&key) {
            Some(TypingAction::TakeNext) => self.finish_editing(true, cx),
            Some(TypingAction::Take) => self.finish_editing(false, cx),
            Some(TypingAction::Newline) => editor.insert_newline(cx.now),
            Some(TypingAction::Embed) => {
                self.finish_editing(false, cx);
                self.run(cx);
            }
            Some(TypingAction::External) => cx.push(Effect::Edit),
            None => drop(cx.type_into(editor, key)),
        }
    }

    /// Takes what is in the box. `more`: after a new text comes another.
    pub(super) fn finish_editing(&mut self, more: bool, cx: &mut Cx) {
        let Some(writing) = self.editing.take() else { return };
        let text = Untrusted::from(writing.editor.text());
        match writing.row {
            Some(row) => self.rewrite(row, text, cx),
            None if text.is_empty() => {}
            None => {
                self.add(vec![(Untrusted::default(), text)], cx);
                if more {
                    self.start_editing(None, cx);
                }
            }
        }
    }

    /// Replaces the words of a text; empty words change nothing.
    pub(super) fn rewrite(&mut self, row: usize, text: Untrusted, cx: &mut Cx) {
        let Some(old) = self.data.texts.get(row) else { return };
        if old.text == text || text.is_empty() {
            return;
        }
        let (id, before) = (old.id, old.text.clone());
        self.reword(row, text);
        self.list.remember(UndoEntry::Edited(id, before));
        self.list.touch_rows([id]);
        self.changed(cx.now);
    }

    fn reword(&mut self, row: usize, text: Untrusted) {
        let sent = TextKey::of(&self.sent(&text));
        self.change_texts(|texts| {
            let old = &mut texts[row];
            (old.text, old.sent, old.tokens) = (text, sent, None);
        });
    }

    /// Adds texts (name, text) at the end; the cursor goes to the first of them.
    pub(super) fn add(&mut self, texts: Vec<(Untrusted, Untrusted)>, cx: &mut Cx) {
        self.add_labelled(texts.into_iter().map(NewText::from).collect(), cx);
    }

    fn add_labelled(&mut self, texts: Vec<NewText>, cx: &mut Cx) {
        if !self.can_change(cx) {
            return;
        }
        if self.data.texts.len() + texts.len() > MATRIX {
            return cx.notify(Notice::warn(
                "a typed list holds at most 2,000 texts; save these to a file and open it with f",
            ));
        }
        self.begin_list(cx);
        let first = self.data.texts.last().map_or(0, |text| text.place + 1);
        let texts = (first..).zip(texts.into_iter().filter(|new| !new.text.is_empty()));
        let item = |(place, NewText { name, text, label })| {
            let (id, sent) = (cx.id(), TextKey::of(&self.sent(&text)));
            TextItem { id, place, name, text, label, sent, tokens: None }
        };
        let new: Vec<TextItem> = texts.map(item).collect();
        if new.is_empty() {
            return;
        }
        let ids: Vec<Id> = new.iter().map(|text| text.id).collect();
        self.change_texts(|texts| texts.extend(new));
        self.list.touch_rows(ids.iter().copied());
        let first = self.data.texts.len() - ids.len();
        // A pair is two texts, where there are two.
        let other = (first == self.data.cursor.1).then_some(if first == 0 { 1 } else { first - 1 });
        self.move_cursor(first, other.filter(|other| *other < self.data.texts.len()));
        self.list.remember(UndoEntry::Added(ids));
        self.changed(cx.now);
    }

    /// Deletes the text under the cursor.
    pub(super) fn delete(&mut self, cx: &mut Cx) {
        let row = self.data.cursor.0;
        if row >= self.data.texts.len() || !self.can_change(cx) {
            return;
        }
        let text = self.change_texts(|texts| texts.remove(row));
        cx.notify(Notice::info("deleted; u restores it").about("texts"));
        self.list.delete_row(text.id);
        self.list.remember(UndoEntry::Deleted(row, text));
        self.changed(cx.now);
    }

    /// Moves the text under the cursor by one row.
    pub(super) fn shift(&mut self, down: bool, cx: &mut Cx) {
        let from = self.data.cursor.0;
        let to = if down { from + 1 } else { from.wrapping_sub(1) };
        if to >= self.data.texts.len() || from >= self.data.texts.len() || !self.can_change(cx) {
            return;
        }
        self.exchange(from, to);
        self.list.remember(UndoEntry::Moved(from, to));
        self.move_cursor(to, None);
        self.changed(cx.now);
    }

    fn exchange(&mut self, one: usize, other: usize) {
        let ids = self.change_texts(|texts| {
            texts.swap(one, other);
            let place = texts[one].place;
            texts[one].place = texts[other].place;
            texts[other].place = place;
            [texts[one].id, texts[other].id]
        });
        self.list.touch_rows(ids);
    }

    /// Takes back the last change.
    pub(super) fn undo(&mut self, cx: &mut Cx) {
        let Some(last) = self.list.undo.pop() else {
            return cx.notify(Notice::info("there is nothing to undo in this list"));
        };
        // The notice that it is deleted.
        cx.push(Effect::Settle("texts"));
        match last {
            UndoEntry::Added(ids) => {
                self.change_texts(|texts| texts.retain(|text| !ids.contains(&text.id)));
                for id in ids {
                    self.list.delete_row(id);
                }
            }
            UndoEntry::Deleted(row, text) => {
                let row = row.min(self.data.texts.len());
                self.list.restore_row(text.id);
                self.change_texts(|texts| texts.insert(row, text));
                self.move_cursor(row, None);
            }
            UndoEntry::Edited(id, text) => {
                if let Some(row) = self.data.texts.iter().position(|text| text.id == id) {
                    self.reword(row, text);
                    self.list.touch_rows([id]);
                    self.move_cursor(row, None);
                }
            }
            UndoEntry::Moved(one, other) => {
                if one.max(other) < self.data.texts.len() {
                    self.exchange(one, other);
                    self.move_cursor(one, None);
                }
            }
        }
        self.changed(cx.now);
    }

    /// Takes in that the list has changed: puts vectors and matrix into its order, and plans to save, count and look up
    /// its texts.
    pub(super) fn changed(&mut self, now: Instant) {
        self.list.touch();
        self.run.summary = None;
        self.saves.due.get_or_insert(now + REST);
        self.look_up_due = Some(now + REST);
        self.align();
        let last = self.data.texts.len().saturating_sub(1);
        self.data.cursor = (self.data.cursor.0.min(last), self.data.cursor.1.min(last));
        self.place_heat();
    }

    /// Moves the cursor to a text, and to the text that it is compared with.
    pub(super) fn move_cursor(&mut self, row: usize, column: Option<usize>) {
        self.data.cursor = (row, column.unwrap_or(self.data.cursor.1));
        self.place_heat();
    }

    /// Takes a paste: into the box if it is open, else as texts of the list.
    pub(super) fn paste(&mut self, text: &str, cx: &mut Cx) {
        if self.modals.paste(text, cx).act(|answer| self.answer(answer, cx)) {
            return;
        }
        if self.find.bar.paste(text) {
            return self.find_typed();
        }
        if let Some(writing) = &mut self.editing {
            if let Err(why) = writing.editor.paste(text) {
                cx.notify(Notice::warn(why));
            }
            return;
        }
        if let Some(pane) = self.panes.get_mut(self.view.page).filter(|pane| pane.typing()) {
            pane.paste(text, cx);
            return;
        }
        let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
        if lines > 1 {
            let said = format!("{lines} lines were pasted. Is each line a separate text?");
            let one = vec![(Untrusted::default(), text.into())];
            self.modals.open(
                Question::new("Paste", vec![said.into()])
                    .answer('l', "one text per line", Answer::Add(texts_of_lines(text)))
                    .answer('t', "one text in all", Answer::Add(one)),
            );
        } else if lines == 1 {
            self.add(vec![(Untrusted::default(), text.trim_end_matches('\n').into())], cx);
        }
    }

    /// Adds the texts that are tried first. The local service, which costs nothing, embeds them at once.
    pub(super) fn add_sample(&mut self, cx: &mut Cx) {
        let new = |(text, label): (&str, &str)| NewText {
            text: text.into(),
            label: Some(label.into()),
            ..NewText::default()
        };
        self.add_labelled(SAMPLE.map(new).into(), cx);
        self.move_cursor(0, Some(1));
        self.view.page = Page::Matrix;
        if cx.session.local {
            self.run(cx);
        }
    }
}

/// Returns the lines of a paste as texts without names.
fn texts_of_lines(text: &str) -> Vec<(Untrusted, Untrusted)> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| (Untrusted::default(), line.into())).collect()
}

/// Returns a text with its line ends replaced by spaces.
fn without_line_ends(text: &str) -> String {
    text.replace("\r\n", " ").replace('\n', " ")
}
