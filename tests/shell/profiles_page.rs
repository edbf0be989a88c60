//! The list of profiles: what it shows, and what its keys do.

use std::time::Instant;

use benchtop::app::{App, Effect, Event, Profile};
use benchtop::component::{ProfileChange, StartupChoice};
use benchtop::record::Record;
use benchtop::settings::{KeySource, ProfileId};
use crossterm::event::{KeyCode, KeyModifiers};

use crate::desk::{app, closed, key, lines, press, screen, set_profiles, words};

fn id(name: &str) -> ProfileId {
    ProfileId(name.to_owned())
}

fn profile(name: &str, key: KeySource) -> Profile {
    Profile {
        id: id(name),
        name: name.into(),
        host: format!("https://{name}.example/v1").into(),
        model: "gpt-mini".into(),
        local: name == "local",
        key,
        ..Profile::default()
    }
}

fn all() -> Vec<Profile> {
    vec![
        profile("local", KeySource::None),
        profile("work", KeySource::Kept("work".into())),
        profile("home", KeySource::Env("HOME_KEY".into())),
        profile("lab", KeySource::Command("pass show secret".into())),
    ]
}

/// Creates a workbench with four profiles, `work` in use, with the list open.
fn listed() -> App {
    let mut app = app();
    set_profiles(&mut app, all());
    press(&mut app, "^pprofile: choose\n");
    app
}

fn changed(app: &mut App, change: ProfileChange, profiles: Vec<Profile>) -> Vec<Effect> {
    app.update(Event::ProfileChanged(change, Ok(profiles)), Instant::now(), 0)
}

#[test]
fn each_profile_is_shown_with_its_server_where_its_key_comes_from_and_its_model() {
    let mut app = listed();
    let rows = lines(&mut app, 100, 30);
    let row =
        |name: &str| rows[1..].iter().find(|row| row.contains(name)).cloned().unwrap_or_else(|| panic!("{rows:#?}"));
    for (name, parts) in [
        ("work · in use", ["work.example/v1", "stored key", "gpt-mini"]),
        ("home ", ["home.example/v1", "$HOME_KEY", "gpt-mini"]),
        ("lab ", ["lab.example/v1", "key command", "gpt-mini"]),
    ] {
        assert!(parts.iter().all(|part| row(name).contains(part)), "{}", row(name));
    }
    assert!(!rows.join("\n").contains("secret"), "a command may hold a key");
    let narrow = screen(&mut app, 40, 12);
    for part in ["work · in use", "https://work.example/v1", "stored key · gpt-mini"] {
        assert!(narrow.contains(part), "{part}: {narrow}");
    }
}

#[test]
fn the_one_under_the_cursor_is_used() {
    let mut app = listed();
    let effects = press(&mut app, "j\n");
    assert_eq!(app.session().profile, id("home"));
    assert!(effects.contains(&Effect::Remember(StartupChoice::Profile(id("home")))), "{effects:?}");
    assert!(!screen(&mut app, 80, 24).contains("─ Profiles"));
}

#[test]
fn one_key_goes_round_all_profiles_and_calls_in_flight_go_on() {
    let mut app = app();
    set_profiles(&mut app, all());
    let ticket = closed(&press(&mut app, "^r"));
    let mut effects = Vec::new();
    for wanted in ["home", "lab", "local", "work", "home"] {
        effects.extend(app.update(key(KeyCode::F(12), KeyModifiers::NONE), Instant::now(), 0));
        assert_eq!(app.session().profile, id(wanted));
    }
    for wanted in ["work", "local", "lab"] {
        effects.extend(app.update(key(KeyCode::F(12), KeyModifiers::SHIFT), Instant::now(), 0));
        assert_eq!(app.session().profile, id(wanted));
    }
    assert!(!effects.contains(&Effect::Cancel(ticket)), "it goes on where it began");
    assert!(screen(&mut app, 80, 24).contains("✓ lab is in use"));
}

#[test]
fn a_profile_is_renamed_and_what_is_known_of_it_goes_along() {
    use benchtop::api::call::Progress;
    use benchtop::api::capability::{Fact, Finding, Subject};
    let mut app = app();
    set_profiles(&mut app, all());
    let ticket = closed(&press(&mut app, "^r"));
    let fact = Fact {
        server: "https://work.example/v1".into(),
        subject: Subject::Endpoint("/files".into()),
        finding: Finding::Missing,
    };
    app.update(Event::Progress(ticket, Progress::Learned(Box::new(fact))), Instant::now(), 0);
    press(&mut app, "^pprofile: choose\n");
    assert_eq!(press(&mut app, "r"), []);
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("requests to work are running") && !text.contains("New name"), "{text}");
    app.update(Event::Progress(ticket, Progress::Closed(Ok(()))), Instant::now(), 0);
    press(&mut app, "r");
    assert!(screen(&mut app, 80, 24).contains("New name"));
    // The old name is there to be changed; another one's is not taken.
    assert_eq!(press(&mut app, "^uhome\n"), []);
    assert!(screen(&mut app, 80, 24).contains("there is a profile of this name already"));
    assert_eq!(press(&mut app, "^ua b\n"), []);
    let sent = press(&mut app, "^uoffice\n");
    let change = ProfileChange::Rename(id("work"), id("office"));
    assert_eq!(sent, [Effect::ChangeProfile(change.clone())]);
    let mut profiles = all();
    let office = profile("office", KeySource::Kept("office".into()));
    profiles[1] = Profile { host: profiles[1].host.clone(), ..office };
    let effects = changed(&mut app, change, profiles);
    let renamed = Record::ProfileRenamed { from: "work".into(), to: "office".into() };
    assert!(
        effects.iter().any(|effect| matches!(effect, Effect::TrySave(_, record) if *record == renamed)),
        "{effects:?}"
    );
    assert_eq!((app.session().profile.0.as_str(), app.session().profile_name.raw()), ("office", "office"));
    let text = screen(&mut app, 100, 30);
    assert!(text.contains("✓ work is now called office") && text.contains("office · in use"), "{text}");
    press(&mut app, "\u{1b}^pwhat is known\n");
    assert!(screen(&mut app, 80, 24).contains("/files"), "{}", screen(&mut app, 80, 24));
}

#[test]
fn a_copy_gets_a_name_and_the_cursor() {
    let mut app = listed();
    press(&mut app, "d");
    assert!(screen(&mut app, 80, 24).contains("work-copy"));
    let sent = press(&mut app, "\n");
    let change = ProfileChange::Duplicate(id("work"), id("work-copy"));
    assert_eq!(sent, [Effect::ChangeProfile(change.clone())]);
    let mut profiles = all();
    profiles.push(profile("work-copy", KeySource::Kept("work-copy".into())));
    changed(&mut app, change, profiles);
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("https://work-copy.example/v1"), "{text}");
    assert_eq!(app.session().profile, id("work"), "the one in use stays");
}

#[test]
fn deleting_asks_and_says_what_goes_with_it() {
    let mut app = listed();
    press(&mut app, "x");
    let text = screen(&mut app, 100, 30);
    for part in [
        "Delete work?",
        "keys.toml is deleted too",
        "its conversations, results and costs",
        "stay.",
        "the local service will be used instead",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(press(&mut app, "\n"), [], "the focus is on the answer that does nothing");
    let sent = press(&mut app, "x\t\n");
    let change = ProfileChange::Delete(id("work"));
    assert_eq!(sent, [Effect::ChangeProfile(change.clone())]);
    changed(&mut app, change, all().into_iter().filter(|profile| profile.id != id("work")).collect());
    assert_eq!(app.session().profile, ProfileId::local());
    let text = screen(&mut app, 100, 30);
    assert!(text.contains("✓ work is deleted; the local service is in use"), "{text}");
    assert!(text.contains("local · in use"), "{text}");
}

#[test]
fn running_requests_are_said_before_a_profile_is_deleted() {
    let mut app = app();
    set_profiles(&mut app, all());
    press(&mut app, "^r^pprofile: choose\nx");
    assert!(screen(&mut app, 100, 30).contains("One request is running with it"));
}

#[test]
fn profiles_move_and_the_cursor_with_them() {
    let mut app = listed();
    let change = ProfileChange::Down(id("work"));
    assert_eq!(press(&mut app, ">"), [Effect::ChangeProfile(change.clone())]);
    let mut profiles = all();
    profiles.swap(1, 2);
    changed(&mut app, change, profiles);
    assert_eq!(press(&mut app, "<"), [Effect::ChangeProfile(ProfileChange::Up(id("work")))]);
}

#[test]
fn what_cannot_be_changed_says_why() {
    let mut app = listed();
    assert_eq!(press(&mut app, "kx"), []);
    let text = screen(&mut app, 100, 30);
    assert!(text.contains("the local service is part of benchtop and cannot be changed"), "{text}");
    let foot = lines(&mut app, 100, 30).pop().unwrap();
    assert!(!foot.contains("rename") && foot.contains("add"), "{foot}");
    let mut profiles = all();
    profiles.push(Profile { id: ProfileId::env(), name: "api.example".into(), ..Profile::default() });
    set_profiles(&mut app, profiles);
    assert_eq!(press(&mut app, "Gr"), []);
    assert!(screen(&mut app, 100, 30).contains("set by OPENAI_API_KEY or OPENAI_BASE_URL; change it there"));
}

#[test]
fn the_variable_of_a_new_profile_is_hidden_from_children_and_stays_so() {
    let hidden =
        |known: &[String], profiles: &[Profile]| benchtop::app::effects::key_variables(known, profiles).to_vec();
    let known = ["OPENAI_API_KEY".to_owned()];
    let more = hidden(&known, &all());
    assert_eq!(more, ["OPENAI_API_KEY", "HOME_KEY"]);
    assert_eq!(hidden(&more, &[]), more, "it still holds a key");
}

#[test]
fn what_cannot_be_written_is_said_and_stays() {
    let mut app = listed();
    let why = "config.toml cannot be written: no space\u{1b}[2J".to_owned();
    app.update(Event::ProfileChanged(ProfileChange::Delete(id("home")), Err(why)), Instant::now(), 0);
    let text = screen(&mut app, 100, 30);
    assert!(text.contains("✕ config.toml cannot be written: no space␛[2J") && text.contains("home.example"), "{text}");
}

#[test]
fn on_a_small_screen_the_form_wraps_and_scrolls() {
    let mut app = app();
    press(&mut app, "^pprofile: add\n");
    assert!(words(&mut app, 40, 12).contains("Where should this profile's key come from?"));
    assert!(words(&mut app, 40, 12).contains("Use OPENAI_API_KEY from the environment"));
    assert!(screen(&mut app, 40, 12).contains('↓'), "{}", screen(&mut app, 40, 12));
    press(&mut app, "jjjj");
    let text = words(&mut app, 40, 12);
    assert!(text.contains("Ollama, vLLM, … Until you send a prompt, only the model list is requested."), "{text}");
    // Values stand below their labels, and what is cut of them is marked.
    press(&mut app, "4");
    let text = words(&mut app, 40, 12);
    assert!(text.contains("Base URL http://127.0.0.1:11434/v1"), "{text}");
    press(&mut app, &format!("{}end", "long-".repeat(12)));
    let text = screen(&mut app, 40, 12);
    assert!(text.contains("…") && text.contains("long-end"), "{text}");
}

#[test]
fn a_question_shows_on_a_small_screen_what_will_be_used_instead() {
    let mut app = app();
    let mut profiles = all();
    profiles[1].key = KeySource::None;
    set_profiles(&mut app, profiles);
    press(&mut app, "^pprofile: choose\nx");
    let text = words(&mut app, 40, 12);
    for part in ["the local service will be used instead.", "conversations, results and costs stay."] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_prompt_says_in_full_what_a_name_changes() {
    let mut app = listed();
    press(&mut app, "r");
    assert!(words(&mut app, 40, 12).contains("Its conversations, vectors, checks and costs move with it."));
    press(&mut app, "^u");
    assert!(words(&mut app, 40, 12).contains("e.g. work"));
}
