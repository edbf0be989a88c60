//! Draws what is shown where there are no jobs: the purpose of the tab, that jobs are being loaded, or why there are
//! none.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::keys::{Action, KEYS, no_sample};
use super::state::{State, TunePane};
use super::styled_lines::{Styled, StyledLine};
use super::tune_context::TuneContext;
use super::{list_view, view};
use crate::api::call::FailureKind;
use crate::component::{DETAILS, Hint, TRY_AGAIN, draw_lines, failure_lines, palette_key, profile_hint};
use crate::text::Untrusted;
use crate::ui::empty_state::EmptyState;
use crate::ui::pane::{Pane, Surface};
use crate::ui::theme::Theme;
use crate::ui::{meter, wrap};

/// What the tab is for.
const PURPOSE: &str = "Fine-tune a model on your own examples and watch it learn.";
/// What is said of the sample.
const SAMPLE: [&str; 1] = ["Sample: short reviews, each labelled good, bad or plain."];
const UNSUPPORTED: &str = "This server has no fine-tunes: it has neither /fine-tunes nor /fine_tuning/jobs.";

/// What stands in the place of the jobs.
enum NoJobs<'a> {
    /// A sentence, a sample, and keys to begin with.
    Empty(&'static str, &'static [&'static str], Vec<Hint>),
    /// Something that takes a while.
    Busy(String),
    /// Why the jobs could not be loaded.
    Failed(&'a Untrusted),
}

impl NoJobs<'_> {
    fn of(state: &State) -> NoJobs<'_> {
        let list = state.list();
        if let Some(why) = list.and_then(|list| list.failure.as_ref()) {
            if why.kind != FailureKind::Unsupported {
                return NoJobs::Failed(&why.sentence);
            }
            let switch = Hint::new(palette_key(), "switch to another profile");
            let keys = vec![switch, open_file(), KEYS.hint(Action::Failure, "show the server's answer")];
            return NoJobs::Empty(UNSUPPORTED, &[], keys);
        }
        if let Some(sample) = &state.sample {
            return NoJobs::Busy(format!("uploading the sample {}", sample.file()));
        }
        if list.is_none_or(|list| list.listed.is_none()) {
            return NoJobs::Busy("loading the jobs of this server".to_owned());
        }
        let create = KEYS.hint(Action::Create, "create a fine-tune");
        match no_sample(state) {
            None => NoJobs::Empty(
                PURPOSE,
                &SAMPLE,
                vec![KEYS.hint(Action::Details, "train the sample"), create, open_file()],
            ),
            Some(_) => NoJobs::Empty(PURPOSE, &[], vec![create, open_file()]),
        }
    }
}

/// Returns the key that opens a file: one of this machine is drawn without any server.
fn open_file() -> Hint {
    KEYS.hint(Action::Open, "open a local result file")
}

/// Returns whether there are no jobs, and a sample to begin with.
pub(super) fn offers_sample(state: &State) -> bool {
    state.selected_job().is_none() && matches!(NoJobs::of(state), NoJobs::Empty(_, samples, _) if !samples.is_empty())
}

/// Returns how many rows it needs in so many columns.
pub(super) fn height(state: &State, width: u16) -> u16 {
    let width = usize::from(width);
    let rows = match NoJobs::of(state) {
        NoJobs::Empty(purpose, _, keys) => wrap::lines(purpose, width).len() + 1 + keys.len(),
        NoJobs::Busy(_) => 1,
        NoJobs::Failed(why) => failure(why, width).len(),
    };
    rows as u16
}

/// Draws the pane, and below it the curves of files that are opened.
pub(super) fn render(frame: &mut Frame, area: Rect, state: &State, context: TuneContext) {
    let theme = context.theme;
    let (right, right_style) = list_view::heading(state, context);
    // One pane has the focus.
    let focus = state.pane != TunePane::Chart || state.curves.is_empty();
    let pane = Pane { title: "Jobs", note: "", right: &right, right_style, focus, surface: Surface::Ground };
    pane.render(area, frame.buffer_mut(), theme, context.session.spacing());
    let place = state.layout.without_jobs;
    let at = match NoJobs::of(state) {
        NoJobs::Empty(purpose, samples, keys) => {
            let keys: Vec<_> = keys.iter().map(Hint::as_pair).collect();
            let empty = EmptyState { purpose, samples, chosen: None, keys: &keys };
            empty.render(place, frame.buffer_mut(), theme)
        }
        NoJobs::Busy(words) => {
            let elapsed = context.now.saturating_duration_since(state.clock.observed(context.now));
            let spinner = meter::spinner(elapsed, context.session.motion);
            draw_lines(frame.buffer_mut(), place, &[(format!("{spinner} {words}"), theme.busy)], theme);
            place
        }
        NoJobs::Failed(why) => {
            let rows = failure(why, usize::from(place.width));
            let rows: Vec<StyledLine> = rows.into_iter().map(|(words, style)| (words, style(theme))).collect();
            draw_lines(frame.buffer_mut(), place, &rows, theme);
            place
        }
    };
    frame.set_cursor_position(Position::new(at.x.min(area.right() - 1), at.y.min(area.bottom() - 1)));
    if !state.layout.curves.is_empty() {
        view::curves(frame, state.layout.curves, state, context);
    }
}

/// Returns a failure and the keys for it.
fn failure(why: &Untrusted, width: usize) -> Vec<Styled> {
    let Hint { key, does } = open_file();
    let (profile, open) = (profile_hint(), format!("{key} {does}"));
    let below = [TRY_AGAIN, DETAILS, &profile, &open];
    let below = if key.is_empty() { &below[..3] } else { &below };
    let style =
        |is_sentence| -> fn(&Theme) -> Style { if is_sentence { |theme| theme.bad } else { |theme| theme.muted } };
    let lines = failure_lines(&why.line(), below, width, usize::MAX).into_iter();
    lines.map(|(line, is_sentence)| (line, style(is_sentence))).collect()
}
