//! What each key does in the long text box: readline's keys, by whole characters.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::{Buffer, Edit};

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
        if let Some(edit) = self.typed(key).or_else(|| self.erased(key)) {
            return edit;
        }
        let Some((to, vertical)) = self.target(key) else { return Edit::Ignored };
        let goal = self.goal.filter(|_| vertical);
        let anchor = key.modifiers.contains(KeyModifiers::SHIFT).then(|| self.anchor.unwrap_or(self.caret));
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
            KeyCode::Char(char) if !control && !alt => self.insert(char.encode_utf8(&mut [0; 4])),
            _ => return None,
        };
        Some(Edit::Changed(change))
    }

    /// Handles a key that deletes something, the selection if there is one; `None` for others.
    fn erased(&mut self, key: KeyEvent) -> Option<Edit> {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        let at = self.caret;
        let to = match key.code {
            KeyCode::Backspace if control || alt => self.word_back(at),
            KeyCode::Char('w') if control => self.word_back(at),
            KeyCode::Backspace => self.previous(at),
            KeyCode::Char('h') if control => self.previous(at),
            KeyCode::Delete if control || alt => self.word_on(at),
            KeyCode::Char('d') if alt => self.word_on(at),
            KeyCode::Delete => self.next(at),
            // At the end of a line its line end is deleted, at its beginning the one before.
            KeyCode::Char('k') if control => {
                Some(self.line_end(at)).filter(|end| *end > at).unwrap_or_else(|| self.next(at))
            }
            KeyCode::Char('u') if control => {
                Some(self.line_start(at)).filter(|start| *start < at).unwrap_or_else(|| self.previous(at))
            }
            _ => return None,
        };
        let range = self.selection().unwrap_or(at.min(to)..at.max(to));
        let change = self.exchange(range, "");
        Some(if change.is_empty() { Edit::Moved } else { Edit::Changed(change) })
    }

    /// Returns where a key moves the caret, and whether by rows.
    fn target(&mut self, key: KeyEvent) -> Option<(usize, bool)> {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        let word = control || alt;
        // An arrow key collapses a selection to the end it points to.
        let selected = self.selection().filter(|_| !key.modifiers.contains(KeyModifiers::SHIFT));
        let at = self.caret;
        let to = match key.code {
            KeyCode::Left if word => self.word_back(at),
            KeyCode::Right if word => self.word_on(at),
            KeyCode::Char('b') if alt => self.word_back(at),
            KeyCode::Char('f') if alt => self.word_on(at),
            KeyCode::Left => selected.map_or_else(|| self.previous(at), |range| range.start),
            KeyCode::Right => selected.map_or_else(|| self.next(at), |range| range.end),
            KeyCode::Char('b') if control => self.previous(at),
            KeyCode::Char('f') if control => self.next(at),
            KeyCode::Home if control => 0,
            KeyCode::End if control => self.len(),
            KeyCode::Home => self.line_start(at),
            KeyCode::End => self.line_end(at),
            KeyCode::Char('a') if control => self.line_start(at),
            KeyCode::Char('e') if control => self.line_end(at),
            KeyCode::Up if !word => return Some((self.vertical(-1), true)),
            KeyCode::Down if !word => return Some((self.vertical(1), true)),
            KeyCode::PageUp if !word => return Some((self.paged(-1), true)),
            KeyCode::PageDown if !word => return Some((self.paged(1), true)),
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
