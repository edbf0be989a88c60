//! `benchtop files`.

use std::fmt::Write as _;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::common::{Bench, LIMIT, Setup};
use crate::schema::lines;
use crate::scripted::{Answer, Scripted};
use crate::shell::{Shell, printed_path};
use crate::tune::job;

/// Returns a sound training file of so many rows.
pub fn training(rows: usize) -> String {
    let row = |at: usize| {
        format!("{{\"prompt\":\"What is {at} and {at}?\\n\\n###\\n\\n\",\"completion\":\" It is {} END\"}}\n", at + at)
    };
    (0..rows).map(row).collect()
}

/// Returns the mode of a file.
fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

const FAULTY: &str = "{\"prompt\":\"a ->\",\"completion\":\" b END\"}\nnot JSON\n{\"prompt\":\"c ->\"}\n";

#[test]
fn a_file_is_uploaded_listed_fetched_and_deleted() {
    let shell = Shell::new();
    let text = training(100);
    shell.write("train.jsonl", &text);
    let put = shell.run(&["files", "put", "train.jsonl"]).expect(0);
    let id = put.out.strip_suffix('\n').unwrap();
    assert!(id.starts_with("file-") && !id.contains('\n'), "{put:?}");
    assert_eq!(put.errors, "");

    let listed = shell.run(&["files", "ls"]).expect(0);
    let fields: Vec<&str> = listed.out.strip_suffix('\n').unwrap().split('\t').collect();
    assert_eq!(fields[..4], [id, "train.jsonl", &text.len().to_string(), "fine-tune"]);
    assert!(fields[4].ends_with('Z') && fields[4].contains('T'), "{fields:?}");
    assert_eq!(fields[5..], ["processed"]);
    let [file] = &shell.run(&["files", "ls", "--json"]).expect(0).json("file")[..] else { panic!() };
    assert_eq!((&file["version"], &file["id"], &file["bytes"]), (&json!(1), &json!(id), &json!(text.len())));
    assert_eq!((&file["name"], &file["purpose"]), (&json!("train.jsonl"), &json!("fine-tune")));
    assert!(file["created_at"].as_i64().unwrap() > 1_600_000_000);

    let piped = shell.run(&["files", "get", "train.jsonl", "--output", "-"]).expect(0);
    assert_eq!((piped.out.as_str(), piped.errors.as_str()), (&*text, ""));
    std::fs::create_dir(shell.path("there")).unwrap();
    let got = shell.run(&["files", "get", id, "--output", "there"]).expect(0);
    assert_eq!(printed_path(&got.out).file_name().unwrap(), "train.jsonl");
    assert_eq!(std::fs::read_to_string(printed_path(&got.out)).unwrap(), text);
    assert_eq!(mode(printed_path(&got.out)), 0o600);
    // Nothing is overwritten: the next one gets a number.
    let again = shell.run(&["files", "get", id, "--output", "there", "--json"]).expect(0).json("saved_file").remove(0);
    assert_ne!(again["path"], json!(printed_path(&got.out)));
    assert_eq!((&again["id"], &again["bytes"]), (&json!(id), &json!(text.len())));
    assert_eq!(again["sha256"].as_str().unwrap().len(), 64);
    let named = shell.run(&["files", "get", id, "--output", "there/copy.jsonl"]).expect(0);
    assert_eq!(shell.read("there/copy.jsonl"), text);
    assert!(named.out.ends_with("/there/copy.jsonl\n"));
    let made = shell.run(&["files", "get", id, "--output", "not/there/yet/"]).expect(0);
    assert_eq!(std::fs::read_to_string(printed_path(&made.out)).unwrap(), text);
    assert_eq!(shell.read("not/there/yet/train.jsonl"), text);
    let taken = shell.run(&["files", "get", id, "--output", "there/copy.jsonl"]).expect(2);
    assert!(taken.out.is_empty() && taken.errors.contains("exists already"), "{taken:?}");

    let unasked = shell.run(&["files", "rm", id]).expect(2);
    assert!(unasked.errors.contains("--yes"), "{unasked:?}");
    let removed = shell.run(&["files", "rm", "--yes", id]).expect(0);
    assert_eq!(removed.out, format!("{id}\n"));
    assert_eq!(shell.run(&["files", "ls"]).expect(0).out, "");
    let gone = shell.run(&["files", "rm", "--yes", id]).expect(5);
    assert!(gone.errors.contains(&format!("the server has no file {id}")), "{gone:?}");
    let gone = shell.run(&["files", "get", id, "--output", "new/"]).expect(5);
    assert!(!shell.path("new").exists(), "a folder is created for a download alone");
    assert!(gone.errors.contains(&format!("the server has no file {id}")), "{gone:?}");
}

#[test]
fn an_id_that_the_server_does_not_have_has_the_same_status_in_all_commands() {
    let server = two_files();
    let shell = Shell::at(&server.url);
    for args in [
        &["files", "get", "file-nope"][..],
        &["files", "get", "file-nope", "--output", "-"],
        &["files", "rm", "--yes", "file-nope"],
        &["tune", "show", "ft-nope"],
        &["tune", "watch", "ft-nope"],
        &["tune", "cancel", "ft-nope"],
        &["tune", "rm", "--yes", "ft-nope"],
        &["tune", "results", "ft-nope"],
    ] {
        let ran = shell.run(args).expect(5);
        assert!(ran.out.is_empty() && ran.errors.starts_with("benchtop: "), "{args:?}: {ran:?}");
    }
}

#[test]
fn findings_have_their_place_and_faults_a_status() {
    let shell = Shell::new();
    shell.write("good.jsonl", &training(120));
    shell.write("bad.jsonl", FAULTY);
    let good = shell.run(&["files", "check", "good.jsonl"]).expect(0);
    assert_eq!(good.out, "");
    assert!(good.errors.starts_with("benchtop: good.jsonl: all 120 rows can be used"), "{good:?}");
    let bad = shell.run(&["files", "check", "good.jsonl", "bad.jsonl"]).expect(1);
    let expected = "bad.jsonl:2:1: not JSON: “not” is not a value: text must be in double quotes\n\
                 bad.jsonl:3:1: there is no “completion”\n";
    assert_eq!(bad.out, expected);
    assert!(bad.errors.contains("bad.jsonl: 1 of 3 rows can be used · 2 problems"), "{bad:?}");
    let printed = shell.run(&["files", "check", "--json", "bad.jsonl"]).expect(1);
    let (findings, summary) = printed.out.trim_end().rsplit_once('\n').unwrap();
    let json = [lines("finding", findings), lines("checked_file", summary)].concat();
    assert_eq!(json.len(), 3);
    assert_eq!(
        (&json[0]["type"], &json[0]["line"], &json[0]["kind"]),
        (&json!("finding"), &json!(2), &json!("not_json"))
    );
    let summary = &json[2];
    assert_eq!((&summary["type"], &summary["result"]), (&json!("summary"), &json!("faults")));
    assert_eq!(
        (&summary["rows"], &summary["usable_rows"], &summary["format"]),
        (&json!(3), &json!(1), &json!("jsonl"))
    );
    assert!(summary["repairs"].as_array().unwrap().iter().any(|repair| repair["name"] == "bad-rows"));
    // What every row can be used with is no fault.
    let twice = training(60).repeat(2);
    shell.write("twice.jsonl", &twice);
    let warned = shell.run(&["files", "check", "twice.jsonl"]).expect(0);
    assert_eq!(warned.out.lines().count(), 60);
    let chats = shell.run(&["files", "check", "--kind", "chats", "good.jsonl"]).expect(1);
    assert_eq!(chats.out, "good.jsonl: the rows are prompts and completions, not conversations\n");
    let table = "prompt,completion\na,b\n";
    shell.write("table.csv", table);
    let table = shell.run(&["files", "check", "table.csv"]).expect(1);
    assert!(table.out.contains("table.csv: a fine-tune needs JSON Lines, and this is CSV"), "{table:?}");
    assert!(table.errors.starts_with("benchtop: table.csv: the only row can be used · "), "{table:?}");
    assert!(table.errors.lines().next().unwrap().ends_with(" · cannot be sent as it is"), "{table:?}");
}

#[test]
fn a_file_with_faults_is_not_uploaded_unless_that_is_wanted() {
    let shell = Shell::new();
    shell.write("bad.jsonl", FAULTY);
    let refused = shell.run(&["files", "put", "bad.jsonl"]).expect(1);
    assert!(refused.out.is_empty(), "{refused:?}");
    assert!(refused.errors.contains("bad.jsonl: 1 of 3 rows can be used") && refused.errors.contains("--no-check"));
    assert_eq!(shell.run(&["files", "ls"]).expect(0).out, "");
    let other = shell.run(&["files", "put", "--purpose", "search", "bad.jsonl"]);
    assert_ne!(other.status, 1, "{other:?}");
    let sent = shell.run(&["files", "put", "--no-check", "bad.jsonl"]);
    assert_ne!(sent.status, 1, "the server decides: {sent:?}");
}

#[test]
fn an_empty_file_is_named_once_and_cannot_be_repaired() {
    let shell = Shell::new();
    shell.write("empty.jsonl", "");
    let checked = shell.run(&["files", "check", "empty.jsonl"]).expect(1);
    assert_eq!(checked.out, "empty.jsonl: it is empty\n");
    let put = shell.run(&["files", "put", "empty.jsonl"]).expect(1);
    assert!(put.errors.starts_with("benchtop: empty.jsonl: it is empty\n"), "{put:?}");
    assert!(put.errors.contains("nothing was uploaded") && !put.errors.contains("files prepare"), "{put:?}");
    let prepared = shell.run(&["files", "prepare", "empty.jsonl", "--output", "x.jsonl"]).expect(1);
    assert_eq!(prepared.errors, "benchtop: empty.jsonl: nothing was written: it is empty\n");
}

#[test]
fn several_files_are_printed_in_the_order_they_were_named() {
    let shell = Shell::new();
    let names: Vec<String> = (0..5).map(|at| format!("f{at}.jsonl")).collect();
    for (at, name) in names.iter().enumerate() {
        shell.write(name, &training(100 + 400 * (5 - at)));
    }
    let args: Vec<&str> = ["files", "put", "--json"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let put = shell.run(&args).expect(0).json("file");
    let paths: Vec<&str> = put.iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(paths, names);
    assert!(put.iter().all(|file| file["name"] == file["path"] && file["version"] == 1));
}

#[test]
fn a_repaired_copy_is_written_where_it_is_wanted() {
    let shell = Shell::new();
    let rows = (0..40).map(|at| format!("question {at},answer {at}\n")).collect::<Vec<_>>().concat();
    shell.write("data.csv", &format!("Prompt,completion\n{rows}question 1,answer 1\n"));
    let done = shell.run(&["files", "prepare", "data.csv", "--output", "out.jsonl"]).expect(0);
    assert!(done.out.ends_with("/out.jsonl\n") && done.out.lines().count() == 1, "{done:?}");
    assert!(done.errors.contains("Remove duplicate rows (1 row)"), "{done:?}");
    assert!(done.errors.contains("rows written: 40, 1 left out"), "{done:?}");
    assert_eq!((shell.read("out.jsonl").lines().count(), mode(&shell.path("out.jsonl"))), (40, 0o600));
    shell.run(&["files", "check", "out.jsonl"]).expect(0);

    let args =
        ["files", "prepare", "data.csv", "--output", "parts.jsonl", "--repair", "none", "--split", "25", "--json"];
    let parts = shell.run(&args).expect(0).json("prepared_file").remove(0);
    let files = parts["files"].as_array().unwrap();
    let rows: Vec<u64> = files.iter().map(|file| file["rows"].as_u64().unwrap()).collect();
    assert_eq!((rows.len(), rows.iter().sum::<u64>(), &parts["left_out"]), (2, 41, &json!(0)));
    for (file, name) in files.iter().zip(["parts_train.jsonl", "parts_valid.jsonl"]) {
        assert_eq!(file["path"], json!(shell.path(name).canonicalize().unwrap()));
        assert_eq!(shell.read(name).lines().count() as u64, file["rows"].as_u64().unwrap());
    }
    let taken = shell.run(&args).expect(2);
    assert!(taken.errors.contains("parts_train.jsonl exists already"), "{taken:?}");
    shell.write("none.jsonl", "nothing\n");
    let none = shell.run(&["files", "prepare", "none.jsonl", "--output", "x.jsonl"]).expect(1);
    assert!(none.out.is_empty() && !shell.path("x.jsonl").exists(), "{none:?}");
}

#[test]
fn columns_become_prompt_and_completion_as_the_command_line_says() {
    let shell = Shell::new();
    let mut rows = "Id;Subject;Text;Reply\n".to_owned();
    for at in 0..40 {
        writeln!(rows, "{at};Subject {at};Is letter {at} long?;answer {at}").unwrap();
    }
    shell.write("letters.csv", &rows);
    let prepared = |output: &str, columns: &[&str]| {
        let named = ["files", "prepare", "letters.csv", "--output", output, "--repair", "none"];
        shell.run(&[&named[..], columns].concat()).expect(0);
        shell.read(output).lines().next().unwrap().to_owned()
    };
    let columns = ["--prompt-column", "Subject", "--completion-column", "Reply"];
    assert_eq!(prepared("columns.jsonl", &columns), r#"{"prompt":"Subject 0","completion":"answer 0"}"#);
    let template = ["--prompt-template", r"About {Subject}:\n{Text}", "--completion-template", "{Reply} END"];
    let expected = r#"{"prompt":"About Subject 0:\nIs letter 0 long?","completion":"answer 0 END"}"#;
    assert_eq!(prepared("template.jsonl", &template), expected);

    let guess = shell.run(&["files", "check", "letters.csv"]).expect(1);
    assert!(guess.out.contains("is a guess (prompt = {Text} · completion = {Subject}): "), "{guess:?}");
    let chosen = shell.run(&[&["files", "check", "letters.csv", "--json"], &columns[..]].concat()).expect(1);
    assert!(!chosen.out.contains("is a guess"), "{chosen:?}");
    let summary = lines("checked_file", chosen.out.lines().last().unwrap()).remove(0);
    let names = json!(["Id", "Subject", "Text", "Reply"]);
    let found = json!({"names": names, "prompt": "{Subject}", "completion": "{Reply}", "guessed": false});
    assert_eq!(summary["columns"], found);
}

#[test]
fn a_column_that_is_not_there_is_a_mistake_in_the_command_line() {
    let shell = Shell::new();
    let same = "letters.csv gives prompt and completion the same text: choose another column for one of them\n";
    shell.write("letters.csv", "Text;Reply\nWho?;Me\nWhere?;Here\n");
    let said = [json!({"role": "user", "content": "a"}), json!({"role": "assistant", "content": "b"})];
    shell.write("chats.jsonl", &format!("{}\n", json!({ "messages": said })));
    for (file, columns, said) in [
        ("letters.csv", &["--prompt-column", "Txt"][..], "letters.csv has no column “Txt”; it has Text, Reply\n"),
        ("letters.csv", &["--completion-column", "text"], "letters.csv has no column “text”; it has Text, Reply\n"),
        (
            "letters.csv",
            &["--prompt-template", "About {Txt}"],
            "letters.csv has no column that “About {Txt}” names; it has Text, Reply\n",
        ),
        ("letters.csv", &["--prompt-column", "Text", "--completion-column", "Text"], same),
        ("letters.csv", &["--prompt-template", "{Reply}"], same),
        ("letters.csv", &["--prompt-template", "{Text}", "--completion-column", "Text"], same),
        ("letters.csv", &["--prompt-column", "Text", "--completion-template", "{Text}"], same),
        ("letters.csv", &["--prompt-template", r"{Text}\n", "--completion-template", r"{Text}\n"], same),
        ("chats.jsonl", &["--prompt-column", "a"], "chats.jsonl has no columns to choose from\n"),
    ] {
        for command in [&["files", "check", file][..], &["files", "prepare", file, "--output", "out.jsonl"]] {
            let ran = shell.run(&[command, columns].concat()).expect(2);
            assert_eq!((ran.out.as_str(), ran.errors), ("", format!("benchtop: {said}")), "{command:?}");
        }
    }
    assert!(!shell.path("out.jsonl").exists());
    shell.run(&["files", "check", "letters.csv", "--prompt-column", "Text", "--prompt-template", "{Text}"]).expect(2);
}

#[test]
fn a_mistake_in_the_command_line_is_said_before_anything_is_sent() {
    let shell = Shell::at("http://127.0.0.1:9/v1");
    shell.write("a.jsonl", &training(1));
    for (args, said) in [
        (&["files"][..], "Usage"),
        (&["files", "ls", "--nonsense"], "--nonsense"),
        (&["files", "put", "gone.jsonl"], "gone.jsonl cannot be read"),
        (&["files", "put", "."], ". is a folder"),
        (&["files", "check", "gone.jsonl"], "gone.jsonl cannot be read"),
        (&["files", "get", "x", "--output", "none/there"], "does not exist"),
        (&["files", "get", "x", "--output", "a.jsonl"], "exists already"),
        (&["files", "get", "x", "--output", "a.jsonl/"], "is not a folder"),
        (&["files", "get", "x", "--output", "-", "--json"], "--json"),
        (&["files", "prepare", "a.jsonl", "--output", "a.jsonl"], "exists already"),
        (&["files", "prepare", "a.jsonl", "--output", "b.jsonl", "--repair", "everything"], "everything"),
        (&["files", "prepare", "a.jsonl", "--output", "b.jsonl", "--split", "99"], "99"),
        (&["files", "prepare", "a.jsonl", "--output", "-"], "--output: - is standard output"),
        (&["files", "prepare", "a.jsonl", "--output", "b.CSV"], "the copy is JSON Lines, not .CSV"),
        (&["files", "prepare", "a.jsonl", "--output", "b.jsonl", "--repair", "none,all"], "none goes with no other"),
        (&["files", "get", ""], "ID|NAME"),
        (&["files", "rm", "--yes", ""], "ID"),
        (&["embed", "a", "--output", ".npy"], "has to end in .npy"),
        (&["files", "rm", "file-1"], "--yes"),
    ] {
        let ran = shell.run(args).expect(2);
        assert!(ran.out.is_empty() && ran.errors.contains(said), "{args:?}: {ran:?}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_no_faulty_file() {
    let shell = Shell::new();
    shell.write("a.jsonl", &training(1));
    std::fs::set_permissions(shell.path("a.jsonl"), Permissions::from_mode(0o000)).unwrap();
    let is_root = std::fs::File::open(shell.path("a.jsonl")).is_ok();
    let unreadable = (!is_root).then_some(("a.jsonl", "a.jsonl cannot be read: Permission denied"));
    assert!(Command::new("mkfifo").arg(shell.path("pipe")).status().unwrap().success());
    let twice = "pipe is not a regular file, and it is read more than once: write it to a file first";
    let irregular = [("/dev/null", "/dev/null is not a regular file"), ("pipe", twice)];
    for (file, said) in irregular.into_iter().chain(unreadable) {
        for args in [
            &["files", "check", file][..],
            &["files", "put", file],
            &["files", "prepare", file, "--output", "b.jsonl"],
            &["tune", "create", "--training-file", file, "--model", "ada"],
        ] {
            let ran = shell.run(args).expect(2);
            assert!(ran.out.is_empty() && ran.errors.contains(said), "{args:?}: {ran:?}");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn what_cannot_be_written_has_a_status_of_its_own() {
    let server = two_files();
    let shell = Shell::at(&server.url);
    let ran = shell.run(&["files", "get", "file-2", "--output", "/proc/x"]).expect(7);
    assert!(ran.out.is_empty() && ran.errors.contains("cannot be written to /proc: "), "{ran:?}");
    // The temporary file, whose name nobody knows, is not named.
    let ran = Shell::new().run(&["embed", "a", "--output", "/proc/x.csv"]).expect(7);
    assert!(
        ran.errors.starts_with("benchtop: cannot save /proc/x.csv: ") && !ran.errors.contains(" at path "),
        "{ran:?}"
    );
    shell.write("a.jsonl", &training(40));
    let ran = shell.run(&["files", "prepare", "a.jsonl", "--output", "/proc/x.jsonl"]).expect(7);
    assert!(ran.out.is_empty() && ran.errors.contains("a.jsonl: no copy was written: "), "{ran:?}");
    assert!(!ran.errors.contains("nothing was written"), "it is said once: {ran:?}");
}

/// Answers for a server with two files, of which a job uses the first.
fn two_files() -> Scripted {
    two_files_with_jobs(|file| {
        let job = json!({"id": "ft-run", "status": "running", "model": "ada", "training_files": [file]});
        Answer::Json(200, json!({"data": [job]}))
    })
}

/// Answers for a server with two files; `jobs` answers the question for its jobs, and gets the first file.
fn two_files_with_jobs(jobs: impl Fn(Value) -> Answer + Send + Sync + 'static) -> Scripted {
    Scripted::start(move |asked| {
        let file = |id: &str, name: &str| json!({"id": id, "object": "file", "bytes": 4, "created_at": 1_700_000_000, "filename": name, "purpose": "fine-tune"});
        match asked.line.as_str() {
            "GET /v1/files" => {
                Some(Answer::Json(200, json!({"data": [file("file-1", "same\tname"), file("file-2", "same\tname")]})))
            }
            "GET /v1/fine-tunes" | "GET /v1/fine_tuning/jobs?limit=100" => Some(jobs(file("file-1", "a"))),
            "GET /v1/files/file-2/content" => Some(Answer::Bytes(b"a\x00\x1b\xff".to_vec())),
            "DELETE /v1/files/nope" => {
                Some(Answer::Json(404, json!({"error": {"message": "No such File object: nope"}})))
            }
            line if line.starts_with("DELETE /v1/files/") => Some(Answer::Json(200, json!({"deleted": true}))),
            _ => None,
        }
    })
}

#[test]
fn a_file_that_a_job_uses_stays() {
    let server = two_files();
    let shell = Shell::at(&server.url);
    let refused = shell.run(&["files", "rm", "--yes", "file-1", "file-2"]).expect(1);
    assert_eq!(refused.out, "");
    assert!(refused.errors.contains("ft-run uses file-1"), "{refused:?}");
    assert!(server.asked("DELETE").is_empty());
    assert_eq!(shell.run(&["files", "rm", "--yes", "file-2"]).expect(0).out, "file-2\n");
    let forced = shell.run(&["files", "rm", "--yes", "--force", "--json", "file-1"]).expect(0);
    assert_eq!(forced.out, "{\"version\":1,\"id\":\"file-1\",\"deleted\":true}\n");
    lines("deleted_file", &forced.out);
    assert_eq!(server.asked("DELETE /v1/files/").len(), 2);
}

#[test]
fn a_file_that_was_not_there_is_not_told_as_deleted() {
    let server = two_files();
    let remote = Shell::at(&server.url);
    for shell in [&remote, &Shell::new()] {
        let gone = shell.run(&["files", "rm", "nope", "--yes", "--force", "--json"]).expect(5);
        assert_eq!(gone.out, "");
        assert_eq!(gone.errors, "benchtop: the server has no file nope: `benchtop files ls` lists all\n");
    }
    let others = remote.run(&["files", "rm", "nope", "file-2", "--yes", "--force"]).expect(5);
    assert_eq!(others.out, "file-2\n", "the others are deleted: {others:?}");
}

#[test]
fn a_file_stays_where_the_jobs_are_not_known_and_goes_where_there_are_none() {
    for (status, code, count) in [(500, 6, 0), (400, 5, 0), (404, 0, 1)] {
        let files = two_files_with_jobs(move |_| Answer::Json(status, json!({"error": {"message": "no jobs"}})));
        let shell = Shell::at(&files.url);
        let ran = shell.run(&["files", "rm", "--yes", "file-1"]).expect(code);
        assert_eq!(files.asked("DELETE").len(), count, "{ran:?}");
        assert_eq!(ran.errors.contains("nothing was deleted"), count == 0, "{ran:?}");
        shell.run(&["files", "rm", "--yes", "--force", "file-1"]).expect(0);
        assert_eq!(files.asked("DELETE").len(), count + 1, "--force asks for no jobs");
    }
}

#[test]
fn ctrl_c_during_a_deletion_says_how_to_find_out_what_was_deleted() {
    for (args, said) in [
        (&["files", "rm", "--yes", "--force", "file-1"][..], "`benchtop files ls` lists the files that are left"),
        (&["tune", "rm", "--yes", "ft-one"], "if the model was deleted, `benchtop models` does not list it any more"),
    ] {
        let (arrive, arrived) = mpsc::channel::<()>();
        let (open, gate) = mpsc::channel::<()>();
        let (arrive, gate) = (Mutex::new(arrive), Mutex::new(gate));
        let server = Scripted::start(move |asked| {
            if asked.line.starts_with("DELETE") {
                arrive.lock().unwrap().send(()).unwrap();
                // Nothing is ever sent: it waits until the other end is dropped.
                let _ = gate.lock().unwrap().recv();
            }
            let is_list = asked.line == "GET /v1/fine-tunes";
            Some(Answer::Json(200, if is_list { json!({"data": []}) } else { job("succeeded") }))
        });
        let running = Shell::at(&server.url).start(args);
        arrived.recv_timeout(LIMIT).unwrap();
        running.signal(Signal::INT);
        let ran = running.end().expect(130);
        assert_eq!((ran.out, ran.errors), (String::new(), format!("benchtop: stopped: {said}\n")));
        drop(open);
    }
}

#[test]
fn text_and_bytes_from_outside_reach_a_pipe() {
    let server = two_files();
    let shell = Shell::at(&server.url);
    // A tab would be another field.
    let listed = shell.run(&["files", "ls"]).expect(0);
    let line = |id: &str| format!("{id}\tsame␉name\t4\tfine-tune\t2023-11-14T22:13:20Z\t\n");
    let mut lines: Vec<&str> = listed.out.split_inclusive('\n').collect();
    lines.sort_unstable();
    assert_eq!(lines, [line("file-1"), line("file-2")]);
    assert_eq!(shell.run(&["files", "ls", "--json"]).expect(0).json("file")[0]["name"], "same\tname");
    assert_eq!(shell.bytes(&["files", "get", "file-2", "--output", "-"]), b"a\x00\x1b\xff");
    let ambiguous = shell.run(&["files", "get", "same\tname", "--output", "-"]).expect(2);
    assert!(ambiguous.errors.contains("file-1") && ambiguous.errors.contains("file-2"), "{ambiguous:?}");
}

#[test]
fn a_content_in_a_pipe_continues_after_a_lost_connection_and_is_printed_as_far_as_it_came() {
    let content: Vec<u8> = (0..26_000_u32).map(|at| b'a' + (at % 23) as u8).collect();
    for (lost, status, bytes) in [(1, 0, 26_000), (usize::MAX, 7, 5_000)] {
        let (whole, asked) = (content.clone(), AtomicUsize::new(0));
        let server = Scripted::start(move |request| match request.line.as_str() {
            "GET /v1/files" => {
                let file =
                    json!({"id": "file-1", "object": "file", "bytes": 26_000, "filename": "a", "purpose": "fine-tune"});
                Some(Answer::Json(200, json!({"data": [file]})))
            }
            "GET /v1/files/file-1/content" if asked.fetch_add(1, Ordering::Relaxed) < lost => {
                Some(Answer::Cut(whole.clone(), 5_000))
            }
            "GET /v1/files/file-1/content" => Some(Answer::Bytes(whole.clone())),
            _ => None,
        });
        let ran = Shell::at(&server.url).run(&["files", "get", "file-1", "--output", "-"]).expect(status);
        assert!(ran.out.as_bytes() == &content[..bytes], "{} bytes came", ran.out.len());
        assert_eq!(ran.errors.is_empty(), status == 0, "{}", ran.errors);
        assert!(!ran.errors.contains("kept"), "{}", ran.errors);
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let server = two_files();
    let shell = Shell::at(&server.url);
    for args in [&["files", "ls"][..], &["files", "get", "file-2", "--output", "-"]] {
        let ran = shell.run_unread(args).expect(0);
        assert_eq!(ran.errors, "", "{args:?}");
    }
}

#[test]
fn what_the_server_says_decides_on_the_status() {
    for (status, code) in [(401, 4), (400, 5)] {
        let server = Scripted::start(move |_| Some(Answer::Json(status, json!({"error": {"message": "no"}}))));
        let ran = Shell::at(&server.url).run(&["files", "ls"]).expect(code);
        assert!(ran.out.is_empty() && ran.errors.starts_with("benchtop: "), "{ran:?}");
    }
}

#[test]
fn a_person_is_asked_before_anything_is_deleted() {
    let server = two_files();
    for (answer, status, count) in [("no\r", 1, 0), ("yes\r", 0, 1)] {
        let args = ["--base-url", &server.url, "files", "rm", "file-2"];
        let mut bench = Bench::with(Setup { args: &args, ..Setup::default() });
        bench.wait("Delete file-2 from the server? Type yes:");
        bench.send(answer);
        assert_eq!(bench.ended(), status);
        assert_eq!(server.asked("DELETE").len(), count);
    }
}

#[test]
fn nothing_is_asked_about_what_is_not_there_and_ctrl_d_is_no() {
    let server = two_files();
    let start = |id: &str| {
        let args = ["--base-url", &server.url, "files", "rm", id];
        Bench::with(Setup { args: &args, ..Setup::default() })
    };
    let mut missing = start("file-3");
    missing.wait("nothing was deleted");
    assert_eq!(missing.ended(), 5);
    assert!(!missing.text().contains("Type yes"), "{}", missing.text());

    let mut ended = start("file-2");
    ended.wait("Type yes:");
    ended.send("\u{4}");
    ended.wait("nothing was deleted");
    assert_eq!(ended.ended(), 1);
    let text = ended.text();
    assert!(text.lines().any(|line| line == "benchtop: nothing was deleted"), "on a line of its own: {text}");

    let mut stopped = start("file-2");
    stopped.wait("Type yes:");
    stopped.send("\u{3}");
    assert_eq!(stopped.ended(), 130);
    assert!(server.asked("DELETE").is_empty());
}

#[test]
fn a_person_gets_a_table() {
    let server = two_files();
    let args = ["--base-url", &server.url, "files", "ls"];
    let mut bench = Bench::with(Setup { args: &args, env: &[("TZ", "EAST-3")], ..Setup::default() });
    bench.wait("file-2");
    assert_eq!(bench.ended(), 0);
    let text = bench.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>(), ["ID", "NAME", "SIZE", "PURPOSE", "CREATED", "STATUS"]);
    assert!(lines.iter().any(|line| line.starts_with("file-2  same") && line.contains("4 B  fine-tune  ")), "{text}");
    assert!(text.contains("  2023-11-15 01:13"), "local time: {text}");
}

#[test]
fn a_table_fits_a_narrow_terminal() {
    let server = two_files();
    for columns in [60, 40] {
        for command in [&["files", "ls"][..], &["tune", "ls"], &["config", "show"]] {
            let args = [&["--base-url", &server.url][..], command].concat();
            let mut bench = Bench::with(Setup { args: &args, size: (columns, 50), ..Setup::default() });
            assert_eq!(bench.ended(), 0);
            let rows = String::from_utf8(bench.bytes.clone()).unwrap();
            let widest = rows.lines().map(|line| line.trim_end().chars().count()).max().unwrap();
            assert!(widest > 0 && widest <= usize::from(columns), "{command:?} at {columns}: {rows}");
        }
    }
}
