//! What a frame is drawn with.

use std::time::Instant;

use super::Session;
use crate::ui::theme::Theme;

/// The session, the styles and the time of one frame.
#[derive(Clone, Copy)]
pub struct RenderContext<'a> {
    /// What all tabs share.
    pub session: &'a Session,
    /// Styles by role.
    pub theme: &'a Theme,
    /// The time of the frame.
    pub now: Instant,
}
