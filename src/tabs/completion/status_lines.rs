//! The words around the text: how many tokens it has, whether it is saved, what runs, how the last run ended.

use std::time::{Duration, Instant};

use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

use super::active_run::ActiveRun;
use super::branches;
use super::run_log::ended_by;
use super::state::State;
use super::token_layout::TokenOwner;
use crate::api::call::cut_off_reason;
use crate::component::{DETAILS, RenderContext, SEND_AGAIN, Session, failure_lines, money, profile_hint};
use crate::record::{Made, Run, Step, TurnStatus};
use crate::tabs::generation::score::Score;
use crate::tabs::generation::{RunPhase, strip};
use crate::text::Untrusted;
use crate::ui::pane::Spacing;
use crate::ui::size_class::MEDIUM;
use crate::ui::theme::Theme;
use crate::ui::{meter, time, wrap};

/// After so long without a byte, waiting is said aloud.
const LONG_WAIT: Duration = Duration::from_secs(10);

/// What stands between two facts of a line.
const GAP: &str = "   ";

/// What the rows of scores begin with.
const PROMPT: &str = "prompt";
const COMPLETION: &str = "completion";

/// Columns from which on a run's row with scores has room for the speed.
const SCORED_ROW: usize = 100;

/// Lines with the style of each.
pub(super) type StatusLines = Vec<(String, NoteStyle)>;

/// How a line below the text is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoteStyle {
    Muted,
    Warning,
    Error,
}

impl NoteStyle {
    /// Returns the theme's style for it.
    pub(super) fn of(self, theme: &Theme) -> Style {
        match self {
            Self::Muted if theme.kind.has_surfaces() => theme.faint,
            Self::Muted => theme.muted,
            Self::Warning => theme.warn,
            Self::Error => theme.bad,
        }
    }
}

/// Returns the right end of the text's rule: what runs, or how many tokens the text has and whether it is saved.
pub(super) fn title(state: &State, context: RenderContext, width: u16) -> (String, Style) {
    let RenderContext { session, theme, now } = context;
    let refused = state.saves.records.refusal().or(session.unsaved.as_ref()).is_some();
    if let Some(active) = state.active.buffer_run() {
        let (words, style) = under_way(active, context, width);
        return if refused { (format!("✕ not saved · {words}"), theme.bad) } else { (words, style) };
    }
    if state.active.is_busy() {
        let many = state.active.runs.len();
        let words = if many > 0 { format!("{many} run") } else { "counting…".to_owned() };
        let spin = meter::spinner(state.active.animation.elapsed(now), session.motion);
        return (format!("{spin} {words} · esc stop"), theme.busy);
    }
    let (saved, style) = saved(state, session, theme);
    if style == theme.bad {
        return (saved, style);
    }
    let (count, over) =
        state.text.count_words(state.settings.max_tokens(), state.models.context(session), width >= MEDIUM);
    let parts: Vec<String> = [count, saved].into_iter().filter(|part| !part.is_empty()).collect();
    // Where all is well it recedes.
    let style = if theme.kind.has_surfaces() && style == theme.good { theme.faint } else { style };
    let dot = if theme.kind.has_surfaces() { "   " } else { " · " };
    (parts.join(dot), if over { theme.bad } else { style })
}

/// Returns `saving…`, `saved ✓` or `✕ not saved: …`.
fn saved(state: &State, session: &Session, theme: &Theme) -> (String, Style) {
    match state.saves.records.refusal().or(session.unsaved.as_ref()) {
        Some(why) => (format!("✕ not saved: {}", why.line()), theme.bad),
        None if state.saves.is_saving() => ("saving…".to_owned(), theme.muted),
        None if state.text.history.len() == 0 => (String::new(), theme.muted),
        None => ("saved ✓".to_owned(), theme.good),
    }
}

fn under_way(active: &ActiveRun, context: RenderContext, width: u16) -> (String, Style) {
    let RenderContext { session, theme, now } = context;
    let elapsed = now.saturating_duration_since(active.run.stream.started);
    let spin = meter::spinner(elapsed, session.motion);
    // Where it is narrow the footer says it, and nothing else.
    let [stop, give_up] = [" · esc stop", " · esc give up"].map(|words| if width < MEDIUM { "" } else { words });
    match &active.run.stream.phase {
        RunPhase::Retrying { .. } => (format!("{spin} waiting{give_up}"), theme.warn),
        RunPhase::Waiting => {
            let style = if elapsed >= LONG_WAIT { theme.warn } else { theme.busy };
            (format!("{spin} waiting {}{stop}", time::duration(elapsed)), style)
        }
        RunPhase::Streaming => {
            let quiet = now.saturating_duration_since(active.run.stream.last_news);
            if quiet >= LONG_WAIT {
                return (format!("{spin} waiting {}{stop}", time::duration(quiet)), theme.warn);
            }
            let cost = active.run.cost();
            let mark = if cost.is_completion_estimated() { "~" } else { "" };
            let rate = active.run.stream.rate(now).filter(|_| width >= 72);
            let rate = rate.map(|rate| format!(" · {}", meter::token_rate(rate))).unwrap_or_default();
            let count = meter::count(cost.completion_tokens());
            (format!("{spin} {mark}▼{count} tok · {}{rate}{stop}", time::duration(elapsed)), theme.busy)
        }
    }
}

/// Returns the lines below the text: a countdown, how the last run ended, which branch this is, how likely prompt
/// and completion were.
pub(super) fn notes(state: &State, session: &Session, now: Instant, width: u16) -> StatusLines {
    let width = usize::from(width);
    if let Some(active) = state.active.buffer_run() {
        return countdown(active, width, now);
    }
    let mut lines = Vec::new();
    let run = state.told_run();
    lines.extend(run.into_iter().flat_map(|run| ended(run, state, session, width)));
    let said = run.is_some_and(|run| says_scores(run, state));
    lines.extend(scores(state, width, said).into_iter().map(|line| (line, NoteStyle::Muted)));
    if let Some(line) = branch(state, session.spacing(), width) {
        lines.insert(0, (line, NoteStyle::Muted));
    }
    lines
}

/// Returns a line such as `branch 2 of 3   < > previous, next   D side by side`.
fn branch(state: &State, spacing: Spacing, width: usize) -> Option<String> {
    let branch = branches::words(&state.text.history)?;
    match spacing {
        Spacing::Lines if width < usize::from(MEDIUM) => Some(format!("{branch}   < > switch   D side by side")),
        Spacing::Lines => Some(format!("{branch}   < > previous, next   D side by side")),
        // Title and tree say which it is.
        Spacing::Compact => Some("< > previous, next   D side by side".to_owned()),
        Spacing::Roomy => None,
    }
}

/// Returns how likely prompt and completion were, each on a row: the completion's is left out where the row of its run
/// has it (`said`), the prompt's where there is little room.
fn scores(state: &State, width: usize, said: bool) -> Vec<String> {
    let (prompt, completion) = state.scores.layout.scores();
    let row = |name: &str, score: &Score| {
        let mut parts = vec![format!("{name} {}", tokens(score.tokens))];
        add_figures(&mut parts, (score, scored_by(state, name == PROMPT)), width);
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        (parts.len() > 1).then(|| joined(&parts, GAP, width))
    };
    let completion = row(COMPLETION, &completion).filter(|_| !said);
    let narrow = width < usize::from(MEDIUM) - 2;
    let prompt = row(PROMPT, &prompt).filter(|_| !narrow || completion.is_none() && !said);
    completion.into_iter().chain(prompt).collect()
}

/// Adds the figures of a score to a row, the first one with the model that computed them if there is room for it.
fn add_figures(parts: &mut Vec<String>, (score, by): (&Score, Option<String>), width: usize) {
    let mut figures = score.figures().into_iter();
    let Some(first) = figures.next() else { return };
    let used: usize = parts.iter().map(|part| part.width() + GAP.width()).sum();
    let named = by.map(|by| format!("{first} {by}")).filter(|named| used + named.width() <= width);
    parts.push(named.unwrap_or(first));
    parts.extend(figures);
}

/// Returns which model computed the probabilities of the prompt's tokens or, if not `prompt`, of the completion's:
/// `by text-davinci-003`; `by 2 models` if there are several.
fn scored_by(state: &State, prompt: bool) -> Option<String> {
    let run = |owner: TokenOwner| match owner {
        TokenOwner::Prompt(run) => prompt.then_some(run),
        TokenOwner::Step(step) => match state.text.history.step(step)?.made {
            Made::Generated { run, .. } => (!prompt).then_some(run),
            _ => None,
        },
    };
    let mut models: Vec<&Untrusted> = Vec::new();
    for run in state.scores.layout.owners().filter_map(run).filter_map(|run| state.log.find(run)) {
        if !models.contains(&&run.model) {
            models.push(&run.model);
        }
    }
    match models.as_slice() {
        [] => None,
        [model] => Some(format!("by {}", model.line())),
        several => Some(format!("by {} models", several.len())),
    }
}

/// Returns whether a run's row says how likely the completion was: all its tokens are of that run.
fn says_scores(run: &Run, state: &State) -> bool {
    let step = state.text.history.last_generated().and_then(|id| state.text.history.step(id));
    let own = step.filter(|step| matches!(step.made, Made::Generated { run: by, .. } if by == run.id));
    let tokens = own.and_then(|step| state.scores.tokens.get(&step.id)).map(|tokens| tokens.len() as u64);
    run.status == TurnStatus::Done && tokens == Some(state.scores.layout.scores().1.tokens)
}

/// Returns as many of some words as there is room for, the first ones first.
fn fit_words(words: &[&str], width: usize) -> String {
    joined(words, " · ", width)
}

/// Returns the same with other words between them.
fn joined(words: &[&str], between: &str, width: usize) -> String {
    let mut line = String::new();
    for word in words.iter().filter(|word| !word.is_empty()) {
        let dot = if line.is_empty() { "" } else { between };
        if !line.is_empty() && line.width() + dot.width() + word.width() > width {
            break;
        }
        line.push_str(dot);
        line.push_str(word);
    }
    line
}

fn ended(run: &Run, state: &State, session: &Session, width: usize) -> StatusLines {
    let mark = if run.estimated { "~" } else { "" };
    let tokens = meter::count(run.completion_tokens);
    let details = if state.log.failures.contains_key(&run.id) { DETAILS } else { "" };
    let ways = |words: &[&str]| (format!("┃ {}", fit_words(words, width.saturating_sub(2))), NoteStyle::Muted);
    let block = |sentence: &str| -> StatusLines {
        wrap::lines(sentence, width.saturating_sub(3).max(8))
            .into_iter()
            .map(|line| (format!("┃ {line}"), NoteStyle::Error))
            .collect()
    };
    // Where the branch before it is shown again, another one is asked for with the key for that.
    let again = if run.parent == state.text.history.current() { SEND_AGAIN } else { "R send again" };
    let step = state.text.history.last_generated().and_then(|id| state.text.history.step(id));
    match run.status {
        TurnStatus::Streaming => Vec::new(),
        TurnStatus::Failed => {
            let below = [again, details, &profile_hint(), "your text is kept"];
            let lines = failure_lines(&run.error.line(), &below, width, usize::MAX).into_iter();
            let style = |is_sentence| if is_sentence { NoteStyle::Error } else { NoteStyle::Muted };
            lines.map(|(line, is_sentence)| (line, style(is_sentence))).collect()
        }
        TurnStatus::CutOff => {
            let why = run.error.line();
            let mut lines = block(&format!("✕ cut off ({})", cut_off_reason(&why)));
            lines.push(ways(&["^R continue", "R another", details, "the part received is kept"]));
            lines
        }
        TurnStatus::Stopped if run.completion_tokens == 0 => {
            vec![(fit_words(&["■ stopped before any text", again], width), NoteStyle::Warning)]
        }
        TurnStatus::Stopped => {
            let bill = if run.cost_nano == Some(0) { "" } else { "the server may bill more" };
            let after = format!("■ stopped after {mark}{tokens} tok");
            let cost = money::about(run.cost_nano);
            vec![(fit_words(&[&after, &cost, bill, "^R continue", "R another"], width), NoteStyle::Warning)]
        }
        TurnStatus::Done => {
            let left_out = Some(format!("! {}", run.error.line())).filter(|_| !run.error.is_empty());
            let left_out = left_out.map(|words| (words, NoteStyle::Warning));
            left_out.into_iter().chain([(done(run, step, state, session, width), NoteStyle::Muted)]).collect()
        }
    }
}

/// Returns a line such as `16 tokens   0.6 s   stop   $0.0004   perplexity 1.58 by text-davinci-003`.
fn done(run: &Run, step: Option<&Step>, state: &State, session: &Session, width: usize) -> String {
    let own = step.filter(|step| matches!(step.made, Made::Generated { run: by, .. } if by == run.id));
    let (mark, time) = (if run.estimated { "~" } else { "" }, Duration::from_millis(run.total_ms));
    let mut parts = vec![format!("{mark}{}", tokens(run.completion_tokens)), time::duration(time)];
    if state.log.unechoed.contains(&run.id) {
        parts.insert(0, "the server did not return the requested echo".to_owned());
    }
    if own.is_none() && run.completion_tokens == 0 {
        parts.insert(0, why_empty(run, state).to_owned());
    }
    let seconds = time.as_secs_f64();
    let scored = says_scores(run, state);
    // Where there is little room, why it ended and how likely it was matter more than how fast it was.
    let room = if scored { SCORED_ROW } else { usize::from(MEDIUM) - 2 };
    if seconds > 0.0 && run.completion_tokens > 1 && width >= room {
        parts.push(meter::token_rate(run.completion_tokens as f64 / seconds));
    }
    if let Some(step) = own.filter(|step| !step.finish_reason.is_empty()) {
        parts.push(ended_by(&step.finish_reason));
    }
    if let Some(branch) = own.and_then(|step| branches::earlier_with_same_text(&state.text.history, step)) {
        let is_zero = run.params.common.temperature.is_some_and(|temperature| temperature <= 0.0);
        parts.push(format!("same text as branch {branch}{}", if is_zero { " (temperature 0)" } else { "" }));
    }
    let (wanted, came) = (run.params.common.n.unwrap_or(1), state.text.history.outputs_of(run.id).count());
    if own.is_some() && came < wanted as usize {
        parts.push(format!("{came} of {wanted} completions have text"));
    }
    if run.cost_nano != Some(0) {
        parts.push(money::cost(run.cost_nano));
    }
    if scored {
        add_figures(&mut parts, (&state.scores.layout.scores().1, scored_by(state, false)), width);
    }
    if run.cost_nano != Some(0) {
        let price = session.price(&session.profile, &run.model).and_then(|price| price.as_of);
        parts.extend(price.filter(|_| run.cost_nano.is_some()).map(|day| format!("prices of {day}")));
    }
    joined(&parts.iter().map(String::as_str).collect::<Vec<_>>(), GAP, width)
}

/// Returns `1 token`, `16 tokens`.
fn tokens(count: u64) -> String {
    format!("{} {}", meter::count(count), if count == 1 { "token" } else { "tokens" })
}

/// Returns why a run brought no text.
fn why_empty(run: &Run, state: &State) -> &'static str {
    let reason = state.log.empty_reasons.get(&run.id);
    let is = |word: &str| reason.is_some_and(|reason| *reason == *word);
    match () {
        () if run.params.common.max_tokens == Some(0) => "the prompt was only read",
        () if is("length") => "nothing was generated: the answer reached max_tokens",
        () if is("content_filter") => "nothing was generated: the server's content filter ended the answer",
        () => "nothing was generated: the model ended at once",
    }
}

fn countdown(active: &ActiveRun, width: usize, now: Instant) -> StatusLines {
    let RunPhase::Retrying { attempt, of, at, since, why } = &active.run.stream.phase else { return Vec::new() };
    let left = at.saturating_duration_since(now).as_secs_f64();
    let whole = at.saturating_duration_since(*since).as_secs_f64().max(0.001);
    let mut lines: StatusLines = wrap::lines(&why.sentence.line(), width.saturating_sub(3).max(8))
        .into_iter()
        .map(|line| (format!("┃ {line}"), NoteStyle::Error))
        .collect();
    let narrow = width < usize::from(MEDIUM);
    let bar = meter::thin(1.0 - left / whole, if narrow { 8 } else { 12 });
    let attempt =
        (format!("┃ attempt {attempt} of {of} in {:>4}   {bar}", time::countdown(*at, now)), NoteStyle::Warning);
    // Where there is room for few lines this one is among them.
    let place = if narrow { 0 } else { lines.len() };
    lines.insert(place, attempt);
    lines.push(("┃ ⏎ try now · esc give up · your text is kept".to_owned(), NoteStyle::Muted));
    lines
}

/// Returns what the strip says while there are no tokens: whether they were asked for is the run's to say whose text
/// stands here.
pub(super) fn no_tokens(state: &State) -> &'static str {
    if state.active.buffer_run().is_some_and(|active| active.record.params.logprobs.is_some()) {
        return strip::WAITING;
    }
    let asked = state.shown_run().filter(|run| run.params.logprobs.is_some() && run.status == TurnStatus::Done);
    // A text that was accepted, or written since, has no run of its own any more.
    let own = |run: &Run| state.log.shown == Some(run.id) || !state.text.spans().is_empty();
    let came = |run: &Run| {
        let mut steps = state.text.history.outputs_of(run.id).map(|step| step.id);
        state.scores.tokens.contains_key(&run.id) || steps.any(|step| state.scores.tokens.contains_key(&step))
    };
    match asked {
        Some(run) if own(run) && !came(run) => strip::UNSENT,
        _ if state.settings.params().logprobs.is_some() => "The next run asks for probabilities: ^R runs.",
        _ => "Set Log probabilities in the settings (s) to see the alternatives to each token.",
    }
}

/// Returns the lines of the pane with the figures of all columns of a comparison.
pub(super) fn figures(state: &State) -> Vec<String> {
    let Some(run) = state.compare.meter(&state.active, &state.log) else { return vec!["No runs yet.".to_owned()] };
    let mark = if run.estimated { "~" } else { "" };
    vec![
        format!("prompt    {mark}{} tok", meter::count(run.prompt_tokens)),
        format!("output    {mark}{} tok", meter::count(run.completion_tokens)),
        format!("cost      {}", if run.estimated { money::about(run.cost) } else { money::cost(run.cost) }),
    ]
}

/// Returns the words under a branch: its tokens, its run's time and cost.
pub(super) fn column(run: Option<&Run>, step: &Step, state: &State, session: &Session, now: Instant) -> String {
    let Some(run) = run else { return String::new() };
    if let Some(active) = state.active.find(run.id) {
        let elapsed = now.saturating_duration_since(active.run.stream.started);
        let spin = meter::spinner(elapsed, session.motion);
        return format!(
            "{spin} ~▼{} tok · {}",
            meter::count(active.run.cost().completion_tokens()),
            time::duration(elapsed)
        );
    }
    let mut parts = Vec::new();
    if let Some(tokens) = state.scores.tokens.get(&step.id) {
        parts.push(format!("▼{} tok", meter::count(tokens.len() as u64)));
    }
    parts.push(time::duration(Duration::from_millis(run.total_ms)));
    parts.push(money::cost(run.cost_nano));
    if !step.finish_reason.is_empty() {
        parts.push(ended_by(&step.finish_reason));
    }
    parts.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::theme::{Depth, Kind};

    #[test]
    fn what_counts_moves_unless_nothing_is_to_move() {
        let (mut state, theme, begin) = (State::new(), Theme::of(Kind::Mono, Depth::Indexed), Instant::now());
        state.active.counting = true;
        state.active.animation.start(begin);
        let said = |motion, after| {
            let session = Session { motion, ..Session::default() };
            title(
                &state,
                RenderContext { session: &session, theme: &theme, now: begin + Duration::from_millis(after) },
                80,
            )
            .0
        };
        assert!(said(true, 0).contains("counting"));
        assert_ne!(said(true, 0), said(true, 250));
        assert_eq!(said(false, 0), said(false, 250));
    }
}
