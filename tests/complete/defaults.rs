//! The settings to begin with: those kept for the model in use, as long as the user has set nothing else.

use benchtop::app::Effect;
use benchtop::component::StartupChoice;

use crate::desk::{Desk, MODEL};

/// Uses another model.
fn choose(desk: &mut Desk, model: &str) {
    desk.press("\u{1b}^p");
    desk.press("model: choose\n");
    desk.press(model);
    desk.press("\n");
}

/// Keeps the settings for the model in use; what is saved: the model and its temperature.
fn keep(desk: &mut Desk) -> Option<(String, Option<f64>)> {
    let effects = desk.press("\u{1b}sD");
    desk.press("\u{1b}");
    effects.into_iter().find_map(|effect| match effect {
        Effect::Remember(StartupChoice::Params(_, model, params)) => {
            Some((model.raw().to_owned(), params.common.temperature))
        }
        _ => None,
    })
}

#[test]
fn settings_that_nobody_changed_are_those_of_the_model() {
    let mut desk = Desk::new();
    desk.press("a text");
    desk.set("Temperature", "0.5");
    assert_eq!(keep(&mut desk), Some((MODEL.to_owned(), Some(0.5))));
    desk.shows("defaults of text-davinci-003: temperature 0.5");
    choose(&mut desk, "other-1");
    let request = desk.curl();
    assert_eq!((request.model.as_str(), request.temperature), ("other-1", None), "it has no defaults");
    choose(&mut desk, MODEL);
    assert_eq!(desk.curl().temperature, Some(0.5));
    // What is set by hand stays, whatever the model is.
    desk.set("Top p", "0.5");
    choose(&mut desk, "other-1");
    let request = desk.curl();
    assert_eq!((request.temperature, request.top_p), (Some(0.5), Some(0.5)));
}

#[test]
fn settings_that_were_never_changed_follow_the_config_file_at_the_next_start() {
    let mut desk = Desk::new();
    desk.press("a text");
    desk.set("Temperature", "0.5");
    keep(&mut desk);
    // The defaults are in no config file here: they are as if somebody had deleted them.
    let mut desk = desk.again();
    desk.press("\u{1b}");
    assert_eq!(desk.curl().temperature, None);
    desk.set("Temperature", "0.75");
    let mut desk = desk.again();
    desk.press("\u{1b}");
    assert_eq!(desk.curl().temperature, Some(0.75), "what was set by hand is still set");
}
