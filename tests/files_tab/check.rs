//! The check page: its words do not contradict each other, and every text on it can be read as a whole.

use benchtop::app::Event;
use benchtop::component::Notice;
use benchtop::record::training::{
    CheckReport, Problem, ProblemKind, Repair, RepairKind, RowForm, TokenFigures, TrainingFormat,
};

use crate::desk::Desk;

/// Returns the report of a sound workbook with a problem, a repair and figures; the texts of both are too long for any
/// line.
fn report() -> CheckReport {
    let long = |of: &str| format!("{of} begins here, {}and ends here", "goes on and on, ".repeat(20));
    CheckReport {
        source: TrainingFormat::Xlsx,
        encoding: "UTF-8",
        rows: 10,
        valid: 10,
        form: Some(RowForm::Pairs),
        problems: vec![Problem {
            line: 7,
            column: 1,
            at: None,
            kind: ProblemKind::Duplicate,
            words: long("the problem").into(),
        }],
        counts: vec![(ProblemKind::Duplicate, 1)],
        repairs: vec![Repair {
            kind: RepairKind::Duplicates,
            words: long("the repair").into(),
            necessary: false,
            advised: true,
            rows: 1,
            samples: Vec::new(),
            note: None,
        }],
        tokens: TokenFigures {
            sampled: 10,
            min: 5,
            median: 6,
            max: 90,
            total: 100,
            bars: vec![(8, 9), (128, 1)],
            ..TokenFigures::default()
        },
        ..CheckReport::default()
    }
}

fn opened(size: (u16, u16)) -> Desk {
    let mut desk = Desk::new();
    desk.size = size;
    desk.reports.insert("small.jsonl".to_owned(), report());
    desk.press("/small\nv");
    desk
}

#[test]
fn good_rows_have_warnings_and_no_problems() {
    let mut desk = opened((120, 36));
    let head = desk.line("all 10 rows can be used");
    assert!(
        head.contains("✓ all 10 rows can be used") && head.contains("! 1 warning") && !head.contains('✕'),
        "{head}"
    );
}

#[test]
fn enter_opens_the_whole_text_of_a_problem_and_of_a_repair() {
    for size in [(120, 36), (80, 24), (40, 12)] {
        let mut desk = opened(size);
        desk.press("\n");
        desk.shows("the problem begins");
        read_to_the_end(&mut desk, "ends here");
        desk.press("\u{1b}");
        desk.shows("Problems");
        desk.press("\t\n");
        desk.shows("the repair begins");
        read_to_the_end(&mut desk, "ends here");
        desk.press("\n");
        desk.shows("Repairs");
    }
}

fn read_to_the_end(desk: &mut Desk, end: &str) {
    desk.press(&"j".repeat(30));
    desk.shows(end);
}

#[test]
fn the_whole_text_is_scrolled_to_its_ends() {
    let mut desk = opened((40, 12));
    desk.press("\nG");
    desk.shows("ends here");
    desk.hides("the problem begins");
    desk.press("g");
    desk.shows("the problem begins");
}

#[test]
fn where_there_is_room_long_texts_are_not_cut() {
    let mut desk = opened((120, 36));
    desk.shows("and ends here");
    let ends = desk.screen().matches("and ends here").count();
    assert_eq!(ends, 2, "of the problem and of the repair:\n{}", desk.screen());
}

#[test]
fn the_bars_of_tokens_stand_under_the_tokens() {
    let mut desk = opened((120, 36));
    let lines = desk.lines();
    let row = |words: &str| lines.iter().position(|line| line.contains(words)).unwrap_or_else(|| panic!("{words}"));
    assert!(row("tokens    min 5") < row("≤8 ") && row("≤128 ") < row("repeated  1 row"), "{}", lines.join("\n"));
}

#[test]
fn esc_closes_the_whole_text_before_it_dismisses_an_error() {
    let mut desk = opened((80, 24));
    desk.press("\n");
    desk.event(Event::Notice(Notice::error("it is gone")));
    desk.press("\u{1b}");
    desk.shows("Problems");
    desk.shows("it is gone");
    desk.press("\u{1b}");
    desk.hides("it is gone");
    desk.shows("Problems");
}

#[test]
fn keys_are_called_what_they_would_do_now() {
    let mut desk = opened((120, 36));
    desk.shows("n next · N previous");
    desk.press("\t");
    desk.shows("space reject");
    desk.press(" ");
    desk.shows("space accept");
    desk.press("\t");
    desk.shows("s hold rows out");
    desk.press("s");
    desk.shows("s hold none out");
}

#[test]
fn a_repair_that_is_required_is_not_offered_to_be_rejected() {
    let mut report = report();
    report.repairs[0].necessary = true;
    let mut desk = Desk::new();
    desk.size = (120, 36);
    desk.reports.insert("small.jsonl".to_owned(), report);
    desk.press("/small\nv\t");
    desk.hides("space reject");
    desk.press(" ");
    desk.shows("the file cannot be used without this repair");
}

#[test]
fn a_problem_of_a_whole_row_has_no_column() {
    let mut report = report();
    report.problems[0].words = "duplicate of line 1".into();
    report.problems.push(Problem {
        line: 8,
        column: 12,
        words: "a comma is missing".into(),
        ..report.problems[0].clone()
    });
    let mut desk = Desk::new();
    desk.size = (120, 36);
    desk.reports.insert("small.jsonl".to_owned(), report);
    desk.press("/small\nv");
    desk.shows("duplicate of line 1");
    desk.hides("(col 1)");
    desk.shows("a comma is missing (col 12)");
}

#[test]
fn a_blank_stands_before_the_arrow_of_rows_that_go_on() {
    for size in [(120, 36), (80, 24), (40, 12)] {
        for part in ["", "\t\t"] {
            let mut report = report();
            report.advice = vec!["and so on ".repeat(200).into()];
            report.problems = vec![report.problems[0].clone(); 60];
            report.counts[0].1 = 60;
            let mut desk = Desk::new();
            desk.size = size;
            desk.reports.insert("small.jsonl".to_owned(), report);
            desk.press(&format!("/small\nv{part}"));
            let screen = desk.screen();
            let before: Vec<&str> = screen.split('↓').collect();
            let (_, before) = before.split_last().unwrap();
            assert!(!before.is_empty() && before.iter().all(|text| text.ends_with(' ')), "{screen}");
        }
    }
}
