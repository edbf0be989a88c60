//! One training on the page: a job, or a file that was opened.

use std::sync::Arc;

use crate::api::call::Ticket;
use crate::api::job::{Job, JobFile, JobStatus};
use crate::component::Cx;
use crate::dataset::Live;
use crate::record::curves::{Curve, Curves, Figure, Of};
use crate::record::work::Work;
use crate::text::Untrusted;

use super::metric::Metric;
use crate::tabs::fine_tunes::job_row::job_name;
use crate::tabs::range_download::RangeDownload;

/// Where the figures of a file are.
#[derive(Clone, Debug, Default)]
pub(super) enum CurveSource {
    /// There is no file, or nobody asked for it.
    #[default]
    None,
    /// On its way from the server.
    Fetching(RangeDownload),
    /// Being read.
    Reading(Ticket),
    /// Here.
    Here(Arc<Curves>),
    /// The file could not be loaded.
    Failed(Untrusted),
}

/// What is known of a job.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownJob {
    pub(super) job: Job,
    pub(super) live: Live,
    /// The curves of its result file.
    pub(super) result: CurveSource,
    /// Which file that is, by its id.
    pub(super) file: String,
}

impl KnownJob {
    /// Returns the result file, where the job has one that is not asked for yet.
    pub(super) fn wanted(&self) -> Option<&JobFile> {
        let file = self.job.result_files.first()?;
        let new = matches!(self.result, CurveSource::None) || file.id != self.file;
        new.then_some(file)
    }
}

/// A file of the disk.
#[derive(Clone, Debug)]
pub(super) struct OpenedFile {
    /// As it was typed.
    pub(super) path: String,
    pub(super) source: CurveSource,
}

impl OpenedFile {
    /// Has it read.
    pub(super) fn read(path: &str, cx: &mut Cx) -> Self {
        let path = path.to_owned();
        Self { source: CurveSource::Reading(cx.work(Work::Curves { path: path.clone() })), path }
    }
}

/// A training as it is drawn.
#[derive(Clone, Copy)]
pub(super) enum PlottedRun<'a> {
    Job(&'a KnownJob),
    File(&'a OpenedFile),
}

/// The points of a curve.
#[derive(Clone, Debug)]
pub(super) enum CurvePoints {
    /// Those of a file.
    File(Arc<Curves>, usize),
    /// Points of events, alone or after those of a file; how many are of the file.
    Live(Vec<(f64, f64)>, usize),
}

impl CurvePoints {
    pub(super) fn all(&self) -> &[(f64, f64)] {
        match self {
            Self::File(curves, at) => &curves.curves[*at].points,
            Self::Live(points, _) => points,
        }
    }

    /// Returns the curves over epochs, each of which has so many steps.
    pub(super) fn scaled(&self, steps: f64) -> Self {
        Self::Live(self.all().iter().map(|(step, value)| (step / steps, *value)).collect(), self.confirmed())
    }

    /// Returns how many are confirmed by a result file.
    pub(super) fn confirmed(&self) -> usize {
        match self {
            Self::File(..) => self.all().len(),
            Self::Live(_, confirmed) => *confirmed,
        }
    }
}

impl PlottedRun<'_> {
    /// Returns what the list of jobs calls it: the suffix that was asked for, or else the file it learns from.
    pub(super) fn list_name(&self) -> Option<String> {
        let Self::Job(known) = self else { return None };
        Some(job_name(&known.job)).filter(|name| !name.is_empty())
    }

    /// Returns what it is called: the id and what the list calls it, or the file.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Job(known) => {
                let id = Untrusted::from(known.job.id.as_str());
                match self.list_name() {
                    // Ids are long, and a few letters tell those of one list apart.
                    Some(name) => format!("{} {name}", crate::ui::rule::cut(&id.line(), 10)),
                    None => id.line().into_owned(),
                }
            }
            Self::File(opened) => match &opened.source {
                CurveSource::Here(curves) => curves.name.line().into_owned(),
                _ => Untrusted::from(opened.path.as_str()).line().into_owned(),
            },
        }
    }

    /// Returns whether it is a job that may still bring values.
    pub(super) fn is_running(&self) -> bool {
        matches!(self, Self::Job(known) if !known.job.status.is_finished())
    }

    pub(super) fn source(&self) -> &CurveSource {
        match self {
            Self::Job(known) => &known.result,
            Self::File(opened) => &opened.source,
        }
    }

    /// Returns what its file says, where there is one and it was read.
    pub(super) fn file(&self) -> Option<&Arc<Curves>> {
        match self.source() {
            CurveSource::Here(curves) => Some(curves),
            _ => None,
        }
    }

    fn live(&self) -> &[Curve] {
        match self {
            Self::Job(known) => known.live.curves(),
            Self::File(_) => &[],
        }
    }

    /// Returns all curves it has.
    pub(super) fn curves(&self) -> impl Iterator<Item = &Curve> {
        self.file().into_iter().flat_map(|file| &file.curves).chain(self.live())
    }

    /// Returns its curves of a metric, each with what it is of: the result file's, and what events told after its end.
    pub(super) fn lines(&self, metric: &Metric) -> Vec<(Option<Of>, CurvePoints)> {
        let mut lines: Vec<(Option<Of>, CurvePoints)> = Vec::new();
        let is = |curve: &Curve| Metric::of(curve).filter(|(own, _)| own == metric).map(|(_, of)| of);
        if let Some(file) = self.file() {
            for (at, curve) in file.curves.iter().enumerate() {
                if let Some(of) = is(curve) {
                    lines.push((of, CurvePoints::File(Arc::clone(file), at)));
                }
            }
        }
        for curve in self.live() {
            let Some(of) = is(curve) else { continue };
            match lines.iter_mut().find(|(own, _)| *own == of) {
                None => lines.push((of, CurvePoints::Live(curve.points.clone(), 0))),
                Some((_, points)) => {
                    let last = points.all().last().map_or(f64::NEG_INFINITY, |point| point.0);
                    let more = &curve.points[curve.points.partition_point(|point| point.0 <= last)..];
                    if !more.is_empty() {
                        let confirmed = points.all().len();
                        *points = CurvePoints::Live([points.all(), more].concat(), confirmed);
                    }
                }
            }
        }
        lines.sort_by_key(|(of, _)| match of {
            Some(Of::Training) => 0,
            Some(Of::Validation) => 1,
            Some(Of::FullValidation) | None => 2,
        });
        lines
    }

    /// Returns what was learned up to a step: tokens, examples.
    pub(super) fn elapsed(&self, step: f64) -> [Option<f64>; 2] {
        [Figure::ElapsedTokens, Figure::ElapsedExamples].map(|figure| {
            let curve = self.curves().find(|curve| curve.figure == figure)?;
            let at = curve.points.partition_point(|point| point.0 <= step).checked_sub(1)?;
            let (own, value) = curve.points[at];
            (own.total_cmp(&step).is_eq() && value.is_finite()).then_some(value)
        })
    }

    /// Returns how many steps an epoch has: of a job that tells of how many steps it is, or that is over.
    pub(super) fn steps_an_epoch(&self) -> Option<f64> {
        let Self::Job(known) = self else { return None };
        let epochs = known.job.settings.n_epochs.filter(|epochs| *epochs > 0)?;
        let (last, of) = self.step()?;
        let all = of.or_else(|| (known.job.status == JobStatus::Succeeded).then_some(last))?;
        (all > 0.0).then(|| all / f64::from(epochs))
    }

    /// Returns the last step it has, and of how many, where told.
    pub(super) fn step(&self) -> Option<(f64, Option<f64>)> {
        let told = match self {
            Self::Job(known) => known.live.progress(),
            Self::File(_) => None,
        };
        let file = self.file().into_iter().flat_map(|file| &file.curves).filter_map(|curve| curve.points.last());
        let file = file.map(|point| point.0).reduce(f64::max);
        match (told, file) {
            (Some((step, of)), file) => Some((file.map_or(step, |file| file.max(step)), of)),
            (None, file) => file.map(|step| (step, None)),
        }
    }
}
