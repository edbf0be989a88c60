//! Profiles and models: chosen, added, remembered; whether the server can be reached.

use std::time::Instant;

use benchtop::api::call::{Call, Failure, FailureKind, Progress, Reply};
use benchtop::api::model::Model;
use benchtop::app::{Effect, Event, Profile};
use benchtop::component::{PastedKey, StartupChoice};
use benchtop::record::{Cost, Query, Record, Rows, Stored};
use benchtop::settings::{KeySource, ProfileId};
use crossterm::event::{Event as Input, KeyCode, KeyModifiers};

use crate::desk::{app, closed, failure, key, lines, press, saving, screen, set_profiles, words};

fn profile(name: &str) -> Profile {
    Profile { id: ProfileId(name.into()), name: name.into(), ..Profile::default() }
}

#[test]
fn a_profile_is_switched_and_calls_in_flight_go_on() {
    let mut app = app();
    let ticket = closed(&press(&mut app, "^r"));
    let effects = press(&mut app, "^pprofile: local\n");
    assert!(app.session().local && app.session().profile == ProfileId("local".into()));
    assert!(!effects.contains(&Effect::Cancel(ticket)), "it goes on where it began");
    let models = effects.iter().any(|effect| matches!(effect, Effect::Call(_, id, Call::Models) if id.0 == "local"));
    assert!(models, "{effects:?}");
    app.update(Event::Progress(ticket, Progress::Closed(Ok(()))), Instant::now(), 0);
    assert!(screen(&mut app, 80, 24).contains("pad:(closed)"));
}

#[test]
fn a_profile_that_was_added_is_in_use() {
    let mut app = app();
    let ticket = saving(&press(&mut app, "^pprofile: add\n4home\n\n"));
    app.update(Event::ProfileAdded(ticket, Ok(vec![profile("home")])), Instant::now(), 0);
    assert_eq!(app.session().profile, ProfileId("home".into()));
}

#[test]
fn a_profile_that_cannot_be_kept_leaves_its_form_open() {
    let mut app = app();
    assert_eq!(press(&mut app, "^pprofile: add\n4work\n"), []);
    let sent = press(&mut app, "\n");
    assert!(matches!(&sent[..], [Effect::AddProfile(_, new)] if new.name == "work"), "{sent:?}");
    assert_eq!(press(&mut app, "\n"), [], "once is enough");
    let why = "there is a profile work already\u{1b}[2J".to_owned();
    app.update(Event::ProfileAdded(saving(&sent), Err(why)), Instant::now(), 0);
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("✕ there is a profile work already␛[2J") && text.contains("Add a profile"), "{text}");
    app.update(key(KeyCode::Tab, KeyModifiers::NONE), Instant::now(), 0);
    let sent = press(&mut app, "2\n\n");
    assert!(matches!(&sent[..], [Effect::AddProfile(_, new)] if new.name == "work2"), "{sent:?}");
    app.update(Event::ProfileAdded(saving(&sent), Ok(Vec::new())), Instant::now(), 0);
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
    assert!(screen(&mut app, 80, 24).contains("not in the list: ⏎ uses “llama-9” as typed"));
    press(&mut app, "\n");
    assert_eq!(app.session().model, "llama-9");
}

#[test]
fn a_name_that_is_a_part_of_a_listed_one_can_be_used() {
    let mut app = app();
    press(&mut app, "^pmodel: choose\ngpt");
    assert!(lines(&mut app, 80, 24)[23].contains("alt+⏎ use what is typed"));
    app.update(key(KeyCode::Enter, KeyModifiers::ALT), Instant::now(), 0);
    assert_eq!(app.session().model, "gpt");
}

#[test]
fn a_key_that_was_refused_is_looked_up_anew() {
    let mut app = app();
    let ticket = closed(&press(&mut app, "^r"));
    let refused = Progress::Closed(Err(failure(FailureKind::Auth)));
    let effects = app.update(Event::Progress(ticket, refused), Instant::now(), 0);
    assert!(effects.contains(&Effect::ForgetKey(app.session().profile.clone())), "{effects:?}");
}

#[test]
fn offline_is_shown_and_ends_with_the_next_answer() {
    let mut app = app();
    let ticket = closed(&press(&mut app, "^r"));
    let down = Progress::Retrying { attempt: 2, of: 3, at: Instant::now(), why: failure(FailureKind::Offline) };
    app.update(Event::Progress(ticket, down), Instant::now(), 0);
    assert!(screen(&mut app, 120, 36).contains("○ work · offline"));
    app.update(Event::Progress(ticket, Progress::Opened { request_id: None }), Instant::now(), 0);
    assert!(screen(&mut app, 120, 36).contains("● work · gpt-mini"));
}

#[test]
fn today_is_asked_at_the_start_and_the_model_is_remembered() {
    let mut app = app();
    let effects = app.update(Event::Started, Instant::now(), 86_400_000);
    let spent = effects.iter().find_map(|effect| match effect {
        Effect::Load(ticket, Query::Spent { profile, .. }) if profile == "work" => Some(*ticket),
        _ => None,
    });
    app.update(
        Event::Stored(spent.unwrap(), Stored::Rows(Rows::Spent(Some(Some(370_000_000).into())))),
        Instant::now(),
        0,
    );
    assert!(screen(&mut app, 80, 24).contains("day $0.37"));
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Call(..))), "a remote server is left in peace");
    let ticket = closed(&press(&mut app, "^pmodel: choose\n"));
    let models = ["gpt-mini", "gpt-large"].map(|id| Model { id: id.into(), ..Model::default() }).to_vec();
    app.update(Event::Progress(ticket, Progress::Reply(Reply::Models(models))), Instant::now(), 0);
    let effects = press(&mut app, "large\n");
    assert_eq!(app.session().model, "gpt-large");
    let work = ProfileId("work".into());
    assert_eq!(effects, [Effect::Remember(StartupChoice::Model(work.clone(), "gpt-large".into()))]);
    let effects = press(&mut app, "^pprofile: local\n");
    assert!(effects.contains(&Effect::Remember(StartupChoice::Profile(ProfileId::local()))), "{effects:?}");
    app.update(Event::Input(Input::FocusGained), Instant::now(), 0);
    let models = [Model { id: "small".into(), ..Model::default() }].to_vec();
    app.update(Event::Progress(closed(&effects), Progress::Reply(Reply::Models(models))), Instant::now(), 0);
    let effects = press(&mut app, "^pmodel: small\n");
    let kept = Record::Setting("model:local".into(), "small".into());
    assert!(matches!(&effects[..], [Effect::TrySave(_, record)] if *record == kept), "{effects:?}");
    press(&mut app, "^pprofile: work\n");
    assert_eq!((&app.session().profile, app.session().model.raw()), (&work, "gpt-large"), "each keeps its model");
}

#[test]
fn which_profile_is_in_use_is_said() {
    let mut app = app();
    press(&mut app, "^pprofile: local\n");
    assert!(screen(&mut app, 80, 24).contains("✓ local is in use"));
    press(&mut app, "^pprofile: local\n");
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("· local is already in use") && !text.contains("✓ local"), "{text}");
    let ticket = saving(&press(&mut app, "^pprofile: add\n4home\n\n"));
    app.update(Event::ProfileAdded(ticket, Ok(vec![profile("home")])), Instant::now(), 0);
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("✓ home is saved and in use") && !text.contains("local is in use"), "{text}");
}

#[test]
fn quitting_asks_first_where_a_profile_is_filled_in_and_the_form_stays() {
    let mut app = app();
    press(&mut app, "^pprofile: add\n4");
    assert!(press(&mut app, "^q").contains(&Effect::Quit), "nothing is filled in");
    press(&mut app, "home");
    assert!(!press(&mut app, "^q").contains(&Effect::Quit));
    assert!(screen(&mut app, 80, 24).contains("The new profile is not saved yet."));
    press(&mut app, "\u{1b}");
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("Add a profile") && text.contains("home") && !text.contains("Quit now?"), "{text}");
    press(&mut app, "^q");
    assert!(press(&mut app, "^q").contains(&Effect::Quit), "asked once");
}

#[test]
fn a_profile_kept_after_its_form_was_left_is_not_in_use() {
    let mut app = app();
    let ticket = saving(&press(&mut app, "^pprofile: add\n4home\n\n\u{1b}"));
    app.update(Event::ProfileAdded(ticket, Ok(vec![profile("home")])), Instant::now(), 0);
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("✓ home is saved") && !text.contains("in use"), "{text}");
    assert_eq!(app.session().profile, ProfileId("work".into()));
}

#[test]
fn a_form_takes_no_answer_to_another_form() {
    let mut app = app();
    let late = saving(&press(&mut app, "^pprofile: add\n4home\n\n\u{1b}"));
    let later = saving(&press(&mut app, "^pprofile: add\n4lab\n\n\u{1b}"));
    let key = saving(&press(&mut app, "^pprofile: new key\nsk-1\n\u{1b}"));
    let awaited = saving(&press(&mut app, "^pprofile: add\n4den\n\n"));
    // A refusal is said outside the form, which still waits.
    app.update(Event::ProfileAdded(late, Err("home cannot be saved".into())), Instant::now(), 0);
    let refused = Err("keys.toml cannot be written".into());
    app.update(Event::KeyReplaced(key, ProfileId("work".into()), refused), Instant::now(), 0);
    assert_eq!(press(&mut app, "\n"), [], "it is sent once");
    let text = screen(&mut app, 120, 36);
    let form = text.split_once('\n').unwrap().1;
    assert!(form.contains("Add a profile") && !form.contains("cannot be"), "{text}");
    // Success neither closes the form nor uses the profile.
    app.update(Event::ProfileAdded(later, Ok(vec![profile("work"), profile("lab")])), Instant::now(), 0);
    assert!(screen(&mut app, 120, 36).contains("Add a profile"));
    assert_eq!(app.session().profile, ProfileId("work".into()));
    app.update(Event::ProfileAdded(awaited, Ok(vec![profile("work"), profile("den")])), Instant::now(), 0);
    let text = screen(&mut app, 120, 36);
    assert!(!text.contains("Add a profile") && text.contains("✓ den is saved and in use"), "{text}");
    for said in ["home cannot be saved", "keys.toml cannot be written"] {
        press(&mut app, "^pmessages\n");
        assert!(screen(&mut app, 120, 36).contains(said), "{said}");
        press(&mut app, "\u{1b}");
    }
}

#[test]
fn the_form_says_what_is_sent_before_a_prompt() {
    let mut app = app();
    press(&mut app, "^pprofile: add\n");
    for page in ["", "2"] {
        press(&mut app, page);
        let text = screen(&mut app, 80, 24);
        for said in ["Until you send a prompt, only the model list is requested.", "nowhere else."] {
            assert!(text.contains(said), "{said}: {text}");
        }
    }
}

fn refused() -> Progress {
    let why = "401 the server does not take this key: Incorrect API key provided; check the profile's key\u{1b}[2J";
    Progress::Closed(Err(Failure::new(FailureKind::Auth, why)))
}

#[test]
fn a_list_that_does_not_come_is_told_at_once() {
    let mut app = app();
    let ticket = closed(&press(&mut app, "^pprofile: local\n"));
    app.update(Event::Progress(ticket, refused()), Instant::now(), 0);
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("✕ no list of models: 401 the server") && text.contains("key␛[2J"), "{text}");
}

#[test]
fn the_list_of_models_shows_a_failure_as_text_and_takes_a_name() {
    let mut app = app();
    let ticket = closed(&press(&mut app, "^pprofile: local\n^pmodel: choose\n"));
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("models are being fetched") && text.contains("type a model's name: ⏎ uses it"), "{text}");
    app.update(Event::Progress(ticket, refused()), Instant::now(), 0);
    for (width, height) in [(80, 24), (40, 12), (120, 36)] {
        let rows = lines(&mut app, width, height);
        let text = rows.join("\n");
        let words = words(&mut app, width, height);
        for part in ["does not take this key: Incorrect API key provided; check the", "Or type a model's name: ⏎"] {
            assert!(words.contains(part), "{part} at {width}×{height}:\n{text}");
        }
        let chosen: Vec<_> = rows.iter().filter(|row| row.contains('▸')).collect();
        assert!(chosen.len() == 1 && chosen[0].contains("gpt-mini"), "{text}");
        assert!(!text.contains("no list of models"), "{text}");
    }
    assert!(lines(&mut app, 80, 24)[23].starts_with(" ↑↓ choose  ⏎ use  ^O details  F1 help  esc close"));
    press(&mut app, "llama-9\n");
    assert_eq!(app.session().model, "llama-9");
}

#[test]
fn a_new_key_is_asked_for_kept_and_used() {
    let mut app = app();
    assert_eq!(press(&mut app, "^pprofile: new key\n"), []);
    let text = screen(&mut app, 80, 24);
    for part in
        ["A new key", "Name      work", "Base URL  https://work.example/v1", "keys.toml", "mode 0600", "config.toml"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(lines(&mut app, 80, 24)[23].starts_with(" ⏎ save and use  F1 help  esc cancel"));
    assert_eq!(press(&mut app, "\n"), [], "without a key nothing is kept");
    assert!(screen(&mut app, 80, 24).contains("✕ paste the key first"));
    app.update(Event::Input(Input::Paste(" sk-right\r\n".into())), Instant::now(), 0);
    let sent = press(&mut app, "\n");
    let right = PastedKey { profile: ProfileId("work".into()), key: "sk-right".into() };
    let ticket = saving(&sent);
    assert_eq!(sent, [Effect::ReplaceKey(ticket, Box::new(right.clone()))]);
    assert!(!format!("{sent:?}").contains("sk-right") && !screen(&mut app, 80, 24).contains("sk-right"));
    let work = ProfileId("work".into());
    app.update(Event::KeyReplaced(ticket, work.clone(), Err("keys.toml cannot be written".into())), Instant::now(), 0);
    assert!(screen(&mut app, 80, 24).contains("✕ keys.toml cannot be written"));
    let again = press(&mut app, "\n");
    assert_eq!(again, [Effect::ReplaceKey(saving(&again), Box::new(right))], "what was pasted is still there");
    let rekeyed = Profile {
        id: ProfileId("work".into()),
        name: "work".into(),
        host: "https://work.example/v1".into(),
        key: KeySource::Kept("work".into()),
        ..Profile::default()
    };
    let asked = app.update(Event::KeyReplaced(saving(&again), work, Ok(vec![rekeyed])), Instant::now(), 0);
    assert!(matches!(&asked[..], [Effect::Call(_, id, Call::Models)] if id.0 == "work"), "{asked:?}");
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("✓ work uses the new key") && !text.contains("A new key"), "{text}");
    press(&mut app, "^pprofile: choose\n");
    let text = screen(&mut app, 120, 36);
    assert!(text.contains("stored key"), "the list says where the key comes from now: {text}");
}

#[test]
fn a_new_key_is_for_a_server_that_has_one() {
    let mut app = app();
    press(&mut app, "^pprofile: local\n^pnew key\n");
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("Profile: new key… ") && text.contains("— the local service needs none"), "{text}");
    press(&mut app, "\u{1b}");
    let env = Profile {
        id: ProfileId::env(),
        name: "10.0.0.1".into(),
        host: "http://10.0.0.1/v1".into(),
        ..Profile::default()
    };
    set_profiles(&mut app, vec![env]);
    press(&mut app, "^pprofile: 10\n^pnew key\n");
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("as long as OPENAI_API_KEY is"), "{text}");
    assert!(text.contains("unencrypted") && text.contains(" it.  "), "whole: {text}");
    assert!(press(&mut app, "\u{1b}").is_empty() && !screen(&mut app, 80, 24).contains("A new key"));
}

#[test]
fn a_day_with_unknown_prices_says_so() {
    for (spent, said) in [
        (None, "day free"),
        (Some(Cost::FREE), "day free"),
        (Some(Cost { nano: 120_000_000, unknown: true }), "day $0.12 + ?"),
        (Some(Cost::UNKNOWN), "day —"),
    ] {
        let mut app = app();
        let effects = app.update(Event::Started, Instant::now(), 0);
        let asked = effects.iter().find_map(|effect| match effect {
            Effect::Load(ticket, Query::Spent { .. }) => Some(*ticket),
            _ => None,
        });
        app.update(Event::Stored(asked.unwrap(), Stored::Rows(Rows::Spent(spent))), Instant::now(), 0);
        let text = screen(&mut app, 80, 24);
        assert!(text.contains(said), "{said}: {text}");
    }
}
