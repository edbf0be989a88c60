//! What lies over the panes: names, filters, the system prompt, the details of a failure.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::widgets::Clear;

use super::state::{Over, State};
use crate::ui::overlay;
use crate::ui::rule::Rule;
use crate::ui::theme::Theme;

/// Draws what is open, if anything is: over `area`, but for the line of what is looked for, which stands in the place of
/// the message box so that it covers nothing of what is searched. `found`: which match one is at.
pub(super) fn render(frame: &mut Frame, area: Rect, message: Rect, found: &str, state: &mut State, theme: &Theme) {
    if state.over.is_none() {
        return;
    }
    let under = theme;
    let theme = &theme.over();
    let line_box = |frame: &mut Frame, title: &str, foot: &str| {
        let inside = overlay::frame(frame, area, overlay::WIDEST, 3, title, foot, theme);
        Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), height: 1, ..inside }
    };
    match &mut state.over {
        None => {}
        Some(Over::Rename(_, line)) => {
            let place = line_box(frame, "Title", "⏎ rename  esc cancel");
            line.render(frame, place, theme.text, true);
        }
        Some(Over::Filter(line)) => {
            let place = line_box(frame, "Filter conversations", "⏎ keep  esc clear");
            line.render(frame, place, theme.text, true);
        }
        Some(Over::Find(line)) => {
            frame.render_widget(Clear, message);
            let keys = if message.width < 60 { "" } else { "⏎ done, then n N · esc end" };
            let dot = if found.is_empty() || keys.is_empty() { "" } else { " · " };
            let right = format!("{found}{dot}{keys}");
            let rule =
                Rule { title: "Find in this conversation", right: &right, right_style: under.muted, focus: true };
            rule.render(message, frame.buffer_mut(), under);
            let width = message.width.saturating_sub(2);
            line.render(frame, Rect { x: message.x + 1, y: message.y + 1, width, height: 1 }, under.text, true);
        }
        Some(Over::SaveAs(line, _)) => {
            let place = line_box(frame, "Save to a new file", "⏎ save  esc cancel");
            line.render(frame, place, theme.text, true);
        }
        Some(Over::System(editor)) => {
            let height = (area.height * 2 / 3).clamp(5, 16);
            let inside =
                overlay::frame(frame, area, 76, height, "System prompt", "⏎ newline  esc keep and close", theme);
            let place = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
            editor.render(frame, place, theme, true);
        }
        Some(over @ (Over::Ideal(..) | Over::Change(..))) => {
            let height = (area.height * 2 / 3).clamp(5, 20);
            let (title, editor) = match over {
                Over::Change(_, editor) => ("Edit in place", editor),
                Over::Ideal(_, editor) => ("What the answer should have been", editor),
                _ => return,
            };
            let inside = overlay::frame(frame, area, 96, height, title, "⏎ newline  esc keep and close", theme);
            let place = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
            editor.render(frame, place, theme, true);
        }
        Some(Over::Marks(page)) => page.render(frame, area, under),
        Some(Over::Purge(_, confirm)) => confirm.render(frame, area, theme),
        Some(Over::Details(details)) => details.draw(frame, area, theme),
    }
}
