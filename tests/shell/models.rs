//! The page of models: what is known of each, favourites and hidden ones, defaults, prices; and the quick choice.

use std::time::Instant;

use benchtop::api::call::{Progress, Reply};
use benchtop::api::model::{Model, ModelDetails};
use benchtop::app::{App, Effect, Event};
use benchtop::component::StartupChoice;
use benchtop::record::{Query, Record, Rows, Stored};

use crate::desk::{self, closed, press, screen};

fn model(id: &str, owner: &str) -> Model {
    Model { id: id.into(), owned_by: Some(owner.into()), created: Some(1_700_000_000), ..Model::default() }
}

fn models() -> Vec<Model> {
    let details = ModelDetails {
        input_price: Some(150_000_000),
        output_price: Some(600_000_000),
        takes: vec!["text".into(), "image".into()],
        gives: vec!["text".into()],
        abilities: vec!["tools".into()],
        parameters: vec!["seed".into(), "top_k\u{1b}[2J".into()],
    };
    vec![
        Model { context: Some(128_000), output: Some(4096), details, ..model("gpt-mini", "acme") },
        model("gpt-large", "acme"),
        model("embed-1", "others"),
    ]
}

/// Creates a workbench with the server's models, with the page open.
fn opened() -> App {
    let mut app = desk::app();
    let effects = press(&mut app, "^pmodels: details\n");
    come(&mut app, &effects);
    app
}

fn come(app: &mut App, effects: &[Effect]) {
    let ticket = closed(effects);
    app.update(Event::Progress(ticket, Progress::Reply(Reply::Models(models()))), Instant::now(), 1_700_000_000_000);
    app.update(Event::Progress(ticket, Progress::Closed(Ok(()))), Instant::now(), 1_700_000_000_000);
}

fn kept(effects: &[Effect]) -> Option<(String, String)> {
    effects.iter().find_map(|effect| match effect {
        Effect::TrySave(_, Record::Setting(name, value)) => Some((name.clone(), value.raw().to_owned())),
        _ => None,
    })
}

/// Returns the ids in the list, top to bottom.
fn ids(app: &mut App) -> Vec<String> {
    let screen = screen(app, 120, 30);
    let lines = screen.lines().map(|line| line.trim_start_matches([' ', '│', '▌', '▸', '★', '▣', '>']));
    let id = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
    lines.map(id).filter(|id| models().iter().any(|model| model.id == *id)).collect()
}

#[test]
fn the_page_says_what_is_known_of_each_model_and_how() {
    let mut app = opened();
    let page = screen(&mut app, 160, 36);
    for words in [
        "Models of work",
        "128k",
        "$0.15",
        "$0.60",
        "acme",
        "14 Nov 2023",
        "Nov 2023",
        "128,000 tokens · from the list",
        "4,096 tokens · from the list",
        "text, image",
        "tools",
        "not counted until p saves it",
        "default of",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(!page.contains('\u{1b}'));
    for (width, height) in [(120, 36), (80, 24), (40, 12), (40, 10)] {
        assert!(screen(&mut app, width, height).contains("gpt-mini"), "{width}×{height}");
    }
    // Where there is no room for both, the details stand in place of the list.
    assert!(!screen(&mut app, 60, 14).contains("answers with"));
    press(&mut app, "\t");
    assert!(screen(&mut app, 60, 14).contains("longest answer") && !screen(&mut app, 60, 14).contains("gpt-large"));
    press(&mut app, "\u{1b}");
    assert!(screen(&mut app, 60, 14).contains("gpt-large"), "Esc leads back to the list");
}

#[test]
fn favourites_come_first_hidden_ones_are_found_by_the_filter_and_both_are_kept() {
    let mut app = opened();
    assert_eq!(ids(&mut app), ["gpt-mini", "gpt-large", "embed-1"]);
    let effects = press(&mut app, "/embed\nf");
    let (name, value) = kept(&effects).expect("it is kept");
    assert!(name == "models:work" && value.contains("embed-1"), "{name} {value}");
    press(&mut app, "\u{1b}");
    assert_eq!(ids(&mut app)[0], "embed-1");
    press(&mut app, "/large\nx\u{1b}");
    assert_eq!(ids(&mut app), ["embed-1", "gpt-mini"]);
    assert!(screen(&mut app, 120, 30).contains("1 hidden"));
    press(&mut app, "H");
    assert_eq!(ids(&mut app), ["embed-1", "gpt-mini", "gpt-large"]);
    press(&mut app, "H/large");
    assert_eq!(ids(&mut app), ["gpt-large"]);

    // The quick choice has the same order.
    press(&mut app, "\u{1b}\u{1b}^pmodel: choose\n");
    let picker = screen(&mut app, 120, 30);
    let place = |words: &str| picker.find(words);
    assert!(place("embed-1") < place("▸ gpt-mini") && picker.contains("★"), "{picker}");
    assert!(!picker.lines().any(|line| line.contains("│   gpt-large")), "{picker}");
    press(&mut app, "large\n");
    assert_eq!(app.session().model, "gpt-large");
}

#[test]
fn marks_are_read_at_the_start_and_a_setting_without_any_is_deleted() {
    let mut app = desk::app();
    let effects = app.update(Event::Started, Instant::now(), 0);
    let asked = |effect: &Effect| match effect {
        Effect::Load(ticket, Query::Settings(prefix)) if prefix == "models:" => Some(*ticket),
        _ => None,
    };
    let ticket = effects.iter().find_map(asked).expect("marks are looked up");
    // Until they have come, a change would overwrite them.
    let effects = press(&mut app, "^pmodels: details\n");
    come(&mut app, &effects);
    for key in ["f", "x"] {
        assert_eq!(kept(&press(&mut app, key)), None, "{key}");
        assert!(screen(&mut app, 120, 30).contains("are being read"), "{}", screen(&mut app, 120, 30));
    }
    press(&mut app, "\u{1b}");
    let rows = vec![("models:work".to_owned(), r#"{"favourites":["gpt-large"],"more":1}"#.into())];
    app.update(Event::Stored(ticket, Stored::Rows(Rows::Settings(rows))), Instant::now(), 0);
    press(&mut app, "^pmodels: details\n");
    assert_eq!(ids(&mut app), ["gpt-large", "gpt-mini", "embed-1"]);
    let effects = press(&mut app, "gf");
    assert_eq!(kept(&effects), Some(("models:work".into(), String::new())));
}

#[test]
fn a_model_is_used_or_made_the_default_of_another_tab() {
    let mut app = opened();
    press(&mut app, "/embed\nd");
    assert!(screen(&mut app, 120, 30).contains("Default of which tab?"));
    press(&mut app, "embed\n");
    let page = screen(&mut app, 120, 30);
    assert!(page.contains("embed-1 is the default of Embed"), "{page}");
    assert_eq!(app.session().model, "gpt-mini", "the tab in front keeps its own");
    press(&mut app, "\u{1b}/large\n\n");
    assert_eq!(app.session().model, "gpt-large");
    assert!(!screen(&mut app, 120, 30).contains("Models of"), "using one closes the page");
}

#[test]
fn a_missing_price_is_entered_counted_and_saved() {
    let mut app = opened();
    press(&mut app, "/large\np");
    assert!(screen(&mut app, 120, 30).contains("Price of gpt-large"));
    let effects = press(&mut app, "much\n");
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Remember(_))));
    assert!(screen(&mut app, 120, 30).contains("a price is one to three numbers"), "and the question is still open");
    let effects = press(&mut app, "^u2.5 10\n");
    let saved = effects.iter().find_map(|effect| match effect {
        Effect::Remember(StartupChoice::Price(profile, row)) => Some((profile.0.as_str(), row.clone())),
        _ => None,
    });
    let (profile, row) = saved.expect("it is saved");
    assert_eq!(
        (profile, row.model.as_str(), row.input, row.output),
        ("work", "gpt-large", 2_500_000_000, Some(10_000_000_000))
    );
    let page = screen(&mut app, 160, 36);
    assert!(page.contains("$2.50 in, $10 out per million"), "{page}");
    let price = app.session().price(&app.session().profile, &"gpt-large".into()).expect("it counts at once");
    assert_eq!(price.input, 2_500_000_000);
}

#[test]
fn the_local_service_is_free_and_its_prices_cannot_be_set() {
    let mut app = desk::app();
    press(&mut app, "^pprofile: local\n");
    press(&mut app, "^pmodels: details\n");
    assert!(screen(&mut app, 120, 30).contains("free · the server"));
    press(&mut app, "p");
    assert!(!screen(&mut app, 120, 30).contains("Price of"));
}

#[test]
fn the_quick_choice_opens_the_page_and_a_list_that_fails_says_why() {
    let mut app = desk::app();
    let effects = press(&mut app, "^pmodel: choose\n");
    come(&mut app, &effects);
    let picker = screen(&mut app, 120, 30);
    assert!(picker.lines().last().unwrap().contains("^O details"), "{picker}");
    press(&mut app, "large^o");
    let page = screen(&mut app, 120, 30);
    assert!(page.contains("Models of work") && page.contains("▌ gpt-large"), "{page}");
    let effects = press(&mut app, "R");
    let ticket = closed(&effects);
    let why = desk::failure(benchtop::api::call::FailureKind::Offline);
    app.update(Event::Progress(ticket, Progress::Closed(Err(why))), Instant::now(), 0);
    assert_eq!(ids(&mut app), ["gpt-mini", "gpt-large", "embed-1"], "the list that was there stays");
    assert!(screen(&mut app, 120, 30).contains("no connection"), "{}", screen(&mut app, 120, 30));
}

#[test]
fn a_list_that_fails_says_why_below_the_models_that_are_known_without_it() {
    let mut app = desk::app();
    let effects = press(&mut app, "^pmodels: details\n");
    let why = desk::failure(benchtop::api::call::FailureKind::Offline);
    app.update(Event::Progress(closed(&effects), Progress::Closed(Err(why))), Instant::now(), 0);
    for (width, height) in [(120, 30), (80, 24), (40, 12)] {
        let page = screen(&mut app, width, height);
        assert!(page.contains("gpt-mini") && page.contains("✕ no connection"), "{page}");
    }
}

#[test]
fn parameters_of_the_tab_in_front_are_kept_for_a_model_shown_and_forgotten() {
    let mut app = desk::app();
    let saved = |effects: &[Effect]| {
        effects.iter().find_map(|effect| match effect {
            Effect::Remember(StartupChoice::Params(profile, model, params)) => {
                Some((profile.0.clone(), model.raw().to_owned(), params.common.max_tokens))
            }
            _ => None,
        })
    };
    // A tab without parameters has none to keep.
    let effects = press(&mut app, "^pmodels: details\n");
    come(&mut app, &effects);
    assert_eq!(saved(&press(&mut app, "D")), None);
    press(&mut app, "\u{1b}2\u{1b}sjj\n^u99\n\u{1b}");
    press(&mut app, "^pmodels: details\n");
    assert!(!screen(&mut app, 160, 36).contains("max_tokens 99"));
    assert_eq!(saved(&press(&mut app, "X")), None, "nothing is kept yet");
    let effects = press(&mut app, "/large\nD");
    assert_eq!(saved(&effects), Some(("work".to_owned(), "gpt-large".to_owned(), Some(99))));
    for (width, height) in [(160, 36), (120, 36), (80, 24)] {
        let page = screen(&mut app, width, height);
        assert!(page.contains("defaults") && page.contains("max_tokens 99"), "{page}");
    }
    let profile = app.session().profile.clone();
    assert!(app.session().defaults(&profile, &"gpt-large".into()).is_some(), "they hold at once");
    assert_eq!(saved(&press(&mut app, "X")), Some(("work".to_owned(), "gpt-large".to_owned(), None)));
    assert!(app.session().defaults(&profile, &"gpt-large".into()).is_none());
    assert!(screen(&mut app, 160, 36).contains("use the server's defaults again"));
}

#[test]
fn the_palette_keeps_and_forgets_them_for_the_model_in_use() {
    let mut app = desk::app();
    press(&mut app, "^pparameters: keep");
    assert!(!screen(&mut app, 120, 30).contains("Parameters: keep as"), "this tab has none");
    press(&mut app, "\u{1b}2\u{1b}sjj\n^u99\n\u{1b}^pmodel: choose\n");
    press(&mut app, "davinci-x\n^pparameters: forget");
    assert!(screen(&mut app, 120, 30).contains("none are kept"), "{}", screen(&mut app, 120, 30));
    press(&mut app, "\u{1b}^pparameters: keep\n");
    assert!(
        screen(&mut app, 120, 30).contains("defaults of davinci-x: max_tokens 99"),
        "{}",
        screen(&mut app, 120, 30)
    );
    press(&mut app, "^pparameters: forget\n");
    assert!(screen(&mut app, 120, 30).contains("the server's defaults again"));
}

#[test]
fn ids_are_shown_in_full_before_anything_else() {
    let mut app = desk::app();
    let effects = press(&mut app, "^pmodels: details\n");
    let ids = ["text-similarity-babbage-001", "text-similarity-davinci-001"];
    let models = ids.map(|id| model(id, "acme")).to_vec();
    app.update(Event::Progress(closed(&effects), Progress::Reply(Reply::Models(models))), Instant::now(), 0);
    for (width, height) in [(120, 36), (80, 24), (40, 12)] {
        let page = screen(&mut app, width, height);
        assert!(ids.iter().all(|id| page.contains(id)), "{page}");
    }
    assert!(screen(&mut app, 160, 36).contains("owner"));
}

#[test]
fn the_prompt_for_a_price_has_an_example_and_a_sentence_in_full() {
    let mut app = opened();
    press(&mut app, "jp");
    let page = screen(&mut app, 40, 12);
    for part in ["e.g. 2.5 10 1.25", "Dollars per million tokens:", "cached input"] {
        assert!(page.contains(part), "{part}: {page}");
    }
}
