//! The map under keys and on the screen.

use crossterm::event::KeyCode;

use super::super::pane_test::{PaneTest, data, eight, set};
use super::*;
use crate::component::Effect;
use crate::record::VectorTable;
use crate::record::vectors::MATRIX;
use crate::record::work::Done;

fn settled() -> PaneTest<MapPane> {
    let mut test = PaneTest::<MapPane>::new(eight());
    test.refresh();
    assert_eq!(test.settle(), 2, "map and clusters; the nearest are in the matrix");
    test
}

#[test]
fn it_looks_as_drawn() {
    let mut test = settled();
    let beside = test.shown_as(42, 33, false);
    assert!(beside.starts_with("── Map ──────────────────────── PCA 99% ──\n"), "{beside}");
    let foot = "
 Distances on a map mislead; the matrix
 has the numbers.";
    assert!(beside.ends_with(foot), "{beside}");
    assert_eq!(beside.matches(['●', '■', '▲']).count(), 6 + 3, "seven points in six cells, and the legend: {beside}");
    assert!(beside.contains("●H ◆ A"), "H has no room for a space: {beside}");
    let alone = test.shown(80, 21);
    let foot = " ◆ A  guarantee, refund · refund within 30 days
 nearest  H 0.99  B 0.99  C 0.93  D 0.43  E 0.34  G 0.14
 Distances on a map mislead; the matrix has the numbers.";
    assert!(alone.ends_with(foot), "{alone}");
    let low = test.shown(40, 9);
    assert!(low.contains("◆ A B") && low.contains("▲ F G"), "names in one cell stand side by side: {low}");
    let foot = " ◆ A  guarantee, refund · refund within…
 nearest  H 0.99  B 0.99  C 0.93  D 0.43
 Distances on a map mislead.";
    assert!(low.ends_with(foot), "{low}");
    for (width, height) in (1..50).flat_map(|width| (1..20).map(move |height| (width, height))) {
        test.shown(width, height);
    }
}

#[test]
fn keys_go_from_point_to_point_and_open_pairs() {
    let mut test = settled();
    test.shown(80, 21);
    assert_eq!(test.type_("h"), Handled::Emit(PaneEvent::Go(7)));
    let shown = test.shown(80, 21);
    assert!(
        shown.matches("◆ H").count() == 2 && shown.contains("◆ H  guarantee, refund · 日本語: 返金について"),
        "{shown}"
    );
    assert_eq!(test.press(KeyCode::Enter), Handled::Emit(PaneEvent::Pair(7, 0)), "it and its nearest");
    assert_eq!(test.settle(), 0);
    // Zoomed in to the chosen one, then away from it.
    assert_eq!(test.type_("++++"), Handled::Consumed);
    let shown = test.shown(80, 21);
    assert!(shown.contains("5.1×   PCA 99%") && shown.matches("◆ H").count() == 2, "{shown}");
    for _ in 0..12 {
        test.press(KeyCode::Left);
        test.press(KeyCode::Down);
    }
    let shown = test.shown(80, 21);
    assert!(shown.matches("◆ H").count() < 2 && test.pane.hints().iter().any(|hint| hint.does == "select"), "{shown}");
    let Handled::Emit(PaneEvent::Go(row @ (5 | 6))) = test.press(KeyCode::Enter) else { panic!("what is there") };
    let shown = test.shown(80, 21);
    assert!(shown.contains(&format!("◆ {}", test.data.letter(row))), "{shown}");
    assert_eq!(test.type_("0"), Handled::Consumed);
    assert!(!test.shown(80, 21).contains('×'));
    assert_eq!(test.type_("z"), Handled::Ignored);
    assert_eq!(test.press(KeyCode::Esc), Handled::Emit(PaneEvent::Close));
}

#[test]
fn it_is_summed_up_once_for_the_vectors_that_are_there() {
    let mut test = settled();
    test.refresh();
    assert_eq!(test.settle(), 0, "known");
    // A vector comes while the sum is under way: it is left to its end, and what is known stays.
    let more = || {
        let mut table = VectorTable::new(8);
        (0..8).for_each(|row| table.set(row, &[row as f32, 1.0, 0.5]));
        table
    };
    set(&mut test.data, more());
    test.refresh();
    let first = test.asked();
    set(&mut test.data, more());
    test.refresh();
    assert_eq!((first.len(), test.effects.len()), (2, 0));
    assert!(test.shown(80, 21).contains("PCA 99%"), "the last one is shown until then");
    let done = Done::Figures(crate::vectors::figures(&first[0].1, &|_, _| true).unwrap());
    assert!(test.says(first[0].0, done));
    assert!(!test.says(first[0].0, Done::Failed("late".into())), "one answer");
    assert_eq!(test.settle(), 1, "and once more with what came");
    // Other texts: points of others would have their names.
    Arc::make_mut(&mut test.data.texts).swap(0, 1);
    set(&mut test.data, more());
    test.refresh();
    assert!(!test.shown(80, 21).contains('●'));
    assert_eq!(test.settle(), 2);
}

#[test]
fn what_has_no_place_is_counted_and_why_there_is_no_map_is_said() {
    let mut some = eight();
    let mut table = VectorTable::new(8);
    (0..6).for_each(|row| table.set(row, &[row as f32, 1.0, if row == 5 { f32::NAN } else { 0.5 }]));
    set(&mut some, table);
    some.cursor.0 = 7;
    let mut test = PaneTest::<MapPane>::new(some);
    test.refresh();
    test.settle();
    let shown = test.shown(80, 21);
    assert!(shown.contains("3 texts not shown") && shown.contains("— H "), "{shown}");
    test.pane.retry = Some("! retry in 5 s: rate limit".to_owned());
    let shown = test.shown(80, 21);
    assert!(shown.contains("3 texts not shown") && shown.contains("! retry in 5 s: rate limit"), "{shown}");
    let mut one = PaneTest::<MapPane>::new(data(&[("a", &[1.0])]));
    one.refresh();
    assert_eq!(one.settle(), 0);
    assert!(one.shown(60, 9).contains("A map needs two texts"));
    let mut none = PaneTest::<MapPane>::new(data(&[("a", &[]), ("b", &[])]));
    none.refresh();
    assert!(none.shown(60, 9).contains("^R embeds the texts"));
    let mut failed = PaneTest::<MapPane>::new(eight());
    failed.refresh();
    assert!(failed.shown(60, 9).lines().skip(1).any(|line| line.contains('─')), "it is on its way");
    let (ticket, _) = failed.asked().remove(0);
    assert!(failed.says(ticket, Done::Failed("no \u{1b}[2J memory".into())));
    failed.refresh();
    assert_eq!(failed.effects.len(), 0, "it would fail again");
    assert!(failed.shown(60, 9).contains("✕ no ␛[2J memory"));
}

/// Returns the name of a text's cluster.
fn cluster(test: &PaneTest<MapPane>, row: usize) -> String {
    test.pane.shown_groups().unwrap().all.name(row).unwrap().to_owned()
}

#[test]
fn of_a_long_list_the_nearest_are_summed_up_for_the_text_under_the_cursor() {
    let words: Vec<(String, [f32; 2])> = (0..=MATRIX)
        .map(|row| (format!("text {row}"), [(row as f32 / 400.0).cos(), (row as f32 / 400.0).sin()]))
        .collect();
    let texts: Vec<(&str, &[f32])> = words.iter().map(|(text, vector)| (text.as_str(), &vector[..])).collect();
    let mut test = PaneTest::<MapPane>::new(data(&texts));
    test.refresh();
    assert_eq!(test.settle(), 3, "the map, the nearest and the clusters");
    let shown = test.shown(80, 21);
    assert!(shown.contains('•') || shown.contains('●'), "marks without names: {shown}");
    assert!(shown.contains("◆ 1") && shown.contains("nearest  2 1.00  3 1.00"), "{shown}");
    let Handled::Emit(PaneEvent::Go(row)) = test.type_("h") else { panic!("there are points") };
    assert_eq!(test.settle(), 1);
    assert!(test.shown(80, 21).contains(&format!("◆ {}  {} · text {row}", row + 1, cluster(&test, row))));
    test.refresh();
    assert_eq!(test.settle(), 0);
}

#[test]
fn t_sne_is_asked_for_by_a_key_shows_how_far_it_is_and_can_be_stopped() {
    let mut test = settled();
    assert_eq!(test.type_("t"), Handled::Consumed);
    let (ticket, sum) = test.asked().remove(0);
    assert!(matches!(sum, VectorTask::Tsne(_)));
    assert!(test.says(ticket, Done::Moved { done: 10, total: 40 }));
    let shown = test.shown(80, 21);
    assert!(shown.contains("PCA 99%") && shown.contains("25%") && shown.contains("◆ A"), "{shown}");
    assert_eq!(test.pane.escape(), Some("stop"));
    // Esc stops it, and the map stays as it was.
    assert_eq!(test.press(KeyCode::Esc), Handled::Consumed);
    assert!(test.effects.iter().any(|effect| matches!(effect, Effect::Cancel(stopped) if *stopped == ticket)));
    test.effects.clear();
    let shown = test.shown(80, 21);
    assert!(shown.contains("PCA 99%") && !shown.contains("25%"), "{shown}");
    test.type_("t");
    assert_eq!(test.settle(), 1);
    let shown = test.shown(80, 21);
    assert!(shown.contains(" t-SNE ") && shown.matches('●').count() + shown.matches('■').count() > 4, "{shown}");
    test.type_("t");
    assert!(test.shown(80, 21).contains("PCA 99%"));
    test.type_("t");
    assert_eq!(test.settle(), 0, "it is known");
    // Where it fails, it says why, and the other map stays.
    let mut test = settled();
    test.type_("t");
    let (ticket, _) = test.asked().remove(0);
    assert!(test.says(ticket, Done::Failed("too many".into())));
    let shown = test.shown(80, 21);
    assert!(shown.contains("✕ too many") && shown.contains("PCA 99%"), "{shown}");
    assert_eq!(test.pane.escape(), Some("back"));
}
