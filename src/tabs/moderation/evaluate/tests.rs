//! Evaluation against counting by hand, and the page under keys and on the screen.

use std::sync::Arc;

use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crossterm::event::KeyCode;

use super::super::category::{CategoryKey, score};
use super::super::tests::check;
use super::super::thresholds::ThresholdProfile;
use super::*;
use crate::record::Check;
use crate::ui::theme::{Depth, Kind, Theme};

const NAMES: [&str; 3] = ["hate", "self-harm", "violence"];

/// Returns a check of these three categories.
fn scored(scores: [Option<f64>; 3]) -> Check {
    let cells: Vec<_> =
        NAMES.iter().zip(scores).map(|(name, score)| (*name, score, score.map(|score| score >= 0.5))).collect();
    check(&cells)
}

fn evaluation(rows: &[(Option<&str>, Option<Check>)]) -> Evaluation {
    let labels: Vec<Option<Untrusted>> = rows.iter().map(|(label, _)| label.map(Untrusted::from)).collect();
    Evaluation::of(labels.iter().zip(rows).map(|(label, (_, check))| (label.as_ref(), check.as_ref())))
}

fn page(rows: &[(Option<&str>, Option<Check>)]) -> LabelsPage {
    LabelsPage::new(evaluation(rows), ThresholdProfile::new("x"))
}

fn empty_page() -> LabelsPage {
    LabelsPage::new(Evaluation::default(), ThresholdProfile::new("x"))
}

/// Returns eight rows: labels by category, one unknown, one not checked, one without a score for hate.
fn rows() -> Vec<(Option<&'static str>, Option<Check>)> {
    let of = |hate, harm, violence| Some(scored([hate, Some(harm), Some(violence)]));
    vec![
        (Some("hate"), of(Some(0.9), 0.1, 0.2)),
        (Some("hate,violence"), of(Some(0.6), 0.0, 0.7)),
        (Some("hate"), of(Some(0.3), 0.0, 0.0)),
        (Some("safe"), of(Some(0.4), 0.0, 0.1)),
        (Some("safe"), of(Some(0.1), 0.0, 0.0)),
        (Some("hate"), of(None, 0.0, 0.0)),
        (Some("gibberish"), of(Some(0.8), 0.0, 0.0)),
        (Some("safe"), None),
    ]
}

fn code(key: char) -> KeyEvent {
    KeyEvent::from(if key == '\u{1b}' { KeyCode::Esc } else { KeyCode::Char(key) })
}

/// Presses keys and moves thresholds as told. What the last key did.
fn press(page: &mut LabelsPage, profile: &mut ThresholdProfile, keys: &str) -> Handled<LabelsEvent> {
    let (session, mut tickets, mut effects) = (Session::default(), 0, Vec::new());
    let mut cx = Cx::new(&session, Instant::now(), 0, &mut tickets, &mut effects);
    page.set_profile(profile.clone());
    let mut last = Handled::Consumed;
    for key in keys.chars() {
        last = page.key(code(key), &mut cx);
        if let Handled::Emit(LabelsEvent::Set(name, threshold)) = &last {
            profile.set(&CategoryKey::of(name), *threshold);
            page.set_profile(profile.clone());
        }
    }
    last
}

fn shown(page: &mut LabelsPage, profile: &ThresholdProfile, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let theme = Theme::of(Kind::Mono, Depth::None);
    let session = Session { palette: Kind::Mono, ..Session::default() };
    let context = RenderContext { session: &session, theme: &theme, now: Instant::now() };
    page.set_profile(profile.clone());
    page.fit(terminal.get_frame().area(), session.spacing());
    terminal.draw(|frame| page.draw(frame, frame.area(), context)).unwrap();
    terminal.backend().to_string()
}

#[test]
fn what_counts_is_counted_and_what_does_not_is_named() {
    let all = evaluation(&rows());
    let hate = all.categories[0].scores.at(0.5);
    assert_eq!(hate, ConfusionCounts { tp: 2, fp: 0, fn_: 1, tn: 2, unscored: 1, unknown: 2 });
    assert_eq!((hate.precision(), hate.recall()), (Some(1.0), Some(2.0 / 3.0)));
    assert!((hate.f1().unwrap() - 0.8).abs() < 1e-12);
    // Nobody is labelled with self-harm: there is no recall, and no F1.
    let harm = all.categories[1].scores.at(0.5);
    assert_eq!((harm.tp + harm.fn_, harm.precision(), harm.recall(), harm.f1()), (0, None, None, None));
    assert_eq!(all.categories[1].curves, None);
    // A score that equals its threshold is over it.
    assert_eq!(all.categories[0].scores.at(0.9).tp, 1);
    assert_eq!(all.categories[0].scores.at(0.91).f1(), Some(0.0));
    assert_eq!((all.unchecked, all.untold, all.strange.len(), all.scheme.flags_only), (1, 1, 1, false));
    assert_eq!(all.any(&[0.5, 0.5, 0.5]), ConfusionCounts { tp: 2, fp: 0, fn_: 2, tn: 2, unscored: 0, unknown: 2 });
    assert_eq!(all.any(&[0.3, 0.5, 0.5]).tp, 3);
    assert_eq!(all.service, ConfusionCounts { tp: 2, fp: 0, fn_: 2, tn: 2, unscored: 0, unknown: 2 });
}

#[test]
fn labels_that_say_only_yes_and_no_measure_each_category_alone() {
    let of = |score| Some(scored([Some(score), None, Some(0.0)]));
    let all = evaluation(&[(Some("1"), of(0.9)), (Some("0"), of(0.6)), (Some("1"), of(0.1)), (None, of(0.9))]);
    assert!(all.scheme.flags_only);
    assert_eq!(
        all.categories[0].scores.at(0.5),
        ConfusionCounts { tp: 1, fp: 1, fn_: 1, tn: 0, unscored: 0, unknown: 1 }
    );
    assert_eq!(
        all.categories[1].scores.at(0.5),
        ConfusionCounts { unscored: 3, unknown: 1, ..ConfusionCounts::default() }
    );
    // Beside labels that name categories, a mere yes says nothing of one.
    let all = evaluation(&[(Some("yes"), of(0.9)), (Some("hate"), of(0.6)), (Some("no"), of(0.1))]);
    assert_eq!(
        all.categories[0].scores.at(0.5),
        ConfusionCounts { tp: 1, tn: 1, unknown: 1, ..ConfusionCounts::default() }
    );
    assert_eq!(all.any(&[0.5, 0.5, 0.5]), ConfusionCounts { tp: 2, tn: 1, ..ConfusionCounts::default() });
}

#[test]
fn an_empty_label_is_none_where_labels_are_lists_of_names() {
    let of = |score| Some(scored([Some(score), None, None]));
    let lists = evaluation(&[(Some("hate|violence"), of(0.9)), (Some(""), of(0.6)), (None, of(0.1))]);
    assert!(lists.scheme.empty_is_none);
    assert_eq!(
        lists.categories[0].scores.at(0.5),
        ConfusionCounts { tp: 1, fp: 1, tn: 1, ..ConfusionCounts::default() }
    );
    let words = evaluation(&[(Some("hate"), of(0.9)), (Some(""), of(0.6)), (Some("none"), of(0.1))]);
    assert!(!words.scheme.empty_is_none);
    assert_eq!(
        words.categories[0].scores.at(0.5),
        ConfusionCounts { tp: 1, tn: 1, unknown: 1, ..ConfusionCounts::default() }
    );
}

#[test]
fn the_best_threshold_is_the_middle_of_the_best_stretch() {
    let best = |rates: &[f64]| {
        let f1 = rates.iter().enumerate().map(|(step, f1)| (step as f64 / 100.0, *f1)).collect();
        RateCurves { f1, ..RateCurves::default() }.best()
    };
    assert_eq!(best(&[0.0, 0.5, 0.8, 0.8, 0.8, 0.2, 0.8]), Some((0.03, 0.8)));
    assert_eq!(best(&[0.0, 0.0]), Some((0.0, 0.0)));
    assert_eq!(best(&[]), None);
    // Positives at 0.3, 0.6 and 0.9, a negative at 0.4: from 0.11 to 0.30 all are found.
    let mut page = page(&rows());
    let mut profile = ThresholdProfile::new("x");
    let Handled::Emit(LabelsEvent::Set(_, threshold)) = press(&mut page, &mut profile, "jb") else { panic!("no best") };
    assert!((threshold - 0.20).abs() < 1e-12, "{threshold}");
}

#[test]
fn a_threshold_moves_and_the_numbers_follow() {
    let mut page = page(&rows());
    let mut profile = ThresholdProfile::new("x");
    let screen = shown(&mut page, &profile, 100, 30);
    for words in [
        "6 of 8 rows are counted · 1 not checked · 1 unknown label: “gibberish”",
        "▌any category",
        "hate                         0.50   1.00   0.67   0.80      2      0      1      2         1",
        "self-harm                    0.50      —      —      —",
        "the service's flag",
        "F1 with one threshold for all",
    ] {
        assert!(screen.contains(words), "{words}: {screen}");
    }
    assert_eq!(press(&mut page, &mut profile, "+"), Handled::Consumed, "any category follows the others");
    assert!(shown(&mut page, &profile, 100, 30).contains("computed from the others"));
    assert_eq!(press(&mut page, &mut profile, "j-"), Handled::Emit(LabelsEvent::Set("hate".into(), 0.49)));
    press(&mut page, &mut profile, "____+");
    let screen = shown(&mut page, &profile, 100, 30);
    for words in [
        "▌hate                         0.30   0.75   1.00   0.86      3      1      0      1         1",
        "TP      3 ━━━━━━ ",
        "FN      0 ────── ",
        "0.30 or more",
        "F1 0.86 at 0.30 · best 0.86 at 0.20, b takes it",
        "1 without a score",
        "P precision   R recall   F1",
        "1.00┤",
        "@0.30",
        "TN  no score",
        "no label    FP",
    ] {
        assert!(screen.contains(words), "{words}: {screen}");
    }
    // The axis is named in a row of its own.
    assert!(screen.lines().any(|line| line.trim_matches(['"', ' ']) == "threshold"), "{screen}");
    // The row of any category has followed.
    assert!(
        screen.contains("any category                    —   0.75   0.75   0.75      3      1      1      1"),
        "{screen}"
    );
    assert_eq!(press(&mut page, &mut profile, "jb"), Handled::Consumed);
    assert!(shown(&mut page, &profile, 100, 30).contains("no threshold is best"));
    assert_eq!(press(&mut page, &mut profile, "x"), Handled::Ignored);
    assert_eq!(press(&mut page, &mut profile, "\u{1b}"), Handled::Emit(LabelsEvent::Close));
}

#[test]
fn the_cursor_stays_on_its_category_when_results_change() {
    let mut page = page(&rows()[..1]);
    let mut profile = ThresholdProfile::new("x");
    press(&mut page, &mut profile, "jjj");
    assert_eq!(page.selected_category().map(|at| page.evaluation.categories[at].name.clone()), Some("violence".into()));
    page.take(evaluation(&[(Some("hate"), Some(check(&[("violence", Some(0.1), None), ("z", None, None)])))]));
    assert_eq!(page.selected_category().map(|at| page.evaluation.categories[at].name.clone()), Some("violence".into()));
    page.take(Evaluation::default());
    assert_eq!(page.selected_category(), None);
}

#[test]
fn it_fits_into_any_screen_and_says_why_there_is_nothing() {
    let profile = ThresholdProfile::new("x");
    let mut full = page(&rows());
    press(&mut full, &mut ThresholdProfile::new("x"), "j");
    for (width, height) in [(1, 1), (8, 2), (20, 5), (40, 10), (60, 18), (80, 24), (120, 40), (300, 100)] {
        for page in [&mut full.clone(), &mut empty_page()] {
            shown(page, &profile, width, height);
        }
    }
    assert!(shown(&mut full, &profile, 60, 18).contains("▌hate"));
    assert!(shown(&mut empty_page(), &profile, 60, 18).contains("No texts."));
    let none = page(&[(Some("hate"), None)]);
    assert!(shown(&mut none.clone(), &profile, 60, 18).contains("Nothing is checked yet."));
    let strange = page(&[(Some("\u{1b}[2J"), Some(scored([Some(0.1), None, None])))]);
    let screen = shown(&mut strange.clone(), &profile, 60, 18);
    assert!(screen.contains("No label is recognized: “␛[2J”"), "{screen}");
}

#[test]
fn many_rows_follow_a_threshold() {
    let names: Arc<[Untrusted]> = (0..13).map(|n| Untrusted::from(format!("c{n}"))).collect();
    let noise = |n: usize| (n.wrapping_mul(2_654_435_761) >> 7) % 1_000;
    let checks: Vec<Check> = (0..10_000)
        .map(|row| Check {
            categories: Arc::clone(&names),
            scores: (0..13).map(|at| Some(noise(row * 13 + at) as f64 / 1_000.0)).collect(),
            ..check(&[])
        })
        .collect();
    let labels: Vec<Untrusted> = (0..10_000).map(|row| format!("c{}", noise(row) % 13).into()).collect();
    let all = Evaluation::of(labels.iter().map(Some).zip(checks.iter().map(Some)));
    let any = all.any(&[0.5; 13]);
    assert_eq!(any.tp + any.fn_, 10_000);
    let mut page = LabelsPage::new(all, ThresholdProfile::new("x"));
    let mut profile = ThresholdProfile::new("x");
    profile.usual = 0.99;
    press(&mut page, &mut profile, "jjjj");
    shown(&mut page, &profile, 120, 40);
    let before = page.any;
    press(&mut page, &mut profile, "__________");
    shown(&mut page, &profile, 120, 40);
    assert!(page.any.tp > before.tp);
}

proptest! {
    #[test]
    fn figures_are_those_of_counting_by_hand(
        rows in prop::collection::vec((0_u8..9, prop::option::of([prop::option::of(0_u8..=10), prop::option::of(0_u8..=10), prop::option::of(0_u8..=10)])), 0..40),
        thresholds in [0_u8..=10, 0_u8..=10, 0_u8..=10],
    ) {
        let words = ["hate", "violence", "hate;self_harm", "safe", "yes", "what?", "[\"violence\"]", "{\"hate\":1,\"violence\":null}", "no"];
        let tenth = |n: u8| f64::from(n) / 10.0;
        let rows: Vec<(&str, Option<Check>)> = rows
            .iter()
            .map(|(label, scores)| (words[usize::from(*label)], scores.map(|scores| scored(scores.map(|score| score.map(tenth))))))
            .collect();
        let thresholds = thresholds.map(tenth);
        let labels: Vec<Untrusted> = rows.iter().map(|(label, _)| Untrusted::from(*label)).collect();
        let all = Evaluation::of(labels.iter().map(Some).zip(rows.iter().map(|(_, check)| check.as_ref())));
        // Categories are those of checks; without one there is nothing that a label could name.
        prop_assume!(rows.iter().any(|(_, check)| check.is_some()));
        let named = rows.iter().any(|(label, _)| !matches!(*label, "safe" | "yes" | "what?" | "no"));
        let truth = |label: &str, at: usize| match label {
            "safe" | "no" => Some(false),
            "yes" => (!named).then_some(true),
            "what?" => None,
            "hate" => Some(at == 0),
            "violence" | "[\"violence\"]" => Some(at == 2),
            "hate;self_harm" => Some(at < 2),
            _ => (at != 2).then_some(at == 0),
        };
        for (at, name) in NAMES.iter().enumerate() {
            let mut by_hand = ConfusionCounts::default();
            for (label, check) in &rows {
                let found = check.as_ref().map(|check| score(check, &CategoryKey::of(&(*name).into())));
                match (truth(label, at), found) {
                    (None, _) | (_, None) => by_hand.unknown += 1,
                    (_, Some(None)) => by_hand.unscored += 1,
                    (Some(true), Some(Some(score))) if score >= thresholds[at] => by_hand.tp += 1,
                    (Some(true), _) => by_hand.fn_ += 1,
                    (Some(false), Some(Some(score))) if score >= thresholds[at] => by_hand.fp += 1,
                    (Some(false), _) => by_hand.tn += 1,
                }
            }
            prop_assert_eq!(all.categories[at].scores.at(thresholds[at]), by_hand);
            if let Some(curves) = &all.categories[at].curves {
                let (threshold, most) = curves.best().unwrap();
                for (threshold, f1) in &curves.f1 {
                    prop_assert!((all.categories[at].scores.at(*threshold).f1().unwrap() - f1).abs() < 1e-12);
                    prop_assert!(*f1 <= most + 1e-12);
                }
                for (threshold, precision) in &curves.precision {
                    let known = all.categories[at].scores.at(*threshold).precision();
                    prop_assert!(known.map_or(precision.is_nan(), |known| (known - precision).abs() < 1e-12));
                }
                prop_assert!((all.categories[at].scores.at(threshold).f1().unwrap() - most).abs() < 1e-12);
            }
        }
        let mut any = ConfusionCounts::default();
        for (label, check) in &rows {
            let truth = match *label { "safe" | "no" => Some(false), "what?" => None, _ => Some(true) };
            let (Some(truth), Some(check)) = (truth, check) else { any.unknown += 1; continue };
            if check.scores.iter().all(Option::is_none) { any.unscored += 1; continue }
            let over = check.scores.iter().zip(thresholds).any(|(score, threshold)| score.is_some_and(|score| score >= threshold));
            match (truth, over) {
                (true, true) => any.tp += 1,
                (true, false) => any.fn_ += 1,
                (false, true) => any.fp += 1,
                (false, false) => any.tn += 1,
            }
        }
        prop_assert_eq!(all.any(&thresholds), any);
    }
}
