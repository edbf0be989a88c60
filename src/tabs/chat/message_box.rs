//! Draws the message box.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::widgets::{Block, BorderType, Widget};
use unicode_width::UnicodeWidthStr;

use super::attachments::Attachments;
use super::layout::ChatLayout;
use super::state::State;
use super::titles::{BoxWords, box_words};
use crate::component::RenderContext;
use crate::ui::rule::{Rule, cut};

/// What stands between two keys in the frame.
const BETWEEN: &str = "   ";
/// Columns of a frame that words leave free: corners, and some of the line beside them.
const CORNERS: usize = 4;

/// Draws it. `writing`: it has the keys.
pub(super) fn render(frame: &mut Frame, layout: &ChatLayout, state: &State, writing: bool, context: RenderContext) {
    let RenderContext { session, theme, .. } = context;
    let area = layout.composer;
    let words = box_words(state, session, layout.is_narrow, layout.title.width);
    if !session.spacing().has_surfaces() {
        let right: Vec<&str> = words.keys.iter().chain(&words.cost).map(String::as_str).collect();
        let right_style = if words.over { theme.bad } else { theme.muted };
        let rule = Rule { title: &words.name, right: &right.join(" · "), right_style, focus: writing };
        rule.render(Rect { y: area.y - 1, height: 1, ..area }, frame.buffer_mut(), theme);
    } else if layout.is_narrow {
        frame.buffer_mut().set_style(area, theme.panel);
        let bar = if writing { theme.accent } else { theme.faint };
        frame.buffer_mut().set_stringn(area.x, area.y, "▌", 1, bar);
    } else {
        draw_frame(frame, area, &words, writing, context);
    }
    draw_files(frame, layout.files, &state.composer.attachments, context);
    state.composer.editor.draw(frame, layout.text, theme, writing);
}

/// Draws the row of files that go with the message.
fn draw_files(frame: &mut Frame, area: Rect, files: &Attachments, context: RenderContext) {
    let theme = context.theme;
    let mut x = area.x;
    for chip in files.chips(context.session) {
        let room = usize::from(area.right().saturating_sub(x));
        if area.is_empty() || room < 4 {
            return;
        }
        let words = cut(&format!("[{}]", chip.words), room);
        let style = if chip.wrong { theme.bad } else { theme.accent };
        frame.buffer_mut().set_stringn(x, area.y, &words, room, style);
        x += words.width() as u16 + 1;
    }
}

/// Draws the frame: what is written in its upper line where it is no plain message, keys and cost in its lower line.
fn draw_frame(frame: &mut Frame, area: Rect, words: &BoxWords, writing: bool, context: RenderContext) {
    let theme = context.theme;
    let border = if writing { theme.accent } else { theme.faint };
    let buf = frame.buffer_mut();
    Block::bordered().border_type(BorderType::Rounded).border_style(border).render(area, buf);
    let room = usize::from(area.width).saturating_sub(CORNERS);
    let (x, bottom) = (area.x + 2, area.bottom() - 1);
    if words.name != "Message" {
        let name = words.name.strip_prefix("Message · ").unwrap_or(&words.name);
        let name = cut(&format!(" {name} "), room);
        buf.set_stringn(x, area.y, name, room, theme.muted);
    }
    let cost = words.cost.as_ref().map_or_else(String::new, |cost| cut(&format!(" {cost} "), room));
    let cost_style = if words.over { theme.bad } else { theme.faint };
    let right = area.right() - 2 - cost.width() as u16;
    buf.set_stringn(right, bottom, &cost, cost.width(), cost_style);
    let mut keys = String::new();
    for key in &words.keys {
        let more = if keys.is_empty() { format!(" {key}") } else { format!("{keys}{BETWEEN}{key}") };
        if more.width() + 2 + cost.width() > room {
            break;
        }
        keys = more;
    }
    if !keys.is_empty() {
        buf.set_stringn(x, bottom, format!("{keys} "), room, theme.faint);
    }
}
