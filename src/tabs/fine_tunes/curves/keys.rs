//! What the keys of the page do.

use std::sync::LazyLock;

use super::plotted_run::{CurveSource, OpenedFile};
use super::{CurvesBody, CurvesPage, WEIGHTS};
use crate::component::{Bindings, Component, Cx, Handled, Hint, bind};
use crate::ui::chart::{Chart, View};
use crate::ui::key_table::ListedKeys;

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

use Action as A;

pub(super) static KEYS: LazyLock<Bindings<Action, CurvesPage>> = LazyLock::new(|| {
    Bindings::new(
        "tune.curves",
        vec![
            bind("v", A::Metric, "metric", "next metric: loss, accuracies, classification"),
            bind("w", A::Which, "which", "training and validation, or one of them"),
            bind("s", A::Smoothing, "smooth", "smoothing: automatic, none, 0.6, 0.9"),
            bind("l", A::Log, "log", "logarithmic axis"),
            bind("u", A::Epochs, "epochs", "steps or epochs"),
            bind("left", A::Go(-1), "", "cursor left")
                .named(&["cursor-left"])
                .shown("←→")
                .labelled(|plot: &CurvesPage| if plot.body == CurvesBody::Chart { "cursor" } else { "columns" }),
            bind("right", A::Go(1), "cursor", "cursor right").named(&["cursor-right"]),
            bind(",", A::Step(-1), "previous", "cursor to the previous value").named(&["previous-value"]),
            bind(".", A::Step(1), "next", "cursor to the next value").named(&["next-value"]),
            bind("home", A::Edge(false), "first", "cursor to the first step").named(&["first-step"]),
            bind("end", A::Edge(true), "last", "cursor to the last step").named(&["last-step"]),
            bind("z +", A::Zoom(1), "zoom", "zoom in at the cursor").named(&["zoom-in"]).shown("z Z"),
            bind("Z -", A::Zoom(-1), "zoom", "zoom out").named(&["zoom-out"]),
            bind("0", A::All, "all", "all steps"),
            bind("H pageup", A::Pan(-2), "earlier", "earlier steps").named(&["earlier"]),
            bind("L pagedown", A::Pan(2), "later", "later steps").named(&["later"]),
            bind("up k", A::By(-1), "rows", "up in a table").named(&["row-up"]).shown("↑↓"),
            bind("down j", A::By(1), "rows", "down in a table").named(&["row-down"]),
            bind("d", A::Differences, "differences", "settings that differ").disabled_when(no_differences),
            bind("t", A::File, "file", "notes on the files and their first rows"),
            bind("r", A::Again, "again", "try again to load what failed")
                .disabled_when(|plot: &CurvesPage| plot.failed().is_none().then_some("nothing has failed")),
            bind("esc", A::Close, "", "back")
                .labelled(|plot: &CurvesPage| plot.escape().unwrap_or_default())
                .disabled_when(|plot: &CurvesPage| plot.escape().is_none().then_some("nothing is open")),
        ],
    )
});

fn no_differences(plot: &CurvesPage) -> Option<&'static str> {
    let one = plot.jobs.len() + plot.files.len() < 2;
    (one || plot.body == CurvesBody::Differences).then_some("there is only one job to show")
}

/// Returns the keys for the footer.
pub(super) fn hints(plot: &CurvesPage) -> Vec<Hint> {
    let actions: &[Action] = match plot.body {
        CurvesBody::Chart => {
            &[A::Again, A::Metric, A::Go(-1), A::Zoom(1), A::Log, A::Smoothing, A::Differences, A::File, A::Close]
        }
        CurvesBody::Differences => &[A::Again, A::By(-1), A::Go(-1), A::File, A::Close],
        CurvesBody::File => &[A::Again, A::By(-1), A::Go(-1), A::Differences, A::Close],
    };
    KEYS.footer(actions, plot)
}

impl CurvesPage {
    /// Returns the keys for the footer of the list, while several jobs are marked.
    pub(crate) fn overlay_hints(&self) -> Vec<Hint> {
        KEYS.footer(&[A::Differences, A::Metric, A::Smoothing], self)
    }

    pub(super) fn act(&mut self, action: Action, cx: &mut Cx) -> Handled<()> {
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
            Action::Go(columns) if self.body == CurvesBody::Chart => self.on(|chart, view| chart.go(view, columns)),
            Action::Go(columns) => self.left = self.left.saturating_add_signed(isize::from(columns) * 4),
            Action::Edge(last) if self.body == CurvesBody::Chart => self.on(|chart, view| chart.edge(view, last)),
            // How many there are is known when it is arranged.
            Action::Edge(last) => self.first = if last { usize::MAX } else { 0 },
            Action::Step(_) | Action::Zoom(_) | Action::All if self.body != CurvesBody::Chart => {
                return Handled::Ignored;
            }
            Action::Step(steps) => self.on(|chart: &Chart, view: &mut View| chart.step(view, steps)),
            Action::Zoom(steps) => self.on(|chart, view| chart.zoom(view, steps)),
            Action::Pan(quarters) if self.body == CurvesBody::Chart => self.on(|chart, view| chart.pan(view, quarters)),
            Action::Pan(quarters) => self.first = self.first.saturating_add_signed(isize::from(quarters.signum()) * 10),
            Action::All => self.view.get_mut().reset(),
            Action::By(_) if self.body == CurvesBody::Chart => return Handled::Ignored,
            Action::By(rows) => self.first = self.first.saturating_add_signed(rows),
            Action::Differences => self.turn(CurvesBody::Differences),
            Action::File => self.turn(CurvesBody::File),
            Action::Again => return self.again(cx),
            Action::Close if self.escape().is_none() => return Handled::Emit(()),
            Action::Close => self.close(),
        }
        Handled::Consumed
    }

    /// Shows another view in place of the curves, or the curves again.
    fn turn(&mut self, body: CurvesBody) {
        self.body = if self.body == body { CurvesBody::Chart } else { body };
        (self.first, self.left) = (0, 0);
    }

    /// Closes what is open: a table, the cursor, the part that shows.
    pub(crate) fn close(&mut self) {
        if self.body != CurvesBody::Chart {
            self.body = CurvesBody::Chart;
        } else if self.view.get_mut().cursor().is_some() {
            self.view.get_mut().set_cursor(None);
        } else if self.view.get_mut().window().is_some() {
            self.view.get_mut().reset();
        }
    }

    /// Returns why a file of the page could not be had.
    pub(super) fn failed(&self) -> Option<String> {
        self.runs().iter().find_map(|run| match run.source() {
            CurveSource::Failed(why) => Some(why.line().into_owned()),
            _ => None,
        })
    }

    /// Asks again for what failed.
    fn again(&mut self, cx: &mut Cx) -> Handled<()> {
        if self.failed().is_none() {
            return Handled::Ignored;
        }
        let failed = |source: &CurveSource| matches!(source, CurveSource::Failed(_));
        for (profile, id) in self.jobs.clone() {
            let Some(known) = self.known.get_mut(&(profile.clone(), id)).filter(|known| failed(&known.result)) else {
                continue;
            };
            known.result = CurveSource::None;
            let job = known.job.clone();
            self.job(&profile, &job, cx);
        }
        for file in self.files.iter_mut().filter(|file| failed(&file.source)) {
            *file = OpenedFile::read(&file.path, cx);
        }
        Handled::Consumed
    }
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
