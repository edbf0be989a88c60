//! What lies over the panes: names, filters, the system prompt, the details of a failure.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::state::{Over, State};
use crate::tabs::generation::details;
use crate::ui::overlay;
use crate::ui::theme::Theme;

/// Draws what is open, if anything is.
pub(super) fn render(frame: &mut Frame, area: Rect, state: &mut State, theme: &Theme) {
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
            let place = line_box(frame, "Find in this conversation", "⏎ done, then n N  esc end");
            line.render(frame, place, theme.text, true);
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
        Some(Over::Ideal(_, editor)) => {
            let height = (area.height * 2 / 3).clamp(5, 20);
            let title = "What the answer should have been";
            let inside = overlay::frame(frame, area, 96, height, title, "⏎ newline  esc keep and close", theme);
            let place = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
            editor.render(frame, place, theme, true);
        }
        Some(Over::Marks(page)) => page.render(frame, area, under),
        Some(Over::Purge(_, confirm)) => confirm.render(frame, area, theme),
        Some(Over::Details(turn, scroll)) => {
            let failure = state.rooms.get(&state.open).and_then(|room| room.failures.get(turn));
            details::render(frame, area, failure, scroll, theme);
        }
    }
}
