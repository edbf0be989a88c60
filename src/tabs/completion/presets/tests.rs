//! The list of presets under keys and on the screen.

use crossterm::event::KeyCode;

use super::*;
use crate::tabs::completion::lacking::Feature;
use crate::tabs::completion::picture::picture;

fn preset(id: i64, name: &str) -> Preset {
    Preset {
        id: Id(id),
        name: name.into(),
        prompt: format!("text of {name}").into(),
        caret: 4,
        model: "ada".into(),
        params: CompletionParams::default(),
        created_ms: 0,
    }
}

fn list() -> Presets {
    let mut presets = Presets::default();
    presets.fill(vec![preset(2, "Summarise"), preset(1, "ad copy"), preset(3, "日本語の要約")]);
    presets
}

fn press(presets: &mut Presets, keys: &str) -> Handled<Event> {
    let code = |char| match char {
        '\n' => KeyCode::Enter,
        '\u{1b}' => KeyCode::Esc,
        '\u{8}' => KeyCode::Backspace,
        char => KeyCode::Char(char),
    };
    keys.chars().map(|char| presets.handle(KeyEvent::from(code(char)))).last().unwrap()
}

fn drawn(presets: &mut Presets, width: u16, height: u16, focus: bool) -> String {
    presets.fit(Rect::new(0, 0, width, height), crate::ui::pane::Spacing::Lines);
    picture(width, height, |frame, theme| presets.draw(frame, frame.area(), theme, focus))
}

fn names(presets: &Presets) -> Vec<String> {
    let own = presets.list.rows().filter(|preset| !examples::is_example(preset.id));
    own.map(|preset| preset.name.line().into_owned()).collect()
}

#[test]
fn the_users_own_come_first_and_the_one_in_use_is_marked() {
    let mut presets = list();
    let Handled::Emit(Event::Load(loaded)) = press(&mut presets, "\n") else { panic!("not loaded") };
    assert_eq!(loaded.name, "ad copy");
    presets.set_loaded(loaded.id);
    press(&mut presets, "j");
    let expected = [
        " ad copy                  in use",
        "▌Summarise",
        " 日本語の要約",
        " Say this is a test      example",
        " Look at probabilities   example↓",
    ];
    assert_eq!(drawn(&mut presets, 34, 5, true), expected.join("\n"));
    presets.edited = true;
    let rows = drawn(&mut presets, 31, 3, false);
    assert_eq!(rows, " ad copy             (edited)\n Summarise\n 日本語の要約                ↓");
    // The drawer of a narrow screen, and a sliver.
    let rows = drawn(&mut presets, 40, 12, true);
    assert!(rows.contains(" Questions and answers         example"), "{rows}");
    for (width, height) in [(8, 1), (14, 2), (7, 3), (12, 0)] {
        drawn(&mut presets, width, height, true);
    }
}

#[test]
fn for_the_local_models_what_they_can_do_comes_first_and_the_rest_says_what_it_needs() {
    let mut presets = Presets::default();
    assert_eq!(presets.first().name, "Say this is a test");
    presets.suit(Suitability { local: true, ..Suitability::default() });
    assert_eq!(presets.first().name, "Look at probabilities");
    let rows = drawn(&mut presets, 40, 12, true);
    assert!(rows.starts_with("▌Look at probabilities           example"), "{rows}");
    assert!(rows.contains(" Say this is a test         larger model"), "{rows}");
    presets.suit(Suitability { lacking: vec![Feature::Logprobs], ..Suitability::default() });
    let rows = drawn(&mut presets, 40, 12, true);
    assert!(rows.starts_with("▌Say this is a test              example\n Fill a gap"), "{rows}");
    presets.suit(Suitability::default());
    assert_eq!(presets.first().name, "Say this is a test");
    // What is in use says it too.
    presets.set_loaded(presets.first().id);
    let said = "This example needs a larger model than\nthe local one.";
    assert!(!drawn(&mut presets, 40, 12, true).ends_with(said));
    presets.suit(Suitability { local: true, ..Suitability::default() });
    assert!(drawn(&mut presets, 40, 12, true).ends_with(said));
    presets.edited = true;
    assert!(!drawn(&mut presets, 40, 12, true).ends_with(said), "what becomes of it is not known");
}

#[test]
fn what_is_in_use_differs_by_text_settings_or_model() {
    let ada = preset(1, "a");
    let plain = CompletionParams::default();
    assert!(!differs(&ada, "text of a", &plain, &"ada".into()));
    assert!(differs(&ada, "text of a ", &plain, &"ada".into()));
    assert!(differs(&ada, "text of a", &plain, &"davinci".into()));
    assert!(differs(&ada, "text of a", &CompletionParams { echo: Some(true), ..plain.clone() }, &"ada".into()));
    let any = Preset { model: "".into(), ..ada };
    assert!(!differs(&any, "text of a", &plain, &"davinci".into()));
}

#[test]
fn saving_asks_for_a_name_and_before_it_replaces() {
    let mut presets = list();
    press(&mut presets, "SNew one");
    assert!(drawn(&mut presets, 30, 5, true).ends_with("Save as New one"));
    assert_eq!(press(&mut presets, "\n"), Handled::Emit(Event::Save("New one".into(), None)));
    presets.put(preset(9, "New one"));
    assert_eq!(names(&presets), ["ad copy", "New one", "Summarise", "日本語の要約"]);
    assert_eq!(presets.in_use().map(|preset| preset.id), Some(Id(9)));
    assert!(
        matches!(press(&mut presets, "\n"), Handled::Emit(Event::Load(found)) if found.id == Id(9)),
        "the cursor is there"
    );

    // The name of the one in use is offered; it is taken.
    assert_eq!(press(&mut presets, "S\n"), Handled::Consumed);
    let shown = drawn(&mut presets, 31, 6, true);
    assert!(shown.ends_with("“New one” exists: r replace · b\nkeep both · esc cancel"), "{shown}");
    assert_eq!(press(&mut presets, "r"), Handled::Emit(Event::Save("New one".into(), Some(Id(9)))));
    assert_eq!(
        press(&mut presets, "S\nxb"),
        Handled::Emit(Event::Save("New one (2)".into(), None)),
        "other keys answer nothing"
    );
    press(&mut presets, "S\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}AD COPY");
    assert_eq!(press(&mut presets, "\n\u{1b}"), Handled::Consumed, "neither");
    assert!(!presets.typing());
    press(&mut presets, "S\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}  ");
    assert_eq!(press(&mut presets, "\n"), Handled::Consumed);
    assert!(presets.typing() && drawn(&mut presets, 30, 5, true).contains("a preset needs a name"));
}

#[test]
fn a_preset_is_renamed_deleted_and_brought_back() {
    let mut presets = list();
    press(&mut presets, "e\u{8}\u{8}\u{8}\u{8}");
    presets.paste_text("vert");
    let Handled::Emit(Event::Keep(kept)) = press(&mut presets, "\n") else { panic!("not kept") };
    assert_eq!((kept.id, kept.name.line().as_ref()), (Id(1), "ad vert"));
    assert_eq!(press(&mut presets, "e\n"), Handled::Consumed, "the same name is no change to save");
    assert_eq!(press(&mut presets, "e\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}summarise\n"), Handled::Consumed);
    assert!(drawn(&mut presets, 40, 5, true).contains("another preset has this name"));
    press(&mut presets, "\u{1b}");
    assert_eq!(press(&mut presets, "x"), Handled::Emit(Event::Deleted(Id(1))));
    assert!(drawn(&mut presets, 40, 5, true).ends_with("deleted “ad vert” · u restores it"));
    assert_eq!(names(&presets), ["Summarise", "日本語の要約"]);
    let Handled::Emit(Event::Keep(kept)) = press(&mut presets, "u") else { panic!("not back") };
    assert_eq!((kept.id, names(&presets).len()), (Id(1), 3));
    assert_eq!(press(&mut presets, "u"), Handled::Consumed, "once");
}

#[test]
fn examples_stay_as_they_are() {
    let mut presets = Presets::default();
    let count = presets.list.len();
    for key in ["x", "e"] {
        assert_eq!(press(&mut presets, key), Handled::Consumed);
        assert!(drawn(&mut presets, 40, 5, true).contains("examples cannot be"));
    }
    assert_eq!((presets.list.len(), presets.typing()), (count, false));
    assert!(!presets.hints().iter().any(|hint| hint.key == "x"));
    let first = presets.first().id;
    assert!(matches!(press(&mut presets, "\n"), Handled::Emit(Event::Load(found)) if found.id == first));
    presets.set_loaded(first);
    press(&mut presets, "S");
    assert_eq!(
        press(&mut presets, "\n"),
        Handled::Emit(Event::Save("Say this is a test".into(), None)),
        "under its name, as one's own"
    );
    assert_eq!(press(&mut presets, "k"), Handled::Emit(Event::Above));
    assert_eq!(press(&mut presets, "\u{1b}"), Handled::Emit(Event::Close));
}

#[test]
fn letters_filter_a_long_list() {
    let mut presets = list();
    press(&mut presets, "/要約");
    assert_eq!(drawn(&mut presets, 30, 3, true), "▌日本語の要約\n\n/ 要約                 1 found");
    assert!(presets.find.is_shown());
    assert!(matches!(press(&mut presets, "\n\n"), Handled::Emit(Event::Load(found)) if found.id == Id(3)));
    assert!(drawn(&mut presets, 30, 3, true).ends_with("/ 要約                 1 found"));
    press(&mut presets, "\u{1b}");
    assert!(!presets.find.is_shown() && presets.list.len() > 10);
    assert_eq!(presets.list.selected_item().map(|preset| preset.id), Some(Id(3)), "the cursor stays on it");
    press(&mut presets, "/zzz");
    assert!(drawn(&mut presets, 30, 3, true).contains("no preset has this name"));
    assert_eq!(press(&mut presets, "\n\n"), Handled::Consumed);
}
