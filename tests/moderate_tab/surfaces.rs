//! The tab in themes that tell panes apart by their backgrounds.

use benchtop::ui::theme::Kind;

use crate::desk::{Desk, Disk, Moderate};
use crate::kit::{Setup, Tab, dark};
use crate::replies::{FILM, THREAT, offline};

fn with_texts(texts: &[&str]) -> Desk {
    let mut desk = Desk::in_dark();
    desk.texts_are(texts);
    desk
}

#[test]
fn texts_stand_on_cards_with_their_verdicts_and_no_lines() {
    let (mut desk, theme) = (with_texts(&[THREAT, FILM]), dark());
    desk.press("^r");
    desk.serve();
    desk.settle();
    desk.press("h");
    desk.shows("2 texts, 1 model");
    let picture = desk.picture();
    assert!(!picture.contains('│') && !picture.contains('┼') && !picture.contains("Verdict"), "{picture}");
    assert_eq!(Some(desk.cells_of("“I will find")[0].bg), theme.select.bg, "the one under the cursor");
    assert_eq!(Some(desk.cells_of("“That film")[0].bg), theme.panel.bg);
    let verdict = desk.line("✓ clear");
    assert!(verdict.contains("⚑ flagged") && verdict.trim_start().starts_with("▌ A"), "{verdict}");
    // Bars: over the threshold, far below it.
    let bar = desk.cells_of("━┃━").remove(0);
    assert_eq!(Some(bar.fg), theme.bad.fg);
    assert_eq!(Some(desk.cells_of(" 0.00").remove(1).fg), theme.faint.fg);
    for words in ["harassment  threshold 0.50   - + move   0 default", "⚑ flagged by the service"] {
        desk.shows(words);
    }
    desk.press("l");
    assert_eq!(Some(desk.cells_of("“That film")[0].bg), theme.select.bg);
}

#[test]
fn every_size_is_drawn() {
    let mut desk = with_texts(&[THREAT, FILM, THREAT]);
    desk.press("^r");
    desk.serve();
    desk.settle();
    for (width, height) in (20..210).step_by(17).flat_map(|width| (5..60).step_by(3).map(move |height| (width, height)))
    {
        desk.size = (width, height);
        for key in ["", "c", "w", "\u{1b}H", "\u{1b}t", "\u{1b}e", "\u{1b}"] {
            desk.press(key);
            desk.cells();
        }
    }
}

#[test]
fn the_empty_tab_is_explained_at_40_by_10_without_a_cut() {
    for theme in [Kind::Dark, Kind::Mono] {
        let mut desk = Desk::start(&Disk::new(), Setup { theme, ..Moderate::setup() });
        for size in [(40, 10), (40, 12)] {
            desk.size = size;
            let words = ["Check texts for harmful content,", "category by category.", "⏎  load the sample texts"];
            for words in words.into_iter().chain(["a  write your own", "f  open a file of texts"]) {
                desk.shows(words);
            }
            // Of a sample all is shown, or nothing.
            let screen = desk.screen();
            assert_eq!(screen.matches('“').count(), screen.matches('”').count(), "{screen}");
        }
    }
}

#[test]
fn cards_end_before_the_edge_and_values_that_are_none_have_no_row() {
    let (mut desk, theme) = (with_texts(&[THREAT, FILM]), dark());
    for words in ["Latency", "threshold"] {
        desk.hides(words);
    }
    desk.press("^r");
    for (ticket, _) in desk.runs() {
        desk.fail(ticket, offline());
    }
    desk.settle();
    desk.shows("✕ failed");
    desk.hides("Latency");
    desk.press("^r");
    desk.serve();
    desk.settle();
    desk.shows("Latency");
    let frame = desk.cells();
    // The cursor is on the last card.
    let rows = |column: u16| (1..35).filter(|y| Some(frame[(column, *y)].bg) == theme.select.bg).count();
    let beside = [4, 2, 1].map(|from| rows(desk.size.0 - from) > 0);
    assert_eq!(beside, [true, false, false]);
}

#[test]
fn pages_have_a_blank_row_below_their_title() {
    let mut desk = with_texts(&[THREAT, FILM]);
    desk.press("^r");
    desk.serve();
    desk.settle();
    for size in [(120, 36), (80, 24)] {
        desk.size = size;
        for (key, title) in [("H", "over time"), ("w", "Text B")] {
            desk.press(key);
            let screen = desk.screen();
            let rows: Vec<&str> = screen.lines().collect();
            let at = rows.iter().position(|row| row.contains("Text ") && row.contains(title));
            let at = at.unwrap_or_else(|| panic!("no {title}: {screen}"));
            let above = usize::from(size.0 > 100);
            assert_eq!(at, 1 + above, "{screen}");
            let main: String = rows[at + 1].chars().take(60).collect();
            assert!(main.trim().is_empty() && !rows[at + 2].trim().is_empty(), "{screen}");
            desk.press("\u{1b}");
        }
    }
}

#[test]
fn the_legend_leaves_out_whole_what_has_no_room() {
    let entries = [
        "⚑ flagged by the service",
        "▲ over your threshold",
        "┃ your threshold",
        "━ at least half of it",
        "! within 20% of it",
    ];
    for theme in [Kind::Dark, Kind::Mono] {
        let mut desk = Desk::start(&Disk::new(), Setup { theme, size: (80, 36), ..Moderate::setup() });
        desk.texts_are(&[THREAT]);
        desk.check();
        desk.settle();
        desk.press("c");
        for (width, shown) in [(60, 2), (80, 3), (100, 4), (120, 5)] {
            desk.size = (width, 36);
            let line = desk.line(entries[0]);
            assert_eq!(entries.iter().filter(|entry| line.contains(**entry)).count(), shown, "{width}: {line}");
            let rest = entries.iter().fold(line.clone(), |rest, entry| rest.replace(entry, ""));
            assert!(rest.trim().is_empty(), "{width}: {line}");
        }
    }
}

#[test]
fn while_a_text_is_written_the_scores_of_others_are_named_as_such() {
    for theme in [Kind::Dark, Kind::Mono] {
        let mut desk = Desk::start(&Disk::new(), Setup { theme, ..Moderate::setup() });
        desk.texts_are(&[THREAT]);
        desk.check();
        desk.settle();
        desk.hides("another text");
        desk.press("a");
        desk.press("Some new words.");
        let names = desk.line("another text");
        assert!(names.contains("A · another text") && names.contains("B · this text"), "{names}");
        desk.press("\u{1b}");
        desk.hides("another text");
    }
}

#[test]
fn how_often_models_agree_stands_below_the_title_at_every_size() {
    let mut desk = with_texts(&[THREAT, FILM]);
    desk.press("mstable\n");
    desk.check();
    desk.settle();
    for (width, height) in [(120, 36), (80, 24), (40, 12)] {
        desk.size = (width, height);
        desk.shows(if width < 60 { "agree on 2 of 2" } else { "the models agree on 2 of 2 texts (100%)" });
    }
    desk.size = (120, 36);
    let screen = desk.screen();
    let rows: Vec<&str> = screen.lines().collect();
    let at = rows.iter().position(|row| row.contains("the models agree")).unwrap();
    assert!(rows[at - 1].contains("2 texts, 2 models"), "{screen}");
    let below: String = rows[at + 1].chars().take(60).collect();
    assert!(below.trim().is_empty(), "{screen}");
}

#[test]
fn the_box_of_the_only_text_says_what_to_do_until_there_is_a_word() {
    for theme in [Kind::Dark, Kind::Mono] {
        let mut desk = Desk::start(&Disk::new(), Setup { theme, ..Moderate::setup() });
        // A line break alone is no text.
        desk.press("a\n");
        desk.shows("Text A");
        desk.shows("Write or paste a text; ^R checks it.");
        desk.hides("this text");
        desk.press("One line\nand another.");
        desk.hides("Write or paste a text");
        assert!(!desk.line("One line").contains("another"), "{}", desk.screen());
    }
}
