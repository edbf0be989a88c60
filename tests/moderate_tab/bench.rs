//! Texts on the bench: added, edited, moved, checked; what is asked of the server and what becomes of its answers.

use std::time::Duration;

use benchtop::api::call::Progress;
use benchtop::api::moderation::{Moderation, Texts};
use benchtop::app::Effect;
use benchtop::record::Record;
use benchtop::record::work::{Export, Form, Work};
use crossterm::event::KeyCode;

use crate::desk::{Desk, Disk, MODEL, MODELS, Writes};
use crate::kit::{change_keys, in_own_process};
use crate::replies::{FILM, SELF, THREAT, judge, moved, offline, refused, result, texts};

#[test]
fn all_texts_go_in_one_request_and_only_what_is_new_is_asked_again() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT, SELF]);
    desk.news();
    let sent = desk.runs();
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].1.model.as_deref(), Some(MODEL), "the first model that moderates");
    assert_eq!(texts(&sent[0].1), [THREAT, SELF]);
    desk.answer(sent[0].0, judge(MODEL, &[THREAT.to_owned(), SELF.to_owned()]));
    desk.settle();
    desk.shows("⚑ flagged  2 categories");
    desk.shows("⚑ flagged  1 category");
    desk.paste(FILM);
    desk.settle();
    let sent = desk.runs();
    assert_eq!(sent[0].1.input, Texts::One(FILM.to_owned()), "one text alone is no list");
    desk.answer(sent[0].0, judge(MODEL, &[FILM.to_owned()]));
    desk.settle();
    assert_eq!(texts(&desk.runs()[0].1).len(), 3, "nothing is new: all again");
}

#[test]
fn the_same_text_twice_is_asked_once() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT, THREAT]);
    desk.news();
    assert_eq!(texts(&desk.runs()[0].1), [THREAT]);
}

#[test]
fn a_column_is_checked_again_alone() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT, SELF]);
    desk.check();
    desk.press("R");
    let sent = desk.sent();
    assert_eq!((sent.len(), texts(&sent[0].1)), (1, vec![SELF.to_owned()]));
}

#[test]
fn a_server_that_answers_short_gets_one_text_a_request_from_then_on() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT, SELF, FILM]);
    desk.news();
    let (ticket, _) = desk.runs().remove(0);
    desk.answer(ticket, judge(MODEL, &[THREAT.to_owned()]));
    desk.shows("each text is sent in its own");
    assert_eq!(desk.serve(), 3);
    desk.settle();
    assert!(desk.line("Verdict").contains("✓ clear"), "{}", desk.screen());
    let mut desk = desk.again();
    desk.settle();
    desk.press("^r");
    assert_eq!(desk.sent().len(), 3, "it is remembered");
    desk.hides("each text is sent in its own");
}

#[test]
fn a_server_that_refuses_a_list_is_asked_text_by_text() {
    for status in [400, 422] {
        let mut desk = Desk::new();
        desk.texts_are(&[THREAT, SELF]);
        desk.news();
        let (ticket, _) = desk.runs().remove(0);
        desk.fail(ticket, refused(status));
        assert_eq!(desk.serve(), 2);
        desk.shows("refuses several texts");
        desk.settle();
        desk.shows("⚑ flagged  2 categories");
        assert!(desk.disk.setting("moderate.view").is_some_and(|view| view.contains(r#""single":["work"]"#)));
    }
}

#[test]
fn a_refusal_that_is_not_about_the_list_is_not_remembered() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT, SELF]);
    desk.news();
    let (ticket, _) = desk.runs().remove(0);
    desk.fail(ticket, refused(400));
    for (ticket, _) in desk.sent() {
        desk.fail(ticket, refused(400));
    }
    desk.settle();
    desk.shows("✕ failed");
    desk.shows("input must be a string");
    assert_eq!(desk.runs().len(), 1, "the next time the list is tried again");
}

#[test]
fn one_bad_text_does_not_make_a_server_one_that_takes_no_lists() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT, SELF, FILM]);
    desk.news();
    let (ticket, _) = desk.runs().remove(0);
    desk.fail(ticket, refused(400));
    for (ticket, request) in desk.sent() {
        match texts(&request)[0].as_str() {
            SELF => drop(desk.fail(ticket, refused(400))),
            text => desk.answer(ticket, judge(MODEL, &[text.to_owned()])),
        }
    }
    desk.settle();
    desk.hides("refuses several texts");
    desk.press("R");
    desk.serve();
    assert_eq!(desk.runs().len(), 1, "all in one request");
}

#[test]
fn a_check_of_several_texts_is_told_as_failed_only_if_all_failed() {
    for (bad, expected) in [
        (&[][..], "1 check ended"),
        (&[SELF][..], "1 check ended with failures"),
        (&[THREAT, SELF, FILM][..], "1 check failed"),
    ] {
        let mut desk = Desk::new();
        desk.texts_are(&[THREAT, SELF, FILM]);
        desk.news();
        let (ticket, _) = desk.runs().remove(0);
        let told = desk.told_outside(|desk| {
            desk.wait(Duration::from_secs(10));
            desk.fail(ticket, refused(400));
            for (ticket, request) in desk.sent() {
                match texts(&request)[0].as_str() {
                    text if bad.contains(&text) => drop(desk.fail(ticket, refused(400))),
                    text => desk.answer(ticket, judge(MODEL, &[text.to_owned()])),
                }
            }
        });
        assert_eq!(told, [expected]);
    }
}

#[test]
fn a_server_that_refuses_every_text_gets_one_request_more_than_there_are_texts() {
    // 403: there is no such model, whatever the texts are.
    for (status, most) in [(400, 257), (422, 257), (403, 1)] {
        let mut desk = Desk::new();
        let text: Vec<String> = (0..256).map(|at| format!("This is sentence {at} of it.")).collect();
        desk.texts_are(&[&text.join(" ")]);
        desk.press("w");
        let mut requests = 0;
        loop {
            let sent = desk.sent();
            if sent.is_empty() {
                break;
            }
            if requests == 0 {
                assert_eq!(texts(&sent[0].1).len(), 256);
            }
            requests += sent.len();
            for (ticket, _) in sent {
                desk.fail(ticket, refused(status));
            }
        }
        assert_eq!(requests, most, "{status}");
        desk.settle();
        desk.hides("refuses several texts");
    }
}

#[test]
fn a_list_that_is_too_long_is_sent_in_halves_and_says_nothing_about_lists() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT, SELF, FILM, "a fourth text"]);
    desk.news();
    let (ticket, _) = desk.runs().remove(0);
    desk.fail(ticket, refused(413));
    assert_eq!(desk.serve(), 2);
    desk.settle();
    desk.hides("refuses several texts");
    assert_eq!(desk.runs().len(), 1, "all in one request");
}

#[test]
fn lists_that_are_answered_without_a_result_are_not_sent_again() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT, SELF, FILM, "a fourth text"]);
    desk.news();
    let (ticket, _) = desk.runs().remove(0);
    desk.answer(ticket, Moderation::default());
    desk.shows("answered 4 texts with 0 results");
    assert_eq!(desk.serve(), 4);
    desk.settle();
    assert_eq!(desk.runs().len(), 4, "it is remembered");
}

#[test]
fn what_came_beside_an_empty_result_is_taken_and_billed() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT, SELF]);
    desk.news();
    let (ticket, _) = desk.runs().remove(0);
    let mut answer = judge(MODEL, &[THREAT.to_owned(), SELF.to_owned()]);
    answer.results[0] = result(&[]);
    desk.answer(ticket, answer);
    let billed = |effect: &Effect| matches!(effect, Effect::Save(_, Record::Ledger(_)));
    assert_eq!(desk.news().iter().filter(|effect| billed(effect)).count(), 1);
    assert_eq!(desk.disk.checks(SELF).len(), 1);
    let sent = desk.runs();
    assert_eq!((sent.len(), texts(&sent[0].1)), (1, vec![THREAT.to_owned()]), "only what has no result");
    desk.answer(sent[0].0, Moderation::default());
    assert_eq!(desk.news().iter().filter(|effect| billed(effect)).count(), 1, "an answer without a result is one");
}

#[test]
fn at_most_eight_requests_are_under_way() {
    let mut desk = Desk::new();
    let texts: Vec<String> = (0..20).map(|at| format!("text {at}")).collect();
    desk.texts_are(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    desk.news();
    let (ticket, _) = desk.runs().remove(0);
    desk.answer(ticket, Moderation { results: vec![result(&[("hate", Some(0.1), None)])], ..Moderation::default() });
    let sent = desk.sent();
    assert_eq!(sent.len(), 8);
    desk.answer(sent[0].0, judge(MODEL, &["text 0".to_owned()]));
    assert_eq!(desk.sent().len(), 1);
}

#[test]
fn a_second_run_waits_for_the_requests_of_the_first() {
    let mut desk = Desk::new();
    let texts: Vec<String> = (0..12).map(|at| format!("text {at}")).collect();
    desk.texts_are(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    desk.news();
    let (ticket, _) = desk.runs().remove(0);
    desk.answer(ticket, judge(MODEL, &texts[..1]));
    let sent = desk.sent();
    desk.press("mstable\n");
    assert!(desk.runs().is_empty(), "eight are under way");
    for (at, (ticket, request)) in sent.iter().enumerate() {
        desk.answer(*ticket, judge(MODEL, &crate::replies::texts(request)));
        let next = desk.sent();
        let model = if at < 4 { MODEL } else { "text-moderation-stable" };
        assert_eq!((next.len(), next[0].1.model.as_deref()), (1, Some(model)), "those of the first run come first");
    }
}

#[test]
fn texts_that_wait_for_a_server_that_does_not_answer_need_its_profile() {
    let mut desk = Desk::new();
    let texts: Vec<String> = (0..9).map(|at| format!("text {at}")).collect();
    desk.texts_are(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    desk.news();
    let (ticket, _) = desk.runs().remove(0);
    desk.code(KeyCode::F(12));
    desk.press("^pprofile: choose\nkx");
    desk.shows("Delete work?");
    desk.shows("One request is running with it");
    desk.hides("paused work");
    desk.press("\u{1b}\u{1b}");
    desk.answer(ticket, judge(MODEL, &texts[..1]));
    desk.press("^pprofile: choose\nkx");
    desk.shows("8 requests are running with it");
    desk.shows("Moderate has paused work that needs it");
}

#[test]
fn two_texts_answered_with_one_result_are_sent_in_a_request_each_from_then_on() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT, SELF]);
    desk.news();
    let (ticket, _) = desk.runs().remove(0);
    desk.answer(ticket, judge(MODEL, &[THREAT.to_owned()]));
    desk.shows("each text is sent in its own");
    assert_eq!(desk.serve(), 2);
    desk.settle();
    assert_eq!(desk.runs().len(), 2);
}

#[test]
fn a_wrong_number_of_results_gives_no_text_anothers_and_lists_are_sent_again() {
    let mut desk = Desk::new();
    let all = [THREAT, SELF, FILM, "a fourth text"];
    desk.texts_are(&all);
    desk.news();
    let (ticket, _) = desk.runs().remove(0);
    desk.answer(ticket, judge(MODEL, &[SELF, FILM, all[3]].map(str::to_owned)));
    let sent = desk.sent();
    assert_eq!(sent.iter().map(|(_, request)| texts(request).len()).collect::<Vec<_>>(), [2, 2], "each half");
    for (ticket, request) in sent {
        desk.answer(ticket, judge(MODEL, &texts(&request)));
    }
    desk.settle();
    desk.hides("each text is sent in its own");
    assert!(desk.disk.checks(THREAT)[0].flagged);
    assert!(!desk.disk.checks(FILM)[0].flagged);
    assert_eq!(desk.runs().len(), 1, "all in one request");
}

#[test]
fn a_result_without_categories_and_an_answer_without_a_result_are_said() {
    let no_category = "the server's result for this text names no category; R asks again";
    let no_result = "the server answered without a result for this text; R asks again";
    let answer = |results| Some(Moderation { results, ..Moderation::default() });
    for (answer, why) in [(answer(vec![result(&[])]), no_category), (answer(Vec::new()), no_result), (None, no_result)]
    {
        let mut desk = Desk::new();
        desk.texts_are(&[THREAT]);
        desk.news();
        let (ticket, _) = desk.runs().remove(0);
        match answer {
            Some(answer) => desk.answer(ticket, answer),
            None => drop(desk.progress(ticket, Progress::Closed(Ok(())))),
        }
        desk.settle();
        desk.shows("✕ failed");
        desk.press("d");
        desk.shows(why);
        assert_eq!(desk.disk.checks(THREAT), []);
    }
}

#[test]
fn nulls_and_both_spellings_are_one_row_each() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT]);
    desk.news();
    let (ticket, _) = desk.runs().remove(0);
    let cells = [
        ("hate/threatening", Some(0.7), Some(true)),
        ("hate_threatening", Some(0.7), Some(true)),
        ("sexual", None, None),
    ];
    desk.answer(ticket, Moderation { results: vec![result(&cells)], ..Moderation::default() });
    desk.settle();
    assert!(desk.line("hate/threatening").contains("0.70 ⚑"));
    desk.hides("hate_threatening");
    assert!(desk.line("sexual").contains("—"));
    desk.shows("⚑ flagged  1 category");
}

#[test]
fn results_are_on_disk_before_they_are_shown() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT]);
    desk.news();
    desk.writes = Writes::Waiting;
    let (ticket, _) = desk.runs().remove(0);
    desk.answer(ticket, judge(MODEL, &[THREAT.to_owned()]));
    desk.hides("⚑ flagged  ");
    desk.release();
    desk.shows("⚑ flagged  ");
    let checks = desk.disk.checks(THREAT);
    assert_eq!(checks.len(), 1);
    assert_eq!((checks[0].asked.raw(), checks[0].model.raw()), (MODEL, "text-moderation-007"));
    assert!(checks[0].at_ms > 0);
}

#[test]
fn texts_are_written_edited_moved_deleted_and_brought_back() {
    let mut desk = Desk::new();
    desk.press("aone\ntwo\u{1b}");
    desk.press("athree\u{1b}");
    desk.settle();
    assert_eq!(desk.disk.texts("moderate.bench"), ["one\ntwo", "three"]);
    desk.press("K");
    desk.settle();
    assert_eq!(desk.disk.texts("moderate.bench"), ["three", "one\ntwo"]);
    desk.press("e and a half\u{1b}");
    desk.settle();
    assert_eq!(desk.disk.texts("moderate.bench"), ["three and a half", "one\ntwo"]);
    desk.press("x");
    desk.settle();
    assert_eq!(desk.disk.texts("moderate.bench"), ["one\ntwo"]);
    desk.press("u");
    desk.settle();
    assert_eq!(desk.disk.texts("moderate.bench"), ["three and a half", "one\ntwo"]);
    desk.press("x");
    desk.shows("deleted; u restores it");
    desk.press("u");
    desk.hides("deleted; u restores it");
    desk.settle();
    desk.press("a\u{1b}");
    desk.settle();
    assert_eq!(desk.disk.texts("moderate.bench").len(), 2, "an empty text is none");
    desk.paste("first paragraph\n\nsecond paragraph");
    desk.settle();
    assert_eq!(
        desk.disk.texts("moderate.bench").last().map(String::as_str),
        Some("first paragraph\n\nsecond paragraph")
    );
}

#[test]
fn an_edited_text_has_no_result_until_it_is_what_it_was() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT]);
    desk.check();
    desk.settle();
    desk.press("ex\u{1b}");
    desk.settle();
    desk.shows("not checked");
    desk.press("e");
    desk.code(KeyCode::Backspace);
    desk.press("\u{1b}");
    desk.settle();
    desk.shows("⚑ flagged  2 categories");
}

#[test]
fn models_are_columns() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT]);
    desk.check();
    desk.press("m");
    desk.press("stable\n");
    desk.settle();
    desk.shows("1 text × 2 models");
    let sent = desk.runs();
    assert_eq!(sent.len(), 1, "only the new column is asked for");
    assert_eq!(sent[0].1.model.as_deref(), Some("text-moderation-stable"));
    desk.answer(sent[0].0, judge("text-moderation-stable", &[THREAT.to_owned()]));
    desk.settle();
    let line = desk.line("harassment/threatening");
    assert!(line.contains("0.93 ⚑") && line.contains("—"), "a category the model does not have: {line}");
    assert!(desk.line(" hate ").contains("0.06") && desk.line(" hate ").contains("0.11"), "one row for both");
    desk.press("Ecsv\n");
    let rows = desk.news().into_iter().find_map(|effect| match effect {
        Effect::Work(_, Work::Export { what: Export::Checks { rows, checks, .. }, .. }) => Some((rows.len(), checks)),
        _ => None,
    });
    let (rows, checks) = rows.expect("it is exported");
    let asked: Vec<&str> = checks.iter().flatten().map(|check| check.asked.raw()).collect();
    assert_eq!((rows, asked), (2, vec![MODEL, "text-moderation-stable"]), "a row for each model");
    desk.settle();
    desk.press("d");
    desk.hides(" hate ");
    desk.shows("No category differs");
    desk.press("\u{1b}M");
    desk.settle();
    desk.shows("1 text × 1 model");
    let mut desk = desk.again();
    desk.settle();
    desk.shows("1 text × 1 model");
}

#[test]
fn a_text_checked_again_shows_what_moved() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT]);
    desk.check();
    desk.settle();
    desk.wait(Duration::from_mins(1));
    desk.news();
    let (ticket, _) = desk.runs().remove(0);
    desk.answer(ticket, moved(&[THREAT.to_owned()], 0.05));
    desk.settle();
    assert!(desk.line("harassment/threatening").contains("0.98 ⚑ ←0.93"), "{}", desk.screen());
    assert!(!desk.line("illicit/violent").contains('←'));
    desk.press("H");
    desk.settle();
    let line = desk.line("harassment/threatening");
    assert!(line.contains("0.93 ⚑") && line.contains("0.98 ⚑ +0.05"), "{line}");
    desk.shows("text-moderation-008, new");
    desk.press("d");
    desk.shows("No category differs by more than 0.10.");
    desk.hides("illicit/violent");
    desk.press("d");
    desk.shows("illicit/violent");
    desk.press("^r");
    assert_eq!(texts(&desk.sent()[0].1), [THREAT], "it is checked again from there");
}

#[test]
fn sentences_are_checked_by_themselves() {
    let mut desk = Desk::new();
    let text = "The weather was fine. I will find you.";
    desk.texts_are(&[text]);
    desk.check();
    desk.press("w");
    let sent = desk.sent();
    assert_eq!(texts(&sent[0].1), ["The weather was fine.", "I will find you."]);
    let texts = texts(&sent[0].1);
    desk.answer(sent[0].0, judge(MODEL, &texts));
    desk.settle();
    assert!(desk.line("The weather was fine.").contains("0.22"), "{}", desk.screen());
    assert!(desk.line("I will find you.").contains("0.77 ⚑"));
    desk.press("\u{1b}w");
    assert!(desk.sent().is_empty(), "what is known is not asked for again");
}

#[test]
fn flagged_texts_are_blurred_until_asked() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT, FILM]);
    desk.check();
    desk.press("B");
    desk.settle();
    desk.hides("I will find you");
    desk.shows("“▒ ▒▒▒▒ ▒▒▒▒ ▒▒▒ ▒▒▒");
    desk.shows("That film was killer");
    let mut desk = desk.again();
    desk.settle();
    desk.hides("I will find you");
    desk.press("B");
    desk.settle();
    desk.shows("I will find you");
}

#[test]
fn results_are_exported_with_the_thresholds() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT, FILM]);
    desk.check();
    desk.settle();
    desk.press("+");
    desk.news();
    desk.press("E^uout.json\n");
    let work = desk.news().into_iter().find_map(|effect| match effect {
        Effect::Work(_, Work::Export { path, form, what: Export::Checks { rows, checks, thresholds, .. } }) => {
            Some((path, form, rows.len(), checks.iter().flatten().count(), thresholds))
        }
        _ => None,
    });
    let (path, form, rows, checks, thresholds) = work.expect("it is exported");
    assert_eq!((path.as_str(), form, rows, checks), ("out.json", Form::Json, 2, 2));
    let raised = thresholds.iter().find(|(name, _)| *name == "harassment").unwrap();
    assert_eq!(format!("{:.2}", raised.1), "0.51");
    desk.shows("written to out.json");
}

#[test]
fn esc_stops_and_an_offline_server_is_said() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT]);
    desk.news();
    let (ticket, _) = desk.runs().remove(0);
    desk.press("\u{1b}");
    assert!(desk.news().contains(&Effect::Cancel(ticket)));
    desk.shows("not checked");
    let (ticket, _) = desk.runs().remove(0);
    desk.fail(ticket, offline());
    desk.settle();
    desk.shows("connection refused");
    desk.press("d");
    desk.shows("Details of the failure");
    desk.press("\u{1b}^r");
    assert_eq!(desk.serve(), 1);
    desk.settle();
    desk.shows("flagged");
}

#[test]
fn the_key_that_checks_is_not_in_the_footer_while_a_check_runs() {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT]);
    assert!(desk.footer().contains("^R check"), "{}", desk.footer());
    desk.press("^r");
    for page in ["", "H", "\u{1b}w"] {
        desk.press(page);
        let footer = desk.footer();
        assert!(footer.contains("esc ") && !footer.contains("^R check"), "{page:?}: {footer}");
    }
}

#[test]
fn the_footer_of_a_check_shows_the_keys_that_are_left_where_the_one_that_checks_has_none() {
    if !in_own_process("bench::the_footer_of_a_check_shows_the_keys_that_are_left_where_the_one_that_checks_has_none") {
        return;
    }
    change_keys("[moderate.bench]\nrun = []\n");
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT]);
    desk.press("R");
    assert!(desk.footer().contains("esc stop  a add text"), "{}", desk.footer());
    // No other key is left than the one that stops.
    let none =
        ["run", "add", "edit", "add-model", "thresholds", "differences"].map(|action| format!("{action} = []\n"));
    change_keys(&format!("[moderate.bench]\n{}", none.concat()));
    let footer = desk.footer();
    assert!(footer.contains("esc stop") && !footer.contains("add text"), "{footer}");
    // The other keys of the page are for results.
    change_keys("[moderate.history]\nrun = []\n");
    desk.press("H");
    assert!(desk.footer().contains("esc back"), "{}", desk.footer());
}

#[test]
fn examples_are_loaded_by_one_key() {
    let mut desk = Desk::new();
    desk.shows("⏎  load the sample texts");
    desk.press("\n");
    desk.settle();
    assert_eq!(desk.disk.texts("moderate.bench").len(), 3);
    desk.shows("A · threat");
}

#[test]
fn the_local_service_checks_the_examples_at_once_and_another_server_when_asked() {
    let mut local = Desk::knowing(&Disk::new(), 1_700_000_000_000, &MODELS[..1], "local");
    local.models_come(&MODELS);
    local.shows("⏎  check the sample texts");
    local.press("\n");
    assert!(!local.sent().is_empty());
    let mut other = Desk::new();
    other.press("\n");
    assert!(other.sent().is_empty());
}
