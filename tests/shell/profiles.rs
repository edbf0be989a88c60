//! Profiles and models: chosen, added, remembered; whether the server can be reached.

use std::time::Instant;

use benchtop::api::call::{Call, FailureKind, Progress, Reply};
use benchtop::api::model::Model;
use benchtop::app::{Choice, Event, Order, Profile};
use benchtop::record::{Query, Record, Rows, Stored};
use benchtop::settings::ProfileId;
use crossterm::event::{Event as Input, KeyCode, KeyModifiers};

use crate::desk::{app, closed, failure, key, press, screen};

#[test]
fn a_profile_is_switched_and_calls_in_flight_go_on() {
    let mut app = app();
    let ticket = closed(&press(&mut app, "^r"));
    let orders = press(&mut app, "^pprofile: local\n");
    assert!(app.session().local && app.session().profile == ProfileId("local".into()));
    assert!(!orders.contains(&Order::Cancel(ticket)), "it goes on where it began");
    let models = orders.iter().any(|order| matches!(order, Order::Call(_, id, Call::Models) if id.0 == "local"));
    assert!(models, "{orders:?}");
    app.update(Event::Progress(ticket, Progress::Closed(Ok(()))), Instant::now(), 0);
    assert!(screen(&mut app, 80, 24).contains("pad:(closed)"));
}

#[test]
fn a_profile_that_was_added_is_in_use() {
    let mut app = app();
    press(&mut app, "^pprofile: add\n4home\n\n");
    let new = Profile { id: ProfileId("home".into()), name: "home".into(), ..Profile::default() };
    app.update(Event::Profiles(vec![new]), Instant::now(), 0);
    assert_eq!(app.session().profile, ProfileId("home".into()));
}

#[test]
fn a_profile_that_cannot_be_kept_leaves_its_form_open() {
    let mut app = app();
    assert_eq!(press(&mut app, "^pprofile: add\n4work\n"), []);
    let sent = press(&mut app, "\n");
    assert!(matches!(&sent[..], [Order::AddProfile(new)] if new.name == "work"), "{sent:?}");
    assert_eq!(press(&mut app, "\n"), [], "once is enough");
    app.update(Event::NotAdded("there is a profile work already\u{1b}[2J".into()), Instant::now(), 0);
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("✕ there is a profile work already␛[2J") && text.contains("Add a profile"), "{text}");
    app.update(key(KeyCode::Tab, KeyModifiers::NONE), Instant::now(), 0);
    let sent = press(&mut app, "2\n\n");
    assert!(matches!(&sent[..], [Order::AddProfile(new)] if new.name == "work2"), "{sent:?}");
    app.update(Event::Profiles(Vec::new()), Instant::now(), 0);
    assert!(!screen(&mut app, 80, 24).contains("Add a profile"));
}

#[test]
fn a_server_that_lists_no_models_takes_a_name() {
    let mut app = app();
    let asked = press(&mut app, "^pmodel: choose\n");
    let ticket = closed(&asked);
    app.update(Event::Progress(ticket, Progress::Closed(Err(failure(FailureKind::Offline)))), Instant::now(), 0);
    assert!(screen(&mut app, 80, 24).contains("no connection"));
    press(&mut app, "llama-9");
    assert!(screen(&mut app, 80, 24).contains("⏎ uses this name as it is"));
    press(&mut app, "\n");
    assert_eq!(app.session().model, "llama-9");
}

#[test]
fn offline_is_shown_and_ends_with_the_next_answer() {
    let mut app = app();
    let ticket = closed(&press(&mut app, "^r"));
    let down = Progress::Retrying { attempt: 2, of: 3, at: Instant::now(), why: failure(FailureKind::Offline) };
    app.update(Event::Progress(ticket, down), Instant::now(), 0);
    assert!(screen(&mut app, 120, 36).contains("○ offline"));
    app.update(Event::Progress(ticket, Progress::Opened { request_id: None }), Instant::now(), 0);
    assert!(screen(&mut app, 120, 36).contains("● work · gpt-mini"));
}

#[test]
fn today_is_asked_at_the_start_and_the_model_is_remembered() {
    let mut app = app();
    let orders = app.update(Event::Started, Instant::now(), 86_400_000);
    let spent = orders.iter().find_map(|order| match order {
        Order::Load(ticket, Query::Spent { profile, .. }) if profile == "work" => Some(*ticket),
        _ => None,
    });
    app.update(Event::Stored(spent.unwrap(), Stored::Rows(Rows::Spent(370_000_000, 0))), Instant::now(), 0);
    assert!(screen(&mut app, 80, 24).contains("day $0.37"));
    assert!(!orders.iter().any(|order| matches!(order, Order::Call(..))), "a remote server is left in peace");
    let ticket = closed(&press(&mut app, "^pmodel: choose\n"));
    let models = ["gpt-mini", "gpt-large"].map(|id| Model { id: id.into(), ..Model::default() }).to_vec();
    app.update(Event::Progress(ticket, Progress::Reply(Reply::Models(models))), Instant::now(), 0);
    let orders = press(&mut app, "large\n");
    assert_eq!(app.session().model, "gpt-large");
    let work = ProfileId("work".into());
    assert_eq!(orders, [Order::Remember(Choice::Model(work.clone(), "gpt-large".into()))]);
    let orders = press(&mut app, "^pprofile: local\n");
    assert!(orders.contains(&Order::Remember(Choice::Profile(ProfileId::local()))), "{orders:?}");
    app.update(Event::Input(Input::FocusGained), Instant::now(), 0);
    let models = [Model { id: "small".into(), ..Model::default() }].to_vec();
    app.update(Event::Progress(closed(&orders), Progress::Reply(Reply::Models(models))), Instant::now(), 0);
    let orders = press(&mut app, "^pmodel: small\n");
    let kept = Record::Setting("model:local".into(), "small".into());
    assert!(matches!(&orders[..], [Order::Record(_, record)] if *record == kept), "{orders:?}");
    press(&mut app, "^pprofile: work\n");
    assert_eq!((&app.session().profile, app.session().model.raw()), (&work, "gpt-large"), "each keeps its model");
}
