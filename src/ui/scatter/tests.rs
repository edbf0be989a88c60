//! The map of points on the screen.

use ratatui::style::Modifier;

use super::*;
use crate::ui::heatmap::letter;
use crate::ui::theme::{Depth, Kind};

fn theme() -> Theme {
    Theme::of(Kind::Mono, Depth::None)
}

fn map(points: &[Option<[f32; 2]>]) -> Scatter<'_> {
    Scatter { points, name: &letter, selected: None, braille: true, focus: true, groups: None, captions: &[] }
}

fn drawn(map: &Scatter, view: &ScatterView, width: u16, height: u16) -> (String, Option<Position>) {
    let area = Rect::new(0, 0, width, height);
    let mut buf = Buffer::empty(area);
    let at = map.render(view, area, &mut buf, &theme());
    let line = |row: &[ratatui::buffer::Cell]| {
        row.iter().map(ratatui::buffer::Cell::symbol).collect::<String>().trim_end().to_owned()
    };
    (buf.content().chunks(usize::from(width)).map(line).collect::<Vec<_>>().join("\n"), at)
}

const EIGHT: [Option<[f32; 2]>; 8] = [
    Some([-0.5, 0.4]),
    Some([-0.4, 0.5]),
    Some([-0.3, 0.1]),
    Some([0.3, 0.05]),
    Some([0.5, 0.1]),
    Some([0.4, -0.5]),
    Some([0.5, -0.4]),
    Some([-0.5, 0.1]),
];

#[test]
fn few_points_have_their_names() {
    let (shown, at) = drawn(&Scatter { selected: Some(0), ..map(&EIGHT) }, &ScatterView::default(), 34, 14);
    let look = "      ● B
    ◆ A

 ·       ·       ·       ·       ·

    ● H  ● C                  ● E
                        ● D
 ·       ·       ·       ·       ·



 ·       ·       ·       ·       ·
                              ● G
                           ● F";
    assert_eq!(shown.trim_end(), look);
    assert_eq!(at, Some(Position::new(4, 1)));
}

#[test]
fn points_in_one_cell_stand_side_by_side_or_are_counted() {
    let mut points = vec![Some([0.0, 0.0]), Some([1.0, 1.0]), Some([0.001, 0.0]), Some([1.0, 0.0])];
    let last = |map: &Scatter| drawn(map, &ScatterView::default(), 24, 8).0.lines().last().unwrap().to_owned();
    assert_eq!(last(&map(&points)), "     ● A C         ● D");
    assert_eq!(last(&Scatter { selected: Some(2), ..map(&points) }), "     ◆ C A         ● D");
    points.extend([Some([0.0, 0.001]); 9]);
    assert_eq!(last(&map(&points)), "     ● 11          ● D");
    assert_eq!(last(&Scatter { selected: Some(2), ..map(&points) }), "     ◆ C +10       ● D");
}

#[test]
fn no_name_stands_over_another() {
    let name = |at: usize| format!("a-name-{at}");
    let points: Vec<_> = (0..50_u8).map(|at| Some([f32::from(at % 10), f32::from(at / 10) * 2.0])).collect();
    let map = Scatter { name: &name, ..map(&points) };
    let (shown, _) = drawn(&map, &ScatterView::default(), 40, 10);
    assert_eq!(shown.matches('●').count(), 50, "{shown}");
    for word in shown.split(['●', '·', ' ', '\n']).filter(|word| !word.is_empty()) {
        assert!(word.starts_with("a-name-"), "{word} in {shown}");
    }
}

#[test]
fn what_has_no_place_is_left_out() {
    let points = [None, Some([f32::NAN, 0.0]), Some([f32::INFINITY, 0.0]), Some([3.0, 4.0])];
    let (shown, _) = drawn(&map(&points), &ScatterView::default(), 9, 3);
    assert_eq!(shown.trim(), "● D", "one point is in the middle");
    assert_eq!(drawn(&map(&points[..3]), &ScatterView::default(), 9, 3).0.trim(), "");
    assert_eq!(map(&points).next(1, 0), Some(3));
}

#[test]
fn many_are_dots_and_zooming_in_names_them() {
    // A square of 100,000 points.
    let points: Vec<_> = (0..100_000_u32).map(|at| Some([(at % 317) as f32, (at / 317) as f32])).collect();
    let mut map = Scatter { selected: Some(50_000), ..map(&points) };
    let name = |at: usize| at.to_string();
    map.name = &name;
    let mut view = ScatterView::default();
    let (shown, at) = drawn(&map, &view, 40, 20);
    assert!(shown.contains("████") && shown.contains("◆ 50000"), "each cell has hundreds: {shown}");
    assert!(at.is_some() && map.is_crowded(&view, Rect::new(0, 0, 40, 20)));
    view.zoom(10);
    map.reveal(&mut view);
    assert_eq!(view.scale(), "58×");
    let (shown, at) = drawn(&map, &view, 40, 20);
    assert!(shown.contains("50000◆") && shown.matches('●').count() > 3, "{shown}");
    let at = at.unwrap();
    assert!((15..25).contains(&at.x) && (7..13).contains(&at.y), "in the middle: {at}");
}

/// Returns points at the corners, and so many more at one place.
fn heap(count: usize, at: [f32; 2]) -> Vec<Option<[f32; 2]>> {
    let corners = [Some([0.0, 0.0]), Some([9.0, 9.0])];
    corners.into_iter().chain(std::iter::repeat_n(Some(at), count)).collect()
}

#[test]
fn how_many_share_a_cell_shows_without_colour() {
    let shown = |points: &[Option<[f32; 2]>], braille| {
        drawn(&Scatter { braille, ..map(points) }, &ScatterView::default(), 40, 12).0
    };
    for (count, look) in [(70, "▓"), (200, "█")] {
        assert!(shown(&heap(count, [3.0, 3.0]), true).contains(look), "{count}");
        assert!(shown(&heap(count, [3.0, 3.0]), false).contains(look), "{count} without braille");
    }
    let line: Vec<_> = (0..100_u8).map(|at| Some([f32::from(at), f32::from(at)])).collect();
    assert!(shown(&line, true).chars().all(|cell| " \n·".contains(cell) || cell > '\u{2800}'), "dots");
    assert!(shown(&line, false).contains('·'));
    assert_eq!(density_key(false, &theme()).to_string(), "⠿ 1–8   ▒ 9+   ▓ 32+   █ 128+ a cell");
    // In groups: a single point, several, many.
    let mut points = heap(80, [3.0, 3.0]);
    points.extend([Some([6.0, 3.0]); 3]);
    let of = |at: usize| Some(usize::from(at == 1));
    let map = Scatter { groups: Some(Groups { of: &of, only: None }), ..map(&points) };
    let area = Rect::new(0, 0, 40, 12);
    let mut buf = Buffer::empty(area);
    map.render(&ScatterView::default(), area, &mut buf, &theme());
    let marks: Vec<_> = buf.content().iter().filter(|cell| !" ·".contains(cell.symbol())).collect();
    let looks = marks.iter().map(|cell| (cell.symbol(), cell.modifier.contains(Modifier::REVERSED)));
    assert_eq!(looks.collect::<Vec<_>>(), [("▪", false), ("●", true), ("●", false), ("•", false)]);
    assert_eq!(density_key(true, &theme()).to_string(), "• 1   ● 2–9   ● 10+ a cell");
}

#[test]
fn names_of_groups_stand_where_nothing_else_does() {
    let captions = [
        Caption { at: [0.0, 0.4], words: "refunds".into() },
        Caption { at: [0.45, -0.45], words: "a name that is longer than any has room".into() },
        Caption { at: [f32::NAN, 0.0], words: "nowhere".into() },
    ];
    let (shown, _) = drawn(&Scatter { captions: &captions, ..map(&EIGHT) }, &ScatterView::default(), 34, 14);
    assert!(shown.contains("refunds") && shown.contains("a name that is long…"), "{shown}");
    assert!(!shown.contains("nowhere"));
    for name in ["● A", "● B", "● C", "● D", "● E", "● F", "● G", "● H"] {
        assert!(shown.contains(name), "{name}: {shown}");
    }
    // Without space it is left out, and no size causes a panic.
    for (width, height) in (1..30).flat_map(|width| (1..8).map(move |height| (width, height))) {
        drawn(&Scatter { captions: &captions, ..map(&EIGHT) }, &ScatterView::default(), width, height);
    }
}

#[test]
fn arrows_go_to_the_next_point_there() {
    let next = |selected, right, up| Scatter { selected: Some(selected), ..map(&EIGHT) }.next(right, up).map(letter);
    let some = |name: &str| Some(name.to_owned());
    assert_eq!(next(0, 0, -1), some("H"));
    assert_eq!(next(7, 1, 0), some("C"));
    assert_eq!(next(2, 1, 0), some("D"));
    assert_eq!(next(3, 0, -1), some("F"), "what is straight ahead goes before what is as far beside it");
    assert_eq!(next(1, 0, 1), None, "nothing is above the highest");
    assert_eq!(map(&EIGHT).next(0, 1), Some(0), "without one the first");
}

#[test]
fn zoom_and_pan_stay_where_there_is_something() {
    let mut view = ScatterView::default();
    assert_eq!(view.scale(), "");
    view.zoom(2);
    assert_eq!(view.scale(), "2.2×");
    for _ in 0..99 {
        view.pan(1, -1);
    }
    let (shown, _) = drawn(&map(&EIGHT), &view, 34, 14);
    assert!(shown.contains("● G") && !shown.contains("● A"), "{shown}");
    assert!(matches!(map(&EIGHT).middle(&view).map(letter).as_deref(), Some("F" | "G")));
    view.zoom(-9);
    assert_eq!(view, ScatterView::default(), "all points again");
    for _ in 0..99 {
        view.zoom(100);
    }
    drawn(&map(&EIGHT), &view, 34, 14);
}

#[test]
fn no_size_breaks_it() {
    let same = [Some([1.0, 1.0]); 70];
    for points in [&EIGHT[..], &same, &[]] {
        for (width, height) in (1..24).flat_map(|width| (1..6).map(move |height| (width, height))) {
            for steps in [0, 3] {
                let mut view = ScatterView::default();
                view.zoom(steps);
                drawn(&Scatter { selected: Some(3), ..map(points) }, &view, width, height);
            }
        }
    }
}

#[test]
fn a_grid_shows_how_far_the_map_is_moved_where_nothing_else_stands() {
    let dots = |map: &Scatter, view: &ScatterView| {
        let (shown, _) = drawn(map, view, 40, 20);
        let row = |(y, line): (usize, &str)| {
            line.chars().enumerate().filter(|(_, cell)| *cell == '·').map(|(x, _)| (x, y)).collect::<Vec<_>>()
        };
        shown.lines().enumerate().flat_map(row).collect::<Vec<_>>()
    };
    let mut view = ScatterView::default();
    let all = dots(&map(&EIGHT), &view);
    assert!(all.contains(&(12, 2)) && all.contains(&(20, 2)) && all.contains(&(12, 6)), "8 columns, 4 rows: {all:?}");
    view.zoom(1);
    let zoomed = dots(&map(&EIGHT), &view);
    assert!(zoomed.len() < all.len(), "{zoomed:?}");
    view.pan(1, 0);
    assert_ne!(dots(&map(&EIGHT), &view), zoomed, "it moves");
    assert!(drawn(&map(&EIGHT), &view, 19, 5).0.find('·').is_none(), "not where there is little room");
    let many: Vec<_> = (0..100_u8).map(|at| Some([f32::from(at), f32::from(at)])).collect();
    let plain = Scatter { braille: false, ..map(&many) };
    assert!(
        dots(&plain, &ScatterView::default()).iter().all(|(x, y)| (36..=42).contains(&(x + 2 * y))),
        "these are points"
    );
}
