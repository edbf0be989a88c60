//! What the keys of the page do.

use super::run::{Opened, Source};
use super::{Ask, Body, Plot, WEIGHTS};
use crate::component::{Cx, Hint};
use crate::ui::chart::{Chart, View};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Metric,
    Which,
    Smoothing,
    Log,
    Epochs,
    /// The cursor, by columns.
    Go(i16),
    /// The cursor, by values.
    Step(i16),
    /// The cursor to the first or the last step.
    Edge(bool),
    Zoom(i8),
    Pan(i8),
    All,
    /// Rows of a table.
    By(isize),
    Differences,
    File,
    Again,
    Close,
}

/// What the keys do.
pub(super) const KEYS: &[(&str, Action, &str)] = &[
    ("v", Action::Metric, "next metric: loss, accuracies, classification"),
    ("w", Action::Which, "training and validation, or one of them"),
    ("s", Action::Smoothing, "smoothing: by length, none, 0.6, 0.9"),
    ("l", Action::Log, "logarithmic values"),
    ("u", Action::Epochs, "steps or epochs"),
    ("left", Action::Go(-1), "cursor left"),
    ("right", Action::Go(1), "cursor right"),
    (",", Action::Step(-1), "cursor to the value before"),
    (".", Action::Step(1), "cursor to the next value"),
    ("home", Action::Edge(false), "cursor to the first step"),
    ("end", Action::Edge(true), "cursor to the last step"),
    ("z +", Action::Zoom(1), "closer, around the cursor"),
    ("Z -", Action::Zoom(-1), "farther"),
    ("0", Action::All, "all steps"),
    ("H pageup", Action::Pan(-2), "steps before"),
    ("L pagedown", Action::Pan(2), "steps behind"),
    ("up k", Action::By(-1), "up in a table"),
    ("down j", Action::By(1), "down in a table"),
    ("d", Action::Differences, "settings that differ"),
    ("t", Action::File, "notes on the files and their first rows"),
    ("r", Action::Again, "fetch or read again what failed"),
    ("esc", Action::Close, "back"),
];

pub(super) fn hints(plot: &Plot) -> Vec<Hint> {
    let mut hints = match plot.body {
        Body::Differences | Body::File => vec![Hint::new("↑↓", "rows"), Hint::new("←→", "columns")],
        Body::Chart => {
            vec![
                Hint::new("v", "metric"),
                Hint::new("←→", "cursor"),
                Hint::new("z Z", "zoom"),
                Hint::new("l", "log"),
                Hint::new("s", "smooth"),
            ]
        }
    };
    if plot.failed().is_some() {
        hints.insert(0, Hint::new("r", "again"));
    }
    if plot.jobs.len() + plot.files.len() > 1 && plot.body != Body::Differences {
        hints.push(Hint::new("d", "differences"));
    }
    if plot.body != Body::File {
        hints.push(Hint::new("t", "file"));
    }
    if let Some(does) = plot.escape() {
        hints.push(Hint::new("esc", does));
    }
    hints
}

impl Plot {
    pub(super) fn act(&mut self, action: Action, cx: &mut Cx) -> Ask {
        match action {
            Action::Metric => {
                let metrics = self.metrics();
                let at = metrics.iter().position(|metric| *metric == self.metric).map_or(0, |at| at + 1);
                if let Some(metric) = metrics.get(at).or(metrics.first()) {
                    self.metric = metric.clone();
                    self.stale = true;
                }
            }
            Action::Which => {
                self.which = self.which.next();
                self.stale = true;
            }
            Action::Smoothing => self.smoothing = (self.smoothing + 1) % WEIGHTS.len(),
            Action::Log => self.log = !self.log,
            Action::Epochs => {
                self.epochs = Some(!self.in_epochs());
                self.stale = true;
                *self.view.get_mut() = View::default();
            }
            Action::Go(columns) if self.body == Body::Chart => self.on(|chart, view| chart.go(view, columns)),
            Action::Go(columns) => self.left = self.left.saturating_add_signed(isize::from(columns) * 4),
            Action::Edge(last) if self.body == Body::Chart => self.on(|chart, view| chart.edge(view, last)),
            // How many there are is known when it is arranged.
            Action::Edge(last) => self.first = if last { usize::MAX } else { 0 },
            Action::Step(_) | Action::Zoom(_) | Action::All if self.body != Body::Chart => return Ask::Ignored,
            Action::Step(steps) => self.on(|chart: &Chart, view: &mut View| chart.step(view, steps)),
            Action::Zoom(steps) => self.on(|chart, view| chart.zoom(view, steps)),
            Action::Pan(quarters) if self.body == Body::Chart => self.on(|chart, view| chart.pan(view, quarters)),
            Action::Pan(quarters) => self.first = self.first.saturating_add_signed(isize::from(quarters.signum()) * 10),
            Action::All => self.view.get_mut().reset(),
            Action::By(_) if self.body == Body::Chart => return Ask::Ignored,
            Action::By(rows) => self.first = self.first.saturating_add_signed(rows),
            Action::Differences => self.turn(Body::Differences),
            Action::File => self.turn(Body::File),
            Action::Again => return self.again(cx),
            Action::Close => return self.close(),
        }
        Ask::Nothing
    }

    /// To another body, or back from it.
    fn turn(&mut self, body: Body) {
        self.body = if self.body == body { Body::Chart } else { body };
        (self.first, self.left) = (0, 0);
    }

    fn close(&mut self) -> Ask {
        if self.body != Body::Chart {
            self.body = Body::Chart;
        } else if self.view.get_mut().cursor().is_some() {
            self.view.get_mut().set_cursor(None);
        } else if self.view.get_mut().window().is_some() {
            self.view.get_mut().reset();
        } else {
            return Ask::Close;
        }
        Ask::Nothing
    }

    /// Why a file of the page could not be had.
    pub(super) fn failed(&self) -> Option<String> {
        self.runs().iter().find_map(|run| match run.source() {
            Source::Failed(why) => Some(why.line().into_owned()),
            _ => None,
        })
    }

    /// Asks again for what failed.
    fn again(&mut self, cx: &mut Cx) -> Ask {
        if self.failed().is_none() {
            return Ask::Ignored;
        }
        let failed = |source: &Source| matches!(source, Source::Failed(_));
        for (profile, id) in self.jobs.clone() {
            let Some(known) = self.known.get_mut(&(profile.clone(), id)).filter(|known| failed(&known.result)) else {
                continue;
            };
            known.result = Source::None;
            let job = known.job.clone();
            self.job(&profile, &job, cx);
        }
        for file in self.files.iter_mut().filter(|file| failed(&file.source)) {
            *file = Opened::read(&file.path, cx);
        }
        Ask::Nothing
    }
}
