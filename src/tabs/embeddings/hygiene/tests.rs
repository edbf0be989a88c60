//! What the vectors are said to be like.

use std::sync::Arc;

use crossterm::event::KeyCode;

use super::super::pane_test::{PaneTest, of_model};
use super::*;
use crate::record::VectorTable;

fn looked(data: PaneData) -> PaneTest<HygienePane> {
    let mut test = PaneTest::new(data);
    test.refresh();
    assert_eq!(test.settle(), 1);
    test
}

fn marks(test: &PaneTest<HygienePane>) -> String {
    let sign = |finding: &Finding| match finding.severity {
        Severity::Fine => '✓',
        Severity::Odd => '!',
        Severity::Wrong => '✕',
    };
    test.pane.findings.iter().map(sign).collect()
}

#[test]
fn good_vectors_are_well_in_every_respect() {
    let data = of_model(&["a", "b"], 2, vec![0.6, 0.8, 1.0, 0.0]);
    let mut test = looked(data);
    assert_eq!(marks(&test), "✓✓✓✓✓✓✓");
    for size in [(120, 36), (80, 24)] {
        let shown = test.shown(size.0, size.1);
        for words in ["✓ no problems", "✓ Texts", "✓ Norm", "1.000 – 1.000", "are identical", "No vector is all zeros"]
        {
            assert!(shown.contains(words), "{words:?} at {size:?}:\n{shown}");
        }
    }
    test.refresh();
    assert_eq!(test.effects, [], "the same vectors are not looked at twice");
}

#[test]
fn each_fault_is_named_with_what_it_means() {
    let mut data = of_model(&["a", "b", "c", "d", "e"], 2, Vec::new());
    let mut table = VectorTable::new(5);
    for (row, vector) in [(0, [3.0, 4.0]), (1, [0.0, 0.0]), (2, [f32::NAN, 1.0]), (4, [3.0, 4.0])] {
        table.set(row, &vector);
    }
    table.set(3, &[1.0]);
    (data.table, data.key.dimensions) = (Some(Arc::new(table)), Some(8));
    let mut test = looked(data);
    assert_eq!(marks(&test), "!✕✕!✕✕!");
    let shown = test.shown(120, 36);
    for words in [
        "4 of 5",
        "A quarter of the expected 8: were floats read as base64?",
        "✕ Other lengths",
        "! Norm",
        "In C.",
        "All zeros in B",
        "! Repeated",
    ] {
        assert!(shown.contains(words), "{words:?}:\n{shown}");
    }
    let rows: Vec<_> = test.pane.findings.iter().map(|finding| finding.row).collect();
    assert_eq!(rows, [Some(3), None, Some(3), None, Some(2), Some(1), None]);
    assert_eq!(test.press(KeyCode::Enter), Handled::Emit(PaneEvent::Go(3)));
    // The last one can be reached where few fit.
    test.type_("G");
    assert!(test.shown(40, 12).contains("! Repeated"));
    for size in [(1, 1), (8, 2), (20, 5), (200, 60)] {
        test.shown(size.0, size.1);
    }
}

#[test]
fn sparse_vectors_are_well_and_padded_ones_are_not() {
    let sparse = of_model(&["a", "b"], 4, vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(marks(&looked(sparse)), "✓✓✓✓✓✓✓");
    let mut numbers = vec![0.0; 32];
    (numbers[0], numbers[20]) = (1.0, 1.0);
    let padded = of_model(&["a", "b"], 16, numbers);
    let mut test = looked(padded);
    assert_eq!(marks(&test), "✓✓✓✓✓!✓");
    assert!(test.shown(80, 24).contains("The last 11 numbers of every vector are zero"));
}

#[test]
fn an_infinite_number_is_not_called_nan() {
    let data = of_model(&["a", "b"], 2, vec![1.0, 0.0, f32::INFINITY, 1.0]);
    let mut test = looked(data);
    let shown = test.shown(80, 24);
    for words in ["✓ Not a number", "✕ Infinite", "25%", "In B."] {
        assert!(shown.contains(words), "{words:?}:\n{shown}");
    }
}

#[test]
fn known_models_have_their_length() {
    let key = |model: &str, dimensions| VectorKey { profile: "work".into(), model: model.into(), dimensions };
    assert_eq!(expected(&key("text-embedding-ada-002", None)), Some(1_536));
    assert_eq!(expected(&key("text-similarity-davinci-001", None)), Some(12_288));
    assert_eq!(expected(&key("text-embedding-3-large", Some(256))), Some(256));
    assert_eq!(expected(&key("mine", None)), None);
    let imported = VectorKey { profile: "import/1".into(), ..key("text-embedding-ada-002", None) };
    assert_eq!(expected(&imported), None);
}

#[test]
fn without_vectors_it_says_what_to_do() {
    let data = of_model(&["a", "b"], 2, vec![0.6, 0.8, 1.0, 0.0]);
    let mut test = looked(data);
    test.data.table = None;
    test.refresh();
    assert!(test.shown(40, 12).contains("The texts have no vectors yet"));
}
