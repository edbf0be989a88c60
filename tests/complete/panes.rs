//! Settings, presets, runs, models, profiles, and what goes to other tabs.

use std::time::Duration;

use benchtop::app::Effect;
use benchtop::component::Session;
use benchtop::settings::ProfileId;
use crossterm::event::KeyCode;

use crate::desk::{Complete, Desk, Disk, MODEL, Setup, Tab as _, prompt};
use crate::replies::{end, text};

/// Runs a prompt of a sheet and answers it.
fn written(desk: &mut Desk, prompt: &str, answer: &str) {
    let ticket = desk.ask(prompt);
    desk.answer_with(ticket, [text(answer), end(0, "stop")]);
}

#[test]
fn a_preset_is_saved_loaded_renamed_and_deleted() {
    let mut desk = Desk::new();
    desk.press("Tell me of ");
    desk.set("Temperature", "0.3");
    desk.press("Smine\n");
    desk.shows("mine");
    assert_eq!(desk.disk.presets().len(), 1);
    // Something else is written, then it is loaded again; and that can be undone.
    desk.press("\u{1b}isome water");
    desk.shows("edited");
    desk.press("\u{1b}");
    desk.set("Temperature", "1.5");
    desk.press("Pg\n");
    assert_eq!(desk.text(), "Tell me of ");
    let request = desk.curl();
    assert_eq!((prompt(&request), request.temperature), ("Tell me of ", Some(0.3)));
    desk.press("u");
    assert_eq!(desk.text(), "Tell me of some water");
    desk.press("Pge^uyours\n");
    desk.shows("yours");
    assert_eq!(desk.disk.presets()[0].name, "yours");
    // The list is the same for the next start.
    let mut desk = desk.again();
    desk.shows("yours");
    desk.press("\u{1b}Pgx");
    desk.shows("deleted “yours”");
    assert_eq!(desk.disk.presets(), []);
    desk.press("u");
    assert_eq!(desk.disk.presets()[0].name, "yours");
}

/// Saves a preset at temperature 0.3 and loads it over another text at temperature 1.5.
fn preset_over_a_text() -> Desk {
    let mut desk = Desk::new();
    desk.press("Tell me of ");
    desk.set("Temperature", "0.3");
    desk.press("Smine\n\u{1b}nWater is");
    desk.shows("Untitled");
    desk.set("Temperature", "1.5");
    desk.press("Pg\n");
    assert_eq!((desk.text().as_str(), desk.curl().temperature), ("Tell me of ", Some(0.3)));
    desk.hides("Untitled");
    desk
}

#[test]
fn a_preset_that_is_undone_takes_its_title_and_settings_along() {
    let mut desk = preset_over_a_text();
    desk.press("u");
    assert_eq!((desk.text().as_str(), desk.curl().temperature), ("Water is", Some(1.5)));
    desk.shows("settings and model are those from before the preset");
    desk.shows("Untitled");
    desk.hides("in use");
    desk.press("U");
    assert_eq!((desk.text().as_str(), desk.curl().temperature), ("Tell me of ", Some(0.3)));
    desk.shows("settings and model are the preset's again");
    desk.shows("in use");
    desk.hides("Untitled");
    // What was set by hand since is not taken away.
    desk.set("Temperature", "0.9");
    desk.press("u");
    assert_eq!((desk.text().as_str(), desk.curl().temperature), ("Water is", Some(0.9)));
    desk.shows("settings changed since then stay");
    desk.shows("Untitled");
}

#[test]
fn the_title_of_a_text_is_there_after_a_restart_with_what_undo_brings_back() {
    let mut desk = preset_over_a_text().again();
    desk.shows("in use");
    desk.hides("Untitled");
    desk.press("\u{1b}u");
    assert_eq!((desk.text().as_str(), desk.curl().temperature), ("Water is", Some(1.5)));
    desk.shows("Untitled");
    desk.press("U");
    desk.hides("Untitled");
    // A text that is saved as a preset has its title, too; a new one has none.
    desk.press("i more");
    desk.press("\u{1b}S^uyours\n");
    let mut desk = desk.again();
    desk.hides("Untitled");
    desk.press("\u{1b}n");
    desk.again().shows("Untitled");
}

#[test]
fn a_text_of_another_copy_has_no_title_of_this_ones() {
    let mut desk = preset_over_a_text();
    desk.settle();
    let mut other = Desk::at(&desk.disk, desk.unix_ms + 500_000);
    other.press("\u{1b}nAnother text");
    other.settle();
    let mut later = Desk::at(&desk.disk, desk.unix_ms + 900_000);
    assert_eq!(later.text(), "Another text");
    later.shows("Untitled");
}

#[test]
fn on_the_local_service_examples_that_work_come_first_and_others_say_what_they_need() {
    let session = Session { local: true, ..Complete::setup().session };
    let mut desk = Desk::start(&Disk::new(), Setup { session, ..Complete::setup() });
    desk.press("\u{1b}Pg");
    let screen = desk.screen();
    let ends = screen.lines().map(|line| line.trim_end_matches(['↓', ' ']));
    let needs: Vec<bool> = ends
        .filter_map(|line| {
            let larger = line.ends_with(" larger model");
            (larger || line.ends_with(" example")).then_some(larger)
        })
        .collect();
    assert!(needs.is_sorted() && needs[0] != needs[needs.len() - 1], "{screen}");
    desk.hides("This example needs");
    desk.press(&format!("{}\n", "j".repeat(needs.iter().filter(|larger| !**larger).count())));
    desk.shows("in use");
    desk.shows("This example needs a larger");
}

#[test]
fn an_example_brings_its_settings_and_its_suffix() {
    let mut desk = Desk::new();
    desk.press("\u{1b}Pgjj\n");
    let request = desk.curl();
    assert!(prompt(&request).starts_with("A text can go on in many ways."), "{request:?}");
    assert!(request.suffix.as_deref().is_some_and(|suffix| suffix.starts_with(" If tokens are drawn")), "{request:?}");
    assert_eq!(request.max_tokens, Some(48));
    // What a model writes into it edits nothing; a letter of the user's does.
    let (ticket, _) = desk.run();
    desk.answer_with(ticket, [text("or few."), end(0, "stop")]);
    desk.hides("(edited)");
    desk.press("i!");
    desk.shows("(edited)");
}

#[test]
fn a_run_is_opened_again_on_the_same_text_and_on_another() {
    let mut desk = Desk::new();
    desk.press("One ");
    desk.set("Temperature", "0.3");
    written(&mut desk, "", "two");
    desk.set("Temperature", "0.9");
    written(&mut desk, "", " three");
    assert_eq!(desk.text(), "One two three");
    // On the same text.
    desk.press("rj\n");
    assert_eq!(desk.text(), "One two");
    assert_eq!(desk.curl().temperature, Some(0.3));
    // A new text keeps the old one.
    desk.press("n");
    assert_eq!(desk.text(), "");
    written(&mut desk, "Red ", "green");
    assert_eq!(desk.text(), "Red green");
    desk.press("r");
    for words in ["One", "Red", MODEL, "Runs"] {
        desk.shows(words);
    }
    desk.press("G\n");
    assert_eq!(desk.text(), "One two");
    desk.press("U");
    assert_eq!(desk.text(), "One two three");
    desk.press("rg\n");
    assert_eq!(desk.text(), "Red green");
    // What was open last is open again.
    let mut desk = desk.again();
    assert_eq!(desk.text(), "Red green");
    desk.press("\u{1b}u");
    assert_eq!(desk.text(), "Red ");
}

#[test]
fn a_run_opened_again_has_the_caret_behind_what_it_wrote() {
    let mut desk = Desk::new();
    desk.press("Once  end←←←←");
    written(&mut desk, "", "upon");
    desk.press("nA new text");
    for _ in 0..2 {
        desk.press("\u{1b}rG\n");
        let request = desk.curl();
        assert_eq!((prompt(&request), request.suffix.as_deref()), ("Once upon", Some(" end")));
    }
}

#[test]
fn a_model_chosen_here_is_not_that_of_chat() {
    let mut desk = Desk::new();
    desk.press("Once \u{1b}^pmodel: choose\ndavinci-002\n");
    desk.shows("davinci-002");
    assert_eq!(desk.curl().model, "davinci-002");
    assert_eq!(desk.app.session().model, MODEL);
    desk.press("1");
    desk.shows(MODEL);
    desk.hides("davinci-002");
    // It is kept for the profile it was chosen for.
    let mut desk = desk.again();
    desk.press("\u{1b}");
    assert_eq!(desk.curl().model, "davinci-002");
    desk.press("^pprofile: home\n");
    assert_ne!(desk.curl().model, "davinci-002");
    desk.press("^pprofile: work\n");
    assert_eq!(desk.curl().model, "davinci-002");
    // And is set back in the settings.
    desk.press("sg0\u{1b}");
    assert_eq!(desk.curl().model, MODEL);
}

#[test]
fn a_run_goes_to_the_profile_it_was_asked_of() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Once ");
    desk.press("^pprofile: home\n");
    desk.news();
    desk.progress(ticket, text("upon"));
    desk.answer_with(ticket, [text(" a time"), end(0, "stop")]);
    assert_eq!(desk.text(), "Once upon a time");
    assert_eq!(desk.disk.runs()[0].profile, "work");
    desk.press("^pmodel: choose\nada\n");
    desk.news();
    desk.press("^r");
    let sent = desk.sent_to();
    assert_eq!((sent.len(), &sent[0].1), (1, &ProfileId("home".into())));
    assert_eq!(sent[0].2.model, "ada");
}

#[test]
fn the_copied_request_is_the_one_that_is_sent() {
    let mut desk = Desk::new();
    desk.press("Once  end←←←←");
    desk.set("Log probabilities", "2");
    desk.set("Stop", "END|\\n");
    let copied = desk.curl();
    let (_, sent) = desk.run();
    assert_eq!(copied, sent);
    assert_eq!((prompt(&sent), sent.suffix.as_deref()), ("Once ", Some(" end")));
}

#[test]
fn texts_go_to_chat_and_come_from_it() {
    let mut desk = Desk::new();
    written(&mut desk, "Once ", "upon a time");
    desk.press("o");
    // Whichever tabs take it: Chat is one.
    desk.press("chat\n");
    desk.shows("▐1 Chat▌");
    desk.shows("upon a time");
    desk.press("^a>> ^x");
    // The text of Complete stays what it was.
    desk.key(crossterm::event::KeyCode::Char('2'), crossterm::event::KeyModifiers::ALT);
    assert_eq!(desk.text(), "Once upon a time");
}

#[test]
fn what_is_copied_is_the_text_to_the_byte() {
    let mut desk = Desk::new();
    let odd = "a\u{202e}b\tc\u{1b}[31m\n";
    written(&mut desk, "Once ", odd);
    desk.news();
    desk.press("yY");
    assert_eq!(desk.copied(), [odd.to_owned(), format!("Once {odd}")]);
    desk.shows("␛[31m");
    desk.press("v");
    desk.news();
    desk.press("vy");
    assert_eq!(desk.copied(), [format!("Once {odd}")]);
}

#[test]
fn words_are_found_one_after_the_other() {
    let mut desk = Desk::new();
    desk.press("one two one three one\u{1b}g/one\n");
    desk.news();
    for _ in 0..3 {
        desk.press("n");
    }
    desk.press("y");
    assert_eq!(desk.copied(), ["one"]);
    desk.press("/^unothing\n");
    desk.shows("“nothing” is not in this text");
    desk.press("\u{1b}\u{1b}\u{1b}\u{1b}");
    assert_eq!(desk.text(), "one two one three one");
}

#[test]
fn words_are_found_while_they_are_typed_and_counted() {
    let mut desk = Desk::new();
    desk.press("one two one three one\u{1b}g/on");
    desk.shows("1 of 3");
    desk.press("↓");
    desk.shows("2 of 3");
    desk.press("x");
    desk.shows("no match");
    desk.press("^uone\n");
    desk.shows("/ one");
    desk.shows("1 of 3");
    desk.press("N");
    desk.shows("3 of 3");
    desk.press("\u{1b}");
    desk.shows("3 found");
    desk.press("\u{1b}");
    desk.hides("3 found");
    desk.hides("/ one");
    assert_eq!(desk.text(), "one two one three one");
}

#[test]
fn settings_are_locked_while_it_runs() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Once ");
    desk.progress(ticket, text("upon"));
    desk.press("s");
    desk.shows("locked");
    desk.press("jjl");
    desk.shows("a run is under way");
    desk.press("\u{1b}\u{1b}");
    desk.shows("■ stopped");
    assert_eq!(desk.curl().max_tokens, None);
}

#[test]
fn a_text_edited_elsewhere_is_one_step() {
    let mut desk = Desk::new();
    written(&mut desk, "Once ", "upon a time");
    desk.code(crossterm::event::KeyCode::F(4));
    assert!(desk.news().contains(&Effect::OpenEditor("Once upon a time".into())));
    desk.event(benchtop::app::Event::Edited(Some("Once upon one time".into())));
    assert_eq!(desk.text(), "Once upon one time");
    desk.shows("▎");
    desk.press("\u{1b}u");
    assert_eq!(desk.text(), "Once upon a time");
}

#[test]
fn leaving_the_tab_stops_nothing() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Once ");
    desk.press("1");
    desk.shows("▐1 Chat▌");
    desk.progress(ticket, text("upon"));
    desk.wait(Duration::from_secs(2));
    desk.answer_with(ticket, [text(" a time"), end(0, "stop")]);
    desk.key(crossterm::event::KeyCode::Char('2'), crossterm::event::KeyModifiers::ALT);
    assert_eq!(desk.text(), "Once upon a time");
}

#[test]
fn an_editors_change_inside_a_character_is_taken_as_it_is() {
    for (before, after) in
        [("a 👍🏽 b", "a 👍🏿 b"), ("cafe\u{301}", "cafe\u{300}"), ("one\r\ntwo", "one\ntwo"), ("日本", "日木")]
    {
        let mut desk = Desk::new();
        desk.event(benchtop::app::Event::Edited(Some(before.into())));
        desk.event(benchtop::app::Event::Edited(Some(after.into())));
        assert_eq!(desk.text(), after);
        desk.press("\u{1b}u");
        assert_eq!(desk.text(), before);
    }
}

#[test]
fn a_text_that_was_not_run_is_led_back_to() {
    let mut desk = Desk::new();
    desk.press("A draft.\u{1b}n");
    desk.press("Another.\u{1b}r");
    desk.shows("(not run)");
    desk.press("\n");
    assert_eq!(desk.text(), "A draft.");
    desk.press("\u{1b}rg\n");
    assert_eq!(desk.text(), "Another.");
}

/// Returns the first heading of the help page, which is closed again.
fn first_of_help(desk: &mut Desk) -> String {
    desk.code(KeyCode::F(1));
    let screen = desk.screen();
    desk.code(KeyCode::F(1));
    screen.lines().skip_while(|line| !line.contains("Help · Complete")).nth(1).unwrap_or_default().to_owned()
}

#[test]
fn while_words_to_filter_presets_by_are_typed_the_help_lists_the_keys_for_that() {
    let mut desk = Desk::new();
    desk.press("\u{1b}P/");
    assert!(first_of_help(&mut desk).contains("Words to find"));
    desk.press("\n");
    assert!(first_of_help(&mut desk).contains("Presets"));
    // A name that is typed is not looked for.
    desk.press("S");
    assert!(!first_of_help(&mut desk).contains("Words to find"));
}

#[test]
fn while_words_to_filter_runs_by_are_typed_the_help_lists_the_keys_for_that() {
    let mut desk = Desk::new();
    written(&mut desk, "Once ", "upon");
    written(&mut desk, "i a ", "time");
    desk.press("\u{1b}r/");
    assert!(first_of_help(&mut desk).contains("Words to find"));
    desk.press("\n");
    assert!(first_of_help(&mut desk).contains("Runs"));
}

#[test]
fn over_the_list_of_biases_the_help_lists_its_keys() {
    let mut desk = Desk::new();
    desk.press("\u{1b}B");
    desk.code(KeyCode::F(1));
    for words in
        ["This dialog", "add a token, by its text or id", "bias by 10", "remove all biases", "half a page down, up"]
    {
        desk.shows(words);
    }
    desk.code(KeyCode::F(1));
    // While one is typed, letters are text.
    desk.press("a");
    desk.code(KeyCode::F(1));
    desk.shows("This dialog");
    desk.hides("bias by 10");
}
