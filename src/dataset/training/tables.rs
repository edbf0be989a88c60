//! Tables with other column names, in other encodings, with inconsistent labels.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::{Preparation, lint};
use crate::record::training::{CheckReport, Mapping, ProblemKind, RepairKind, RowForm, Task};

fn file(name: &str, text: impl AsRef<[u8]>) -> (tempfile::TempDir, PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join(name);
    std::fs::write(&path, text).unwrap();
    (home, path)
}

fn checked(path: &Path, mappings: &[Mapping]) -> CheckReport {
    lint(path, "ada", false, mappings, &mut |_, _| true).unwrap()
}

fn written(path: &Path, report: &CheckReport) -> String {
    let advised = report.repairs.iter().filter(|repair| repair.advised);
    let repairs: Vec<_> = advised.map(|repair| repair.kind.clone()).collect();
    let mapping = report.mapping.as_ref();
    let prepared = Preparation::new(path, ("ada", false), mapping, &repairs, None, &mut |_, _| true).unwrap();
    let mut to = Vec::new();
    prepared.write(0, &mut to, &mut |_, _| true).unwrap();
    String::from_utf8(to).unwrap()
}

/// Returns a table of thirty letters to a shop, in two queues.
fn letters() -> String {
    let mut text = "Id;Subject;Text;Queue\n".to_owned();
    for n in 0..30 {
        let queue = if n % 2 == 0 { "Billing" } else { "Sales" };
        writeln!(text, "{n};Grüße {n};Letter {n} is about café {n};{queue}").unwrap();
    }
    text
}

#[test]
fn the_columns_of_a_table_are_guessed_and_can_be_chosen() {
    let (_home, path) = file("a.csv", letters());
    let found = checked(&path, &[]);
    assert_eq!((found.rows, found.valid, found.problems.len(), found.guessed), (30, 30, 0, true));
    assert_eq!(found.task, Some(Task::Classification));
    let names: Vec<_> = found.columns.iter().map(|column| column.name.line()).collect();
    assert_eq!(names, ["Id", "Subject", "Text", "Queue"]);
    let values: Vec<_> = found.columns[3].values.iter().map(|value| value.line()).collect();
    assert_eq!(values, ["Billing", "Sales"]);
    let guess = found.mapping.clone().unwrap();
    assert_eq!((guess.prompt.as_str(), guess.completion.as_str()), ("{Text}", "{Queue}"));
    let first = "{\"prompt\":\"Letter 0 is about café 0 ->\",\"completion\":\" Billing\"}\n";
    assert!(written(&path, &found).starts_with(first), "{}", written(&path, &found));

    let template = Mapping { prompt: "Subject: {Subject}\n{Text}".into(), ..guess.clone() };
    let found = checked(&path, std::slice::from_ref(&template));
    assert_eq!((found.guessed, found.mapping.as_ref()), (false, Some(&template)));
    let text = written(&path, &found);
    assert!(text.starts_with(r#"{"prompt":"Subject: Grüße 0\nLetter 0 is about café 0"#), "{text}");

    let chat = Mapping { chat: true, system: "Sort the letter.".into(), ..guess.clone() };
    let found = checked(&path, &[chat]);
    assert_eq!((found.form, found.valid), (Some(RowForm::Chats), 30));
    let line = written(&path, &found).lines().next().unwrap().to_owned();
    let row: serde_json::Value = serde_json::from_str(&line).unwrap();
    let roles: Vec<_> = row["messages"].as_array().unwrap().iter().map(|said| said["role"].clone()).collect();
    assert_eq!(roles, ["system", "user", "assistant"]);
    assert_eq!(row["messages"][2]["content"], "Billing");

    // A mapping of other columns is ignored.
    let other = Mapping { columns: vec!["a".into()], ..guess.clone() };
    assert_eq!(checked(&path, &[other]).mapping, Some(guess));
}

#[test]
fn objects_with_any_keys_are_rows() {
    let row = |n: u32| format!("{{\"id\":{n},\"q\":\"What is {n} and {n}?\",\"a\":{}}}\n", n + n);
    let rows = (0..9).map(row).collect::<Vec<_>>().concat();
    let array = format!("[{}]", rows.trim().replace('\n', ","));
    for (name, text) in [("a.jsonl", &rows), ("a.json", &array)] {
        let (_home, path) = file(name, text);
        let found = checked(&path, &[]);
        let columns = vec!["id".to_owned(), "q".into(), "a".into()];
        let mapping = Mapping { columns, prompt: "{q}".into(), completion: "{a}".into(), ..Mapping::default() };
        let found = if found.mapping.as_ref() == Some(&mapping) { found } else { checked(&path, &[mapping]) };
        assert_eq!((found.rows, found.valid, found.problems.len()), (9, 9, 0), "{:?}", found.problems);
        assert!(written(&path, &found).contains(r#"{"prompt":"What is 8 and 8?","completion":" 16"#));
    }
}

#[test]
fn other_encodings_are_read() {
    let text = letters();
    let wide = |bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    let marked = |bytes: Vec<u8>, mark: [u8; 2]| [mark.to_vec(), bytes].concat();
    let (latin, _, _) = encoding_rs::WINDOWS_1252.encode(&text);
    for (bytes, encoding) in [
        (text.clone().into_bytes(), "UTF-8"),
        (marked(wide(u16::to_le_bytes), [0xFF, 0xFE]), "UTF-16LE"),
        (marked(wide(u16::to_be_bytes), [0xFE, 0xFF]), "UTF-16BE"),
        (wide(u16::to_le_bytes), "UTF-16LE"),
        (wide(u16::to_be_bytes), "UTF-16BE"),
        (latin.into_owned(), "windows-1252"),
    ] {
        let (_home, path) = file("a.csv", &bytes);
        let found = checked(&path, &[]);
        assert_eq!((found.encoding, found.rows, found.valid), (encoding, 30, 30));
        assert_eq!(found.bytes, bytes.len() as u64);
        assert!(written(&path, &found).contains("Letter 3 is about café 3"), "{encoding}");
    }
    // The only character above ASCII is the last byte.
    let (_home, path) = file("a.csv", [b"prompt,completion\nWhere?,bar\nWhen?,caf\xE9".as_slice()].concat());
    assert_eq!(checked(&path, &[]).encoding, "windows-1252");
    // One damaged row among others in UTF-8 concerns only that row.
    let damaged = [text.as_bytes(), b"31;a;b\xff;Sales\n"].concat();
    let (_home, path) = file("a.csv", damaged);
    let found = checked(&path, &[]);
    assert_eq!((found.encoding, found.valid, found.rows), ("UTF-8", 30, 31));
}

#[test]
fn labels_and_prompts_are_cleaned() {
    let mut text = letters();
    text += "30;s;A letter about money; billing \n31;s;A letter about goods;SALES\n32;s;Another about money;Biling\n";
    text += "33;s;A letter about money;Sales\n34;s; ;Sales\n35;s;One more about money;Billing \n";
    let (_home, path) = file("a.csv", text);
    let found = checked(&path, &[]);
    let of = |kind| -> Vec<u64> {
        found.problems.iter().filter(|problem| problem.kind == kind).map(|problem| problem.line).collect()
    };
    assert_eq!(of(ProblemKind::Label), [32, 33, 34, 37]);
    assert_eq!(of(ProblemKind::Contradiction), [35]);
    assert_eq!(of(ProblemKind::BlankPrompt), [36]);
    let count = |wanted: fn(&RepairKind) -> bool| {
        found.repairs.iter().find(|repair| wanted(&repair.kind)).map(|repair| (repair.rows, repair.necessary))
    };
    assert_eq!(count(|kind| matches!(kind, RepairKind::Labels { .. })), Some((4, false)));
    assert_eq!(count(|kind| *kind == RepairKind::Contradictions), Some((1, false)));
    assert_eq!(count(|kind| *kind == RepairKind::BlankPrompts), Some((1, false)));
    let all = written(&path, &found);
    assert_eq!(all.lines().count(), 34);
    let labels: std::collections::BTreeSet<_> =
        all.lines().map(|line| line.split("completion").nth(1).unwrap()).collect();
    assert_eq!(labels.into_iter().collect::<Vec<_>>(), ["\":\" Billing\"}", "\":\" Sales\"}"]);
    assert!(all.contains(r#"{"prompt":"A letter about money ->","completion":" Billing"}"#));
}

#[test]
fn columns_without_a_name_of_their_own_are_told_apart() {
    let mut text = "Text,Text,,Queue,\n".to_owned();
    for n in 0..9 {
        let c = char::from(b'a' + n);
        writeln!(text, "{c} first {c},{c} second {c},{c} third {c},{c} fourth {c},{c} fifth {c}").unwrap();
    }
    let (_home, path) = file("a.csv", text);
    let columns: Vec<String> =
        checked(&path, &[]).columns.iter().map(|column| column.name.line().into_owned()).collect();
    assert_eq!(columns, ["Text", "Text (2)", "column 3", "Queue", "column 5"]);
    for (prompt, completion, line) in [
        ("{Text}", "{Text (2)}", r#"{"prompt":"a first a ->","completion":" a second a"#),
        ("{Text (2)}", "{column 3}", r#"{"prompt":"a second a ->","completion":" a third a"#),
        ("{column 5}", "{Queue}", r#"{"prompt":"a fifth a ->","completion":" a fourth a"#),
    ] {
        let (prompt, completion) = (prompt.to_owned(), completion.to_owned());
        let mapping = Mapping { columns: columns.clone(), prompt, completion, ..Mapping::default() };
        let found = checked(&path, std::slice::from_ref(&mapping));
        assert_eq!(found.mapping, Some(mapping));
        let all = written(&path, &found);
        assert!(all.starts_with(line), "{all}");
    }
}

#[test]
fn characters_that_cannot_be_read_are_counted() {
    let mut wide: Vec<u16> = letters().encode_utf16().collect();
    // Half a character in the row of letter 3 and another in the last one.
    let third = wide.windows(2).position(|pair| pair == [u16::from(b'3'), u16::from(b';')]).unwrap();
    wide.insert(third + 2, 0xD800);
    wide.insert(wide.len() - 1, 0xDC00);
    let bytes: Vec<u8> = std::iter::once(0xFEFF).chain(wide).flat_map(u16::to_le_bytes).collect();
    let (_home, path) = file("a.csv", bytes);
    let found = checked(&path, &[]);
    let bad = found.problems.iter().filter(|problem| problem.kind == ProblemKind::Encoding);
    let bad: Vec<_> = bad.map(|problem| (problem.line, problem.words.line().into_owned())).collect();
    let words = "a character that is not valid UTF-16LE was replaced by �".to_owned();
    assert_eq!(bad, [(5, words.clone()), (31, words)]);
    assert!(found.counts.contains(&(ProblemKind::Encoding, 2)));
}

#[test]
fn a_long_file_of_plain_letters_tells_how_far_it_is_and_can_be_stopped() {
    let row = format!("{{\"prompt\":\"{}\",\"completion\":\" b\"}}\n", "a".repeat(1_000_000));
    let (_home, path) = file("a.jsonl", row.repeat(20));
    let mut moves = 0;
    let stopped = lint(&path, "ada", false, &[], &mut |_, _| {
        moves += 1;
        moves < 2
    });
    assert_eq!(stopped.unwrap_err(), super::limits::STOPPED);
    let mut first = None;
    let found = lint(&path, "ada", false, &[], &mut |done, total| {
        first.get_or_insert((done, total));
        true
    });
    assert_eq!(found.unwrap().rows, 20);
    let (done, total) = first.unwrap();
    assert!(done > 10 << 20 && total == 20 * row.len() as u64, "the encoding is looked for first: {done} of {total}");
}

#[test]
fn contradictions_go_as_they_were_found_and_as_they_are_sent() {
    let mut text = "Text,Queue\n".to_owned();
    for n in 0..30 {
        writeln!(text, "Letter {n} is about it,{}", if n % 2 == 0 { "Billing" } else { "Sales" }).unwrap();
    }
    // The same prompt except for blanks, before the end that is added.
    text += "Letter 0 is about it  ,Sales\n";
    let (_home, path) = file("a.csv", &text);
    let found = checked(&path, &[]);
    let repair = found.repairs.iter().find(|repair| repair.kind == RepairKind::Contradictions);
    assert_eq!(repair.map(|repair| repair.rows), Some(1));
    assert!(found.repairs.iter().any(|repair| matches!(repair.kind, RepairKind::PromptSuffix(_))));
    assert_eq!(written(&path, &found).lines().count(), 30);

    // Prompts that become equal in lower case.
    let loud = "LETTER 1 IS ABOUT IT,Billing\nLETTER 3 IS ABOUT IT,Sales\n";
    let (_home, path) = file("b.csv", text.clone() + loud);
    let found = checked(&path, &[]);
    let kinds = [RepairKind::Contradictions, RepairKind::LowerPrompts];
    let mapping = found.mapping.as_ref();
    let prepared = Preparation::new(&path, ("ada", false), mapping, &kinds, None, &mut |_, _| true).unwrap();
    assert_eq!(prepared.left_out(), 2);
}

#[test]
fn conversations_that_no_job_takes_are_found() {
    let said =
        |messages: &str| format!("{{\"messages\":[{messages},{{\"role\":\"assistant\",\"content\":\"ok\"}}]}}\n");
    let user = r#"{"role":"user","content":"a"}"#;
    let call = |arguments: &str| {
        format!(
            r#"{user},{{"role":"assistant","content":null,"tool_calls":[{{"id":"c1","type":"function","function":{{"name":"f","arguments":"{arguments}"}}}}]}}"#
        )
    };
    let text = [
        said(user),
        said(&format!(r#"{user},{{"role":"assistant","content":"b","weight":2}}"#)),
        said(r#"{"role":"user","content":null}"#),
        format!("{{\"messages\":[{{\"role\":\"assistant\",\"content\":\"b\"}},{user}]}}\n"),
        said(&format!(r#"{},{{"role":"tool","tool_call_id":"c2","content":"x"}}"#, call("{}"))),
        said(&format!(r#"{},{{"role":"tool","tool_call_id":"c1","content":"x"}}"#, call("{}"))),
        said(&call("{oops")),
        said(&format!(r#"{user},{{"role":"function","content":"x"}}"#)),
    ];
    let (_home, path) = file("a.jsonl", text.concat());
    let found = lint(&path, "gpt-3.5-turbo", false, &[], &mut |_, _| true).unwrap();
    let problems: Vec<_> = found.problems.iter().map(|problem| (problem.line, problem.kind)).collect();
    use ProblemKind as P;
    let expected =
        [(2, P::WrongType), (3, P::WrongType), (4, P::Form), (5, P::Form), (7, P::NotJson), (8, P::MissingKey)];
    assert_eq!(problems, expected, "{:?}", found.problems);
    assert_eq!(found.valid, 3, "what ends with the user teaches all the same");
}

#[test]
fn a_preference_file_is_named_as_such() {
    let row = |n: usize| format!("{{\"prompt\":\"p {n}\",\"chosen\":\"good {n}\",\"rejected\":\"bad {n}\"}}\n");
    let (_home, path) = file("a.jsonl", (0..9).map(row).collect::<String>());
    let found = checked(&path, &[]);
    assert!(found.advice.iter().any(|advice| advice.contains("preference (DPO) file")));
    let mapping = found.mapping.unwrap();
    assert_eq!((mapping.prompt.as_str(), mapping.completion.as_str()), ("{prompt}", "{chosen}"));
}
