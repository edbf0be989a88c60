//! The events on the screen, newest first.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

use super::Look;
use super::entry::{Entry, Link, tail};
use super::history::{Level, Line as Told};
use super::state::State;
use super::view::Words;
use super::words;
use crate::text::Untrusted;
use crate::ui::rule::{Rule, cut};
use crate::ui::wrap;

/// Rows that one wrapped event takes at most.
const TALL: usize = 12;

/// Rows the pane would like to have.
pub(super) fn wanted(state: &State) -> u16 {
    u16::try_from(state.feed.len()).unwrap_or(u16::MAX).saturating_add(4)
}

/// `● live`, `● polling`, `✕ lost · back in 3 s`.
fn link(entry: &Entry, look: Look) -> Words {
    let theme = look.theme;
    match &entry.link {
        Link::Live { polling: false, .. } => ("● live".to_owned(), theme.busy),
        Link::Live { polling: true, .. } => ("● polling".to_owned(), theme.busy),
        Link::Connecting(_) => ("… connecting".to_owned(), theme.busy),
        Link::Lost { at, why, .. } => {
            let left = at.saturating_duration_since(look.now).as_secs_f64().ceil();
            (format!("✕ lost · back in {left} s · R now · {}", why.line()), theme.error)
        }
        Link::Failed(why) => (format!("✕ lost · R tries again · {}", why.line()), theme.error),
        Link::None if entry.runs() && entry.off => ("not followed · f follows".to_owned(), theme.warn),
        Link::None if entry.runs() => ("● polling · 6 others are followed".to_owned(), theme.muted),
        Link::None if entry.history.events() == 0 => ("⏎ asks for them".to_owned(), theme.muted),
        Link::None => ("over".to_owned(), theme.muted),
    }
}

/// The same of all jobs that run.
fn links(state: &State, look: Look) -> Words {
    let theme = look.theme;
    let Some(board) = state.board() else { return Words::default() };
    let open: Vec<&Link> =
        board.entries.iter().map(|entry| &entry.link).filter(|link| !matches!(link, Link::None)).collect();
    let lost = open.iter().filter(|link| matches!(link, Link::Lost { .. } | Link::Failed(_))).count();
    let streams = if open.len() == 1 { "stream" } else { "streams" };
    match (open.len(), lost) {
        (0, _) => ("nothing is followed".to_owned(), theme.muted),
        (all, 0) if open.iter().all(|link| matches!(link, Link::Live { polling: true, .. })) => {
            (format!("{all} {streams} ● polling"), theme.busy)
        }
        (all, 0) => (format!("{all} {streams} ● live"), theme.busy),
        (all, lost) => {
            let back = state.lost().map(|at| at.saturating_duration_since(look.now).as_secs_f64().ceil());
            let back = back.map(|left| format!(" · back in {left} s")).unwrap_or_default();
            (format!("{lost} of {all} {streams} ✕ lost{back} · R now"), theme.error)
        }
    }
}

pub(super) fn render(frame: &mut Frame, area: Rect, state: &mut State, focus: bool, look: Look) {
    if area.is_empty() {
        return;
    }
    let theme = look.theme;
    let here = state.boards.get(state.at).and_then(|board| board.here());
    let right =
        if state.feed.all { links(state, look) } else { here.map(|entry| link(entry, look)).unwrap_or_default() };
    let mut title = if state.feed.all { "Events · all jobs".to_owned() } else { "Events".to_owned() };
    if !state.feed.find.is_empty() {
        title = format!("{title} “{}”", Untrusted::from(state.feed.find.as_str()).line());
    }
    let rule = Rule { title: &title, right: &right.0, right_style: right.1, focus };
    rule.render(area, frame.buffer_mut(), theme);
    let mut inside = Rect { y: area.y + 1, height: area.height - 1, ..area };
    if let Some(line) = &state.feed.typing
        && !inside.is_empty()
    {
        let label = 2.min(inside.width);
        frame.buffer_mut().set_stringn(inside.x, inside.y, " /", usize::from(label), theme.accent);
        let place = Rect { x: inside.x + label, width: inside.width - label, height: 1, ..inside };
        line.render(frame, place, theme.text, true);
        inside = Rect { y: inside.y + 1, height: inside.height - 1, ..inside };
    }
    // The keys stand below where there is room for them.
    if inside.height > 8 && inside.width > 60 {
        let on = if here.is_some_and(|entry| entry.runs() && !entry.off) { " (on)" } else { "" };
        let keys = format!(" f follow{on}   e this job / all jobs   / search   w wrap");
        let y = inside.bottom() - 1;
        frame.buffer_mut().set_stringn(inside.x, y, keys, usize::from(inside.width), theme.muted);
        inside.height -= 2;
    }
    state.feed.page = usize::from(inside.height);
    if state.feed.len() == 0 {
        let words = match here {
            Some(_) if state.feed.all => "no events yet",
            Some(entry) if entry.runs() => "no events yet; they show here as they happen",
            Some(_) => "⏎ asks for the events of this job",
            None => "no job is chosen",
        };
        let width = usize::from(inside.width.saturating_sub(1));
        if !inside.is_empty() {
            frame.buffer_mut().set_stringn(inside.x + 1.min(inside.width), inside.y, words, width, theme.muted);
        }
        return;
    }
    rows(frame, inside, state, focus, look);
}

fn rows(frame: &mut Frame, area: Rect, state: &mut State, focus: bool, look: Look) {
    let Some(board) = state.boards.get(state.at) else { return };
    let feed = &mut state.feed;
    let (len, height, width) = (feed.len(), usize::from(area.height), usize::from(area.width));
    let mut cursor = feed.cursor;
    let window = cursor.window(height, len);
    let wide = window.clone().filter_map(|at| feed.get(board, at));
    let stamp = wide.map(|(_, line)| words::clock(line.at, look.unix).width()).max().unwrap_or(0);
    let named = if feed.all { 8 } else { 0 };
    let room = width.saturating_sub(stamp + named + 3).max(8);
    let texts = |line: &Told| -> Vec<String> {
        if feed.wrap {
            let text = line.words.screen();
            let rows = text.lines().flat_map(|line| wrap::lines(line, room)).take(TALL);
            rows.map(str::to_owned).collect()
        } else {
            vec![cut(&line.words.line().replace('␊', " "), room)]
        }
    };
    let tall = |at: usize| feed.get(board, at).map_or(1, |(_, line)| texts(line).len().max(1));
    // Wrapped, the row under the cursor may be further down than its place in the list.
    if feed.wrap {
        let mut used: usize = (cursor.top..=cursor.selected).map(tall).sum();
        while used > height && cursor.top < cursor.selected {
            used -= tall(cursor.top);
            cursor.top += 1;
        }
    }
    let mut y = area.y;
    for at in cursor.top..len {
        if y >= area.bottom() {
            break;
        }
        let Some((id, line)) = feed.get(board, at) else { continue };
        let style = style(line, look);
        let found = !feed.find.is_empty() && line.words.line().to_lowercase().contains(&feed.find.to_lowercase());
        let here = focus && at == cursor.selected;
        if here && feed.typing.is_none() {
            frame.set_cursor_position(Position::new(area.x, y));
        }
        let first = y;
        for text in texts(line) {
            if y >= area.bottom() {
                break;
            }
            let x = area.x + (1 + stamp + 2 + named) as u16;
            let look = if found { style.patch(look.theme.find) } else { style };
            frame.buffer_mut().set_stringn(x, y, text, room, look);
            y += 1;
        }
        let buf = frame.buffer_mut();
        buf.set_stringn(area.x + 1, first, words::clock(line.at, look.unix), stamp, look.theme.muted);
        if feed.all {
            buf.set_stringn(area.x + 1 + (stamp + 2) as u16, first, tail(id), 6, look.theme.muted);
        }
        if here {
            buf.set_stringn(area.x, first, "▌", 1, look.theme.accent);
        }
        y = y.max(first + 1);
    }
    feed.cursor = cursor;
}

fn style(line: &Told, look: Look) -> Style {
    let theme = look.theme;
    match line.level {
        Level::Error => theme.error,
        Level::Warn => theme.warn,
        Level::Info if line.ours => theme.muted,
        Level::Info => theme.text,
    }
}
