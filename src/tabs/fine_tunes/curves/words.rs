//! Writes the lines below the curves: last values, the values under the cursor, what is missing.

use ratatui::style::{Modifier, Style};

use super::metric;
use super::plotted_run::{CurveSource, PlottedRun};
use super::{CurvesPage, PlottedLine};
use crate::ui::chart::{LOOKS, exact};
use crate::ui::meter;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// How words below the curves look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FootStyle {
    Text,
    Muted,
    Busy,
    Warn,
    Bad,
    /// As the curve that has this look, from 0.
    Curve(usize),
}

impl FootStyle {
    /// Returns the style of a theme.
    pub(super) fn of(self, theme: &Theme) -> Style {
        let style = match self {
            Self::Text => theme.text,
            Self::Muted => theme.muted,
            Self::Busy => theme.busy,
            Self::Warn => theme.warn,
            Self::Bad => theme.bad,
            Self::Curve(look) => theme.series[look % LOOKS].add_modifier(Modifier::BOLD),
        };
        theme.text.patch(style)
    }
}

/// Some words that stay on one line, each part with its look.
pub(super) type FootPiece = Vec<(String, FootStyle)>;

/// Returns a value in a few digits, where it has more of them.
pub(super) fn brief(value: f64) -> String {
    let whole = exact(value);
    if whole.len() <= 6 || !value.is_finite() {
        return whole;
    }
    let size = value.abs();
    match size {
        1000.0..1e9 => exact((value * 10.0).round() / 10.0),
        0.001..1000.0 => {
            let places = 3 - size.log10().floor() as usize as i32;
            let places = if size < 1.0 { 4 } else { places.clamp(0, 4) };
            let text = format!("{value:.*}", places as usize);
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        _ => format!("{value:.3e}"),
    }
}

/// Returns a loss as events have it, such as `0.2690`.
fn loss(value: f64) -> String {
    if (0.001..1000.0).contains(&value) { format!("{value:.4}") } else { brief(value) }
}

/// Returns the columns of a piece.
pub(super) fn width(piece: &FootPiece) -> usize {
    piece.iter().map(|(words, _)| wrap::width(words)).sum()
}

/// Pieces in lines of a width, some columns between them. A piece that is longer than a line is cut where it is drawn.
pub(super) fn flow(pieces: Vec<FootPiece>, most: usize) -> Vec<FootPiece> {
    const GAP: usize = 3;
    let mut lines: Vec<FootPiece> = Vec::new();
    for piece in pieces {
        match lines.last_mut().filter(|line| width(line) + GAP + width(&piece) <= most) {
            Some(line) => {
                line.push((" ".repeat(GAP), FootStyle::Text));
                line.extend(piece);
            }
            None => lines.push(piece),
        }
    }
    lines
}

impl CurvesPage {
    /// Returns `A train 0.66   B valid 0.89   ▲ valid has risen since step 780`; of several trainings a line each, with
    /// its name.
    pub(super) fn legend(&self, most: usize) -> Vec<FootPiece> {
        let runs = self.runs();
        let mut legend = Vec::new();
        for (at, run) in runs.iter().enumerate() {
            let mut pieces: Vec<FootPiece> = Vec::new();
            if runs.len() > 1 {
                // Its curves say its letter, where it has any.
                let letter = super::letter(at, true);
                let drawn = self.lines.iter().any(|line| line.run == at);
                let name = if drawn { run.name() } else { format!("{letter} {}", run.name()) };
                pieces.push(vec![(crate::ui::rule::cut_middle(&name, most.min(32)), FootStyle::Text)]);
            }
            for line in self.lines.iter().filter(|line| line.run == at) {
                pieces.push(last(line));
            }
            let own = self.lines.iter().filter(|line| line.run == at);
            pieces.extend(own.filter_map(|line| validation_trend(line, runs.len() == 1)));
            let last = at + 1 == runs.len();
            pieces.extend(self.outside().filter(|_| last).map(|words| vec![(words, FootStyle::Muted)]));
            if last && self.lines.iter().any(|line| line.points.confirmed() < line.points.all().len()) {
                pieces.push(vec![("○ live, not in the result file yet".to_owned(), FootStyle::Muted)]);
            }
            let drawn = self.lines.iter().any(|line| line.run == at);
            pieces.extend(state(run, drawn, runs.len() == 1));
            legend.extend(flow(pieces, most));
        }
        legend
    }

    /// Returns what is said in place of curves: which values are awaited, or why there are none.
    pub(super) fn awaited(&self) -> &'static str {
        let runs = self.runs();
        let any = |is: fn(&CurveSource) -> bool| runs.iter().any(|run| is(run.source()));
        if runs.iter().any(PlottedRun::is_running) {
            "No values yet. The first values come after the first steps."
        } else if any(|source| matches!(source, CurveSource::Fetching(_) | CurveSource::Reading(_))) {
            "No values yet. They come with the result file."
        } else if any(|source| matches!(source, CurveSource::None)) {
            "No values: the job has no result file."
        } else {
            "No values to draw."
        }
    }

    /// Returns what each curve has at the cursor, exact, and what was learned up to there.
    pub(super) fn under_cursor(&self, most: usize) -> Vec<FootPiece> {
        let Some(step) = self.view.borrow().cursor() else { return Vec::new() };
        let values = self.with_chart(|chart, view| chart.at_cursor(view));
        let epochs = self.in_epochs();
        let place = |at: f64| if epochs { brief(at) } else { exact(at) };
        let axis = if epochs { "epoch" } else { "step" };
        let mut pieces: Vec<FootPiece> = vec![vec![(format!("{axis} {}", place(step)), FootStyle::Text)]];
        for (line, value) in self.lines.iter().zip(values) {
            let mut piece = label(line);
            match value {
                None => piece.push(("—".to_owned(), FootStyle::Muted)),
                Some((at, value)) => {
                    piece.push((exact(value), FootStyle::Text));
                    if at.total_cmp(&step).is_ne() {
                        piece.push((format!(" at {}", place(at)), FootStyle::Muted));
                    }
                }
            }
            pieces.push(piece);
        }
        let runs = self.runs();
        for (at, run) in runs.iter().enumerate() {
            // Counts belong to steps.
            let counts = if epochs { [None; 2] } else { run.elapsed(step) };
            let counts = counts.into_iter().zip(["tokens", "examples"]);
            let words: Vec<String> =
                counts.filter_map(|(count, what)| Some(format!("{} {what}", exact(count?)))).collect();
            if !words.is_empty() {
                let whose = if runs.len() > 1 { format!("{} ", super::letter(at, true)) } else { String::new() };
                pieces.push(vec![(format!("{whose}{}", words.join(", ")), FootStyle::Muted)]);
            }
        }
        // The step and the first value stay together.
        flow(pieces, most)
    }

    /// Returns which values lie outside the scale and are drawn at its edge.
    fn outside(&self) -> Option<String> {
        let left = self.view.borrow().left_out();
        let step =
            |step| if self.in_epochs() { format!("epoch {}", brief(step)) } else { format!("step {}", exact(step)) };
        match (left.outside, left.early) {
            (0, _) => None,
            (_, Some((top, last))) => Some(format!("above {} until {}", brief(top), step(last))),
            (1, None) => Some("1 value outside the scale: s shows it".to_owned()),
            (many, None) => Some(format!("{} values outside the scale: s shows them", meter::count(many))),
        }
    }

    /// Returns what could not be drawn or read, in sentences.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut said = Vec::new();
        let left = self.view.borrow().left_out();
        let mut count = |number: u64, one: &str, many: &str| {
            if number > 0 {
                said.push(format!("{} {}", meter::count(number), if number == 1 { one } else { many }));
            }
        };
        count(
            left.not_positive,
            "value ≤ 0 is missing on the logarithmic axis: l shows it",
            "values ≤ 0 are missing on the logarithmic axis: l shows them",
        );
        count(left.nan, "value is not a number: gap in the line", "values are not numbers: gaps in the line");
        count(left.infinite, "value is infinite: gap in the line", "values are infinite: gaps in the line");
        let runs = self.runs();
        for (at, run) in runs.iter().enumerate() {
            let Some(file) = run.file() else { continue };
            let Some(first) = file.notes.first() else { continue };
            let whose = if runs.len() > 1 { format!("{}: ", super::letter(at, true)) } else { String::new() };
            let more = file.notes.len() - 1;
            let more = if more > 0 { format!(" · {more} more: t") } else { String::new() };
            said.push(format!("{whose}{}{more}", first.line()));
        }
        said
    }
}

/// Returns a curve's letter and what it is of.
fn label(line: &PlottedLine) -> FootPiece {
    let mut piece = vec![(format!("{} ", line.letter), FootStyle::Curve(line.look))];
    let of = metric::of(line.of);
    if !of.is_empty() {
        piece.push((format!("{of} "), FootStyle::Muted));
    }
    piece
}

/// Returns a curve's letter, what it is of, its last value.
fn last(line: &PlottedLine) -> FootPiece {
    let mut piece = label(line);
    let value = line.points.all().last().map_or_else(|| "—".to_owned(), |point| brief(point.1));
    piece.push((value, FootStyle::Text));
    piece
}

/// Returns what matters of a loss of validation: that it has risen since its least value, or else where that was, of a
/// training that is `alone`.
fn validation_trend(line: &PlottedLine, alone: bool) -> Option<FootPiece> {
    let trend = line.trend?;
    let (step, value) = trend.least;
    let which = if alone { metric::of(line.of).to_owned() } else { line.letter.to_string() };
    if trend.rises {
        return Some(vec![(format!("▲ {which} has risen since step {}", exact(step)), FootStyle::Warn)]);
    }
    let said = alone && !trend.last;
    said.then(|| vec![(format!("{which} was lowest at step {}: {}", exact(step), loss(value)), FootStyle::Muted)])
}

/// Returns what is to be said of a job's file.
fn state(run: &PlottedRun, drawn: bool, alone: bool) -> Option<FootPiece> {
    let (words, style) = match run.source() {
        CurveSource::Fetching(download) => {
            let words = match download.moved() {
                (0, _) => "loading the result file".to_owned(),
                (here, None) => format!("loading the result file: {}", meter::bytes(here)),
                (here, Some(all)) => {
                    format!("loading the result file: {} of {}", meter::bytes(here), meter::bytes(all))
                }
            };
            (words, FootStyle::Busy)
        }
        CurveSource::Reading(_) => ("reading the file".to_owned(), FootStyle::Busy),
        CurveSource::Failed(why) => (format!("✕ {} · r try again", why.line()), FootStyle::Bad),
        // Of one job alone the chart says so itself.
        CurveSource::None if !drawn && !alone => ("no values yet".to_owned(), FootStyle::Muted),
        CurveSource::Here(curves) if !drawn && curves.curves.is_empty() => {
            ("nothing to plot in its file: t shows it".to_owned(), FootStyle::Warn)
        }
        CurveSource::Here(_) if !drawn => ("no values of this metric: v".to_owned(), FootStyle::Muted),
        CurveSource::None | CurveSource::Here(_) => return None,
    };
    Some(vec![(words, style)])
}
