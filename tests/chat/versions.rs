//! Versions of a message: walked forth and back, and which message the keys act on.

use benchtop::api::call::Progress;
use benchtop::app::Event;
use benchtop::component::{Component, Effect};
use benchtop::record::work::{Done, WordMarks, Work};
use benchtop::ui::theme::Kind;
use ratatui::style::Modifier;

use crate::desk::{Desk, call, chunk};
use crate::look;

/// Edits the first of two prompts and sends it again.
fn edited() -> Desk {
    let mut desk = Desk::new();
    desk.talk("first question", "first answer");
    desk.talk("second question", "second answer");
    desk.view(80, 30);
    desk.press("\u{1b}");
    desk.press("kkkk");
    desk.press("e");
    desk.press("^u");
    desk.press("other question");
    let sent = desk.press("\n");
    let ticket = call(&sent).unwrap().0;
    for progress in [chunk("other answer"), Progress::Closed(Ok(()))] {
        desk.progress(ticket, progress);
    }
    desk.view(80, 30);
    desk.press("\u{1b}");
    desk
}

/// Returns the rows with the mark of the message on which keys act.
fn marked(picture: &str) -> Vec<&str> {
    picture.lines().filter(|line| line.starts_with('▌')).collect()
}

#[test]
fn what_was_gone_back_from_is_gone_forth_to() {
    let mut desk = edited();
    assert!(desk.view(80, 30).contains("other answer"));
    for (key, shown, hidden) in [("<", "second answer", "other answer"), (">", "other answer", "second answer")] {
        desk.press(key);
        let picture = desk.view(80, 30);
        assert!(picture.contains(shown) && !picture.contains(hidden), "{key}: {picture}");
        let marked = marked(&picture);
        assert!(marked.iter().any(|line| line.contains("question")), "the versions' message is selected: {picture}");
        assert!(!marked.iter().any(|line| line.contains("answer")), "{picture}");
    }
    // Also when nothing is selected any more.
    desk.press("<");
    desk.view(80, 30);
    desk.press("\u{1b}");
    desk.press(">");
    assert!(desk.view(80, 30).contains("other answer"));
}

#[test]
fn the_message_that_keys_act_on_is_marked_while_the_transcript_has_the_keys() {
    let mut desk = Desk::new();
    desk.talk("a question", "an answer");
    assert_eq!(marked(&desk.view(80, 30)).len(), 0, "letters are text");
    desk.press("\u{1b}");
    let picture = desk.view(80, 30);
    assert!(marked(&picture).iter().any(|line| line.contains("an answer")), "the last one: {picture}");
    desk.press("kk");
    let picture = desk.view(80, 30);
    let marked = marked(&picture);
    assert!(marked.iter().any(|line| line.contains("a question")), "{picture}");
    assert!(!marked.iter().any(|line| line.contains("an answer")), "{picture}");
}

#[test]
fn side_by_side_the_same_name_is_cut_the_same_way() {
    let mut desk = Desk::new();
    desk.app.session.model = "ft:gpt-3.5-turbo-0613:acme-research-and-development:2026-01".into();
    desk.talk("q", "one");
    desk.view(120, 30);
    desk.press("\u{1b}");
    for text in ["two two two two two two two two two two two two", "three"] {
        let again = desk.press("r");
        let ticket = call(&again).unwrap().0;
        desk.progress(ticket, chunk(text));
        if text == "three" {
            desk.press("\u{1b}");
        } else {
            desk.progress(ticket, Progress::Closed(Ok(())));
        }
    }
    desk.press("D");
    let picture = desk.view(200, 40);
    let titles = picture.lines().flat_map(|line| line.split(" of 3 · ").skip(1));
    let names: Vec<&str> = titles.map(|rest| rest.split(' ').next().unwrap()).collect();
    assert_eq!(names.len(), 3, "{picture}");
    assert!(names.iter().all(|name| *name == names[0] && name.ends_with(":2026-01")), "{names:?}\n{picture}");
    // Where there is no room for a name the number stands alone.
    let picture = desk.view(120, 30);
    assert!(picture.contains("── 1 of 3 ──") && picture.contains("── 2 of 3 ──"), "{picture}");
}

/// Shows two versions of an answer side by side.
fn beside(one: &str, other: &str) -> Desk {
    let mut desk = Desk::new();
    desk.talk("q", one);
    desk.view(80, 22);
    desk.press("\u{1b}");
    let again = desk.press("r");
    desk.says(call(&again).unwrap().0, other);
    desk.press("D");
    desk.view(80, 22);
    desk.with(Component::tick);
    desk
}

#[test]
fn versions_are_compared_apart_from_the_screen_and_nothing_is_marked_until_then() {
    let mut desk = beside("Water boils at 100 degrees.", "Water boils at 212 degrees.");
    desk.press("DD");
    desk.holds = |effect| matches!(effect, Effect::Work(_, Work::Differences { .. }));
    let look = |desk: &mut Desk| {
        let buffer = look::buffer(desk, Kind::Mono, (120, 22));
        (look::rows(&buffer).join("\n"), look::with(&buffer, Modifier::UNDERLINED))
    };
    let (picture, marked) = look(&mut desk);
    assert!(picture.contains("comparing…") && marked.is_empty(), "{marked:?} {picture}");
    let asked = |effects: &[Effect]| {
        effects.iter().find_map(|effect| match effect {
            Effect::Work(ticket, Work::Differences { texts, base: 1 }) if texts.len() == 2 => Some(*ticket),
            _ => None,
        })
    };
    let ticket = asked(&desk.with(Component::tick)).expect("asked for");
    look(&mut desk);
    assert_eq!(asked(&desk.with(Component::tick)), None, "asked for once");
    desk.event(Event::Worked(ticket, Done::Differences(vec![WordMarks::NotCompared; 2])));
    let (picture, marked) = look(&mut desk);
    assert!(picture.contains("too long to compare") && marked.is_empty(), "{marked:?} {picture}");
    // The other version is in use: the words are its own.
    desk.press("<");
    look(&mut desk);
    assert!(
        desk.with(Component::tick)
            .iter()
            .any(|effect| matches!(effect, Effect::Work(_, Work::Differences { base: 0, .. })))
    );
}

#[test]
fn words_in_which_versions_differ_are_underlined_in_both() {
    let mut desk = beside("Water boils at 100 degrees Celsius.", "Water boils at 212 degrees Fahrenheit, mostly.");
    assert!(desk.view(120, 22).contains("differences underlined"));
    let buffer = look::buffer(&mut desk, Kind::Mono, (120, 22));
    assert_eq!(look::with(&buffer, Modifier::UNDERLINED), ["100", "Celsius", "212", "Fahrenheit, mostly"]);
    let mut same = beside("The same.", "The same.");
    assert!(same.view(80, 22).contains("same words"));
    let mut others = beside("One two three four.", "Nothing of that is here, not a word");
    assert!(others.view(80, 22).contains("different texts"));
}

#[test]
fn a_version_that_still_grows_has_no_marks() {
    let mut desk = beside("Water boils at 100 degrees.", "Water boils at 212 degrees.");
    desk.press("D");
    let again = desk.press("r");
    desk.progress(call(&again).unwrap().0, chunk("Water boils"));
    desk.press("D");
    let picture = desk.view(120, 22);
    assert!(picture.contains("3 of 3") && !picture.contains("differences"), "{picture}");
}

#[test]
fn the_help_over_versions_side_by_side_is_that_of_their_view() {
    let mut desk = edited();
    let transcript = desk.app.tab.help()[0].clone();
    desk.press("kkkk");
    desk.press("D");
    desk.view(80, 30);
    let (name, keys) = desk.app.tab.help()[0].clone();
    assert_eq!((transcript.0, name), ("Transcript", "Versions side by side"));
    assert!(keys.iter().any(|hint| hint.does == "use the previous version"), "{keys:?}");
    assert!(!desk.app.tab.help().iter().any(|(_, hints)| hints.iter().any(|hint| hint.does == "next message")));
    // Each of them does something.
    desk.press("D");
    assert_eq!(desk.front(), "Transcript");
}
