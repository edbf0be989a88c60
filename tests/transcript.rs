//! The transcript against the screen: nothing leaves its area, nothing jumps, widths are the terminal's.
#![allow(unreachable_pub, missing_docs, clippy::unwrap_used, clippy::expect_used)]

use benchtop::text::Untrusted;
use benchtop::ui::theme::{Depth, Kind, Theme};
use benchtop::ui::transcript::{Entry, FOLD, Transcript};
use proptest::prelude::*;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::text::Line;

const TEXT: &str = "# Title\n\nSome words, **bold** and 日本語の要約 with e\u{301} and 👩‍👩‍👧‍👦 in them.\n\n```rust\nfn main() {}\n```\n\n- a\n- b\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";

/// What acts on a terminal or reorders what it shows, and what stands on the screen for it.
const ODD: &str = "<\u{1b}[2J\u{202e}\u{2066}\u{e0041}\u{2028}\u{9b}m>";
const SHOWN: &str = "<␛[2J⟨U+202E⟩⟨U+2066⟩⟨U+E0041⟩⟨U+2028⟩⟨U+009B⟩m>";

/// Returns whether a character must not be sent to a terminal.
fn acts(c: char) -> bool {
    let hidden = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2028}'..='\u{2029}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}');
    c.is_control() || hidden
}

fn theme() -> Theme {
    Theme::of(Kind::Mono, Depth::Indexed)
}

fn list(count: usize) -> Transcript<usize> {
    let mut list = Transcript::new();
    for id in 0..count {
        list.push(Entry::new(id, Line::from(format!("title {id}")), TEXT));
    }
    list
}

fn draw(list: &mut Transcript<usize>, width: u16, height: u16) -> Vec<String> {
    let area = Rect::new(0, 0, width, height);
    let mut buf = Buffer::empty(area);
    list.arrange(area);
    list.render(&mut buf, &theme(), Some("▍"));
    let row = |y| (0..width).map(|x| buf[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
    (0..height).map(row).collect()
}

#[test]
fn it_follows_until_scrolled_up_and_counts_what_came() {
    let mut list = list(3);
    list.push(Entry::streaming(9, Line::from("reply")));
    draw(&mut list, 60, 12);
    list.scroll(-4);
    assert!(!list.follow());
    let before = draw(&mut list, 60, 12);
    list.get_mut(9).unwrap().append("```\none\ntwo\nthree\n");
    assert_eq!(draw(&mut list, 60, 12), before);
    assert_eq!(list.new_lines(), 4);
    list.bottom();
    assert!(draw(&mut list, 60, 12).iter().any(|row| row.contains("three")));
    assert_eq!((list.new_lines(), list.percent()), (0, 100));
}

#[test]
fn nothing_jumps_when_older_entries_come_or_the_width_changes() {
    let mut list = list(40);
    draw(&mut list, 80, 20);
    list.scroll(-200);
    let before = draw(&mut list, 80, 20);
    list.prepend((100..200).map(|id| Entry::new(id, Line::from("old"), TEXT)).collect());
    assert_eq!(draw(&mut list, 80, 20), before);
    draw(&mut list, 31, 20);
    assert_eq!(draw(&mut list, 80, 20)[1..], before[1..]);
}

#[test]
fn a_huge_message_is_folded_unless_it_was_watched() {
    let text = format!("```\n{}```\n", "line\n".repeat(FOLD + 1_499));
    let mut list = Transcript::new();
    list.push(Entry::streaming(0, Line::from("reply")));
    list.get_mut(0).unwrap().append(text.as_str());
    assert!(!draw(&mut list, 80, 10).iter().any(|row| row.contains("more rows")));
    list.get_mut(0).unwrap().finish();
    assert!(!draw(&mut list, 80, 10).iter().any(|row| row.contains("more rows")), "its end stays in sight");
    let mut list = Transcript::new();
    list.push(Entry::new(0, Line::from("reply"), text));
    assert!(draw(&mut list, 80, 10).iter().any(|row| row.contains("… 1,500 more rows · z shows all")));
    list.get_mut(0).unwrap().toggle();
    assert!(!draw(&mut list, 80, 10).iter().any(|row| row.contains("more rows")));
}

#[test]
fn what_is_out_of_view_keeps_its_text_alone_and_comes_back_as_it_was() {
    let mut list = list(60);
    let pages: Vec<Vec<String>> = (0..8)
        .map(|_| {
            let page = draw(&mut list, 80, 20);
            list.page(-1);
            page
        })
        .collect();
    let awake =
        |list: &Transcript<usize>| list.entries().iter().filter(|entry| !entry.doc().blocks().is_empty()).count();
    draw(&mut list, 80, 20);
    assert!(awake(&list) <= 8, "{}", awake(&list));
    assert!(!list.entries()[59].doc().blocks().is_empty(), "the last one's code may be copied");
    for page in pages.iter().rev() {
        list.page(1);
        assert_eq!(&draw(&mut list, 80, 20), page);
    }
    list.begin_find();
    list.find("nowhere");
    draw(&mut list, 80, 20);
    assert!(awake(&list) <= 8, "what was searched rests again: {}", awake(&list));
}

#[test]
fn a_long_text_is_read_from_any_place_and_keeps_the_lines_in_view_alone() {
    let text: String = (0..200_000).map(|n| format!("line {n:06}\n")).collect::<Vec<_>>().concat();
    for raw in [true, false] {
        let mut list = Transcript::new();
        list.push(Entry::streaming(0, Line::from("reply")));
        for part in text.as_bytes().chunks(100_000) {
            list.get_mut(0).unwrap().append(str::from_utf8(part).unwrap());
            list.get_mut(0).unwrap().doc_mut().set_raw(raw);
            draw(&mut list, 80, 20);
        }
        list.get_mut(0).unwrap().finish();
        assert!(draw(&mut list, 80, 20).iter().any(|row| row.contains("line 199999")));
        list.begin_find();
        list.find("line 150000");
        assert!(list.found().is_some() && draw(&mut list, 80, 20).iter().any(|row| row.contains("line 150000")));
        for _ in 0..40 {
            list.scroll(-7);
            let rows = draw(&mut list, 80, 20);
            let numbers: Vec<usize> =
                rows.iter().filter_map(|row| row.trim().strip_prefix("line ")?.parse().ok()).collect();
            assert!(numbers.len() >= 18 && numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{rows:#?}");
        }
        let doc = list.entries()[0].doc();
        let lines: usize = doc.blocks().iter().filter(|block| block.piece).map(|block| block.lines.len()).sum();
        assert!(lines < 8_000, "{lines}");
        assert_eq!(doc.source().raw(), text);
    }
}

#[test]
fn code_is_selected_hit_found_and_copied() {
    let mut list = list(20);
    draw(&mut list, 80, 10);
    list.top();
    list.select_code(1);
    assert_eq!(list.selected(), Some((0, Some(0))));
    assert_eq!(list.block_text().map(Untrusted::raw), Some("fn main() {}\n"));
    let rows = draw(&mut list, 80, 10);
    let y = rows.iter().position(|row| row.contains("fn main")).unwrap();
    let hit = list.hit((4, y as u16).into()).unwrap();
    assert_eq!((hit.id, hit.code), (0, Some(0)));
    list.find("MAIN");
    assert!(list.find_next(false) && list.find_next(false) && list.find_next(true));
    list.find("nowhere");
    assert!(!list.find_next(false));
}

#[test]
fn columns_are_where_a_terminal_puts_them() {
    for width in [9_u16, 17, 40, 96] {
        let mut list = list(2);
        let area = Rect::new(0, 0, width, 30);
        let mut buf = Buffer::empty(area);
        list.arrange(area);
        list.render(&mut buf, &theme(), None);
        let mut terminal = vt100::Parser::new(30.try_into().unwrap(), width.try_into().unwrap(), 0);
        for y in 0..30 {
            let mut x = 0;
            while x < width {
                let symbol = buf[(x, y)].symbol();
                terminal.process(format!("\x1b[{};{}H{symbol}", y + 1, x + 1).as_bytes());
                x += benchtop::ui::wrap::width(symbol).max(1) as u16;
            }
        }
        let shown: Vec<String> = terminal.screen().rows(0, width).collect();
        for (y, row) in shown.iter().enumerate() {
            // Terminals differ on joined emoji.
            if !row.contains('👩') {
                let mut drawn = String::new();
                let mut x = 0;
                while x < width {
                    let symbol = buf[(x, y as u16)].symbol();
                    drawn.push_str(symbol);
                    x += benchtop::ui::wrap::width(symbol).max(1) as u16;
                }
                assert_eq!(row.trim_end(), drawn.trim_end(), "row {y} of {width}");
            }
        }
    }
}

#[test]
fn text_is_shown_and_does_nothing_wherever_it_stands() {
    for around in
        ["", "# ", "> ", "- ", "1. ", "**", "~~~\n", "```rust\n", "    ", "| a |\n|---|\n| ", "[x](http://", "`"]
    {
        for raw in [false, true] {
            let mut list = Transcript::new();
            list.push(Entry::new(0, Line::from("whole"), format!("{around}{ODD}")));
            list.push(Entry::streaming(1, Line::from("streamed")));
            for c in format!("{around}{ODD}").chars() {
                list.get_mut(1).unwrap().append(c.to_string().as_str());
            }
            for entry in list.entries_mut() {
                entry.doc_mut().set_raw(raw);
            }
            let rows = draw(&mut list, 90, 20);
            assert!(!rows.concat().chars().any(acts), "{around:?}: {rows:?}");
            // A link's address is not shown as it is.
            if raw || !around.ends_with("http://") {
                assert_eq!(rows.iter().filter(|row| row.contains(SHOWN)).count(), 2, "{around:?}: {rows:#?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn whatever_happens_it_draws_inside_its_area(
        steps in proptest::collection::vec((0_u8..15, 1_u16..200, 1_u16..70, -30_isize..30), 1..30)
    ) {
        let mut list = list(5);
        for (next, (what, width, height, by)) in (1000..).zip(steps) {
            match what {
                0 => list.scroll(by),
                1 => list.page(by.signum()),
                2 => list.top(),
                3 => list.bottom(),
                4 => list.select_entry(by.signum()),
                5 => list.select_code(if by < 0 { -1 } else { 1 }),
                6 => list.push(Entry::streaming(next, Line::from("reply"))),
                7 => list.prepend(vec![Entry::new(next, Line::from("old"), TEXT)]),
                8 => if let Some(id) = list.entries().last().map(Entry::id) {
                    list.get_mut(id).unwrap().append(format!("日本 {ODD} ```\n").as_str());
                },
                9 => if let Some(id) = list.entries().last().map(Entry::id) {
                    list.remove_from(id);
                },
                10 => { list.find("a"); list.find_next(by < 0); }
                11 => list.set_follow(by < 0),
                12 => if let Some(id) = list.entries().first().map(Entry::id) {
                    list.get_mut(id).unwrap().doc_mut().set_raw(by < 0);
                },
                13 => if let Some(id) = list.entries().first().map(Entry::id) {
                    list.get_mut(id).unwrap().toggle();
                },
                _ => if let Some(id) = list.entries().last().map(Entry::id) {
                    list.get_mut(id).unwrap().finish();
                },
            }
            let whole = Rect::new(0, 0, width + 4, height + 4);
            let area = Rect::new(2, 2, width, height);
            let mut buf = Buffer::filled(whole, Cell::new("#"));
            list.arrange(area);
            list.render(&mut buf, &theme(), Some("▍"));
            prop_assert!(list.percent() <= 100);
            list.new_lines();
            for at in whole.positions().filter(|at| !area.contains(*at)) {
                prop_assert_eq!(buf[at].symbol(), "#");
            }
            prop_assert!(!whole.positions().any(|at| buf[at].symbol().chars().any(acts)));
        }
    }
}
