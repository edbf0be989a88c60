//! What a key and its frame cost on six curves of 100,000 points each, drawn at 85 columns and 28 rows.
#![allow(missing_docs)]

use benchtop::ui::chart::{Chart, Series, View};
use benchtop::ui::theme::{Depth, Kind, Theme};
use divan::Bencher;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Rect;

const CURVES: usize = 6;
const POINTS: u32 = 100_000;

fn main() {
    divan::main();
}

/// Losses that fall and are as noisy as losses are.
fn curve(at: usize) -> Vec<(f64, f64)> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64 + at as u64;
    let point = |step: u32| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let noise = (state >> 40) as f64 / f64::from(1 << 24);
        let part = f64::from(step) / f64::from(POINTS);
        (f64::from(step), (0.4 + at as f64 * 0.1) + 2.6 * (-part * 5.0).exp() + 0.4 * noise)
    };
    (1..=POINTS).map(point).collect()
}

/// Curves on a screen.
struct Shown {
    curves: Vec<Vec<(f64, f64)>>,
    view: View,
    version: u64,
    log: bool,
    smoothing: f64,
    terminal: Terminal<TestBackend>,
    theme: Theme,
}

impl Shown {
    fn new(kind: &str) -> Self {
        let (log, smoothing) = match kind {
            "log" => (true, 0.0),
            "smooth" => (false, 0.6),
            _ => (false, 0.0),
        };
        let mut shown = Self {
            curves: (0..CURVES).map(curve).collect(),
            view: View::default(),
            version: 1,
            log,
            smoothing,
            terminal: Terminal::new(TestBackend::new(85, 28)).expect("it is in memory"),
            theme: Theme::of(Kind::Dark, Depth::True),
        };
        shown.key(|_, _| ());
        shown
    }

    /// What a key does, and the frame.
    fn key(&mut self, act: impl FnOnce(&Chart, &mut View)) {
        let Self { curves, view, version, log, smoothing, terminal, theme } = self;
        let series: Vec<Series> = curves
            .iter()
            .enumerate()
            .map(|(at, points)| Series {
                letter: Some(char::from(b'A' + at as u8)),
                look: at,
                points,
                confirmed: points.len(),
            })
            .collect();
        let chart = Chart { series: &series, version: *version, log: *log, smoothing: *smoothing, braille: true };
        act(&chart, view);
        let area = Rect::new(0, 0, 85, 28);
        terminal
            .draw(|frame| {
                chart.render(view, area, frame.buffer_mut(), theme);
            })
            .expect("it is in memory");
    }
}

const KINDS: [&str; 3] = ["plain", "log", "smooth"];

/// A frame in which nothing has changed.
#[divan::bench(args = KINDS, sample_count = 200)]
fn frame(bencher: Bencher<'_, '_>, kind: &str) {
    let mut shown = Shown::new(kind);
    bencher.bench_local(|| shown.key(|_, _| ()));
}

/// The cursor a column to the left.
#[divan::bench(args = KINDS, sample_count = 200)]
fn cursor(bencher: Bencher<'_, '_>, kind: &str) {
    let mut shown = Shown::new(kind);
    bencher.bench_local(|| shown.key(|chart, view| chart.go(view, -1)));
}

/// From all steps to half of them, and back: both keys with their frames.
#[divan::bench(args = KINDS, sample_count = 100, sample_size = 1)]
fn zoom_and_back(bencher: Bencher<'_, '_>, kind: &str) {
    let mut shown = Shown::new(kind);
    bencher.bench_local(|| {
        shown.key(|chart, view| chart.zoom(view, 1));
        shown.key(|chart, view| chart.zoom(view, -1));
    });
}

/// A point more: all is worked out anew.
#[divan::bench(args = KINDS, sample_count = 100, sample_size = 1)]
fn a_point_more(bencher: Bencher<'_, '_>, kind: &str) {
    let mut shown = Shown::new(kind);
    bencher.bench_local(|| {
        shown.version += 1;
        let step = shown.curves[0].len() as f64 + 1.0;
        shown.curves[0].push((step, 0.5));
        shown.key(|_, _| ());
    });
}
