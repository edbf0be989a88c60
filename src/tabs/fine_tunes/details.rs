//! Lists what is known of a job: in short beside the list, in full on a page of its own.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use super::details_page::LABEL as PAGE_LABEL;
use super::format::{self, unix_ms};
use super::job_row::{JobRow, file_label, safe};
use super::list_view::{glyph, interface, interface_path, mark};
use super::state::State;
use super::styled_lines::Fact;
use super::tune_context::TuneContext;
use crate::api::job::{Job, JobFile, JobStatus};
use crate::component::{Session, money};
use crate::tokens::Price;
use crate::ui::rule::{cut, cut_middle};
use crate::ui::theme::Theme;
use crate::ui::{bar, meter, time, wrap};

/// Columns of a label.
const LABEL: usize = 10;

/// Returns the facts beside the list, in so many columns.
pub(super) fn facts(state: &State, session: &Session, unix: i64, width: usize) -> Vec<Fact> {
    let Some(row) = state.selected_job() else { return Vec::new() };
    let mut all = Vec::new();
    let mut say = |label: &'static str, value: String| {
        if !value.is_empty() {
            all.push(Fact { label, value: cut_middle(&value, width.saturating_sub(LABEL)) });
        }
    };
    let job = &row.job;
    say("base", safe(&job.model));
    say("train", names(&job.training_files));
    let rows = row.rows.map(format::rows);
    let tokens = job.trained_tokens.map(|tokens| format!("{} tokens", meter::short(tokens)));
    say("", rows.into_iter().chain(tokens).collect::<Vec<_>>().join("   "));
    say("valid", names(&job.validation_files));
    say("epochs", epochs(row));
    say("batch", job.settings.batch_size.map(|size| size.to_string()).unwrap_or_default());
    say("rate", job.settings.learning_rate_multiplier.map(|rate| format!("×{rate}")).unwrap_or_default());
    say("started", times(row, session, unix));
    say("cost", cost(row, session));
    say("model", row.model().map(|model| model.line().into_owned()).unwrap_or_default());
    say("interface", interface_path(state.list().and_then(|list| list.dialect), session).unwrap_or_default());
    all
}

/// Draws the facts, a row each.
pub(super) fn draw_facts(buf: &mut Buffer, area: Rect, facts: &[Fact], theme: &Theme) {
    let width = usize::from(area.width);
    for (fact, y) in facts.iter().zip(area.y..area.bottom()) {
        buf.set_stringn(area.x, y, fact.label, width, theme.muted);
        let style = if fact.label.is_empty() { theme.faint } else { theme.text };
        let x = area.x + (LABEL as u16).min(area.width);
        buf.set_stringn(x, y, &fact.value, width.saturating_sub(LABEL), style);
    }
}

/// Draws a line such as `━━━━╾───  59%  step 1,240 of 2,100  ~26 m left  ~$36.40`, or the outcome of it.
pub(super) fn progress(buf: &mut Buffer, area: Rect, state: &State, context: TuneContext) {
    let Some(row) = state.selected_job() else { return };
    let (mark, style) = glyph(&row.job.status, context.theme);
    let mut parts: Vec<String> = Vec::new();
    let mut share = None;
    if row.runs() {
        share = row.progress.share(&row.job);
        parts.extend(share.map(meter::percent));
        parts.extend(so_far(row));
        if let Some(place) = row.progress.queue.filter(|_| row.job.status == JobStatus::Pending) {
            parts.push(format!("queued · #{} in line", meter::count(place)));
        } else if share.is_none() {
            parts.push(row.state());
        }
        parts.extend(row.progress.left(context.unix).map(|left| format!("~{} left", time::long_duration(left))));
    } else {
        parts.push(format!("{mark} {}", row.state()));
        parts.extend(row.reason().map(|why| why.replace('␊', " ")));
        parts.extend(row.elapsed(context.unix).map(|long| format!("in {}", time::long_duration(long))));
        parts.extend(row.model().map(|model| model.line().into_owned()));
    }
    let cost = cost(row, context.session);
    if cost != "—" {
        parts.push(cost);
    }
    let words = parts.join("  ");
    let room = usize::from(area.width).saturating_sub(words.width() + 2).min(30);
    let mut x = area.x;
    if let Some(share) = share.filter(|_| room >= 6) {
        bar::thin(share, Rect { width: room as u16, height: 1, ..area }, buf, style, context.theme);
        x += room as u16 + 2;
    }
    let room = usize::from(area.right().saturating_sub(x));
    buf.set_stringn(x, area.y, cut(&words, room), room, context.theme.text);
    // What stands first is its state.
    let first = parts.first().map_or(0, |part| part.width().min(room));
    buf.set_style(Rect { x, width: first as u16, height: 1, ..area }.intersection(area), style);
}

/// Returns the progress, such as `step 1,240 of 2,100` or `epoch 1 of 4`.
fn so_far(row: &JobRow) -> Option<String> {
    if let Some((at, of)) = row.progress.step {
        return Some(format::step(at, of));
    }
    row.progress.epochs(&row.job).map(|(done, of)| format!("epoch {done} of {of}"))
}

fn names(files: &[JobFile]) -> String {
    files.iter().map(file_label).collect::<Vec<_>>().join(", ")
}

/// Returns how many epochs are done and of how many, such as `2 of 4`, or how many it has.
fn epochs(row: &JobRow) -> String {
    match (row.progress.epochs(&row.job).filter(|_| row.runs()), row.job.settings.n_epochs) {
        (Some((done, of)), _) => format!("{done} of {of}"),
        (None, of) => of.map(|epochs| epochs.to_string()).unwrap_or_default(),
    }
}

/// Returns `12:07   38 m ago`
fn times(row: &JobRow, session: &Session, now: i64) -> String {
    let elapsed = row.elapsed(now).map(time::long_duration);
    let job = &row.job;
    let from = session.zone.when(unix_ms(row.progress.started.unwrap_or(job.created_at)), unix_ms(now));
    match (job.status == JobStatus::Pending, elapsed) {
        (true, _) => "not yet".to_owned(),
        (false, Some(long)) if row.runs() => format!("{from}   {long} ago"),
        (false, Some(long)) => format!("{from}   took {long}"),
        (false, None) => from,
    }
}

/// Returns `~26 m (last 200 steps)`
fn left(row: &JobRow, now: i64) -> String {
    if !row.runs() {
        return String::new();
    }
    row.progress.left(now).map(|left| format!("~{}", time::long_duration(left))).unwrap_or_default()
}

/// Returns what it costs, or did.
fn cost(row: &JobRow, session: &Session) -> String {
    let price = session.training_price(&row.job.model);
    if price == Some(Price::FREE) {
        return "free".to_owned();
    }
    money::cost(row.cost(price))
}

/// Returns a note such as ` · prices as of 2023-03-14`, where the cost is by the built-in table.
fn dated(row: &JobRow, session: &Session) -> String {
    let known = row.progress.cost.is_some() || row.job.trained_tokens.is_none();
    let day = session.training_price(&row.job.model).and_then(|price| price.as_of);
    day.filter(|_| !known).map(|day| format!(" · prices as of {day}")).unwrap_or_default()
}

/// What is known of a job: labels and values.
#[derive(Default)]
struct JobFacts(Vec<(&'static str, String)>);

impl JobFacts {
    /// Adds a value, if there is one.
    fn say(&mut self, label: &'static str, value: impl Into<String>) {
        let value = value.into();
        if !value.is_empty() {
            self.0.push((label, value));
        }
    }

    /// Returns them as rows of a page of so many columns.
    fn rows(&self, width: usize) -> Vec<String> {
        let room = width.saturating_sub(PAGE_LABEL).max(8);
        let mut rows = Vec::new();
        for (label, value) in &self.0 {
            for (row, line) in value.lines().flat_map(|line| wrap::lines(line, room)).enumerate() {
                let label = if row == 0 { label } else { "" };
                rows.push(format!("{label:<PAGE_LABEL$}{line}"));
            }
        }
        rows
    }
}

/// Returns all that is known of the job under the cursor.
pub(super) fn full(state: &State, session: &Session, now: i64, width: usize) -> Vec<String> {
    let Some((list, row)) = state.list().and_then(|list| Some((list, list.jobs.selected_item()?))) else {
        return vec!["no job is selected".to_owned()];
    };
    let mut page = facts_of(row, session, now);
    page.say("interface", interface(list.dialect, list.dialect.is_some() && session.fine_tunes == list.dialect));
    let gone = row.events.dropped_count();
    let forgotten = if gone > 0 { format!(", the oldest {} not kept", meter::count(gone)) } else { String::new() };
    page.say("events", format!("{} received{forgotten}", meter::count(row.events.count())));
    if row.runs() {
        page.say("", format::after_quitting(&list.profile));
    }
    page.rows(width)
}

/// Returns labels and values of all that a server tells of a job, at a moment in Unix seconds; `deleted`: its model was
/// deleted from here.
pub fn job_facts(job: Job, deleted: bool, session: &Session, now: i64) -> Vec<(&'static str, String)> {
    facts_of(&JobRow { deleted, ..JobRow::new(job) }, session, now).0
}

/// Returns what is known of a job itself.
fn facts_of(row: &JobRow, session: &Session, now: i64) -> JobFacts {
    let job = &row.job;
    let mut page = JobFacts::default();
    say_outcome(&mut page, row);
    say_settings(&mut page, row);
    page.say("progress", so_far(row).unwrap_or_default());
    if job.status == JobStatus::Pending {
        page.say(
            "queue",
            row.progress.queue.map(|place| format!("#{} in line", meter::count(place))).unwrap_or_default(),
        );
    }
    let trained = job.trained_tokens.map(|tokens| format!("{} trained on", meter::count(tokens)));
    page.say("tokens", trained.unwrap_or_default());
    let (zone, created) = (session.zone, unix_ms(job.created_at));
    page.say("created", format!("{}  {}", zone.date(created), zone.moment(created, unix_ms(now))));
    page.say("started", times(row, session, now));
    page.say("left", left(row, now));
    page.say("cost", cost(row, session) + &dated(row, session));
    page.say("organisation", safe(&job.organization_id));
    page
}

/// Adds what became of a job: its state, why it failed, its models.
fn say_outcome(page: &mut JobFacts, row: &JobRow) {
    let job = &row.job;
    page.say("state", format!("{} {}", mark(&job.status), row.state()));
    if job.status == JobStatus::Failed {
        let error = job.error.as_deref().map(crate::text::Untrusted::from);
        let why = error.as_ref().or(row.progress.failed.as_ref());
        page.say("why", why.map(|why| why.screen().into_owned()).unwrap_or_default());
    }
    page.say("job", safe(&job.id));
    page.say("name", row.name());
    page.say("base model", safe(&job.model));
    let model = row.model().map(|model| model.line().into_owned());
    let none = match (row.deleted, row.runs()) {
        (true, _) => "deleted",
        (false, true) => "none yet",
        (false, false) => "none",
    };
    page.say("tuned model", model.unwrap_or_else(|| none.to_owned()));
}

/// Adds the files and the settings of a job.
fn say_settings(page: &mut JobFacts, row: &JobRow) {
    let job = &row.job;
    let files =
        [("training", &job.training_files), ("validation", &job.validation_files), ("results", &job.result_files)];
    for (label, file) in files.into_iter().flat_map(|(label, list)| list.iter().map(move |file| (label, file))) {
        let size = file.bytes.map(|bytes| format!("  {}", meter::bytes(bytes))).unwrap_or_default();
        page.say(label, format!("{}{size}  {}", file_label(file), safe(&file.id)));
    }
    page.say("rows", row.rows.map(meter::count).unwrap_or_default());
    let settings = &job.settings;
    let or = |value: Option<String>| value.unwrap_or_else(|| "server's choice".to_owned());
    page.say("epochs", or(settings.n_epochs.map(|value| value.to_string())));
    page.say("batch size", or(settings.batch_size.map(|value| value.to_string())));
    page.say("learning rate", or(settings.learning_rate_multiplier.map(|value| format!("×{value}"))));
    page.say("prompt loss", settings.prompt_loss_weight.map(|value| value.to_string()).unwrap_or_default());
}
