//! The settings pane under keys and on the screen.

use crossterm::event::KeyCode;

use super::*;
use crate::api::call::FailureKind;
use crate::record::ChatParams;
use crate::tabs::completion::picture::picture;

fn mock() -> CompletionParams {
    let common = ChatParams {
        temperature: Some(0.7),
        max_tokens: Some(128),
        n: Some(3),
        stop: vec!["\n\n".into()],
        logit_bias: [("1", -100.0), ("2", 5.0), ("3", 100.0)].map(|(id, bias)| (id.to_owned(), bias)).into(),
        ..ChatParams::default()
    };
    CompletionParams { common, logprobs: Some(5), best_of: Some(3), echo: Some(true) }
}

fn drawn(settings: &mut BufferSettings, width: u16, height: u16) -> String {
    picture(width, height, |frame, theme| settings.pane.form.render(frame, frame.area(), theme, true))
}

/// Gives a key to the pane, and sets what it asks for. A field whose text is refused asks for nothing.
fn handle(settings: &mut BufferSettings, key: KeyEvent) -> Handled<Event> {
    let handled = settings.pane.handle(key);
    let (pane, params) = settings.parts_mut();
    match &handled {
        Handled::Emit(Event::Set(name, text)) if !pane.set(params, name, text) => Handled::Consumed,
        _ => handled,
    }
}

fn press(settings: &mut BufferSettings, keys: &str) -> Handled<Event> {
    let code = |char| if char == '\n' { KeyCode::Enter } else { KeyCode::Char(char) };
    keys.chars().map(|char| handle(settings, KeyEvent::from(code(char)))).last().unwrap()
}

/// Returns whether keys change a setting.
fn changes(settings: &mut BufferSettings, keys: &str) -> bool {
    matches!(press(settings, keys), Handled::Emit(Event::Set(..)))
}

fn show_suffix(settings: &mut BufferSettings, tokens: u64, estimated: bool, words: &Untrusted) {
    let (pane, params) = settings.parts_mut();
    pane.show_suffix(params, tokens, estimated, words);
}

#[test]
fn the_pane_has_every_field_in_order() {
    let mut settings = BufferSettings::new(mock());
    assert_eq!(settings.pane.rows(), 19);
    settings.pane.show_model(&"davinci-日本語".into());
    show_suffix(&mut settings, 1042, true, &" and then\nit goes wrong\u{202e}".into());
    let expected = "\
▌  Model                  davinci-日本語
   Mode insert: ~1,042 tok after the ca…
 • Max tokens                        128
 • Temperature                       0.7
   Top p                         default
   Frequency penalty             default
   Presence penalty              default
!• Completions (n)                     3
!• Best of                             3
 • Log probabilities                   5
!• Echo                              yes
 • Stop                             \\n\\n
   Suffix  and then␊it goes wrong⟨U+202…
   Seed                             none
 • Logit bias                   3 tokens
   User                             none
 • Stream                             no
 The model that continues the text. ⏎
 chooses, 0 uses the profile's.";
    assert_eq!(drawn(&mut settings, 40, 19), expected);
    show_suffix(&mut settings, 0, false, &"".into());
    let shown = drawn(&mut settings, 30, 21);
    assert!(shown.contains("   Mode               complete\n"), "{shown}");
    assert!(shown.contains("   Suffix                 none\n"), "{shown}");
    for (width, height) in [(8, 3), (12, 5), (200, 4), (7, 2)] {
        drawn(&mut settings, width, height);
    }
}

#[test]
fn where_runs_cost_nothing_nothing_is_said_to_be_billed() {
    let mut settings = BufferSettings::new(mock());
    settings.pane.select("n");
    let priced = drawn(&mut settings, 60, 19);
    assert!(priced.contains("! 3 × 128 tokens: up to 384 are generated and billed"), "{priced}");
    let (pane, params) = settings.parts_mut();
    pane.set_free(params, true);
    let free = drawn(&mut settings, 60, 19);
    assert!(!free.contains("billed") && !free.contains("!• Completions"), "{free}");
}

#[test]
fn fields_are_stepped_typed_and_set_back() {
    let mut settings = BufferSettings::new(CompletionParams::default());
    settings.pane.select("best_of");
    assert!(changes(&mut settings, "l"));
    assert_eq!(settings.params().best_of, Some(2), "from one, which is the least");
    assert_eq!(press(&mut settings, "\n\u{8}"), Handled::Consumed);
    settings.pane.handle(KeyEvent::from(KeyCode::Esc));
    settings.pane.select("max_tokens");
    assert!(changes(&mut settings, "\n1e2\n"));
    assert_eq!(settings.params().common.max_tokens, Some(100), "as it was understood");
    assert!(drawn(&mut settings, 40, 19).contains("▌• Max tokens                        100\n"));
    settings.pane.select("logprobs");
    assert_eq!(press(&mut settings, "\n6\n"), Handled::Consumed);
    assert!(drawn(&mut settings, 40, 19).contains("✕ Log probabilities must be between"));
    settings.pane.handle(KeyEvent::from(KeyCode::Esc));
    settings.pane.select("echo");
    assert!(changes(&mut settings, "\n"));
    assert_eq!(settings.params().echo, Some(true));
    settings.pane.select("stop");
    assert_eq!(press(&mut settings, "\na|b|c|d|e\n"), Handled::Consumed);
    assert!(
        settings.pane.typing() && drawn(&mut settings, 60, 19).contains("✕ Stop takes at most 4 texts; these are 5")
    );
    settings.pane.handle(KeyEvent::from(KeyCode::Esc));
    for name in ["best_of", "max_tokens", "echo"] {
        settings.pane.select(name);
        assert!(changes(&mut settings, "0"));
    }
    assert_eq!(settings.params(), &CompletionParams::default());
}

#[test]
fn the_owner_is_asked_for_what_is_chosen_elsewhere() {
    let mut settings = BufferSettings::new(mock());
    assert_eq!(press(&mut settings, "\n"), Handled::Emit(Event::Model));
    assert_eq!(press(&mut settings, "0"), Handled::Emit(Event::SessionModel));
    assert_eq!(press(&mut settings, "j\n"), Handled::Consumed, "the mode is only shown");
    assert_eq!(press(&mut settings, "l0i"), Handled::Consumed);
    settings.pane.select("logit_bias");
    assert_eq!(press(&mut settings, "\n"), Handled::Emit(Event::Biases));
    let (pane, params) = settings.parts_mut();
    params.common.logit_bias = [("7".to_owned(), 1.0)].into();
    pane.show_biases(params);
    assert!(drawn(&mut settings, 40, 19).contains("▌• Logit bias                    1 token\n"));
    assert!(changes(&mut settings, "0"));
    assert!(settings.params().common.logit_bias.is_empty());
    assert_eq!(press(&mut settings, "G"), Handled::Consumed);
    assert_eq!(press(&mut settings, "j"), Handled::Emit(Event::Below));
    assert_eq!(press(&mut settings, "S"), Handled::Ignored);
}

#[test]
fn what_cannot_be_sent_is_said_at_its_field() {
    let mut settings = BufferSettings::new(CompletionParams { best_of: Some(2), ..mock() });
    let why = settings.check().unwrap_err();
    let shown = drawn(&mut settings, 60, 20);
    assert!(shown.contains("▌• Best of") && shown.contains("✕ Best of is 2, too few to return"), "{shown}");
    assert!(why.starts_with("Best of is 2, too few"));
    assert!(changes(&mut settings, "0"));
    assert_eq!(settings.check(), Ok(()));
    let mut failure = Failure::new(FailureKind::Refused, "400");
    failure.body = r#"{"error":{"message":"\u202e9 is greater than the maximum of 1 - 'temperature'"}}"#.into();
    assert!(settings.refused(&failure));
    let shown = drawn(&mut settings, 60, 20);
    assert!(
        shown.contains("▌• Temperature") && shown.contains("the server refuses temperature 0.7: ⟨U+202E⟩9"),
        "{shown}"
    );
    failure.body = "".into();
    assert!(!settings.refused(&failure));
}

#[test]
fn under_way_nothing_is_changed() {
    let mut settings = BufferSettings::new(mock());
    settings.pane.select("seed");
    press(&mut settings, "\n12");
    settings.pane.lock(true);
    assert!(!settings.pane.typing());
    for keys in ["l", "0", "\n", "i"] {
        assert_eq!(press(&mut settings, keys), Handled::Consumed);
        assert!(drawn(&mut settings, 60, 20).contains("✕ a run is under way"));
    }
    assert_eq!(settings.params(), &mock());
    settings.pane.lock(false);
    assert!(changes(&mut settings, "\n12\n"));
    assert_eq!(settings.params().common.seed, Some(12));
}

#[test]
fn it_is_told_in_one_line() {
    let mut params = mock();
    (params.best_of, params.logprobs, params.echo) = (None, None, None);
    let told = summary(&"davinci".into(), &params);
    assert_eq!(told, "davinci · temp 0.7 · n 3 · max 128 · stop \"\\n\\n\"");
    assert_eq!(summary(&"".into(), &CompletionParams::default()), "server defaults");
    assert_eq!(brief(&CompletionParams::default()), "");
    assert_eq!(brief(&mock()), "temp 0.7 · n 3 · max 128 · best of 3 · logprobs 5 · echo");
    params.common.stop = vec!["\u{1b}[2J\"".into()];
    assert!(summary(&"a\u{202e}".into(), &params).ends_with("stop \"␛[2J\\\"\""));
}

#[test]
fn the_footer_names_keys_that_the_form_takes() {
    for field in BufferSettings::new(mock()).pane.form.fields {
        let mut settings = BufferSettings::new(mock());
        settings.pane.select(field.name);
        let hints = settings.pane.hints();
        for key in hints.iter().flat_map(|hint| hint.key.split(' ')) {
            let mut settings = settings.clone();
            let handled = press(&mut settings, if key == "⏎" { "\n" } else { key });
            assert_ne!(handled, Handled::Ignored, "{key} at {}", field.name);
        }
    }
}
