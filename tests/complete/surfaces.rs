//! The tab in themes that tell panes apart by their backgrounds.

use benchtop::ui::theme::Kind;
use ratatui::style::Modifier;

use crate::desk::{Complete, Desk, Disk};
use crate::kit::{Setup, Tab, dark};
use crate::replies::{AD, end, piece, told};

/// Creates an ad whose tokens are known, with the cursor on the last one.
fn told_ad() -> Desk {
    let mut desk = Desk::in_dark();
    desk.press("Headphones:");
    desk.set("Log probabilities", "5");
    let (ticket, _) = desk.run();
    desk.answer_with(ticket, told(0, &AD).into_iter().chain([end(0, "stop")]));
    desk.settle();
    desk
}

#[test]
fn unlikely_tokens_stand_out_and_likely_ones_look_as_a_models_text() {
    let (mut desk, theme) = (told_ad(), dark());
    let music = desk.cells_of(" music").remove(1);
    assert_eq!(Some(music.bg), theme.select.bg, "41 %");
    let the = desk.cells_of(" the music").remove(1);
    assert_eq!((Some(the.fg), Some(the.bg)), (theme.generated.fg, theme.ground.bg), "90 %");
    // The token under the cursor is another colour than any of them.
    let dot = desk.cells_of(" music.").remove(6);
    assert!(Some(dot.fg) == theme.model.fg && dot.modifier.contains(Modifier::REVERSED));
    desk.press("p");
    assert_eq!(Some(desk.cells_of(" music").remove(1).bg), theme.ground.bg);
}

#[test]
fn panes_stand_on_backgrounds_without_lines() {
    let (mut desk, theme) = (told_ad(), dark());
    let picture = desk.picture();
    assert!(!picture.contains('│'), "{picture}");
    for (text, ground) in [
        ("Headphones:", theme.ground),
        ("Settings", theme.panel),
        ("Token 4 of 4", theme.panel),
        ("Presets", theme.panel),
    ] {
        assert_eq!(Some(desk.cells_of(text)[0].bg), ground.bg, "{text}");
    }
    for row in ["Untitled", "Token 4 of 4 “.”", "⏎ continue from here   ← → token", "• sent with the request"]
    {
        desk.shows(row);
    }
    assert!(!desk.footer().contains("continue from here"), "the strip names its keys");
    // On a smaller screen there is no room for that.
    desk.size = (80, 24);
    assert!(desk.footer().contains("← →"), "{}", desk.footer());
}

#[test]
fn the_title_says_which_branch_it_is_and_the_tree_marks_it() {
    let (mut desk, theme) = (Desk::in_dark(), dark());
    desk.press("Once ");
    desk.set("Completions (n)", "3");
    let (ticket, _) = desk.run();
    let texts = ["alpha", "beta", "gamma"].into_iter().zip(0..);
    desk.answer_with(ticket, texts.flat_map(|(text, at)| [piece(at, text, None), end(at, "stop")]));
    desk.settle();
    desk.press(">");
    desk.shows("branch 2 of 3");
    for row in ["┬ Once", "├─ alpha", "├─ beta", "╰─ gamma"] {
        desk.shows(row);
    }
    assert_eq!(Some(desk.cells_of("├─ beta")[3].bg), theme.select.bg);
    assert_eq!(Some(desk.cells_of("├─ alpha")[3].bg), theme.panel.bg);
    desk.size = (80, 24);
    desk.shows("branch 2 of 3");
    desk.shows("< > previous, next");
}

#[test]
fn a_mark_that_rows_continue_stands_apart_from_words() {
    let mut desk = Desk::in_dark();
    desk.press("Once ");
    desk.set("Completions (n)", "9");
    let (ticket, _) = desk.run();
    let choice = |at: u32| {
        let text = format!("{at} is how a text begins that is longer than its row");
        [piece(at, &text, None), end(at, "stop")]
    };
    desk.answer_with(ticket, (0..9).flat_map(choice));
    desk.settle();
    // In the tree and the presets, then in the settings too.
    for (keys, least) in [("", 2), ("sg", 3)] {
        desk.press(keys);
        let marked: Vec<String> = desk.lines().into_iter().filter(|line| line.trim_end().ends_with('↓')).collect();
        assert!(marked.len() >= least, "{marked:#?}");
        assert!(marked.iter().all(|line| line.trim_end().ends_with(" ↓")), "{marked:#?}");
    }
}

#[test]
fn every_size_is_drawn() {
    for (width, height) in (20..130).step_by(9).flat_map(|width| (5..50).step_by(4).map(move |height| (width, height)))
    {
        let mut desk = Desk::in_dark();
        desk.size = (width, height);
        desk.cells();
    }
    let mut desk = told_ad();
    for size in [(40, 10), (40, 12), (80, 24), (99, 27), (100, 28), (120, 36), (200, 60)] {
        desk.size = size;
        for key in ["", "s", "P", "\u{1b}r", "\u{1b}T", "\u{1b}D", "\u{1b}c", "\u{1b}"] {
            desk.press(key);
            desk.cells();
        }
    }
}

#[test]
fn an_empty_text_is_explained_at_40_by_10_without_a_cut() {
    for theme in [Kind::Dark, Kind::Mono] {
        let mut desk = Desk::start(&Disk::new(), Setup { theme, ..Complete::setup() });
        desk.size = (40, 10);
        let keys = ["⏎  load this example", "^R let the model continue", "F6 settings and presets"];
        for words in ["Write the beginning of a text", "a model continue it."].into_iter().chain(keys) {
            desk.shows(words);
        }
    }
}
