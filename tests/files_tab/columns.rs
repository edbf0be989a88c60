//! Columns of a table are chosen on the check page, and remembered.

use benchtop::app::Effect;
use benchtop::record::training::{CheckReport, CheckRequest, Mapping, RowForm, SourceColumn, TrainingFormat};
use benchtop::record::work::Work;

use crate::desk::{Desk, Disk};

/// Returns the report of a table with unknown column names.
fn table() -> CheckReport {
    let column = |name: &str, values: &[&str]| SourceColumn {
        name: name.into(),
        values: values.iter().map(|value| (*value).into()).collect(),
    };
    CheckReport {
        source: TrainingFormat::Csv,
        encoding: "UTF-16LE",
        rows: 300,
        valid: 300,
        form: Some(RowForm::Pairs),
        columns: vec![
            column("Subject", &["Help", "Again"]),
            column("Text", &["Where is it?"]),
            column("Queue", &["Billing", "Sales"]),
        ],
        mapping: Some(Mapping {
            columns: vec!["Subject".into(), "Text".into(), "Queue".into()],
            prompt: "{Text}".into(),
            completion: "{Queue}".into(),
            ..Mapping::default()
        }),
        guessed: true,
        ..CheckReport::default()
    }
}

fn last(desk: &Desk) -> CheckRequest {
    let check = desk.effects.iter().rev().find_map(|effect| match effect {
        Effect::Work(_, Work::Check(check)) => Some(check),
        _ => None,
    });
    (**check.expect("a file is checked")).clone()
}

fn opened(disk: &std::rc::Rc<Disk>) -> Desk {
    let mut desk = Desk::blank(disk);
    desk.reports.insert("small.jsonl".to_owned(), table());
    desk.press("/small\nv");
    desk
}

#[test]
fn columns_are_chosen_with_keys_and_remembered_for_the_same_header() {
    let disk = Disk::new();
    let mut desk = opened(&disk);
    desk.shows("guessed: prompt = {Text} · completion = {Queue}");
    desk.shows("CSV · UTF-16 · 300 rows");
    assert!(desk.line("Billing · Sales").contains("completion Queue"));
    assert_eq!(last(&desk).mappings, []);
    desk.press("p");
    let mapping = last(&desk).mappings.remove(0);
    assert_eq!((mapping.prompt.as_str(), mapping.completion.as_str()), ("{Subject}", "{Queue}"));
    assert_eq!(mapping.columns, ["Subject", "Text", "Queue"]);
    desk.press("jjp");
    let mapping = last(&desk).mappings.remove(0);
    assert_eq!((mapping.prompt.as_str(), mapping.completion.as_str()), ("{Queue}", ""), "a column has one use");

    // Another start knows it.
    let desk = opened(&disk);
    assert_eq!(last(&desk).mappings, [mapping]);
}

#[test]
fn a_template_of_several_columns_is_typed() {
    let mut desk = opened(&Disk::new());
    desk.press("t");
    desk.shows("stands for a column");
    desk.press("^uSubject: {Subject}\\n{Text}");
    desk.shows("Subject: {Subject}\\n{Text}");
    desk.press("\n");
    assert_eq!(last(&desk).mappings[0].prompt, "Subject: {Subject}\n{Text}");
    desk.press("t");
    desk.press("x\u{1b}");
    desk.hides("stands for a column");
    assert_eq!(last(&desk).mappings[0].prompt, "Subject: {Subject}\n{Text}", "esc keeps it as it was");
}

#[test]
fn a_half_typed_template_is_there_again() {
    let mut desk = opened(&Disk::new());
    desk.press("t");
    desk.press("^uSubject: {Sub\u{1b}");
    desk.hides("stands for a column");
    desk.press("T");
    desk.hides("Subject: {Sub");
    desk.press("\u{1b}t");
    desk.shows("Subject: {Sub");
    desk.press("ject}\n");
    assert_eq!(last(&desk).mappings[0].prompt, "Subject: {Subject}");
    desk.press("t");
    desk.press("\u{1b}");
    assert_eq!(last(&desk).mappings[0].prompt, "Subject: {Subject}", "nothing was changed, nothing is kept apart");
}

#[test]
fn a_template_that_a_column_takes_the_place_of_comes_back() {
    let mut desk = opened(&Disk::new());
    desk.press("t");
    desk.press("^uSubject: {Subject}\\n{Text}\n");
    desk.press("p");
    assert_eq!(last(&desk).mappings[0].prompt, "{Subject}");
    desk.shows("the template is kept: t brings it back");
    desk.press("t");
    desk.shows("Subject: {Subject}\\n{Text}");
    desk.press("\n");
    assert_eq!(last(&desk).mappings[0].prompt, "Subject: {Subject}\n{Text}");
    desk.press("T");
    desk.press("^uIt is {Queue}\n");
    desk.press("c");
    assert_eq!(last(&desk).mappings[0].completion, "{Subject}");
    desk.press("T\n");
    assert_eq!(last(&desk).mappings[0].completion, "It is {Queue}");
}

#[test]
fn rows_become_conversations() {
    let mut desk = opened(&Disk::new());
    desk.press("f");
    assert!(last(&desk).mappings[0].chat);
}
