//! `/v1/fine-tunes` and the models that come of it, over real sockets.

use benchtop::service::{State, router};
use futures_util::StreamExt as _;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::bench::{ACME, Bench, READER, answer, messages, pairs, with};
use crate::desk::{KEY, error, request};

/// Returns the settings of a job that trains until it is cancelled.
fn endless() -> Value {
    json!({"n_epochs": 100, "batch_size": 1})
}

#[tokio::test]
async fn a_fresh_job_is_as_published() {
    let (_home, bench) = Bench::new().await;
    let job = bench.create(3, json!({"suffix": null, "n_epochs": null})).await;
    let (id, created) = (job["id"].as_str().unwrap(), &job["created_at"]);
    assert!(id.starts_with("ft-") && id.len() == 27, "{id}");
    let file = &job["training_files"][0];
    assert_eq!(
        (&file["object"], &file["purpose"], &file["filename"]),
        (&json!("file"), &json!("fine-tune"), &json!("a.jsonl"))
    );
    let published = json!({
        "object": "fine-tune", "id": id,
        "hyperparams": {"n_epochs": 4, "batch_size": null, "prompt_loss_weight": 0.01, "learning_rate_multiplier": null},
        "organization_id": "org-personal", "model": "ada", "training_files": [file], "validation_files": [],
        "result_files": [], "created_at": created, "updated_at": created, "status": "pending", "fine_tuned_model": null,
        "events": [{
            "object": "fine-tune-event", "level": "info", "message": format!("Created fine-tune: {id}"),
            "created_at": created,
        }],
    });
    assert_eq!(job, published);
    bench.service.stop().await;
}

#[tokio::test]
async fn every_refusal_of_a_job_has_its_status_and_words() {
    let (_home, bench) = Bench::new().await;
    let file = bench.upload(pairs(2), KEY).await;
    let other = bench.upload(pairs(2), ACME).await;
    let plain = json!({ "training_file": file });
    let metrics = |more: Value| with(json!({"compute_classification_metrics": true, "validation_file": file}), more);
    let no_file = |id: &str| format!("No file with ID: {id}");
    let bad_model = |name: &str| {
        format!(
            "Invalid base model: {name} (model must be one of ada, babbage, curie, davinci) or a fine-tuned model \
             created by your organization: org-personal"
        )
    };
    let table = [
        (json!({"training_file": null}), "'training_file' is a required property".to_owned(), None),
        (json!({"training_file": 5}), "5 is not of type 'string' - 'training_file'".into(), None),
        (json!({"training_file": "file-x"}), no_file("file-x"), Some("file")),
        (json!({"training_file": other}), no_file(&other), Some("file")),
        (json!({"validation_file": "file-y"}), no_file("file-y"), Some("file")),
        (json!({"model": "xxi"}), bad_model("xxi"), None),
        (json!({"model": "gpt-3.5-turbo"}), bad_model("gpt-3.5-turbo"), None),
        (json!({"model": "text-davinci-003"}), bad_model("text-davinci-003"), None),
        (json!({"n_epochs": 0}), "0 is less than the minimum of 1 - 'n_epochs'".into(), None),
        (json!({"n_epochs": "4"}), "'4' is not of type 'integer' - 'n_epochs'".into(), None),
        (json!({"batch_size": 257}), "257 is greater than the maximum of 256 - 'batch_size'".into(), None),
        (
            json!({"learning_rate_multiplier": 0}),
            "0 is less than or equal to the minimum of 0 - 'learning_rate_multiplier'".into(),
            None,
        ),
        (json!({"prompt_loss_weight": -1}), "-1 is less than the minimum of 0 - 'prompt_loss_weight'".into(), None),
        (json!({"suffix": "x".repeat(41)}), format!("'{}' is too long - 'suffix'", "x".repeat(41)), None),
        (json!({"colour": 1}), "Additional properties are not allowed ('colour' was unexpected)".into(), None),
        (
            json!({"compute_classification_metrics": true}),
            "'validation_file' is required when 'compute_classification_metrics' is set".into(),
            None,
        ),
        (
            metrics(json!({})),
            "'classification_n_classes' (multiclass) or 'classification_positive_class' (binary) is required when \
             'compute_classification_metrics' is set"
                .into(),
            None,
        ),
        (
            metrics(json!({"classification_n_classes": 3, "classification_betas": [1]})),
            "'classification_betas' is for binary classification and requires 'classification_positive_class'".into(),
            None,
        ),
        (
            json!({"validation_file": file}),
            "'training_file' and 'validation_file' name the same file; training and validation data must be mutually \
             exclusive"
                .into(),
            None,
        ),
    ];
    for (more, message, param) in table {
        let (status, body) = bench.post("/fine-tunes", &with(plain.clone(), more.clone())).await;
        assert_eq!((status, body), (400, error(&message, param, None)), "{more}");
    }
    for (method, path) in [
        ("GET", "/fine-tunes/ft-x"),
        ("GET", "/fine-tunes/ft-x/events"),
        ("GET", "/fine-tunes/ft-x/events?stream=true"),
        ("POST", "/fine-tunes/ft-x/cancel"),
        ("DELETE", "/fine-tunes/ft-x"),
        ("GET", "/fine_tuning/jobs/ft-x"),
        ("GET", "/fine_tuning/jobs/ft-x/events"),
        ("GET", "/fine_tuning/jobs/ft-x/checkpoints"),
        ("POST", "/fine_tuning/jobs/ft-x/cancel"),
        ("POST", "/fine_tuning/jobs/ft-x/pause"),
    ] {
        let unknown = error("Could not find fine tune: ft-x", Some("fine_tune_id"), Some("fine_tune_not_found"));
        assert_eq!(bench.ask(method, path, KEY).await, (404, unknown), "{method} {path}");
    }
    assert_eq!(bench.ask("GET", "/fine-tunes/%ff", KEY).await.0, 404);
    assert_eq!(bench.ask("DELETE", "/fine-tunes", KEY).await.0, 405);
    assert_eq!(bench.get("/fine-tunes").await, json!({"object": "list", "data": [], "has_more": false}));
    bench.service.stop().await;
}

#[tokio::test]
async fn a_job_trains_a_model_that_serves_and_is_deleted() {
    let (_home, bench) = Bench::new().await;
    let job = bench.create(8, json!({"n_epochs": 2, "suffix": "My Colours!"})).await;
    let id = job["id"].as_str().unwrap();
    let job = bench.finished(&job).await;
    assert_eq!(job["status"], "succeeded", "{job}");
    let model = job["fine_tuned_model"].as_str().unwrap();
    let stamp = model.strip_prefix("ada:ft-personal:my-colours-").expect(model);
    assert!(stamp.len() == 19 && stamp.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'), "{model}");
    let result = &job["result_files"][0];
    let said = [
        format!("Created fine-tune: {id}"),
        "Fine-tune costs $0.00".into(),
        "Fine-tune enqueued. Queue number: 0".into(),
        "Fine-tune started".into(),
        "Completed epoch 1/2".into(),
        "Completed epoch 2/2".into(),
        format!("Uploaded model: {model}"),
        format!("Uploaded result file: {}", result["id"].as_str().unwrap()),
        "Fine-tune succeeded".into(),
    ];
    // Between them each of the sixteen steps, as there are fewer than a hundred.
    let (steps, others): (Vec<&str>, Vec<&str>) = messages(&job).iter().partition(|said| said.starts_with("Step "));
    assert_eq!(others, said);
    let begins = |(at, said): (usize, &&str)| said.starts_with(&format!("Step {at}/16: training loss "));
    assert!(steps.len() == 16 && (1..).zip(&steps).all(begins), "{steps:?}");
    assert_eq!(job["hyperparams"]["batch_size"], 1);
    assert_eq!(job["hyperparams"]["learning_rate_multiplier"], 0.05);
    assert_eq!(
        (&result["purpose"], &result["filename"]),
        (&json!("fine-tune-results"), &json!("compiled_results.csv"))
    );

    let (_, csv) = bench.ask("GET", &format!("/files/{}/content", result["id"].as_str().unwrap()), KEY).await;
    let lines: Vec<&str> = csv.as_str().unwrap().lines().collect();
    let columns =
        "step,elapsed_tokens,elapsed_examples,training_loss,training_sequence_accuracy,training_token_accuracy";
    assert_eq!((lines[0], lines.len()), (columns, 17));
    assert!(lines[1].starts_with("1,") && lines[16].split(',').nth(2) == Some("16"), "{csv}");

    let list = bench.get("/fine-tunes").await;
    let entry = &list["data"][0];
    assert_eq!((&entry["id"], entry.get("events")), (&json!(id), None));

    let path = format!("/models/{}", model.replace(':', "%3A"));
    let record = bench.get(&path).await;
    assert_eq!(record["owned_by"], "personal");
    assert_eq!((&record["root"], &record["parent"]), (&json!("ada:2020-05-03"), &json!("ada:2020-05-03")));
    let permission = &record["permission"][0];
    assert!(permission["id"].as_str().unwrap().starts_with("snapperm-"), "{permission}");
    assert_eq!((&permission["organization"], &permission["allow_fine_tuning"]), (&json!("org-personal"), &json!(true)));
    let listed = bench.get("/models").await;
    assert!(listed["data"].as_array().unwrap().contains(&record));

    let prompt = json!({"model": model, "prompt": "Item 1 is ->", "max_tokens": 3, "temperature": 0});
    let (status, body) = bench.post("/completions", &prompt).await;
    assert_eq!((status, &body["model"]), (200, &json!(model)), "{body}");
    let chat = json!({"model": model, "messages": [{"role": "user", "content": "hi"}], "max_tokens": 3});
    let (status, body) = bench.post("/chat/completions", &chat).await;
    assert_eq!((status, &body["model"]), (200, &json!(model)), "{body}");
    // Nobody else's.
    assert_eq!(bench.ask("GET", &path, ACME).await.0, 404);
    assert_eq!(bench.post_as("/chat/completions", &chat, ACME).await.0, 404);

    let (status, body) = bench.ask("DELETE", &format!("/fine-tunes/{id}"), KEY).await;
    assert_eq!(status, 409, "its model is there: {body}");
    let (status, body) = bench.ask("DELETE", &path, KEY).await;
    assert_eq!((status, body), (200, json!({"id": model, "object": "model", "deleted": true})));
    let gone = error(&format!("The model '{model}' does not exist"), Some("model"), Some("model_not_found"));
    for method in ["GET", "DELETE"] {
        assert_eq!(bench.ask(method, &path, KEY).await, (404, gone.clone()), "{method}");
    }
    assert_eq!(bench.post("/completions", &prompt).await.0, 404);
    assert!(!bench.get("/models").await["data"].as_array().unwrap().contains(&record));
    let (status, body) = bench.ask("DELETE", &format!("/fine-tunes/{id}"), KEY).await;
    assert_eq!((status, body), (200, json!({"id": id, "object": "fine-tune", "deleted": true})));
    assert_eq!(bench.get("/fine-tunes").await["data"], json!([]));
    bench.service.stop().await;
}

#[tokio::test]
async fn only_an_owner_deletes_and_never_a_base_model() {
    let (_home, bench) = Bench::new().await;
    let (status, body) = bench.ask("DELETE", "/models/ada", KEY).await;
    assert_eq!((status, body), (403, error("The model 'ada' is a base model and cannot be deleted.", None, None)));
    let (status, body) = bench.ask("DELETE", "/models/nothing", KEY).await;
    let unknown = error("The model 'nothing' does not exist", Some("model"), Some("model_not_found"));
    assert_eq!((status, body), (404, unknown));
    let file = bench.upload(pairs(2), ACME).await;
    let body = json!({"training_file": file, "model": "ada", "n_epochs": 1});
    let (_, job) = bench.post_as("/fine-tunes", &body, ACME).await;
    let path = format!("/fine-tunes/{}", job["id"].as_str().unwrap());
    assert_eq!(bench.ask("GET", &path, KEY).await.0, 404, "another organisation's");
    let stream = bench.request("GET", &format!("{path}/events?stream=true"), READER).send().await.unwrap();
    stream.text().await.unwrap();
    let (_, job) = bench.ask("GET", &path, READER).await;
    let model = format!("/models/{}", job["fine_tuned_model"].as_str().unwrap());
    assert!(model.contains("ada:ft-acme-"), "{model}");
    let (status, body) = bench.ask("DELETE", &model, READER).await;
    assert_eq!((status, &body["error"]["type"]), (403, &json!("invalid_request_error")));
    assert!(body["error"]["message"].as_str().unwrap().contains("Owner"), "{body}");
    assert_eq!(bench.ask("DELETE", &model, KEY).await.0, 404);
    assert_eq!(bench.ask("DELETE", &model, ACME).await.0, 200);
    bench.service.stop().await;
}

#[tokio::test]
async fn one_job_runs_the_others_know_their_place_and_cancel_is_at_once() {
    let (_home, bench) = Bench::new().await;
    let first = bench.create(2000, endless()).await;
    bench.until(&first, "running", |job| job["status"] == "running").await;
    let second = bench.create(2, json!({"n_epochs": 1})).await;
    let third = bench.create(2, json!({"n_epochs": 1})).await;
    let queued = |job: &Value| messages(job).iter().any(|message| message.starts_with("Fine-tune enqueued"));
    let third = bench.until(&third, "queued", queued).await;
    assert_eq!(messages(&third).last().unwrap(), &"Fine-tune enqueued. Queue number: 2");
    // What a job needs is not deleted.
    let file = first["training_files"][0]["id"].as_str().unwrap();
    let held = bench.ask("DELETE", &format!("/files/{file}"), KEY).await;
    assert_eq!(held.0, 409, "{}", held.1);

    // Clients send what they please with a cancel.
    let id = first["id"].as_str().unwrap();
    let path = format!("/fine-tunes/{id}/cancel");
    let request = bench.request("POST", &path, KEY).header("content-type", "multipart/form-data");
    let (status, cancelled) = answer(request).await;
    assert_eq!((status, &cancelled["status"]), (200, &json!("cancelled")));
    assert_eq!(messages(&cancelled).last().unwrap(), &"Fine-tune cancelled");
    assert_eq!((&cancelled["fine_tuned_model"], &cancelled["result_files"]), (&Value::Null, &json!([])));
    // The first would never end by itself.
    let started = |job: &Value| messages(job).contains(&"Fine-tune started");
    bench.until(&second, "started", started).await;
    let words = format!("Cannot cancel a job {id} that already has status \"cancelled\".");
    assert_eq!(bench.ask("POST", &path, KEY).await, (400, error(&words, None, None)));

    let third = bench.finished(&third).await;
    let said = messages(&third);
    let places: Vec<&str> = said.iter().copied().filter(|message| message.contains("Queue number")).collect();
    let expected = [
        "Fine-tune enqueued. Queue number: 2",
        "Fine-tune is in the queue. Queue number: 1",
        "Fine-tune is in the queue. Queue number: 0",
    ];
    assert_eq!(places, expected);
    let second = bench.finished(&second).await;
    let words =
        format!("Cannot cancel a job {} that already has status \"succeeded\".", second["id"].as_str().unwrap());
    let path = format!("/fine-tunes/{}/cancel", second["id"].as_str().unwrap());
    assert_eq!(bench.post(&path, &json!({})).await, (400, error(&words, None, None)));
    let list = bench.get("/fine-tunes").await;
    let order: Vec<&Value> = list["data"].as_array().unwrap().iter().map(|job| &job["id"]).collect();
    assert_eq!(order, [&first["id"], &second["id"], &third["id"]], "oldest first");
    assert_eq!(bench.ask("DELETE", &format!("/files/{file}"), KEY).await.0, 200);
    assert_eq!(bench.get(&format!("/fine-tunes/{id}")).await["training_files"][0]["status"], "deleted");
    bench.service.stop().await;
}

#[tokio::test]
async fn events_are_followed_from_the_first_to_done() {
    let (_home, bench) = Bench::new().await;
    let job = bench.create(50, endless()).await;
    let path = format!("/fine-tunes/{}/events", job["id"].as_str().unwrap());
    let response = bench.request("GET", &format!("{path}?stream=true"), KEY).send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut bytes = response.bytes_stream();
    let mut text = String::new();
    while !text.contains("Completed epoch 1/100") {
        text.push_str(str::from_utf8(&bytes.next().await.expect("it goes on").unwrap()).unwrap());
    }
    bench.ask("POST", &format!("/fine-tunes/{}/cancel", job["id"].as_str().unwrap()), KEY).await;
    while let Some(more) = bytes.next().await {
        text.push_str(str::from_utf8(&more.unwrap()).unwrap());
    }
    let told: Vec<&str> = text.trim_end().split("\n\n").filter_map(|event| event.strip_prefix("data: ")).collect();
    assert_eq!(told.last(), Some(&"[DONE]"));
    let told: Vec<Value> = told[..told.len() - 1].iter().map(|event| serde_json::from_str(event).unwrap()).collect();
    let list = bench.get(&path).await;
    assert_eq!(json!({"object": "list", "data": told, "has_more": false}), list);
    assert_eq!(told.last().unwrap()["message"], "Fine-tune cancelled");
    // All of it at once for one who comes late.
    let late = bench.request("GET", &format!("{path}?stream=true"), KEY).send().await.unwrap().text().await.unwrap();
    assert_eq!(late.matches("data: ").count(), told.len() + 1);
    let (status, body) = bench.ask("GET", &format!("{path}?stream=maybe"), KEY).await;
    assert_eq!((status, body), (400, error("'maybe' is not of type 'boolean' - 'stream'", None, None)));
    bench.service.stop().await;
}

#[tokio::test]
async fn a_stop_ends_the_stream_without_done_and_the_next_start_goes_on() {
    let (home, bench) = Bench::new().await;
    let job = bench.create(15, json!({"n_epochs": 12, "batch_size": 1})).await;
    let waiting = bench.create(2, json!({"n_epochs": 1})).await;
    let path = format!("/fine-tunes/{}/events?stream=true", job["id"].as_str().unwrap());
    let response = bench.request("GET", &path, KEY).send().await.unwrap();
    let epoch = |job: &Value| messages(job).iter().any(|message| message.starts_with("Completed epoch"));
    bench.until(&job, "an epoch", epoch).await;
    bench.service.stop().await;
    let text = response.text().await.unwrap_or_default();
    assert!(!text.contains("[DONE]"), "{text}");

    let bench = Bench::at(home.path()).await;
    let job = bench.finished(&job).await;
    assert_eq!(job["status"], "succeeded", "{job}");
    let said = messages(&job);
    let epochs: Vec<&str> = said.iter().copied().filter(|message| message.starts_with("Completed")).collect();
    assert_eq!(epochs, (1..=12).map(|n| format!("Completed epoch {n}/12")).collect::<Vec<_>>(), "each once, in order");
    let resumed: Vec<&str> = said.iter().copied().filter(|message| message.contains("resumed")).collect();
    assert!(resumed.len() == 1 && resumed[0].ends_with("the service had been stopped"), "{said:?}");
    let result = job["result_files"][0]["id"].as_str().unwrap();
    let (_, csv) = bench.ask("GET", &format!("/files/{result}/content"), KEY).await;
    let steps: Vec<usize> =
        csv.as_str().unwrap().lines().skip(1).map(|line| line.split(',').next().unwrap().parse().unwrap()).collect();
    assert_eq!(steps, (1..=180).collect::<Vec<_>>(), "each step once");
    assert_eq!(bench.finished(&waiting).await["status"], "succeeded");
    bench.service.stop().await;
}

#[tokio::test]
async fn what_cannot_be_learned_fails_with_its_file_and_line() {
    let (_home, bench) = Bench::new().await;
    let row = |prompt: &str, completion: &str| format!("{}\n", json!({"prompt": prompt, "completion": completion}));
    let long = "word ".repeat(2100);
    let metrics = |n: usize| json!({"compute_classification_metrics": true, "classification_n_classes": n});
    let cases = [
        (row("a", " b") + "{\"prompt\": \"c\"}\n", None, json!({}), "(line 2)"),
        (row(&long, " b"), None, json!({}), "The majority of examples in the training file contain more than the 2048"),
        (row("a", " b") + &row("c", " d") + &row("e", " f") + &row(&long, " g"), None, json!({}), "(line 4)"),
        (row("a", " b"), Some(row("x", " y") + &row("a", " b")), json!({}), "mutually exclusive. (line 2)"),
        (
            row("a", " b") + &row("c", " d"),
            Some(row("e", " b")),
            metrics(3),
            "does not match the number of classes specified in the hyperparameters.",
        ),
        (row("a", " b") + &row("c", " d"), Some(row("e", " z")), metrics(2), "no training example has. (line 1)"),
    ];
    for (training, validation, more, words) in cases {
        let mut body = json!({"training_file": bench.upload(training, KEY).await});
        let named = body["training_file"].as_str().unwrap().to_owned();
        if let Some(validation) = validation {
            body["validation_file"] = bench.upload(validation, KEY).await.into();
        }
        let (status, job) = bench.post("/fine-tunes", &with(body, more)).await;
        assert_eq!(status, 200, "{job}");
        let job = bench.finished(&job).await;
        let last = job["events"].as_array().unwrap().last().unwrap();
        assert_eq!((&job["status"], &last["level"]), (&json!("failed"), &json!("error")), "{words}");
        let message = last["message"].as_str().unwrap();
        assert!(message.starts_with("Fine-tune failed. Errors:\n") && message.contains(words), "{message}");
        assert!(message.contains("file-") || words.contains("majority"), "{named}: {message}");
    }
    bench.service.stop().await;
}

#[tokio::test]
async fn a_tuned_model_is_a_base_and_stays_while_it_is_needed() {
    let (_home, bench) = Bench::new().await;
    let job = bench.create(4, json!({"n_epochs": 1, "model": "curie"})).await;
    let first = bench.finished(&job).await["fine_tuned_model"].as_str().unwrap().to_owned();
    let next = bench.create(2000, with(endless(), json!({ "model": first }))).await;
    assert_eq!(next["model"], json!(first));
    let (status, body) = bench.ask("DELETE", &format!("/models/{first}"), KEY).await;
    assert_eq!(status, 409, "{body}");
    bench.until(&next, "running", |job| job["status"] == "running").await;
    bench.ask("POST", &format!("/fine-tunes/{}/cancel", next["id"].as_str().unwrap()), KEY).await;
    let short = bench.create(4, json!({"n_epochs": 1, "model": first})).await;
    let second = bench.finished(&short).await["fine_tuned_model"].as_str().unwrap().to_owned();
    assert!(second.starts_with("curie:ft-personal-") && second != first, "{second}");
    assert_eq!(bench.ask("DELETE", &format!("/models/{first}"), KEY).await.0, 200);
    let prompt = json!({"model": second, "prompt": "Item 1 is ->", "max_tokens": 2});
    assert_eq!(bench.post("/completions", &prompt).await.0, 200, "it stands alone");
    bench.service.stop().await;
}

#[tokio::test]
async fn classification_is_measured_at_the_end_of_each_epoch() {
    let (_home, bench) = Bench::new().await;
    let rows = |from: usize, to: usize| -> String {
        let row = |i: usize| json!({"prompt": format!("Number {i}"), "completion": if i.is_multiple_of(2) { " yes" } else { " no" }});
        (from..to).map(|i| row(i).to_string() + "\n").collect()
    };
    let body = json!({
        "training_file": bench.upload(rows(0, 12), KEY).await, "validation_file": bench.upload(rows(12, 20), KEY).await,
        "model": "babbage", "n_epochs": 2, "batch_size": 4, "learning_rate_multiplier": 0.2, "prompt_loss_weight": 0.1,
        "compute_classification_metrics": true, "classification_n_classes": 2,
        "classification_positive_class": " yes", "classification_betas": [0.5, 2], "suffix": "yes-no",
    });
    let (status, job) = bench.post("/fine-tunes", &body).await;
    assert_eq!(status, 200, "{job}");
    let job = bench.finished(&job).await;
    assert_eq!(job["status"], "succeeded", "{job}");
    let settings = json!({"n_epochs": 2, "batch_size": 4, "prompt_loss_weight": 0.1, "learning_rate_multiplier": 0.2});
    assert_eq!(job["hyperparams"], settings);
    let result = job["result_files"][0]["id"].as_str().unwrap();
    let (_, csv) = bench.ask("GET", &format!("/files/{result}/content"), KEY).await;
    let lines: Vec<Vec<&str>> = csv.as_str().unwrap().lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(
        lines[0][6..],
        [
            "validation_loss",
            "validation_sequence_accuracy",
            "validation_token_accuracy",
            "classification/accuracy",
            "classification/precision",
            "classification/recall",
            "classification/auroc",
            "classification/auprc",
            "classification/f0.5",
            "classification/f2.0"
        ]
    );
    assert_eq!(lines.len(), 7);
    for (step, line) in lines.iter().enumerate().skip(1) {
        let measured = step.is_multiple_of(3);
        assert_eq!(!line[9].is_empty(), measured, "{line:?}");
        assert!(line[9].is_empty() || (0.0..=1.0).contains(&line[9].parse::<f64>().unwrap()), "{line:?}");
    }
    bench.service.stop().await;
}

#[tokio::test]
async fn settings_given_are_told_at_once_and_while_queued_in_both_dialects() {
    let (_home, bench) = Bench::new().await;
    let running = bench.create(3, endless()).await;
    let given = json!({"batch_size": 3, "learning_rate_multiplier": 0.15, "n_epochs": 2, "prompt_loss_weight": 0.5});
    let job = bench.create(3, given.clone()).await;
    assert_eq!(job["hyperparams"], given, "in the answer");
    let queued = |job: &Value| messages(job).iter().any(|message| message.starts_with("Fine-tune enqueued"));
    let waiting = bench.until(&job, "queued", queued).await;
    assert_eq!((&waiting["status"], &waiting["hyperparams"]), (&json!("pending"), &given));
    assert_eq!(bench.get("/fine-tunes").await["data"][1]["hyperparams"], given, "in the list");
    let newer = json!({"n_epochs": 2, "batch_size": 3, "learning_rate_multiplier": 0.15});
    let listed = bench.get("/fine_tuning/jobs").await["data"][0].clone();
    assert_eq!((&listed["status"], &listed["hyperparameters"]), (&json!("queued"), &newer));
    assert_eq!(listed["method"]["supervised"]["hyperparameters"], newer);
    let file = &job["training_files"][0]["id"];
    let order = json!({"training_file": file, "model": "ada", "hyperparameters": newer});
    let (status, created) = bench.post("/fine_tuning/jobs", &order).await;
    assert_eq!((status, &created["hyperparameters"]), (200, &newer), "{created}");
    let older = &bench.get("/fine-tunes").await["data"][2]["hyperparams"];
    assert_eq!((&older["batch_size"], &older["learning_rate_multiplier"]), (&json!(3), &json!(0.15)));
    let plain = json!({"training_file": file, "model": "ada"});
    let (_, created) = bench.post("/fine_tuning/jobs", &plain).await;
    assert_eq!(created["hyperparameters"]["batch_size"], "auto", "not given");
    bench.post(&format!("/fine-tunes/{}/cancel", running["id"].as_str().unwrap()), &json!({})).await;
    bench.service.stop().await;
}

/// Changes of other jobs wake the stream of a job that waits; its reader must hear of it all the same.
#[tokio::test(start_paused = true)]
async fn a_queued_jobs_stream_sends_comments_while_other_jobs_change() {
    let state = State::new(KEY.to_owned().into()).unwrap();
    let send = |request| router(state.clone()).oneshot(request);
    let form = "--b\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nfine-tune\r\n--b\r\nContent-Disposition: \
                form-data; name=\"file\"; filename=\"a.jsonl\"\r\n\r\n";
    let mut upload = request("POST", "/v1/files", format!("{form}{}\r\n--b--\r\n", pairs(2)));
    upload.headers_mut().insert("content-type", "multipart/form-data; boundary=b".parse().unwrap());
    let file = whole(send(upload).await.unwrap()).await["id"].clone();
    let order = json!({"training_file": file, "model": "ada"}).to_string();
    let job = whole(send(request("POST", "/v1/fine-tunes", order.clone())).await.unwrap()).await;
    let path = format!("/v1/fine-tunes/{}/events?stream=true", job["id"].as_str().unwrap());
    let mut events = send(request("GET", &path, "")).await.unwrap().into_body().into_data_stream();
    assert!(events.next().await.unwrap().unwrap().starts_with(b"data: "));
    let mut comment = tokio::spawn(async move { events.next().await.unwrap().unwrap() });
    for _ in 0..30 {
        if comment.is_finished() {
            break;
        }
        // Nothing trains in this service: the new job is the only change.
        send(request("POST", "/v1/fine-tunes", order.clone())).await.unwrap();
        tokio::time::advance(std::time::Duration::from_secs(1)).await;
        tokio::task::yield_now().await;
    }
    assert!(comment.is_finished(), "silent for 30 seconds");
    assert_eq!((&mut comment).await.unwrap(), ": keep-alive\n\n");
}

async fn whole(response: axum::response::Response) -> Value {
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice(&bytes).unwrap()
}
