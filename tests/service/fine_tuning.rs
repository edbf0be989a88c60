//! `/v1/fine_tuning/jobs`: the same jobs in the newer dialect.

use serde_json::{Value, json};

use crate::bench::{Bench, pairs, with};
use crate::desk::{KEY, error};

async fn create(bench: &Bench, text: String, more: Value) -> Value {
    let file = bench.upload(text, KEY).await;
    let body = with(json!({"training_file": file, "model": "gpt-3.5-turbo"}), more);
    let (status, job) = bench.post("/fine_tuning/jobs", &body).await;
    assert_eq!(status, 200, "{job}");
    job
}

fn chats(rows: usize) -> String {
    let row = |i: usize| {
        json!({"messages": [
            {"role": "system", "content": "You name colours."}, {"role": "user", "content": format!("Item {i}?")},
            {"role": "assistant", "content": "red"},
        ]})
    };
    (0..rows).map(|i| row(i).to_string() + "\n").collect()
}

/// Returns the job as the older interface names it.
fn first(job: &Value) -> Value {
    json!({"id": job["id"].as_str().unwrap().replace("ftjob-", "ft-")})
}

#[tokio::test]
async fn a_job_on_chats_is_the_same_job_in_both_dialects() {
    let (_home, bench) = Bench::new().await;
    let job = create(
        &bench,
        chats(6),
        json!({
            "suffix": "Colours", "seed": 7, "metadata": {"a": "b"},
            "method": {"type": "supervised", "supervised": {"hyperparameters": {"n_epochs": 2, "batch_size": "auto"}}},
        }),
    )
    .await;
    let settings = json!({"n_epochs": 2, "batch_size": "auto", "learning_rate_multiplier": "auto"});
    let (id, file) = (job["id"].as_str().unwrap(), job["training_file"].as_str().unwrap());
    let fresh = json!({
        "object": "fine_tuning.job", "id": id, "model": "gpt-3.5-turbo", "created_at": job["created_at"],
        "finished_at": null, "fine_tuned_model": null, "organization_id": "org-personal", "result_files": [],
        "status": "validating_files", "validation_file": null, "training_file": file, "hyperparameters": settings,
        "method": {"type": "supervised", "supervised": {"hyperparameters": settings}}, "trained_tokens": null,
        "error": null, "user_provided_suffix": "colours", "seed": 7, "estimated_finish": null, "integrations": [],
        "metadata": {"a": "b"},
    });
    assert_eq!(job, fresh);
    bench.finished(&first(&job)).await;
    let done = bench.get(&format!("/fine_tuning/jobs/{id}")).await;
    assert_eq!(done["status"], "succeeded", "{done}");
    assert_eq!(bench.get(&format!("/fine_tuning/jobs/{}", id.replace("ftjob-", "ft-"))).await, done);
    let model = done["fine_tuned_model"].as_str().unwrap();
    assert!(model.starts_with("gpt-3.5-turbo:ft-personal:colours-"), "{model}");
    assert_eq!(done["hyperparameters"], json!({"n_epochs": 2, "batch_size": 1, "learning_rate_multiplier": 0.05}));
    assert!(done["trained_tokens"].as_u64().unwrap() > 0 && done["finished_at"].is_i64(), "{done}");
    assert_eq!(done["result_files"].as_array().unwrap().len(), 1);
    let chat = json!({"model": model, "messages": [{"role": "user", "content": "Item 1?"}], "max_tokens": 3});
    assert_eq!(bench.post("/chat/completions", &chat).await.0, 200);

    let checkpoints = bench.get(&format!("/fine_tuning/jobs/{id}/checkpoints")).await;
    let only = &checkpoints["data"][0];
    assert_eq!((checkpoints["data"].as_array().unwrap().len(), &checkpoints["has_more"]), (1, &json!(false)));
    assert_eq!((&only["fine_tuned_model_checkpoint"], &only["step_number"]), (&json!(model), &json!(12)));
    let (status, body) = bench.post(&format!("/fine_tuning/jobs/{id}/cancel"), &json!({})).await;
    let words = format!("Cannot cancel a job {id} that already has status \"succeeded\".");
    assert_eq!((status, body), (400, error(&words, None, None)));
    assert_eq!(bench.post(&format!("/fine_tuning/jobs/{id}/pause"), &json!({})).await.0, 400);
    bench.service.stop().await;
}

#[tokio::test]
async fn lists_and_events_have_pages_newest_first() {
    let (_home, bench) = Bench::new().await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        let job = create(&bench, pairs(2), json!({"model": "ada", "hyperparameters": {"n_epochs": 1}})).await;
        ids.insert(0, job["id"].clone());
        bench.finished(&first(&job)).await;
    }
    let page = bench.get("/fine_tuning/jobs?limit=2").await;
    let found = |page: &Value| page["data"].as_array().unwrap().iter().map(|job| job["id"].clone()).collect::<Vec<_>>();
    assert_eq!((found(&page), &page["has_more"], &page["last_id"]), (ids[..2].to_vec(), &json!(true), &ids[1]));
    let rest = bench.get(&format!("/fine_tuning/jobs?limit=2&after={}", ids[1].as_str().unwrap())).await;
    assert_eq!((found(&rest), &rest["has_more"]), (ids[2..].to_vec(), &json!(false)));

    let path = format!("/fine_tuning/jobs/{}/events", ids[0].as_str().unwrap());
    let all = bench.get(&path).await;
    let events = all["data"].as_array().unwrap();
    assert_eq!(events[0]["message"], "Fine-tune succeeded");
    for event in events {
        let step = event["message"].as_str().unwrap().starts_with("Step ");
        let kind = if step { "metrics" } else { "message" };
        assert_eq!((&event["object"], &event["type"]), (&json!("fine_tuning.job.event"), &json!(kind)));
        assert_eq!(event["data"].is_object(), step, "{event}");
        assert!(event["id"].as_str().unwrap().starts_with("ftevent-"), "{event}");
    }
    let data = &events.iter().find(|event| event["type"] == "metrics").expect("steps are told")["data"];
    assert_eq!((&data["step"], &data["total_steps"]), (&json!(2), &json!(2)));
    assert!(data["train_loss"].as_f64().unwrap() > 0.0 && data["train_accuracy"].is_number(), "{data}");
    // One by one, as clients go through pages.
    let (mut after, mut walked) = (String::new(), Vec::new());
    loop {
        let page = bench.get(&format!("{path}?limit=1&after={after}")).await;
        walked.push(page["data"][0].clone());
        if page["has_more"] == false {
            break;
        }
        after = page["last_id"].as_str().unwrap().to_owned();
    }
    assert_eq!(&walked, events);
    for (query, words, param) in [
        ("limit=0", "0 is less than the minimum of 1 - 'limit'", None),
        ("limit=101", "101 is greater than the maximum of 100 - 'limit'", None),
        ("limit=x", "'x' is not of type 'integer' - 'limit'", None),
        ("after=nobody", "No entry with ID: nobody", Some("after")),
    ] {
        let (status, body) = bench.ask("GET", &format!("/fine_tuning/jobs?{query}"), KEY).await;
        assert_eq!((status, body), (400, error(words, param, None)), "{query}");
    }
    bench.service.stop().await;
}

#[tokio::test]
async fn refusals_of_the_newer_dialect_and_failures_say_why() {
    let (_home, bench) = Bench::new().await;
    let file = bench.upload(pairs(2), KEY).await;
    let plain = json!({"training_file": file, "model": "ada"});
    for (more, words, param) in [
        (json!({"model": null}), "you must provide a model parameter", None),
        (json!({"training_file": null}), "'training_file' is a required property", None),
        (json!({"training_file": "file-x"}), "No file with ID: file-x", Some("file")),
        (json!({"n_epochs": 2}), "Additional properties are not allowed ('n_epochs' was unexpected)", None),
        (
            json!({"hyperparameters": {"n_epochs": "few"}}),
            "'few' is not of type 'integer' - 'hyperparameters.n_epochs'",
            None,
        ),
        (
            json!({"hyperparameters": {"batch_size": 0}}),
            "0 is less than the minimum of 1 - 'hyperparameters.batch_size'",
            None,
        ),
        (json!({"method": {"type": "dpo"}}), "'dpo' is not one of ['supervised'] - 'method.type'", None),
        (
            json!({"integrations": [{}]}),
            "The local service does not support integrations; leave 'integrations' out.",
            Some("integrations"),
        ),
    ] {
        let (status, body) = bench.post("/fine_tuning/jobs", &with(plain.clone(), more.clone())).await;
        assert_eq!((status, body), (400, error(words, param, None)), "{more}");
    }
    let job = create(&bench, "{\"prompt\": 5}\n".into(), json!({})).await;
    bench.finished(&first(&job)).await;
    let failed = bench.get(&format!("/fine_tuning/jobs/{}", job["id"].as_str().unwrap())).await;
    assert_eq!((&failed["status"], &failed["error"]["param"]), (&json!("failed"), &Value::Null));
    assert!(failed["error"]["message"].as_str().unwrap().contains("(line 1)"), "{failed}");
    bench.service.stop().await;
}
