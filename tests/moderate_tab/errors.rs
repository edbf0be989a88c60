//! The errors of a labelled file: all of them, by kind, as many as the evaluation counts.

use benchtop::record::{Bench, Id, Record, TextList, TextRow};

use crate::desk::{Desk, Disk};
use crate::replies::{FILM, SELF, THREAT};

/// Opens a file of these texts and labels, all checked.
fn checked(rows: &[(&str, Option<&str>)]) -> Desk {
    let disk = Disk::new();
    let list = TextList {
        id: Id(7),
        bench: Bench::Moderate,
        name: "posts.csv".into(),
        source: "/tmp/posts.csv".into(),
        created_ms: 1,
        updated_ms: 1,
        state: String::new(),
        rows: 0,
    };
    let row = |(at, (text, label)): (u32, &(&str, Option<&str>))| TextRow {
        id: Id(100 + i64::from(at)),
        place: at,
        name: "".into(),
        text: (*text).into(),
        label: label.map(Into::into),
    };
    disk.record(Record::TextList(Box::new(list)));
    disk.record(Record::TextRows { list: Id(7), rows: (0..).zip(rows).map(row).collect() });
    disk.record(Record::Setting("moderate.file".into(), "7".into()));
    let mut desk = Desk::on(&disk);
    desk.press("f");
    desk.news();
    desk.press("p");
    desk.serve();
    desk.settle();
    desk
}

/// Creates a checked file of which two rows are right, and the others two false positives, one false negative and one
/// in the wrong category.
fn labelled() -> Desk {
    checked(&[
        (THREAT, Some("harassment, harassment/threatening")),
        (FILM, None),
        ("Post 2 says where to find me.", None),
        ("Post 3 says where to find you.", Some("")),
        ("Post 4 says nothing.", Some("hate")),
        (SELF, Some("sexual, self-harm/intent")),
    ])
}

#[test]
fn a_file_lists_every_error_by_its_kind() {
    let mut desk = labelled();
    desk.press("D");
    desk.shows("errors 4: 2 false positive, 1 false negative, 1 wrong category");
    desk.shows("4 of 6 rows");
    desk.press("D");
    desk.shows("[2 false positive]");
    desk.shows("2 of 6 rows");
    desk.shows("Post 2 says");
    desk.shows("Post 3 says");
    desk.press("D");
    desk.shows("[1 false negative]");
    desk.shows("Post 4 says");
    desk.hides("Post 3 says");
    desk.press("D");
    desk.shows("[1 wrong category]");
    desk.shows("How do I stop thinking");
    desk.press("D");
    desk.shows("6 rows");
    desk.hides("false positive");
}

#[test]
fn kinds_of_error_that_no_row_has_are_passed_over_and_esc_shows_all_rows_again() {
    let mut desk = checked(&[(THREAT, None), ("Post 4 says nothing.", Some("hate")), ("Post 5 says nothing.", None)]);
    desk.press("DD");
    desk.shows("[1 false positive]");
    desk.press("D");
    desk.shows("[1 false negative]");
    desk.press("F");
    desk.shows("No rows match. esc shows all rows.");
    desk.press("\u{1b}");
    desk.shows("3 rows");
    desk.hides("false positive");
    desk.shows("Post 5 says nothing.");
    desk.press("DDD");
    desk.shows("[1 false negative]");
    desk.press("D");
    desk.shows("3 rows");
    desk.hides("false positive");
    desk.press("\u{1b}");
    desk.hides("posts.csv");
}

#[test]
fn the_list_of_errors_has_as_many_rows_as_the_evaluation_counts() {
    let mut desk = labelled();
    desk.press("e");
    let shown = desk.screen();
    let any = shown.lines().find(|line| line.contains("any category")).expect("a row for any category");
    let cells: Vec<&str> = any.split_whitespace().collect();
    let from = cells.iter().position(|cell| *cell == "—").expect("no threshold of its own");
    // Precision, recall, F1, then TP, FP, FN and TN.
    let counts = &cells[from + 4..from + 8];
    assert_eq!(counts, ["2", "2", "1", "1"], "{any}");
}

#[test]
fn pictures() {
    for (name, size) in [("wide", (120, 36)), ("medium", (80, 24)), ("narrow", (40, 12))] {
        let mut desk = labelled();
        desk.press("D");
        desk.size = size;
        insta::assert_snapshot!(format!("errors_{name}"), crate::pictures::picture(&mut desk));
    }
}
