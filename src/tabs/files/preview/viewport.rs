//! Scroll position and cursor of the preview.

/// What brings the cursor's row into view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum FollowCursor {
    /// Nothing: it is, or need not be.
    #[default]
    No,
    /// The row is scrolled to the nearest edge.
    Edge,
    /// If it is not in view, it is brought to the upper third.
    Third,
}

/// What part of the rows shows, and the row under the cursor.
#[derive(Debug, Default)]
pub(super) struct Viewport {
    /// The first byte of the row under the cursor.
    pub(super) cursor: u64,
    /// The first row that shows, by its first byte, and how many of its lines are above.
    pub(super) top: (u64, usize),
    /// Columns scrolled out at the left.
    pub(super) left: usize,
    /// Blank columns at the right edge of the rows.
    pub(super) right: u16,
    /// Lines and columns of the rows in the last frame.
    pub(super) page: u16,
    pub(super) width: u16,
    pub(super) follow: FollowCursor,
    /// Whether the match is to be brought into view, too.
    pub(super) seek: bool,
}

impl Viewport {
    /// Returns the first byte that shows.
    pub(super) fn first(&self) -> u64 {
        self.top.0
    }
}
