//! Words with their style.

use ratatui::style::Style;

/// Words and their style.
pub(super) type StyledText = (String, Style);
