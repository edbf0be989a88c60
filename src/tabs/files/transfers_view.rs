//! Draws the transfers.

use std::time::Duration;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::format::{list_rows, right_padding, wrapped};
use super::transfer::{Transfer, TransferState};
use super::transfers::{BatchProgress, Transfers};
use crate::component::RenderContext;
use crate::ui::pane::{self, Pane, Surface};
use crate::ui::progress::{self, Progress, Unit};
use crate::ui::rule::{cut, cut_file};
use crate::ui::theme::Theme;
use crate::ui::{meter, time, wrap};

/// Columns of a name.
const NAME: usize = 24;

/// Draws them.
pub(super) fn render(frame: &mut Frame, area: Rect, all: &Transfers, context: RenderContext, focus: bool) {
    let area = area.intersection(frame.area());
    if area.is_empty() {
        return;
    }
    let (theme, spacing) = (context.theme, context.session.spacing());
    let body = list_rows(area, spacing);
    let room = usize::from(body.height);
    let shown = all.shown(room);
    let note = match all.len() - shown.len() {
        0 => String::new(),
        hidden => format!("{hidden} more: T"),
    };
    let room_beside = usize::from(area.width).saturating_sub(22 + wrap::width(&note));
    let right = all.batch_progress(context.now).map(|total| batch(total, room_beside)).unwrap_or_default();
    let right_style = if spacing.has_surfaces() { theme.faint } else { theme.muted };
    let surface = Surface::Ground;
    let pane = Pane { title: "Transfers", note: &note, right: &right, right_style, focus, surface };
    pane.render(area, frame.buffer_mut(), theme, spacing);
    if shown.is_empty() && room > 0 {
        let said = "No transfers. U uploads, D downloads.";
        wrapped(frame, spacing.padded(Rect { height: 1, ..body }), said, theme.muted);
    }
    let names =
        shown.iter().filter_map(|at| all.get(*at)).map(|one| wrap::width(&one.name().line())).max().unwrap_or(0);
    let mut cursor = all.cursor;
    for (row, y) in cursor.window(room, shown.len()).zip(body.y..) {
        let Some(one) = all.get(shown[row]) else { continue };
        let chosen = focus && row == cursor.selected;
        if chosen {
            pane::highlight(frame.buffer_mut(), Rect { y, height: 1, ..area }, theme, true);
            frame.set_cursor_position(Position::new(body.x, y));
        }
        let width = body.width.saturating_sub(right_padding(spacing));
        transfer(frame, Rect { y, height: 1, width, ..body }, (one, names), context);
    }
}

/// Returns what is said of the batch as a whole, such as `1 of 3   2.1 MB of 9.4 MB   about 12 s`: as much as so many
/// columns hold.
fn batch(total: BatchProgress, room: usize) -> String {
    let files = format!("{} of {}", meter::count(total.done_files as u64), meter::count(total.files as u64));
    let bytes = total.bytes.map(|bytes| format!("{} of {}", meter::bytes(total.done_bytes), meter::bytes(bytes)));
    let left = total.left.map(|left| format!("about {}", progress::left_in_words(left)));
    let said = |parts: &[Option<String>]| parts.iter().flatten().cloned().collect::<Vec<_>>().join("   ");
    let all = [Some(files.clone()), bytes, left.clone()];
    let steps = [said(&all), said(&[Some(files.clone()), left])];
    steps.into_iter().find(|words| wrap::width(words) <= room).unwrap_or(files)
}

/// Draws a transfer; its name takes so many columns as the longest that shows, where there is room for that.
fn transfer(frame: &mut Frame, line: Rect, (one, names): (&Transfer, usize), context: RenderContext) {
    let theme = context.theme;
    let width = usize::from(line.width);
    let buf = frame.buffer_mut();
    let arrow = if one.is_upload() { "↑" } else { "↓" };
    let side = context.session.spacing().side();
    buf.set_stringn(line.x + side.min(line.width - 1), line.y, arrow, 1, theme.accent);
    let room = names.min(NAME).min(width / 3);
    let name = cut_file(&one.name().line(), room);
    buf.set_stringn(line.x + (side + 2).min(line.width - 1), line.y, &name, room, theme.text);
    let used = side + 4 + room.max(wrap::width(&name)) as u16;
    if line.width <= used {
        return;
    }
    let rest = Rect { x: line.x + used, width: line.width - used, ..line };
    let elapsed =
        if context.session.motion { context.now.saturating_duration_since(one.since) } else { Duration::ZERO };
    let left = one.total.map(|total| total.saturating_sub(one.done));
    let mut bar = Progress {
        done: one.done,
        total: one.total,
        unit: Unit::Bytes,
        rate: one.rate.per_second(context.now),
        left: left.and_then(|left| one.rate.left(context.now, left)),
        state: progress::State::Running,
        elapsed,
    };
    let size = one.total.map(meter::bytes).unwrap_or_default();
    let percent = one.share().map(|(done, total)| meter::percent(done as f64 / total.max(1) as f64));
    let buf = frame.buffer_mut();
    match &one.state {
        TransferState::Running => bar.render(rest, buf, theme),
        TransferState::Waiting => said(buf, rest, ("◌ waiting", theme.faint), &size, theme),
        TransferState::Paused => {
            bar.state = progress::State::Paused;
            bar.render(rest, buf, theme);
        }
        TransferState::Retrying(at, why) => {
            let left = time::countdown(*at, context.now);
            let goes_on = if one.is_upload() {
                format!("⚠ lost; retry in {left} ({})", why.line())
            } else {
                format!("⚠ lost; resumes at {} in {left} ({})", meter::bytes(one.done), why.line())
            };
            said(buf, rest, (&goes_on, theme.warn), &percent.unwrap_or_default(), theme);
        }
        TransferState::Done(words) => {
            // For an upload this is its id, which the list shows.
            let words = if one.is_upload() { "done".into() } else { words.line() };
            said(buf, rest, (&format!("✓ {words}"), theme.good), &size, theme);
        }
        TransferState::Failed(why) => {
            said(buf, rest, (&format!("✕ {}", why.sentence.line()), theme.bad), "", theme);
        }
        TransferState::Cancelled => said(buf, rest, ("✕ cancelled", theme.bad), &percent.unwrap_or_default(), theme),
    }
}

/// Writes what is to be said of a transfer that does not move, and a figure at the right where there is room for it.
fn said(buf: &mut Buffer, line: Rect, (words, style): (&str, Style), figure: &str, theme: &Theme) {
    let width = usize::from(line.width);
    let words = cut(words, width);
    buf.set_stringn(line.x, line.y, &words, width, style);
    let room = width.saturating_sub(wrap::width(&words) + 2);
    if wrap::width(figure) <= room {
        buf.set_stringn(line.right() - wrap::width(figure) as u16, line.y, figure, room, theme.faint);
    }
}
