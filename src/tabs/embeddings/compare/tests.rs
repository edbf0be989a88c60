//! The comparison as it is used.

use crossterm::event::{KeyCode, KeyModifiers};

use super::super::pane_test::{PaneTest, of_model};
use super::*;
use crate::component::Effect;

fn four() -> PaneData {
    let texts = ["a refund", "shipping", "reset login", "money back"];
    of_model(&texts, 3, vec![1.0, 0.0, 0.0, 0.6, 0.8, 0.0, 0.0, 0.9, 0.4, 0.8, 0.0, 0.6])
}

fn opened() -> PaneTest<ComparePane> {
    let mut test = PaneTest::new(four());
    test.refresh();
    assert_eq!(test.effects, []);
    test
}

fn again() -> KeyEvent {
    KeyEvent::new(KeyCode::Char('r'), KeyModifiers::CONTROL)
}

/// Returns vectors of another model.
fn others() -> Arc<VectorTable> {
    Arc::new(VectorTable::of(2, vec![0.0, 1.0, 1.0, 0.0, 0.9, 0.1, 0.5, 0.5]))
}

#[test]
fn a_cut_is_compared_with_the_whole() {
    let mut test = opened();
    assert!(test.shown(80, 24).contains("m compares with another model"));
    assert_eq!(test.press(again()), Handled::Ignored, "running the list is the tab's");
    test.press(KeyCode::Char('d'));
    assert!(test.pane.typing());
    test.press(KeyCode::Backspace);
    for letter in [KeyEvent::from(KeyCode::Char('x')), KeyEvent::new(KeyCode::Char('X'), KeyModifiers::SHIFT)] {
        test.press(letter);
        assert_eq!(test.pane.typing.as_ref().map(|line| line.text().len()), Some(0), "a length has digits alone");
    }
    test.press(KeyCode::Char('2'));
    test.press(KeyCode::Enter);
    let Some(Effect::Work(_, Work::Vectors(VectorTask::Cut { dimensions: 2, .. }))) = test.effects.first() else {
        panic!()
    };
    assert!(test.settle() > 0);
    assert_eq!(test.pane.agreement.as_ref().map(|agreement| agreement.rows), Some(4));
    for size in [(120, 36), (80, 24), (40, 12)] {
        let shown = test.shown(size.0, size.1);
        for words in ["embed-small · 3 numbers", "2  their first 2 numbers", "Spearman", "nearest 1", "moved", "B–D"]
        {
            assert!(shown.contains(words), "{words:?} at {size:?}:\n{shown}");
        }
    }
    let moved = test.pane.agreement.as_ref().unwrap().moved[0].pair;
    assert_eq!(test.press(KeyCode::Enter), Handled::Emit(PaneEvent::Pair(moved.0 as usize, moved.1 as usize)));
    for size in [(1, 1), (10, 2), (20, 5), (200, 60)] {
        test.shown(size.0, size.1);
    }
}

#[test]
fn a_length_that_cannot_be_is_refused() {
    let mut test = opened();
    for typed in ["3", "0", "99999999999999999999"] {
        test.with(|pane, cx| pane.cut(typed, cx));
        assert!(test.shown(80, 24).contains("✕ choose a length from 1 to 2"), "{typed}");
    }
}

#[test]
fn another_model_is_asked_for_and_compared() {
    let mut test = opened();
    assert_eq!(test.press(KeyCode::Char('m')), Handled::Emit(PaneEvent::ChooseModel));
    let ask = test.with(|pane, cx| pane.chosen(&"embed-small".into(), cx));
    assert_eq!(ask, Handled::Consumed);
    assert!(test.shown(80, 24).contains("these vectors are of that model"));
    let ask = test.with(|pane, cx| pane.chosen(&"embed-large".into(), cx));
    let Handled::Emit(PaneEvent::Other(other)) = ask else { panic!("{ask:?}") };
    assert_eq!((other.model.line().as_ref(), other.dimensions), ("embed-large", None));
    test.pane.moved(2, 4);
    assert!(test.shown(80, 24).contains("2 of 4 texts"));
    test.with(|pane, cx| pane.other(&other, Err("the server is busy".into()), cx));
    assert!(test.shown(80, 24).contains("✕ the server is busy"));
    assert_eq!(test.pane.hints().first(), Some(&Hint::new("^R", "retry")));
    assert_eq!(test.press(again()), Handled::Emit(PaneEvent::Other(other.clone())));
    test.with(|pane, cx| pane.other(&other, Ok(others()), cx));
    assert!(test.settle() > 0);
    let shown = test.shown(80, 24);
    assert!(shown.contains("embed-large · 2 numbers") && shown.contains("Spearman"), "{shown}");
    // An answer to what is not compared any more changes nothing.
    let late = VectorKey { model: "late".into(), ..other };
    test.with(|pane, cx| pane.other(&late, Err("late".into()), cx));
    assert!(test.pane.agreement.is_some() && test.pane.error.is_none());
}

#[test]
fn other_vectors_are_compared_anew_and_other_texts_let_the_model_go() {
    let mut test = opened();
    let ask = test.with(|pane, cx| pane.chosen(&"embed-large".into(), cx));
    let Handled::Emit(PaneEvent::Other(other)) = ask else { panic!("{ask:?}") };
    test.with(|pane, cx| pane.other(&other, Ok(others()), cx));
    assert!(test.settle() > 0);
    test.data.table = four().table;
    test.refresh();
    assert!(matches!(test.effects[..], [Effect::Work(_, Work::Vectors(VectorTask::Compare(..)))]));
    test.effects.clear();
    Arc::make_mut(&mut test.data.texts).pop();
    test.refresh();
    assert!(matches!(test.effects[..], [Effect::Cancel(_)]), "{:?}", test.effects);
    assert!(test.pane.agreement.is_none() && test.pane.other.is_none());
    assert!(test.shown(80, 24).contains("^R"), "it says how to go on");
}

#[test]
fn a_reply_of_another_kind_is_left_to_others_and_the_computation_goes_on() {
    let mut test = PaneTest::<ComparePane>::new(of_model(&["a", "b", "c", "d"], 4, vec![0.5; 16]));
    test.refresh();
    test.with(|pane, cx| pane.cut("2", cx));
    let (ticket, sum) = test.asked().remove(0);
    let mut response = Response::Store(crate::record::Stored::Committed);
    assert!(test.with(|pane, cx| pane.reply(ticket, &mut response, cx)).is_ignored());
    assert!(matches!(response, Response::Store(_)), "somebody else may take it");
    let done = crate::vectors::figures(&sum, &|_, _| true).unwrap();
    assert!(test.says(ticket, Done::Figures(done)));
}
