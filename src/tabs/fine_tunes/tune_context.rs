//! What a frame of the tab is drawn with.

use std::time::Instant;

use super::format::unix_ms;
use crate::component::{RenderContext, Session};
use crate::ui::theme::Theme;

/// A render context with the wall clock.
#[derive(Clone, Copy)]
pub(super) struct TuneContext<'a> {
    pub(super) session: &'a Session,
    pub(super) theme: &'a Theme,
    pub(super) now: Instant,
    /// Unix seconds.
    pub(super) unix: i64,
}

impl<'a> TuneContext<'a> {
    /// Returns a moment (Unix seconds) as it is shown beside an event.
    pub(super) fn moment(self, unix: i64) -> String {
        self.session.zone.moment(unix_ms(unix), unix_ms(self.unix))
    }

    pub(super) fn render_context(self) -> RenderContext<'a> {
        RenderContext { session: self.session, theme: self.theme, now: self.now }
    }
}
