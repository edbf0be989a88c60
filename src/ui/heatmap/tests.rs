//! The heat map on the screen.

use std::cell::RefCell;

use super::*;
use crate::ui::theme::Depth;
use crate::ui::wrap;

const TEXTS: [&str; 8] = [
    "refund within 30 days",
    "money back guarantee",
    "return unused shoes",
    "shipping costs",
    "delivery takes 5 days",
    "change my password",
    "reset login",
    "日本語: 返金について",
];

const COSINES: [[u8; 8]; 8] = [
    [100, 87, 82, 52, 47, 17, 16, 83],
    [87, 100, 79, 54, 51, 15, 15, 74],
    [82, 79, 100, 66, 59, 31, 31, 81],
    [52, 54, 66, 100, 86, 51, 55, 51],
    [47, 51, 59, 86, 100, 45, 50, 44],
    [17, 15, 31, 51, 45, 100, 87, 24],
    [16, 15, 31, 55, 50, 87, 100, 22],
    [83, 74, 81, 51, 44, 24, 22, 100],
];

fn cosine(row: usize, column: usize) -> HeatCell {
    HeatCell::Known(f64::from(COSINES[row][column]) / 100.0)
}

fn text(row: usize) -> String {
    TEXTS[row].to_owned()
}

fn map<F: Fn(usize, usize) -> HeatCell>(size: usize, cell: F) -> Heatmap<'static, F> {
    Heatmap { size, cell, version: 0, name: &letter, text: None, scale: Scale::Fixed, focus: true }
}

fn paint<F: Fn(usize, usize) -> HeatCell>(
    map: &Heatmap<F>,
    view: &mut HeatmapView,
    size: (u16, u16),
    theme: &Theme,
) -> Buffer {
    let area = Rect::new(0, 0, size.0, size.1);
    let mut buf = Buffer::empty(area);
    map.arrange(view, area, theme);
    map.render(view, area, &mut buf, theme);
    buf
}

/// Returns the symbols of the screen, without blanks at the ends of lines.
fn shown(buf: &Buffer) -> String {
    let line = |row: &[ratatui::buffer::Cell]| {
        let (mut out, mut skip) = (String::new(), 0);
        for cell in row {
            if skip == 0 {
                out += cell.symbol();
                skip = wrap::width(cell.symbol()).max(1);
            }
            skip -= 1;
        }
        out.trim_end().to_owned()
    };
    let rows = buf.content().chunks(usize::from(buf.area.width));
    rows.map(line).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

fn dark() -> Theme {
    Theme::of(Kind::Dark, Depth::True)
}

fn mono() -> Theme {
    Theme::of(Kind::Mono, Depth::None)
}

#[test]
fn the_wide_one_looks_as_drawn() {
    let mut view = HeatmapView { column: 1, ..HeatmapView::default() };
    let buf = paint(&map(8, cosine), &mut view, (48, 16), &dark());
    let drawn = "      A    B    C    D    E    F    G    H
 A  1.00▐ .87  .82  .52  .47  .17  .16  .83

 B   .87 1.00  .79  .54  .51  .15  .15  .74

 C   .82  .79 1.00  .66  .59  .31  .31  .81

 D   .52  .54  .66 1.00  .86  .51  .55  .51

 E   .47  .51  .59  .86 1.00  .45  .50  .44

 F   .17  .15  .31  .51  .45 1.00  .87  .24

 G   .16  .15  .31  .55  .50  .87 1.00  .22

 H   .83  .74  .81  .51  .44  .24  .22 1.00";
    assert_eq!(shown(&buf), drawn);
    let theme = dark();
    assert_eq!(Some(buf[(4, 1)].bg), theme.heat(1.0).bg);
    assert_eq!(Some(buf[(10, 2)].bg), theme.heat(0.87).bg, "the line below carries the colour on");
    assert_eq!(Some(buf[(10, 1)].fg), theme.heat(0.87).fg, "with ink that can be read on it");
}

#[test]
fn the_one_with_texts_looks_as_drawn() {
    let mut view = HeatmapView { column: 1, ..HeatmapView::default() };
    let map = Heatmap { text: Some(&text), ..map(8, cosine) };
    let drawn = "                               A     B     C     D     E     F     G     H
▌A refund within 30 days     1.00 ▐ .87   .82   .52   .47   .17   .16   .83
 B money back guarantee       .87  1.00   .79   .54   .51   .15   .15   .74
 C return unused shoes        .82   .79  1.00   .66   .59   .31   .31   .81
 D shipping costs             .52   .54   .66  1.00   .86   .51   .55   .51
 E delivery takes 5 days      .47   .51   .59   .86  1.00   .45   .50   .44
 F change my password         .17   .15   .31   .51   .45  1.00   .87   .24
 G reset login                .16   .15   .31   .55   .50   .87  1.00   .22
 H 日本語: 返金について       .83   .74   .81   .51   .44   .24   .22  1.00";
    assert_eq!(shown(&paint(&map, &mut view, (80, 9), &dark())), drawn);
}

#[test]
fn without_colours_shades_tell_the_quarters() {
    let mut view = HeatmapView { column: 1, ..HeatmapView::default() };
    let shown = shown(&paint(&map(8, cosine), &mut view, (48, 16), &mono()));
    let drawn = "      A    B    C    D    E    F    G    H
 A █1.00▐ .87█ .82▓ .52▒ .47░ .17░ .16█ .83
   ███████████████▓▓▓▓▓▒▒▒▒▒░░░░░░░░░░█████
 B █ .87█1.00█ .79▓ .54▓ .51░ .15░ .15▓ .74";
    assert!(shown.starts_with(drawn), "{shown}");
}

#[test]
fn what_is_not_there_is_said() {
    let cell = |row, column| match (row, column) {
        (0, 0) => HeatCell::Missing,
        (0, 1) => HeatCell::Waiting,
        (1, 0) => HeatCell::Known(f64::NAN),
        _ => HeatCell::Known(-0.12),
    };
    for theme in [dark(), mono()] {
        let shown = shown(&paint(&map(2, cell), &mut HeatmapView::default(), (20, 3), &theme));
        assert_eq!(shown, "      A    B\n A ▐   —    ·\n B     — −.12");
    }
}

#[test]
fn where_there_is_no_room_a_window_follows_the_cursor() {
    let asked = RefCell::new(Vec::new());
    let cell = |row, column| {
        asked.borrow_mut().push((row, column));
        HeatCell::Known(0.5)
    };
    let map = map(20, cell);
    let mut view = HeatmapView::default();
    view.move_by(19, 19, 20);
    let shown = shown(&paint(&map, &mut view, (30, 6), &dark()));
    let rows: Vec<&str> = shown.lines().collect();
    assert_eq!(rows[0], "  ‹   P    Q    R    S    T");
    assert_eq!(rows[5], " T   .50  .50  .50  .50▐ .50");
    assert_eq!(asked.borrow().len(), 25, "only what shows is asked for");
    assert_eq!(view.pages(-1, 0, 20), ());
    assert_eq!((view.row, view.column), (15, 19));
    let words: String = map.legend(&view, &dark()).spans.iter().map(|span| span.content.as_ref()).collect();
    assert!(words.contains("rows 16–20, columns 16–20 of 20"), "{words}");
}

#[test]
fn the_dense_one_draws_two_rows_a_line() {
    let cell = |row, column| HeatCell::Known(if row == column { 1.0 } else { 0.0 });
    let theme = dark();
    let mut view = HeatmapView { row: 3, column: 5, ..HeatmapView::default() };
    let map = map(21, cell);
    let buf = paint(&map, &mut view, (40, 20), &theme);
    let rows: Vec<String> = shown(&buf).lines().map(str::to_owned).collect();
    assert_eq!(rows[0], "      ▾", "the cursor's column");
    assert_eq!(rows[1], format!(" {}", "▀".repeat(21)));
    assert_eq!(rows[2], format!("▄{}", "▀".repeat(21)), "the cursor's row is the lower half of its line");
    assert_eq!(rows.len(), 1 + 11);
    let (high, low) = (theme.heat(1.0).bg, theme.heat(0.0).bg);
    assert_eq!((Some(buf[(1, 1)].fg), Some(buf[(1, 1)].bg)), (high, low), "row 0 is like itself, row 1 not like it");
    assert_eq!((Some(buf[(2, 1)].fg), Some(buf[(2, 1)].bg)), (low, high));
    assert_eq!(Some(buf[(21, 11)].fg), high, "the last line has one row");
    assert_eq!(buf[(21, 11)].bg, ratatui::style::Color::Reset);
    assert_eq!(height(21, &theme), 12);
    assert_eq!(shown(&paint(&map, &mut view, (40, 30), &mono())).lines().nth(4), Some("▐   █"), "a row a line");
}

#[test]
fn of_two_thousand_rows_a_window_or_the_highest_of_each_block_shows() {
    let asked = RefCell::new(0_usize);
    let cell = |row: usize, column: usize| {
        *asked.borrow_mut() += 1;
        let hot = (row, column) == (1_234, 77);
        HeatCell::Known(if row == column { 1.0 } else { f64::from(u8::from(hot)) * 0.9 })
    };
    let map = map(2_000, cell);
    let theme = dark();
    let words = |view: &HeatmapView| -> String {
        map.legend(view, &theme).spans.iter().map(|span| span.content.as_ref()).collect::<String>()
    };
    let mut view = HeatmapView { row: 1_999, ..HeatmapView::default() };
    paint(&map, &mut view, (41, 21), &theme);
    assert_eq!(asked.take(), 40 * 40, "only what shows is asked for");
    assert!(words(&view).ends_with(" 1   rows 1,961–2,000, columns 1–40 of 2,000"), "{}", words(&view));
    view.whole = true;
    view.row = 1_210;
    let buf = paint(&map, &mut view, (41, 21), &theme);
    assert_eq!(asked.take(), 2_000 * 1_999);
    assert!(words(&view).ends_with("all 2,000: highest of 50 × 50"), "{}", words(&view));
    assert_eq!(Some(buf[(2, 13)].fg), theme.heat(0.9).bg, "one of 2,500 cells shows");
    assert_eq!(Some(buf[(1, 1)].fg), theme.heat(0.0).bg, "and the diagonal does not");
    paint(&map, &mut view, (41, 21), &theme);
    assert_eq!(asked.take(), 0, "it is kept");
    view.move_by(0, 1, 2_000);
    assert_eq!((view.row, view.column), (1_210, 50), "it goes by blocks");
    let newer = Heatmap { version: 1, ..map };
    paint(&newer, &mut view, (41, 21), &theme);
    assert_eq!(asked.take(), 2_000 * 1_999, "until a cell changes");
}

#[test]
fn a_stretched_scale_says_so() {
    let map = Heatmap { scale: Scale::Span(0.4, 0.9), ..map(8, cosine) };
    let words: String =
        map.legend(&HeatmapView::default(), &mono()).spans.iter().map(|span| span.content.as_ref()).collect();
    assert_eq!(words, ".40 ░░▒▒▓▓██ .90   stretched, least to most");
    let shares = |map: &Heatmap<_>| [0.4, 0.65, 2.0].map(|number| (map.share(number) * 100.0).round() as u32);
    assert_eq!(shares(&map), [0, 50, 100]);
    assert_eq!(shares(&Heatmap { scale: Scale::Span(0.4, 0.4), ..map }), [100; 3], "all the same");
}

#[test]
fn no_size_breaks_it() {
    for theme in [dark(), mono()] {
        for size in [0, 1, 2, 20, 21, 300] {
            for width in 1..40 {
                for height in 1..12 {
                    for whole in [false, true] {
                        let mut view = HeatmapView { row: 400, column: 400, whole, ..HeatmapView::default() };
                        let map = Heatmap { text: Some(&letter), ..map(size, |_, _| HeatCell::Known(0.4)) };
                        paint(&map, &mut view, (width, height), &theme);
                        map.legend(&view, &theme);
                    }
                }
            }
        }
    }
}

#[test]
fn numbers_take_four_columns() {
    let looks = [1.0, 0.87, 0.004, -0.12, -1.0, 0.999, 12.3, 1e9, f64::NAN].map(number);
    assert_eq!(looks, ["1.00", " .87", " .00", "−.12", "−1.0", "1.00", "  12", " 1e9", "   —"]);
    assert_eq!([letter(0), letter(25), letter(26), letter(701)], ["A", "Z", "AA", "ZZ"]);
}
