//! Parameters that a conversation begins with: those kept for the model in use, as long as the user has set nothing
//! else.

use benchtop::component::{Effect, Session};
use benchtop::record::{ChatParams, CompletionParams, ModelParams};
use benchtop::settings::ProfileId;

use crate::desk::{Desk, Disk, call};

impl Desk {
    /// Starts with these defaults of a profile's models, and with one of them in use.
    pub fn with_defaults(profile: &str, model: &str, models: ModelParams) -> Self {
        let profile = ProfileId(profile.to_owned());
        let defaults = [(profile.clone(), models)].into();
        let session = Session { defaults, profile, model: model.into(), area: (80, 22), ..Session::default() };
        Self::on(&Disk::new(), session)
    }
}

/// A desk whose models `warm` and `cold` have defaults.
fn desk() -> Desk {
    let kept = |temperature, top_k| {
        let common = ChatParams { temperature: Some(temperature), top_k, ..ChatParams::default() };
        CompletionParams { common, logprobs: Some(5), ..CompletionParams::default() }
    };
    let models: ModelParams = [("warm".to_owned(), kept(1.5, None)), ("cold".to_owned(), kept(0.25, Some(40)))].into();
    Desk::with_defaults("work", "warm", models)
}

/// Writes and sends; the temperature and `top_k` of the request.
fn asked(desk: &mut Desk, prompt: &str) -> (Option<f64>, Option<u64>) {
    let sent = [desk.press(prompt), desk.press("\n")].concat();
    let (_, request) = call(&sent).expect("it is sent");
    assert_eq!(request.extra.get("top_logprobs"), None, "what only Complete has is not sent");
    (request.temperature, request.extra.get("top_k").and_then(serde_json::Value::as_u64))
}

#[test]
fn a_new_conversation_begins_with_the_defaults_of_its_model() {
    let mut desk = desk();
    desk.press("\u{1b}t");
    let shown = desk.view(120, 34);
    assert!(shown.lines().any(|line| line.contains("Temperature") && line.contains("1.5")), "{shown}");
    desk.press("\u{1b}i");
    // Another model before the first message: its defaults.
    desk.app.session.model = "cold".into();
    assert_eq!(asked(&mut desk, "hi"), (Some(0.25), Some(40)));
    // Once something was said, the conversation keeps what it has.
    desk.app.session.model = "warm".into();
    desk.press("\u{1b}\u{1b}n");
    assert_eq!(asked(&mut desk, "another"), (Some(1.5), None));
    desk.app.session.model = "plain".into();
    desk.press("\u{1b}\u{1b}n");
    assert_eq!(asked(&mut desk, "a third"), (None, None));
}

#[test]
fn what_the_user_sets_stays_whatever_the_model_is() {
    let mut desk = desk();
    desk.press("\u{1b}tj\n0.5\n\u{1b}i");
    desk.app.session.model = "cold".into();
    desk.press("\u{1b}t");
    let shown = desk.view(120, 34);
    assert!(shown.lines().any(|line| line.contains("Temperature") && line.contains("1.5")), "{shown}");
    desk.press("\u{1b}i");
    assert_eq!(asked(&mut desk, "hi"), (Some(1.5), None));
}

#[test]
fn a_conversation_in_which_nothing_was_said_is_not_saved_for_its_defaults() {
    let mut desk = desk();
    desk.press("\u{1b}n");
    desk.restart();
    assert_eq!(desk.disk.conversations().len(), 0);
    // A draft is saved without them, and gets those of the model that is in use then.
    desk.press("a draft");
    desk.restart();
    let saved = desk.disk.conversations();
    assert_eq!((saved.len(), saved[0].params.clone()), (1, ChatParams::default()));
    desk.app.session.model = "cold".into();
    let sent = desk.press("\n");
    assert_eq!(call(&sent).expect("the draft is sent").1.temperature, Some(0.25));
}

#[test]
fn one_key_keeps_the_parameters() {
    let mut desk = desk();
    let effects = desk.press("\u{1b}tD");
    assert!(effects.contains(&Effect::KeepParams), "{effects:?}");
    // While a value is typed it is a letter.
    let effects = desk.press("jjjj\nD");
    assert!(!effects.contains(&Effect::KeepParams), "{effects:?}");
}
