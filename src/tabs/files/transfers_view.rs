//! Draws the transfers.

use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::format::wrapped;
use super::transfer::{Transfer, TransferState};
use super::transfers::{BatchProgress, Transfers};
use crate::component::RenderContext;
use crate::ui::progress::{self, Progress, Unit};
use crate::ui::rule::{Rule, cut_middle};
use crate::ui::{meter, wrap};

/// Columns of a name.
const NAME: usize = 24;

/// Draws them.
pub(super) fn render(frame: &mut Frame, area: Rect, all: &Transfers, context: RenderContext, focus: bool) {
    let area = area.intersection(frame.area());
    if area.is_empty() {
        return;
    }
    let room = usize::from(area.height - 1);
    let shown = all.shown(room);
    let hidden = all.len() - shown.len();
    let right = match (hidden, focus) {
        (0, true) => "c cancel · p pause · R retry".to_owned(),
        (0, false) => String::new(),
        (hidden, _) => format!("{hidden} hidden · T show all"),
    };
    let total = all.total(context.now);
    // The footer has the keys as well.
    let right = if total.is_some() && hidden == 0 && area.width < 100 { String::new() } else { right };
    let title = total.map_or("Transfers".to_owned(), |total| {
        title(total, usize::from(area.width).saturating_sub(12 + wrap::width(&right)))
    });
    let rule = Rule { title: &title, right: &right, right_style: context.theme.muted, focus };
    rule.render(area, frame.buffer_mut(), context.theme);
    if shown.is_empty() && room > 0 {
        let said = "Nothing is on its way. U uploads, D downloads.";
        wrapped(frame, Rect { y: area.y + 1, height: 1, ..area }, said, context.theme.muted);
    }
    let mut cursor = all.cursor;
    for (row, y) in cursor.window(room, shown.len()).zip(area.y + 1..) {
        let Some(one) = all.get(shown[row]) else { continue };
        let chosen = focus && row == cursor.selected;
        let line = Rect { y, height: 1, ..area };
        if chosen {
            frame.buffer_mut().set_style(line, context.theme.select);
            frame.set_cursor_position(Position::new(area.x, y));
        }
        transfer(frame, line, one, context, chosen);
    }
}

/// Returns what is said of the batch as a whole: as much as so many columns hold.
fn title(total: BatchProgress, room: usize) -> String {
    let files = format!("{} of {} files", meter::count(total.files.0 as u64), meter::count(total.files.1 as u64));
    let bytes = total.bytes.map(|bytes| format!("{} of {}", meter::bytes(total.done), meter::bytes(bytes)));
    let left = total.left.map(|left| format!("{} left", progress::left_in_words(left)));
    let said = |parts: &[Option<String>]| parts.iter().flatten().cloned().collect::<Vec<_>>().join(" · ");
    let all = [Some("Transfers".to_owned()), Some(files.clone()), bytes, left.clone()];
    let steps = [said(&all), said(&all[1..]), said(&[Some(files.clone()), left])];
    steps.into_iter().find(|words| wrap::width(words) <= room).unwrap_or(files)
}

fn transfer(frame: &mut Frame, line: Rect, one: &Transfer, context: RenderContext, chosen: bool) {
    let theme = context.theme;
    let width = usize::from(line.width);
    let buf = frame.buffer_mut();
    if chosen {
        buf.set_stringn(line.x, line.y, "▌", 1, theme.accent);
    }
    let arrow = if one.is_upload() { "↑" } else { "↓" };
    buf.set_stringn(line.x + 1.min(line.width - 1), line.y, arrow, 1, theme.accent);
    let room = NAME.min(width / 3);
    let name = cut_middle(&one.name().line(), room);
    buf.set_stringn(line.x + 3.min(line.width - 1), line.y, &name, room, theme.text);
    let used = (5 + room.max(wrap::width(&name))) as u16;
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
    match &one.state {
        TransferState::Running => bar.render(rest, frame.buffer_mut(), theme),
        TransferState::Waiting => {
            frame.buffer_mut().set_stringn(rest.x, rest.y, "◌ in line", usize::from(rest.width), theme.muted);
        }
        TransferState::Paused => {
            bar.state = progress::State::Paused;
            bar.render(rest, frame.buffer_mut(), theme);
        }
        TransferState::Retrying(at, why) => {
            let seconds = at.saturating_duration_since(context.now).as_secs_f64().ceil().max(1.0) as u64;
            let goes_on = if one.is_upload() {
                format!("lost; again in {seconds} s ({})", why.line())
            } else {
                format!("lost; resumes at {} in {seconds} s ({})", meter::bytes(one.done), why.line())
            };
            bar.state = progress::State::Retry(&goes_on);
            bar.render(rest, frame.buffer_mut(), theme);
        }
        TransferState::Done(words) => {
            let words = words.line();
            bar.state = progress::State::Done(&words);
            bar.render(rest, frame.buffer_mut(), theme);
        }
        TransferState::Failed(why) => {
            let words = why.sentence.line();
            bar.state = progress::State::Failed(&words);
            bar.render(rest, frame.buffer_mut(), theme);
        }
        TransferState::Cancelled => {
            bar.state = progress::State::Failed("cancelled");
            bar.render(rest, frame.buffer_mut(), theme);
        }
    }
}
