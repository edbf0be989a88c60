//! What is known before a run, and what is looked at while one continues.

use super::*;
use crate::tabs::moderation::thresholds;

/// Opens a file of five texts, of which earlier results are known.
fn known() -> Desk {
    let mut desk = Desk::new();
    desk.many(5);
    desk.keys("p");
    desk.finish();
    desk
}

#[test]
fn earlier_results_that_cannot_be_read_are_not_paid_for_again() {
    let mut desk = known();
    desk.unread = true;
    desk.many(6);
    assert!(desk.open().earlier.unread);
    desk.keys("p");
    assert_eq!((desk.calls.len(), desk.sent.len()), (0, 5), "it looks for them first");
    desk.unread = false;
    desk.keys("p");
    desk.finish();
    assert_eq!((desk.sent.len(), desk.open().tally().done), (6, 6));
}

#[test]
fn a_run_that_was_cut_looks_for_results_it_could_not_read() {
    let mut desk = Desk::new();
    desk.many(1_000);
    desk.keys("p");
    for _ in 0..20 {
        desk.answer();
    }
    desk.wait(Duration::from_secs(1));
    desk.unread = true;
    desk.restart();
    let sent = desk.sent.len();
    desk.keys("p");
    assert_eq!(desk.sent.len(), sent);
    desk.unread = false;
    desk.keys("p");
    desk.finish();
    assert_eq!((desk.sent.len(), desk.open().tally().done), (sent + 680, 1_000));
}

#[test]
fn all_again_waits_for_what_is_looked_up() {
    let mut desk = Desk::new();
    desk.late = true;
    desk.many(5);
    assert!(desk.open().earlier.loading.is_some());
    desk.keys("Ry");
    assert!(!desk.page.modals.is_open() && desk.calls.is_empty());
    desk.arrive();
    desk.keys("Ry");
    assert_eq!(desk.calls.len(), 1);
}

#[test]
fn the_profile_in_use_when_a_run_begins_is_asked() {
    let mut desk = Desk::new();
    desk.many(5);
    desk.session.profile = ProfileId("home".into());
    desk.keys("p");
    assert_eq!((desk.asked.as_str(), desk.calls.len()), ("home", 1));
    // One that has begun keeps its own.
    desk.keys("p");
    desk.session.profile = ProfileId("work".into());
    desk.keys("p");
    desk.finish();
    assert_eq!(desk.asked, "home");
}

#[test]
fn an_evaluation_follows_the_run() {
    let mut desk = Desk::new();
    let texts: Vec<String> = (0..200).map(|n| format!("text {n}")).collect();
    let texts: Vec<(&str, Option<&str>)> = texts.iter().map(|text| (text.as_str(), Some("hate"))).collect();
    desk.file(&texts);
    desk.keys("pe");
    let shown = |desk: &Desk| {
        let FileView::Evaluate(page) = &desk.page.sub else { panic!("it is not looked at") };
        let profile = desk.page.shared.thresholds.profile().clone();
        let mut made = evaluate::LabelsPage::new(desk.open().evaluation(), profile);
        made.take(desk.open().evaluation());
        format!("{page:?}") == format!("{made:?}")
    };
    desk.answer();
    assert!(!shown(&desk));
    assert!(desk.page.due().is_some_and(|at| at <= desk.now + REST));
    desk.wait(REST);
    assert!(shown(&desk));
    desk.finish();
    desk.wait(REST);
    assert!(shown(&desk));
    desk.wait(REST);
    assert_eq!(desk.page.stale, None);
}

#[test]
fn a_server_that_makes_up_categories_fills_no_memory() {
    let profile = thresholds::Thresholds::default();
    let mut results = super::super::results::CheckTable::new(3_000);
    for text in 0..3_000_u32 {
        let names: Vec<String> = (0..8).map(|n| format!("made up {text} {n}")).collect();
        let cells: Vec<_> = names.iter().map(|name| (name.as_str(), Some(0.5), Some(true))).collect();
        let check = crate::tabs::moderation::tests::check(&cells);
        results.set(text, check, profile.profile());
    }
    assert_eq!((results.categories().len(), results.has_more()), (64, true));
    assert!((results.cell(0, 0).0.unwrap() - 0.5).abs() < 1e-9, "the first ones have theirs");
}

#[test]
fn a_run_asked_for_while_the_file_is_copied_begins_when_it_is_there() {
    let mut desk = Desk::new();
    desk.slow = true;
    desk.many(5);
    assert!(matches!(desk.page.phase, FilePhase::Step(LoadStep::Copying(_))));
    assert_eq!(desk.press(KeyCode::Char('p')), Handled::Consumed);
    desk.settle(false);
    assert_eq!(desk.calls.len(), 1);
    // Another file is not run for it.
    desk.finish();
    desk.many(6);
    assert!(desk.calls.is_empty());
}
