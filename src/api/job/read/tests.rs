//! Jobs and events as servers write them.

use serde_json::json;

use super::*;

fn job(value: serde_json::Value) -> Job {
    serde_json::from_value(value).unwrap()
}

#[test]
fn a_job_of_the_first_interface() {
    let read = job(json!({
        "object": "fine-tune", "id": "ft-a", "model": "ada", "created_at": 5, "updated_at": 9, "status": "failed",
        "fine_tuned_model": null, "organization_id": "org-x", "validation_files": [], "result_files": [],
        "hyperparams": {"n_epochs": 4, "batch_size": null, "prompt_loss_weight": 0.01, "learning_rate_multiplier": null},
        "training_files": [{"id": "file-a", "filename": "a.jsonl", "bytes": 159, "status_details": null}, 7, null],
        "events": [{"level": "error", "message": "no"}, {"level": "info", "message": "well"}],
    }));
    let file = JobFile { id: "file-a".into(), filename: "a.jsonl".into(), bytes: Some(159) };
    assert_eq!((read.status, read.training_files, read.error.as_deref()), (JobStatus::Failed, vec![file], Some("no")));
    assert_eq!((read.created_at, read.updated_at, read.finished_at), (5, Some(9), None));
    assert_eq!((read.settings.n_epochs, read.settings.batch_size), (Some(4), None));
    assert_eq!(read.settings.prompt_loss_weight, Some(0.01));
}

#[test]
fn a_job_of_the_newer_interface() {
    let read = job(json!({
        "object": "fine_tuning.job", "id": "ftjob-a", "model": "m", "created_at": 5.0, "finished_at": 7,
        "status": "succeeded", "fine_tuned_model": "ft:m", "training_file": "file-a", "validation_file": null,
        "result_files": ["file-r", {"id": "file-s"}], "trained_tokens": 12, "user_provided_suffix": "s",
        "hyperparameters": {"n_epochs": "auto", "batch_size": "auto"}, "error": {"code": null, "message": null},
        "method": {"type": "supervised", "supervised": {"hyperparameters": {"n_epochs": 3, "batch_size": "auto"}}},
    }));
    assert_eq!((read.status, read.error, read.trained_tokens), (JobStatus::Succeeded, None, Some(12)));
    assert_eq!((read.settings.n_epochs, read.settings.batch_size), (Some(3), None));
    let ids = |files: &[JobFile]| files.iter().map(|file| file.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&read.training_files), ["file-a"]);
    assert_eq!((ids(&read.result_files), read.validation_files.len()), (vec!["file-r".into(), "file-s".into()], 0));
    assert_eq!(read.suffix.as_deref(), Some("s"));
}

#[test]
fn nothing_a_server_may_write_breaks_a_job() {
    for odd in [json!(null), json!(7), json!("x"), json!([]), json!({}), json!([[1]]), json!({"a": []}), json!(-1e300)]
    {
        let fields = [
            "id",
            "model",
            "status",
            "created_at",
            "updated_at",
            "finished_at",
            "fine_tuned_model",
            "organization_id",
            "suffix",
            "user_provided_suffix",
            "trained_tokens",
            "hyperparams",
            "hyperparameters",
            "method",
            "training_files",
            "validation_files",
            "result_files",
            "training_file",
            "validation_file",
            "error",
            "events",
        ];
        let whole: serde_json::Map<_, _> = fields.iter().map(|name| ((*name).to_owned(), odd.clone())).collect();
        let _ = job(whole.into());
    }
    assert_eq!(job(json!({"status": "wandering"})).status, JobStatus::Other("wandering".into()));
    assert_eq!(job(json!({"status": "failed", "error": "bad file"})).error.as_deref(), Some("bad file"));
}

#[test]
fn figures_stand_in_an_event_or_in_its_message() {
    let event = |value: serde_json::Value| serde_json::from_value::<JobEvent>(value).unwrap();
    let read = event(json!({
        "id": "e-1", "created_at": 3, "level": "info", "message": "Step 2: training loss 0.50", "type": "metrics",
        "data": {"step": 2, "train_loss": 0.4999, "valid_loss": null, "note": "x"},
    }));
    assert_eq!(read.metrics, [("step".into(), 2.0), ("train_loss".into(), 0.4999)]);
    assert_eq!(read.id.as_deref(), Some("e-1"));
    let of = |message: &str| event(json!({ "message": message, "data": null })).metrics;
    let wanted = [("step".to_owned(), 1240.0), ("train_loss".into(), 0.66), ("valid_loss".into(), 0.89)];
    assert_eq!(of("Step 1,240: training loss 0.66, validation loss 0.89"), wanted);
    let slashed = [("step".to_owned(), 3.0), ("total_steps".into(), 10.0), ("train_loss".into(), 1.5)];
    assert_eq!(of("Step 3/10: training loss=1.5"), slashed);
    assert_eq!(
        of("Step 2: training loss 0.5, foo, validation loss bad"),
        [("step".into(), 2.0), ("train_loss".into(), 0.5)]
    );
    for none in ["", "Fine-tune started", "Step by step: x 1", "Step 3: done", "Step 3: training loss NaN", "Step 3"] {
        assert_eq!(of(none), [], "{none}");
    }
    assert_eq!(event(json!({"id": "x".repeat(257)})).id, None);
}
