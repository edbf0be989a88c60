//! What the palette finds first.

use crate::real::{Real, real, real_with};

/// Returns the entries shown for these words, best first.
fn found(real: &mut Real, words: &str) -> Vec<String> {
    real.press(&format!("^p{words}"));
    let lines = real.lines();
    real.press("\u{1b}");
    let from = lines.iter().position(|line| line.contains("│ > ")).expect("the palette is open");
    let column = lines[from].split("│ > ").next().unwrap().chars().count();
    let row = |line: &String| -> String { line.chars().skip(column + 1).take_while(|c| *c != '│').collect() };
    let rows = lines[from + 2..].iter().take_while(|line| line.chars().nth(column) == Some('│')).map(row);
    rows.map(|row| row.trim_start_matches([' ', '▸']).to_owned()).filter(|row| !row.is_empty()).collect()
}

#[test]
fn a_word_finds_what_it_begins_and_what_is_here_first() {
    let mut real = real_with(120, 36, |session| session.models = vec!["gpt-4".into(), "text-davinci-003".into()]);
    for (tab, words, first) in [
        ("1", "model", "Model: choose…"),
        ("2", "model", "Model: choose…"),
        ("1", "switch", "Profile: choose…"),
        ("1", "config", "Config file"),
        ("1", "ledger", "Cost today"),
        ("1", "usage", "Cost today"),
        ("1", "export", "Chat: all marked answers"),
        ("3", "compare", "Complete: compare"),
        ("1", "upload", "Files: upload"),
        ("1", "quit", "Quit"),
        ("1", "exit", "Quit"),
        ("1", "help", "Help"),
        ("1", "shortcuts", "Help"),
        ("1", "settings", "Chat: parameters"),
        ("3", "settings", "Config file"),
        ("1", "switch model", "Model: choose…"),
        ("1", "switch gpt", "Model: gpt-4"),
        ("1", "switch tab", "Go to Complete"),
        ("1", "thinking", "Chat: show or hide the reasoning"),
        ("1", "top_p", "Chat: parameters"),
        ("1", "clear", "Chat: new conversation"),
        ("1", "light", "Theme: light"),
        ("1", "login", "Profile: new key"),
        ("1", "attach", "Chat: attach a file to the message"),
    ] {
        real.press("\u{1b}\u{1b}");
        real.press(tab);
        let found = found(&mut real, words);
        assert!(found[0].starts_with(first), "{words} in tab {tab}: {found:#?}");
    }
}

#[test]
fn what_was_used_last_comes_first_among_what_fits_as_well() {
    let mut real = real(120, 36);
    real.press("\u{1b}");
    assert!(found(&mut real, "theme")[0].starts_with("Theme: choose…"));
    real.press("^ptheme: ansi\n");
    assert!(found(&mut real, "theme")[0].starts_with("Theme: ansi"));
    assert!(found(&mut real, "")[0].starts_with("Theme: ansi"));
}

#[test]
fn the_config_file_is_named_and_its_path_copied() {
    let mut real = real_with(100, 30, |session| session.found.config = "/home/you/\u{1b}config.toml".into());
    real.press("\u{1b}^p");
    real.news();
    real.press("config\n");
    assert_eq!(real.copied(), ["/home/you/\u{1b}config.toml"]);
    assert!(real.screen().contains("the config file is /home/you/␛config.toml"), "{}", real.screen());
}

#[test]
fn what_is_in_front_comes_before_what_fits_better_elsewhere() {
    let mut real = real(120, 36);
    real.ask("hello there");
    real.press("\u{1b}\u{1b}");
    for (tab, first) in [("1", "Chat: attach a file to the message"), ("3", "Moderate: files opened before")] {
        real.press(tab);
        let found = found(&mut real, "file");
        assert!(found[0].starts_with(first), "in tab {tab}: {found:#?}");
    }
}

#[test]
fn words_for_what_is_done_with_a_conversation_find_it() {
    let mut real = real(120, 36);
    real.ask("hello there");
    real.press("\u{1b}\u{1b}");
    for (words, first) in [
        ("delete", "Chat: delete the last message"),
        ("remove", "Chat: delete the last message"),
        ("trash", "Chat: move this conversation to the trash"),
        ("delete conversation", "Chat: move this conversation to the trash"),
        ("copy", "Chat: copy the selected block"),
        ("export", "Chat: all marked answers"),
        ("search", "Chat: find in this conversation"),
        ("compare", "Chat: versions side by side"),
        ("retry", "Chat: regenerate the last answer"),
        ("rename", "Chat: rename this conversation"),
    ] {
        let found = found(&mut real, words);
        assert!(found[0].starts_with(first), "{words}: {found:#?}");
    }
}

#[test]
fn two_words_are_found_in_any_order_and_common_words_find_a_command() {
    let mut real = real(120, 36);
    real.ask("hello there");
    real.press("\u{1b}\u{1b}");
    for (words, reversed) in [("model choose", "choose model"), ("delete message", "message delete")] {
        let first = found(&mut real, words).remove(0);
        assert_eq!(found(&mut real, reversed)[0], first);
    }
    for (words, expected) in [
        ("model choose", "Model: choose…"),
        ("delete", "delete"),
        ("remove", "delete"),
        ("switch", "Profile: choose…"),
        ("config", "Config file"),
        ("settings", "parameters"),
        ("export", "export"),
        ("save", "save"),
        ("quit", "Quit"),
        ("exit", "Quit"),
        ("theme", "Theme: dark"),
        ("colour", "Theme: "),
        ("color", "Theme: "),
        ("dark", "Theme: dark"),
        ("light", "Theme: light"),
        ("key", "Profile: new key…"),
        ("login", "Profile: new key…"),
        ("server", "Server: what is known…"),
        ("cost", "Cost today"),
        ("price", "Cost today"),
    ] {
        let found = found(&mut real, words);
        assert!(found[..found.len().min(3)].iter().any(|entry| entry.contains(expected)), "{words}: {found:#?}");
    }
}
