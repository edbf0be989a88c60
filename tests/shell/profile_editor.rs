//! The form with all settings of a profile.

use std::time::{Duration, Instant};

use benchtop::api::call::{Call, Progress};
use benchtop::app::{App, Effect, Event, Profile as Shown};
use benchtop::component::{EditedProfile, ProfileChange};
use benchtop::record::{Query, Rows, Stored};
use benchtop::settings::edit_fields::{OpenedProfile, open};
use benchtop::settings::{KeySource, Paths, Profile, ProfileId, Proxy};
use crossterm::event::Event as Input;

use crate::desk::{app, lines, press, screen};

fn id(name: &str) -> ProfileId {
    ProfileId(name.to_owned())
}

const FILE: &str = "[profiles.work]\nbase_url = \"https://work.example/v1\"\nmodel = \"m\"\napi_key_env = \"A_KEY\"\n[profiles.work.headers]\nX-Team = \"team-secret\"\n";

fn opened() -> OpenedProfile {
    opened_from(FILE)
}

fn opened_from(file: &str) -> OpenedProfile {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config.toml");
    std::fs::write(&config, file).unwrap();
    open(&Paths::find(Some(&config), Some(folder.path())).unwrap(), &id("work")).unwrap()
}

/// Creates a workbench with the form of `work` open.
fn editing() -> App {
    let mut app = app();
    edit(&mut app, opened());
    app
}

/// Opens the form of `work`.
fn edit(app: &mut App, opened: OpenedProfile) {
    let asked = press(app, "^pprofile: choose\ne");
    assert_eq!(asked, [Effect::OpenProfile(id("work"))]);
    app.update(Event::ProfileOpened(Ok(Box::new(opened))), Instant::now(), 0);
}

/// Puts the cursor on a row and types a value.
fn fill(app: &mut App, row: usize, text: &str) {
    press(app, &format!("g{}\n^a^k{text}\n", "j".repeat(row)));
}

fn saved(effects: &[Effect]) -> EditedProfile {
    match effects {
        [Effect::ChangeProfile(ProfileChange::Edit(edited))] => (**edited).clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_form_shows_what_the_file_has_and_no_value_of_a_header() {
    let mut app = editing();
    for (width, height) in [(120, 36), (80, 24)] {
        let text = screen(&mut app, width, height);
        for part in ["Profile work", "https://work.example/v1", "an environment variable", "A_KEY", "X-Team"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("team-secret"), "{text}");
    }
    assert!(lines(&mut app, 80, 24)[23].contains("^S save"));
    assert!(screen(&mut app, 40, 12).contains("Base URL"));
    press(&mut app, "\u{1b}");
    assert!(!screen(&mut app, 80, 24).contains("Profile work"), "nothing was changed: it closes at once");
}

#[test]
fn what_is_entered_is_saved() {
    let mut app = editing();
    fill(&mut app, 0, "office");
    fill(&mut app, 1, "https://office.example/v1/?a=b");
    fill(&mut app, 2, "large");
    press(&mut app, "j\n");
    fill(&mut app, 4, "pass show x");
    fill(&mut app, 8, "socks5://127.0.0.1:1080");
    fill(&mut app, 10, "30");
    let edited = saved(&press(&mut app, "^s"));
    let wanted = Profile {
        base_url: "https://office.example/v1?a=b".into(),
        model: "large".into(),
        key: KeySource::Command("pass show x".into()),
        proxy: Proxy::Through("socks5://127.0.0.1:1080".into()),
        connect_limit: Duration::from_secs(30),
        ..opened().profile
    };
    assert!(edited.name == id("office") && edited.profile == wanted, "{edited:?}");
    // Refused: the form is still there.
    let change = ProfileChange::Edit(Box::new(edited));
    app.update(Event::ProfileChanged(change.clone(), Err("no space\u{1b}[2J".into())), Instant::now(), 0);
    let text = screen(&mut app, 120, 36);
    assert!(text.contains("✕ no space␛[2J") && text.contains("Profile work"), "{text}");
    assert_eq!(press(&mut app, "^s"), [Effect::ChangeProfile(change.clone())]);
    let office = Shown { id: id("office"), name: "office".into(), model: "large".into(), ..Shown::default() };
    app.update(Event::ProfileChanged(change, Ok(vec![office])), Instant::now(), 0);
    let text = screen(&mut app, 120, 36);
    assert!(text.contains("✓ office is saved") && !text.contains("Profile work"), "{text}");
    assert_eq!((app.session().profile.0.as_str(), app.session().model.raw()), ("office", "large"));
}

#[test]
fn json_is_written_in_an_editor_and_what_is_wrong_is_named_with_its_place() {
    let mut app = editing();
    press(&mut app, "Gkkkkkkkk\n");
    assert!(screen(&mut app, 120, 36).contains("Further request fields, as JSON"), "{}", screen(&mut app, 120, 36));
    app.update(Event::Input(crossterm::event::Event::Paste("x".repeat(11 << 20))), Instant::now(), 0);
    let text = screen(&mut app, 120, 36);
    assert!(text.contains("is over 10 MB and was left out"), "a refused paste is said: {text}");
    press(&mut app, "^e\u{1b}");
    press(&mut app, "\n");
    press(&mut app, "{\"seed\": 7,\n bad\u{1b}");
    let text = screen(&mut app, 120, 36);
    assert!(text.contains("line 2, column 2") && text.contains("not valid JSON"), "{text}");
    assert_eq!(press(&mut app, "^s"), [], "nothing is saved");
    press(&mut app, "\n");
    assert!(screen(&mut app, 120, 36).contains(" bad"), "what was typed is there to be corrected");
    press(&mut app, "^h^h^h\"top_k\": 5}\u{1b}");
    let edited = saved(&press(&mut app, "^s"));
    assert_eq!(edited.profile.extra_body, *serde_json::json!({"seed": 7, "top_k": 5}).as_object().unwrap());
    assert_eq!(edited.profile.headers["X-Team"], "team-secret", "what was not touched stays");
}

#[test]
fn what_the_external_editor_leaves_goes_into_the_dialog() {
    let mut app = editing();
    press(&mut app, "Gkkkkkkkkk\n");
    let f4 = crate::desk::key(crossterm::event::KeyCode::F(4), crossterm::event::KeyModifiers::NONE);
    let effects = app.update(f4, Instant::now(), 0);
    assert!(matches!(&effects[..], [Effect::OpenEditor(text)] if text.contains("X-Team")), "{effects:?}");
    app.update(Event::Edited(Some("{\"X-Team\": 5}".into())), Instant::now(), 0);
    press(&mut app, "\u{1b}");
    assert!(
        screen(&mut app, 120, 36).contains("the value of X-Team must be text in quotes"),
        "{}",
        screen(&mut app, 120, 36)
    );
}

#[test]
fn what_is_wrong_is_said_at_its_row() {
    for (row, text, said) in [
        (0, "a b", "use letters"),
        (1, "ftp://x", "does not begin with http"),
        (8, "somewhere", "a proxy is a URL"),
        (4, "", "this cannot be empty"),
    ] {
        let mut app = editing();
        fill(&mut app, row, text);
        assert_eq!(press(&mut app, "^s"), [], "{said}");
        assert!(screen(&mut app, 120, 36).contains(said), "{said}: {}", screen(&mut app, 120, 36));
    }
}

#[test]
fn a_key_over_http_to_another_machine_is_asked_about() {
    let mut app = editing();
    fill(&mut app, 1, "http://10.0.0.9/v1");
    assert_eq!(press(&mut app, "^s"), []);
    assert!(screen(&mut app, 120, 36).contains("unencrypted to http://10.0.0.9; save again to confirm"));
    assert!(saved(&press(&mut app, "^s")).profile.allow_http);
}

#[test]
fn changes_are_not_lost_by_one_key() {
    let mut app = editing();
    fill(&mut app, 2, "large");
    press(&mut app, "\u{1b}");
    let text = screen(&mut app, 120, 36);
    assert!(text.contains("press esc again to discard them"), "{text}");
    assert!(!press(&mut app, "^q").contains(&Effect::Quit), "quitting asks as well");
    press(&mut app, "\u{1b}j\u{1b}\u{1b}");
    assert!(!screen(&mut app, 120, 36).contains("Profile work"));
}

#[test]
fn a_known_server_is_chosen_and_fills_in_the_form() {
    let mut app = app();
    press(&mut app, "^pprofile: add\n5");
    let text = screen(&mut app, 120, 36);
    for part in ["OpenRouter", "https://openrouter.ai/api/v1", "Ollama", "LiteLLM"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    press(&mut app, "openrouter\n");
    let text = screen(&mut app, 120, 36);
    assert!(text.contains("Add a profile") && text.contains("OPENROUTER_API_KEY"), "{text}");
    let edited = saved(&press(&mut app, "^s"));
    assert_eq!((edited.name.0.as_str(), edited.opened.exists()), ("openrouter", false));
    assert!(edited.profile.key == KeySource::Env("OPENROUTER_API_KEY".into()));
    let new = Shown { id: id("openrouter"), name: "openrouter".into(), ..Shown::default() };
    let change = ProfileChange::Edit(Box::new(edited));
    app.update(Event::ProfileChanged(change, Ok(vec![new])), Instant::now(), 0);
    assert_eq!(app.session().profile, id("openrouter"), "whoever adds a profile wants to use it");
}

#[test]
fn what_a_known_server_needs_is_said_at_its_row() {
    let mut app = app();
    press(&mut app, "^pprofile: add\n5azure\n");
    let text = screen(&mut app, 120, 36);
    assert!(text.contains("Replace RESOURCE in the base URL."), "{text}");
    assert!(text.contains("https://RESOURCE.openai.azure.com/openai/v1") && text.contains("AZURE_OPENAI_API_KEY"));
    press(&mut app, "\u{1b}");
    assert!(!screen(&mut app, 120, 36).contains("RESOURCE"), "nothing was entered: it closes at once");
}

#[test]
fn a_profile_whose_key_is_to_be_stored_asks_for_it_after_it_is_saved() {
    let mut app = editing();
    press(&mut app, "gjjj\n\n");
    let edited = saved(&press(&mut app, "^s"));
    assert!(edited.profile.key == KeySource::Kept("work".into()));
    let shown =
        Shown { id: id("work"), name: "work".into(), host: "https://work.example/v1".into(), ..Shown::default() };
    app.update(Event::ProfileChanged(ProfileChange::Edit(Box::new(edited)), Ok(vec![shown])), Instant::now(), 0);
    assert!(screen(&mut app, 120, 36).contains("A new key"));
    app.update(Event::Input(Input::Paste("sk-1".into())), Instant::now(), 0);
    assert!(matches!(&press(&mut app, "\n")[..], [Effect::ReplaceKey(_, key)] if key.profile == id("work")));
}

#[test]
fn a_form_takes_no_answer_to_a_form_that_was_closed() {
    for result in [Err("no space".to_owned()), Ok(vec![Shown { id: id("work"), ..Shown::default() }])] {
        let mut app = editing();
        fill(&mut app, 2, "large");
        let first = saved(&press(&mut app, "^s"));
        // The form, and the list under it.
        press(&mut app, "\u{1b}\u{1b}");
        edit(&mut app, opened());
        fill(&mut app, 2, "small");
        let second = saved(&press(&mut app, "^s"));
        let is_refused = result.is_err();
        app.update(Event::ProfileChanged(ProfileChange::Edit(Box::new(first)), result), Instant::now(), 0);
        assert_eq!(press(&mut app, "^s"), [], "it is sent once");
        let text = screen(&mut app, 120, 36);
        let form = text.split_once('\n').unwrap().1;
        assert!(form.contains("Profile work") && !form.contains("no space"), "{text}");
        assert!(!is_refused || text.contains("✕ no space"), "{text}");
        let work = vec![Shown { id: id("work"), ..Shown::default() }];
        app.update(Event::ProfileChanged(ProfileChange::Edit(Box::new(second)), Ok(work)), Instant::now(), 0);
        assert!(!screen(&mut app, 120, 36).contains("Profile work"));
    }
}

#[test]
fn a_base_url_is_not_changed_while_requests_run() {
    let mut app = app();
    press(&mut app, "^r");
    edit(&mut app, opened());
    fill(&mut app, 1, "https://office.example/v1");
    assert_eq!(press(&mut app, "^s"), []);
    let text = screen(&mut app, 120, 36);
    assert!(text.contains("requests to work are running; change its base URL when they are done"), "{text}");
    fill(&mut app, 1, "https://work.example/v1");
    fill(&mut app, 2, "large");
    assert_eq!(saved(&press(&mut app, "^s")).profile.model, "large", "the rest can be changed");
}

#[test]
fn what_is_listed_of_another_base_url_is_dropped_and_asked_for_anew() {
    let mut app = app();
    let jobs = |effects: &[Effect]| {
        effects.iter().find_map(|effect| match effect {
            Effect::Call(ticket, profile, Call::Jobs) if *profile == id("work") => Some(*ticket),
            _ => None,
        })
    };
    // What is kept of the tabs is loaded before the server is asked.
    let mut effects = press(&mut app, "6");
    let loads: Vec<_> = effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Load(ticket, Query::Setting(name)) => Some((*ticket, name.clone())),
            _ => None,
        })
        .collect();
    for (ticket, name) in loads {
        let nothing = Stored::Rows(Rows::Setting(name, None));
        effects.extend(app.update(Event::Stored(ticket, nothing), Instant::now(), 0));
    }
    let asked = jobs(&effects).unwrap();
    app.update(Event::Progress(asked, Progress::Closed(Ok(()))), Instant::now(), 0);
    for (url, anew) in [("https://work.example/v1", false), ("https://office.example/v1", true)] {
        edit(&mut app, opened());
        fill(&mut app, 1, url);
        fill(&mut app, 2, "large");
        let change = ProfileChange::Edit(Box::new(saved(&press(&mut app, "^s"))));
        let work = Shown { id: id("work"), name: "work".into(), host: url.into(), ..Shown::default() };
        let effects = app.update(Event::ProfileChanged(change, Ok(vec![work])), Instant::now(), 0);
        assert_eq!(jobs(&effects).is_some(), anew, "{url}: {effects:?}");
        press(&mut app, "\u{1b}");
        let models = effects.iter().find_map(|effect| match effect {
            Effect::Call(ticket, _, Call::Models) => Some(*ticket),
            _ => None,
        });
        app.update(Event::Progress(models.unwrap(), Progress::Closed(Ok(()))), Instant::now(), 0);
    }
}

#[test]
fn a_key_pasted_as_the_name_of_a_variable_is_neither_kept_nor_shown() {
    let mut app = editing();
    fill(&mut app, 4, "sk-pasted-1");
    let text = screen(&mut app, 120, 36);
    assert!(text.contains("the name of a variable; choose keys.toml to paste a key"), "{text}");
    assert!(!text.contains("sk-pasted") && text.contains("A_KEY"), "{text}");
    fill(&mut app, 4, "B_KEY2");
    assert!(saved(&press(&mut app, "^s")).profile.key == KeySource::Env("B_KEY2".into()));
}

#[test]
fn what_may_be_secret_is_shown_when_it_is_typed_in() {
    let file = "[profiles.work]\nbase_url = \"https://work.example/v1?token=hidden-1\"\nproxy = \"http://ann:hidden-2@proxy.example:3128\"\napi_key_cmd = \"vault --token hidden-3\"\n";
    let mut app = app();
    edit(&mut app, opened_from(file));
    let text = screen(&mut app, 120, 36);
    for part in ["https://work.example/v1?…", "http://…@proxy.example:3128", "vault …"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("hidden"), "{text}");
    press(&mut app, "gj\n");
    assert!(screen(&mut app, 120, 36).contains("token=hidden-1"), "it can be edited");
    press(&mut app, "\u{1b}");
    assert!(!screen(&mut app, 120, 36).contains("hidden"));
    fill(&mut app, 2, "large");
    let edited = saved(&press(&mut app, "^s"));
    assert!(edited.profile == Profile { model: "large".into(), ..opened_from(file).profile }, "all else stays");
}

#[test]
fn a_profile_that_paused_work_needs_is_neither_renamed_nor_moved() {
    let mut app = app();
    press(&mut app, "^x");
    assert_eq!(press(&mut app, "^pprofile: choose\nr"), []);
    let text = screen(&mut app, 120, 36);
    assert!(text.contains("Pad has paused work that continues with work;") && !text.contains("New name"), "{text}");
    press(&mut app, "\u{1b}");
    edit(&mut app, opened());
    fill(&mut app, 1, "https://office.example/v1");
    assert_eq!(press(&mut app, "^s"), []);
    let text = screen(&mut app, 120, 36);
    assert!(text.contains("Pad has paused work that continues with work; change its base"), "{text}");
}

#[test]
fn a_key_in_the_keyring_is_named_by_its_service() {
    let file = "[profiles.work]\nbase_url = \"https://work.example/v1\"\napi_key_keyring = \"ours\"\n";
    let mut app = app();
    edit(&mut app, opened_from(file));
    let text = screen(&mut app, 120, 36);
    assert!(text.contains("the system's keyring") && text.contains("ours"), "{text}");
    // From no key to the keyring again: what was typed is still there.
    press(&mut app, "gjjj\n\n\n\n");
    assert!(screen(&mut app, 120, 36).contains("keys.toml"), "{}", screen(&mut app, 120, 36));
    press(&mut app, "\n");
    fill(&mut app, 2, "large");
    let edited = saved(&press(&mut app, "^s"));
    assert!(edited.profile.key == opened_from(file).profile.key && edited.profile.model == "large");
}
