//! The ranking as it is used.

use crossterm::event::KeyCode;

use super::super::pane_test::{PaneTest, of_model};
use super::*;
use crate::component::Effect;
use crate::record::work::Work;

fn four() -> PaneData {
    let texts = ["a refund within 30 days", "shipping costs", "reset login", "money back \u{202e}guarantee"];
    of_model(&texts, 2, vec![1.0, 0.0, 0.6, 0.8, 0.0, 1.0, 0.8, 0.6])
}

/// Types a text, has it embedded as this vector, and the texts ranked.
fn ranked(test: &mut PaneTest<QueryPane>, text: &str, vector: [f32; 2]) {
    for char in text.chars() {
        assert_eq!(test.press(KeyCode::Char(char)), Handled::Consumed);
    }
    assert!(matches!(test.press(KeyCode::Enter), Handled::Emit(PaneEvent::Embed(_))));
    test.with(|pane, cx| pane.vector(Ok(vector.into()), cx));
    assert_eq!(test.settle(), 1);
}

#[test]
fn a_text_ranks_the_others_and_ranked_again_it_says_what_moved() {
    let mut test = PaneTest::<QueryPane>::new(four());
    assert!(test.pane.typing());
    ranked(&mut test, "money", [1.0, 0.0]);
    assert_eq!(test.pane.ranked.iter().map(|ranked| ranked.row).collect::<Vec<_>>(), [0, 3, 1, 2]);
    assert!(test.pane.ranked.iter().all(|ranked| ranked.shift == RankShift::First));
    assert!(!test.pane.typing(), "the list has the keys");
    test.press(KeyCode::Char('i'));
    ranked(&mut test, " login", [0.0, 1.0]);
    assert!(
        test.pane.ranked.iter().all(|ranked| ranked.shift == RankShift::First),
        "another text says nothing of this one"
    );
    // The same text under another model; its vectors go before those of the other come.
    let vectors = test.data.table.take();
    test.data.key.model = "other".into();
    test.refresh();
    test.data.table = vectors;
    ranked(&mut test, "", [1.0, 0.0]);
    let told: Vec<_> = test.pane.ranked.iter().map(|ranked| (ranked.row, ranked.shift)).collect();
    assert_eq!(told, [(0, RankShift::Up(3)), (3, RankShift::Up(1)), (1, RankShift::Down(1)), (2, RankShift::Down(3))]);
    test.press(KeyCode::Char('j'));
    assert_eq!(test.press(KeyCode::Enter), Handled::Emit(PaneEvent::Go(3)));
    for size in [(120, 36), (80, 24), (40, 12)] {
        let shown = test.shown(size.0, size.1);
        for words in ["Rank by similarity to…", "money login", "1.000", "↑3", "↓1", "reset login"] {
            assert!(shown.contains(words), "{words:?} at {size:?}:\n{shown}");
        }
        assert!(!shown.contains('\u{202e}'));
    }
}

#[test]
fn keys_that_edit_the_line_are_not_the_tab_s() {
    let mut test = PaneTest::<QueryPane>::new(four());
    test.press(KeyCode::Char('a'));
    for key in [KeyCode::Left, KeyCode::Home, KeyCode::Right, KeyCode::End, KeyCode::Delete, KeyCode::PageDown] {
        assert_eq!(test.press(key), Handled::Consumed, "{key:?}");
    }
    assert_eq!(test.press(KeyCode::Tab), Handled::Ignored);
}

#[test]
fn what_cannot_be_ranked_says_why() {
    let mut test = PaneTest::<QueryPane>::new(four());
    assert_eq!(test.press(KeyCode::Enter), Handled::Consumed, "nothing is typed");
    test.with(|pane, cx| pane.paste("money", cx));
    assert!(matches!(test.press(KeyCode::Enter), Handled::Emit(PaneEvent::Embed(_))));
    test.with(|pane, cx| pane.vector(Err("the server does not answer".into()), cx));
    assert!(test.shown(80, 24).contains("✕ the server does not answer"));
    test.data.table = None;
    assert_eq!(test.press(KeyCode::Enter), Handled::Consumed);
    assert!(test.shown(80, 24).contains("the texts have no vectors yet"));
    assert_eq!(test.press(KeyCode::Esc), Handled::Emit(PaneEvent::Close));
}

#[test]
fn other_vectors_are_ranked_anew_and_those_of_another_model_are_let_go() {
    let mut test = PaneTest::<QueryPane>::new(four());
    ranked(&mut test, "money", [1.0, 0.0]);
    test.refresh();
    assert_eq!(test.effects, [], "the same is not asked for again");
    test.data.table = four().table;
    test.refresh();
    assert!(matches!(test.effects[..], [Effect::Work(_, Work::Vectors(VectorTask::Nearest { .. }))]));
    test.effects.clear();
    test.data.key.model = "other".into();
    test.refresh();
    assert!(matches!(test.effects[..], [Effect::Cancel(_)]));
    assert!(test.pane.ranked.is_empty() && !test.pane.line.is_empty(), "what was typed stays");
}

#[test]
fn any_size_can_be_drawn() {
    let mut test = PaneTest::<QueryPane>::new(four());
    ranked(&mut test, "money", [1.0, 0.0]);
    for size in [(1, 1), (7, 3), (8, 3), (20, 5), (200, 60)] {
        test.shown(size.0, size.1);
    }
}
