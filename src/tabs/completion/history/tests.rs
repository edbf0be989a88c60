//! The tree, walked in both directions.

use proptest::prelude::*;

use super::*;

fn made(id: i64, parent: Option<i64>, made: Made, at: usize, removed: &str, inserted: &str) -> Step {
    let step = step(Id(id), Id(0), parent.map(Id), made, at, 0);
    Step { removed: removed.into(), inserted: inserted.into(), ..step }
}

fn change(at: usize, removed: &str, inserted: &str) -> Change {
    Change { at, removed: removed.into(), inserted: inserted.into() }
}

const RUN: Made = Made::Generated { run: Id(90), choice: 0 };

fn apply(text: &mut String, splices: Vec<Splice>) {
    for Splice { range, text: new } in splices {
        text.replace_range(range, new.raw());
    }
}

#[test]
fn undo_and_redo_cross_generations_and_branches_stay() {
    let mut history = EditHistory::default();
    history.push(made(1, None, Made::Typed, 0, "", "Once "));
    history.push(made(2, Some(1), RUN, 5, "", "upon a time"));
    let mut text = history.text();
    assert_eq!(text, "Once upon a time");
    assert_eq!(history.spans(), [GeneratedSpan { range: 5..16, step: Id(2), from: 0 }]);
    // Another token is picked in place of " a time", and the model continues.
    history.push(made(3, Some(2), Made::Picked, 9, " a time", " the"));
    history.push(made(4, Some(3), RUN, 13, "", " sea"));
    text = history.text();
    assert_eq!(text, "Once upon the sea");
    let pieces: Vec<_> = history.spans().iter().map(|span| (span.range.clone(), span.step.0)).collect();
    assert_eq!(pieces, [(5..9, 2), (9..13, 3), (13..17, 4)]);
    for (splices, wanted) in [(history.back(), "Once upon the"), (history.back(), "Once upon a time")] {
        apply(&mut text, splices.unwrap());
        assert_eq!(text, wanted);
    }
    assert_eq!(history.spans().len(), 1);
    apply(&mut text, history.forward().unwrap());
    assert_eq!((text.as_str(), history.text().as_str()), ("Once upon the", "Once upon the"));
    // From here something else is done; the first branch can be gone to.
    history.push(made(5, Some(3), RUN, 13, "", " road"));
    assert_eq!(history.branches_of(Id(5)), [Id(4), Id(5)]);
    text = history.text();
    apply(&mut text, history.go_to(Some(Id(4))));
    assert_eq!(text, "Once upon the sea");
    assert_eq!(history.latest_below(Id(1)), Id(4));
    while let Some(splices) = history.back() {
        apply(&mut text, splices);
    }
    assert_eq!((text.as_str(), history.current()), ("", None));
    while let Some(splices) = history.forward() {
        apply(&mut text, splices);
    }
    assert_eq!(text, "Once upon the sea", "forward is the way one came");
}

#[test]
fn what_is_typed_in_one_go_is_one_step() {
    let mut history = EditHistory::default();
    let fresh = |history: &EditHistory, id: i64, at: usize, removed: &str, inserted: &str| {
        made(id, history.current().map(|id| id.0), Made::Typed, at, removed, inserted)
    };
    for (id, (at, removed, inserted)) in
        (1..).zip([(0, "", "a"), (1, "", "b"), (2, "", "c"), (2, "c", ""), (2, "", "d")])
    {
        let step = fresh(&history, id, at, removed, inserted);
        history.typed(&change(at, removed, inserted), step);
    }
    assert_eq!((history.text().as_str(), history.len()), ("abd", 2), "what was deleted can come back");
    history.end_burst();
    for (id, (at, removed)) in (10..).zip([(2, "d"), (1, "b"), (0, "a")]) {
        let step = fresh(&history, id, at, removed, "");
        history.typed(&change(at, removed, ""), step);
    }
    assert_eq!((history.text().as_str(), history.len()), ("", 3));
    let mut text = String::new();
    apply(&mut text, history.back().unwrap());
    assert_eq!(text, "abd");
}

#[test]
fn typing_parts_and_cuts_generated_pieces_and_accepting_ends_them() {
    let mut history = EditHistory::default();
    history.push(made(1, None, RUN, 0, "", "abcdef"));
    history.push(made(2, Some(1), Made::Typed, 3, "", "XY"));
    let pieces = |history: &EditHistory| -> Vec<_> {
        history.spans().iter().map(|span| (span.range.clone(), span.from)).collect()
    };
    assert_eq!(pieces(&history), [(0..3, 0), (5..8, 3)]);
    history.push(made(3, Some(2), Made::Typed, 1, "bcXYd", ""));
    assert_eq!((history.text().as_str(), pieces(&history)), ("aef", vec![(0..1, 0), (1..3, 4)]));
    history.push(made(4, Some(3), Made::Accepted, 0, "", ""));
    assert_eq!(pieces(&history), []);
    assert_eq!(history.back(), Some(Vec::new()), "it changes no text");
    assert_eq!(pieces(&history), [(0..1, 0), (1..3, 4)]);
}

#[test]
fn a_running_step_grows_where_it_is_shown_and_elsewhere() {
    let mut history = EditHistory::default();
    history.push(made(1, None, Made::Typed, 0, "", "say : done"));
    history.push(made(2, Some(1), RUN, 4, "", ""));
    let splice = history.append(Id(2), &"hi".into()).unwrap();
    assert_eq!((splice.range, history.spans()[0].range.clone()), (4..4, 4..6));
    history.insert(made(3, Some(1), RUN, 4, "", ""));
    assert_eq!(history.append(Id(3), &"yo".into()), None);
    history.append(Id(2), &"!".into()).unwrap();
    assert_eq!((history.text().as_str(), history.spans().len()), ("say hi!: done", 1));
    history.go_to(Some(Id(3)));
    assert_eq!(history.text(), "say yo: done");
}

proptest! {
    #[test]
    fn any_walk_through_the_tree_gives_the_text_of_where_it_ends(
        moves in prop::collection::vec((0_u8..6, any::<prop::sample::Index>(), "[a-zé日\n]{0,6}"), 1..60)
    ) {
        let (mut history, mut text) = (EditHistory::default(), String::new());
        for (id, (what, index, new)) in (1..).zip(moves) {
            let bounds: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
            let at = bounds[index.index(bounds.len())];
            let end = bounds[bounds.len() - 1].min(*bounds.iter().find(|end| **end >= at + 3).unwrap_or(&text.len()));
            let parent = history.current().map(|id| id.0);
            match what {
                0 => if let Some(splices) = history.back() { apply(&mut text, splices); },
                1 => if let Some(splices) = history.forward() { apply(&mut text, splices); },
                2 => {
                    let known: Vec<Id> = (1..id).map(Id).filter(|id| history.step(*id).is_some()).collect();
                    if !known.is_empty() {
                        let to = known[index.index(known.len())];
                        let splices = history.go_to(Some(to));
                        apply(&mut text, splices);
                    }
                }
                3 => {
                    let removed = text[at..end].to_owned();
                    let step = made(id, parent, Made::Typed, at, &removed, &new);
                    history.typed(&change(at, &removed, &new), step);
                    text.replace_range(at..end, &new);
                }
                _ => {
                    history.push(made(id, parent, RUN, at, "", ""));
                    if let Some(splice) = history.append(Id(id), &new.as_str().into()) {
                        apply(&mut text, vec![splice]);
                    }
                }
            }
            prop_assert_eq!(&text, &history.text());
            for span in history.spans() {
                let step = history.step(span.step).unwrap();
                prop_assert_eq!(&text[span.range.clone()], &step.inserted.raw()[span.from..span.from + span.range.len()]);
            }
        }
    }
}
