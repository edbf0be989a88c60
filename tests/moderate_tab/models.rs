//! Several models on the bench: pairs, agreement, names, differences, failures that are the same.

use benchtop::api::call::{Failure, FailureKind};
use benchtop::ui::theme::Kind;

use crate::desk::{Desk, Disk, MODEL, Moderate};
use crate::kit::{Setup, Tab};
use crate::replies::{FILM, SELF, THREAT, judge, texts};

const STABLE: &str = "text-moderation-stable";

/// Checks three texts with two models; the second one flags the film, and the first does not.
fn pairs(size: (u16, u16)) -> Desk {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT, SELF, FILM]);
    desk.press("m");
    desk.press("stable\n");
    desk.settle();
    desk.news();
    for (ticket, request) in desk.runs() {
        let texts = texts(&request);
        let model = request.model.clone().unwrap_or_default();
        let mut answer = judge(&model, &texts);
        if model == STABLE {
            answer.results[2].flagged = true;
        }
        desk.answer(ticket, answer);
    }
    desk.settle();
    desk.size = size;
    desk
}

/// Returns the letters and names above the columns.
fn heads(desk: &mut Desk) -> Vec<String> {
    let line = desk.line("│▌");
    line.split('│').skip(1).map(|name| name.trim_matches(['▌', ' ']).to_owned()).collect()
}

#[test]
fn the_models_of_a_text_stand_side_by_side_at_every_size() {
    let mut desk = pairs((120, 36));
    for letter in ["A", "B", "C"] {
        desk.press("hhhhhhhh");
        (0..2 * (letter.as_bytes()[0] - b'A')).for_each(|_| drop(desk.press("l")));
        for _ in 0..2 {
            assert_eq!(heads(&mut desk), [format!("{letter} · {MODEL}"), format!("{letter} · {STABLE}")]);
            desk.press("l");
        }
    }
    desk.press("hhhhhhhh>");
    assert!(heads(&mut desk)[0].starts_with("B · "), "a page on is the next text");
    let mut desk = pairs((80, 24));
    desk.press("c");
    assert_eq!(heads(&mut desk), ["C · …latest", "C · …stable"]);
    desk.shows("← 4 more");
    desk.size = (40, 12);
    assert_eq!(heads(&mut desk).len(), 2, "{}", desk.screen());
}

#[test]
fn agreement_is_said_at_every_size() {
    let mut desk = pairs((120, 36));
    desk.shows("the models agree on 2 of 3 texts (67%) · Cohen's κ 0.00 · not on C");
    desk.size = (80, 24);
    desk.shows("the models agree on 2 of 3 texts (67%)");
    desk.size = (40, 12);
    desk.shows("agree on 2 of 3 · κ 0.00 · not on C");
    desk.press("M");
    desk.settle();
    desk.hides("agree on");
}

#[test]
fn the_strip_tells_models_apart_and_says_how_many_columns_it_does_not_show() {
    let mut desk = pairs((80, 24));
    desk.shows("(…latest)");
    desk.shows("(…stable)");
    let strip =
        desk.screen().lines().filter(|line| line.contains("(…")).map(|line| line.matches("(…").count()).sum::<usize>();
    assert!(strip < 6);
    desk.shows(&format!("+{} more", 6 - strip));
}

#[test]
fn only_differences_compares_the_models_of_each_text() {
    let mut desk = pairs((120, 36));
    desk.shows("0.22");
    desk.press("d");
    desk.shows("only where models differ, of all columns");
    // Between the texts many do.
    desk.shows("No category differs");
}

#[test]
fn the_same_failure_is_said_once_with_its_count() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT, SELF, FILM]);
    desk.news();
    let why = "the model guard does not exist; choose another one";
    for (ticket, _) in desk.runs() {
        desk.fail(ticket, Failure { status: Some(404), ..Failure::new(FailureKind::Refused, why) });
    }
    desk.settle();
    let screen = desk.screen();
    assert_eq!(screen.matches("the model guard").count(), 1, "{screen}");
    desk.shows("3 columns have this error");
    assert_eq!(desk.screen().matches("✕ failed").count(), 3);
}

#[test]
fn a_model_of_another_kind_is_marked_where_one_is_chosen() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT]);
    desk.press("m");
    desk.settle();
    assert!(desk.line("gpt-mini").contains("for another tab"));
    assert!(!desk.line("text-moderation-stable").contains("for another tab"));
}

#[test]
fn the_last_page_of_texts_is_full_too() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT, SELF, FILM, "Another text."]);
    desk.press("hhhhhhhh");
    assert_eq!(heads(&mut desk), ["A", "B", "C"]);
    desk.press(">");
    assert_eq!(heads(&mut desk), ["B", "C", "D"]);
    desk.shows("2–4 of 4");
    desk.shows("← 1 more");
}

#[test]
fn columns_that_are_not_shown_are_counted_at_the_side_where_they_are() {
    for theme in [Kind::Dark, Kind::Mono] {
        for (size, keys) in [((120, 36), "hhhhhhhh"), ((80, 24), "chhhhhhhh")] {
            let mut desk = Desk::start(&Disk::new(), Setup { theme, ..Moderate::setup() });
            let long = "A text that takes several rows. ".repeat(4);
            desk.texts_are(&[THREAT, SELF, &long, "Another text.", "One more text."]);
            desk.size = size;
            desk.press(keys);
            let row = desk.line("+2 more →");
            // Below the cards, of which the last is full of text.
            assert!(theme == Kind::Mono || row.trim() == "+2 more →", "{}", desk.screen());
            assert!(row.trim_end_matches(['─', ' ']).ends_with("+2 more →"), "{}", desk.screen());
            desk.hides("← 2 more");
            desk.press("llllllll");
            let row = desk.line("← 2 more");
            assert!(row.trim_start().starts_with("← 2 more"), "{}", desk.screen());
            desk.hides("+2 more →");
            // While a text is written, the names of the others stand alone.
            desk.press("hhhhhhhhe");
            let row = desk.line("+2 more →");
            assert!(theme == Kind::Mono || row.trim() == "+2 more →", "{}", desk.screen());
        }
    }
}

#[test]
fn on_low_screens_the_count_of_columns_covers_neither_texts_nor_the_count_of_categories() {
    for theme in [Kind::Dark, Kind::Mono] {
        let mut desk = Desk::start(&Disk::new(), Setup { theme, ..Moderate::setup() });
        desk.texts_are(&[THREAT, SELF, "A text that takes several rows.", "Another text.", "One more text."]);
        desk.check();
        desk.settle();
        desk.size = (80, 12);
        desk.press("chhhhhhhh");
        let row = desk.line("+2 more →");
        if theme == Kind::Dark {
            let of_categories = row.trim().strip_suffix("+2 more →").unwrap_or_default();
            assert!(of_categories.starts_with('+'), "{}", desk.screen());
        } else {
            assert!(row.contains("… +2 more →"), "{}", desk.screen());
        }
    }
}
