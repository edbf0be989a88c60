//! The selected message of a transcript, or a code block of it.

use super::Transcript;
use crate::text::Untrusted;

impl<K: Copy + Eq + Ord> Transcript<K> {
    /// Returns the selection: a message, and the number of a code block in it.
    pub fn selected(&self) -> Option<(K, Option<usize>)> {
        self.selected
    }

    /// Sets the message on which keys act while none is selected: it is marked as a selected one is. `None`: keys go
    /// elsewhere.
    pub fn set_target(&mut self, id: Option<K>) {
        self.target = id;
    }

    /// Selects a message or a code block of it and scrolls to it; `None` clears the selection.
    pub fn select(&mut self, what: Option<(K, Option<usize>)>) {
        self.selected = what;
        let Some((id, code)) = what else { return };
        let Some(at) = self.index(id) else { return };
        self.wrap_entry(at);
        let entry = &mut self.entries[at];
        let place = code.and_then(|n| entry.doc().code(n)).map(|(block, code)| (block, code.lines.start));
        let row = place.and_then(|(block, line)| entry.row_of(block, line, 0)).unwrap_or(0);
        self.show(at, row);
    }

    /// Selects a visible message or a code block of it; the view stays where it is.
    pub fn mark(&mut self, id: K, code: Option<usize>) {
        self.selected = Some((id, code));
    }

    /// Scrolls to the first row of a message.
    pub fn show_entry(&mut self, id: K) {
        if let Some(at) = self.index(id) {
            self.show(at, 0);
        }
    }

    /// Selects the message `by` further down, from the one selected or the one at the top.
    pub fn select_entry(&mut self, by: isize) {
        let now = self.selected.and_then(|(id, _)| self.index(id));
        let next = match now {
            Some(at) => at.saturating_add_signed(by),
            None if by < 0 => self.entries.len().saturating_sub(1),
            None => self.top.0,
        };
        let next = next.min(self.entries.len().saturating_sub(1));
        if let Some(entry) = self.entries.get(next) {
            let id = entry.id();
            self.select(Some((id, None)));
        }
    }

    /// Selects the next code block (`by` 1) or the one before (-1), in the selected message and beyond.
    pub fn select_code(&mut self, by: isize) {
        let (mut at, mut code) = match self.selected.and_then(|(id, code)| Some((self.index(id)?, code))) {
            Some(now) => now,
            None => (self.top.0, None),
        };
        loop {
            self.wrap_entry(at);
            let Some(entry) = self.entries.get(at) else { return };
            let count = entry.doc().code_count();
            let next = match code {
                Some(code) => code.checked_add_signed(by),
                None if by > 0 => Some(0),
                None => None,
            };
            if let Some(next) = next.filter(|next| *next < count) {
                let id = entry.id();
                return self.select(Some((id, Some(next))));
            }
            let Some(beside) = at.checked_add_signed(by.signum()) else { return };
            at = beside;
            code = (by < 0).then(|| self.codes(at));
        }
    }

    /// Returns how many code blocks an entry has.
    fn codes(&mut self, at: usize) -> usize {
        self.wrap_entry(at);
        self.entries.get(at).map_or(0, |entry| entry.doc().code_count())
    }

    /// Returns what would be copied: the selection, else the last message's last code block.
    pub fn offered(&self) -> Option<(K, Option<usize>)> {
        self.selected.or_else(|| {
            let last = self.entries.last()?;
            let code = last.doc().code_count().checked_sub(1)?;
            Some((last.id(), Some(code)))
        })
    }

    /// Returns the text of what is [offered](Self::offered), a code block or a message's source, unchanged.
    pub fn block_text(&self) -> Option<&Untrusted> {
        let (id, code) = self.offered()?;
        let doc = self.entries[self.index(id)?].doc();
        code.map_or(Some(doc.source()), |n| doc.code_block(n))
    }
}
