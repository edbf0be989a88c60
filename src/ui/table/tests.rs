//! The table on the screen.

use std::cell::RefCell;

use super::*;
use crate::ui::theme::{Depth, Kind};

fn columns() -> Vec<TableColumn> {
    let column = |title: &str, width, align| TableColumn { title: title.to_owned(), width, align };
    vec![
        column("name", Width::Share { weight: 1, least: 12 }, Align::Left),
        column("size", Width::Fixed(7), Align::Right),
        column("purpose", Width::Fixed(9), Align::Left),
        column("status", Width::Share { weight: 2, least: 11 }, Align::Left),
    ]
}

fn row(at: usize) -> TableRow {
    const NAMES: [&str; 3] = ["train-v3.jsonl", "results-of-a-very-long-name-ft-8Qk.csv", "日本語の要約"];
    let style = Style::new();
    let cells = vec![
        TableCell::name(NAMES[at % 3], style),
        TableCell::from(format!("{} MB", at * 77)),
        "fine-tune".into(),
        TableCell::new("✓ processed", Theme::of(Kind::Dark, Depth::True).good),
    ];
    TableRow { cells, marked: at == 2 }
}

fn drawn(view: &mut TableView, len: usize, width: u16, height: u16) -> String {
    let columns = columns();
    let table = Table { columns: &columns, sort: Some((0, SortDirection::Descending)), len, row: &row, focus: true };
    let area = Rect::new(0, 0, width, height);
    let mut buf = Buffer::empty(area);
    view.fit(&columns, len, area);
    table.render(*view, area, &mut buf, &Theme::of(Kind::Mono, Depth::None));
    let rows = buf.content().chunks(usize::from(width.max(1)));
    let line = |row: &[ratatui::buffer::Cell]| {
        let mut out = String::new();
        let mut skip = 0;
        for cell in row {
            if skip == 0 {
                out += cell.symbol();
                skip = wrap::width(cell.symbol()).max(1);
            }
            skip -= 1;
        }
        out.trim_end().to_owned()
    };
    rows.map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn it_looks_as_drawn() {
    let mut view = TableView::default();
    let wide = "   name ▾                 size  purpose    status
 ▌ train-v3.jsonl         0 MB  fine-tune  ✓ processed
   results-of-a-very…    77 MB  fine-tune  ✓ processed
▣  日本語の要約         154 MB  fine-tune  ✓ processed
";
    assert_eq!(drawn(&mut view, 3, 66, 5), wide);
    let narrow = "   name ▾           size  purpose      ›
 ▌ train-v3.js…     0 MB  fine-tune
   results-of-…    77 MB  fine-tune   ↓";
    assert_eq!(drawn(&mut view, 3, 40, 3), narrow);
    view.scroll(7);
    let scrolled = "   name ▾       ‹purpose    status
 ▌ train-v3.js…  fine-tune  ✓ processed
   results-of-…  fine-tune  ✓ processed↓";
    assert_eq!(drawn(&mut view, 3, 40, 3), scrolled);
    assert_eq!(view.left, 1, "no farther than there is something to see");
    let tight = "   name ▾     ‹purpose ›\n ▌ train-v3.…  fine-tune";
    assert_eq!(drawn(&mut view, 3, 24, 2), tight);
}

#[test]
fn no_size_breaks_it() {
    for width in 1..70 {
        for height in 1..4 {
            for left in 0..6 {
                let mut view = TableView { left, ..TableView::default() };
                drawn(&mut view, 100, width, height);
                assert!(view.left <= 3);
            }
        }
    }
}

#[test]
fn only_the_rows_that_show_are_asked_for() {
    let asked = RefCell::new(Vec::new());
    let columns = columns();
    let row = |at| {
        asked.borrow_mut().push(at);
        row(at)
    };
    let table = Table { columns: &columns, sort: None, len: 10_000, row: &row, focus: true };
    let area = Rect::new(3, 2, 60, 11);
    let mut buf = Buffer::empty(Rect::new(0, 0, 80, 24));
    let theme = Theme::of(Kind::Dark, Depth::True);
    let mut view = TableView::default();
    view.end(10_000);
    view.fit(&columns, 10_000, area);
    let cursor = table.render(view, area, &mut buf, &theme);
    assert_eq!(asked.take(), (9_990..10_000).collect::<Vec<_>>());
    assert_eq!(cursor, Some(Position::new(4, 12)), "at the row under the cursor");
    assert_eq!(view.position(10_000), "10,000 of 10,000");
    view.pages(-1, 10_000);
    assert_eq!(view.cursor.selected, 9_990, "a page keeps one row in sight");
    view.home();
    view.move_by(411, 10_000);
    assert_eq!((view.position(10_000), view.position(0)), ("412 of 10,000".to_owned(), String::new()));
    assert_eq!(view.position(3), "3 of 3", "rows that went");
    let still = Table { focus: false, ..table };
    assert_eq!(still.render(view, area, &mut buf, &theme), None);
}

#[test]
fn the_row_under_the_cursor_keeps_the_colours_of_its_cells() {
    let theme = Theme::of(Kind::Dark, Depth::True);
    let columns = columns();
    let table = Table { columns: &columns, sort: None, len: 2, row: &row, focus: true };
    let area = Rect::new(0, 0, 66, 3);
    let mut buf = Buffer::empty(area);
    table.render(TableView::default(), area, &mut buf, &theme);
    let at = (0..66).find(|x| buf[(*x, 1)].symbol() == "✓").unwrap();
    assert_eq!((Some(buf[(at, 1)].fg), Some(buf[(at, 1)].bg)), (theme.good.fg, theme.select.bg));
    assert_eq!(Some(buf[(65, 1)].bg), theme.select.bg, "to the end of the row");
    assert_ne!(Some(buf[(at, 2)].bg), theme.select.bg);
}

#[test]
fn with_surfaces_the_bar_is_the_left_edge_and_the_right_padding_stays_blank() {
    let theme = Theme::of(Kind::Dark, Depth::True);
    let columns = columns();
    let marked = |at| TableRow { marked: at == 1, ..row(at) };
    let table = Table { columns: &columns, sort: None, len: 2, row: &marked, focus: false };
    let area = Rect::new(0, 0, 70, 3);
    let mut buf = Buffer::empty(area);
    let mut view = TableView { right: 2, ..TableView::default() };
    view.fit(&columns, 2, area);
    table.render(view, area, &mut buf, &theme);
    assert_eq!((buf[(0, 1)].symbol(), Some(buf[(0, 1)].fg)), ("▌", theme.faint.fg), "without the focus it is faint");
    assert_eq!((0..2).map(|x| buf[(x, 2)].symbol()).collect::<String>(), " ●");
    assert!((68..70).all(|x| (0..3).all(|y| buf[(x, y)].symbol() == " ")));
    assert_eq!(Some(buf[(69, 1)].bg), theme.select.bg, "the row is lit to the edge of the pane");
}

#[test]
fn a_note_is_faint_and_cut_before_its_text() {
    let theme = Theme::of(Kind::Dark, Depth::True);
    let column = |align| TableColumn { title: String::new(), width: Width::Fixed(9), align };
    let columns = [column(Align::Left), column(Align::Right)];
    let link = TableCell { note: " → somewhere".to_owned(), ..TableCell::name("a.txt", Style::new()) };
    let cells = vec![link, TableCell::measure("115 kB", Style::new())];
    let row = |_| TableRow { cells: cells.clone(), marked: false };
    let area = Rect::new(0, 0, 24, 2);
    let mut buf = Buffer::empty(area);
    let table = Table { columns: &columns, sort: None, len: 1, row: &row, focus: false };
    table.render(TableView::default(), area, &mut buf, &Theme::of(Kind::Mono, Depth::None));
    let line: String = (3..23).map(|x| buf[(x, 1)].symbol()).collect();
    assert_eq!(line, "a.txt → …     115 kB");
    table.render(TableView::default(), area, &mut buf, &theme);
    for (x, faint) in [(3, false), (9, true), (18, false), (21, true)] {
        assert_eq!(Some(buf[(x, 1)].fg) == theme.faint.fg, faint, "at {x}");
    }
}
