//! Exported files, read back.

use std::sync::Arc;
use std::sync::mpsc::channel;

use super::rows::cell;
use super::*;
use crate::api::call::Ticket;
use crate::record::answers::ScoredRow;
use crate::record::{Check, Id, TextKey, TextRow};
use crate::text::Untrusted;

fn course() -> Course {
    Course::new(Ticket(1), Arc::new(|_, _| ()))
}

fn row(place: u32, text: &str, label: Option<&str>) -> TextRow {
    TextRow { id: Id(i64::from(place)), place, name: "".into(), text: text.into(), label: label.map(Untrusted::from) }
}

fn check(text: &str, categories: &Arc<[Untrusted]>, scores: &[Option<f64>]) -> Check {
    Check {
        id: Id(1),
        text: TextKey::of(&text.into()),
        profile: "p".into(),
        asked: "latest".into(),
        model: "=model".into(),
        at_ms: 1_700_000_000_000,
        latency_ms: 1,
        flagged: scores.iter().flatten().any(|score| *score > 0.5),
        categories: Arc::clone(categories),
        scores: scores.into(),
        flags: scores.iter().map(|score| score.map(|score| score > 0.5)).collect(),
    }
}

fn results() -> Export {
    let categories: Arc<[Untrusted]> = ["hate", "hate_threatening", "hate/threatening"].map(Untrusted::from).into();
    let texts = ["=1+1", "a \"b\",\r\nc", "later"];
    let rows: Vec<TextRow> = (0..).zip(texts).map(|(at, text)| row(at, text, (at == 0).then_some("hate"))).collect();
    let checks = [
        Some(check(texts[0], &categories, &[Some(0.1), Some(0.750_000_000_1), None])),
        Some(check(texts[1], &categories, &[None, None, None])),
        None,
    ];
    let thresholds = [("hate".into(), 0.1), ("hate/threatening".into(), 0.8)];
    Export::Checks { rows: rows.into(), checks: checks.into(), thresholds: thresholds.into(), source: None }
}

fn written(form: Form, what: &Export) -> String {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("out").to_string_lossy().into_owned();
    let Done::Saved(path) = export(&path, form, what, &course()) else { panic!("not saved") };
    std::fs::read_to_string(path.raw()).unwrap()
}

#[test]
fn cells_that_a_spreadsheet_would_take_for_a_formula_are_marked() {
    for text in [
        "=1",
        "+1",
        "-1",
        "@a",
        "\t=1",
        "\ta",
        "\ra",
        "\na",
        " =1",
        "\u{a0}=1",
        "\u{3000}＝1",
        "＋1",
        "－1",
        "＠a",
        "−1",
        "\u{feff}=1",
        "\u{200b}=1",
        "\u{0}=1",
    ] {
        assert_eq!(cell(text), format!("'{text}"), "{text:?}");
    }
    for text in ["", "a=1", "1-1", "'=1", " a", "\"=1\"", "日本"] {
        assert_eq!(cell(text), text);
    }
}

#[test]
fn results_are_a_table_whose_cells_are_read_back() {
    let text = written(Form::Csv, &results());
    assert!(text.ends_with("\r\n") && text.starts_with("place,name,label,text,flagged,highest,highest score,hate,"));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let head: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    assert_eq!(
        head[7..],
        [
            "hate",
            "hate flagged",
            "hate threshold",
            "hate over threshold",
            "hate/threatening",
            "hate/threatening flagged",
            "hate/threatening threshold",
            "hate/threatening over threshold",
            "asked",
            "model",
            "checked"
        ]
    );
    let rows: Vec<Vec<String>> = reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
    assert_eq!(
        rows[0],
        [
            "1",
            "",
            "hate",
            "'=1+1",
            "true",
            "hate/threatening",
            "0.7500000001",
            "0.1",
            "false",
            "0.1",
            "true",
            "0.7500000001",
            "true",
            "0.8",
            "false",
            "latest",
            "'=model",
            "2023-11-14T22:13:20Z"
        ]
    );
    assert_eq!((rows[1][3].as_str(), rows[1][7].as_str(), rows[1][10].as_str()), ("a \"b\",\r\nc", "", ""));
    let (thresholds, results): (Vec<_>, Vec<_>) = rows[2][4..]
        .iter()
        .zip(&head[4..])
        .partition(|(_, head)| head.ends_with(" threshold") && !head.contains("over"));
    assert!(results.iter().all(|(cell, _)| cell.is_empty()), "what was not checked yet has no result");
    assert_eq!(thresholds.len(), 2);
}

#[test]
fn json_is_exact() {
    let json: serde_json::Value = serde_json::from_str(&written(Form::Json, &results())).unwrap();
    let rows = json["results"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["text"]), (3, &"=1+1".into()));
    assert_eq!(rows[1]["text"], "a \"b\",\r\nc");
    assert_eq!(rows[0]["check"]["categories"]["hate/threatening"]["score"], 0.750_000_000_1);
    assert_eq!(rows[0]["check"]["categories"]["hate_threatening"], serde_json::Value::Null, "one spelling");
    assert_eq!((&rows[2]["check"], &rows[2]["label"]), (&serde_json::Value::Null, &serde_json::Value::Null));
    assert_eq!(json["thresholds"]["hate/threatening"], 0.8);
}

#[test]
fn answers_of_two_models_are_guarded_in_csv_and_exact_in_json() {
    let row = |line: &str, prompt: &str, answers| ScoredRow {
        line: line.into(),
        prompt: prompt.into(),
        wanted: " =1".into(),
        answers,
        changed: "won",
    };
    let answers = [Some(("\u{feff}=1".into(), "no")), Some(("＝1".into(), "exact"))];
    let rows = Export::Scores([row("1", "a,\"b\"\nc", answers), row("2", "-1", [None, None])].into());
    let text = written(Form::Csv, &rows);
    assert!(text.starts_with("line,prompt,wanted,tuned,tuned_match,base,base_match,changed\r\n"), "{text}");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let read: Vec<Vec<String>> = reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
    assert_eq!(read[0], ["1", "a,\"b\"\nc", "' =1", "'\u{feff}=1", "no", "'＝1", "exact", "won"]);
    assert_eq!(read[1], ["2", "'-1", "' =1", "", "", "", "", "won"]);
    let text = written(Form::Json, &rows);
    let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), &lines[0]["tuned"], &lines[0]["base"]), (2, &"\u{feff}=1".into(), &"＝1".into()));
    assert_eq!((&lines[1]["prompt"], &lines[1]["tuned"]), (&"-1".into(), &serde_json::Value::Null));
}

#[test]
fn headers_are_spelled_the_same_whichever_models_answered() {
    let Export::Checks { rows, checks, thresholds, source } = results() else { panic!() };
    let other = |check: &Option<Check>| {
        let categories = ["hate", "hate_threatening", "self_harm"].map(Untrusted::from).into();
        check.clone().map(|check| Check { categories, ..check })
    };
    let checks = checks.iter().map(other).collect();
    let written = written(Form::Csv, &Export::Checks { rows, checks, thresholds, source });
    let head = written.lines().next().unwrap();
    assert!(head.contains(",hate,") && head.contains(",hate/threatening,") && head.contains(",self-harm,"), "{head}");
}

#[test]
fn a_file_is_new_for_its_user_alone_and_no_array() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("out.csv").to_string_lossy().into_owned();
    let names: Vec<String> = (0..2)
        .map(|_| match export(&path, Form::Csv, &results(), &course()) {
            Done::Saved(path) => path.line().rsplit('/').next().unwrap_or_default().to_owned(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(names, ["out.csv", "out (2).csv"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let Done::Failed(why) = export(&path, Form::Npy, &results(), &course()) else { panic!("no array") };
    assert!(why.contains("as CSV or JSON"));
    let (said, hears) = channel();
    let stopped = Course::new(Ticket(1), Arc::new(move |_, done| said.send(done).unwrap()));
    stopped.stop();
    assert!(matches!(export(&path, Form::Json, &results(), &stopped), Done::Failed(_)));
    assert!(hears.try_recv().is_err());
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 2, "nothing half is left");
}
