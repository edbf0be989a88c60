//! The tab in a theme with surfaces: panes without lines between them, nothing at the edges, nothing cut.

use benchtop::component::Session;

use crate::desk::{Desk, Disk, Embed};
use crate::kit::{Setup, Tab};
use crate::pictures::done;

/// Chooses the dark theme.
fn dark(mut desk: Desk) -> Desk {
    desk.press("^ptheme: dark\n");
    desk.settle();
    desk
}

#[test]
fn panes_stand_on_surfaces_without_lines_and_keep_off_the_edges() {
    for size in [(120, 36), (200, 60), (80, 24), (40, 12)] {
        let mut desk = dark(done((120, 36)));
        desk.size = size;
        for page in ["", "m", "P", "c", "H", "s", "i"] {
            desk.press(page);
            desk.settle();
            let lines = desk.lines();
            let body = &lines[1..lines.len() - 1];
            for mark in ['│', '┬', '━', '▸'] {
                assert!(!body.iter().any(|line| line.contains(mark)), "{page} {size:?} {mark}: {}", desk.screen());
            }
            // The last column stays empty.
            let wide = |line: &&String| line.chars().count() >= usize::from(size.0);
            assert_eq!(body.iter().find(wide), None, "{page} {size:?}: {}", desk.screen());
            desk.press("\u{1b}");
        }
    }
}

#[test]
fn the_parts_of_the_design_are_there() {
    let mut desk = dark(done((120, 36)));
    for words in [
        "Texts",
        "saved ✓",
        "● A refund within 30 days",
        "NEAREST TO A",
        "0.87  B money back guarantee",
        "LABELS",
        "● refunds                  4",
        "Cosine similarity",
        "in list order",
        "dot 0.87",
        "distance 0.51",
        "6 pairs above 0.80. The closest is F × G with",
        "✓ 8 texts embedded  40 tok",
        "PCA 76%   + wider",
        "Distances on a map mislead; the",
    ] {
        desk.shows(words);
    }
    desk.press("o");
    desk.shows("ordered by cluster");
}

#[test]
fn an_empty_tab_says_what_it_is_for_and_how_to_begin_at_any_size() {
    for size in [(120, 36), (80, 24), (40, 10)] {
        let mut desk = Desk::new();
        for surfaces in [false, true] {
            if surfaces {
                desk.press("^ptheme: dark\n");
            }
            desk.size = size;
            let screen = desk.screen();
            let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
            for said in ["⏎ load the sample texts", "a add a text", "f open a file of texts"] {
                assert!(words.contains(said), "{said} {size:?}: {screen}");
            }
            assert!(words.contains("Embed turns texts into vectors and"), "{size:?}: {screen}");
            assert!(!screen.contains('…'), "{size:?}: {screen}");
            let at = screen.lines().position(|line| line.contains("Embed turns")).unwrap();
            assert!(at <= usize::from(size.1) / 3, "in the upper third: {size:?} {screen}");
        }
    }
}

#[test]
fn the_local_service_embeds_the_sample_at_once() {
    let mut desk = Desk::new();
    desk.press("\n");
    desk.settle();
    assert!(desk.sent().is_empty(), "what costs money waits for a key");
    desk.shows("● refunds  ");
    let session = Session { local: true, ..Embed::setup().session };
    let mut desk = Desk::start(&Disk::new(), Setup { session, ..Embed::setup() });
    desk.shows("⏎  embed the sample texts");
    desk.press("\n");
    desk.settle();
    assert_eq!(desk.sent().len(), 1);
}
