//! The curves of trainings: of up to six jobs and files, one over the other.
//!
//! ```text
//! ━━ ▸ Loss · ft-8Qk support-v3 ━━━━━━━━━━━━━━━ step 1,240 ━━
//!  3.0┤⠤⡄
//!     │ ⢶⣤⡀                        B
//!  0.4┤   ⠉⠉⠛⠛⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒A
//!     └───────────────────────────
//!      1                      1,240
//!  A train 0.66   B valid 0.89   ▲ valid has risen since step 780
//! ```
//!
//! The tab hands over the jobs that are marked ([`CurvesPage::show`]), what becomes of them ([`CurvesPage::job`]) and
//! their events ([`CurvesPage::events`]); the page fetches result files itself, and reads files of the disk
//! ([`CurvesPage::open`]).

mod differences;
pub(super) mod keys;
mod metric;
mod plotted_run;
#[cfg(test)]
mod tests;
mod trend;
mod view;
mod words;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use self::keys::KEYS;
use self::metric::{CurveFilter, Metric};
use self::plotted_run::{CurvePoints, CurveSource, KnownJob, OpenedFile, PlottedRun};
use self::trend::Trend;
use self::words::FootPiece;
use crate::api::call::{Progress, Ticket};
use crate::api::job::{Job, JobEvent};
use crate::component::{Component, Cx, Handled, Hint, Notice, RenderContext, Response, Session};
use crate::record::curves::Of;
use crate::record::work::{Done, Work};
use crate::settings::ProfileId;
use crate::tabs::range_download::{DownloadStep, RangeDownload};
use crate::ui::chart::{self, Chart, Series};
use crate::ui::meter;

/// Jobs and files that are drawn one over the other.
pub(super) const MOST: usize = 6;
/// Bytes of a result file that are fetched.
const LARGEST: u64 = 64_000_000;
/// Weights of the average that `s` goes through.
const WEIGHTS: [f64; 4] = [chart::BY_LENGTH, 0.0, 0.6, 0.9];

/// What stands below the title.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum CurvesBody {
    #[default]
    Chart,
    /// Settings that differ.
    Differences,
    /// Notes on a file and its first rows.
    File,
}

/// A job of a profile's server.
type JobKey = (ProfileId, String);

/// A curve that is drawn.
#[derive(Clone, Debug)]
struct PlottedLine {
    /// Which of the trainings it is of.
    run: usize,
    of: Option<Of>,
    letter: char,
    look: usize,
    points: CurvePoints,
    /// What became of a loss of validation since its least value.
    trend: Option<Trend>,
}

/// The page.
#[derive(Debug, Default)]
pub(super) struct CurvesPage {
    /// Whether the keys go there.
    focus: bool,
    known: HashMap<JobKey, KnownJob>,
    /// The jobs that are drawn.
    jobs: Vec<JobKey>,
    /// The job whose results are to be announced when they are loaded.
    announced: Option<JobKey>,
    files: Vec<OpenedFile>,
    metric: Metric,
    which: CurveFilter,
    /// Place in [`WEIGHTS`].
    smoothing: usize,
    log: bool,
    /// Whether the axis is in epochs; `None`: where trainings of unlike length are compared.
    epochs: Option<bool>,
    body: CurvesBody,
    /// The first row and column that show, where lines stand in the curves' place.
    first: usize,
    left: usize,
    view: RefCell<chart::View>,
    /// Where the curves are drawn, and the lines below them.
    chart: (Rect, Vec<FootPiece>),
    lines: Vec<PlottedLine>,
    /// Whether the lines are to be rebuilt.
    stale: bool,
    /// Counts what the lines were made of.
    version: u64,
}

/// The page asks for nothing but to be left.
impl Component for CurvesPage {
    /// Takes a key. Esc closes what is open here, and leaves the page only when nothing is open.
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<()> {
        KEYS.find(&key).map_or(Handled::Ignored, |action| self.act(action, cx))
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<()> {
        let own = match response {
            Response::Call(progress) => self.handle_progress(ticket, progress, cx),
            Response::Work(done) => self.handle_worked(ticket, done),
            Response::Store(_) | Response::Taken => false,
        };
        self.tell_loaded(cx);
        if own { Handled::Consumed } else { Handled::Ignored }
    }

    fn hints(&self) -> Vec<Hint> {
        keys::hints(self)
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![("Curves", KEYS.help())]
    }

    fn escape(&self) -> Option<&'static str> {
        match self.body {
            CurvesBody::Differences | CurvesBody::File => Some("curves"),
            CurvesBody::Chart if self.view.borrow().cursor().is_some() => Some("no cursor"),
            CurvesBody::Chart if self.view.borrow().window().is_some() => Some("all steps"),
            CurvesBody::Chart => None,
        }
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        self.fit(area, session.spacing());
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.draw(frame, area, context);
    }
}

impl CurvesPage {
    /// Draws these jobs, A first, at most [`MOST`]; files that were opened follow them as far as there is room. Fetches
    /// what is not known of the jobs: their result files, where they have any.
    pub(super) fn show(&mut self, profile: &ProfileId, jobs: &[&Job], cx: &mut Cx) {
        let keys: Vec<JobKey> = jobs.iter().take(MOST).map(|job| (profile.clone(), job.id.clone())).collect();
        let new = keys != self.jobs;
        self.jobs = keys;
        for job in jobs.iter().take(MOST) {
            self.job(profile, job, cx);
        }
        if new {
            self.stale = true;
            self.view = RefCell::default();
            self.body = CurvesBody::Chart;
        }
    }

    /// Takes a job as it is now: its settings, its state, its result file. Jobs that are not drawn cost nothing.
    pub(super) fn job(&mut self, profile: &ProfileId, job: &Job, cx: &mut Cx) {
        let key = (profile.clone(), job.id.clone());
        let drawn = self.jobs.contains(&key);
        let known = self.known.entry(key).or_default();
        if known.job != *job {
            known.job.clone_from(job);
        }
        if drawn && let Some(file) = known.wanted().cloned() {
            if let CurveSource::Fetching(download) = &known.result {
                cx.cancel(download.ticket);
            }
            known.result = CurveSource::Fetching(RangeDownload::ask(profile.clone(), file.id.clone(), LARGEST, cx));
            known.file = file.id;
        }
    }

    /// Says that the result file of a job is loaded, as soon as it is.
    pub(super) fn announce(&mut self, profile: &ProfileId, job: &str, cx: &mut Cx) {
        self.announced = Some((profile.clone(), job.to_owned()));
        self.tell_loaded(cx);
    }

    fn tell_loaded(&mut self, cx: &mut Cx) {
        let Some(known) = self.announced.as_ref().and_then(|key| self.known.get(key)) else { return };
        if let CurveSource::Here(curves) = &known.result {
            let ends = curves.curves.iter().filter_map(|curve| curve.points.last());
            let steps = ends.map(|(step, _)| *step).fold(0.0, f64::max);
            let said = format!("results loaded: {} steps", meter::count(steps as u64));
            cx.notify(Notice::ok(said).about("results"));
            self.announced = None;
        }
    }

    /// Events of a job, each once, in their order; of any job, drawn or not.
    pub(super) fn events(&mut self, profile: &ProfileId, job: &str, events: &[JobEvent]) {
        let key = (profile.clone(), job.to_owned());
        let drawn = self.jobs.contains(&key);
        let known = self.known.entry(key).or_default();
        let mut any = false;
        for event in events {
            any |= known.live.take(event);
        }
        self.stale |= any && drawn;
    }

    /// Opens a result file or a log of events of the disk and draws it, too. `path` as it was typed.
    pub(super) fn open(&mut self, path: &str, cx: &mut Cx) {
        let opened = OpenedFile::read(path, cx);
        self.files.retain(|file| file.path != path);
        // The file asked for last is seen: what there is no room for goes, the oldest first.
        if !self.files.is_empty() && self.jobs.len() + self.files.len() >= MOST {
            self.files.remove(0);
        }
        self.jobs.truncate(MOST - 1);
        self.files.push(opened);
        self.stale = true;
        self.body = CurvesBody::Chart;
    }

    /// Stops the downloads of result files. Returns their calls.
    pub(super) fn stop(&mut self) -> Vec<Ticket> {
        let mut tickets = Vec::new();
        for known in self.known.values_mut() {
            if let CurveSource::Fetching(download) = &known.result {
                tickets.push(download.ticket);
                known.result = CurveSource::Failed("loading the result file was stopped".into());
            }
        }
        tickets
    }

    /// Returns whether files of this machine are drawn.
    pub(super) fn has_files(&self) -> bool {
        !self.files.is_empty()
    }

    /// Takes the files that were opened away.
    pub(super) fn clear_files(&mut self, cx: &mut Cx) {
        for file in &self.files {
            if let CurveSource::Reading(ticket) = file.source {
                cx.cancel(ticket);
            }
        }
        self.stale |= self.has_files();
        self.files.clear();
    }

    /// Sets whether the keys go there.
    pub(super) fn set_focus(&mut self, focus: bool) {
        self.focus = focus;
    }

    /// Returns whether there is nothing to draw, as no job and no file is chosen.
    pub(super) fn is_empty(&self) -> bool {
        self.jobs.is_empty() && self.files.is_empty()
    }

    /// Takes a part of a call. Returns whether the call is its own.
    pub(super) fn handle_progress(&mut self, ticket: Ticket, progress: &Progress, cx: &mut Cx) -> bool {
        let is =
            |known: &KnownJob| matches!(&known.result, CurveSource::Fetching(download) if download.ticket == ticket);
        let Some(known) = self.known.values_mut().find(|known| is(known)) else { return false };
        let CurveSource::Fetching(download) = &mut known.result else { return false };
        match download.observe(progress, cx) {
            DownloadStep::Coming => {}
            DownloadStep::All(bytes) => {
                let bytes: Arc<[u8]> = bytes.into();
                let name = known.job.result_files.first().map(|file| file.filename.as_str()).unwrap_or_default();
                let name = if name.is_empty() { known.file.as_str() } else { name };
                known.result = CurveSource::Reading(cx.work(Work::CurvesOf { name: name.into(), bytes }));
            }
            DownloadStep::Failed(why) => known.result = CurveSource::Failed(why),
        }
        true
    }

    /// Takes a result of the work threads. Returns whether the page had ordered it.
    pub(super) fn handle_worked(&mut self, ticket: Ticket, done: &Done) -> bool {
        let sources = self.known.values_mut().map(|known| &mut known.result);
        let mut sources = sources.chain(self.files.iter_mut().map(|file| &mut file.source));
        let is = |source: &&mut CurveSource| matches!(source, CurveSource::Reading(own) if *own == ticket);
        let Some(source) = sources.find(is) else { return false };
        match done {
            Done::Curves(curves) => *source = CurveSource::Here(Arc::new((**curves).clone())),
            Done::Failed(why) => *source = CurveSource::Failed(why.clone()),
            _ => return true,
        }
        self.stale = true;
        true
    }

    /// Returns the trainings on the page: jobs, then files.
    fn runs(&self) -> Vec<PlottedRun<'_>> {
        let jobs = self.jobs.iter().filter_map(|key| self.known.get(key)).map(PlottedRun::Job);
        jobs.chain(self.files.iter().map(PlottedRun::File)).take(MOST).collect()
    }

    /// Returns the metrics there are.
    fn metrics(&self) -> Vec<Metric> {
        let runs = self.runs();
        metric::all(runs.iter().flat_map(PlottedRun::curves))
    }

    /// Makes the lines again where something has changed.
    pub(super) fn update(&mut self) {
        if !std::mem::take(&mut self.stale) {
            return;
        }
        self.version += 1;
        let metrics = self.metrics();
        if !metrics.contains(&self.metric) {
            self.metric = metrics.into_iter().next().unwrap_or_default();
        }
        let mut lines = Vec::new();
        let runs = self.runs();
        let epochs = self.in_epochs();
        for (at, run) in runs.iter().enumerate() {
            let own = run.lines(&self.metric).into_iter().filter(|(of, _)| self.which.has(*of));
            for (of, points) in own {
                let validates = self.metric == Metric::Loss && of.is_some_and(|of| of != Of::Training);
                let trend = if validates { Trend::of(points.all()) } else { None };
                let points = match run.steps_an_epoch().filter(|_| epochs) {
                    Some(steps) => points.scaled(steps),
                    None => points,
                };
                lines.push(PlottedLine { run: at, of, letter: 'A', look: 0, points, trend });
            }
        }
        let (alone, few) = (runs.len() == 1, lines.len() <= chart::LOOKS);
        for (at, line) in lines.iter_mut().enumerate() {
            line.letter =
                if alone { letter(at, true) } else { letter(line.run, line.of.is_none_or(|of| of == Of::Training)) };
            line.look = if few { at } else { line.run };
        }
        self.lines = lines;
    }

    /// Returns whether the axis is in epochs: where somebody chose it, or where trainings of unlike length lie over
    /// each other, and of each it is known how many steps an epoch has.
    fn in_epochs(&self) -> bool {
        let runs = self.runs();
        let steps: Option<Vec<f64>> = runs.iter().map(PlottedRun::steps_an_epoch).collect();
        let Some(steps) = steps.filter(|steps| !steps.is_empty()) else { return false };
        self.epochs.unwrap_or_else(|| steps.windows(2).any(|pair| pair[0].total_cmp(&pair[1]).is_ne()))
    }

    /// Returns what `act` makes of the chart and what shows of it.
    fn on<T>(&mut self, act: impl FnOnce(&Chart, &mut chart::View) -> T) -> T {
        self.update();
        self.with_chart(act)
    }

    /// Does something with the chart as it was made last.
    fn with_chart<T>(&self, act: impl FnOnce(&Chart, &mut chart::View) -> T) -> T {
        let series: Vec<Series> = self.lines.iter().map(PlottedLine::series).collect();
        let chart = Chart {
            series: &series,
            version: self.version,
            log: self.log,
            smoothing: WEIGHTS[self.smoothing],
            braille: true,
        };
        act(&chart, &mut self.view.borrow_mut())
    }
}

impl PlottedLine {
    fn series(&self) -> Series<'_> {
        Series {
            letter: Some(self.letter),
            look: self.look,
            points: self.points.all(),
            confirmed: self.points.confirmed(),
        }
    }
}

/// Returns the letter of a curve: `A`, `B`, …, or a small one.
fn letter(at: usize, large: bool) -> char {
    let first = if large { b'A' } else { b'a' };
    char::from(first + (at % 26) as u8)
}
