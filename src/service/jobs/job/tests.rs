//! A job through its changes.

use super::*;

pub(crate) fn spec() -> Spec {
    Spec {
        organisation: "acme".into(),
        model: "ada".into(),
        family: "ada".into(),
        training: File { id: "file-a".into(), ..File::default() },
        validation: None,
        n_epochs: 2,
        batch_size: None,
        learning_rate_multiplier: None,
        prompt_loss_weight: 0.01,
        classes: None,
        suffix: None,
        seed: 1,
        metadata: None,
    }
}

pub(crate) fn created() -> Change {
    Change::Created { id: "ft-x".into(), number: 3, spec: Box::new(spec()) }
}

/// Returns an example of every change after the first.
fn all() -> Vec<Change> {
    vec![
        Change::Priced { tokens: 1000, nano: 630_000_000, examples: 5 },
        Change::Queued { place: 1 },
        Change::Queued { place: 0 },
        Change::Started { batch_size: 1, learning_rate_multiplier: 0.1 },
        Change::Step(StepMetrics { step: 3, train_loss: 0.654_32, train_accuracy: 0.5, valid: None }),
        Change::Step(StepMetrics { step: 5, train_loss: 1.0, train_accuracy: 0.5, valid: Some((0.891_26, 0.25)) }),
        Change::Epoch { number: 1, bytes: 10, step: 5 },
        Change::Resumed { epoch: 1 },
        Change::Epoch { number: 2, bytes: 20, step: 10 },
        Change::Succeeded {
            model: "ada:ft-acme".into(),
            result: Box::new(File { id: "file-r".into(), ..File::default() }),
        },
        Change::Deleted,
    ]
}

fn messages(job: &Job) -> Vec<&str> {
    job.events.iter().map(|event| event.message.as_str()).collect()
}

#[test]
fn a_job_that_goes_well_says_what_the_interface_says() {
    let mut job = Job::create(7, &created()).unwrap();
    assert_eq!((job.status(), job.finished()), ("pending", false));
    for (at, change) in all().iter().enumerate() {
        job.apply(8 + at as i64, change).unwrap();
    }
    assert_eq!(
        messages(&job),
        [
            "Created fine-tune: ft-x",
            "Fine-tune costs $0.63",
            "Fine-tune enqueued. Queue number: 1",
            "Fine-tune is in the queue. Queue number: 0",
            "Fine-tune started",
            "Step 3/10: training loss 0.6543",
            "Step 5/10: training loss 1.0000, validation loss 0.8913",
            "Completed epoch 1/2",
            "Fine-tune resumed after epoch 1/2: the service had been stopped",
            "Completed epoch 2/2",
            "Uploaded model: ada:ft-acme",
            "Uploaded result file: file-r",
            "Fine-tune succeeded",
        ]
    );
    assert!(job.events.iter().all(|event| event.level == "info" && event.object == "fine-tune-event"));
    assert_eq!(job.metrics.keys().collect::<Vec<_>>(), [&5, &6]);
    assert_eq!((job.metrics[&6].step, job.steps()), (5, Some(10)));
    assert_eq!((job.status(), job.model_name(), job.settings), ("succeeded", None, Some((1, 0.1))));
    assert_eq!((job.created, job.updated, job.events[1].created_at), (7, 18, 8));
}

#[test]
fn a_finished_job_takes_no_more_changes() {
    for end in [Change::Cancelled, Change::Failed { reason: "no".into() }] {
        let mut job = Job::create(1, &created()).unwrap();
        job.apply(2, &end).unwrap();
        let before = job.clone();
        for change in all().iter().chain([&end, &created()]) {
            assert_eq!(job.apply(3, change), Err(InvalidChange), "{change:?}");
        }
        assert_eq!(job, before);
    }
    let mut job = Job::create(1, &created()).unwrap();
    job.apply(2, &Change::Failed { reason: "line 3\nis bad".into() }).unwrap();
    let last = job.events.last().unwrap();
    assert_eq!((last.level.as_str(), last.message.as_str()), ("error", "Fine-tune failed. Errors:\nline 3\nis bad"));
}

#[test]
fn epochs_come_in_order_and_no_step_is_left_out() {
    let mut job = Job::create(1, &created()).unwrap();
    assert!(Job::create(1, &Change::Cancelled).is_err());
    for change in all().iter().skip(3) {
        assert_eq!(job.apply(1, change), Err(InvalidChange), "{change:?}");
    }
    for change in &all()[..4] {
        job.apply(1, change).unwrap();
    }
    assert!(job.apply(1, &Change::Epoch { number: 2, bytes: 0, step: 0 }).is_err());
    assert!(job.apply(1, &Change::Resumed { epoch: 1 }).is_err());
    assert!(job.apply(1, &Change::Resumed { epoch: 0 }).is_ok());
}

#[test]
fn changes_are_read_as_they_were_written() {
    for change in all().into_iter().chain([created(), Change::Cancelled]) {
        let text = serde_json::to_string(&change).unwrap();
        assert_eq!(serde_json::from_str::<Change>(&text).unwrap(), change, "{text}");
    }
}
