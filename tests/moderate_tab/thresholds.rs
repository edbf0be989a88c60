//! Thresholds of one's own: moved with a key, kept under names, written and read.

use benchtop::app::Effect;
use benchtop::record::work::Work;

use crate::desk::Desk;
use crate::replies::{FILM, SELF, THREAT};

fn done() -> Desk {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT, SELF, FILM]);
    desk.check();
    desk.settle();
    desk
}

#[test]
fn signs_follow_the_threshold_of_the_row() {
    let mut desk = done();
    let violence = |desk: &mut Desk| desk.line("violence  ");
    for _ in 0..11 {
        desk.press("j");
    }
    assert!(violence(&mut desk).contains("0.47 !"), "{}", desk.screen());
    desk.press("-");
    desk.shows("0.49   - + move");
    desk.press("--");
    assert!(violence(&mut desk).contains("0.47 ▲"));
    desk.shows("0.47   - + move");
    desk.press("===");
    assert!(!violence(&mut desk).contains("0.47 ▲") && !violence(&mut desk).contains("0.47 !"));
    desk.shows("0.62   - + move");
    desk.press("0");
    desk.shows("0.50   - + move");
    desk.press("_");
    desk.settle();
    let mut desk = desk.again();
    desk.settle();
    assert!(violence(&mut desk).contains("0.47 ▲"), "it is kept");
}

#[test]
fn marked_rows_move_together() {
    let mut desk = done();
    desk.press("  ");
    desk.shows("▣ harassment");
    desk.press("+");
    desk.press("\u{1b}");
    desk.hides("▣");
    desk.press("kk");
    desk.shows("0.51   - + move");
    desk.press("j");
    desk.shows("0.51   - + move");
    desk.press("j");
    desk.shows("0.50   - + move");
}

#[test]
fn profiles_are_made_chosen_exported_and_imported() {
    let mut desk = done();
    desk.press("tnstrict\n");
    desk.press("----------");
    assert!(desk.line("● strict").contains("0.40"), "{}", desk.screen());
    desk.press("\u{1b}");
    desk.shows("thresholds “strict”");
    desk.shows("0.40   - + move");
    desk.news();
    desk.press("tE\n");
    let saved = desk.news().into_iter().find_map(|effect| match effect {
        Effect::Work(_, Work::Save { path, text }) => Some((path, text)),
        _ => None,
    });
    let (path, text) = saved.expect("it is written");
    assert_eq!(path, "thresholds.json");
    desk.file = text.raw().replace("strict", "theirs").replace("0.4", "0.3");
    desk.press("Ix.json\n");
    desk.shows("“theirs” is in use");
    assert!(desk.line("● theirs").contains("0.30"), "{}", desk.screen());
    desk.press("kkk\n\u{1b}");
    desk.shows("0.50   - + move");
    desk.file = r#"{"categories": {"hate": 7}}"#.to_owned();
    desk.press("tIx.json\n");
    desk.shows("“categories.hate” is 7");
    desk.press("jx");
    desk.settle();
    desk.hides("strict");
    desk.press("u");
    desk.shows("strict");
}

#[test]
fn a_profile_that_is_exported_is_in_use_and_the_footer_names_esc_once() {
    let mut desk = done();
    desk.press("tnstrict\n");
    desk.settle();
    desk.press("kE");
    desk.shows("Export “default”");
    assert_eq!(desk.footer().matches("esc").count(), 1, "{}", desk.footer());
    desk.press("\u{1b}\u{1b}");
    desk.settle();
    let mut desk = desk.again();
    desk.settle();
    desk.hides("thresholds “strict”");
    desk.press("t");
    desk.shows("● default");
}
