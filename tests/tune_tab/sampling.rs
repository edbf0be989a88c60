//! The first opening, and the sample that is trained.

use benchtop::api::call::{Call, Progress, Reply};
use benchtop::api::job::{Dialect, JobStatus};
use benchtop::app::Effect;
use benchtop::component::Session;
use benchtop::record::work::Work;

use crate::desk::{Desk, Disk, Tune};
use crate::kit::replies::files::moved;
use crate::kit::{Setup, Tab};
use crate::replies::{job, offline};

/// Creates Tune on the local service, without jobs.
fn local() -> Desk {
    let setup = Tune::setup();
    let session = Session { local: true, ..setup.session };
    let mut desk = Desk::start(&Disk::new(), Setup { session, profiles: vec![("local", "curie")], ..setup });
    desk.list(Dialect::FineTunes, Vec::new());
    desk
}

#[test]
fn a_server_without_jobs_says_what_the_tab_is_for_and_how_to_begin() {
    for size in [(120, 36), (80, 24), (40, 10)] {
        let mut desk = local();
        desk.size = size;
        for words in
            ["Fine-tune a model on your own", "watch it learn.", "C  create", "⏎  train the sample", "o  open a local"]
        {
            desk.shows(words);
        }
        let screen = desk.screen();
        assert!(!screen.contains('…'), "nothing is cut at {size:?}: {screen}");
    }
    let mut desk = Desk::new();
    desk.list(Dialect::FineTunes, Vec::new());
    desk.hides("⏎  train the sample");
    desk.press("E");
    desk.shows("samples need the local service");
}

#[test]
fn enter_takes_the_sample_where_there_is_no_job_yet() {
    let mut desk = local();
    desk.press("\n");
    desk.shows("uploading the sample mood_train.jsonl");
}

#[test]
fn the_sample_is_written_uploaded_and_trained() {
    let mut desk = local();
    desk.press("E");
    let saved = |desk: &Desk| {
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let all = desk.effects.iter().filter_map(|effect| match effect {
            Effect::Work(_, Work::Save { path, text }) => Some((name(path), text.raw().lines().count())),
            _ => None,
        });
        all.collect::<Vec<_>>()
    };
    for (name, rows) in [("mood_train.jsonl", 1_296), ("mood_valid.jsonl", 324)] {
        assert_eq!(saved(&desk).last(), Some(&(name.to_owned(), rows)));
        desk.shows(&format!("uploading the sample {name}"));
        let (ticket, call) = desk.last(|call| matches!(call, Call::Upload(upload) if upload.name == name));
        desk.reply(ticket, moved(ticket, &call));
    }
    let (ticket, call) = desk.last(|call| matches!(call, Call::CreateJob(_)));
    let Call::CreateJob(request) = call else { unreachable!() };
    assert_eq!(request.suffix.as_deref(), Some("mood"));
    assert!(request.validation_file.is_some_and(|valid| valid != request.training_file));
    desk.reply(ticket, Reply::Job(Box::new(job("ft-sample", "mood", JobStatus::Pending, 0))));
    desk.shows("mood");
    desk.hides("Fine-tune a model on your own");
    desk.size = (120, 36);
    desk.shows("1,296 rows");
}

#[test]
fn a_sample_that_cannot_be_uploaded_is_said_and_can_be_tried_again() {
    let mut desk = local();
    desk.press("E");
    let (ticket, _) = desk.last(|call| matches!(call, Call::Upload(_)));
    desk.progress(ticket, Progress::Closed(Err(offline())));
    desk.shows("the sample could not be prepared");
    let before = desk.effects.len();
    desk.press("E");
    let again = desk.effects[before..].iter().any(|effect| matches!(effect, Effect::Work(_, Work::Save { .. })));
    assert!(again);
}
