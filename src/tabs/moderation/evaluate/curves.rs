//! Precision, recall and F1 over all thresholds, as curves.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::LabelsPage;
use super::draw::put;
use super::figures::RateCurves;
use crate::ui::chart::{Chart, Series};
use crate::ui::rule::cut;
use crate::ui::theme::Theme;

/// The smallest area that curves are drawn in.
const LEAST: (u16, u16) = (24, 6);
/// What the curves' steps are.
const AXIS: &str = "threshold";
/// Rows of a chart from which on there is a row for the name of its axis.
const NAMED: u16 = 5;

impl LabelsPage {
    /// Draws the curves of a category with the threshold in use, or those of one threshold for all categories, below a
    /// sentence and a legend.
    pub(super) fn curves(
        &self,
        frame: &mut Frame,
        area: Rect,
        (curves, at): (Option<&RateCurves>, Option<f64>),
        theme: &Theme,
    ) {
        let row = |y: u16| Rect { y: area.y + y, height: 1, ..area };
        let Some((curves, (best, most))) = curves.and_then(|curves| Some((curves, curves.best()?))) else {
            return put(frame, row(0), "No row has this label, so there is nothing to measure.", theme.muted);
        };
        let words = match at {
            Some(at) => format!("F1 {:.2} at {at:.2} · best {most:.2} at {best:.2}, b takes it", curves.f1_at(at)),
            None => format!("F1 with one threshold for all: best {most:.2} at {best:.2}"),
        };
        put(frame, row(0), &cut(&words, usize::from(area.width)), theme.text);
        if area.width < LEAST.0 || area.height < LEAST.1 {
            return;
        }
        let mut x = area.x;
        for (look, (sign, name)) in [("P", "precision"), ("R", "recall"), ("F1", "")].into_iter().enumerate() {
            let buf = frame.buffer_mut();
            let room = |x: u16| usize::from(area.right().saturating_sub(x));
            x = buf.set_stringn(x, area.y + 1, sign, room(x), theme.series[look]).0 + 1;
            x = buf.set_stringn(x, area.y + 1, name, room(x), theme.muted).0 + 3;
        }
        let of = |letter, look, points| Series { letter: Some(letter), look, points, confirmed: usize::MAX };
        let series = [of('P', 0, &curves.precision[..]), of('R', 1, &curves.recall[..]), of('F', 2, &curves.f1[..])];
        // Another category has other curves.
        let version = self.cursor.selected as u64;
        let chart = Chart { series: &series, version, log: false, smoothing: 0.0, braille: true };
        let mut view = self.chart.borrow_mut();
        let place = Rect { y: area.y + 2, height: area.height - 2, ..area };
        // With surfaces the chart has a blank row below its steps.
        let below = u16::from(!theme.kind.has_surfaces());
        let is_named = place.height - below >= NAMED;
        let chart_area = if is_named { Rect { height: place.height - below, ..place } } else { place };
        chart.render(&mut view, chart_area, frame.buffer_mut(), theme);
        if is_named {
            let x = area.x + area.width.saturating_sub(AXIS.len() as u16) / 2;
            put(frame, Rect { x, y: place.bottom() - 1, width: area.right() - x, height: 1 }, AXIS, theme.muted);
        }
    }
}
