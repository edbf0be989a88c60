//! What a key costs in a text of 200,000 characters, drawn at 85 columns and 28 rows.
#![allow(missing_docs)]

use benchtop::ui::buffer::{Buffer, Undecorated};
use benchtop::ui::theme::{Depth, Kind, Theme};
use crossterm::event::{KeyCode, KeyEvent};
use divan::Bencher;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Rect;

const COUNT: usize = 200_000;
/// What texts are, and at the end what none is.
const TEXTS: [&str; 9] = ["line", "lines", "prose", "cjk", "emoji", "families", "flags", "marks", "hidden"];
const PLACES: [&str; 3] = ["begin", "middle", "end"];

fn main() {
    divan::main();
}

/// 200,000 characters (code points), or as many lines.
fn text(kind: &str) -> String {
    let of = |part: &str| part.chars().cycle().take(COUNT).collect();
    match kind {
        "line" => of("Some words of one line that has no end, with a longwinded one now and then. "),
        "lines" => "x\n".repeat(COUNT),
        "cjk" => of("人工知能の研究は、一九五〇年代に始まった。そして今日、機械は文章を書く。"),
        "emoji" => of("😀🚀 a🌍語🎉"),
        "families" => of("👩\u{200d}👩\u{200d}👧🇵🇹👍🏽e\u{301}❤\u{fe0f} "),
        "flags" => of("🇵🇹"),
        "marks" => of("\u{301}"),
        "hidden" => of("\u{202e}"),
        _ => of(
            "A paragraph of prose, some three rows long where the window is as wide as this one, which is what most people write most of the time when they write to a machine. And then another sentence.\n\n",
        ),
    }
}

/// A box on a screen.
struct Shown {
    buffer: Buffer,
    terminal: Terminal<TestBackend>,
    theme: Theme,
}

impl Shown {
    fn new(kind: &str, place: &str) -> Self {
        let mut buffer = Buffer::new();
        buffer.set_text(&text(kind));
        let at = match place {
            "begin" => 0,
            "middle" => buffer.len() / 2,
            _ => buffer.len(),
        };
        buffer.set_caret(at);
        let terminal = Terminal::new(TestBackend::new(85, 28)).expect("it is in memory");
        let mut shown = Self { buffer, terminal, theme: Theme::of(Kind::Dark, Depth::True) };
        shown.draw(85);
        shown
    }

    fn draw(&mut self, width: u16) {
        let Self { buffer, terminal, theme } = self;
        let area = Rect::new(0, 0, width, 28);
        buffer.arrange(area, None);
        terminal.draw(|frame| buffer.render(frame, area, theme, true, &mut Undecorated)).expect("it is in memory");
    }

    fn key(&mut self, code: KeyCode) {
        self.buffer.key(KeyEvent::from(code));
        self.draw(85);
    }
}

fn cases() -> impl Iterator<Item = String> {
    TEXTS.into_iter().flat_map(|kind| PLACES.map(|place| format!("{kind} {place}")))
}

fn case(name: &str) -> Shown {
    let (kind, place) = name.split_once(' ').expect("a kind and a place");
    Shown::new(kind, place)
}

/// A typed character and its frame.
#[divan::bench(args = cases(), sample_count = 40, sample_size = 1)]
fn char(bencher: Bencher<'_, '_>, name: &str) {
    let mut shown = case(name);
    bencher.bench_local(|| shown.key(KeyCode::Char('a')));
}

/// A character taken out and its frame.
#[divan::bench(args = cases(), sample_count = 40, sample_size = 1)]
fn backspace(bencher: Bencher<'_, '_>, name: &str) {
    let mut shown = case(name);
    bencher.bench_local(|| shown.key(KeyCode::Backspace));
}

/// A line break in the middle and its frame.
#[divan::bench(args = TEXTS, sample_count = 20, sample_size = 1)]
fn newline(bencher: Bencher<'_, '_>, kind: &str) {
    bencher.with_inputs(|| Shown::new(kind, "middle")).bench_local_refs(|shown| shown.key(KeyCode::Enter));
}

/// A row up from the end and its frame.
#[divan::bench(args = TEXTS, sample_count = 40, sample_size = 1)]
fn up(bencher: Bencher<'_, '_>, kind: &str) {
    let mut shown = Shown::new(kind, "end");
    bencher.bench_local(|| shown.key(KeyCode::Up));
}

/// The first frame at another width, with the caret at the end.
#[divan::bench(args = TEXTS, sample_count = 20, sample_size = 1)]
fn resize(bencher: Bencher<'_, '_>, kind: &str) {
    bencher.with_inputs(|| Shown::new(kind, "end")).bench_local_refs(|shown| shown.draw(70));
}

/// A token that streams in at the end and its frame.
#[divan::bench(args = TEXTS, sample_count = 40, sample_size = 1)]
fn token(bencher: Bencher<'_, '_>, kind: &str) {
    let mut shown = Shown::new(kind, "end");
    shown.buffer.follow(true);
    bencher.bench_local(|| {
        let end = shown.buffer.len();
        shown.buffer.splice_along(end..end, " token");
        shown.draw(85);
    });
}

/// A frame in which nothing has changed: what the screen itself costs.
#[divan::bench(args = TEXTS, sample_count = 40, sample_size = 1)]
fn frame(bencher: Bencher<'_, '_>, kind: &str) {
    let mut shown = Shown::new(kind, "middle");
    bencher.bench_local(|| shown.draw(85));
}

/// The whole text replaced, with its first frame: undoing over a long way, or opening.
#[divan::bench(args = TEXTS, sample_count = 10, sample_size = 1)]
fn open(bencher: Bencher<'_, '_>, kind: &str) {
    let text = text(kind);
    let mut shown = Shown::new("prose", "begin");
    bencher.bench_local(|| {
        shown.buffer.set_text(&text);
        shown.draw(85);
    });
}
