//! Draws the jobs: a row each, and two for the job under the cursor.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use unicode_width::UnicodeWidthStr;

use super::format::unix_ms;
use super::job_list::JobList;
use super::job_row::{JobRow, tail};
use super::layout::rows;
use super::state::State;
use super::styled_lines::{StyledLine, find_line};
use super::tune_context::TuneContext;
use crate::api::job::{Dialect, JobStatus};
use crate::component::session::Server;
use crate::component::{FindBar, Session};
use crate::text::Untrusted;
use crate::ui::list::draw_scroll_arrows;
use crate::ui::pane::{self, Pane, Surface};
use crate::ui::rule::{cut, cut_middle};
use crate::ui::theme::Theme;
use crate::ui::{bar, meter, time};

/// Returns the path of the interface, such as `/fine-tunes`, and whether the profile says so.
pub(super) fn interface_path(dialect: Option<Dialect>, session: &Session) -> Option<String> {
    let dialect = dialect?;
    let forced = if session.fine_tunes == Some(dialect) { " (profile)" } else { "" };
    Some(format!("{}{forced}", dialect.path()))
}

/// Returns a line such as `2 running · 1 queued`, or what is amiss.
pub(super) fn heading(state: &State, context: TuneContext) -> StyledLine {
    let theme = context.theme;
    let Some(list) = state.list() else { return (String::new(), theme.muted) };
    if let Some(why) = &list.failure {
        return match (context.session.server, list.listed) {
            // Without any job it is said below.
            (_, None) => (String::new(), theme.bad),
            (Server::Offline, Some(_)) => ("✕ offline · ^R".to_owned(), theme.bad),
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
    (parts.join(" · "), theme.muted)
}

pub(super) fn render(frame: &mut Frame, area: Rect, state: &State, focus: bool, context: TuneContext) {
    let theme = context.theme;
    let right = heading(state, context);
    let Some(list) = state.list() else { return };
    let (mut title, mut right) = ("Jobs".to_owned(), right);
    if !list.filter.is_empty() {
        title = format!("Jobs “{}”", Untrusted::from(list.filter.as_str()).line());
        right = (format!("{} of {}", list.jobs.len(), list.jobs.items().len()), theme.muted);
    }
    let spacing = context.session.spacing();
    let surface = Surface::Panel;
    let pane = Pane { title: &title, note: "", right: &right.0, right_style: right.1, focus, surface };
    pane.render(area, frame.buffer_mut(), theme, spacing);
    find_line(frame, (&state.filtering, &FindBar::found(list.jobs.len())), area, context);
    let typing = state.filtering.is_typing();
    let (y, count) = rows(area, typing, spacing);
    if list.jobs.is_empty() && y < area.bottom() {
        let line = spacing.padded(Rect { y, height: 1, ..area });
        let words = "no matching jobs · esc show all";
        frame.buffer_mut().set_stringn(line.x, y, words, usize::from(line.width), theme.muted);
    }
    let cursor = list.jobs.view.cursor;
    for place in (cursor.top..list.jobs.len()).take(count) {
        let is_selected = place == cursor.selected;
        // The second row of the job under the cursor moves those below it down.
        let y = y + (place - cursor.top) as u16 + u16::from(place > cursor.selected);
        let rows = Rect { y, height: 1 + u16::from(is_selected), ..area }.intersection(area);
        let look = JobLook { is_selected, focus, context };
        look.draw(frame.buffer_mut(), rows, list, place);
        if is_selected && focus && !typing {
            frame.set_cursor_position(Position::new(area.x, y));
        }
    }
    let shown = Rect { y, height: area.bottom().saturating_sub(y), ..area };
    let window = cursor.top..(cursor.top + count).min(list.jobs.len());
    draw_scroll_arrows(frame.buffer_mut(), shown, &window, list.jobs.len(), theme);
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

/// How a job of the list is drawn.
#[derive(Clone, Copy)]
struct JobLook<'a> {
    /// Whether it is under the cursor.
    is_selected: bool,
    focus: bool,
    context: TuneContext<'a>,
}

impl JobLook<'_> {
    /// Draws the job at a place of the list: what it is called and how it is; under the cursor also how far it is.
    fn draw(self, buf: &mut Buffer, area: Rect, list: &JobList, place: usize) {
        let Some(row) = list.jobs.row(place).filter(|_| !area.is_empty()) else { return };
        let theme = self.context.theme;
        let surfaces = theme.kind.has_surfaces();
        let side = self.context.session.spacing().side();
        let ground =
            if self.is_selected && (self.focus || surfaces) { theme.text.patch(theme.select) } else { theme.text };
        if self.is_selected && surfaces {
            pane::highlight(buf, area, theme, self.focus);
        } else if self.is_selected {
            let rows = if self.focus { Rect { height: 1, ..area } } else { Rect::default() };
            buf.set_style(rows, theme.select);
            buf.set_stringn(area.x, area.y, "▌", 1, ground.patch(theme.accent));
        }
        let inner = Rect { x: area.x + side.min(area.width), width: area.width.saturating_sub(2 * side), ..area };
        let width = usize::from(inner.width);
        let (mark, style) = glyph(&row.job.status, theme);
        buf.set_stringn(inner.x, inner.y, mark, width, ground.patch(style));
        let letter = list.letter(&row.job.id).map(|letter| format!(" ▣{letter}")).unwrap_or_default();
        // Jobs that were given no name are called by their file, which others may have learned from as well.
        let id = if row.has_own_name() { String::new() } else { format!(" {}", tail(&row.job.id)) };
        let room = width.saturating_sub(2);
        let behind = letter.width() + id.width();
        let name = row.name();
        let (words, style) = self.result(row, room.saturating_sub(name.width().min(room / 2) + behind + 2));
        let name = cut_middle(&name, room.saturating_sub(words.width() + behind + 2));
        let bold = if self.is_selected { Modifier::BOLD } else { Modifier::empty() };
        let (mut x, right) = ((inner.x + 2).min(inner.right()), inner.right());
        for (part, style) in [(&name, theme.text.add_modifier(bold)), (&id, theme.faint), (&letter, theme.mark)] {
            x = buf.set_stringn(x, inner.y, part, usize::from(right.saturating_sub(x)), ground.patch(style)).0;
        }
        let x = right.saturating_sub(words.width() as u16).max(x);
        buf.set_stringn(x, inner.y, &words, usize::from(right.saturating_sub(x)), ground.patch(style));
        if self.is_selected && area.height > 1 && inner.width > 2 {
            let second = Rect { x: inner.x + 2, width: inner.width - 2, y: area.y + 1, height: 1 };
            self.draw_second_row(buf, second, row);
        }
    }

    /// Returns what stands at the right of a job's name, in so many columns at most: how long it takes, or what became
    /// of it.
    fn result(self, row: &JobRow, room: usize) -> StyledLine {
        let (theme, now) = (self.context.theme, self.context.unix);
        let (words, style) = match &row.job.status {
            JobStatus::Running | JobStatus::Paused | JobStatus::Other(_) => {
                let paused = row.job.status != JobStatus::Running;
                let left = row.progress.left(now).map(|left| format!("~{} left", time::long_duration(left)));
                let share = row.progress.share(&row.job).filter(|_| !self.is_selected).map(meter::percent);
                let both = share.clone().zip(left.clone()).map(|(share, left)| format!("{share}  {left}"));
                let word = paused.then(|| row.state());
                (vec![word, both, left, share, Some(row.state())], if paused { theme.warn } else { theme.busy })
            }
            JobStatus::Pending => {
                let place = row.progress.queue.map(|place| format!("#{} in line", meter::count(place)));
                (vec![place, Some("queued".to_owned())], theme.muted)
            }
            JobStatus::Failed => {
                let why = row.reason().filter(|_| !self.is_selected);
                let why = why.map(|why| format!("failed: {}", why.replace('␊', " ")));
                (vec![why, Some("failed".to_owned())], theme.bad)
            }
            JobStatus::Succeeded if row.deleted => (vec![Some("model deleted".to_owned())], theme.faint),
            JobStatus::Succeeded => {
                let figure = row.progress.loss.map(loss);
                let named = |name: &str| figure.as_ref().map(|figure| format!("{name} {figure}"));
                let (long, short) = (named(row.progress.loss_name()), named("loss"));
                (vec![long, short, figure, Some(ended(row, self.context))], theme.faint)
            }
            JobStatus::Cancelled => (vec![Some("cancelled".to_owned())], theme.faint),
        };
        let mut words = words.into_iter().flatten();
        let last = words.clone().last().unwrap_or_default();
        (words.find(|words| words.width() <= room).unwrap_or_else(|| cut(&last, room)), style)
    }

    /// Draws the second row: how far it is, or the outcome of it.
    fn draw_second_row(self, buf: &mut Buffer, area: Rect, row: &JobRow) {
        let theme = self.context.theme;
        let width = usize::from(area.width);
        // With lines the second row is not lit: its bar tells it from the first.
        let ground = if theme.kind.has_surfaces() { theme.text.patch(theme.select) } else { theme.text };
        let mut put = |x: u16, words: &str, style| {
            buf.set_stringn(area.x + x, area.y, words, width.saturating_sub(usize::from(x)), ground.patch(style));
        };
        let Some(share) = row.progress.share(&row.job).filter(|_| row.runs()) else {
            let (words, style) = self.status_words(row);
            return put(0, &cut(&words, width), style);
        };
        let percent = meter::percent(share);
        put((width - percent.width().min(width)) as u16, &percent, theme.text);
        let cells = width.saturating_sub(percent.width() + 2);
        bar::thin(share, Rect { width: cells as u16, ..area }, buf, theme.busy, theme);
    }

    /// Returns the outcome of a job that has no figure of how far it is.
    fn status_words(self, row: &JobRow) -> StyledLine {
        let (theme, now) = (self.context.theme, self.context.unix);
        match &row.job.status {
            JobStatus::Failed => match row.reason() {
                Some(why) => (why.replace('␊', " "), theme.bad),
                None => (ended(row, self.context), theme.muted),
            },
            JobStatus::Succeeded | JobStatus::Cancelled => {
                (format!("{}  {}", row.state(), ended(row, self.context)), theme.muted)
            }
            JobStatus::Pending => ("starts when the jobs before it have ended".to_owned(), theme.muted),
            JobStatus::Running | JobStatus::Paused | JobStatus::Other(_) => {
                let since = row.elapsed(now).map(|since| format!(" for {}", time::long_duration(since)));
                (format!("{}{}", row.state(), since.unwrap_or_default()), theme.busy)
            }
        }
    }
}

/// Returns a loss such as `0.3424`.
fn loss(value: f64) -> String {
    format!("{value:.4}")
}

fn ended(row: &JobRow, context: TuneContext) -> String {
    let job = &row.job;
    let at = row.progress.ended.or(job.finished_at).or(job.updated_at).unwrap_or(job.created_at);
    context.session.zone.when(unix_ms(at), unix_ms(context.unix))
}

/// Returns which interface a server has, in words.
pub(super) fn interface(dialect: Option<Dialect>, forced: bool) -> String {
    let why = if forced { "set in the profile" } else { "detected" };
    dialect.map_or_else(|| "unknown".to_owned(), |dialect| format!("{} ({why})", dialect.path()))
}
