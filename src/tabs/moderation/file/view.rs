//! Draws the page: the progress of the run, which rows are shown, the table.

use std::time::{Duration, Instant};

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::super::language::ENGLISH;
use super::super::page_data::{head, quiet_style};
use super::super::shared_settings::SharedSettings;
use super::keys::{Action, KEYS};
use super::label_errors::LabelError;
use super::open_file::OpenTextFile;
use super::page::{FilePage, FilePhase, FileView, LoadStep};
use super::settings::RowSort;
use super::table::{LABEL, SCORE, columns, row};
use crate::component::{Component, FindBar, Hint, RenderContext, Session};
use crate::settings::ProfileId;
use crate::tabs::batch::BatchState;
use crate::text::Untrusted;
use crate::ui::empty_state::EmptyState;
use crate::ui::meter::count;
use crate::ui::overlay::below;
use crate::ui::pane::Spacing;
use crate::ui::progress::{Progress, State, Unit};
use crate::ui::rule::cut;
use crate::ui::size_class::{MEDIUM, WIDE};
use crate::ui::table::{SortDirection, Table};
use crate::ui::time::countdown;
use crate::ui::wrap;

/// Fits the list's cursor, and what is shown of the open list, to the area.
pub(super) fn arrange(page: &mut FilePage, area: Rect, session: &Session, now: Instant) {
    let shared = &page.shared;
    let FilePhase::Open(open) = &mut page.phase else { return };
    match &mut page.sub {
        FileView::Detail(detail) => detail.arrange(area, open, shared, session),
        FileView::Failures(failures) => failures.arrange(area, open, session),
        FileView::Evaluate(page) => page.arrange(area, session, now),
        FileView::Table => {
            let spacing = session.spacing();
            let body = spacing.body(table_area(open, area));
            let rows = below(body, table_top(open, body, spacing));
            let (columns, len) = (columns(open, body.width), open.rows.order.len());
            open.rows.view.right = u16::from(spacing.has_surfaces());
            open.rows.view.fit(&columns, len, rows);
        }
    }
}

/// Returns the area of the table: all but the find bar.
fn table_area(open: &OpenTextFile, area: Rect) -> Rect {
    let foot = u16::from(area.height > 4 && open.search.bar.is_shown());
    Rect { height: area.height - foot, ..area }
}

/// Returns the rows above the table, where the page has this body.
fn table_top(open: &OpenTextFile, body: Rect, spacing: Spacing) -> u16 {
    2 + why(open, body).len() as u16 + u16::from(spacing == Spacing::Roomy)
}

/// Draws the page.
pub(super) fn render(page: &FilePage, frame: &mut Frame, area: Rect, context: RenderContext) {
    let area = area.intersection(frame.area());
    if area.is_empty() {
        return;
    }
    let saved = page.saved();
    match (&page.phase, &page.sub) {
        (FilePhase::Open(open), FileView::Detail(detail)) => detail.render(frame, area, open, context),
        (FilePhase::Open(open), FileView::Failures(failures)) => failures.render(frame, area, open, context),
        (FilePhase::Open(_), FileView::Evaluate(page)) => page.render(frame, area, context),
        (FilePhase::Open(open), FileView::Table) => {
            let top = table_area(open, area);
            let focus = !page.modals.is_open() && !open.search.bar.is_typing();
            table(open, frame, top, &page.shared, context, (saved.as_ref(), focus));
            if top.height < area.height {
                let line = Rect { y: area.bottom() - 1, height: 1, ..area };
                open.search.bar.render(frame, line, &FindBar::found(open.rows.order.len()), context.theme);
            }
        }
        (FilePhase::Step(step), _) => waiting(step, frame, area, context),
        (FilePhase::Empty, _) => empty(frame, area, context),
    }
    page.modals.render(frame, area, context);
}

fn empty(frame: &mut Frame, area: Rect, context: RenderContext) {
    head(frame, area, ("File of texts", ""), quiet_style(context), context);
    let keys =
        [KEYS.hint(Action::Open, "open a file"), KEYS.hint(Action::Lists, "open one of the files opened before")];
    let empty = EmptyState {
        purpose: "Check a file of texts: one text per line, or JSONL or CSV with a column of texts and, if you have them, a \
                  column of labels.",
        samples: &[],
        chosen: None,
        keys: &keys.each_ref().map(Hint::as_pair),
    };
    let place = context.session.spacing().pane(area).content;
    let purpose = empty.render(place, frame.buffer_mut(), context.theme);
    frame.set_cursor_position(purpose.as_position());
}

fn lines(frame: &mut Frame, area: Rect, words: &str, style: Style) {
    for (line, y) in
        wrap::lines(words, usize::from(area.width).saturating_sub(2).max(1)).iter().zip(area.y..area.bottom())
    {
        frame.buffer_mut().set_string(area.x + 1, y, line, style);
    }
    frame.set_cursor_position((area.x, area.y.min(area.bottom().saturating_sub(1))));
}

/// Draws a list that is being opened.
fn waiting(step: &LoadStep, frame: &mut Frame, area: Rect, context: RenderContext) {
    let (name, progress, why) = match step {
        LoadStep::Last(_) | LoadStep::Rows(..) => (String::new(), None, None),
        LoadStep::Reading { name, at, .. } => (name.line().into_owned(), Some((*at, Unit::Bytes)), None),
        LoadStep::Copying(copying) => {
            let failed = copying.saves.refusal().map(|why| format!("not saved, trying again: {}", why.line()));
            let at = ((copying.saved, copying.total()), Unit::Count("texts"));
            (copying.name().line().into_owned(), Some(at), failed)
        }
    };
    let title = if name.is_empty() { "File of texts" } else { &name };
    let right = match step {
        LoadStep::Reading { .. } => "reading…",
        LoadStep::Copying(_) => "saving…",
        LoadStep::Last(_) | LoadStep::Rows(..) => "loading…",
    };
    head(frame, area, (title, right), quiet_style(context), context);
    let Some(((done, total), unit)) = progress else { return };
    let state = why.as_deref().map_or(State::Running, State::Failed);
    let total = Some(total).filter(|total| *total > 0);
    Progress { done, total, unit, rate: None, left: None, state, elapsed: Duration::ZERO }.render(
        context.session.spacing().pane(area).content,
        frame.buffer_mut(),
        context.theme,
    );
}

fn table(
    open: &OpenTextFile,
    frame: &mut Frame,
    area: Rect,
    shared: &SharedSettings,
    context: RenderContext,
    (saved, focus): (Option<&Untrusted>, bool),
) {
    let theme = context.theme;
    let name = open.dataset.list.name.line().into_owned();
    let saved = saved.map(Untrusted::line).unwrap_or_default();
    let tally = open.tally();
    let (right, style) = if saved.starts_with('✕') {
        (saved.into_owned(), theme.bad)
    } else {
        (format!("{} of {} · {saved}", count(tally.done), count(tally.total)), quiet_style(context))
    };
    head(frame, area, (&name, &right), style, context);
    let spacing = context.session.spacing();
    let body = spacing.body(area);
    let inner = Rect { x: body.x + 1, width: body.width.saturating_sub(2), ..body };
    status(open, frame, inner, context);
    let why = why(open, body);
    for (line, y) in why.iter().zip(inner.y + 1..) {
        frame.buffer_mut().set_string(inner.x, y, format!("┃ {line}"), theme.bad);
    }
    facts(open, frame, below(inner, 1 + why.len() as u16), shared, context);
    let rows = below(body, table_top(open, body, spacing));
    if open.rows.order.is_empty() {
        let words = if open.earlier.loading.is_some() {
            "Looking up earlier results."
        } else {
            "No rows match. esc shows all rows."
        };
        return lines(frame, below(rows, 1), words, theme.muted);
    }
    let columns = columns(open, body.width);
    let sort = match open.settings.sort {
        RowSort::Row => Some((0, SortDirection::Ascending)),
        RowSort::Score => {
            columns.iter().position(|column| column.title == SCORE).map(|at| (at, SortDirection::Descending))
        }
        RowSort::Label => {
            columns.iter().position(|column| column.title == LABEL).map(|at| (at, SortDirection::Ascending))
        }
    };
    let row = |place: usize| row(open, open.rows.order[place] as usize, &columns, shared, context);
    let table = Table { columns: &columns, sort, len: open.rows.order.len(), row: &row, focus };
    if let Some(at) = table.render(open.rows.view, rows, frame.buffer_mut(), theme) {
        frame.set_cursor_position(at);
    }
}

/// Draws the progress of the run.
fn status(open: &OpenTextFile, frame: &mut Frame, area: Rect, context: RenderContext) {
    if area.is_empty() {
        return;
    }
    let tally = open.tally();
    let mut words = String::new();
    let Some(run) = &open.run else {
        return plan(open, frame, area, context);
    };
    let state = match run.state() {
        BatchState::Finished => {
            if tally.failed > 0 {
                words = format!("{} failed: x", count(tally.failed));
            }
            State::Done(&words)
        }
        BatchState::Paused => State::Paused,
        BatchState::Held { until, .. } => {
            let then = until.map_or_else(
                || "p resume".to_owned(),
                |until| format!("retry in {} · p now", countdown(until, context.now)),
            );
            words = then;
            if until.is_some() { State::Retry(&words) } else { State::Failed(&words) }
        }
        BatchState::Running => match run.next_attempt() {
            Some(retry) => {
                let left = countdown(retry.at, context.now);
                words = format!("retry in {left} · {}", retry.why.sentence.line());
                State::Retry(&words)
            }
            None => State::Running,
        },
    };
    let running = matches!(state, State::Running | State::Retry(_));
    let (rate, left) = if running { run.pace(context.now) } else { (None, None) };
    let progress = Progress {
        done: tally.done,
        total: Some(tally.total),
        unit: Unit::Count("texts"),
        rate,
        left,
        state,
        elapsed: Duration::ZERO,
    };
    progress.render(area, frame.buffer_mut(), context.theme);
}

/// Returns why the run waits, in as many lines as it takes and the table's area has room for.
fn why(open: &OpenTextFile, area: Rect) -> Vec<String> {
    let Some(BatchState::Held { why, .. }) = open.state() else { return Vec::new() };
    let most = usize::from(area.height.saturating_sub(6).min(4));
    let why = why.line();
    let lines = wrap::lines(&why, usize::from(area.width).saturating_sub(3).max(8)).into_iter();
    lines.take(most).map(str::to_owned).collect()
}

/// Draws what a run would do.
fn plan(open: &OpenTextFile, frame: &mut Frame, area: Rect, context: RenderContext) {
    let tally = open.tally();
    let rows = count(tally.total);
    let mut parts = vec![format!("{} of {rows} texts", count(tally.done))];
    if tally.done > 0 {
        parts.push("with earlier results".to_owned());
    }
    let same = tally.total - open.dataset.texts().len() as u64;
    if open.earlier.loading.is_some() {
        parts.push("looking up earlier results…".to_owned());
    } else if open.earlier.unread {
        parts.push("earlier results could not be read · p retry".to_owned());
    } else if tally.left() > 0 {
        parts.push(if open.settings.begun { "p resume".to_owned() } else { "p check".to_owned() });
    }
    if same > 0 {
        parts.push(format!("duplicates sent once: {}", count(same)));
    }
    let words = cut(&parts.join(" · "), usize::from(area.width));
    frame.buffer_mut().set_string(area.x, area.y, words, context.theme.text);
}

/// Draws whom the texts are checked with, what is sorted by, and what is shown.
fn facts(open: &OpenTextFile, frame: &mut Frame, area: Rect, shared: &SharedSettings, context: RenderContext) {
    if area.is_empty() {
        return;
    }
    let (theme, width) = (context.theme, usize::from(area.width));
    let (shown, all) = (open.rows.order.len() as u64, open.dataset.len() as u64);
    let shown =
        if shown == all { format!("{} rows", count(all)) } else { format!("{} of {} rows", count(shown), count(all)) };
    let mut parts = Vec::new();
    if open.rows.fresh > 0 && open.settings.sort != RowSort::Row {
        parts.push(format!("{} new · s sort", count(open.rows.fresh)));
    }
    if let Some(category) = open.dataset.results.chosen() {
        parts.push(format!("category {}", category.name.line()));
    }
    if open.settings.filter.flagged {
        parts.push("flagged only".to_owned());
    }
    parts.extend(open.errors.as_deref().map(|all| errors(all, open.settings.filter.only, area.width)));
    parts.push(threshold(open, shared));
    let (profile, model) = open.model(shared, context.session);
    if profile == ProfileId::local().0 {
        // A row shows a score alone: what that cannot say is said for all of them.
        parts.push(ENGLISH.to_owned());
    }
    let model = if model.is_empty() { "the server's own model" } else { &model };
    parts.push(Untrusted::from(model).line().into_owned());
    if let Some((_, name)) = context.session.profiles.iter().find(|(id, _)| id.0 == profile)
        && profile != context.session.profile.0
    {
        parts.push(format!("profile {}", name.line()));
    }
    if open.dataset.results.has_more() {
        parts.push(format!("{} categories are shown here, the others in the details of a row", super::results::MOST));
    }
    if let Some(run) = &open.run
        && !run.requests().is_empty()
    {
        parts.push(format!("{} requests running", run.requests().len()));
    }
    let room = width.saturating_sub(shown.len() + 2);
    let words = cut(&parts.join(" · "), room);
    frame.buffer_mut().set_string(area.x, area.y, words, theme.muted);
    if width > shown.len() {
        let x = area.right() - shown.len() as u16;
        frame.buffer_mut().set_string(x, area.y, shown, theme.muted);
    }
}

/// Says how many errors there are of each kind, and which of them show.
fn errors(all: &[Option<LabelError>], only: Option<LabelError>, width: u16) -> String {
    let kind = |error: LabelError| {
        let rows = count(all.iter().filter(|row| **row == Some(error)).count() as u64);
        let name = if width >= WIDE { error.name() } else { error.short() };
        if only == Some(error) { format!("[{rows} {name}]") } else { format!("{rows} {name}") }
    };
    let kinds = LabelError::ALL.map(kind).join(", ");
    if width < MEDIUM {
        return kinds;
    }
    format!("errors {}: {kinds}", count(all.iter().flatten().count() as u64))
}

/// Says the threshold of the category that counts; without one, those of all categories.
fn threshold(open: &OpenTextFile, shared: &SharedSettings) -> String {
    let (profile, results) = (shared.thresholds.profile(), &open.dataset.results);
    if let Some(category) = results.chosen() {
        return format!("threshold {:.2}", profile.of(&category.key));
    }
    let all = || results.categories().iter().map(|category| profile.of(&category.key));
    let (least, most) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    if least < most {
        format!("thresholds {least:.2} to {most:.2}")
    } else {
        format!("threshold {:.2}", if least.is_finite() { least } else { profile.usual })
    }
}
