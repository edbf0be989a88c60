//! The visible part of a chart.

use super::curves::LeftOut;
use super::trace::Traces;

/// The visible part, and what was computed for it: kept between frames.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The first and the last visible step; `None`: all are visible.
    pub(super) window: Option<(f64, f64)>,
    /// The step under the cursor.
    pub(super) cursor: Option<f64>,
    /// Columns of cells in the last frame.
    pub(super) columns: u16,
    pub(super) traces: Traces,
}

impl View {
    /// Returns the step under the cursor.
    pub fn cursor(&self) -> Option<f64> {
        self.cursor
    }

    /// Moves the cursor to a step, or removes it.
    pub fn set_cursor(&mut self, step: Option<f64>) {
        self.cursor = step.filter(|step| step.is_finite());
    }

    /// Shows all steps again. The cursor stays.
    pub fn reset(&mut self) {
        self.window = None;
    }

    /// Returns the first and the last visible step; `None`: all are visible.
    pub fn window(&self) -> Option<(f64, f64)> {
        self.window
    }

    /// Returns what the last frame could not draw.
    pub fn left_out(&self) -> LeftOut {
        self.traces.scale.left_out
    }
}
