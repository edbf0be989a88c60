//! Moves through the rows of a job's file without losing what was typed over them.

use super::rows::TrialRow;
use super::{DraftKey, RowReading, TrialPage};
use crate::component::{Cx, Notice};

impl TrialPage {
    /// Returns the row that is shown.
    pub(super) fn row(&self) -> Option<&TrialRow> {
        let RowReading::Done(examples) = &self.source.reading else { return None };
        examples.rows.get(self.source.at?)
    }

    /// Returns the row whose text stands in the box as it is.
    pub(super) fn untouched(&self) -> Option<&TrialRow> {
        let text = self.editor.text();
        self.row().filter(|row| row.text.raw() == text)
    }

    /// Returns where the text in the box belongs.
    pub(super) fn draft_key(&self) -> DraftKey {
        let file = self.subject.as_ref().and_then(|subject| subject.file.as_ref());
        (file.map(|(id, _)| id.clone()).unwrap_or_default(), self.source.at)
    }

    /// Keeps the text in the box where it is not the row's own.
    pub(super) fn keep_typed_text(&mut self) {
        let (place, text) = (self.draft_key(), self.editor.text());
        let own = self.row().map_or("", |row| row.text.raw());
        if text == own {
            self.drafts.remove(&place);
        } else {
            self.drafts.insert(place, text);
        }
    }

    /// Puts into the box what belongs there: what was typed, else the row's own text.
    pub(super) fn fill(&mut self) {
        let draft = self.drafts.get(&self.draft_key()).cloned();
        let own = self.row().map(|row| row.text.clone()).unwrap_or_default();
        match draft {
            Some(text) => self.editor.set_text(&text),
            None => self.editor.edit(&own),
        }
    }

    pub(super) fn go_to(&mut self, at: Option<usize>) {
        self.keep_typed_text();
        self.source.at = at;
        self.fill();
    }

    /// Returns how many rows there are; says why if there are none.
    pub(super) fn rows(&self, cx: &mut Cx) -> Option<usize> {
        let why = match &self.source.reading {
            RowReading::Done(examples) if !examples.rows.is_empty() => return Some(examples.rows.len()),
            RowReading::Done(_) => "the file has no rows; type a prompt",
            RowReading::None => "this job names no file; type a prompt",
            RowReading::Failed(_) => "the file could not be read; type a prompt",
            RowReading::Fetching(_) | RowReading::Parsing(..) => "the file is still loading",
        };
        cx.notify(Notice::info(why).about("try"));
        None
    }

    /// Goes so many rows on or back; before the first one is the prompt of one's own, where one was typed.
    pub(super) fn step(&mut self, rows: isize, cx: &mut Cx) {
        let Some(count) = self.rows(cx) else { return };
        let own = self.drafts.contains_key(&(self.draft_key().0, None));
        let at = match self.source.at {
            None if rows > 0 => Some(0),
            None => None,
            Some(0) if rows < 0 && own => None,
            Some(at) => Some(at.saturating_add_signed(rows).min(count - 1)),
        };
        if at == self.source.at {
            let said = if rows > 0 { "this is the last row" } else { "this is the first row" };
            return cx.notify(Notice::info(said).about("try"));
        }
        self.go_to(at);
    }

    /// Goes to any other row.
    pub(super) fn go_to_random_row(&mut self, cx: &mut Cx) {
        let Some(count) = self.rows(cx) else { return };
        let at = self.source.at.unwrap_or(count - 1);
        let number = cx
            .id()
            .0
            .to_string()
            .bytes()
            .fold(cx.unix_ms.unsigned_abs(), |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        let step = 1 + (number >> 20) as usize % count.saturating_sub(1).max(1);
        self.go_to(Some((at + step) % count));
    }

    /// Puts the row's own text back, and where it stands there already, what was typed in its place.
    pub(super) fn switch_text(&mut self, cx: &mut Cx) {
        let Some(own) = self.row().map(|row| row.text.clone()) else {
            return cx.notify(Notice::info("no row is shown; F8 shows the first").about("try"));
        };
        if self.untouched().is_none() {
            self.replaced.insert(self.draft_key(), self.editor.text());
            self.editor.edit(&own);
        } else if let Some(text) = self.replaced.get(&self.draft_key()) {
            self.editor.set_text(text);
        }
    }
}
