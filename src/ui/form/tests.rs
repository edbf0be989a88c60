use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::*;
use crate::ui::theme::Theme;

fn form() -> Form {
    let kind = Kind::Number { min: 0.0, max: 2.0, step: 0.1, whole: false };
    let field = Field {
        name: "temperature",
        label: "Temperature",
        kind,
        value: String::new(),
        default: "1",
        help: "Higher is more random.",
        optional: false,
    };
    Form::new(vec![field])
}

fn drawn(form: &mut Form, width: u16, height: u16) -> String {
    pictured(form, (width, height), true)
}

fn pictured(form: &mut Form, (width, height): (u16, u16), focus: bool) -> String {
    use crate::ui::theme::{Depth, Kind as Colours};
    use ratatui::{Terminal, backend::TestBackend};
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let theme = Theme::of(Colours::Mono, Depth::Indexed);
    form.arrange(ratatui::layout::Rect::new(0, 0, width, height), crate::ui::pane::Spacing::Lines, focus);
    terminal.draw(|frame| form.render(frame, frame.area(), &theme, focus)).unwrap();
    terminal.backend().to_string()
}

#[test]
fn what_was_pasted_is_drawn_made_safe() {
    let field = Field { value: "a\u{202e}b\u{1b}".into(), kind: Kind::Text, ..form().fields.remove(0) };
    let mut form = Form::new(vec![field]);
    form.refuse("temperature", "not “\u{202e}”".to_owned());
    let shown = drawn(&mut form, 60, 4);
    assert!(shown.contains("a⟨U+202E⟩b␛") && shown.contains("✕ not “⟨U+202E⟩”"), "{shown}");
}

#[test]
fn a_long_refusal_is_read_to_its_end() {
    let mut form = form();
    form.refuse("temperature", "temperature takes a number that is neither too small nor too large; this one is");
    for height in 3..12 {
        let shown = drawn(&mut form, 24, height);
        assert!(shown.contains("▌Temperature"), "{shown}");
        assert_eq!(shown.contains("this one is"), height > 4, "{shown}");
    }
}

#[test]
fn what_is_sent_carries_a_mark_and_what_is_not_is_faint() {
    let mut form = form();
    form.fields[0].optional = true;
    let toggle = Field { name: "echo", label: "Echo", kind: Kind::Toggle, default: "false", ..form.fields[0].clone() };
    form.fields.push(toggle);
    let rows = |form: &mut Form, width, focus| -> Vec<String> {
        let shown = pictured(form, (width, 5), focus);
        shown.lines().map(|line| line.trim_matches('"').to_owned()).collect()
    };
    let wide = rows(&mut form, 60, true);
    assert!(wide[0].starts_with("▌  Temperature default") && wide[1].starts_with("   Echo        no"), "{wide:?}");
    assert!(wide[4].contains("Server default: 1."), "{wide:?}");
    form.set("temperature", "1".to_owned());
    let side = rows(&mut form, 30, true);
    assert_eq!(side[..2], ["▌• Temperature               1", "   Echo                     no"]);
    let unfocused = rows(&mut form, 30, false);
    assert_eq!(
        [&unfocused[0], unfocused[4].trim_end()],
        [" • Temperature               1", " • sent with the request"]
    );
}

#[test]
fn a_refusal_can_be_taken_back() {
    let mut form = form();
    form.refuse("temperature", "no");
    form.clear_refusal();
    assert_eq!(form.error, None);
}

#[test]
fn a_number_is_typed_over_and_can_be_gone_on_with() {
    let typed = |keys: &[KeyCode]| {
        let mut form = form();
        form.set("temperature", "1.5".to_owned());
        form.key(KeyEvent::from(KeyCode::Enter));
        for key in keys {
            form.key(KeyEvent::from(*key));
        }
        form.key(KeyEvent::from(KeyCode::Enter))
    };
    let change = |text: &str| Event::Change("temperature", text.into());
    assert_eq!(typed(&[KeyCode::Char('0'), KeyCode::Char('.'), KeyCode::Char('7')]), change("0.7"));
    assert_eq!(typed(&[KeyCode::Backspace, KeyCode::Char('2')]), change("1.2"));
    assert_eq!(typed(&[]), change("1.5"));
}

#[test]
fn values_are_stepped_typed_checked_and_reset() {
    let mut form = form();
    assert_eq!(form.key(KeyEvent::from(KeyCode::Char('l'))), Event::Change("temperature", "1.1".into()));
    form.key(KeyEvent::from(KeyCode::Enter));
    for char in "2.5".chars() {
        form.key(KeyEvent::from(KeyCode::Char(char)));
    }
    assert_eq!(form.key(KeyEvent::from(KeyCode::Enter)), Event::None);
    assert_eq!(
        form.error.as_ref().map(Untrusted::line).as_deref(),
        Some("Temperature must be between 0 and 2, not 2.5")
    );
    assert_eq!(form.key(KeyEvent::from(KeyCode::Esc)), Event::None);
    assert_eq!(form.key(KeyEvent::from(KeyCode::Char('0'))), Event::Change("temperature", String::new()));
    assert_eq!(form.key(KeyEvent::new(KeyCode::Char('l'), KeyModifiers::CONTROL)), Event::Ignored);
    assert_eq!(form.key(KeyEvent::from(KeyCode::Esc)), Event::Close);
}

#[test]
fn rows_that_only_show_and_rows_chosen_elsewhere() {
    let mut form = form();
    form.fields.push(Field { name: "mode", label: "Mode", kind: Kind::Shown, ..form.fields[0].clone() });
    form.fields.push(Field { name: "model", label: "Model", kind: Kind::Choice, ..form.fields[0].clone() });
    form.select("mode");
    for code in [KeyCode::Enter, KeyCode::Char('0'), KeyCode::Char('l'), KeyCode::Delete, KeyCode::Char('i')] {
        assert_eq!(form.key(KeyEvent::from(code)), Event::None);
    }
    form.select("model");
    assert_eq!(form.key(KeyEvent::from(KeyCode::Char('h'))), Event::None);
    assert_eq!(form.key(KeyEvent::from(KeyCode::Enter)), Event::Ask("model"));
    assert_eq!(form.key(KeyEvent::from(KeyCode::Char('0'))), Event::Change("model", String::new()));
    assert!(!form.typing());
}

#[test]
fn a_long_text_is_written_elsewhere_or_typed_and_its_row_holds_a_summary() {
    let mut form = form();
    let schema = "{\n  \"type\": \"object\"\n}".to_owned();
    form.fields[0] = Field { kind: Kind::Long, value: schema.clone(), ..form.fields[0].clone() };
    assert_eq!(form.key(KeyEvent::from(KeyCode::Enter)), Event::Ask("temperature"));
    assert!(drawn(&mut form, 60, 4).contains("{␊  \"type\""));
    form.set_summaries(vec![("temperature", "a schema".to_owned())]);
    let shown = drawn(&mut form, 60, 4);
    assert!(shown.contains("Temperature   a schema") && !shown.contains("type"), "{shown}");
    form.key(KeyEvent::from(KeyCode::Char('i')));
    assert!(form.typing());
    assert_eq!(form.key(KeyEvent::from(KeyCode::Enter)), Event::Change("temperature", schema));
}

#[test]
fn a_refusal_selects_its_field_unless_another_is_typed() {
    let mut form = form();
    form.fields.push(Field { name: "seed", label: "Seed", kind: Kind::Text, ..form.fields[0].clone() });
    form.refuse("seed", "no");
    assert_eq!(form.selected(), Some("seed"));
    form.key(KeyEvent::from(KeyCode::Enter));
    form.refuse("temperature", "no");
    form.show("temperature", "2".into());
    assert_eq!((form.selected(), form.typing()), (Some("seed"), true), "what is typed stays where it belongs");
    form.lock(Some("not now"));
    assert!(!form.typing());
    assert_eq!(form.key(KeyEvent::from(KeyCode::Char('0'))), Event::None);
    assert_eq!(form.error.as_ref().map(Untrusted::line).as_deref(), Some("not now"));
    assert_eq!(form.key(KeyEvent::from(KeyCode::Up)), Event::None);
    assert_eq!(form.selected(), Some("temperature"), "one may still look around");
}

#[test]
fn what_is_typed_first_replaces_a_number_also_on_a_keyboard_whose_digits_need_shift() {
    for modifiers in [KeyModifiers::NONE, KeyModifiers::SHIFT] {
        let mut form = form();
        form.set("temperature", "1.5".into());
        form.key(KeyEvent::from(KeyCode::Enter));
        form.key(KeyEvent::new(KeyCode::Char('2'), modifiers));
        let event = form.key(KeyEvent::from(KeyCode::Enter));
        assert_eq!(event, Event::Change("temperature", "2".into()), "{modifiers:?}");
    }
}
