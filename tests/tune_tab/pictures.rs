//! Every state as a picture.

use std::time::Duration;

use benchtop::api::call::{Call, Failure, FailureKind, Followed};
use benchtop::api::job::Dialect;

use crate::creating;
use crate::desk::{Desk, running};
use crate::replies::{jobs, offline, refused, unsupported};
use crate::trying;

/// Returns the screen with the local time replaced, which depends on the time zone.
fn picture(desk: &mut Desk) -> String {
    let shown: Vec<char> = desk.picture().chars().collect();
    let digit = |at: usize| shown.get(at).is_some_and(char::is_ascii_digit);
    let colon = |at: usize| shown.get(at) == Some(&':');
    let mut masked = shown.clone();
    for at in 0..shown.len() {
        let starts = at == 0 || !digit(at - 1) && !colon(at - 1);
        if starts && digit(at) && digit(at + 1) && colon(at + 2) && digit(at + 3) && digit(at + 4) && !digit(at + 5) {
            masked[at..at + 5].copy_from_slice(&['h', 'h', ':', 'm', 'm']);
            if colon(at + 5) && digit(at + 6) && digit(at + 7) {
                masked[at + 6..at + 8].copy_from_slice(&['s', 's']);
            }
        }
    }
    masked.into_iter().collect()
}

#[test]
fn pictures_of_every_state() {
    for (name, size) in [("wide", (120, 36)), ("medium", (80, 24)), ("narrow", (40, 12))] {
        let snap = |state: &str, desk: &mut Desk| {
            desk.size = size;
            insta::assert_snapshot!(format!("{state}_{name}"), picture(desk));
        };
        let mut desk = Desk::new();
        snap("loading", &mut desk);
        desk.list(Dialect::FineTunes, Vec::new());
        snap("empty", &mut desk);
        for (state, why) in [("offline", offline()), ("unsupported", unsupported())] {
            let mut desk = Desk::new();
            let (ticket, _) = desk.last(|call| *call == Call::Jobs);
            desk.fail(ticket, why);
            desk.settle();
            snap(state, &mut desk);
        }
        let mut desk = running();
        desk.size = size;
        snap("running", &mut desk);
        desk.press("J");
        snap("list", &mut desk);
        desk.press("/lab");
        snap("filter", &mut desk);
        let mut desk = running();
        desk.size = size;
        desk.press("e");
        snap("all_events", &mut desk);
        desk.press("w");
        desk.press_until("\t", "▸ Events");
        desk.press("/epoch\n");
        snap("found", &mut desk);
        let mut desk = running();
        desk.size = size;
        let at = desk.now + Duration::from_secs(4);
        desk.tell(
            "ft-8QkAbCdEf",
            Followed::Lost { why: Failure::new(FailureKind::CutOff, "the connection was lost"), at },
        );
        snap("lost", &mut desk);
        desk.tell("ft-8QkAbCdEf", Followed::Live { replayed: 3, polling: false });
        snap("back", &mut desk);
        desk.tell("ft-8QkAbCdEf", Followed::Live { replayed: 0, polling: true });
        snap("polling", &mut desk);
        let mut desk = running();
        desk.size = size;
        desk.press(">");
        desk.wait(Duration::from_secs(1));
        snap("steps", &mut desk);
        desk.press(">>");
        desk.wait(Duration::from_secs(1));
        snap("succeeded", &mut desk);
        desk.press("\n");
        snap("details", &mut desk);
        desk.press(">");
        snap("details_failed", &mut desk);
        desk.press("<\u{1b}X");
        snap("delete", &mut desk);
        let mut desk = running();
        desk.size = size;
        desk.press("x");
        snap("cancel", &mut desk);
        let mut desk = running();
        desk.size = size;
        desk.press("o");
        snap("path", &mut desk);
        let mut desk = creating::page();
        desk.size = size;
        snap("create_empty", &mut desk);
        desk.press("\n");
        snap("create_files", &mut desk);
        desk.press("train-v3\nj\nvalid-v3\njj\nSupport v4\n");
        snap("create_valid", &mut desk);
        desk.press("kk\ntrain-v3\n^r");
        snap("create_invalid", &mut desk);
        desk.press("\nvalid-v3\n^r\n");
        snap("create_sending", &mut desk);
        let (ticket, _) = desk.last(|call| matches!(call, Call::CreateJob(_)));
        desk.fail(ticket, refused(r#"{"error":{"message":"Too many jobs for this organisation - 'n_epochs'"}}"#));
        snap("create_refused", &mut desk);
        let mut desk = creating::open(Desk::new(), Dialect::FineTuning);
        desk.size = size;
        desk.press("jjjjjjj");
        snap("create_newer", &mut desk);
        let mut desk = Desk::new();
        desk.list(Dialect::FineTuning, jobs());
        snap("newer", &mut desk);
        let mut desk = running();
        desk.size = size;
        desk.press("J > ");
        snap("marked", &mut desk);
        desk.press("d");
        snap("differences", &mut desk);
        desk.press("\u{1b}");
        desk.shows("unmark");
    }
}

#[test]
fn pictures_of_the_page_that_tries_a_model() {
    for (name, size) in [("wide", (120, 36)), ("medium", (80, 24)), ("narrow", (40, 12))] {
        let snap = |state: &str, desk: &mut Desk| insta::assert_snapshot!(format!("try_{state}_{name}"), picture(desk));
        let mut desk = trying::opened(size);
        snap("reading", &mut desk);
        trying::fetched(&mut desk);
        snap("row", &mut desk);
        desk.press("\n");
        snap("waiting", &mut desk);
        trying::say(&mut desk, trying::TUNED, " deliv");
        snap("streaming", &mut desk);
        trying::say(&mut desk, trying::TUNED, "ery");
        trying::end(&mut desk, trying::TUNED, Ok(()));
        trying::end(&mut desk, "curie", Err(trying::gone()));
        snap("failed", &mut desk);
        desk.press("\t");
        snap("answers", &mut desk);
        desk.press("i, the 語 parcel\n");
        trying::say(&mut desk, trying::TUNED, " refund");
        desk.press("\u{1b}");
        snap("stopped", &mut desk);
        let mut desk = trying::opened(size);
        let (ticket, _) = desk.last(|call| matches!(call, Call::Content(_)));
        desk.fail(ticket, offline());
        snap("no_file", &mut desk);
    }
}
