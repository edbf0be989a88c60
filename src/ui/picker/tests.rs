use crossterm::event::{KeyCode, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Modifier;

use super::*;
use crate::ui::theme::{Depth, Theme};

fn item(label: &str, disabled: bool) -> Item<String> {
    let item = Item::new(label.to_owned(), label, "");
    if disabled { item.disabled("needs two texts") } else { item }
}

fn press(picker: &mut Picker<String>, code: KeyCode) -> Picked<String> {
    picker.key(&KeyEvent::new(code, KeyModifiers::NONE))
}

/// Returns the screen with the picker on it.
fn shown(picker: &Picker<String>, (width, height): (u16, u16)) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let theme = Theme::of(Kind::Dark, Depth::True);
    terminal.draw(|frame| picker.render(frame, frame.area(), &theme)).unwrap();
    terminal.backend().to_string()
}

#[test]
fn letters_find_and_enter_chooses() {
    let mut picker =
        Picker::new("Commands", vec![item("Compare models", true), item("Go to Moderate", false), item("Quit", false)]);
    assert_eq!(picker.selected_item().unwrap().label(), "Go to Moderate", "disabled ones come last");
    for c in "mod".chars() {
        press(&mut picker, KeyCode::Char(c));
    }
    assert_eq!((picker.found.len(), picker.items.len()), (2, 3));
    assert_eq!(press(&mut picker, KeyCode::Down), Picked::Open);
    assert_eq!(press(&mut picker, KeyCode::Enter), Picked::Open, "a disabled one is not chosen");
    press(&mut picker, KeyCode::Up);
    assert_eq!(press(&mut picker, KeyCode::Enter), Picked::Chosen("Go to Moderate".into()));
}

#[test]
fn letters_that_stand_apart_are_found_only_where_no_word_fits() {
    let mut picker = Picker::new("Commands", vec![item("Edit the message", false), item("Theme: dark", false)]);
    let found = |picker: &Picker<String>| -> Vec<String> {
        picker.found.iter().map(|at| picker.items[*at].label.clone()).collect()
    };
    picker.paste("theme");
    assert_eq!(found(&picker), ["Theme: dark"]);
    let mut picker = Picker::new("Models", vec![item("gpt-4o-mini", false)]);
    picker.paste("gptmini");
    assert_eq!(found(&picker), ["gpt-4o-mini"]);
}

#[test]
fn a_list_says_how_much_is_below_and_notes_stand_where_it_would_be() {
    let items: Vec<_> = (0..30).map(|n| item(&format!("item {n}"), false)).collect();
    let mut picker = Picker::new("Models", items);
    assert!(shown(&picker, (60, 12)).contains("↓ 21 more"), "{}", shown(&picker, (60, 12)));
    picker.paste("item 29");
    assert!(!shown(&picker, (60, 12)).contains("more"));
    let mut empty: Picker<String> = Picker::new("Models", Vec::new());
    empty.set_notes(vec![Note::failure("nothing is listening at http://127.0.0.1:9"), Note::hint("Type a name.")]);
    for size in [(40, 10), (80, 22), (120, 34)] {
        let screen = shown(&empty, size);
        let lines: Vec<&str> = screen.lines().map(|line| line.trim_matches(['"', ' '])).collect();
        let query = lines.iter().position(|line| *line == ">").unwrap();
        assert!(lines[query + 1].is_empty() && lines[query + 2].starts_with("✕ nothing"), "{screen}");
        assert!(screen.contains("Type a name."), "{screen}");
    }
}

#[test]
fn texts_from_outside_are_made_safe() {
    let item = Item::new((), "gpt\u{1b}[2J\u{202e}x", "host\n").disabled("why\u{7}");
    let whole = format!("{}{}", item.label, item.detail);
    assert!(!whole.contains(['\u{1b}', '\u{202e}', '\u{7}', '\n']), "{whole:?}");
}

#[test]
fn nothing_found_is_no_choice() {
    let mut picker = Picker::new("Models", vec![item("a", false)]);
    press(&mut picker, KeyCode::Char('z'));
    for code in [KeyCode::Up, KeyCode::Down, KeyCode::PageDown, KeyCode::End, KeyCode::Enter] {
        assert_eq!(press(&mut picker, code), Picked::Open);
    }
    assert_eq!(press(&mut picker, KeyCode::Esc), Picked::Closed);
}

#[test]
fn the_whole_reason_why_an_entry_cannot_be_chosen_is_said_and_what_was_typed_stands_out() {
    let long = "undo: bring back what was trashed, deleted or edited last";
    let items = vec![item("quit", false), Item::new(String::new(), long, "").disabled("there is nothing to undo")];
    let mut picker = Picker::new("Commands", items);
    picker.paste("delete");
    let theme = Theme::of(Kind::Dark, Depth::True);
    for (width, height) in [(40, 12), (80, 22), (120, 34)] {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| picker.render(frame, frame.area(), &theme)).unwrap();
        let screen = terminal.backend().to_string();
        assert!(screen.contains("— there is nothing to undo"), "{screen}");
    }
    let line = picker.row(0, 90, None, &theme);
    let marked = line.spans.iter().find(|span| span.content == "delete").unwrap();
    assert!(marked.style.add_modifier.contains(Modifier::UNDERLINED));
}

#[test]
fn a_page_key_moves_by_the_rows_of_the_list() {
    let items: Vec<_> = (0..40).map(|n| item(&format!("item {n}"), false)).collect();
    let mut picker = Picker::new("Models", items);
    for (height, rows) in [(12, 9), (34, 16)] {
        picker.arrange(Rect::new(0, 0, 80, height), Kind::Mono);
        assert_eq!(picker.rows, rows, "{height}");
        press(&mut picker, KeyCode::PageDown);
        assert_eq!(picker.cursor.selected, rows - 1, "{height}");
        press(&mut picker, KeyCode::PageUp);
        assert_eq!(picker.cursor.selected, 0, "{height}");
    }
}

#[test]
fn on_a_low_screen_the_list_takes_the_rows_until_an_entry_has_a_reason_to_show() {
    let mut items: Vec<_> = (0..20).map(|n| item(&format!("item {n}"), false)).collect();
    items.push(Item::new(String::new(), "undo", "").disabled("a reason that takes two rows at this width"));
    let mut picker = Picker::new("Commands", items);
    let entries = |picker: &Picker<String>| {
        let screen = shown(picker, (40, 10));
        (screen.matches("item ").count(), screen.contains("this width"))
    };
    assert_eq!(entries(&picker), (7, false), "all rows but the border and what is typed");
    press(&mut picker, KeyCode::Up);
    assert_eq!(entries(&picker), (4, true));
}

#[test]
fn a_text_that_matches_nothing_is_taken_only_where_that_is_accepted() {
    let items = || vec![item("gpt-4", false), item("dall-e", true)];
    for (text, expected) in [("my-model", "my-model"), ("dall-e", "dall-e")] {
        let mut picker = Picker::new("Models", items());
        picker.paste(text);
        assert_eq!(press(&mut picker, KeyCode::Enter), Picked::Open);
        let mut picker = Picker::new("Models", items()).accepting_typed();
        picker.paste(text);
        assert_eq!(press(&mut picker, KeyCode::Enter), Picked::Typed(expected.into()));
    }
    let mut picker = Picker::new("Models", vec![item("old", false).hidden()]).accepting_typed();
    assert!(shown(&picker, (60, 12)).contains("type a name: ⏎ uses it as typed"), "{}", shown(&picker, (60, 12)));
    picker.paste("my-model");
    let screen = shown(&picker, (60, 12));
    assert!(screen.contains("not in the list: ⏎ uses “my-model” as typed"), "{screen}");
    let mut picker = Picker::new("Models", items()).accepting_typed();
    picker.paste("gpt");
    assert_eq!(press(&mut picker, KeyCode::Enter), Picked::Chosen("gpt-4".into()));
}

#[test]
fn no_rows_are_blank_below_a_list_until_a_reason_is_shown() {
    let mut items: Vec<_> = (0..30).map(|n| item(&format!("item {n}"), false)).collect();
    items.push(Item::new(String::new(), "compare", "").disabled("needs two texts ".repeat(12)));
    let mut picker = Picker::new("Commands", items);
    let rows = |picker: &Picker<String>| {
        let screen = shown(picker, (120, 34));
        screen.lines().filter(|line| line.contains("item ")).count()
    };
    let before = rows(&picker);
    assert_eq!(before, 16, "{}", shown(&picker, (120, 34)));
    press(&mut picker, KeyCode::Up);
    assert!(shown(&picker, (120, 34)).contains("needs two texts needs"));
    assert!(rows(&picker) < before);
}
