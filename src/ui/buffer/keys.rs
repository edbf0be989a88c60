//! What the editing keys do in the long text box, by whole characters.

use std::ops::Range;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::{Buffer, Change, Edit};
use crate::ui::editing::{self, EditAction};
use crate::ui::words::{blank_end, next_word_start, word_end, word_start};

use EditAction as A;

/// A movement of the caret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaretStep {
    /// One character back.
    Left,
    /// One character forward.
    Right,
    /// One row up.
    Up,
    /// One row down.
    Down,
}

impl Buffer {
    /// Moves the caret as an arrow key does.
    pub fn step(&mut self, step: CaretStep) {
        let code = match step {
            CaretStep::Left => KeyCode::Left,
            CaretStep::Right => KeyCode::Right,
            CaretStep::Up => KeyCode::Up,
            CaretStep::Down => KeyCode::Down,
        };
        self.key(KeyEvent::from(code));
    }

    /// Handles a key. Those of the owner are `Ignored`: undo, redo, run, Esc, function keys.
    pub fn key(&mut self, key: KeyEvent) -> Edit {
        if key.kind == KeyEventKind::Release {
            return Edit::Ignored;
        }
        let replaced = std::mem::take(&mut self.replacing);
        match EditAction::of(&key) {
            Some(A::ReplaceNext) => {
                self.replacing = replaced + 1;
                Edit::Moved
            }
            Some(action) => self.carry_out(action, key.modifiers.contains(KeyModifiers::SHIFT)),
            None if replaced > 0 => {
                editing::typed(&key).map_or(Edit::Ignored, |char| self.replace_next(char, replaced))
            }
            None => self.typed(key).unwrap_or(Edit::Ignored),
        }
    }

    /// Replaces this many characters after the caret in its line, each by this one; the caret is then before the last of
    /// them. Does nothing where there are fewer.
    fn replace_next(&mut self, char: char, count: usize) -> Edit {
        let (line_end, mut end) = (self.line_end(self.caret), self.caret);
        for _ in 0..count {
            if end >= line_end {
                return Edit::Moved;
            }
            end = self.next(end).min(line_end);
        }
        let change = self.exchange(self.caret..end, &char.to_string().repeat(count));
        self.set_caret(self.previous(self.caret));
        Edit::Changed(change)
    }

    /// Carries out an editing action; `selects`: a movement extends the selection.
    pub fn carry_out(&mut self, action: EditAction, selects: bool) -> Edit {
        if let Some(edit) = self.selected(action).or_else(|| self.erased(action)) {
            return edit;
        }
        let Some((to, vertical)) = self.target(action, selects) else { return Edit::Ignored };
        let goal = self.goal.filter(|_| vertical);
        let anchor = selects.then(|| self.anchor.unwrap_or(self.caret));
        self.set_caret(to);
        (self.goal, self.anchor) = (goal, anchor);
        self.follow = false;
        Edit::Moved
    }

    /// Handles a key that inserts something; `None` for others.
    fn typed(&mut self, key: KeyEvent) -> Option<Edit> {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        let change = match key.code {
            KeyCode::Char('j') if control => self.insert("\n"),
            KeyCode::Enter if !control => self.insert("\n"),
            KeyCode::Tab if !control && !alt => self.insert("\t"),
            _ => self.insert(editing::typed(&key)?.encode_utf8(&mut [0; 4])),
        };
        Some(Edit::Changed(change))
    }

    /// Does an action with the selection or that selects something; `None` for others.
    fn selected(&mut self, action: EditAction) -> Option<Edit> {
        if matches!(action, A::SelectAll | A::Deselect) {
            self.select((action == A::SelectAll).then(|| 0..self.len()));
            return Some(Edit::Moved);
        }
        if action == A::IncludeNext {
            let Range { start, end } = self.selection().unwrap_or(self.caret..self.caret);
            let end = self.next(end).min(self.line_end(end));
            self.set_caret(start);
            self.anchor = Some(end);
            return Some(Edit::Moved);
        }
        let cuts = action == A::Cut;
        if !cuts && action != A::Copy {
            return None;
        }
        let Some(range) = self.selection() else { return Some(Edit::Ignored) };
        self.deleted = self.slice(range.clone());
        self.copied = Some(self.deleted.clone());
        Some(if cuts { Edit::Changed(self.exchange(range, "")) } else { Edit::Moved })
    }

    /// Does an action that deletes something, the selection if there is one, or inserts what was deleted; `None` for
    /// others.
    fn erased(&mut self, action: EditAction) -> Option<Edit> {
        if let Some(edit) = self.with_deleted(action) {
            return Some(edit);
        }
        let at = self.caret;
        let to = match action {
            A::DeleteLeft => self.previous(at),
            A::DeleteRight => self.next(at),
            A::DeleteWordLeft => self.step_before(at, word_start),
            A::DeleteWordRight => self.step_after(at, word_end),
            A::DeleteToBlank => self.step_before(at, blank_end),
            A::DeleteToLineStart => self.step_before(at, |_| 0),
            A::DeleteToLineEnd => self.step_after(at, str::len),
            _ => return None,
        };
        let range = self.selection().unwrap_or(at.min(to)..at.max(to));
        let change = self.exchange(range, "");
        if action.keeps_deleted() && !change.is_empty() {
            self.deleted.clone_from(&change.removed);
        }
        Some(if change.is_empty() { Edit::Moved } else { Edit::Changed(change) })
    }

    /// Does an action with what was deleted last, or with whole lines; `None` for others.
    fn with_deleted(&mut self, action: EditAction) -> Option<Edit> {
        let deleted = self.deleted.clone();
        Some(match action {
            A::PasteDeleted | A::PasteDeletedAfter | A::PasteDeletedBefore if deleted.is_empty() => Edit::Ignored,
            A::PasteDeleted => Edit::Changed(self.insert(&deleted)),
            A::PasteDeletedAfter | A::PasteDeletedBefore => {
                Edit::Changed(self.paste_beside(&deleted, action == A::PasteDeletedAfter))
            }
            A::Newline => Edit::Changed(self.insert("\n")),
            A::CopyLines => {
                self.deleted = self.slice(self.touched_lines()) + "\n";
                Edit::Moved
            }
            A::DeleteLines => {
                let lines = self.touched_lines();
                self.deleted = self.slice(lines.clone()) + "\n";
                let next = self.next(lines.end);
                // The last line has no break of its own: the one before it goes.
                let is_last = next == lines.end;
                let whole = if is_last { self.previous(lines.start)..lines.end } else { lines.start..next };
                Edit::Changed(self.exchange(whole, ""))
            }
            A::DeleteSelection => match self.selection() {
                Some(range) => {
                    let change = self.exchange(range, "");
                    self.deleted.clone_from(&change.removed);
                    Edit::Changed(change)
                }
                None => Edit::Ignored,
            },
            _ => return None,
        })
    }

    /// Returns the lines that the selection touches, else the caret's, without the break of the last one.
    fn touched_lines(&self) -> Range<usize> {
        let Range { start, end } = self.selection().unwrap_or(self.caret..self.caret);
        self.line_start(start)..self.line_end(end)
    }

    /// Inserts a text behind the character after the caret or before the caret; whole lines, below or above the caret's.
    /// The caret is then before the last character, or at the first line.
    fn paste_beside(&mut self, text: &str, is_after: bool) -> Change {
        let at = self.caret;
        let (start, end) = (self.line_start(at), self.line_end(at));
        let Some(lines) = text.strip_suffix('\n') else {
            self.set_caret(if is_after { self.next(at).min(end) } else { at });
            let change = self.insert(text);
            self.set_caret(self.previous(self.caret));
            return change;
        };
        let change = if is_after {
            self.set_caret(end);
            self.insert(&format!("\n{lines}"))
        } else {
            self.set_caret(start);
            self.insert(text)
        };
        self.set_caret(change.at + usize::from(is_after));
        change
    }

    /// Returns where an action moves the caret, and whether by rows; `selects`: the selection is extended.
    fn target(&mut self, action: EditAction, selects: bool) -> Option<(usize, bool)> {
        // A step collapses a selection to the end it points to.
        let selected = self.selection().filter(|_| !selects);
        let at = self.caret;
        let to = match action {
            A::Left => selected.map_or_else(|| self.previous(at), |range| range.start),
            A::Right => selected.map_or_else(|| self.next(at), |range| range.end),
            A::LeftInLine => self.previous(at).max(self.line_start(at)),
            A::RightInLine => self.next(at).min(self.line_end(at)),
            A::NextWord => self.step_after(at, next_word_start),
            A::NextWordInLine => self.step_after(at, next_word_start).min(self.line_end(at)),
            A::NextLine => self.next(self.line_end(at)),
            A::WordLeft => self.step_before(at, word_start),
            A::WordRight => self.step_after(at, word_end),
            A::LineStart => self.line_start(at),
            A::LineEnd => self.line_end(at),
            A::TextStart => 0,
            A::TextEnd => self.len(),
            A::Up => return Some((self.vertical(-1), true)),
            A::Down => return Some((self.vertical(1), true)),
            A::PageUp => return Some((self.paged(-1), true)),
            A::PageDown => return Some((self.paged(1), true)),
            _ => return None,
        };
        Some((to, false))
    }

    /// Scrolls by pages and returns the caret's new position.
    fn paged(&mut self, pages: isize) -> usize {
        let to = self.vertical(pages * self.a_page());
        self.page(pages);
        to
    }
}
