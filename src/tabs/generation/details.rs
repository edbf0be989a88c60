//! What is known of a failed call, as lines for the details view.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use crate::api::call::Failure;
use crate::ui::overlay;
use crate::ui::rule::cut;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Columns of the box, where there are so many.
const WIDTH: u16 = 96;

/// Draws what the server said in a box over `area`, from the line `scroll` on, which is kept within what there is.
pub fn render(frame: &mut Frame, area: Rect, failure: Option<&Failure>, scroll: &mut usize, theme: &Theme) {
    let columns = usize::from(area.width.min(WIDTH)).saturating_sub(4).max(8);
    let lines = failure.map(|failure| details(failure, columns)).unwrap_or_default();
    let height = (lines.len() as u16 + 2).max(5).min(area.height);
    let inside = overlay::frame(frame, area, WIDTH, height, "What the server said", "j k scroll  esc close", theme);
    let width = usize::from(inside.width.saturating_sub(2));
    *scroll = (*scroll).min(lines.len().saturating_sub(usize::from(inside.height)));
    for (line, y) in lines[*scroll..].iter().zip(inside.y..inside.bottom()) {
        frame.buffer_mut().set_stringn(inside.x + 1, y, cut(line, width), width, theme.text);
    }
    frame.set_cursor_position(Position::new(inside.x + 1, inside.y));
}

/// Everything known of a failure, safe for the screen and wrapped at `width` columns.
fn details(failure: &Failure, width: usize) -> Vec<String> {
    let mut lines = vec![failure.sentence.line().into_owned(), String::new()];
    lines.extend(failure.status.map(|status| format!("status      {status}")));
    lines.extend(failure.code.as_ref().map(|code| format!("code        {}", code.line())));
    lines.extend(failure.request_id.as_ref().map(|id| format!("request id  {}", id.line())));
    if failure.attempts > 1 {
        lines.push(format!("attempts    {}", failure.attempts));
    }
    lines.extend(failure.headers.iter().map(|(name, value)| format!("{name}: {}", value.line())));
    if !failure.body.is_empty() {
        lines.push(String::new());
        lines.extend(failure.body.screen().lines().map(str::to_owned));
    }
    let mut rows = Vec::new();
    for line in lines {
        // A space that hangs over the edge must not cost the letter before it.
        rows.extend(wrap::lines(&line, width).into_iter().map(str::to_owned));
    }
    rows
}
