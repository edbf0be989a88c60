//! The help page is searched, and says where in it one is.

use benchtop::app::{App, Effect};
use crossterm::event::{KeyCode, KeyModifiers};

use crate::desk::{app, key, lines, press, screen};
use crate::real::{Real, real};

#[test]
fn help_is_searched_by_typing() {
    let mut real = real(100, 30);
    real.press("\u{1b}?");
    let all = real.screen();
    assert!(all.contains("next message") && all.contains("/ search  esc close"), "{all}");
    real.press("/side by");
    let found = real.screen();
    assert!(found.contains("/ side by") && found.contains("versions side by side"), "{found}");
    assert!(found.contains("Answers") && !found.contains("next message"), "headings stay: {found}");
    assert!(real.footer().contains("esc show all"), "{}", real.footer());
    real.press("zzz");
    assert!(real.screen().contains("nothing matches"));
    // Letters that scroll or close elsewhere are text here; Esc shows all again, then closes.
    real.press("q?jk");
    assert!(real.screen().contains("side byzzzq?jk"), "{}", real.screen());
    real.press("\u{1b}");
    assert_eq!(real.screen(), all);
    real.press("\u{1b}");
    assert!(!real.screen().contains("/ search"));
}

#[test]
fn a_slash_before_the_words_does_not_count() {
    let mut real = real(100, 30);
    real.press("\u{1b}?");
    real.press("//side by");
    let found = real.screen();
    assert!(found.contains("/ /side by") && found.contains("versions side by side"), "{found}");
    assert!(!found.contains("next message"), "{found}");
    real.press("\u{1b}//zzz");
    assert!(real.screen().contains("nothing matches"), "{}", real.screen());
}

#[test]
fn help_says_where_in_it_one_is() {
    let mut real = real(80, 24);
    real.press("\u{1b}?");
    let place = |real: &mut Real| {
        let top = real.lines().into_iter().find(|line| line.contains("─ Help")).unwrap();
        top.split_whitespace().skip_while(|word| !word.contains('–')).take(4).collect::<Vec<_>>().join(" ")
    };
    let first = place(&mut real);
    assert!(first.starts_with("1–20 of ") && first.ends_with('↓'), "{first}");
    let all: usize = first.split(' ').nth(2).unwrap().parse().unwrap();
    real.code(KeyCode::PageDown);
    assert!(place(&mut real).starts_with("20–39 of "), "{}", place(&mut real));
    real.press("G");
    assert!(place(&mut real).starts_with(&format!("{}–{all} of {all} ─", all - 19)), "{}", place(&mut real));
}

/// Returns whether the help has the heading of the tab.
fn lists_keys_of_tab(screen: &str) -> bool {
    screen.lines().flat_map(|line| line.split("  ")).any(|part| part.trim_matches(['│', ' ']) == "Pad")
}

/// Opens the help over what is in front, checks that it has these words, and closes it by the same key.
fn over(app: &mut App, words: &[&str]) {
    let before = screen(app, 140, 50);
    assert!(lines(app, 140, 50)[49].contains("F1 help  esc "), "{before}");
    for shown in [true, false] {
        app.update(key(KeyCode::F(1), KeyModifiers::NONE), std::time::Instant::now(), 0);
        let now = screen(app, 140, 50);
        if shown {
            assert!(words.iter().all(|words| now.contains(words)), "{words:?}: {now}");
            assert!(!lists_keys_of_tab(&now), "they do nothing there: {now}");
        } else {
            assert_eq!(now, before);
        }
    }
}

#[test]
fn over_a_dialog_the_help_lists_the_keys_of_the_dialog() {
    let mut app = app();
    app.update(key(KeyCode::F(1), KeyModifiers::NONE), std::time::Instant::now(), 0);
    let alone = screen(&mut app, 140, 50);
    assert!(lists_keys_of_tab(&alone), "{alone}");
    press(&mut app, "\u{1b}^p");
    over(&mut app, &["This dialog", "a page up, down", "run", "Everywhere"]);
    press(&mut app, "\u{1b}^pmodel: choose\n");
    over(&mut app, &["This dialog", "details of the entries", "use what is typed"]);
    press(&mut app, "\u{1b}^pprofile: choose\n");
    over(&mut app, &["Profiles", "rename"]);
    press(&mut app, "\u{1b}^pprofile: add\n");
    over(&mut app, &["This dialog", "Server without a key"]);
    press(&mut app, "4");
    over(&mut app, &["field before", "save and use", "back, or close"]);
    press(&mut app, "^c^pprofile: new key\n");
    over(&mut app, &["save and use", "close without saving"]);
    press(&mut app, "\u{1b}^xq");
    over(&mut app, &["This dialog", "to the other answer", "y"]);
    // The question that is open is not asked twice.
    app.update(key(KeyCode::F(1), KeyModifiers::NONE), std::time::Instant::now(), 0);
    assert_eq!(press(&mut app, "^q"), [Effect::Quit]);
}

#[test]
fn over_a_dialog_of_a_tab_the_help_lists_its_keys_before_those_of_the_tab() {
    let mut real = real(100, 60);
    real.press("\u{1b}p");
    assert!(real.screen().contains("System prompt"), "{}", real.screen());
    real.code(KeyCode::F(1));
    let help = real.screen();
    let at = |words: &str| help.find(words).unwrap_or_else(|| panic!("{words}: {help}"));
    assert!(at("This dialog") < at("show a pasted text in full") && at("This dialog") < at("Transcript"), "{help}");
    real.code(KeyCode::F(1));
    assert!(real.screen().contains("System prompt") && !real.screen().contains("This dialog"), "{}", real.screen());
}

#[test]
fn over_a_find_bar_the_help_lists_its_keys_and_none_of_the_tab() {
    let mut real = real(140, 50);
    real.ask("hello there");
    let mut has = |find: &str, words: &str| {
        real.press(find);
        real.code(KeyCode::F(1));
        real.press(&format!("/{words}"));
        let nothing = real.screen().contains("nothing matches");
        real.press("\u{1b}\u{1b}");
        !nothing
    };
    for (tab, find, words) in [
        ("1", "/", "show a pasted text"),
        ("2", "P/", "save prompt and settings"),
        ("4", "/", "find a text"),
        ("5", "/", "filter by words in the name"),
        ("6", "/", "filter jobs"),
    ] {
        let tab = format!("\u{1b}\u{1b}{tab}");
        assert!(has(&tab, words), "{words} is said without a find bar");
        assert!(has(find, "remove the text") && !has("", words), "{words} is not said over a find bar");
        assert!(has("", "repaint"), "keys of the shell work");
        has("\u{1b}", "");
    }
}

#[test]
fn the_keys_in_use_come_first_and_those_of_other_pages_after_one_heading() {
    let mut real = real(120, 200);
    real.press("\u{1b}3?");
    let help = real.screen();
    let at = |words: &str| help.find(words).unwrap_or_else(|| panic!("{words}: {help}"));
    assert!(at("Check") < at("Elsewhere in this tab") && at("Thresholds") < at("Elsewhere in this tab"), "{help}");
    for other in ["Sentence by sentence", "A conversation", "A text being written", "File of texts"] {
        assert!(at("Elsewhere in this tab") < at(other) && at(other) < at("Everywhere"), "{other}: {help}");
    }
    let last: Vec<&str> = help[at("Everywhere")..].lines().skip(1).take(2).collect();
    assert!(last[0].contains("commands") && last[0].matches("   ").count() >= 3, "several keys in a line: {help}");
    real.press("/conversation");
    assert!(real.screen().contains("Elsewhere in this tab"), "{}", real.screen());
    real.press("\u{1b}/repaint");
    let found = real.screen();
    assert!(!found.contains("Elsewhere in this tab") && found.contains("^L repaint"), "{found}");
}
