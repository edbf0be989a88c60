//! The check and the copy of whole files.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::{Preparation, lint};
use crate::dataset::{LineLimits, Row, check, examples};
use crate::record::training::{CheckReport, ProblemKind, Repair, RepairKind, RowForm, Split, Task, TrainingFormat};

/// Returns a file in a folder of its own.
fn file(name: &str, text: impl AsRef<[u8]>) -> (tempfile::TempDir, PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join(name);
    std::fs::write(&path, text).unwrap();
    (home, path)
}

fn report(name: &str, text: impl AsRef<[u8]>) -> CheckReport {
    let (_home, path) = file(name, text);
    lint(&path, "ada", false, &[], &mut |_, _| true).unwrap()
}

fn kinds(report: &CheckReport) -> Vec<(u64, u64, ProblemKind)> {
    report.problems.iter().map(|problem| (problem.line, problem.column, problem.kind)).collect()
}

fn words(report: &CheckReport) -> Vec<String> {
    report.problems.iter().map(|problem| problem.words.screen().into_owned()).collect()
}

fn repair(report: &CheckReport, wanted: impl Fn(&RepairKind) -> bool) -> Option<Repair> {
    report.repairs.iter().find(|repair| wanted(&repair.kind)).cloned()
}

fn advises(report: &CheckReport, words: &str) -> bool {
    report.advice.iter().any(|advice| advice.contains(words))
}

fn written(path: &Path, repairs: &[RepairKind], split: Option<Split>) -> Result<Vec<String>, String> {
    let prepared = Preparation::new(path, ("ada", false), None, repairs, split, &mut |_, _| true)?;
    let mut parts = Vec::new();
    for part in 0..prepared.parts() {
        let mut to = Vec::new();
        let written = prepared.write(part, &mut to, &mut |_, _| true).map_err(|why| why.to_string())?;
        assert_eq!(written.bytes, to.len() as u64);
        assert_eq!(written.rows, to.split(|byte| *byte == b'\n').count() as u64 - 1);
        parts.push(String::from_utf8(to).unwrap());
    }
    Ok(parts)
}

fn accepted(report: &CheckReport) -> Vec<RepairKind> {
    report.repairs.iter().map(|repair| repair.kind.clone()).collect()
}

/// Returns rows without faults.
fn fine(count: usize) -> String {
    let row = |n| format!("{{\"prompt\":\"{n} apples and {} ->\",\"completion\":\" {} fruits\\n\"}}\n", n * 7, n * 8);
    (0..count).map(row).collect()
}

#[test]
fn a_clean_file_has_no_problem() {
    let report = report("a.jsonl", fine(300));
    assert_eq!((report.rows, report.valid, report.problems.len(), report.counts.len()), (300, 300, 0, 0));
    assert_eq!(accepted(&report), []);
    assert_eq!(
        (report.form, report.source, report.task),
        (Some(RowForm::Pairs), TrainingFormat::Jsonl, Some(Task::Conditional))
    );
    assert_eq!((report.stop.is_none(), report.cut.is_none(), report.classes.count), (true, true, 0));
    assert_eq!((report.tokens.sampled, report.tokens.limit, report.tokens.over), (300, Some(2_048), 0));
    assert_eq!(report.tokens.bars.iter().map(|bar| bar.1).sum::<u64>(), 300);
    assert_eq!(report.seconds, Some(140 + 254));
    assert!(!advises(&report, "rows: a few hundred"));
}

#[test]
fn every_problem_has_its_line_and_column() {
    let good = r#"{"prompt":"ä","completion":"x"}"#;
    let lines: Vec<Vec<u8>> = vec![
        good.into(),
        r#"{"prompt":"ä","completion":"x",}"#.into(),
        b"".to_vec(),
        r#"{"prompt":"ä","completion":""}"#.into(),
        r#"{"prompt":"p","completion":5}"#.into(),
        r#"{"prompt":"p","completion":["x"]}"#.into(),
        r#"{"Prompt":"q","completion":"y","id":1}"#.into(),
        r#"{"prompt":"p"}"#.into(),
        r#"{"completion":"z"}"#.into(),
        r#"{"text":"z"}"#.into(),
        [b"{\"prompt\":\"\xc3\xa4".as_slice(), b"\xff\",\"completion\":\"x\"}"].concat(),
        r#"["a","b"]"#.into(),
        good.into(),
        r#"{"messages":[{"role":"assistant","content":"x"}]}"#.into(),
        r#"{"prompt":"p","prompt":"q","completion":"x"}"#.into(),
        r#"{"prompt":"p","completion":"x"#.into(),
        b"".to_vec(),
    ];
    let report = report("a.jsonl", [b"\xef\xbb\xbf".to_vec(), lines.join(&b'\n')].concat());
    use ProblemKind as P;
    let expected = [
        (1, 1, P::Mark),
        (2, 32, P::NotJson),
        (3, 1, P::EmptyLine),
        (4, 28, P::Empty),
        (5, 28, P::WrongType),
        (6, 28, P::WrongType),
        (7, 2, P::KeyCase),
        (7, 32, P::ExtraKey),
        (8, 1, P::MissingKey),
        (9, 1, P::MissingKey),
        (10, 1, P::MissingKey),
        (10, 2, P::ExtraKey),
        (11, 13, P::Encoding),
        (12, 1, P::NotJson),
        (13, 1, P::Duplicate),
        (14, 1, P::Form),
        (15, 1, P::Form),
        (16, 30, P::NotJson),
    ];
    let found = kinds(&report);
    assert_eq!(found.iter().filter(|found| !expected.contains(found)).collect::<Vec<_>>(), Vec::<&_>::new());
    assert_eq!(found, expected);
    let said = words(&report);
    for (at, part) in [
        (1, "trailing comma"),
        (4, "completion is a number"),
        (5, "completion is a list"),
        (6, "“Prompt” should be “prompt”"),
        (8, "no “completion”"),
        (12, "byte 14 of the row, 0xFF"),
        (13, "a list instead of an object"),
        (14, "duplicate of line 1"),
        (15, "has messages"),
        (17, "a quote is missing"),
    ] {
        assert!(said[at].contains(part), "{part}: {}", said[at]);
    }
    assert_eq!((report.rows, report.valid), (15, 2));
    for (kind, count) in [(P::NotJson, 3), (P::MissingKey, 3), (P::WrongType, 2), (P::Duplicate, 1)] {
        assert!(report.counts.contains(&(kind, count)), "{kind:?} {:?}", report.counts);
    }
    let necessary: Vec<_> = report.repairs.iter().filter(|repair| repair.necessary).collect();
    assert_eq!(necessary.iter().map(|repair| repair.rows).collect::<Vec<_>>(), [0, 1, 2, 2, 9, 1]);
}

#[test]
fn places_point_at_the_byte() {
    // Line, and where it begins.
    let report = report("a.jsonl", "{\"prompt\":\"a\",\"completion\":\"b\"}\r\n{\"prompt\":\"é\"}\r\n");
    let problem = &report.problems[0];
    assert_eq!((problem.line, problem.column, problem.at), (2, 1, Some(33)));
}

#[test]
fn conversations_are_checked() {
    let rows = [
        r#"{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b","weight":1}],"tools":[]}"#,
        r#"{"messages":[{"role":"user","content":"a"},{"role":"robot","content":"b"}]}"#,
        r#"{"messages":[{"role":"user","content":5}]}"#,
        r#"{"messages":[{"role":"user","content":"a"}]}"#,
        r#"{"messages":"x"}"#,
        r#"{"messages":[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":"c"}], "id":7}"#,
        r#"{"messages":[{"content":"a"}]}"#,
        r#"{"messages":[7]}"#,
        r#"{ "messages": [{"role":"user","content":"a"}, {"role":"assistant","content":"b","weight":1}],"tools":[]}"#,
        r#"{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"b"},{"role":"user","content":"x"}]}"#,
    ];
    let (_home, path) = file("chat.jsonl", rows.join("\n"));
    let report = lint(&path, "gpt-3.5-turbo", false, &[], &mut |_, _| true).unwrap();
    use ProblemKind as P;
    let expected = [
        (2, 52, P::Form),
        (3, 39, P::WrongType),
        (4, 13, P::Empty),
        (5, 13, P::WrongType),
        (6, 106, P::ExtraKey),
        (7, 14, P::MissingKey),
        (8, 14, P::WrongType),
        (9, 1, P::Duplicate),
        (10, 79, P::Form),
    ];
    assert_eq!(kinds(&report), expected);
    let said = words(&report);
    assert!(said[0].contains("messages[1].role is \"robot\""), "{}", said[0]);
    assert!(said[1].contains("messages[0].content is a number"), "{}", said[1]);
    assert_eq!((report.form, report.task, report.tokens.limit), (Some(RowForm::Chats), None, Some(4_096)));
    assert!(advises(&report, "1 conversation does not end"));
    let parts = written(&path, &accepted(&report), None).unwrap();
    assert_eq!(parts[0].lines().count(), 3);
    assert_eq!(parts[0].lines().next(), Some(rows[0]), "what is fine is copied as it stands");
    assert!(!parts[0].contains("\"id\""));
    assert_eq!(examples(parts[0].as_bytes(), LineLimits::default()).flatten().count(), 3);
    // The local service supports no tools.
    let tool = r#"{"messages":[{"role":"tool","content":"a"},{"role":"assistant","content":"b"}]}"#;
    let (_home, path) = file("chat.jsonl", tool);
    let count = |local| lint(&path, "gpt-3.5-turbo", local, &[], &mut |_, _| true).unwrap().problems.len();
    assert_eq!((count(false), count(true)), (0, 1));
}

#[test]
fn a_table_is_read_by_its_names_and_its_cells_are_kept() {
    let text = "\u{feff}id,Prompt,completion\r\n1,\"a, \"\"b\"\"\r\nc\",  x \r\n2,p,\r\n3,é,y\r\n4,too,many,cells\r\n";
    let found = report("a.csv", text);
    use ProblemKind as P;
    let expected = [(1, 1, P::Mark), (1, 1, P::ExtraKey), (1, 4, P::KeyCase), (4, 5, P::Empty), (6, 12, P::Form)];
    assert_eq!(kinds(&found), expected);
    assert_eq!((found.source, found.rows, found.form), (TrainingFormat::Csv, 4, Some(RowForm::Pairs)));
    let (_home, path) = file("a.csv", text);
    let repairs = [RepairKind::KeyCase, RepairKind::ExtraKeys, RepairKind::BadRows, RepairKind::EmptyRows];
    let parts = written(&path, &repairs, None).unwrap();
    let rows: Vec<_> = examples(parts[0].as_bytes(), LineLimits::default()).map(|row| row.unwrap().row).collect();
    let pair = |prompt: &str, completion: &str| Row::Pair { prompt: prompt.into(), completion: completion.into() };
    assert_eq!(rows, [pair("a, \"b\"\r\nc", "  x "), pair("é", "y")]);
    assert!(written(&path, &repairs[1..], None).unwrap_err().contains("not in lower case"));
    assert!(written(&path, &repairs[..2], None).unwrap_err().contains("line 4 cannot be written"));

    // Other names are columns to choose from.
    let other = report("a.tsv", "question\tanswer\na\tb\n");
    let mapping = other.mapping.unwrap();
    assert_eq!((mapping.prompt.as_str(), mapping.completion.as_str()), ("{question}", "{answer}"));
    assert!(other.guessed && other.problems.is_empty() && other.stop.is_none());
    assert_eq!(report("a.csv", "prompt;completion\na, b;c\n").rows, 1);
}

#[test]
fn lists_and_lines_of_text_are_read_too() {
    let list = "[\n {\"prompt\": \"a\", \"completion\": \"b\"},\n {\"prompt\": \"c\"}\n]";
    let found = report("a.json", list);
    assert_eq!(
        (found.source, found.rows, kinds(&found)),
        (TrainingFormat::Json, 2, vec![(3, 2, ProblemKind::MissingKey)])
    );
    assert!(advises(&found, "JSON Lines"));
    let found = report("a.json", fine(3));
    assert_eq!((found.source, found.rows, found.valid), (TrainingFormat::Jsonl, 3, 3));
    let found = report("a.json", "{\"prompt\":\n\"a\",\"completion\":\"b\"}\n{\"prompt\":\"b\",\"completion\":\"d\"}");
    assert_eq!((found.source, found.rows, found.valid), (TrainingFormat::Json, 2, 2));
    let (_home, path) = file("a.txt", "One line.\n\nAnother \"line\".\n");
    let found = lint(&path, "ada", false, &[], &mut |_, _| true).unwrap();
    assert_eq!((found.source, found.rows, found.task), (TrainingFormat::Txt, 2, Some(Task::OpenEnded)));
    assert_eq!(kinds(&found), [(2, 1, ProblemKind::EmptyLine)]);
    let parts = written(&path, &accepted(&found), None).unwrap();
    assert_eq!(
        parts[0],
        "{\"prompt\":\"\",\"completion\":\" One line.\"}\n{\"prompt\":\"\",\"completion\":\" Another \\\"line\\\".\"}\n"
    );
}

/// Returns a workbook with these rows, its texts within the cells.
fn workbook(rows: &[&[&str]]) -> Vec<u8> {
    let cell = |text: &&str| format!("<c t=\"inlineStr\"><is><t xml:space=\"preserve\">{text}</t></is></c>");
    let row = |row: &&[&str]| format!("<row>{}</row>", row.iter().map(cell).collect::<Vec<_>>().concat());
    packed(&rows.iter().map(row).collect::<Vec<_>>().concat())
}

/// Returns a workbook whose sheet has these rows, given as XML.
fn packed(rows: &str) -> Vec<u8> {
    use std::io::Write as _;
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let sheet = format!(
        "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData>{rows}</sheetData></worksheet>"
    );
    let relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let files = [
        (
            "[Content_Types].xml",
            "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"/>".to_owned(),
        ),
        (
            "_rels/.rels",
            format!(
                "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"r0\" Type=\"{relations}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/workbook.xml",
            format!(
                "<workbook xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" xmlns:r=\"{relations}\"><sheets><sheet name=\"S\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>"
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            format!(
                "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"r1\" Type=\"{relations}/worksheet\" Target=\"worksheets/sheet1.xml\"/></Relationships>"
            ),
        ),
        ("xl/worksheets/sheet1.xml", sheet),
    ];
    for (name, text) in files {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn a_workbook_is_read_by_rows() {
    let rows: &[&[&str]] = &[&["prompt", "completion"], &["a\nb", " x, y "], &["c", ""], &[], &["d", "z"]];
    let (_home, path) = file("a.xlsx", workbook(rows));
    let found = lint(&path, "ada", false, &[], &mut |_, _| true).unwrap();
    assert_eq!((found.source, found.rows), (TrainingFormat::Xlsx, 3));
    assert_eq!(kinds(&found), [(3, 2, ProblemKind::Empty), (4, 1, ProblemKind::EmptyLine)]);
    assert_eq!(found.problems[0].at, None);
    let parts = written(&path, &[RepairKind::EmptyRows], None).unwrap();
    assert_eq!(parts[0], "{\"prompt\":\"a\\nb\",\"completion\":\" x, y \"}\n{\"prompt\":\"d\",\"completion\":\"z\"}\n");
    let (_home, path) = file("a.xlsx", "no workbook");
    assert!(lint(&path, "ada", false, &[], &mut |_, _| true).unwrap_err().contains("cannot be read as a workbook"));
}

#[test]
fn a_workbook_that_lies_about_its_size_is_refused() {
    let head = "<row r=\"1\"><c r=\"A1\" t=\"str\"><v>prompt</v></c><c r=\"B1\" t=\"str\"><v>completion</v></c></row>";
    for cell in ["<row r=\"2\"><c r=\"XFE2\"><v>1</v></c></row>", "<row r=\"1048577\"><c><v>1</v></c></row>"] {
        let (_home, path) = file("a.xlsx", packed(&format!("{head}{cell}")));
        let why = lint(&path, "ada", false, &[], &mut |_, _| true).unwrap_err();
        assert!(why.contains("unexpected cell in"), "{why}");
    }
    // A row of long texts is too long, and is not read further.
    let text = "x".repeat(5 << 20);
    let long = format!("<row r=\"2\">{}</row>", format!("<c t=\"str\"><v>{text}</v></c>").repeat(4));
    let (_home, path) = file("a.xlsx", packed(&format!("{head}{long}")));
    let found = lint(&path, "ada", false, &[], &mut |_, _| true).unwrap();
    assert_eq!((found.rows, found.valid), (1, 0));
    assert!(words(&found)[0].contains("longer than 8 MiB"), "{}", words(&found)[0]);
    let stopped = lint(&path, "ada", false, &[], &mut |_, _| false).unwrap_err();
    assert!(stopped.contains("no longer needed"), "{stopped}");
}

#[test]
fn a_fault_in_json_of_several_lines_has_its_own_line() {
    let found = report("a.json", "[\n {\n  \"prompt\": \"a\",\n  \"completion\": b\n }\n]");
    assert_eq!(kinds(&found), [(4, 17, ProblemKind::NotJson)]);
    assert!(words(&found)[0].contains("“b” is not a value"), "{}", words(&found)[0]);
    let found = report("a.json", "[\n {\"prompt\": \"ä\",\n\n  \"é\": 1,}\n]");
    assert_eq!(kinds(&found), [(4, 10, ProblemKind::NotJson)]);
}

#[test]
fn a_word_that_is_no_value_is_named_as_a_whole() {
    let found = report("a.jsonl", "not json\n{\"prompt\": nul, \"completion\": \"b\"}\n{\"prompt\": tru3}\n");
    assert_eq!(kinds(&found), [(1, 1), (2, 12), (3, 12)].map(|(line, column)| (line, column, ProblemKind::NotJson)));
    for (said, word) in words(&found).iter().zip(["“not”", "“nul”", "“tru3”"]) {
        assert!(said.contains(&format!("{word} is not a value")), "{said}");
    }
}

#[test]
fn a_row_that_is_never_closed_is_said_to_take_the_others_along() {
    let row = " {\"prompt\": \"a\", \"completion\": \"b\"},\n";
    for open in [row.replace('}', ""), row.replace("b\"", "b")] {
        let found = report("a.json", format!("[\n{row}{open}{}]\n", row.repeat(20)));
        let said = words(&found);
        assert!(found.rows < 22 && said[0].contains("the rows after it are not read"), "{said:?}");
    }
    // Only the last one is cut off.
    let found = report("a.json", format!("[\n{row} {{\"prompt\": \"c\""));
    assert!(words(&found)[0].contains("the row ends before the object is complete"), "{:?}", words(&found));
}

#[test]
fn a_quote_inside_a_bare_cell_opens_nothing() {
    let found = report("a.csv", "prompt,id,completion\n6\" nail,1,\n5\" nail,1,y\n");
    assert!(kinds(&found).contains(&(2, 11, ProblemKind::Empty)), "{:?}", kinds(&found));
}

#[test]
fn what_the_legacy_tool_advised_is_advised() {
    let rows = |row: &dyn Fn(usize) -> (String, String)| {
        let line = |n| {
            let (prompt, completion) = row(n);
            super::row::pair(&prompt, &completion) + "\n"
        };
        report("a.jsonl", (0..12).map(line).collect::<String>())
    };
    // Few, nothing in common, no space.
    let found = rows(&|n| (format!("{n} word"), format!("{} thing {n}", n * 3)));
    assert!(advises(&found, "12 rows"));
    let expected =
        [RepairKind::PromptSuffix(" ->".into()), RepairKind::CompletionSuffix("\n".into()), RepairKind::LeadingSpace];
    // The prompts all end with "word", so no end is added; the completions differ at both ends.
    assert!(advises(&found, "all prompts end with “ word”"));
    assert_eq!(accepted(&found), expected[1..]);
    let found = rows(&|n| (format!("{n}\n{n}"), format!("{n}.\n{n}")));
    assert_eq!(
        accepted(&found)[..2],
        [RepairKind::PromptSuffix("\n\n###\n\n".into()), RepairKind::CompletionSuffix(" END".into())]
    );
    let sample = &found.repairs[0].samples[0];
    assert_eq!(sample.before, "{\"prompt\":\"0\\n0\",\"completion\":\"0.\\n0\"}");
    assert_eq!(sample.after.as_ref().unwrap(), "{\"prompt\":\"0\\n0\\n\\n###\\n\\n\",\"completion\":\"0.\\n0\"}");
    assert_eq!((found.repairs[0].rows, found.repairs[0].samples.len()), (12, 3));
    // Long beginnings, a very long end that also occurs inside.
    let end = "\n\nThis is the end\n\n";
    let found = rows(&|n| (format!("Please answer: {n}{end}{n}{end}"), format!("Well, {n} it is, {n}")));
    assert!(advises(&found, "very long") && advises(&found, "in the middle"));
    let prefix = repair(&found, |kind| matches!(kind, RepairKind::PromptPrefix(_))).unwrap();
    assert_eq!(prefix.kind, RepairKind::PromptPrefix("Please answer: ".into()));
    let prefix = repair(&found, |kind| matches!(kind, RepairKind::CompletionPrefix(_))).unwrap();
    assert_eq!(prefix.kind, RepairKind::CompletionPrefix("Well, ".into()));
    // Capitals.
    let found = rows(&|n| (format!("A bcd {n}!"), format!(" AB CDe {n}")));
    assert!(repair(&found, |kind| *kind == RepairKind::LowerPrompts).is_none());
    assert_eq!(repair(&found, |kind| *kind == RepairKind::LowerCompletions).unwrap().rows, 12);
    // All equal.
    assert!(rows(&|n| ("same".into(), format!("{n}"))).stop.unwrap().contains("all prompts are the same"));
    // Long rows.
    let found = rows(&|n| (format!("{n}{}", "ab ".repeat(if n == 3 { 3_340 } else { 1 })), format!(" {n}")));
    assert_eq!(repair(&found, |kind| *kind == RepairKind::LongRows).unwrap().rows, 1);
    assert!(repair(&found, |kind| *kind == RepairKind::OverLimit).is_some());
    assert!(found.problems.iter().any(|problem| problem.kind == ProblemKind::TooLong && problem.line == 4));
    // A classification.
    let found = rows(&|n| (format!("{n} was it ->"), if n % 3 == 0 { " bad" } else { " good" }.into()));
    assert_eq!((found.task, found.classes.count), (Some(Task::Classification), 2));
    assert_eq!(found.classes.most, [("good".into(), 8), ("bad".into(), 4)]);
    assert!(advises(&found, "set Class metrics (compute_classification_metrics), with “good” as Positive class"));
    assert!(advises(&found, "(classification_positive_class)"));
    assert_eq!(found.seconds, Some(157));
    assert!(repair(&found, |kind| matches!(kind, RepairKind::CompletionSuffix(_))).is_none());
}

#[test]
fn an_ending_of_most_rows_is_added_to_the_others() {
    let lines = "{\"prompt\":\"good film ->\",\"completion\":\" good\\n\"}\n\
                 {\"prompt\":\"bad film ->\",\"completion\":\"bad\"}\n\
                 {\"prompt\":\"dull film\",\"completion\":\" dull\\n\"}\n\
                 not json\n\
                 {\"prompt\":\"\",\"completion\":\" x\\n\"}\n\
                 {\"prompt\":\"new film ->\",\"completion\":\" new\\n\"}\n";
    let (_home, path) = file("a.jsonl", lines);
    let found = lint(&path, "ada", false, &[], &mut |_, _| true).unwrap();
    let prompts = repair(&found, |kind| *kind == RepairKind::PromptSuffix(" ->".into())).unwrap();
    assert!(prompts.words.contains("End prompts with “ ->” as most do"), "{:?}", prompts.words);
    assert_eq!((prompts.rows, prompts.samples[0].line), (2, 3));
    assert_eq!(prompts.samples[0].after.as_ref().unwrap(), "{\"prompt\":\"dull film ->\",\"completion\":\" dull\\n\"}");
    let completions = repair(&found, |kind| *kind == RepairKind::CompletionSuffix("\n".into())).unwrap();
    assert_eq!((completions.rows, completions.samples[0].line), (1, 2));
    let parts = written(&path, &accepted(&found), None).unwrap();
    assert_eq!(
        parts[0].lines().collect::<Vec<_>>(),
        [("good", "good"), ("bad", "bad"), ("dull", "dull"), ("new", "new")]
            .map(|(film, said)| super::row::pair(&format!("{film} film ->"), &format!(" {said}\n")))
    );
}

#[test]
fn a_row_that_lacks_the_ending_of_most_is_shown_with_it() {
    let line = |(n, completion): (usize, &str)| super::row::pair(&format!("{n} was it ->"), completion) + "\n";
    // It ends a sentence, or has another usual ending.
    for lacking in [" It is.", " b***"] {
        let completions = [" a\n", lacking, " c\n", " d\n"];
        let found = report("a.jsonl", completions.into_iter().enumerate().map(line).collect::<String>());
        let ending = repair(&found, |kind| *kind == RepairKind::CompletionSuffix("\n".into())).unwrap();
        assert_eq!((ending.rows, ending.samples.len(), ending.samples[0].line), (1, 1, 2));
        let after = super::row::pair("1 was it ->", &format!("{lacking}\n"));
        assert_eq!(ending.samples[0].after.as_ref().unwrap().line(), after);
    }
}

#[test]
fn lower_case_spares_the_ending_of_most_rows() {
    let answers = [" Berlin END", " Paris END", " Rome END", " Oslo END", " Lima"];
    let row = |(n, answer): (usize, &str)| super::row::pair(&format!("capital {n} ->"), answer) + "\n";
    let (_home, path) = file("a.jsonl", answers.into_iter().enumerate().map(row).collect::<String>());
    let found = lint(&path, "ada", false, &[], &mut |_, _| true).unwrap();
    assert_eq!(accepted(&found), [RepairKind::LowerCompletions, RepairKind::CompletionSuffix(" END".into())]);
    assert!(found.repairs.iter().all(|repair| repair.advised));
    let parts = written(&path, &accepted(&found), None).unwrap();
    let repaired = [" berlin END", " paris END", " rome END", " oslo END", " lima END"];
    assert_eq!(parts[0], repaired.into_iter().enumerate().map(row).collect::<String>());
}

#[test]
fn an_end_inside_the_first_rows_is_found_though_it_was_not_known_then() {
    let mut rows = String::new();
    for n in 0..50 {
        // Up to the last row all end with a longer end.
        let end = if n == 49 { "##" } else { " and so on ##" };
        let inside = if n == 3 { "## " } else { "" };
        rows += &(super::row::pair(&format!("{inside}{n}{end}"), &format!(" {n}.")) + "\n");
    }
    assert!(advises(&report("a.jsonl", &rows), "some prompts also contain “##” in the middle"));
    assert!(!advises(&report("a.jsonl", rows.replace("## 3", "3")), "in the middle"));
}

#[test]
fn it_stops_when_nobody_waits() {
    let (_home, path) = file("a.jsonl", fine(40_000));
    let mut heard = 0;
    let stopped = lint(&path, "ada", false, &[], &mut |_, _| {
        heard += 1;
        heard < 2
    });
    assert!(stopped.is_err() && heard == 2);
    let stopped = Preparation::new(&path, ("ada", false), None, &[], None, &mut |_, _| false);
    assert!(stopped.is_err());
}

#[test]
fn files_that_are_none_say_so() {
    let wrong = |name: &str, text: &[u8]| {
        let (_home, path) = file(name, text);
        lint(&path, "ada", false, &[], &mut |_, _| true).unwrap_err()
    };
    assert!(wrong("a.jsonl", b"").contains("is empty"));
    assert!(wrong("a.jsonl", b"\xff\xfe\0\0{\0\0\0").contains("UTF-32"));
    assert!(wrong("a.csv", b"PK\x03\x04").contains("zip"));
    let found = report("a.jsonl", "nothing\nof\nsense\n");
    assert_eq!((found.form, found.rows, found.valid), (None, 3, 0));
    assert!(found.stop.unwrap().contains("no row can be used for training"));
}

#[test]
fn prompts_that_are_all_blank_are_an_open_ended_file() {
    let lines = "{\"prompt\":\"\",\"completion\":\" a\"}\n{\"prompt\":\" \",\"completion\":\" b\"}\n";
    let found = report("a.jsonl", lines);
    assert_eq!(found.task, Some(Task::OpenEnded));
    assert!(!accepted(&found).contains(&RepairKind::BlankPrompts), "nothing would be left");
}

/// Generates rows of all kinds, many of them similar.
fn rows() -> impl Strategy<Value = Vec<(String, String)>> {
    prop::collection::vec(("[A-Ca-c ]{0,5}", "( |x)?[A-Ca-c.]{0,4}"), 2..60)
}

fn lines(rows: &[(String, String)]) -> String {
    rows.iter().map(|(prompt, completion)| super::row::pair(prompt, completion) + "\n").collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_is_prepared_is_valid_and_needs_no_more(rows in rows()) {
        let (_home, path) = file("a.jsonl", lines(&rows));
        let found = lint(&path, "ada", false, &[], &mut |_, _| true).unwrap();
        prop_assert_eq!(found.rows, rows.len() as u64);
        let Ok(parts) = written(&path, &accepted(&found), None) else {
            prop_assert!(found.stop.is_some() || rows.iter().all(|(_, completion)| completion.is_empty()));
            return Ok(());
        };
        prop_assert!(check(parts[0].as_bytes(), LineLimits::default()).is_ok());
        prop_assert!(examples(parts[0].as_bytes(), LineLimits::default()).all(|row| row.is_ok()));
        let (_home, again) = file("b.jsonl", &parts[0]);
        let found = lint(&again, "ada", false, &[], &mut |_, _| true).unwrap();
        // Rows that differed in letter case alone are equal now.
        prop_assert!(found.counts.iter().all(|(kind, _)| *kind == ProblemKind::Duplicate));
        prop_assert!(!found.repairs.iter().any(|repair| repair.necessary));
        // Repairing twice changes nothing.
        prop_assert_eq!(written(&again, &[], None).unwrap(), parts);
    }

    #[test]
    fn parts_are_disjoint_and_complete(rows in rows(), share in prop::option::of(0.05..0.95), seed: u64) {
        let (_home, path) = file("a.jsonl", lines(&rows));
        let repairs = [RepairKind::EmptyRows, RepairKind::Duplicates];
        let Ok(whole) = written(&path, &repairs, None) else { return Ok(()) };
        let Ok(parts) = written(&path, &repairs, Some(Split { share, seed })) else { return Ok(()) };
        prop_assert_eq!(parts.len(), 2);
        prop_assert!(!parts[0].is_empty() && !parts[1].is_empty());
        let (train, valid): (Vec<&str>, Vec<&str>) = (parts[0].lines().collect(), parts[1].lines().collect());
        prop_assert!(train.iter().all(|row| !valid.contains(row)));
        let mut both: Vec<&str> = train.into_iter().chain(valid).collect();
        let mut all: Vec<&str> = whole[0].lines().collect();
        both.sort_unstable();
        all.sort_unstable();
        prop_assert_eq!(both, all);
    }

    #[test]
    fn nothing_makes_it_panic(
        bytes in prop::collection::vec(prop::sample::select(b"{}[]\",:\n\r\t ;ab\\\"prompt\"\xc3\xa4\xff0".to_vec()), 1..200),
        name in prop::sample::select(vec!["a.jsonl", "a.json", "a.csv", "a.tsv", "a.txt", "a"]),
    ) {
        let (_home, path) = file(name, &bytes);
        if let Ok(found) = lint(&path, "ada", false, &[], &mut |_, _| true) {
            prop_assert!(found.problems.iter().all(|problem| problem.line > 0 && problem.column > 0));
            prop_assert!(found.valid <= found.rows);
            let _ = written(&path, &accepted(&found), None);
        }
    }
}
