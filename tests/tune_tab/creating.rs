//! The page of a new job: rules before anything is sent, refusals, what is kept.

use std::time::Duration;

use benchtop::api::call::{Call, Reply};
use benchtop::api::fine_tune::FineTuneRequest;
use benchtop::api::job::{Dialect, JobStatus};
use benchtop::app::Event;
use benchtop::component::Notice;
use benchtop::record::Record;

use crate::desk::{Desk, Disk, running};
use crate::replies::{files, job, refused};

/// Creates a desk with the page open and the server's files known.
pub fn page() -> Desk {
    open(Desk::new(), Dialect::FineTunes)
}

pub fn open(mut desk: Desk, dialect: Dialect) -> Desk {
    desk.list(dialect, Vec::new());
    desk.press("C");
    let (ticket, _) = desk.last(|call| *call == Call::Files);
    desk.reply(ticket, Reply::Files(files()));
    desk
}

fn sent(desk: &mut Desk) -> Vec<FineTuneRequest> {
    let request = |(_, call)| if let Call::CreateJob(request) = call { Some(*request) } else { None };
    desk.calls().into_iter().filter_map(request).collect()
}

#[test]
fn nothing_is_sent_before_the_last_enter() {
    let mut desk = page();
    desk.shows("nothing is sent until you choose Create");
    desk.press("^r");
    desk.shows("a training file is required");
    assert!(sent(&mut desk).is_empty());
    desk.press("\n");
    desk.hides("compiled_results");
    desk.press("train-v3\n");
    desk.shows("train-v3.jsonl");
    // 214 MB make about 42.8 M tokens; four passes by curie at 3 dollars a million.
    desk.shows("cost     ~$513.60 for 4 epochs");
    desk.press("^r");
    assert!(sent(&mut desk).is_empty());
    desk.press("\n");
    let expected = FineTuneRequest { training_file: "file-train".into(), ..FineTuneRequest::default() };
    assert_eq!(sent(&mut desk), [expected]);
    desk.press("\n");
    assert!(sent(&mut desk).is_empty(), "it is sent once");
}

#[test]
fn tokens_that_the_files_tab_counted_are_not_estimated() {
    let disk = Disk::new();
    let known = r#"[["file-train",{"rows":1296,"tokens":13606}]]"#;
    disk.record(Record::Setting("files.hashes.work".into(), known.into()));
    let mut desk = open(Desk::on(&disk), Dialect::FineTunes);
    desk.press("\ntrain-v3\n");
    desk.shows("1,296 rows · 13,606 tokens");
}

#[test]
fn a_complaint_about_the_selected_field_is_said_once() {
    let mut desk = page();
    desk.press("\ntrain-v3\nj\ntrain-v3\n^r");
    let screen = desk.screen();
    assert_eq!(screen.matches("training and validation must differ").count(), 1, "{screen}");
}

#[test]
fn a_list_to_choose_from_closes_with_its_page() {
    let mut desk = page();
    desk.press("\n");
    desk.shows("valid-v3.jsonl");
    desk.press("^prefresh the list\n");
    desk.hides("valid-v3.jsonl");
    desk.press("C");
    desk.shows("nothing is sent until you choose Create");
    desk.hides("valid-v3.jsonl");
}

#[test]
fn the_new_job_is_chosen_and_followed() {
    let mut desk = page();
    desk.press("\ntrain-v3\n^r\n");
    let (ticket, _) = desk.last(|call| matches!(call, Call::CreateJob(_)));
    desk.calls();
    desk.reply(ticket, Reply::Job(Box::new(job("ft-newnewnew", "fresh", JobStatus::Pending, 0))));
    desk.shows("fresh created and queued; it runs on");
    assert!(desk.calls().iter().any(|(_, call)| *call == Call::Follow("ft-newnewnew".into())));
    desk.settle();
    assert!(desk.line("▌◌").contains("fresh"), "{}", desk.screen());
    desk.press("C");
    desk.hides("train-v3.jsonl");
}

#[test]
fn rules_stand_beside_their_fields() {
    let mut desk = page();
    desk.press("\ntrain-v3\n");
    desk.press("j\ntrain-v3\n");
    desk.shows("training and validation must differ");
    desk.press("\nvalid-v3\n");
    desk.hides("must differ");
    desk.press("jj\nMy Great Suffix\n");
    desk.shows("in the model's name it becomes “my-great-suffix”");
    desk.shows("curie:ft-…:my-great-suffix-<time>");
    desk.press("\n^u01234567890123456789012345678901234567890\n");
    desk.shows("a suffix can have at most 40 characters; this one has 41");
    desk.press("^r");
    assert!(sent(&mut desk).is_empty());
    desk.press("0jjj\n0.5\n");
    desk.shows("the recommended range is 0.02 to 0.2");
    desk.press("jj\n");
    desk.shows("class metrics need the number of classes");
    desk.press("jj\n yes\n");
    desk.hides("class metrics need");
    desk.press("^r\n");
    let request = sent(&mut desk).remove(0);
    assert_eq!(request.classification_positive_class.as_deref(), Some(" yes"));
    assert_eq!(request.validation_file.as_deref(), Some("file-valid"));
}

#[test]
fn what_a_field_takes_is_said_with_its_label() {
    let mut desk = page();
    desk.press("jjjj\n0\n");
    desk.shows("✕ Epochs must be between 1 and 1000, not 0");
    desk.press("\u{1b}jjjjjjj\none\n");
    desk.shows("✕ Betas must be numbers from 0 to 1000");
}

#[test]
fn a_refusal_comes_back_to_its_field_with_everything_kept() {
    let mut desk = page();
    desk.press("\ntrain-v3\njjjj\n1000\n");
    desk.press("^r\n");
    let (ticket, _) = desk.last(|call| matches!(call, Call::CreateJob(_)));
    desk.fail(ticket, refused(r#"{"error":{"message":"1000 is greater than the maximum of 50 - 'n_epochs'"}}"#));
    desk.shows("✕ the server refuses this: 1000 is greater than the maximum");
    desk.shows("✕ refused · D details");
    desk.shows("train-v3.jsonl");
    desk.press("D");
    desk.shows("What the server said");
    desk.press("\u{1b}\n50\n^r\n");
    assert_eq!(sent(&mut desk).pop().unwrap().n_epochs, Some(50));
}

#[test]
fn a_refusal_is_gone_as_soon_as_another_request_would_be_sent() {
    let mut desk = page();
    let refuse = |desk: &mut Desk, body: &str| {
        desk.press("^r\n");
        let (ticket, _) = desk.last(|call| matches!(call, Call::CreateJob(_)));
        desk.fail(ticket, refused(body));
        desk.shows("✕ refused · D details");
    };
    let gone = |desk: &mut Desk| {
        desk.hides("✕ ");
        desk.hides("the server refuse");
    };
    desk.press("\ntrain-v3\n");
    refuse(&mut desk, r#"{"error":{"message":"the file is damaged","param":"training_file"}}"#);
    desk.shows("✕ the server refuses this: the file is damaged");
    // Another file.
    desk.press("\nvalid-v3\n");
    gone(&mut desk);
    // Another value, of another field than the one that the cursor was at.
    refuse(&mut desk, r#"{"error":{"message":"you have too many jobs"}}"#);
    desk.shows("✕ the server refused the request");
    desk.press("gjjjjl");
    gone(&mut desk);
    // Another attempt.
    refuse(&mut desk, r#"{"error":{"message":"you have too many jobs"}}"#);
    desk.press("\n");
    gone(&mut desk);
    let (ticket, _) = desk.last(|call| matches!(call, Call::CreateJob(_)));
    desk.fail(ticket, refused(r#"{"error":{"message":"you have too many jobs"}}"#));
    desk.shows("✕ refused · D details");
    // The page is left and opened again.
    desk.press("\u{1b}C");
    desk.shows("New fine-tune");
    gone(&mut desk);
}

#[test]
fn a_half_filled_page_survives_leaving_it_and_a_restart() {
    let disk = Disk::new();
    let mut desk = open(Desk::on(&disk), Dialect::FineTunes);
    desk.press("\ntrain-v3\njjj\nhalf\n\u{1b}");
    desk.press("C");
    desk.shows("half");
    desk.press("\n^u");
    desk.paste("half a page");
    desk.press("\n\u{1b}");
    let mut desk = desk.again();
    desk.list(Dialect::FineTunes, Vec::new());
    desk.press("C");
    desk.shows("half");
    desk.shows("train-v3.jsonl");
}

#[test]
fn a_jobs_settings_are_cloned() {
    let mut desk = running();
    desk.press("c");
    desk.shows("New fine-tune");
    for words in ["train-v3.jsonl", "valid-v3.jsonl", "curie", "support-v3", "0.1", "16"] {
        desk.shows(words);
    }
}

#[test]
fn what_the_newer_interface_lacks_says_so() {
    let mut desk = open(Desk::new(), Dialect::FineTuning);
    desk.press("jjjjjjj");
    desk.shows("has no such setting");
    desk.press("\n");
    desk.press("gj");
    desk.press("k\ntrain-v3\n^r");
    desk.shows("a base model is required");
    desk.press("\ngpt-mini\n^r\n");
    let request = sent(&mut desk).remove(0);
    assert_eq!((request.model.as_deref(), request.prompt_loss_weight), (Some("gpt-mini"), None));
}

#[test]
fn a_clone_has_all_that_was_sent_and_the_page_is_fresh_after_it() {
    let mut desk = page();
    desk.press("\ntrain-v3\nj\nvalid-v3\njj\nkept-suffix\n");
    desk.press("jjjjj\njj\n yes\n^r\n");
    let (ticket, _) = desk.last(|call| matches!(call, Call::CreateJob(_)));
    let first = sent(&mut desk).remove(0);
    assert_eq!(first.classification_positive_class.as_deref(), Some(" yes"), "{}", desk.screen());
    // A job that failed tells nothing of what was asked for.
    let mut made = job("ft-newnewnew", "", JobStatus::Failed, 0);
    (made.settings, made.validation_files, made.suffix) = Default::default();
    desk.reply(ticket, Reply::Job(Box::new(made.clone())));
    desk.settle();
    let mut desk = desk.again();
    desk.list(Dialect::FineTunes, vec![made]);
    desk.press("c");
    desk.shows("kept-suffix");
    desk.press("\u{1b}C");
    desk.hides("kept-suffix");
    desk.press("\u{1b}c^r\n");
    assert_eq!(sent(&mut desk), [first]);
}

#[test]
fn a_list_that_was_asked_for_before_does_not_lose_the_new_job() {
    let mut desk = page();
    desk.press("\ntrain-v3\n");
    desk.screen();
    desk.wait(Duration::from_secs(31));
    let old = desk.last(|call| *call == Call::Jobs).0;
    desk.press("^r\n");
    let (ticket, _) = desk.last(|call| matches!(call, Call::CreateJob(_)));
    desk.calls();
    desk.reply(ticket, Reply::Job(Box::new(job("ft-newnewnew", "fresh", JobStatus::Pending, 0))));
    assert!(desk.calls().iter().any(|(_, call)| *call == Call::Jobs), "it is asked for again");
    desk.reply(old, Reply::Jobs(Dialect::FineTunes, Vec::new()));
    assert!(desk.line("▌◌").contains("fresh"), "{}", desk.screen());
}

#[test]
fn esc_closes_the_choice_of_files_before_it_dismisses_an_error() {
    let mut desk = page();
    desk.press("\n");
    desk.shows("valid-v3.jsonl");
    desk.event(Event::Notice(Notice::error("it is gone")));
    desk.press("\u{1b}");
    desk.hides("valid-v3.jsonl");
    desk.shows("it is gone");
    desk.press("\u{1b}");
    desk.hides("it is gone");
    desk.shows("New fine-tune");
}
