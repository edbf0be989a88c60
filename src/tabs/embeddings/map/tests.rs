//! The map under keys and on the screen.

use crossterm::event::KeyCode;

use super::super::trial::{Trial, eight, read, set};
use super::*;
use crate::record::Table;
use crate::record::vectors::MATRIX;

fn settled() -> Trial<Map> {
    let mut trial = Trial::<Map>::new(eight());
    trial.fresh();
    assert_eq!(trial.settle(), 1, "the nearest are in the matrix");
    trial
}

fn press(trial: &mut Trial<Map>, keys: &str) -> Ask {
    keys.chars().map(|key| trial.press(KeyCode::Char(key))).last().unwrap()
}

#[test]
fn it_looks_as_drawn() {
    let mut trial = settled();
    let beside = trial.shown_as(42, 33, false);
    assert!(beside.starts_with("── Map ──────────────────────── PCA 99% ──\n"), "{beside}");
    let foot = " ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄
 + − zoom   arrows pan   ⏎ select
 distances on a 2-D map mislead; trust the
 numbers in the matrix";
    assert!(beside.ends_with(foot), "{beside}");
    assert_eq!(beside.matches('●').count(), 7, "{beside}");
    assert!(beside.contains("◆A") && beside.contains("●H"), "{beside}");
    let alone = trial.shown(80, 21);
    let foot = " ◆ A  refund within 30 days
 nearest  H 0.99  B 0.99  C 0.93  D 0.43  E 0.34  G 0.14
 + − zoom   arrows pan   ⏎ pair
 distances on a 2-D map mislead; trust the numbers in the matrix";
    assert!(alone.ends_with(foot), "{alone}");
    let low = trial.shown(40, 9);
    assert!(low.contains("◆A B") && low.contains("●F G"), "names in one cell stand side by side: {low}");
    let foot = " ◆ A  refund within 30 days
 nearest  H 0.99  B 0.99  C 0.93  D 0.43
 2-D distances mislead: trust numbers";
    assert!(low.ends_with(foot), "{low}");
    for (width, height) in (1..50).flat_map(|width| (1..20).map(move |height| (width, height))) {
        trial.shown(width, height);
    }
}

#[test]
fn keys_go_from_point_to_point_and_open_pairs() {
    let mut trial = settled();
    trial.shown(80, 21);
    assert_eq!(press(&mut trial, "h"), Ask::Go(7));
    let shown = trial.shown(80, 21);
    assert!(shown.contains("◆H") && shown.contains("◆ H  日本語: 返金について"), "{shown}");
    assert_eq!(trial.press(KeyCode::Enter), Ask::Pair(7, 0), "it and its nearest");
    assert_eq!(trial.settle(), 0);
    // Zoomed in to the chosen one, then away from it.
    assert_eq!(press(&mut trial, "++++"), Ask::Nothing);
    let shown = trial.shown(80, 21);
    assert!(shown.contains("5.1× · PCA 99%") && shown.contains("◆H"), "{shown}");
    for _ in 0..12 {
        trial.press(KeyCode::Left);
        trial.press(KeyCode::Down);
    }
    let shown = trial.shown(80, 21);
    assert!(!shown.contains("◆H") && shown.contains("⏎ select"), "{shown}");
    let Ask::Go(row @ (5 | 6)) = trial.press(KeyCode::Enter) else { panic!("what is there") };
    let shown = trial.shown(80, 21);
    assert!(shown.contains(&format!("◆{}", trial.read.letter(row))), "{shown}");
    assert_eq!(press(&mut trial, "0"), Ask::Nothing);
    assert!(!trial.shown(80, 21).contains('×'));
    assert_eq!(press(&mut trial, "z"), Ask::Ignored);
    assert_eq!(trial.press(KeyCode::Esc), Ask::Close);
}

#[test]
fn it_is_summed_up_once_for_the_vectors_that_are_there() {
    let mut trial = settled();
    trial.fresh();
    assert_eq!(trial.settle(), 0, "known");
    // A vector comes while the sum is under way: it is left to its end, and what is known stays.
    let more = || {
        let mut table = Table::new(8);
        (0..8).for_each(|row| table.set(row, &[row as f32, 1.0, 0.5]));
        table
    };
    set(&mut trial.read, more());
    trial.fresh();
    let first = trial.asked();
    set(&mut trial.read, more());
    trial.fresh();
    assert_eq!((first.len(), trial.effects.len()), (1, 0));
    assert!(trial.shown(80, 21).contains("PCA 99%"), "the last one is shown until then");
    let done = Done::Figures(crate::vectors::figures(&first[0].1, &|_, _| true).unwrap());
    assert!(trial.says(first[0].0, &done));
    assert!(!trial.says(first[0].0, &done), "one answer");
    assert_eq!(trial.settle(), 1, "and once more with what came");
    // Other texts: points of others would have their names.
    trial.read.texts.swap(0, 1);
    set(&mut trial.read, more());
    trial.fresh();
    assert!(!trial.shown(80, 21).contains('●'));
    assert_eq!(trial.settle(), 1);
}

#[test]
fn what_has_no_place_is_counted_and_why_there_is_no_map_is_said() {
    let mut some = eight();
    let mut table = Table::new(8);
    (0..6).for_each(|row| table.set(row, &[row as f32, 1.0, if row == 5 { f32::NAN } else { 0.5 }]));
    set(&mut some, table);
    some.cursor.0 = 7;
    let mut trial = Trial::<Map>::new(some);
    trial.fresh();
    trial.settle();
    let shown = trial.shown(80, 21);
    assert!(shown.contains("3 texts have no place") && shown.contains("— H "), "{shown}");
    let mut one = Trial::<Map>::new(read(&[("a", &[1.0])]));
    one.fresh();
    assert_eq!(one.settle(), 0);
    assert!(one.shown(60, 9).contains("A map needs two texts"));
    let mut none = Trial::<Map>::new(read(&[("a", &[]), ("b", &[])]));
    none.fresh();
    assert!(none.shown(60, 9).contains("^R embeds the texts"));
    let mut failed = Trial::<Map>::new(eight());
    failed.fresh();
    assert!(failed.shown(60, 9).contains("░"), "it is on its way");
    let (ticket, _) = failed.asked().remove(0);
    assert!(failed.says(ticket, &Done::Failed("no \u{1b}[2J memory".into())));
    failed.fresh();
    assert_eq!(failed.effects.len(), 0, "it would fail again");
    assert!(failed.shown(60, 9).contains("✕ no ␛[2J memory"));
}

#[test]
fn of_a_long_list_the_nearest_are_summed_up_for_the_text_under_the_cursor() {
    let words: Vec<(String, [f32; 2])> = (0..=MATRIX)
        .map(|row| (format!("text {row}"), [(row as f32 / 400.0).cos(), (row as f32 / 400.0).sin()]))
        .collect();
    let texts: Vec<(&str, &[f32])> = words.iter().map(|(text, vector)| (text.as_str(), &vector[..])).collect();
    let mut trial = Trial::<Map>::new(read(&texts));
    trial.fresh();
    assert_eq!(trial.settle(), 2, "the map, and the nearest");
    let shown = trial.shown(80, 21);
    assert!(shown.contains('⠁') || shown.contains('⠈') || shown.contains('⡀'), "dots: {shown}");
    assert!(shown.contains("◆1") && shown.contains("nearest  2 1.00  3 1.00"), "{shown}");
    let Ask::Go(row) = press(&mut trial, "h") else { panic!("there are points") };
    assert_eq!(trial.settle(), 1);
    assert!(trial.shown(80, 21).contains(&format!("◆ {}  text {row}", row + 1)));
    trial.fresh();
    assert_eq!(trial.settle(), 0);
}
