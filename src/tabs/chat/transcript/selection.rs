//! What is selected in the transcript, and where its view is.

use ratatui::layout::{Position, Rect};

use super::TranscriptView;
use super::entries::EntryKey;
use crate::component::FindBar;
use crate::record::Id;
use crate::text::Untrusted;
use crate::ui::meter;
use crate::ui::pane::Spacing;
use crate::ui::transcript::Entry;

impl TranscriptView {
    /// Returns the turn of the entry that is selected.
    pub(crate) fn selected(&self) -> Option<Id> {
        self.transcript.selected().map(|(key, _)| key.turn())
    }

    /// Returns the block that is selected: its turn and its place there.
    pub(crate) fn selected_block(&self) -> Option<(Id, usize)> {
        match self.transcript.selected() {
            Some((EntryKey::Block(id, at), _)) => Some((id, at)),
            _ => None,
        }
    }

    /// Returns the turn whose reasoning is selected.
    pub(crate) fn selected_reasoning(&self) -> Option<Id> {
        match self.transcript.selected() {
            Some((EntryKey::Reasoning(id), None)) => Some(id),
            _ => None,
        }
    }

    /// Returns the code block to copy, with its language.
    pub(crate) fn block_text(&self) -> Option<(Untrusted, Untrusted)> {
        let (key, code) = self.transcript.offered()?;
        let entry = self.transcript.entries().iter().rev().find(|entry| entry.id() == key)?;
        let (_, code) = entry.doc().code(code?)?;
        Some((code.text.clone(), code.language.clone()))
    }

    /// Selects what was clicked.
    pub(crate) fn click(&mut self, at: Position) {
        if let Some(hit) = self.transcript.hit(at) {
            self.transcript.mark(hit.id, hit.code);
        }
    }

    /// Folds or unfolds the selected message, or the first in view that is long enough. Returns whether there is one.
    pub(crate) fn toggle_fold(&mut self) -> bool {
        if let Some(turn) = self.selected() {
            return self.transcript.get_mut(EntryKey::Turn(turn)).is_some_and(Entry::toggle);
        }
        let visible = self.transcript.visible();
        self.transcript.entries_mut()[visible].iter_mut().any(Entry::toggle)
    }

    /// Returns whether the view has come near the oldest turn that is loaded.
    pub(crate) fn wants_older(&self) -> bool {
        !self.transcript.follow() && self.transcript.visible().start < 3
    }

    /// Returns which match of what is looked for one is at, and of how many; empty: nothing is looked for.
    fn matches(&self) -> String {
        match self.transcript.matches() {
            None => String::new(),
            Some((nth, of)) => FindBar::place(Some(nth), of),
        }
    }

    /// Returns which match one is at while something is looked for; else where the view is: following, or whether there is
    /// more above and below, how much came since, and how far down.
    pub(crate) fn place(&self, find: &FindBar, spacing: Spacing) -> String {
        let percent = self.transcript.percent();
        if find.is_shown() {
            return match self.matches() {
                found if found.is_empty() || find.is_typing() => found,
                found => format!("{found} · {percent}%"),
            };
        }
        let raw = if self.options.raw { "raw text · R · " } else { "" };
        // With surfaces the border has no text while the view follows the end, as usual.
        if spacing.has_surfaces() && self.transcript.follow() {
            return raw.trim_end_matches(" · ").to_owned();
        }
        if self.transcript.follow() {
            return format!("{raw}↓ following · {percent}%");
        }
        let above = if self.transcript.is_at_top() { "" } else { "↑ " };
        let below = match self.transcript.new_lines() {
            0 if percent < 100 => "↓ ".to_owned(),
            0 => String::new(),
            1 => "↓ 1 new line · G · ".to_owned(),
            lines => format!("↓ {} new lines · G · ", meter::count(lines as u64)),
        };
        format!("{raw}{above}{below}{percent}%")
    }

    /// Returns the row where the terminal's cursor stands while the transcript has the keys.
    pub(crate) fn cursor_row(&self, area: Rect) -> u16 {
        let selected = self.transcript.selected().map(|(key, _)| key);
        let row = (area.y..area.bottom()).find(|y| {
            let hit = self.transcript.hit(Position::new(area.x, *y));
            hit.is_some() && hit.map(|hit| hit.id) == selected
        });
        row.unwrap_or(area.y)
    }
}
