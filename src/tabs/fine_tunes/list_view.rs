//! The jobs on the screen: two rows each.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

use super::format::unix_ms;
use super::job_list::JobList;
use super::job_row::JobRow;
use super::layout::{ROWS, rows};
use super::state::State;
use super::styled_lines::{StyledLine, find_line};
use super::tune_context::TuneContext;
use crate::api::job::{Dialect, JobStatus};
use crate::component::Session;
use crate::component::session::Server;
use crate::text::Untrusted;
use crate::ui::rule::{Rule, cut, cut_middle};
use crate::ui::theme::Theme;
use crate::ui::{meter, time};

/// Columns from which the server's interface stands in the title.
const ROOM: u16 = 60;

/// Returns the path of the interface, such as `/fine-tunes`, and whether the profile says so.
pub(super) fn spoken(dialect: Option<Dialect>, session: &Session) -> Option<String> {
    let dialect = dialect?;
    let forced = if session.fine_tunes == Some(dialect) { " (profile)" } else { "" };
    Some(format!("{}{forced}", dialect.path()))
}

/// Returns a line such as `2 running · /fine-tunes`, or what is amiss.
pub(super) fn heading(state: &State, width: u16, context: TuneContext) -> StyledLine {
    let theme = context.theme;
    let Some(list) = state.list() else { return (String::new(), theme.muted) };
    if let Some(why) = &list.failure {
        return match (context.session.server, list.listed) {
            (Server::Offline, _) => ("✕ offline · R".to_owned(), theme.bad),
            (_, None) => (String::new(), theme.bad),
            (_, Some(_)) => (format!("✕ {}", why.sentence.line()), theme.bad),
        };
    }
    let running = list.running();
    let mut parts = Vec::new();
    if running > 0 {
        parts.push(format!("{running} running"));
    }
    if list.queued() > 0 {
        parts.push(format!("{} queued", list.queued()));
    }
    if width >= ROOM {
        parts.extend(spoken(list.dialect, context.session));
    }
    (parts.join(" · "), theme.muted)
}

pub(super) fn render(frame: &mut Frame, area: Rect, state: &State, focus: bool, context: TuneContext) {
    let theme = context.theme;
    let right = heading(state, area.width, context);
    let Some(list) = state.list() else { return };
    let (mut title, mut right) = ("Jobs".to_owned(), right);
    if !list.filter.is_empty() {
        title = format!("Jobs “{}”", Untrusted::from(list.filter.as_str()).line());
        right = (format!("{} of {}", list.jobs.len(), list.jobs.items().len()), theme.muted);
    }
    let rule = Rule { title: &title, right: &right.0, right_style: right.1, focus };
    rule.render(area, frame.buffer_mut(), theme);
    find_line(frame, &state.filtering, area, theme);
    let typing = state.filtering.is_typing();
    let (y, count) = rows(area, typing);
    if list.jobs.is_empty() && y < area.bottom() {
        let words = "no job matches · esc shows all";
        frame.buffer_mut().set_stringn(area.x + 1, y, words, usize::from(area.width), theme.muted);
    }
    let shown = list.jobs.view.cursor.top..list.jobs.len();
    for (place, y) in shown.take(count).zip((y..).step_by(usize::from(ROWS))) {
        job(frame.buffer_mut(), Rect { y, height: ROWS, ..area }, list, place, focus, context);
        if place == list.jobs.view.cursor.selected && focus && !typing {
            frame.set_cursor_position(Position::new(area.x, y));
        }
    }
}

/// Returns the mark of a state.
pub(super) fn mark(status: &JobStatus) -> &'static str {
    match status {
        JobStatus::Running => "●",
        JobStatus::Pending => "◌",
        JobStatus::Paused => "‖",
        JobStatus::Succeeded => "✓",
        JobStatus::Failed => "✕",
        JobStatus::Cancelled => "⊘",
        JobStatus::Other(_) => "?",
    }
}

/// Returns the mark of a state with its style.
pub(super) fn glyph(status: &JobStatus, theme: &Theme) -> (&'static str, Style) {
    let style = match status {
        JobStatus::Running => theme.busy,
        JobStatus::Succeeded => theme.good,
        JobStatus::Failed => theme.bad,
        JobStatus::Paused | JobStatus::Other(_) => theme.warn,
        JobStatus::Pending | JobStatus::Cancelled => theme.muted,
    };
    (mark(status), style)
}

/// Draws the job at a place of the list.
fn job(buf: &mut Buffer, area: Rect, list: &JobList, place: usize, focus: bool, context: TuneContext) {
    let Some(row) = list.jobs.row(place) else { return };
    let (theme, here) = (context.theme, place == list.jobs.view.cursor.selected);
    let lit = here && focus;
    let width = usize::from(area.width);
    if lit {
        buf.set_style(Rect { height: 1, ..area }, theme.text.patch(theme.select));
    }
    let ground = if lit { theme.text.patch(theme.select) } else { theme.text };
    if here {
        buf.set_stringn(area.x, area.y, "▌", width, ground.patch(theme.accent));
    }
    let (mark, style) = glyph(&row.job.status, theme);
    buf.set_stringn(area.x + 1, area.y, mark, width.saturating_sub(1), ground.patch(style));
    let letter = list.letter(&row.job.id).map(|letter| format!("▣{letter}")).unwrap_or_default();
    let id = row.short();
    let room = width.saturating_sub(3 + letter.width());
    let name = cut_middle(&row.name(), room.saturating_sub(id.width() + 3));
    buf.set_stringn(area.x + 3, area.y, format!("{id}  {name}"), room, ground);
    if !letter.is_empty() {
        let x = area.right().saturating_sub(letter.width() as u16);
        buf.set_stringn(x, area.y, &letter, letter.width(), ground.patch(theme.mark));
    }
    if area.height > 1 && width > 4 {
        let (words, style) = second(row, width - 5, context);
        buf.set_stringn(area.x + 4, area.y + 1, cut(&words, width - 5), width - 5, style);
    }
}

/// Returns what stands below a job's name: how far it is, or what became of it.
fn second(row: &JobRow, width: usize, context: TuneContext) -> StyledLine {
    let (theme, now) = (context.theme, context.unix);
    let job = &row.job;
    match &job.status {
        JobStatus::Running | JobStatus::Paused | JobStatus::Other(_) => {
            let word = if job.status == JobStatus::Running { String::new() } else { format!("{}  ", row.state()) };
            let left =
                row.progress.left(now).map(|left| format!("  ~{} left", time::long_duration(left))).unwrap_or_default();
            let Some(share) = row.progress.share(job) else {
                let since = row.elapsed(now).map(|since| format!(" for {}", time::long_duration(since)));
                return (format!("{}{}", row.state(), since.unwrap_or_default()), theme.busy);
            };
            let step = row.progress.step.map(|(at, of)| match of {
                Some(of) => format!("  {} of {}", meter::count(at), meter::count(of)),
                None => format!("  step {}", meter::count(at)),
            });
            let step = step.unwrap_or_default();
            let figures = format!(" {:>3}%{step}", (share * 100.0).floor());
            // The steps say more than the time left, where there is no room for both.
            let left = if figures.width() + left.width() + word.width() <= width { left } else { String::new() };
            let figures = figures + &left;
            let bar = width.saturating_sub(figures.width() + word.width()).min(12);
            (format!("{word}{}{figures}", meter::bar(share, bar)), theme.busy)
        }
        JobStatus::Pending => match row.progress.queue {
            Some(place) => (format!("queued · #{} in line", meter::count(place)), theme.muted),
            None => ("queued".to_owned(), theme.muted),
        },
        JobStatus::Failed => match row.reason() {
            Some(why) => (format!("failed: {}", why.replace('␊', " ")), theme.bad),
            None => (format!("failed  {}", ended(row, context)), theme.bad),
        },
        JobStatus::Succeeded if row.deleted => ("succeeded; its model is deleted".to_owned(), theme.muted),
        JobStatus::Succeeded | JobStatus::Cancelled => {
            (format!("{}  {}", row.state(), ended(row, context)), theme.muted)
        }
    }
}

fn ended(row: &JobRow, context: TuneContext) -> String {
    let job = &row.job;
    let at = row.progress.ended.or(job.finished_at).or(job.updated_at).unwrap_or(job.created_at);
    context.session.zone.when(unix_ms(at), unix_ms(context.unix))
}

/// Returns which interface a server has, in words.
pub(super) fn interface(dialect: Option<Dialect>, forced: bool) -> String {
    let why = if forced { "the profile says so" } else { "the server was asked" };
    dialect.map_or_else(|| "not known yet".to_owned(), |dialect| format!("{} ({why})", dialect.path()))
}
