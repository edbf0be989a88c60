//! The list: its order, its filter, what its keys do.

use std::time::Duration;

use benchtop::api::call::{Call, Failure, FailureKind, Followed, Reply};
use benchtop::api::job::{Dialect, JobEvent, JobStatus};
use benchtop::app::Effect;
use benchtop::component::Session;
use crossterm::event::{KeyCode, KeyModifiers};

use crate::desk::{Desk, Disk, Tune, running};
use crate::kit::{Setup, Tab};
use crate::replies::{events, job, jobs};

#[test]
fn jobs_are_asked_for_on_enter_and_on_refresh() {
    let mut desk = Desk::new();
    assert_eq!(desk.calls().into_iter().map(|(_, call)| call).collect::<Vec<_>>(), [Call::Jobs]);
    desk.shows("loading the jobs");
    desk.press("^r");
    assert!(desk.calls().is_empty(), "one is under way");
    desk.list(Dialect::FineTunes, Vec::new());
    desk.shows("C  create a fine-tune");
    desk.press("^r");
    assert_eq!(desk.calls().len(), 1);
}

#[test]
fn progress_queue_cost_and_reasons_stand_in_the_rows() {
    let mut desk = running();
    desk.shows(" 50%");
    desk.shows("#3 in line");
    desk.shows("failed");
    desk.shows("cancelled");
    desk.shows("$36.40");
    desk.shows("▐6 Tune ●2▌");
    // Two epochs in 1,000 s, and 400 s since: 600 s are left, and a few pass here.
    assert!(desk.line("left ").contains("~9 m"), "{}", desk.screen());
    desk.press("jjj");
    desk.wait(Duration::from_secs(1));
    desk.shows("curie:ft-acm…1-15-09-30-00");
    desk.shows("$3.60");
    desk.press("j");
    desk.shows("Invalid file format");
}

#[test]
fn a_small_screen_shows_a_curve_of_three_rows_above_the_events() {
    let mut desk = running();
    desk.size = (40, 12);
    desk.press(">");
    desk.wait(Duration::from_secs(1));
    let screen = desk.screen();
    let is_dot = |c: char| ('\u{2801}'..='\u{28ff}').contains(&c);
    assert!(screen.lines().filter(|line| line.contains(is_dot)).count() >= 3, "{screen}");
    desk.shows("A train 2.1");
    desk.shows("step 11");
}

#[test]
fn the_choice_of_held_out_rows_closes_with_its_page_and_is_asked_again() {
    let mut desk = running();
    desk.press("jjjT");
    desk.shows("Held-out rows (JSONL)");
    desk.press("^p");
    desk.press("create a fine-tune\n");
    desk.hides("Held-out rows (JSONL)");
    desk.press("\u{1b}");
    desk.press("T");
    desk.shows("Held-out rows (JSONL)");
    desk.press("\u{1b}");
    desk.hides("Held-out rows (JSONL)");
    desk.shows("support-v2");
}

#[test]
fn the_figures_of_a_job_beside_curves_of_several_say_which_job_they_are_of() {
    let mut desk = running();
    desk.size = (120, 36);
    desk.press(" j ");
    desk.shows("Details ▣B");
    desk.press("k");
    desk.shows("Details ▣A");
    desk.size = (80, 24);
    desk.press("\t");
    desk.shows("support-v3 ▣A · 1 of 6");
    desk.press(">>");
    desk.shows("· 3 of 6");
    desk.hides("▣");
}

#[test]
fn the_key_that_loads_the_events_of_an_ended_job_is_said_once() {
    for size in [(120, 36), (80, 24), (40, 12)] {
        let mut desk = running();
        desk.size = size;
        desk.press("jjj");
        desk.wait(Duration::from_secs(1));
        let screen = desk.screen();
        assert_eq!(screen.matches("to load").count(), 1, "{screen}");
    }
}

#[test]
fn the_loss_beside_a_finished_job_has_its_name() {
    let mut desk = running();
    let step = events(&[(0, "Step 90/91")]).remove(0);
    let step = JobEvent { metrics: vec![("valid_loss".to_owned(), 0.1994)], ..step };
    desk.tell("ft-2LmAbCdEf", Followed::Events { first: 4, events: vec![step] });
    let mut all = jobs();
    all[1].status = JobStatus::Succeeded;
    desk.press("^r");
    desk.list(Dialect::FineTunes, all);
    let line = desk.line("✓ tone-v1");
    assert!(line.contains("validation loss 0.1994"), "{line}");
}

#[test]
fn a_job_that_runs_cannot_be_tried_yet() {
    let mut desk = running();
    desk.press("t");
    desk.shows("it has no model yet");
}

#[test]
fn a_filter_finds_jobs_by_any_of_their_words() {
    let mut desk = running();
    desk.press("/labels");
    desk.shows("2 found");
    desk.shows("labels-v1");
    desk.hides("tone-v1");
    desk.press("\n");
    desk.shows("Jobs “labels” ");
    desk.shows(" 2 of 6 ");
    desk.press("\u{1b}");
    desk.shows("tone-v1");
}

#[test]
fn a_thousand_jobs_are_quick() {
    let mut desk = Desk::new();
    let many = (0..1_000).map(|n| job(&format!("ft-{n:04}x"), &format!("run-{n}"), JobStatus::Succeeded, -n)).collect();
    desk.list(Dialect::FineTunes, many);
    desk.screen();
    let began = std::time::Instant::now();
    for _ in 0..100 {
        desk.press("j");
    }
    let each = began.elapsed() / 100;
    // A frame, a key, another frame, unoptimised and on a busy machine.
    assert!(each < Duration::from_millis(100), "{each:?} a key");
    desk.shows("run-100");
    desk.press("G");
    desk.shows("run-999");
}

#[test]
fn a_job_is_cancelled_when_its_name_is_typed() {
    let mut desk = running();
    desk.calls();
    desk.press("x\n");
    assert!(desk.calls().is_empty(), "the focus is on Keep");
    desk.press("x\t\n");
    assert!(desk.calls().is_empty(), "nothing is done without the word");
    desk.press("support-v3\n");
    let calls = desk.calls();
    assert_eq!(calls[0].1, Call::CancelJob("ft-8QkAbCdEf".into()));
    let mut cancelled = jobs().remove(0);
    cancelled.status = JobStatus::Cancelled;
    desk.reply(calls[0].0, Reply::Job(Box::new(cancelled)));
    desk.shows("support-v3 (ft-8QkAb) was cancelled");
    desk.shows("▐6 Tune ●1▌");
    desk.settle();
    desk.press("x");
    desk.hides("Cancel this fine-tune?");
}

#[test]
fn a_model_is_deleted_when_its_name_is_typed_and_refusals_are_said() {
    let mut desk = running();
    desk.press("jjjX");
    desk.shows("Delete this model from the server?");
    desk.press("support-v2\n");
    let model = "curie:ft-acme:support-v2-2023-11-15-09-30-00";
    let (ticket, _) = desk.last(|call| *call == Call::DeleteModel(model.into()));
    desk.fail(ticket, Failure { status: Some(403), ..Failure::new(FailureKind::Auth, "forbidden") });
    desk.shows("only an organisation owner");
    desk.settle();
    desk.press("Xsupport-v2\n");
    let (ticket, _) = desk.last(|call| matches!(call, Call::DeleteModel(_)));
    desk.reply(ticket, Reply::Deleted(model.into()));
    desk.shows("was deleted");
    desk.settle();
    desk.press("t");
    desk.shows("model deleted");
}

#[test]
fn names_are_copied_and_models_tried() {
    let mut desk = running();
    desk.press("jjj");
    desk.news();
    desk.press("y");
    let model = "curie:ft-acme:support-v2-2023-11-15-09-30-00";
    assert!(desk.news().contains(&Effect::Copy(model.into())));
    desk.press("t");
    desk.shows("Try support-v2");
}

#[test]
fn the_interface_is_shown_and_that_the_profile_named_it() {
    let mut desk = Desk::new();
    desk.list(Dialect::FineTuning, jobs());
    desk.shows("/fine_tuning/jobs");
    desk.press("\n");
    desk.shows("detected");
    let session = Session { fine_tunes: Some(Dialect::FineTunes), ..Tune::setup().session };
    let mut desk = Desk::start(&Disk::new(), Setup { session, ..Tune::setup() });
    desk.list(Dialect::FineTunes, jobs());
    desk.shows("(profile)");
    desk.press("\n");
    desk.shows("set in the profile");
}

#[test]
fn another_profile_has_other_jobs_and_what_is_followed_goes_on() {
    let mut desk = running();
    desk.calls();
    desk.press("^pprofile: home\n");
    desk.wait(Duration::from_secs(1));
    assert_eq!(desk.calls().into_iter().filter(|(_, call)| *call == Call::Jobs).count(), 1);
    desk.list(Dialect::FineTuning, vec![job("ftjob-abc", "other", JobStatus::Succeeded, -100)]);
    desk.shows("other");
    desk.hides("support-v3");
    desk.shows("●2");
    let mut done = jobs().remove(0);
    done.status = JobStatus::Succeeded;
    desk.tell("ft-8QkAbCdEf", benchtop::api::call::Followed::Job(Box::new(done)));
    desk.shows("support-v3 (ft-8QkAb) at work succeeded");
}

#[test]
fn tabs_that_are_not_in_front_ask_another_server_when_they_are_entered() {
    let mut desk = running();
    let to_home = |desk: &mut Desk| {
        let sent = desk.sent_to().into_iter().filter(|(_, profile, _)| profile.0 == "home");
        sent.map(|(_, _, call)| call).filter(|call| *call != Call::Models).collect::<Vec<_>>()
    };
    let tab = |desk: &mut Desk, digit| drop(desk.key(KeyCode::Char(digit), KeyModifiers::ALT));
    tab(&mut desk, '5');
    desk.wait(Duration::from_secs(1));
    tab(&mut desk, '1');
    desk.press("^pprofile: home\n");
    desk.wait(Duration::from_secs(90));
    assert_eq!(to_home(&mut desk), []);
    tab(&mut desk, '5');
    assert_eq!(to_home(&mut desk), [Call::Files, Call::Jobs]);
    tab(&mut desk, '6');
    desk.hides("support-v3");
    assert_eq!(to_home(&mut desk), [Call::Jobs]);
}

#[test]
fn a_file_of_this_machine_is_opened_without_a_server() {
    let mut desk = Desk::new();
    let (ticket, _) = desk.last(|call| *call == Call::Jobs);
    desk.fail(ticket, crate::replies::unsupported());
    desk.shows("This server has no fine-tunes");
    desk.paths = vec!["/tmp/compiled_results.csv"];
    desk.press("o/tmp/c\t");
    desk.shows("compiled_results.csv");
    desk.news();
    desk.press("\n");
    let read = |effect: &Effect| {
        let Effect::Work(_, benchtop::record::work::Work::Curves { path }) = effect else { return false };
        path == "/tmp/compiled_results.csv"
    };
    assert!(desk.news().iter().any(read));
}

/// A terminal puts quotes around a file that is dropped onto it.
#[test]
fn a_file_with_a_blank_in_its_name_is_opened_by_dropping_it() {
    for dropped in ["'/tmp/my results.csv'", "/tmp/my\\ results.csv"] {
        let mut desk = Desk::new();
        desk.press("o");
        desk.paste(dropped);
        desk.news();
        desk.press("\n");
        let curves = |effect: &Effect| {
            let Effect::Work(_, benchtop::record::work::Work::Curves { path }) = effect else { return false };
            path == "/tmp/my results.csv"
        };
        assert!(desk.news().iter().any(curves), "{dropped}");
    }
}

#[test]
fn a_filter_that_is_taken_away_brings_back_the_curves_of_the_job() {
    let mut desk = running();
    desk.wait(Duration::from_secs(1));
    desk.shows("Loss · support-v3");
    desk.press("/nothing has this\n");
    desk.wait(Duration::from_secs(1));
    desk.hides("Loss · support-v3");
    desk.press("\u{1b}");
    desk.wait(Duration::from_secs(1));
    desk.shows("Loss · support-v3");
}
