//! `benchtop tune`.

use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::files::training;
use crate::schema::lines;
use crate::scripted::{Answer, Scripted};
use crate::shell::Shell;

/// Returns a job of the older interface.
pub fn job(status: &str) -> Value {
    let ended = status == "succeeded";
    let results = json!([{"id": "file-r", "object": "file", "filename": "compiled_results.csv", "bytes": 10}]);
    json!({
        "id": "ft-one", "object": "fine-tune", "model": "ada", "created_at": 1_700_000_000, "status": status,
        "updated_at": 1_700_000_100, "hyperparams": {"n_epochs": 2},
        "fine_tuned_model": if ended { json!("ada:ft-me-2023-11-14-22-15-00") } else { Value::Null },
        "training_files": [{"id": "file-t", "filename": "train.jsonl", "bytes": 4}],
        "result_files": if ended { results } else { json!([]) },
    })
}

pub fn event(at: i64, message: &str) -> String {
    json!({"object": "fine-tune-event", "created_at": at, "level": "info", "message": message}).to_string()
}

/// Starts a server with a job in this state, whose stream ends if the job has.
fn server(status: &'static str) -> Scripted {
    Scripted::start(move |asked| {
        let ends = matches!(status, "succeeded" | "failed" | "cancelled");
        let events = vec![event(1_700_000_001, "Fine-tune started"), event(1_700_000_002, "two\nlines")];
        match asked.line.as_str() {
            "GET /v1/fine-tunes" => Some(Answer::Json(200, json!({"object": "list", "data": [job(status)]}))),
            "POST /v1/fine-tunes" | "GET /v1/fine-tunes/ft-one" => Some(Answer::Json(200, job(status))),
            "POST /v1/fine-tunes/ft-one/cancel" => Some(Answer::Json(200, job("cancelled"))),
            "GET /v1/fine-tunes/ft-one/events?stream=true" => Some(Answer::Events(events, ends)),
            "GET /v1/files/file-r/content" => Some(Answer::Bytes(b"step,train_loss\n1,0.5\n".to_vec())),
            "POST /v1/files" => {
                let purpose = "fine-tune";
                Some(Answer::Json(200, json!({"id": "file-new", "bytes": 4, "filename": "a", "purpose": purpose})))
            }
            line if line.starts_with("DELETE /v1/models/ada:ft-me")
                || line.starts_with("DELETE /v1/models/ada%3Aft-me") =>
            {
                Some(Answer::Json(200, json!({"deleted": true})))
            }
            _ => None,
        }
    })
}

#[test]
fn a_job_is_created_from_ids_and_from_files() {
    let server = server("pending");
    let shell = Shell::at(&server.url);
    let args = ["tune", "create", "--training-file", "file-t", "--model", "ada", "--epochs", "2", "--suffix", "tone"];
    let created = shell.run(&args).expect(0);
    assert_eq!((created.out.as_str(), created.errors.as_str()), ("ft-one\n", ""));
    let [asked] = &server.asked("POST /v1/fine-tunes")[..] else { panic!() };
    let body: Value = serde_json::from_slice(&asked.body).unwrap();
    assert_eq!(body, json!({"training_file": "file-t", "model": "ada", "n_epochs": 2, "suffix": "tone"}));

    shell.write("train.jsonl", &training(100));
    let args = ["tune", "create", "--training-file", "train.jsonl", "--model", "ada", "--json"];
    let [created] = &shell.run(&args).expect(0).json("job")[..] else { panic!() };
    assert_eq!(
        (&created["id"], &created["status"], &created["version"]),
        (&json!("ft-one"), &json!("queued"), &json!(1))
    );
    assert_eq!(server.asked("POST /v1/files").len(), 1);
    let asked = server.asked("POST /v1/fine-tunes").pop().unwrap();
    let body: Value = serde_json::from_slice(&asked.body).unwrap();
    assert_eq!(body, json!({"training_file": "file-new", "model": "ada"}));
    // The suffix that was sent names the job, which its server does not tell.
    assert_eq!(shell.run(&["tune", "ls", "--json"]).expect(0).json("job")[0]["name"], "tone");
}

#[test]
fn a_job_has_the_name_that_was_asked_for_in_every_command() {
    let server = server("succeeded");
    let shell = Shell::at(&server.url);
    let create = ["tune", "create", "--training-file", "file-t", "--model", "ada", "--suffix", "tone", "--json"];
    for args in [
        &create[..],
        &[&create[..], &["--watch"]].concat()[..],
        &["tune", "ls", "--json"],
        &["tune", "show", "ft-one", "--json"],
        &["tune", "cancel", "ft-one", "--json"],
        &["tune", "watch", "ft-one", "--json"],
    ] {
        let ran = shell.run(args).expect(0);
        let last: Value = serde_json::from_str(ran.out.lines().last().unwrap()).unwrap();
        assert_eq!(last["name"], "tone", "{args:?}: {ran:?}");
    }
}

#[test]
fn a_file_that_goes_while_it_is_uploaded_is_named_by_its_id() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("train.jsonl");
    std::fs::write(&file, training(100)).unwrap();
    let local = file.display().to_string();
    let server = Scripted::start(move |asked| match asked.line.as_str() {
        "GET /v1/fine-tunes" => Some(Answer::Json(200, json!({"data": []}))),
        "POST /v1/fine-tunes" => Some(Answer::Json(200, job("pending"))),
        "POST /v1/files" => {
            std::fs::remove_file(&file).unwrap();
            let purpose = "fine-tune";
            Some(Answer::Json(200, json!({"id": "file-new", "bytes": 4, "filename": "a", "purpose": purpose})))
        }
        _ => None,
    });
    let args = ["tune", "create", "--training-file", &local, "--model", "ada"];
    Shell::at(&server.url).run(&args).expect(0);
    let asked = server.asked("POST /v1/fine-tunes").pop().unwrap();
    let body: Value = serde_json::from_slice(&asked.body).unwrap();
    assert_eq!(body["training_file"], "file-new");
}

#[test]
fn a_job_that_cannot_be_is_not_sent() {
    let server = server("pending");
    let shell = Shell::at(&server.url);
    shell.write("bad.jsonl", "nothing\n");
    shell.write("good.jsonl", &training(100));
    let long = "x".repeat(41);
    let create = |more: &[&str]| shell.run(&[&["tune", "create", "--training-file"], more].concat());
    for (ran, said) in [
        (create(&["file-t"]), "--model is needed"),
        (create(&["gone.jsonl", "--model", "ada"]), "gone.jsonl: there is no such file"),
        (create(&["nope", "--model", "ada"]), "nope: there is no such file on this machine"),
        (create(&["good.jsonl", "--validation-file", "nope", "--model", "ada"]), "nope: there is no such file"),
        (create(&["file-t", "--model", "ada", "--suffix", &long]), "at most 40 characters"),
        (create(&["file-t", "--validation-file", "file-t", "--model", "ada"]), "must differ"),
        (create(&["file-t", "--model", "ada", "--epochs", "0"]), "--epochs"),
    ] {
        let ran = ran.expect(2);
        assert!(ran.out.is_empty() && ran.errors.contains(said), "{said}: {ran:?}");
    }
    let faulty = create(&["bad.jsonl", "--model", "ada"]).expect(1);
    assert!(faulty.out.is_empty() && faulty.errors.contains("nothing was uploaded"), "{faulty:?}");
    assert!(server.asked("POST").is_empty());
}

#[test]
fn nothing_is_uploaded_for_a_model_that_the_server_lacks() {
    let server = Scripted::start(|asked| match asked.line.as_str() {
        "GET /v1/fine-tunes" => Some(Answer::Json(200, json!({"data": []}))),
        "GET /v1/models" => Some(Answer::Json(200, json!({"data": [{"id": "ada"}]}))),
        _ => None,
    });
    let create = ["tune", "create", "--training-file", "train.jsonl", "--model", "gpt-99"];
    for (shell, said) in [
        (Shell::at(&server.url), "the server has no model gpt-99: `benchtop models` lists all\n"),
        (Shell::new(), "the local service tunes ada, babbage, curie, davinci and models tuned before\n"),
    ] {
        shell.write("train.jsonl", &training(100));
        let refused = shell.run(&create).expect(5);
        assert!(refused.out.is_empty() && refused.errors.contains(said), "{refused:?}");
        assert!(refused.errors.ends_with("nothing was uploaded and no fine-tune created\n"), "{refused:?}");
    }
    assert!(server.asked("POST").is_empty());
    let shell = Shell::new();
    let missing = shell.run(&["tune", "create", "--training-file", "file-nope", "--model", "ada"]).expect(5);
    assert!(missing.errors.ends_with("No file with ID: file-nope; choose another file\n"), "{missing:?}");
}

#[test]
fn a_lost_connection_is_told_once_with_what_is_done_about_it() {
    let lost = AtomicUsize::new(2);
    let server = Scripted::start(move |asked| match asked.line.as_str() {
        "GET /v1/fine-tunes" => Some(Answer::Json(200, json!({"data": [job("succeeded")]}))),
        "GET /v1/fine-tunes/ft-one" => Some(Answer::Json(200, job("succeeded"))),
        "GET /v1/fine-tunes/ft-one/events?stream=true" => {
            let is_lost = lost.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
            let busy = json!({"error": {"message": "busy"}});
            Some(if is_lost { Answer::Json(503, busy) } else { Answer::Events(vec![event(1, "Done")], true) })
        }
        _ => None,
    });
    let watched = Shell::at(&server.url).run(&["tune", "watch", "ft-one"]).expect(0);
    let told: Vec<&str> = watched.errors.lines().collect();
    let [lost, back, end] = &told[..] else { panic!("{watched:?}") };
    assert!(lost.contains("busy; waiting for the server; Ctrl+C stops watching"), "{lost}");
    assert_eq!(*back, "benchtop: the connection is back");
    assert!(end.contains("succeeded"), "{end}");
}

#[test]
fn the_events_of_a_job_are_printed_until_it_has_ended() {
    for (state, status, said) in [
        ("succeeded", 0, "benchtop: ft-one succeeded: ada:ft-me-2023-11-14-22-15-00\n"),
        ("failed", 1, "benchtop: ft-one failed\n"),
        ("cancelled", 1, "benchtop: ft-one was cancelled\n"),
    ] {
        let server = server(state);
        let shell = Shell::at(&server.url);
        let watched = shell.run(&["tune", "watch", "ft-one"]).expect(status);
        let expected = "2023-11-14T22:13:21Z\tFine-tune started\n2023-11-14T22:13:22Z\ttwo␊lines\n";
        assert_eq!((watched.out.as_str(), watched.errors.as_str()), (expected, said));
        let printed = shell.run(&["tune", "watch", "ft-one", "--json"]).expect(status);
        let (events, ended) = printed.out.trim_end().rsplit_once('\n').unwrap();
        let json = [lines("job_event", events), lines("job", ended)].concat();
        assert_eq!(json.len(), 3);
        assert_eq!((&json[1]["type"], &json[1]["message"]), (&json!("event"), &json!("two\nlines")));
        assert_eq!((&json[2]["type"], &json[2]["status"]), (&json!("job"), &json!(state)));
    }
}

#[test]
fn ctrl_c_ends_watching_and_not_the_job() {
    let server = server("running");
    let shell = Shell::at(&server.url);
    for args in [
        &["tune", "watch", "ft-one"][..],
        &["tune", "create", "--training-file", "file-t", "--model", "ada", "--watch"],
    ] {
        let mut running = shell.start(args);
        running.read_until("two␊lines\n");
        running.signal(Signal::INT);
        let ran = running.end().expect(130);
        assert_eq!(ran.errors, "benchtop: the job goes on; `benchtop tune watch ft-one` shows it again\n");
    }
    assert!(server.asked("POST /v1/fine-tunes/ft-one/cancel").is_empty());
}

#[test]
fn jobs_are_listed_shown_and_cancelled() {
    let server = server("succeeded");
    let shell = Shell::at(&server.url);
    let listed = shell.run(&["tune", "ls"]).expect(0);
    assert_eq!(
        listed.out,
        "ft-one\tsucceeded\tada\tada:ft-me-2023-11-14-22-15-00\t2023-11-14T22:13:20Z\ttrain.jsonl\n"
    );
    let shown = shell.run(&["tune", "show", "ft-one"]).expect(0);
    for line in ["id\tft-one", "name\ttrain.jsonl", "status\tsucceeded", "n_epochs\t2", "result_files\tfile-r"] {
        assert!(shown.out.lines().any(|other| other == line), "{line}: {shown:?}");
    }
    let [json] = &shell.run(&["tune", "show", "ft-one", "--json"]).expect(0).json("job")[..] else { panic!() };
    assert_eq!((&json["settings"]["n_epochs"], &json["result_files"]), (&json!(2), &json!(["file-r"])));
    // The older interface tells no end: it is the last change.
    assert_eq!((&json["finished_at"], &json["trained_tokens"]), (&json!(1_700_000_100), &Value::Null));
    assert_eq!(shell.run(&["tune", "cancel", "ft-one"]).expect(0).out, "ft-one\n");
    let [cancelled] = &shell.run(&["tune", "cancel", "ft-one", "--json"]).expect(0).json("job")[..] else { panic!() };
    assert_eq!(cancelled["status"], "cancelled");
    let missing = shell.run(&["tune", "show", "ft-two"]).expect(5);
    assert!(missing.out.is_empty() && missing.errors.contains("no fine-tune ft-two"), "{missing:?}");
}

#[test]
fn the_result_file_is_printed_or_saved() {
    let server = server("succeeded");
    let shell = Shell::at(&server.url);
    let csv = "step,train_loss\n1,0.5\n";
    assert_eq!(shell.run(&["tune", "results", "ft-one"]).expect(0).out, csv);
    let saved = shell.run(&["tune", "results", "ft-one", "--output", "r.csv"]).expect(0);
    assert!(saved.out.ends_with("/r.csv\n"));
    assert_eq!(shell.read("r.csv"), csv);
    let saved = shell.run(&["tune", "results", "ft-one", "--output", "."]).expect(0);
    assert!(saved.out.ends_with("/compiled_results.csv\n"), "{saved:?}");
    shell.run(&["tune", "results", "ft-one", "--output", "r.csv"]).expect(2);
    if cfg!(target_os = "linux") {
        let failed = shell.run(&["tune", "results", "ft-one", "--output", "/proc/r.csv"]).expect(7);
        assert!(failed.out.is_empty() && failed.errors.contains("cannot save /proc/r.csv"), "{failed:?}");
    }
    let server = self::server("running");
    let none = Shell::at(&server.url).run(&["tune", "results", "ft-one"]).expect(1);
    assert!(none.out.is_empty() && none.errors.contains("no result file yet"), "{none:?}");
}

/// Starts a server with the newer interface and a job that has ended.
fn newer_server() -> Scripted {
    Scripted::start(|asked| {
        let job = json!({
            "id": "ftjob-one", "object": "fine_tuning.job", "model": "gpt-4o-mini", "created_at": 1_700_000_000,
            "status": "succeeded", "fine_tuned_model": "ft:gpt-4o-mini:me::a1", "training_file": "file-t",
            "result_files": ["file-r"], "hyperparameters": {"n_epochs": 3}, "error": null,
        });
        let event = |at: i64, message: &str| json!({"id": format!("ftevent-{at}"), "created_at": 1_700_000_000 + at, "level": "info", "message": message});
        let line = asked.line.as_str();
        match line.split('?').next().unwrap() {
            "GET /v1/fine_tuning/jobs" => Some(Answer::Json(200, json!({"data": [job], "has_more": false}))),
            "POST /v1/fine_tuning/jobs" | "GET /v1/fine_tuning/jobs/ftjob-one" => Some(Answer::Json(200, job)),
            "GET /v1/fine_tuning/jobs/ftjob-one/events" => {
                let newest_first = [event(2, "The job has successfully completed"), event(1, "Step 1/1")];
                Some(Answer::Json(200, json!({"data": newest_first, "has_more": false})))
            }
            "GET /v1/files/file-r/content" => Some(Answer::Bytes(b"c3RlcCx0cmFpbl9sb3NzCjEsMC41Cg==".to_vec())),
            _ => None,
        }
    })
}

#[test]
fn the_newer_interface_does_the_same() {
    let server = newer_server();
    let shell = Shell::at(&server.url);
    let suffix = "x".repeat(50);
    let args =
        ["tune", "create", "--training-file", "file-t", "--model", "gpt-4o-mini", "--suffix", &suffix, "--watch"];
    let created = shell.run(&args).expect(0);
    let expected =
        "ftjob-one\n2023-11-14T22:13:21Z\tStep 1/1\n2023-11-14T22:13:22Z\tThe job has successfully completed\n";
    assert_eq!(created.out, expected);
    assert_eq!(created.errors, "benchtop: ftjob-one succeeded: ft:gpt-4o-mini:me::a1\n");
    let asked = server.asked("POST /v1/fine_tuning/jobs").pop().unwrap();
    let body: Value = serde_json::from_slice(&asked.body).unwrap();
    assert_eq!((&body["model"], &body["suffix"]), (&json!("gpt-4o-mini"), &json!(suffix)));
    let listed = shell.run(&["tune", "ls"]).expect(0);
    let expected =
        format!("ftjob-one\tsucceeded\tgpt-4o-mini\tft:gpt-4o-mini:me::a1\t2023-11-14T22:13:20Z\t{suffix}\n");
    assert_eq!(listed.out, expected);
    // Its result files are base64.
    assert_eq!(shell.run(&["tune", "results", "ftjob-one"]).expect(0).out, "step,train_loss\n1,0.5\n");
}

#[test]
fn the_model_of_a_job_is_deleted_when_that_is_confirmed() {
    let server = server("succeeded");
    let shell = Shell::at(&server.url);
    shell.run(&["tune", "rm", "ft-one"]).expect(2);
    assert!(server.asked("DELETE").is_empty());
    let deleted = shell.run(&["tune", "rm", "--yes", "ft-one"]).expect(0);
    assert_eq!(deleted.out, "ada:ft-me-2023-11-14-22-15-00\n");
    assert_eq!(server.asked("DELETE").len(), 1);
    let deleted = shell.run(&["tune", "rm", "--yes", "--json", "ft-one"]).expect(0).json("deleted_model").remove(0);
    assert_eq!((&deleted["job"], &deleted["model"]), (&json!("ft-one"), &json!("ada:ft-me-2023-11-14-22-15-00")));
    let server = self::server("running");
    let none = Shell::at(&server.url).run(&["tune", "rm", "--yes", "ft-one"]).expect(2);
    assert!(none.errors.contains("has no model"), "{none:?}");
}

#[test]
fn a_job_of_the_local_service_goes_on_with_the_next_command() {
    let shell = Shell::new();
    shell.write("train.jsonl", &training(100));
    let created = shell.run(&["tune", "create", "--training-file", "train.jsonl", "--model", "ada"]).expect(0);
    let id = created.out.strip_suffix('\n').unwrap();
    assert!(created.errors.contains("it runs while benchtop runs"), "{created:?}");
    let listed = shell.run(&["tune", "ls"]).expect(0);
    assert!(listed.out.starts_with(&format!("{id}\t")), "{listed:?}");
    assert_eq!(shell.run(&["tune", "cancel", id]).expect(0).out, format!("{id}\n"));
    let watched = shell.run(&["tune", "watch", id]).expect(1);
    assert!(watched.errors.ends_with(&format!("{id} was cancelled\n")), "{watched:?}");
}
