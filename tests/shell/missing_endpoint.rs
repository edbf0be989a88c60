//! A tab whose endpoint the server is known not to have.

use std::time::Instant;

use benchtop::api::call::Progress;
use benchtop::api::capability::{Fact, Finding, Subject};
use benchtop::app::{App, Effect, Event};
use benchtop::component::facts::{FactKey, FactSource, KnownFact};
use benchtop::record::{Query, Record};

use crate::desk::{self, closed, press, screen, words};
use crate::real::real_with;

const SERVER: &str = "https://work.example/v1";

/// Creates a workbench whose server has reported that it lacks an endpoint.
fn without(path: &str) -> App {
    let mut app = desk::app();
    let ticket = closed(&press(&mut app, "^r"));
    let fact = Fact { server: SERVER.into(), subject: Subject::Endpoint(path.into()), finding: Finding::Missing };
    app.update(Event::Progress(ticket, Progress::Learned(Box::new(fact))), Instant::now(), 1_700_000_000_000);
    app
}

/// Returns whether the tab does what it does when it is first opened: it loads its settings, then lists files.
fn is_opened(effects: &[Effect]) -> bool {
    effects.iter().any(|effect| matches!(effect, Effect::Load(_, Query::Setting(name)) if name == "files.view"))
}

#[test]
fn the_tab_says_what_is_missing_and_how_that_is_known_and_is_opened_all_the_same() {
    let mut app = without("/files");
    let effects = press(&mut app, "5");
    assert!(!is_opened(&effects), "nothing is asked for in vain");
    for (width, height) in [(120, 36), (80, 24), (40, 12)] {
        let page = screen(&mut app, width, height);
        let words = words(&mut app, width, height);
        assert!(words.contains("work has no /files") && words.contains("Known from an answer"), "{page}");
        assert!(page.contains("try anyway"), "{page}");
    }
    // Other tabs are as they were, and the keys of the shell act.
    press(&mut app, "4");
    assert!(!screen(&mut app, 120, 36).contains("has no"));
    press(&mut app, "5?");
    let help = screen(&mut app, 120, 36);
    assert!(help.contains("Help") && help.contains("This page") && help.contains("forget this, then open"), "{help}");
    press(&mut app, "\u{1b}");
    let effects = press(&mut app, "\n");
    assert!(is_opened(&effects), "{effects:?}");
    assert!(!screen(&mut app, 120, 36).contains("work has no"));
    press(&mut app, "45");
    assert!(!screen(&mut app, 120, 36).contains("work has no"), "it is said once");
}

#[test]
fn what_is_known_can_be_forgotten_there() {
    let mut app = without("/files");
    let effects = press(&mut app, "5f");
    let removed = Effect::RemoveFact { base_url: SERVER.into(), subject: Subject::Endpoint("/files".into()) };
    assert!(effects.contains(&removed), "{effects:?}");
    let deleted = |effect: &Effect| matches!(effect, Effect::TrySave(_, Record::Setting(name, value)) if name.starts_with("fact:") && value.is_empty());
    assert!(effects.iter().any(deleted) && is_opened(&effects), "{effects:?}");
}

#[test]
fn the_tab_is_opened_when_what_was_known_is_forgotten_elsewhere() {
    let mut app = without("/files");
    press(&mut app, "5");
    press(&mut app, "^pserver: what\n");
    let effects = press(&mut app, "/files\n");
    assert!(is_opened(&effects), "{effects:?}");
    assert!(!screen(&mut app, 120, 36).contains("work has no"));
}

#[test]
fn a_tab_with_two_interfaces_is_shown_while_one_of_them_may_be_there() {
    let mut app = without("/fine-tunes");
    press(&mut app, "6");
    assert!(!screen(&mut app, 120, 36).contains("work has no"));
}

#[test]
fn another_profile_with_another_server_shows_the_tab() {
    let mut app = without("/files");
    press(&mut app, "5");
    assert!(screen(&mut app, 120, 36).contains("work has no /files"));
    press(&mut app, "^pprofile: local\n");
    assert!(!screen(&mut app, 120, 36).contains("has no /files"));
}

#[test]
fn a_field_that_the_server_refuses_is_marked_where_parameters_are_set() {
    let mut real = real_with(120, 36, |session| {
        let mut note = |endpoint: &str, field: &str, finding| {
            let key = FactKey::of_server("", "", Subject::field(endpoint, "gpt-4", field));
            session.facts.note(key, KnownFact { finding, source: FactSource::Answer, at_ms: 0 });
        };
        note("/chat/completions", "temperature", Finding::Refused);
        note("/chat/completions", "max_tokens", Finding::Renamed("max_completion_tokens".into()));
    });
    real.press("\u{1b}t");
    let panel = real.screen();
    assert!(panel.contains("left out: the server refuses it"), "{panel}");
    real.press("jj");
    let panel = real.screen();
    assert!(panel.contains("sent as max_completion_tokens"), "{panel}");
}
