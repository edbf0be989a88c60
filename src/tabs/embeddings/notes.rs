//! The words around the panes: titles, and the notes at the foot.

use std::time::Instant;

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::embed_run::{EmbedRun, RunStage, RunSummary};
use super::embedded_list::EmbeddedList;
use super::pane_data::VectorStatus;
use super::state::RunState;
use crate::api::call::Failure;
use crate::component::{AnswerCost, DETAILS, RenderContext, SEND_AGAIN, money, profile_hint};
use crate::record::TextKey;
use crate::settings::ProfileId;
use crate::tabs::batch::{BatchRunner, BatchState};
use crate::text::Untrusted;
use crate::ui::progress::{self, Progress, Unit};
use crate::ui::rule::cut;
use crate::ui::theme::Theme;
use crate::ui::{meter, time, wrap};

/// Rows of a note at most.
const MOST: usize = 3;

/// A line at the foot.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StatusNote {
    pub(super) text: String,
    pub(super) style: Style,
    /// Figures behind it, faint; empty: none.
    pub(super) figures: String,
}

fn say(notes: &mut Vec<StatusNote>, text: String, style: Style) {
    notes.push(StatusNote { text, style, figures: String::new() });
}

impl EmbeddedList {
    /// Returns what the matrix's title shows at its right end while no run is under way.
    pub(super) fn title(&self, spin: &str, context: RenderContext) -> (String, Style) {
        let theme = context.theme;
        if self.vectors.loading {
            let size = self.vectors.confirm_bytes.map(|bytes| format!(" {}", meter::bytes(bytes))).unwrap_or_default();
            return (format!("{spin} loading{size}"), theme.busy);
        }
        let estimate = self.cost(context).filter(|_| self.estimate.texts > 0 && !self.storage.is_imported());
        let words = match estimate {
            Some(estimate) => format!("{estimate}{}", self.length()),
            None => self.source_label(),
        };
        (words, theme.muted)
    }

    /// Returns tokens and cost of the texts without a vector; `None`: they are not counted yet.
    fn cost(&self, context: RenderContext) -> Option<String> {
        let tokens = self.estimate.tokens?;
        let key = &self.data.key;
        let price = context.session.price(&ProfileId(key.profile.clone()), &key.model);
        Some(money::priced(&format!("~{} tok", meter::count(tokens)), AnswerCost::of_prompt(tokens, price).nano()))
    }

    /// Says what is shown: vectors that are not the model's own, and the order of the matrix.
    fn source_label(&self) -> String {
        let cut = self.data.cut.map(|cut| format!("cut to {cut} here"));
        let from = self.storage.is_imported().then(|| format!("imported {}", self.data.key.model.line()));
        let length = self.data.key.dimensions.map(|dimensions| format!("{} dims", meter::count(u64::from(dimensions))));
        let order = if self.matrix.is_ordered(&self.data) { "ordered by cluster" } else { "in list order" };
        let order = self.data.matrix.is_some().then(|| order.to_owned());
        [cut, from, length, order].into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }

    /// Returns the length that is asked for.
    fn length(&self) -> String {
        self.data
            .key
            .dimensions
            .map(|length| format!(" · {} dims", meter::count(u64::from(length))))
            .unwrap_or_default()
    }

    /// Returns the lines about the texts and their vectors; `running`: a run is under way.
    pub(super) fn notes(&self, running: bool, theme: &Theme) -> Vec<StatusNote> {
        let mut notes = Vec::new();
        for (row, why) in self.data.failures.iter().take(3) {
            say(&mut notes, format!("{} — {}", self.data.letter(*row), why.line()), theme.warn);
        }
        if self.data.failures.len() > 3 {
            say(&mut notes, format!("and {} more without a vector", self.data.failures.len() - 3), theme.warn);
        }
        if self.estimate.long > 0 {
            say(&mut notes, self.long_words(), theme.warn);
        }
        if self.estimate.newlines > 0 {
            let (many, keep) = match self.estimate.newlines {
                1 => ("newline became a space", "it"),
                _ => ("newlines became spaces", "them"),
            };
            let count = meter::count(self.estimate.newlines as u64);
            say(&mut notes, format!("{count} {many} · W keep {keep}"), theme.muted);
        }
        if let Some(twins) = &self.estimate.duplicates {
            say(&mut notes, twins.clone(), theme.muted);
        }
        if let Some(bytes) = self.vectors.confirm_bytes.filter(|_| self.vectors.full.is_none() && !self.vectors.loading)
        {
            say(&mut notes, format!("{} of vectors on disk · b to load them", meter::bytes(bytes)), theme.muted);
        }
        let cached =
            self.data.statuses.iter().filter(|mark| matches!(mark, VectorStatus::Cached | VectorStatus::New)).count();
        if cached > 0 && self.estimate.texts > 0 && !running {
            let (cached, all) = (meter::count(cached as u64), meter::count(self.data.texts.len() as u64));
            // Those of this session's runs are cached too, but have no sign.
            let sign = if self.data.statuses.contains(&VectorStatus::Cached) { " (marked =)" } else { "" };
            say(&mut notes, format!("{cached} of {all} are cached{sign} and free"), theme.muted);
        }
        notes
    }

    /// Returns a sentence about texts that the model cannot read: `C has 9,001 tokens, the model reads 8,191: shorten
    /// it, or ^R leaves it out`.
    fn long_words(&self) -> String {
        let limit = crate::tokens::context(&self.data.key.model.line()).unwrap_or(0);
        let mut long = self
            .data
            .texts
            .iter()
            .enumerate()
            .filter(|(row, _)| self.data.statuses.get(*row) == Some(&VectorStatus::TooLong));
        let Some((row, text)) = long.next() else { return String::new() };
        let tokens = meter::count(u64::from(text.tokens.unwrap_or(0)));
        let more = if self.estimate.long > 1 { format!(" and {} more", self.estimate.long - 1) } else { String::new() };
        format!("! {} has {tokens} tokens{more}; the model reads {}", self.data.letter(row), meter::count(limit))
    }

    /// Returns sentences that name what is too long for a model, by letter and count.
    pub(super) fn too_long_words(&self, model: &Untrusted, over: &[(TextKey, u32)]) -> Vec<Untrusted> {
        let model = model.line();
        let limit = crate::tokens::context(&model).unwrap_or(0);
        let mut lines: Vec<Untrusted> =
            vec![format!("{model} reads {} tokens.", meter::count(limit)).into(), "Nothing was sent.".into()];
        for (key, tokens) in over.iter().take(6) {
            let row = self.data.texts.iter().position(|text| text.sent == *key);
            let name = row.map_or_else(|| "the text".to_owned(), |row| self.data.letter(row));
            let begins: String = row.map(|row| self.data.words(row)).unwrap_or_default().chars().take(28).collect();
            lines.push(format!("{name}  {} tokens  {begins}…", meter::count(u64::from(*tokens))).into());
        }
        if over.len() > 6 {
            lines.push(format!("and {} more", over.len() - 6).into());
        }
        lines
    }
}

impl RunState {
    /// Returns when what failed is sent again by itself, and why it failed: all requests, then the first of those that
    /// are retried.
    pub(super) fn retries(&self, now: Instant) -> Vec<String> {
        let Some(job) = &self.job else { return Vec::new() };
        let held = match job.runner.as_ref().map(BatchRunner::state) {
            Some(BatchState::Held { why, until: Some(at) }) => {
                // The attempts of the last request are not all that there were.
                let failure = self.failure.as_ref().filter(|failure| failure.sentence == *why);
                Some((at, failure.map_or_else(|| why.line().into_owned(), Failure::cause)))
            }
            _ => None,
        };
        let retried = job.next_attempt().map(|next| (next.at, next.why.sentence.line().into_owned()));
        let words = |(at, why): (Instant, String)| format!("! retry in {}: {why}", time::countdown(at, now));
        held.into_iter().chain(retried).map(words).collect()
    }

    /// Returns the lines about the run under way, or the last one.
    pub(super) fn notes(&self, context: RenderContext, width: usize) -> Vec<StatusNote> {
        let theme = context.theme;
        let mut notes = Vec::new();
        if let Some(job) = self.job.as_ref().filter(|job| job.runner.is_some()) {
            // If there is only one line, the reason matters more than the progress.
            if let Some(BatchState::Held { why, until: None }) = job.runner.as_ref().map(BatchRunner::state)
                && self.failure.is_none()
            {
                say(&mut notes, format!("! {}", why.line()), theme.warn);
            }
            for words in self.retries(context.now) {
                say(&mut notes, words, theme.warn);
            }
            say(&mut notes, progress(job, context, width), theme.text);
        }
        // What is sent again by itself has not failed yet.
        let again = self.job.as_ref().is_some_and(EmbedRun::sends_again);
        if let Some(why) = self.failure.as_ref().filter(|_| !again) {
            say(&mut notes, format!("✕ {}", why.sentence.line()), theme.bad);
            // The progress of a run that is held says how it is resumed.
            let again = self.job.is_none().then_some(SEND_AGAIN);
            let profile = profile_hint();
            let keys: Vec<&str> = again.into_iter().chain([DETAILS, &profile]).collect();
            say(&mut notes, keys.join(" · "), theme.muted);
        }
        if let Some(ended) = &self.summary {
            let style = if ended.failed > 0 || ended.stopped { theme.warn } else { theme.good };
            let (text, figures) = outcome(ended);
            notes.push(StatusNote { text, style, figures });
            if !ended.adapted.is_empty() {
                say(&mut notes, ended.adapted.clone(), theme.muted);
            }
        }
        notes
    }
}

/// Says how far a run is, for the title.
pub(super) fn under_way(job: &EmbedRun, spin: &str, context: RenderContext) -> (String, Style) {
    let theme = context.theme;
    let tally = job.tally();
    let done = format!("{} of {}", meter::count(tally.done), meter::count(tally.total));
    match (job.stage, job.runner.as_ref().map(BatchRunner::state)) {
        (RunStage::Looking, _) => (format!("{spin} looking up"), theme.busy),
        (RunStage::Counting, _) => (format!("{spin} counting"), theme.busy),
        (RunStage::Asking, _) => ("nothing sent yet".to_owned(), theme.muted),
        (RunStage::Reading, _) => (format!("{spin} reading"), theme.busy),
        (_, Some(BatchState::Paused)) => (format!("‖ {done} · p resume"), theme.warn),
        (_, Some(BatchState::Held { until: None, .. })) => (format!("! {done} · ^R resume"), theme.warn),
        _ if job.sends_again() => (format!("{spin} {done} · waiting"), theme.warn),
        _ => (format!("{spin} {done} · esc stop"), theme.busy),
    }
}

/// Wraps the notes into lines: a failure into six at most, what else there is into three each. Figures stand after their note, or below it where there is no
/// room.
pub(super) fn wrapped(notes: &[StatusNote], width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for note in notes {
        let one = wrap::width(&note.text) + 2 + wrap::width(&note.figures) <= width;
        if one && !note.figures.is_empty() {
            let text = Span::styled(format!("{}  ", note.text), note.style);
            lines.push(Line::from(vec![text, Span::styled(note.figures.clone(), theme.faint)]));
            continue;
        }
        let rows = wrap::lines(&note.text, width);
        let most = if note.style == theme.bad { 2 * MOST } else { MOST };
        let last = rows.len() > most;
        for (at, row) in rows.into_iter().take(most).enumerate() {
            let row = if last && at + 1 == most { cut(&format!("{row} …"), width) } else { row.to_owned() };
            lines.push(Line::styled(row, note.style));
        }
        if !note.figures.is_empty() {
            lines.push(Line::styled(cut(&note.figures, width), theme.faint));
        }
    }
    lines
}

/// Returns the progress of a run as one line.
fn progress(job: &EmbedRun, context: RenderContext, width: usize) -> String {
    let tally = job.tally();
    let state = match job.runner.as_ref().map(BatchRunner::state) {
        Some(BatchState::Paused) => progress::State::Paused,
        Some(BatchState::Held { until: None, .. }) => progress::State::Retry("^R resume"),
        // The line above says when and why.
        _ if job.sends_again() => progress::State::Retry(""),
        _ => progress::State::Running,
    };
    let (rate, left) = job.runner.as_ref().map(|runner| runner.pace(context.now)).unwrap_or_default();
    let line = Progress {
        done: tally.done,
        total: Some(tally.total),
        unit: Unit::Count("texts"),
        rate,
        left,
        state,
        elapsed: context.now.saturating_duration_since(job.began),
    };
    line.line(width)
}

/// Returns how a run ended, and its figures.
fn outcome(ended: &RunSummary) -> (String, String) {
    let count = meter::count;
    let texts = if ended.sent == 1 { "text" } else { "texts" };
    let mut words = if ended.sent == 0 && ended.failed == 0 && !ended.stopped {
        match (ended.cached, ended.left_out) {
            (0, _) => vec!["! nothing was sent".to_owned()],
            (cached, 0) => vec![format!("✓ all {} vectors were cached; nothing was sent", count(cached))],
            (cached, _) => vec![format!("! {} cached: nothing was sent", count(cached))],
        }
    } else {
        let mark = if ended.stopped {
            "stopped:"
        } else if ended.failed > 0 {
            "!"
        } else {
            "✓"
        };
        match ended.sent {
            0 if ended.stopped => vec!["stopped before a text was embedded".to_owned()],
            sent => vec![format!("{mark} {} {texts} embedded", count(sent))],
        }
    };
    if ended.failed > 0 {
        words.push(format!("{} failed", count(ended.failed)));
    }
    if ended.left_out > 0 {
        words.push(format!("{} left out", count(ended.left_out)));
    }
    let mut figures = Vec::new();
    if ended.sent > 0 || ended.tokens > 0 {
        if ended.cached > 0 {
            words.push(format!("{} cached", count(ended.cached)));
        }
        let mark = if ended.estimated { "~" } else { "" };
        figures.push(format!("{mark}{} tok", count(ended.tokens)));
        figures.push(money::cost(ended.cost));
        figures.push(time::duration(ended.time));
    }
    (words.join(" · "), figures.join("   "))
}
