//! The styles of an entry: plain text, with a bar, or on a panel; and the space that takes.

use ratatui::text::Line as Styled;

use super::entry::{Entry, FOLD};
use crate::ui::markdown::Element;
use crate::ui::pane::Spacing;

/// Columns by which the text is indented from the title, if it is.
const INDENT: usize = 2;
/// Blank columns before and after the note at the right of a message.
const SIDE: usize = 3;

/// What an entry is, which decides its style.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EntryLook {
    /// The text of a model.
    #[default]
    Answer,
    /// A text of the user. With surfaces it is on a panel, and the text of its title at the right of its first row.
    Written,
    /// Another kind of entry: muted, behind a bar.
    Aside,
    /// A part of an answer that is not its text: behind a bar, or on a panel.
    Part,
}

/// What rows are built for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fit {
    pub(super) width: usize,
    pub(super) spacing: Spacing,
}

impl<K: Copy + Eq + Ord> Entry<K> {
    /// Sets what it is.
    pub fn set_look(&mut self, look: EntryLook) {
        self.look = look;
    }

    pub(super) fn look(&self) -> EntryLook {
        self.look
    }

    fn has_surfaces(&self) -> bool {
        self.fit.spacing.has_surfaces()
    }

    /// Returns whether all of it is on a panel.
    pub(super) fn is_on_panel(&self) -> bool {
        self.has_surfaces() && matches!(self.look, EntryLook::Written | EntryLook::Part)
    }

    /// Returns the note at the right of its first row of text, instead of above it.
    pub(super) fn side_note(&self) -> Option<&Styled<'static>> {
        self.title.first().filter(|_| self.has_surfaces() && self.look == EntryLook::Written)
    }

    /// Returns the columns by which its text is indented.
    pub(super) fn indent(&self) -> usize {
        if self.has_surfaces() && self.look == EntryLook::Answer { 0 } else { INDENT }
    }

    /// Returns the rows above its text.
    pub(super) fn head(&self) -> usize {
        if self.side_note().is_some() { self.padding() } else { self.title.len() }
    }

    /// Returns the blank rows of its panel above and below its text.
    fn padding(&self) -> usize {
        usize::from(self.look == EntryLook::Written && self.fit.spacing == Spacing::Roomy)
    }

    /// Returns the columns for its text.
    pub(super) fn columns(&self) -> usize {
        let note = self.side_note().map_or(0, |note| note.width() + SIDE);
        let right = note.max(usize::from(self.is_on_panel()));
        self.fit.width.saturating_sub(self.indent() + right).max(1)
    }

    /// Returns the rows it takes, including the blank row after it.
    pub(super) fn height_of(&self) -> usize {
        let shown = if self.folds(self.rows) { FOLD + 1 } else { self.rows };
        let foot = if self.side_note().is_some() { self.padding() } else { 0 };
        self.head() + shown + self.notes.len() + foot + 1
    }

    /// Returns the row of its text after a block, including the blank one of a listing's panel.
    pub(super) fn end_of(&self, block: usize) -> usize {
        let Some(wrapped) = self.wrapped.get(block) else { return 0 };
        wrapped.at + wrapped.height + usize::from(self.is_listing(block))
    }

    /// Returns whether a block is on a panel of its own.
    pub(super) fn is_listing(&self, block: usize) -> bool {
        let code = self.doc.blocks().get(block).is_some_and(|block| block.element == Element::Code);
        code && self.has_surfaces()
    }
}
