//! What the client learns of a server: kept, listed, forgotten, set by hand, and given to the client at the next start.

use std::time::Instant;

use benchtop::api::call::Progress;
use benchtop::api::capability::{Fact, Finding, Subject};
use benchtop::app::{App, Effect, Event, Profile};
use benchtop::record::{Query, Record, Rows, Stored};
use benchtop::settings::ProfileId;

use crate::desk::{closed, press, screen, set_profiles};

const SERVER: &str = "https://models.example/v1";

/// Creates a workbench whose profile in use has the server.
fn app() -> App {
    let mut app = crate::desk::app();
    let profile = Profile { id: app.session().profile.clone(), host: SERVER.into(), ..Profile::default() };
    set_profiles(&mut app, vec![profile]);
    app
}

fn field(endpoint: &str, field: &str) -> Subject {
    Subject::Field { endpoint: endpoint.into(), model: String::new(), field: field.into() }
}

/// Lets an answer teach the client something.
fn learn(app: &mut App, subject: Subject, finding: Finding) -> Vec<Effect> {
    let ticket = closed(&press(app, "^r"));
    let fact = Fact { server: SERVER.into(), subject, finding };
    app.update(Event::Progress(ticket, Progress::Learned(Box::new(fact))), Instant::now(), 1_700_000_000_000)
}

/// Returns the setting that these effects write.
fn kept(effects: &[Effect]) -> (String, String) {
    let setting = |effect: &Effect| match effect {
        Effect::TrySave(_, Record::Setting(name, value)) => Some((name.clone(), value.raw().to_owned())),
        _ => None,
    };
    effects.iter().find_map(setting).expect("a setting is written")
}

#[test]
fn what_is_learned_is_kept_shown_and_can_be_forgotten() {
    let mut app = app();
    let subject = field("/embeddings", "encoding_format");
    let effects = learn(&mut app, subject.clone(), Finding::Refused);
    let (name, value) = kept(&effects);
    assert!(value.contains("refused"), "{value}");
    assert!(!screen(&mut app, 120, 24).contains("encoding_format"), "the tab says it at its answer");
    press(&mut app, "^pserver: what\n");
    let page = screen(&mut app, 120, 24);
    assert!(
        page.contains("What is known of the server") && page.contains("refused, left out · from an answer"),
        "{page}"
    );
    let effects = press(&mut app, "\n");
    assert!(effects.contains(&Effect::RemoveFact { base_url: SERVER.into(), subject }), "{effects:?}");
    assert_eq!(kept(&effects), (name, String::new()));
    press(&mut app, "^pserver: what\n");
    assert!(!screen(&mut app, 120, 24).contains("from an answer"));
}

#[test]
fn what_another_server_of_the_profile_was_known_for_is_not_shown() {
    let mut app = app();
    learn(&mut app, Subject::Endpoint("/files".into()), Finding::Missing);
    let moved =
        Profile { id: app.session().profile.clone(), host: "https://other.example/v1".into(), ..Profile::default() };
    set_profiles(&mut app, vec![moved]);
    press(&mut app, "^pserver: what\n");
    assert!(!screen(&mut app, 120, 24).contains("/files"));
}

#[test]
fn profiles_that_lead_to_one_server_know_the_same_of_it() {
    let mut app = crate::desk::app();
    let profile = |name: &str| Profile {
        id: ProfileId(name.into()),
        name: name.into(),
        host: SERVER.into(),
        model: "gpt-mini".into(),
        ..Profile::default()
    };
    set_profiles(&mut app, vec![profile("work"), profile("home")]);
    learn(&mut app, Subject::Endpoint("/files".into()), Finding::Missing);
    press(&mut app, "^pprofile: home\n");
    press(&mut app, "^pserver: what\n");
    let page = screen(&mut app, 120, 24);
    assert!(page.contains("/files") && page.contains("not available · from an answer"), "{page}");
}

#[test]
fn what_is_left_of_a_forgotten_fact_is_deleted() {
    let mut app = app();
    let effects = app.update(Event::Started, Instant::now(), 0);
    let asked = |effect: &Effect| match effect {
        Effect::Load(ticket, Query::Settings(prefix)) if prefix == "fact:" => Some(*ticket),
        _ => None,
    };
    let ticket = effects.iter().find_map(asked).expect("what is known is looked up");
    let rows = Rows::Settings(vec![("fact:once".into(), "".into())]);
    let effects = app.update(Event::Stored(ticket, Stored::Rows(rows)), Instant::now(), 0);
    assert_eq!(kept(&effects), ("fact:once".to_owned(), String::new()));
}

#[test]
fn what_is_left_of_a_rate_limit_is_shown_and_not_kept() {
    let mut app = app();
    let left = Finding::Text("3,499 of 3,500 left, resets in 17ms".into());
    let effects = learn(&mut app, Subject::RateLimit("requests".into()), left);
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::TrySave(..))), "{effects:?}");
    press(&mut app, "^pserver: what\n");
    assert!(screen(&mut app, 120, 24).contains("3,499 of 3,500 left, resets in 17ms"));
}

#[test]
fn the_client_is_told_at_the_start_what_was_kept() {
    let mut first = app();
    let subject = field("/chat/completions", "max_tokens");
    let finding = Finding::Renamed("max_completion_tokens".into());
    let (name, value) = kept(&learn(&mut first, subject.clone(), finding.clone()));

    let mut second = app();
    let effects = second.update(Event::Started, Instant::now(), 0);
    let asked = |effect: &Effect| match effect {
        Effect::Load(ticket, Query::Settings(prefix)) if name.starts_with(prefix.as_str()) => Some(*ticket),
        _ => None,
    };
    let ticket = effects.iter().find_map(asked).expect("what is known is looked up");
    let rows = Rows::Settings(vec![(name, value.into()), ("fact:of a later version".into(), "{}".into())]);
    let effects = second.update(Event::Stored(ticket, Stored::Rows(rows)), Instant::now(), 0);
    let fact = Fact { server: SERVER.into(), subject, finding };
    assert_eq!(effects, [Effect::AddFact(Box::new(fact))]);
}

#[test]
fn a_field_can_be_set_by_hand_but_none_that_a_request_needs() {
    let mut app = app();
    press(&mut app, "^pserver: what\nset a field\nmessages\n");
    assert!(screen(&mut app, 120, 24).contains("cannot be left out"));
    let effects = press(&mut app, "^pserver: what\nset a field\nmax_tokens=max_completion_tokens\n");
    let known = effects.iter().any(|effect| {
        matches!(effect, Effect::AddFact(fact) if fact.finding == Finding::Renamed("max_completion_tokens".into()))
    });
    assert!(known && kept(&effects).1.contains("user"), "{effects:?}");
}
