//! The manual names keys that exist and says what they do.

use std::collections::BTreeMap;
use std::fmt::Write;

use benchtop::tabs;

use crate::real::real;

const MANUAL: &str = include_str!("../../assets/manual.md");
const TABS: [&str; 6] = ["Chat", "Complete", "Moderate", "Embed", "Files", "Tune"];

/// Backticked words of one or two characters that are not keys: signs on the screen, a parameter and a command.
const NOT_KEYS: [&str; 9] = ["▲", "▼", "●", "○", "⚑", "␛", "~", "—", "fg"];

/// Keys that are bound outside the tables: those of text boxes (`ui::editor`) and Alt with a tab's number.
const UNLISTED: [&str; 14] =
    ["^A", "^E", "^W", "^U", "^K", "alt+b", "alt+f", "^X u", "^X r", "^X ^E", "1", "6", "alt+1", "alt+6"];

/// Converts a key from the manual's notation to that of the binding tables.
fn shown(key: &str) -> String {
    let one = |key: &str| match key.rsplit_once('+') {
        Some(("Ctrl", letter)) => format!("^{letter}"),
        Some(("Alt", "Enter")) => "alt+⏎".into(),
        Some(("Alt", letter)) => format!("alt+{}", letter.to_lowercase()),
        _ => match key {
            "Enter" => "⏎".into(),
            "Esc" | "Tab" => key.to_lowercase(),
            _ => key.into(),
        },
    };
    match key.split_once(' ') {
        Some((first, letter)) if letter.len() == 1 => format!("{} {}", one(first), letter.to_lowercase()),
        Some((first, second)) => format!("{} {}", one(first), one(second)),
        None => one(key),
    }
}

/// Returns what a passage has in backticks or bold, in order, without listings.
fn marked(passage: &str) -> Vec<&str> {
    let prose = passage.split("```").step_by(2);
    let spans = prose.flat_map(|part| part.split('`').enumerate()).flat_map(|(at, span)| {
        // Every second span is code; in the others every second part is bold.
        let bold = span.split("**").skip(1).step_by(2);
        if at % 2 == 1 { vec![span] } else { bold.collect() }
    });
    spans.collect()
}

/// Returns whether a marked text names a key.
fn is_key(text: &str) -> bool {
    let named = ["Enter", "Esc", "Tab", "PgUp", "PgDn"].contains(&text);
    let function = text.strip_prefix('F').is_some_and(|number| number.parse::<u8>().is_ok());
    let chord = text.starts_with("Ctrl+") || text.starts_with("Alt+");
    let short = text.chars().count() <= 2 && !text.contains(char::is_whitespace);
    (named || function || chord || short) && !NOT_KEYS.contains(&text)
}

/// Returns the keys of each tab and of the shell, with their descriptions.
fn tables() -> BTreeMap<&'static str, Vec<(String, String)>> {
    let split = |key: &str, does: &str| -> Vec<(String, String)> {
        key.split(' ').map(|key| (key.to_owned(), does.to_owned())).collect()
    };
    let mut tables: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (name, tab) in TABS.into_iter().zip(tabs::all()) {
        let hints = tab.help().into_iter().flat_map(|(_, hints)| hints);
        tables.insert(name, hints.flat_map(|hint| split(&hint.key, &hint.does)).collect());
    }
    let mut real = real(120, 400);
    real.press("\u{1b}?");
    let lines = real.lines();
    let everywhere = lines.iter().skip_while(|line| !line.contains("Everywhere")).skip(1);
    // Several are in a line, and each has one or two keys.
    let inside = |line: &String| Some(line.trim().strip_prefix('│')?.trim_end_matches('│').trim().to_owned());
    let everywhere: Vec<String> = everywhere.filter_map(inside).collect();
    let in_line = |line: &String| line.split("   ").map(str::to_owned).collect::<Vec<_>>();
    let keys = |hint: String| -> Vec<(String, String)> {
        let (first, rest) = hint.split_once(' ').unwrap_or((&hint, ""));
        match rest.split_once(' ').filter(|(second, _)| is_key(second) || second.starts_with('^')) {
            Some((second, does)) => split(&format!("{first} {second}"), does),
            None => split(first, rest),
        }
    };
    tables.insert("everywhere", everywhere.iter().flat_map(in_line).flat_map(keys).collect());
    tables
}

#[test]
fn every_key_of_the_manual_does_what_the_tables_say() {
    let tables = tables();
    let mut named: BTreeMap<(&str, String), Vec<&str>> = BTreeMap::new();
    for passage in MANUAL.split("\n## ").skip(1) {
        let title = passage.lines().next().unwrap_or_default();
        let body = passage.lines().filter(|line| !line.starts_with("? ")).collect::<Vec<_>>().join("\n");
        let marked = marked(&body);
        let tab_of = |text: &&str| TABS.into_iter().find(|name| name == text);
        // The tab named last; before any is named, the first one; Chat where none is.
        let mut tab = marked.iter().find_map(tab_of).unwrap_or("Chat");
        for text in marked {
            tab = tab_of(&text).unwrap_or(tab);
            let key = shown(text);
            if !is_key(text) || UNLISTED.contains(&key.as_str()) {
                continue;
            }
            named.entry((tab, key)).or_default().push(title);
        }
    }
    let mut picture = String::new();
    for ((tab, key), mut titles) in named {
        let of = |name: &str| tables[name].iter().filter(|(known, _)| *known == key).map(|(_, does)| does.as_str());
        let mut does: Vec<&str> = of(tab).chain(of("everywhere")).collect();
        does.dedup();
        titles.dedup();
        assert!(!does.is_empty(), "{tab} has no key {key}, which the manual names in {titles:?}");
        writeln!(picture, "{tab} {key}: {}\n    {}", does.join(" / "), titles.join(" · ")).unwrap();
    }
    insta::assert_snapshot!("manual_keys", picture);
}
