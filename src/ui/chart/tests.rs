//! Charts as they are drawn.

use proptest::prelude::*;
use ratatui::style::Modifier;

use super::trace::Lens;
use super::*;
use crate::ui::theme::{Depth, Kind};

fn mono() -> Theme {
    Theme::of(Kind::Mono, Depth::None)
}

fn series(points: &[(f64, f64)]) -> Series<'_> {
    Series { letter: Some('A'), look: 0, points, confirmed: points.len() }
}

fn chart<'a>(series: &'a [Series<'a>]) -> Chart<'a> {
    Chart { series, version: 1, log: false, smoothing: 0.0, braille: true }
}

fn text(buf: &Buffer) -> String {
    let width = usize::from(buf.area.width);
    let line = |row: &[ratatui::buffer::Cell]| {
        row.iter().map(ratatui::buffer::Cell::symbol).collect::<String>().trim_end().to_owned()
    };
    buf.content().chunks(width).map(line).collect::<Vec<_>>().join("\n")
}

fn drawn(chart: &Chart, view: &mut View, width: u16, height: u16) -> Buffer {
    let area = Rect::new(0, 0, width, height);
    let mut buf = Buffer::empty(area);
    chart.render(view, area, &mut buf, &mono());
    buf
}

fn picture(points: &[(f64, f64)], log: bool) -> String {
    let series = [series(points)];
    let chart = Chart { log, ..chart(&series) };
    text(&drawn(&chart, &mut View::default(), 40, 9))
}

fn steps(values: &[f64]) -> Vec<(f64, f64)> {
    values.iter().zip(1..).map(|(value, step)| (f64::from(step), *value)).collect()
}

/// Returns the mapping to dots of a view.
fn lens(chart: &Chart, view: &View, height: u16) -> Option<Lens> {
    let dots = (usize::from(view.columns) * 2, usize::from(height) * 4);
    Some(Lens { window: view.traces.window, range: view.traces.scale.range?, log: chart.log, dots })
}

#[test]
fn shapes() {
    let falling: Vec<(f64, f64)> =
        (1..=1240).map(|step| (f64::from(step), 0.4 + 2.6 * (-f64::from(step) / 250.0).exp())).collect();
    insta::assert_snapshot!("falling", picture(&falling, false));
    insta::assert_snapshot!("falling_log", picture(&falling, true));
    insta::assert_snapshot!("gap", picture(&steps(&[1.0, 2.0, f64::NAN, 3.0, 2.0, f64::INFINITY, 1.0]), false));
    insta::assert_snapshot!("nothing", picture(&[], false));
    insta::assert_snapshot!("one_point", picture(&[(7.0, 0.25)], false));
    insta::assert_snapshot!("flat", picture(&steps(&[0.5; 20]), false));
    insta::assert_snapshot!("flat_at_zero", picture(&steps(&[0.0; 20]), false));
    insta::assert_snapshot!("no_numbers", picture(&steps(&[f64::NAN; 20]), false));
    insta::assert_snapshot!("infinite", picture(&steps(&[f64::INFINITY, 1.0, f64::NEG_INFINITY]), false));
    insta::assert_snapshot!("huge", picture(&steps(&[1e-12, 1.0, 1e12]), false));
    insta::assert_snapshot!("huge_log", picture(&steps(&[1e-12, 1.0, 1e12]), true));
    insta::assert_snapshot!("largest", picture(&steps(&[f64::MAX, 0.0, f64::MIN]), false));
    insta::assert_snapshot!("least", picture(&steps(&[f64::MIN_POSITIVE, 5e-324, f64::MAX]), true));
    insta::assert_snapshot!("log_of_zero", picture(&steps(&[4.0, 0.0, 2.0, -1.0, 1.0]), true));
    insta::assert_snapshot!("log_of_nothing", picture(&steps(&[0.0, -1.0]), true));
}

#[test]
fn several_curves_have_their_letters_lines_and_hollow_points() {
    let of = |slope: f64| steps(&(0..200).map(|at| 1.0 + slope * f64::from(at) / 200.0).collect::<Vec<_>>());
    let all: Vec<_> = [0.0, 0.01, -0.3, -0.7, 0.4, 1.0].map(of).into();
    let series: Vec<Series> = all
        .iter()
        .zip(0..)
        .map(|(points, at)| Series {
            letter: Some(char::from(b'A' + at)),
            look: usize::from(at),
            points,
            confirmed: if at == 2 { 100 } else { 200 },
        })
        .collect();
    insta::assert_snapshot!("six", text(&drawn(&chart(&series), &mut View::default(), 60, 16)));
    let plain = Chart { braille: false, ..chart(&series) };
    insta::assert_snapshot!("six_without_braille", text(&drawn(&plain, &mut View::default(), 60, 16)));
    let mut view = View::default();
    drawn(&chart(&series), &mut view, 60, 16);
    view.set_cursor(Some(120.0));
    insta::assert_snapshot!("six_cursor", text(&drawn(&chart(&series), &mut view, 60, 16)));
    assert_eq!(chart(&series).at_cursor(&view)[5], Some((120.0, 1.0 + 119.0 / 200.0)));
    let one = [Series { confirmed: 200, letter: Some('A'), look: 0, points: &all[0] }];
    let mut end = View::default();
    drawn(&chart(&one), &mut end, 60, 16);
    end.set_cursor(Some(200.0));
    let shown = text(&drawn(&chart(&one), &mut end, 60, 16));
    assert!(shown.contains("●A") && !shown.contains("AA"), "the letter stands once at the end: {shown}");
    chart(&one).zoom(&mut end, 2);
    chart(&one).pan(&mut end, -1);
    let last = end.window().map(|(_, last)| last.floor());
    assert!(last < Some(200.0), "the curve continues at the right");
    end.set_cursor(last);
    let shown = text(&drawn(&chart(&one), &mut end, 60, 16));
    assert!(shown.contains("●A") && !shown.contains("AA"), "the letter stands once at the visible end: {shown}");
    chart(&series).zoom(&mut view, 2);
    insta::assert_snapshot!("six_zoomed", text(&drawn(&chart(&series), &mut view, 60, 16)));
    insta::assert_snapshot!("six_narrow", text(&drawn(&chart(&series), &mut View::default(), 18, 6)));
}

#[test]
fn with_surfaces_a_grid_stands_in_the_place_of_the_axes() {
    let falling: Vec<(f64, f64)> = (0..=100).map(|step| (f64::from(step), 2.0 - f64::from(step) / 50.0)).collect();
    let series = [series(&falling)];
    let theme = Theme::of(Kind::Dark, Depth::True);
    let area = Rect::new(0, 0, 40, 11);
    let mut buf = Buffer::empty(area);
    buf.set_style(area, theme.panel);
    chart(&series).render(&mut View::default(), area, &mut buf, &theme);
    let shown = text(&buf);
    let rows: Vec<&str> = shown.lines().collect();
    let labels: Vec<String> = rows.iter().map(|row| row.chars().take(4).collect()).collect();
    assert_eq!([&labels[0], &labels[4], &labels[8]], [" 2.0", " 1.0", " 0.0"], "{shown}");
    assert!(rows[4].ends_with("⠒⠒⠒⠒⠒⠒"), "the grid ends at the right edge: {shown}");
    assert!(rows[9].trim_start().starts_with('0') && rows[9].ends_with("100"), "steps stand below the curves: {shown}");
    assert!(!shown.contains(['│', '┤', '└', '─']), "{shown}");
    assert!(buf.content().iter().all(|cell| Some(cell.bg) == theme.panel.bg), "the background stays");
    let grid = buf.content().iter().find(|cell| cell.symbol() == "⠒").unwrap();
    assert_eq!(Some(grid.fg), theme.trace.fg);
}

#[test]
fn smoothing_is_bold_over_faint() {
    let noisy = steps(&(0..400).map(|at| f64::from(at % 7) / 7.0 + f64::from(at) / 100.0).collect::<Vec<_>>());
    let series = [series(&noisy)];
    let smooth = Chart { smoothing: 0.9, ..chart(&series) };
    let mut view = View::default();
    let buf = drawn(&smooth, &mut view, 40, 12);
    insta::assert_snapshot!("smooth", text(&buf));
    let bold = |buf: &Buffer| buf.content().iter().filter(|cell| cell.modifier.contains(Modifier::BOLD)).count();
    assert!(bold(&buf) > 30, "{}", bold(&buf));
    assert_eq!(bold(&drawn(&chart(&series), &mut view, 40, 12)), 1, "the letter alone");
    // Without colour few dots of the values remain beside the average.
    let dots = |buf: &Buffer, is_bold: bool| -> u32 {
        let cells = buf.content().iter().filter(|cell| cell.modifier.contains(Modifier::BOLD) == is_bold);
        let bits = cells.filter_map(|cell| u32::from(cell.symbol().chars().next()?).checked_sub(0x2800));
        bits.map(u32::count_ones).sum()
    };
    let (values, average) = (dots(&buf, false), dots(&buf, true));
    assert!(values * 2 < average, "{values} of values, {average} of the average");
    // The average begins with the first value and follows with its weight; NaN leaves it unchanged.
    let points = steps(&[1.0, 2.0, f64::NAN, 3.0]);
    let of = [Series { points: &points, ..series[0] }];
    drawn(&Chart { smoothing: 0.6, version: 2, ..chart(&of) }, &mut view, 40, 12);
    let average = &view.traces.smooth.as_ref().unwrap().2;
    let second = 1.0 * 0.6 + 2.0 * 0.4;
    assert_eq!(average[0][..2], [1.0, second]);
    assert!(average[0][2].is_nan());
    assert!((average[0][3] - (second * 0.6 + 3.0 * 0.4)).abs() < 1e-12);
}

/// Draws a curve with an average that depends on its length.
fn by_length(points: &[(f64, f64)]) -> View {
    let series = [series(points)];
    let mut view = View::default();
    drawn(&Chart { smoothing: super::BY_LENGTH, ..chart(&series) }, &mut view, 80, 20);
    view
}

#[test]
fn the_end_of_a_curve_belongs_to_its_scale() {
    let jump = |at: u32| if at < 24 { f64::from(at % 3) } else { 50.0 + f64::from(at % 3) };
    let view = by_length(&steps(&(0..35).map(jump).collect::<Vec<_>>()));
    assert_eq!(view.traces.scale.range, Some((0.0, 60.0)));
}

/// Returns a loss that begins far above its later values.
fn steep(at: u32) -> f64 {
    0.3 * (-f64::from(at) / 300.0).exp() + 9.0 * (-f64::from(at) / 10.0).exp()
}

#[test]
fn first_values_far_above_all_others_are_drawn_at_the_top_of_a_round_scale() {
    let view = by_length(&steps(&(0..1000).map(steep).collect::<Vec<_>>()));
    let (low, high) = view.traces.scale.range.unwrap();
    assert!(low == 0.0 && (0.2..=0.5).contains(&high), "{low} to {high}");
    let left = view.left_out();
    let above = (0..1000).filter(|at| steep(*at) > high).count() as u64;
    assert_eq!((left.outside, left.early), (above, Some((high, above as f64))));
    let line = &view.traces.lines[0];
    assert!(line.raw.is_set(0, 0) && line.smooth.as_ref().unwrap().is_set(0, 0), "drawn at the edge");
    // A later value outside is reported as one of the values, not of the first steps.
    let spiked = |at| if at == 700 { 5.0 } else { steep(at) };
    let left = by_length(&steps(&(0..1000).map(spiked).collect::<Vec<_>>())).left_out();
    assert_eq!((left.outside, left.early), (above + 1, None));
}

#[test]
fn a_course_that_falls_slowly_and_noise_far_from_its_average_keep_their_scale() {
    let slow: Vec<f64> = (0..1000).map(|at| 0.4 + 2.0 * (-f64::from(at) / 200.0).exp()).collect();
    let view = by_length(&steps(&slow));
    assert_eq!(view.traces.scale.range, Some((0.0, 2.5)));
    let noisy: Vec<f64> = (0..1000).map(|at| f64::from(at * 37 % 101)).collect();
    let view = by_length(&steps(&noisy));
    assert_eq!((view.traces.scale.range, view.left_out()), (Some((0.0, 100.0)), LeftOut::default()));
    // A few values have no first steps that are left out.
    let few = by_length(&steps(&[9.0, 1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]));
    assert_eq!(few.traces.scale.range, Some((0.0, 10.0)));
}

#[test]
fn rare_values_above_a_level_count_in_the_average() {
    let rare = |at: u32| if at.is_multiple_of(20) { 1.0 } else { 0.0 };
    let view = by_length(&steps(&(0..600).map(rare).collect::<Vec<_>>()));
    let average = view.traces.smooth.as_ref().unwrap().2[0][310];
    assert!((0.03..0.07).contains(&average), "{average}");
}

#[test]
fn one_spike_in_a_million_is_drawn() {
    let mut points: Vec<(f64, f64)> = (0..1_000_000).map(|step| (f64::from(step), 1.0)).collect();
    for at in [0, 1, 123_456, 777_777, 999_999] {
        points[at].1 = 9.0;
        for look in 0..LOOKS {
            let series = [Series { look, ..series(&points) }];
            let chart = Chart { version: (at * LOOKS + look) as u64, ..chart(&series) };
            let mut view = View::default();
            drawn(&chart, &mut view, 80, 20);
            let lens = lens(&chart, &view, 18).unwrap();
            let column = lens.column(points[at].0).round() as usize;
            let (top, bottom) = (lens.row(9.0).round() as usize, lens.row(1.0).round() as usize);
            assert!(view.traces.lines[0].raw.is_set(column, top), "{at} {look}: its top");
            assert!(view.traces.lines[0].raw.is_set(column, bottom) || look > 0, "{at} {look}: what is beside it");
            let tops = (0..lens.dots.0).filter(|column| view.traces.lines[0].raw.is_set(*column, top)).count();
            assert!(tops <= 3, "{tops} columns reach the top");
        }
        points[at].1 = 1.0;
    }
}

#[test]
fn what_was_worked_out_is_kept_while_nothing_changes() {
    let (one, other) = (steps(&[1.0, 2.0, 3.0]), steps(&[3.0, 2.0, 1.0]));
    let (one, other) = ([series(&one)], [series(&other)]);
    let mut view = View::default();
    let first = text(&drawn(&chart(&one), &mut view, 40, 9));
    assert_eq!(text(&drawn(&chart(&other), &mut view, 40, 9)), first, "the same version, the same dots");
    let next = Chart { version: 2, ..chart(&other) };
    assert_ne!(text(&drawn(&next, &mut view, 40, 9)), first);
    assert_eq!(text(&drawn(&Chart { version: 3, ..chart(&one) }, &mut view, 40, 9)), first);
    // Another size, another axis, another part.
    for change in [Chart { log: true, version: 3, ..chart(&one) }, Chart { version: 3, ..chart(&one) }] {
        let fresh = text(&drawn(&change, &mut View::default(), 30, 7));
        assert_eq!(text(&drawn(&change, &mut view, 30, 7)), fresh);
    }
}

#[test]
fn the_picture_does_not_depend_on_the_frames_before() {
    let points: Vec<(f64, f64)> = (0..200).map(|step| (f64::from(step), 1.25 + f64::from(step % 7) / 8.0)).collect();
    let wanted = [series(&points)];
    let fresh = text(&drawn(&chart(&wanted), &mut View::default(), 40, 9));
    for factor in [1.0, 10.0, 100.0, 1_000.0, 10_000.0] {
        let scaled: Vec<(f64, f64)> = points.iter().map(|(step, value)| (*step, value * factor)).collect();
        let before = [series(&scaled)];
        let mut view = View::default();
        for version in 2..4 {
            drawn(&Chart { version, ..chart(&before) }, &mut view, 40, 9);
            assert_eq!(text(&drawn(&chart(&wanted), &mut view, 40, 9)), fresh, "after values {factor} times as large");
        }
        // With the curves gone and back.
        drawn(&chart(&[]), &mut view, 40, 9);
        assert_eq!(text(&drawn(&chart(&wanted), &mut view, 40, 9)), fresh);
    }
}

#[test]
fn the_cursor_goes_by_columns_by_values_and_to_the_ends() {
    let points: Vec<(f64, f64)> = (1..=1000).map(|step| (f64::from(step), f64::from(step % 13))).collect();
    let sparse = [(10.0, 1.0), (500.5, 2.0)];
    let series = [series(&points), series(&sparse)];
    let chart = chart(&series);
    let mut view = View::default();
    drawn(&chart, &mut view, 60, 12);
    chart.go(&mut view, -1);
    assert_eq!(view.cursor(), Some(1000.0), "first where the curves end");
    chart.step(&mut view, -1);
    assert_eq!(view.cursor(), Some(999.0));
    chart.go(&mut view, -1);
    let column = 1000.0 / f64::from(view.columns - 1);
    assert!((view.cursor().unwrap() - (999.0 - column)).abs() <= 1.0);
    chart.edge(&mut view, false);
    assert_eq!(view.cursor(), Some(1.0));
    chart.go(&mut view, -1);
    chart.step(&mut view, -1);
    assert_eq!(view.cursor(), Some(1.0));
    view.set_cursor(Some(500.0));
    chart.step(&mut view, 1);
    assert_eq!(view.cursor(), Some(500.5), "values of any curve");
    assert_eq!(chart.at_cursor(&view), [Some((500.0, 6.0)), Some((500.5, 2.0))]);
    // When zoomed, the visible part follows.
    chart.zoom(&mut view, 4);
    let (low, high) = view.window().unwrap();
    assert!((high - low - 1000.0 / 16.0).abs() < 1e-6 && (low..=high).contains(&500.5));
    chart.edge(&mut view, true);
    assert_eq!(view.window().map(|(_, high)| high), Some(1000.0));
    chart.pan(&mut view, -2);
    assert!((view.window().unwrap().1 - (1000.0 - 1000.0 / 32.0)).abs() < 1e-6);
    chart.zoom(&mut view, -9);
    assert_eq!(view.window(), None);
    for _ in 0..200 {
        chart.zoom(&mut view, 1);
    }
    drawn(&chart, &mut view, 60, 12);
    assert!(view.window().unwrap().0 < view.window().unwrap().1);
}

#[test]
fn numbers_are_readable() {
    let all = [exact(0.7012), exact(1240.0), exact(1e-12), exact(-1_234_567.5), exact(f64::NAN), exact(1e300)];
    assert_eq!(all, ["0.7012", "1,240", "1e-12", "-1,234,567.5", "NaN", "1e300"]);
    assert_eq!(
        [tick(0.4, 0.4, 3.0), tick(1240.0, 0.0, 1240.0), tick(0.0012, 0.001, 0.002)],
        ["0.4", "1,240", "0.00120"]
    );
    assert_eq!([tick(0.0, 0.0, 1e12), tick(5e11, 0.0, 1e12), tick(1e12, 0.0, 1e12)], ["0e0", "5.00e11", "1.00e12"]);
}

#[test]
fn nothing_is_drawn_outside_and_no_size_is_too_small() {
    let points = steps(&[1.0, 5.0, f64::NAN, 2.0, 1e9]);
    let series = [series(&points)];
    for (width, height) in (0..24).flat_map(|width| (0..12).map(move |height| (width, height))) {
        let mut view = View::default();
        view.set_cursor(Some(2.0));
        let mut buf = Buffer::filled(Rect::new(0, 0, 40, 20), ratatui::buffer::Cell::new("x"));
        let area = Rect::new(3, 2, width, height);
        chart(&series).render(&mut view, area, &mut buf, &mono());
        for position in buf.area.positions().filter(|position| !area.contains(*position)) {
            assert_eq!(buf[position].symbol(), "x", "{area} {position}");
        }
    }
}

/// Generates points of any values at ascending steps, some of them equal.
fn points() -> impl Strategy<Value = Vec<(f64, f64)>> {
    let value = prop_oneof![
        8 => -10.0..10.0,
        1 => prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(1e12), Just(-1e-12), Just(1e-12)]
    ];
    let step = prop_oneof![6 => 0.0..2.0, 1 => 0.0..200.0];
    prop::collection::vec((step, value), 0..300).prop_map(|pairs| {
        let mut at = 0.0;
        let point = |(step, value): (f64, f64)| {
            at += step;
            (at, value)
        };
        pairs.into_iter().map(point).collect()
    })
}

proptest! {
    #[test]
    fn each_column_has_its_least_and_its_largest_value(
        points in points(), width in 8_u16..70, height in 4_u16..24, log in any::<bool>(), zoom in 0_i8..4
    ) {
        let series = [series(&points)];
        let chart = Chart { log, ..chart(&series) };
        let mut view = View::default();
        drawn(&chart, &mut view, width, height);
        view.set_cursor(points.get(points.len() / 2).map(|point| point.0));
        chart.zoom(&mut view, zoom);
        drawn(&chart, &mut view, width, height);
        let rows = if width >= 12 { height - 2 } else { height };
        let Some(lens) = lens(&chart, &view, rows) else { return Ok(()) };
        let raw = &view.traces.lines[0].raw;
        let shows = |point: &&(f64, f64)| point.0 >= lens.window.0 && point.0 <= lens.window.1;
        let mut columns: std::collections::BTreeMap<usize, (f64, f64)> = std::collections::BTreeMap::new();
        for (step, value) in points.iter().filter(shows).filter(|(_, value)| value.is_finite() && (!log || *value > 0.0)) {
            let reach = columns.entry(lens.column(*step).round() as usize).or_insert((*value, *value));
            *reach = (reach.0.min(*value), reach.1.max(*value));
        }
        for (column, (low, high)) in &columns {
            prop_assert!(raw.is_set(*column, lens.row(*low).round() as usize), "{} {}", column, low);
            prop_assert!(raw.is_set(*column, lens.row(*high).round() as usize), "{} {}", column, high);
        }
        // Nothing is drawn between two gaps: columns that no line crosses are empty.
        let mut crossed = vec![false; lens.dots.0];
        for run in points.split(|(_, value)| !value.is_finite() || (log && *value <= 0.0)) {
            if let (Some(first), Some(last)) = (run.first(), run.last()) {
                let (from, to) = (lens.column(first.0).round(), lens.column(last.0).round());
                for (column, crossed) in crossed.iter_mut().enumerate() {
                    *crossed |= column as f64 >= from && column as f64 <= to;
                }
            }
        }
        for (column, crossed) in crossed.iter().enumerate().filter(|(_, crossed)| !**crossed) {
            prop_assert_eq!(raw.reach(column), None, "{} {}", column, crossed);
        }
    }

    #[test]
    fn a_dashed_line_hides_nothing(points in points(), look in 1..LOOKS) {
        let whole = [series(&points)];
        let dashed = [Series { look, ..whole[0] }];
        let (mut one, mut other) = (View::default(), View::default());
        drawn(&chart(&whole), &mut one, 60, 16);
        drawn(&chart(&dashed), &mut other, 60, 16);
        let (Some(one), Some(other)) = (one.traces.lines.first(), other.traces.lines.first()) else { return Ok(()) };
        let columns = one.raw.dots().0;
        for column in 0..columns {
            let (Some(was), None) = (one.raw.reach(column), other.raw.reach(column)) else {
                prop_assert_eq!(one.raw.reach(column), other.raw.reach(column));
                continue;
            };
            // What is left out lies, up to a dot, between what is drawn near it on both sides.
            let near = |columns: std::ops::Range<usize>| {
                columns.filter_map(|column| other.raw.reach(column)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap()
            };
            let left = near(column.saturating_sub(4)..column);
            let right = near(column + 1..(column + 5).min(columns));
            prop_assert!(was.0 + 1 >= left.0.min(right.0) && was.1 <= left.1.max(right.1) + 1);
        }
    }

    #[test]
    fn the_cursor_stands_on_values_and_says_them_exactly(
        points in points(), moves in prop::collection::vec((any::<bool>(), -9_i16..9), 1..20)
    ) {
        let series = [series(&points)];
        let chart = chart(&series);
        let mut view = View::default();
        drawn(&chart, &mut view, 50, 10);
        for (by_columns, count) in moves {
            if by_columns { chart.go(&mut view, count) } else { chart.step(&mut view, count) }
            let Some(step) = view.cursor() else {
                prop_assert!(points.is_empty() || count == 0);
                continue;
            };
            let said = chart.at_cursor(&view)[0].map(|(step, value)| (step.to_bits(), value.to_bits()));
            let is = points.iter().rev().find(|point| point.0.total_cmp(&step).is_eq()).map(|(step, value)| (step.to_bits(), value.to_bits()));
            prop_assert!(is.is_some());
            prop_assert_eq!(said, is);
        }
        // Value by value to the end: every step once.
        chart.edge(&mut view, false);
        let mut seen: Vec<f64> = view.cursor().into_iter().collect();
        while seen.last() != points.last().map(|point| &point.0) {
            chart.step(&mut view, 1);
            seen.extend(view.cursor());
        }
        let mut all: Vec<f64> = points.iter().map(|point| point.0).collect();
        all.dedup();
        prop_assert_eq!(seen, all);
    }
}

#[test]
fn few_points_among_many_are_joined() {
    let many: Vec<(f64, f64)> = (1..=1000).map(|step| (f64::from(step), 3.0)).collect();
    let few: Vec<(f64, f64)> = [(100.0, 2.0), (500.0, 1.0), (900.0, 1.5)].to_vec();
    for look in 0..LOOKS {
        let both = [series(&many), Series { letter: Some('B'), look, ..series(&few) }];
        let mut view = View::default();
        drawn(&chart(&both), &mut view, 60, 14);
        let line = &view.traces.lines[1].raw;
        let drawn = (0..line.dots().0).filter(|column| line.reach(*column).is_some()).count();
        assert!(drawn * 10 >= line.dots().0 * 2, "look {look}: {drawn} of {} columns", line.dots().0);
    }
}
