//! Valid positions of the caret, and their neighbours: characters, words, lines.

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation as _};

use super::Buffer;

impl Buffer {
    /// Returns the byte itself, or the beginning of the character that contains it. `\r\n` is one character.
    pub(super) fn before(&self, at: usize) -> usize {
        let at = self.lines.floor(at);
        let place = self.lines.find(at);
        let content = self.lines.get(place).content();
        let within = (at - place.start).min(content.len());
        place.start + if stands(content, within) { within } else { previous(content, within) }
    }

    /// Returns the byte itself, or the end of the character that contains it.
    pub(super) fn behind(&self, at: usize) -> usize {
        let before = self.before(at);
        if before < at { self.next(before) } else { before }
    }

    /// Returns the position one character further.
    pub(super) fn next(&self, at: usize) -> usize {
        let place = self.lines.find(at);
        let line = self.lines.get(place);
        let within = at - place.start;
        match line.content().get(within..).and_then(|rest| rest.graphemes(true).next()) {
            Some(character) => at + character.len(),
            None => place.start + line.len(),
        }
    }

    /// Returns the position one character back.
    pub(super) fn previous(&self, at: usize) -> usize {
        let place = self.lines.find(at);
        if at > place.start {
            return place.start + previous(self.lines.get(place).content(), at - place.start);
        }
        self.lines.previous(place).map_or(0, |line| line.start + self.lines.get(line).content().len())
    }

    /// Returns the byte before `at` that `step` finds in its line; from the beginning, the end of the line before.
    pub(super) fn step_before(&self, at: usize, step: fn(&str) -> usize) -> usize {
        let place = self.lines.find(at);
        if at == place.start {
            return self.previous(at);
        }
        place.start + step(&self.lines.get(place).content()[..at - place.start])
    }

    /// Returns the byte after `at` that `step` finds in its line; from the end, the beginning of the next line.
    pub(super) fn step_after(&self, at: usize, step: fn(&str) -> usize) -> usize {
        let place = self.lines.find(at);
        match &self.lines.get(place).content()[at - place.start..] {
            "" => self.next(at),
            rest => at + step(rest),
        }
    }

    /// Returns the beginning of the logical line.
    pub(super) fn line_start(&self, at: usize) -> usize {
        self.lines.find(at).start
    }

    /// Returns the end of the logical line, before its line end.
    pub(super) fn line_end(&self, at: usize) -> usize {
        let place = self.lines.find(at);
        place.start + self.lines.get(place).content().len()
    }
}

/// Returns whether a byte of a line, at which a code point begins, is a valid position of the caret.
fn stands(line: &str, at: usize) -> bool {
    let bytes = line.as_bytes();
    if at == 0 || at >= line.len() || (bytes[at - 1].is_ascii() && bytes[at].is_ascii()) {
        return true;
    }
    // With the whole line at hand it needs no other part of it.
    GraphemeCursor::new(at, line.len(), true).is_boundary(line, 0).unwrap_or(true)
}

/// Returns the position before a byte of a line.
fn previous(line: &str, at: usize) -> usize {
    GraphemeCursor::new(at, line.len(), true).prev_boundary(line, 0).ok().flatten().unwrap_or(0)
}
