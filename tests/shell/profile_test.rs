//! The test of a profile: what is sent is shown first, then each step as it ends.

use std::time::Instant;

use benchtop::api::call::{Call, Failure, FailureKind, Progress, Reply};
use benchtop::api::check::{CheckOutcome, CheckStep, Checked};
use benchtop::app::{App, Effect, Event};

use crate::desk::{app, closed, lines, press, screen};

fn testing() -> App {
    let mut app = app();
    assert_eq!(press(&mut app, "^pprofile: choose\nt"), [], "nothing is sent before it is shown");
    app
}

fn tell(app: &mut App, effects: &[Effect], progress: Progress) {
    app.update(Event::Progress(closed(effects), progress), Instant::now(), 0);
}

fn step(step: CheckStep, outcome: CheckOutcome, words: &str) -> Progress {
    Progress::Reply(Reply::Checked(Checked { step, outcome, words: words.into() }))
}

#[test]
fn the_request_is_shown_then_sent_and_each_step_appears() {
    let mut app = testing();
    let text = screen(&mut app, 100, 30);
    for part in ["Test work", "GET https://work.example/v1/models", "it costs nothing", "Certificate", "⏎ start"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let effects = press(&mut app, "\n");
    assert!(matches!(&effects[..], [Effect::Call(_, id, Call::Check)] if id.0 == "work"), "{effects:?}");
    assert_eq!(press(&mut app, "\n"), [], "one at a time");
    tell(&mut app, &effects, step(CheckStep::Name, CheckOutcome::Passed, "192.0.2.1"));
    tell(&mut app, &effects, step(CheckStep::Connection, CheckOutcome::Passed, "port 443 in 12 ms"));
    let rows = lines(&mut app, 100, 30);
    let row = |label: &str| rows.iter().find(|row| row.contains(label)).cloned().unwrap_or_default();
    assert!(row("Name resolved").contains("✓ Name resolved  192.0.2.1"), "{rows:#?}");
    assert!(row("Certificate").contains("· Certificate    …"), "{rows:#?}");
    tell(&mut app, &effects, step(CheckStep::Certificate, CheckOutcome::Noted, "none: http is not encrypted"));
    let refused = "401 the server does not take this key: Incorrect key\u{1b}[2J";
    tell(&mut app, &effects, step(CheckStep::Key, CheckOutcome::Failed, refused));
    tell(&mut app, &effects, Progress::Closed(Err(Failure::new(FailureKind::Auth, refused))));
    for (width, height) in [(100, 30), (80, 24), (40, 12)] {
        let text = screen(&mut app, width, height);
        assert!(text.contains('✕') && text.contains("key␛[2J"), "{text}");
        assert_eq!(text.matches("Incorrect").count(), 1, "said once: {text}");
    }
    assert!(screen(&mut app, 100, 30).contains("⏎ again"));
    let effects = press(&mut app, "\n");
    assert!(matches!(&effects[..], [Effect::Call(_, _, Call::Check)]), "{effects:?}");
    assert!(!screen(&mut app, 100, 30).contains("Incorrect"), "it begins anew");
}

#[test]
fn a_test_is_stopped_by_esc_and_the_list_is_there_again() {
    let mut app = testing();
    let effects = press(&mut app, "\n");
    let ticket = closed(&effects);
    assert_eq!(press(&mut app, "\u{1b}"), [Effect::Cancel(ticket)]);
    let text = screen(&mut app, 100, 30);
    assert!(!text.contains("Test work") && text.contains("work · in use"), "{text}");
    // What still comes of it changes nothing.
    tell(&mut app, &effects, step(CheckStep::Name, CheckOutcome::Passed, "192.0.2.1"));
    assert!(!screen(&mut app, 100, 30).contains("192.0.2.1"));
}

#[test]
fn a_key_that_is_not_there_is_said_without_a_request() {
    let mut app = testing();
    let effects = press(&mut app, "\n");
    let why = Failure::new(FailureKind::Auth, "the environment variable A_KEY is not set");
    tell(&mut app, &effects, Progress::Closed(Err(why)));
    assert!(screen(&mut app, 100, 30).contains("✕                the environment variable A_KEY is not set"));
}
