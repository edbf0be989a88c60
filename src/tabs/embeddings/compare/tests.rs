//! The comparison as it is used.

use super::*;
use crate::component::Effect;
use crate::tabs::embeddings::query::tests::{key, picture, read, sum, with};

fn four() -> Read {
    let texts = ["a refund", "shipping", "reset login", "money back"];
    read(&texts, 3, vec![1.0, 0.0, 0.0, 0.6, 0.8, 0.0, 0.0, 0.9, 0.4, 0.8, 0.0, 0.6])
}

/// Has the sum done that was asked for, and the ones that follow from it.
fn answered(pane: &mut Compare, read: &Read, effects: &[Effect]) {
    let mut effects = effects.to_vec();
    while effects.iter().any(|effect| matches!(effect, Effect::Work(..))) {
        let (ticket, sum) = sum(&effects);
        let figures = crate::vectors::figures(sum, &|_, _| true).unwrap();
        let (taken, more) = with(|cx| pane.worked(ticket, &Done::Figures(figures), read, cx));
        assert!(taken);
        effects = more;
    }
}

fn opened(read: &Read) -> Compare {
    let mut pane = Compare::default();
    let ((), effects) = with(|cx| pane.fresh(read, cx));
    assert_eq!(effects, []);
    pane
}

#[test]
fn a_cut_is_compared_with_the_whole() {
    let read = four();
    let mut pane = opened(&read);
    assert!(picture(&mut pane, &read, (80, 24)).contains("another model (m)"));
    let control_r = KeyEvent::new(KeyCode::Char('r'), KeyModifiers::CONTROL);
    assert_eq!(with(|cx| pane.key(control_r, &read, cx)).0, Ask::Ignored, "running the list is the tab's");
    key(&mut pane, KeyCode::Char('d'), &read);
    assert!(pane.typing());
    key(&mut pane, KeyCode::Backspace, &read);
    key(&mut pane, KeyCode::Char('x'), &read);
    key(&mut pane, KeyCode::Char('2'), &read);
    let (_, effects) = key(&mut pane, KeyCode::Enter, &read);
    assert!(matches!(sum(&effects).1, Sum::Cut { dimensions: 2, .. }));
    answered(&mut pane, &read, &effects);
    assert_eq!(pane.told.as_ref().map(|told| told.rows), Some(4));
    for size in [(120, 36), (80, 24), (40, 12)] {
        let shown = picture(&mut pane, &read, size);
        for words in ["embed-small · 3 numbers", "2  their first 2 numbers", "Spearman", "nearest 1", "moved", "B–D"]
        {
            assert!(shown.contains(words), "{words:?} at {size:?}:\n{shown}");
        }
    }
    let moved = pane.told.as_ref().unwrap().moved[0].pair;
    assert_eq!(key(&mut pane, KeyCode::Enter, &read).0, Ask::Pair(moved.0 as usize, moved.1 as usize));
    for size in [(1, 1), (10, 2), (20, 5), (200, 60)] {
        picture(&mut pane, &read, size);
    }
}

#[test]
fn a_length_that_cannot_be_is_refused() {
    let read = four();
    let mut pane = opened(&read);
    for typed in ["3", "0", "99999999999999999999"] {
        with(|cx| pane.cut(typed, cx));
        assert!(picture(&mut pane, &read, (80, 24)).contains("✕ choose a length from 1 to 2"), "{typed}");
    }
}

#[test]
fn another_model_is_asked_for_and_compared() {
    let read = four();
    let mut pane = opened(&read);
    assert_eq!(key(&mut pane, KeyCode::Char('m'), &read).0, Ask::Model);
    let (ask, _) = with(|cx| pane.chosen(&"embed-small".into(), &read, cx));
    assert_eq!(ask, Ask::Nothing);
    assert!(picture(&mut pane, &read, (80, 24)).contains("that is the model of these vectors"));
    let (ask, _) = with(|cx| pane.chosen(&"embed-large".into(), &read, cx));
    let Ask::Other(other) = ask else { panic!("{ask:?}") };
    assert_eq!((other.model.line().as_ref(), other.dimensions), ("embed-large", None));
    pane.moved(2, 4);
    assert!(picture(&mut pane, &read, (80, 24)).contains("2 of 4 texts"));
    with(|cx| pane.other(&other, Err("the server is busy".into()), &read, cx));
    assert!(picture(&mut pane, &read, (80, 24)).contains("✕ the server is busy"));
    assert_eq!(pane.hints(&read).first(), Some(&Hint::new("^R", "ask again")));
    let again = with(|cx| {
        let key = KeyEvent::new(KeyCode::Char('r'), KeyModifiers::CONTROL);
        pane.key(key, &read, cx)
    });
    assert_eq!(again.0, Ask::Other(other.clone()));
    let table = Arc::new(Table::of(2, vec![0.0, 1.0, 1.0, 0.0, 0.9, 0.1, 0.5, 0.5]));
    let ((), effects) = with(|cx| pane.other(&other, Ok(table), &read, cx));
    answered(&mut pane, &read, &effects);
    let shown = picture(&mut pane, &read, (80, 24));
    assert!(shown.contains("embed-large · 2 numbers") && shown.contains("Spearman"), "{shown}");
    // An answer to what is not compared any more changes nothing.
    let late = VectorKey { model: "late".into(), ..other };
    with(|cx| pane.other(&late, Err("late".into()), &read, cx));
    assert!(pane.told.is_some() && pane.why.is_none());
}

#[test]
fn other_vectors_are_compared_anew_and_other_texts_let_the_model_go() {
    let mut read = four();
    let mut pane = opened(&read);
    let (ask, _) = with(|cx| pane.chosen(&"embed-large".into(), &read, cx));
    let Ask::Other(other) = ask else { panic!("{ask:?}") };
    let table = Arc::new(Table::of(2, vec![0.0, 1.0, 1.0, 0.0, 0.9, 0.1, 0.5, 0.5]));
    let ((), effects) = with(|cx| pane.other(&other, Ok(table), &read, cx));
    answered(&mut pane, &read, &effects);
    read.table = four().table;
    let ((), effects) = with(|cx| pane.fresh(&read, cx));
    assert!(matches!(sum(&effects).1, Sum::Compare(..)));
    read.texts.pop();
    let ((), effects) = with(|cx| pane.fresh(&read, cx));
    assert!(matches!(effects[..], [Effect::Cancel(_)]), "{effects:?}");
    assert!(pane.told.is_none() && pane.other.is_none());
    assert!(picture(&mut pane, &read, (80, 24)).contains("^R"), "it says how to go on");
}
