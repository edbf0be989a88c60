//! What is known of a job, as facts: beside the list in short, on a page of their own in full.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use unicode_width::UnicodeWidthStr;

use super::TuneContext;
use super::entry::{Entry, called, safe};
use super::list::{glyph, interface, mark, spoken};
use super::state::State;
use super::view::{Words, lines};
use super::words;
use crate::api::job::{JobFile, JobStatus};
use crate::component::{RenderContext, Session, money};
use crate::tokens::Price;
use crate::ui::meter;
use crate::ui::rule::{Rule, cut_middle};
use crate::ui::wrap;

/// Columns of a label.
const LABEL: usize = 10;
/// Columns of the page's facts at most.
const WIDEST: usize = 96;

/// The facts beside the list.
pub(super) fn facts(state: &State, session: &Session, unix: i64, width: usize) -> Vec<String> {
    let Some(entry) = state.here() else { return Vec::new() };
    let mut all = vec![entry.name()];
    let mut say = |label: &str, value: String| {
        if !value.is_empty() {
            let room = width.saturating_sub(LABEL);
            all.push(format!("  {label:<8}{}", cut_middle(&value, room)));
        }
    };
    let job = &entry.job;
    say("base", safe(&job.model));
    say("train", names(&job.training_files));
    say("valid", names(&job.validation_files));
    say("epochs", settings(entry));
    say("tokens", job.trained_tokens.map(words::many).unwrap_or_default());
    say("started", times(entry, unix));
    say("left", left(entry, unix));
    say("cost", cost(entry, session));
    say("model", entry.model().map(|model| model.line().into_owned()).unwrap_or_default());
    say("server", spoken(state.board().and_then(|board| board.dialect), session).unwrap_or_default());
    all
}

/// `████▌░░░  59%  step 1,240/2,100  ~26 m left  ~$36.40`, or what became of it.
pub(super) fn progress(state: &State, context: TuneContext, width: usize) -> Words {
    let Some(entry) = state.here() else { return Words::default() };
    let (mark, style) = glyph(&entry.job.status, context.theme);
    let mut parts: Vec<String> = Vec::new();
    let mut share = None;
    if entry.runs() {
        share = entry.told.share(&entry.job);
        parts.extend(share.map(|share| format!("{:.0}%", (share * 100.0).floor())));
        parts.extend(so_far(entry));
        if let Some(place) = entry.told.queue.filter(|_| entry.job.status == JobStatus::Pending) {
            parts.push(format!("queued · #{} in line", meter::count(place)));
        } else if share.is_none() {
            parts.push(entry.state());
        }
        parts.extend(entry.told.left(context.unix).map(|left| format!("~{} left", words::long(left))));
    } else {
        parts.push(format!("{mark} {}", entry.state()));
        parts.extend(entry.reason().map(|why| why.replace('␊', " ")));
        parts.extend(entry.elapsed(context.unix).map(|long| format!("in {}", words::long(long))));
        parts.extend(entry.model().map(|model| model.line().into_owned()));
    }
    let cost = cost(entry, context.session);
    if cost != "—" {
        parts.push(cost);
    }
    let words = parts.join("  ");
    let bar = share.map(|share| {
        let room = width.saturating_sub(words.width() + 2).min(30);
        if room < 6 { String::new() } else { format!("{}  ", meter::bar(share, room)) }
    });
    (format!("{}{words}", bar.unwrap_or_default()), style)
}

/// `step 1,240/2,100`, `epoch 1/4`.
fn so_far(entry: &Entry) -> Option<String> {
    if let Some((at, of)) = entry.told.step {
        return Some(words::step(at, of));
    }
    entry.told.epochs(&entry.job).map(|(done, of)| format!("epoch {done}/{of}"))
}

fn names(files: &[JobFile]) -> String {
    files.iter().map(called).collect::<Vec<_>>().join(", ")
}

/// `4   batch 16   lr ×0.1`
fn settings(entry: &Entry) -> String {
    let settings = &entry.job.settings;
    let epochs = settings.n_epochs.map(|epochs| epochs.to_string());
    let batch = settings.batch_size.map(|size| format!("batch {size}"));
    let rate = settings.learning_rate_multiplier.map(|rate| format!("lr ×{rate}"));
    [epochs, batch, rate].into_iter().flatten().collect::<Vec<_>>().join("   ")
}

/// `12:07 · 38 m elapsed`
fn times(entry: &Entry, now: i64) -> String {
    let elapsed = entry.elapsed(now).map(words::long);
    let job = &entry.job;
    let from = words::when(entry.told.started.unwrap_or(job.created_at), now);
    match (job.status == JobStatus::Pending, elapsed) {
        (true, _) => "not yet".to_owned(),
        (false, Some(long)) if entry.runs() => format!("{from} · {long} elapsed"),
        (false, Some(long)) => format!("{from} · took {long}"),
        (false, None) => from,
    }
}

/// `~26 m (last 200 steps)`
fn left(entry: &Entry, now: i64) -> String {
    if !entry.runs() {
        return String::new();
    }
    entry.told.left(now).map(|left| format!("~{}", words::long(left))).unwrap_or_default()
}

/// What it costs, or did.
fn cost(entry: &Entry, session: &Session) -> String {
    let price = session.training_price(&entry.job.model);
    if price == Some(Price::FREE) {
        return "free".to_owned();
    }
    money::cost(entry.cost(price))
}

/// ` · prices as of 2023-03-14`, where the cost is by the built-in table.
fn dated(entry: &Entry, session: &Session) -> String {
    let known = entry.told.cost.is_some() || entry.job.trained_tokens.is_none();
    let day = session.training_price(&entry.job.model).and_then(|price| price.as_of);
    day.filter(|_| !known).map(|day| format!(" · prices as of {day}")).unwrap_or_default()
}

/// The page with all that is known of a job. Its rows are set whenever it is arranged.
#[derive(Debug, Default)]
pub(super) struct DetailsPage {
    title: String,
    place: String,
    rows: Vec<String>,
    /// The first row shown, and how many there is room for.
    top: usize,
    height: usize,
}

impl DetailsPage {
    /// Sets what it shows: title and place of the job, rows of at most so many columns.
    pub(super) fn set(
        &mut self,
        (title, place): (String, String),
        area: Rect,
        rows: impl FnOnce(usize) -> Vec<String>,
    ) {
        (self.title, self.place) = (title, place);
        self.rows = rows(usize::from(area.width.saturating_sub(2)).min(WIDEST));
        self.height = usize::from(inside(area).height);
        self.scroll(0);
    }

    /// Shows the first row.
    pub(super) fn to_top(&mut self) {
        self.top = 0;
    }

    /// Scrolls by rows.
    pub(super) fn scroll(&mut self, rows: isize) {
        self.top = self.top.saturating_add_signed(rows).min(self.rows.len().saturating_sub(self.height));
    }

    pub(super) fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let rule = Rule { title: &self.title, right: &self.place, right_style: theme.muted, focus: true };
        rule.render(area, frame.buffer_mut(), theme);
        let place = inside(area);
        let rows: Vec<Words> = self.rows[self.top..].iter().map(|row| (row.clone(), theme.text)).collect();
        lines(frame, place, &rows);
        frame.set_cursor_position(Position::new(place.x.min(area.right() - 1), place.y.min(area.bottom() - 1)));
    }
}

/// Returns where the rows of the page stand.
fn inside(area: Rect) -> Rect {
    let air = u16::from(area.height > 14);
    let place = Rect { x: area.x + 1, y: area.y + 1 + air, width: area.width.saturating_sub(2), height: area.height };
    place.intersection(area)
}

/// Returns all that is known of the job under the cursor.
pub(super) fn full(state: &State, session: &Session, now: i64, width: usize) -> Vec<String> {
    let Some((board, entry)) = state.board().and_then(|board| Some((board, board.here()?))) else {
        return vec!["no job is chosen".to_owned()];
    };
    let job = &entry.job;
    let mut all: Vec<String> = Vec::new();
    let mut say = |label: &str, value: String| {
        if value.is_empty() {
            return;
        }
        let room = width.saturating_sub(LABEL + 4).max(8);
        for (row, line) in value.lines().flat_map(|line| wrap::lines(line, room)).enumerate() {
            let label = if row == 0 { label } else { "" };
            all.push(format!("{label:<14}{line}"));
        }
    };
    say("state", format!("{} {}", mark(&job.status), entry.state()));
    if let Some(why) = job.error.as_deref().filter(|_| job.status == JobStatus::Failed) {
        say("why", crate::text::Untrusted::from(why).screen().into_owned());
    } else if let Some(why) = entry.told.failed.as_ref().filter(|_| job.status == JobStatus::Failed) {
        say("why", why.screen().into_owned());
    }
    say("job", safe(&job.id));
    say("name", entry.name());
    say("base model", safe(&job.model));
    let model = entry.model().map(|model| model.line().into_owned());
    say("tuned model", model.unwrap_or_else(|| if entry.deleted { "deleted".into() } else { "none yet".into() }));
    for (label, list) in
        [("training", &job.training_files), ("validation", &job.validation_files), ("results", &job.result_files)]
    {
        for file in list {
            let size = file.bytes.map(|bytes| format!("  {}", meter::bytes(bytes))).unwrap_or_default();
            say(label, format!("{}{size}  {}", called(file), safe(&file.id)));
        }
    }
    let settings = &job.settings;
    let or = |value: Option<String>| value.unwrap_or_else(|| "the server's choice".to_owned());
    say("epochs", or(settings.n_epochs.map(|value| value.to_string())));
    say("batch size", or(settings.batch_size.map(|value| value.to_string())));
    say("learning rate", or(settings.learning_rate_multiplier.map(|value| format!("×{value}"))));
    say("prompt loss", settings.prompt_loss_weight.map(|value| value.to_string()).unwrap_or_default());
    say("progress", so_far(entry).unwrap_or_default());
    if job.status == JobStatus::Pending {
        say("queue", entry.told.queue.map(|place| format!("#{} in line", meter::count(place))).unwrap_or_default());
    }
    say("tokens", job.trained_tokens.map(|tokens| format!("{} trained", meter::count(tokens))).unwrap_or_default());
    say("created", format!("{}  {}", words::date(job.created_at), words::clock(job.created_at, now)));
    say("started", times(entry, now));
    say("left", left(entry, now));
    say("cost", cost(entry, session) + &dated(entry, session));
    say("organisation", safe(&job.organization_id));
    say("interface", interface(board.dialect, board.dialect.is_some() && session.fine_tunes == board.dialect));
    let gone = entry.history.gone();
    let forgotten = if gone > 0 { format!(", the oldest {} not kept here", meter::count(gone)) } else { String::new() };
    say("events", format!("{} came{forgotten}", meter::count(entry.history.events())));
    if entry.runs() {
        say("", words::runs(&board.profile).to_owned());
    }
    all
}
