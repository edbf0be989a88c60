//! Curves that grow as a job's events arrive.

use super::events;
use super::figure::figure;
use crate::api::job::JobEvent;
use crate::record::curves::Curve;

/// Points of all curves together: a server that sends more would fill the memory.
const MOST: usize = 4_000_000;
/// Curves that are kept.
const CURVES: usize = 64;

/// The figures of a job's events so far.
#[derive(Clone, Debug, Default)]
pub struct Live {
    curves: Vec<Curve>,
    /// Points of all curves.
    points: usize,
    /// Whether a point was added after one of a later step.
    back: bool,
    /// The last step reported.
    step: Option<f64>,
    /// Steps in all, if reported.
    steps: Option<f64>,
}

impl Live {
    /// Adds an event: its metrics, else the figures in its message. Returns whether it had any.
    pub fn take(&mut self, event: &JobEvent) -> bool {
        let said;
        let metrics = if event.metrics.is_empty() {
            said = events::message(&event.message);
            &said
        } else {
            &event.metrics
        };
        self.place(metrics, true)
    }

    /// Adds the figures of a step of a whole log, which need not be in order until all are there.
    pub(super) fn add(&mut self, metrics: &[(String, f64)]) {
        self.place(metrics, false);
    }

    /// Adds the figures of a step, in order or at the end. Returns whether there were any.
    fn place(&mut self, metrics: &[(String, f64)], ordered: bool) -> bool {
        let named = |name: &str| metrics.iter().find(|(own, _)| own == name).map(|(_, value)| *value);
        let Some(step) = named("step").filter(|step| step.is_finite()) else { return false };
        self.step = Some(self.step.map_or(step, |last| last.max(step)));
        self.steps = named("total_steps").filter(|steps| steps.is_finite()).or(self.steps);
        let mut any = false;
        for (name, value) in metrics.iter().filter(|(name, _)| name != "step" && name != "total_steps") {
            let at = self.curves.iter().position(|curve| curve.name == name.as_str());
            let at = at.or_else(|| {
                (self.curves.len() < CURVES).then(|| {
                    let curve = Curve { name: name.as_str().into(), figure: figure(name), points: Vec::new() };
                    self.curves.push(curve);
                    self.curves.len() - 1
                })
            });
            let Some(curve) = at.map(|at| &mut self.curves[at]) else { continue };
            if self.points < MOST {
                // Usually at the end: steps arrive in order.
                if ordered {
                    let place = curve.points.partition_point(|point| point.0 <= step);
                    curve.points.insert(place, (step, *value));
                } else {
                    self.back |= curve.points.last().is_some_and(|last| last.0 > step);
                    curve.points.push((step, *value));
                }
                self.points += 1;
                any = true;
            }
        }
        any
    }

    /// Returns the curves, in the order in which they first appeared.
    pub fn curves(&self) -> &[Curve] {
        &self.curves
    }

    /// Returns the last step, and of how many, where known.
    pub fn progress(&self) -> Option<(f64, Option<f64>)> {
        self.step.map(|step| (step, self.steps))
    }

    pub(super) fn into_curves(mut self) -> Vec<Curve> {
        if self.back {
            for curve in &mut self.curves {
                curve.points.sort_by(|a, b| a.0.total_cmp(&b.0));
            }
        }
        self.curves
    }
}
