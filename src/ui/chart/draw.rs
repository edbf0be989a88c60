//! A chart on the screen: axes, dots, letters, the cursor.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};

use super::axis::{LABEL, Tick, ticks};
use super::curves::{Chart, LOOKS, last_until};
use super::number::{exact, tick};
use super::raster::across;
use super::trace::{Lens, Trace};
use super::view::View;
use crate::ui::canvas::Canvas;
use crate::ui::theme::{Kind, Theme};
use crate::ui::wrap;

/// The areas of a chart.
pub(super) struct Frame {
    /// The dots' cells.
    plot: Rect,
    /// Rows with a label; empty: there is no axis of values.
    ticks: Vec<Tick>,
    /// Whether there is an axis of steps.
    steps: bool,
}

impl Frame {
    /// Returns the dots of the grid in a row of cells. Without colour there is none: it could not recede behind the
    /// curves.
    fn grid(&self, row: u16, theme: &Theme) -> u8 {
        let tick = self.ticks.iter().find(|tick| tick.row == row).filter(|_| theme.kind != Kind::Mono);
        tick.map_or(0, |tick| across(tick.dot))
    }
}

/// Computes what is visible in an area: the width of the value axis, its labels, the dots.
pub(super) fn fit(chart: &Chart, view: &mut View, area: Rect) -> Frame {
    let steps = area.height >= 4 && area.width >= 12;
    let height = if steps { area.height - 2 } else { area.height };
    // A column after the curves' ends for their letters.
    let letters = u16::from(chart.series.iter().any(|series| series.letter.is_some())) * 2;
    view.traces.update_scale(chart, view.window);
    let range = view.traces.scale.range.filter(|_| area.width >= 20 && area.height >= 2);
    // The labels depend on the rows only.
    let ticks = range.map_or_else(Vec::new, |range| ticks(&lens(chart, view, range, Rect { height, ..area }), height));
    let widest = ticks.iter().map(|tick| wrap::width(&tick.words).min(LABEL) as u16 + 2).max();
    let axis = widest.unwrap_or(0);
    let width = area.width.saturating_sub(axis + letters).max(1);
    view.columns = width;
    view.traces.update_lines(chart, (usize::from(width), usize::from(height)));
    Frame { plot: Rect { x: area.x + axis, y: area.y, width, height }, ticks, steps }
}

pub(super) fn draw(chart: &Chart, view: &mut View, area: Rect, buf: &mut Buffer, theme: &Theme) -> Option<Position> {
    let frame = fit(chart, view, area);
    let Some(range) = view.traces.scale.range else {
        nothing(chart, view, area, buf, theme);
        return None;
    };
    let lens = lens(chart, view, range, frame.plot);
    if !frame.ticks.is_empty() {
        axes(chart, &frame, area.right(), buf, theme);
    }
    let at = view.cursor.map(|step| (step, lens.column(step).round()));
    let at = at.filter(|(_, column)| *column >= 0.0 && *column < lens.dots.0 as f64);
    let at = at.map(|(step, column)| (step, frame.plot.x + column as u16 / 2));
    if let Some((_, x)) = at {
        for y in frame.plot.top()..frame.plot.bottom() {
            buf[(x, y)].set_char('│').set_style(theme.muted);
        }
    }
    dots(chart, &view.traces.lines, &frame, buf, theme);
    marks(chart, view, &lens, frame.plot, Canvas { area, buf: &mut *buf, theme });
    if frame.steps {
        scale(&frame, &lens, at, area, buf, theme);
    }
    at.map(|(_, x)| Position::new(x, frame.plot.bottom() - 1))
}

fn lens(chart: &Chart, view: &View, range: (f64, f64), plot: Rect) -> Lens {
    let dots = (usize::from(plot.width) * 2, usize::from(plot.height) * 4);
    Lens { window: view.traces.window, range, log: chart.log, dots }
}

/// Draws the labels of the values and the grid lines at them, up to the right edge; without surfaces also the axis as a
/// line.
fn axes(chart: &Chart, frame: &Frame, right: u16, buf: &mut Buffer, theme: &Theme) {
    let plot = frame.plot;
    let (x, lined) = (plot.x - 1, has_lines(theme));
    if lined {
        for y in plot.top()..plot.bottom() {
            buf[(x, y)].set_char('│').set_style(theme.faint);
        }
    }
    for Tick { row, words, .. } in &frame.ticks {
        let y = plot.y + row;
        let width = wrap::width(words) as u16;
        buf.set_string(x.saturating_sub(width), y, words, if lined { theme.muted } else { theme.faint });
        if lined {
            buf[(x, y)].set_char('┤').set_style(theme.faint);
        }
        let grid = frame.grid(*row, theme);
        for x in if grid == 0 { 0..0 } else { plot.left()..right } {
            buf[(x, y)].set_char(if chart.braille { braille(grid) } else { '┈' }).set_style(theme.trace);
        }
    }
    if lined && frame.steps {
        buf[(x, plot.bottom())].set_char('└').set_style(theme.faint);
    }
}

/// Returns whether axes are lines: where nothing else separates a chart from its surroundings.
fn has_lines(theme: &Theme) -> bool {
    !theme.kind.has_surfaces()
}

/// Replaces a symbol, keeping the background.
fn put(buf: &mut Buffer, at: (u16, u16), symbol: char, style: Style) {
    let cell = &mut buf[at];
    let background = cell.bg;
    cell.reset();
    cell.set_char(symbol).set_bg(background).set_style(style);
}

/// Columns between the letters along a curve.
const LETTERS: usize = 24;

/// Every second dot of a cell: distinguishes a band of values that fills its cells from a line.
const THIN: u8 = 0b1001_0101;
/// Every fourth dot of a cell: without colour only the number of dots makes a band recede behind its average.
const SPARSE: u8 = 0b0010_0001;

/// Returns the dots of a cell that are drawn of values behind their average.
fn thinned(raw: u8, theme: &Theme) -> u8 {
    let is_mono = theme.kind == Kind::Mono;
    match raw & if is_mono { SPARSE } else { THIN } {
        // One dot, so that no value disappears.
        0 if is_mono => raw & raw.wrapping_neg(),
        0 => raw,
        kept => kept,
    }
}

/// Returns dots as a symbol.
fn braille(bits: u8) -> char {
    char::from_u32(0x2800 + u32::from(bits)).unwrap_or('·')
}

/// Draws the dots of all curves; those with fewer points over the others, averages over values.
fn dots(chart: &Chart, lines: &[Trace], frame: &Frame, buf: &mut Buffer, theme: &Theme) {
    let plot = frame.plot;
    let ground = buf[(plot.x, plot.y)].bg;
    let mut order: Vec<_> = chart.series.iter().zip(lines).collect();
    order.sort_by_key(|(series, _)| series.points.len());
    for row in 0..plot.height {
        let grid = frame.grid(row, theme);
        for column in 0..plot.width {
            let (mut bits, mut band) = (0_u8, 0_u8);
            let mut style: Option<(bool, Style)> = None;
            for (series, line) in &order {
                let colour = theme.series[series.look % LOOKS];
                let at = (usize::from(column), usize::from(row));
                let raw = line.raw.cell(at.0, at.1);
                let smooth = line.smooth.as_ref().map_or(0, |smooth| smooth.cell(at.0, at.1));
                if line.smooth.is_some() {
                    bits |= smooth;
                    band |= thinned(raw, theme);
                } else {
                    bits |= raw;
                }
                let own = match (&line.smooth, raw, smooth) {
                    (None, 0, _) | (Some(_), 0, 0) => continue,
                    (None, ..) => (true, colour),
                    (Some(_), _, 0) => (false, theme.track(ground).unwrap_or(theme.trace)),
                    (Some(_), ..) => (true, colour.add_modifier(Modifier::BOLD)),
                };
                if style.is_none_or(|(strong, _)| !strong && own.0) {
                    style = Some(own);
                }
            }
            let Some((_, style)) = style else { continue };
            // A line is drawn over its band, and the grid shows through the band.
            let bits = if bits == 0 { band | grid } else { bits };
            put(buf, (plot.x + column, plot.y + row), if chart.braille { braille(bits) } else { '·' }, style);
        }
    }
}

/// Draws hollow points, single ones, and letters at the curves' ends and under the cursor.
fn marks(chart: &Chart, view: &View, lens: &Lens, plot: Rect, canvas: Canvas) {
    let Canvas { area, buf, theme } = canvas;
    let mut put = |x: u16, y: u16, symbol: char, style: Style| put(buf, (x, y), symbol, style);
    let style = |look: usize| theme.series[look % LOOKS].add_modifier(Modifier::BOLD);
    let all = || chart.series.iter().zip(&view.traces.lines).rev();
    for (series, line) in all() {
        for (column, row) in &line.lone {
            put(plot.x + *column as u16, plot.y + *row as u16, '●', style(series.look));
        }
        for (column, row) in &line.hollow {
            put(plot.x + *column as u16, plot.y + *row as u16, '○', style(series.look));
        }
    }
    // Without colour, letters along the curves tell them apart.
    if theme.kind == Kind::Mono && chart.series.len() > 1 {
        for (series, line) in all() {
            let Some(letter) = series.letter else { continue };
            let first = LETTERS / 4 + series.look % LOOKS * LETTERS / LOOKS;
            for column in (first..usize::from(plot.width)).step_by(LETTERS) {
                let line = line.smooth.as_ref().unwrap_or(&line.raw);
                if let Some((top, bottom)) = line.reach(column * 2) {
                    put(plot.x + column as u16, plot.y + ((top + bottom) / 8) as u16, letter, style(series.look));
                }
            }
        }
    }
    if let Some(step) = view.cursor {
        for (series, line) in all() {
            let point = last_until(series.points, step).filter(|point| point.0.total_cmp(&step).is_eq());
            if let Some((column, row)) = point.and_then(|point| lens.cell(point)) {
                // Its letter stands beside its visible end.
                let is_end = line.end == Some((column, row));
                let symbol = series.letter.filter(|_| !is_end).unwrap_or('●');
                put(plot.x + column as u16, plot.y + row as u16, symbol, style(series.look));
            }
        }
    }
    let mut taken: Vec<(u16, u16)> = Vec::new();
    for (series, line) in chart.series.iter().zip(&view.traces.lines) {
        let (Some(letter), Some((column, row))) = (series.letter, line.end) else { continue };
        let (x, y) = ((plot.x + column as u16 + 1).min(area.right() - 1), plot.y + row as u16);
        // The letters of curves that end together are placed above and below each other, then side by side.
        let near = (0..i32::from(plot.height)).flat_map(|away| [away, -away]).map(|away| i32::from(y) + away);
        let near = near.filter(|y| (i32::from(plot.top())..i32::from(plot.bottom())).contains(y));
        let places = (x..area.right()).flat_map(|x| near.clone().map(move |y| (x, y as u16)));
        if let Some(place) = places.into_iter().find(|place| !taken.contains(place)) {
            taken.push(place);
            put(place.0, place.1, letter, style(series.look));
        }
    }
}

/// Draws the axis of steps: both ends, round numbers between them, and the cursor's step.
fn scale(frame: &Frame, lens: &Lens, cursor: Option<(f64, u16)>, area: Rect, buf: &mut Buffer, theme: &Theme) {
    let (plot, lined) = (frame.plot, has_lines(theme));
    let y = plot.bottom();
    if lined {
        for x in plot.left()..plot.right() {
            buf[(x, y)].set_char('─').set_style(theme.faint);
        }
    }
    let (row, muted) = if lined { (y + 1, theme.muted) } else { (y, theme.faint) };
    let (low, high) = lens.window;
    let mut taken: Vec<(u16, u16)> = Vec::new();
    let mut label = |step: f64, words: &str, style: Style, at: Option<u16>, gap: u16| {
        let width = wrap::width(words) as u16;
        let middle = at.unwrap_or_else(|| plot.x + lens.column(step).round().max(0.0) as u16 / 2);
        let x = middle.saturating_sub(width / 2).max(area.x).min(area.right().saturating_sub(width));
        let free = taken.iter().all(|(from, to)| x > to + gap || x + width + gap < *from + 1);
        if free && width <= area.width {
            taken.push((x, x + width));
            buf.set_string(x, row, words, style);
            if lined {
                buf[(middle.min(plot.right() - 1), y)]
                    .set_char(if at.is_some() { '┴' } else { '┬' })
                    .set_style(theme.faint);
            }
        }
    };
    let range = high - low;
    // From 0 to 1 the steps are shares.
    let whole = low.fract() == 0.0 && high.fract() == 0.0 && range > 1.0 && range < 1e15;
    let words = |step: f64| if whole { exact(step) } else { tick(step, low, high) };
    if let Some((step, x)) = cursor {
        let words = if whole || step.fract() == 0.0 { exact(step) } else { tick(step, low, high) };
        label(step, &format!("@{words}"), theme.text, Some(x), 1);
    }
    label(high, &words(high), muted, None, 1);
    if low < high {
        label(low, &words(low), muted, None, 1);
    }
    let Some(between) = between(range, f64::from(plot.width), whole) else { return };
    let mut step = (low / between).ceil() * between;
    for _ in 0..64 {
        if step > high || !step.is_finite() {
            break;
        }
        label(step, &words(step), muted, None, 3);
        step += between;
    }
}

/// Returns a round distance between labels some 18 columns apart.
fn between(range: f64, columns: f64, whole: bool) -> Option<f64> {
    let least = range * 18.0 / columns.max(1.0);
    if !(least > 0.0 && least.is_finite()) {
        return None;
    }
    let power = 10.0_f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|part| part * power).find(|step| *step >= least)?;
    Some(if whole { step.max(1.0) } else { step })
}

/// Draws the reason why there are no curves.
fn nothing(chart: &Chart, view: &View, area: Rect, buf: &mut Buffer, theme: &Theme) {
    let left = view.left_out();
    let words = match () {
        () if chart.log && left.not_positive > 0 => "no value above 0: nothing to draw on a logarithmic axis",
        () if left.nan + left.infinite > 0 => "no value is a finite number: nothing to draw",
        () if view.window.is_some() && chart.span().is_some() => "no values between these steps",
        () => "no values yet",
    };
    // What is empty says so in the upper third.
    let lines = wrap::lines(words, usize::from(area.width.saturating_sub(2)).max(1));
    for (line, y) in lines.iter().zip(area.y + area.height / 6..area.bottom()) {
        buf.set_stringn(area.x + area.width.min(1), y, line, usize::from(area.width.saturating_sub(1)), theme.muted);
    }
}
