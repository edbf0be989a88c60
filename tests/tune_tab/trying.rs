//! The page that tries a tuned model beside its base.

use benchtop::api::call::{Call, Content, Failure, FailureKind, Progress, Reply, Ticket};
use benchtop::api::chat::Stop;
use benchtop::api::completion::{Completion, CompletionChoice, Prompt};
use benchtop::app::Effect;
use benchtop::record::answers::HeldRow;
use benchtop::record::{LedgerRow, Record};
use crossterm::event::{KeyCode, KeyModifiers};

use crate::desk::{Desk, running};
use crate::kit::{change_keys, in_own_process};

pub const TUNED: &str = "curie:ft-acme:support-v2-2023-11-15-09-30-00";

pub fn rows() -> Vec<HeldRow> {
    let row = |line, prompt: &str, wanted: &str| HeldRow { line, prompt: prompt.into(), wanted: wanted.into() };
    vec![
        row(1, "Late again ->", " delivery END"),
        row(2, "Broken ->", " refund END"),
        row(3, "Lost ->", " delivery END"),
    ]
}

/// Opens the page of the finished job while its file is being fetched.
pub fn opened(size: (u16, u16)) -> Desk {
    let mut desk = running();
    desk.size = size;
    desk.held = rows();
    desk.press("jjjt");
    desk
}

/// Answers the request for the file.
pub fn fetched(desk: &mut Desk) {
    let (ticket, _) = desk.last(|call| matches!(call, Call::Content(_)));
    desk.reply(ticket, Reply::Content(Content { from: 0, bytes: b"read".to_vec(), total: Some(4), ranges: true }));
}

/// Opens the page with the first row of its file.
pub fn page(size: (u16, u16)) -> Desk {
    let mut desk = opened(size);
    fetched(&mut desk);
    desk.news();
    desk
}

/// Returns the completions requested since the last call: ticket, model, prompt, stop.
fn sent(desk: &mut Desk) -> Vec<(Ticket, String, String, Option<Stop>)> {
    let calls = desk.calls().into_iter();
    let sent = calls.filter_map(|(ticket, call)| match call {
        Call::Complete(request) => match request.prompt {
            Some(Prompt::Text(prompt)) => Some((ticket, request.model, prompt, request.stop)),
            other => panic!("{other:?}"),
        },
        _ => None,
    });
    sent.collect()
}

/// Sends a chunk of a model's answer.
pub fn say(desk: &mut Desk, model: &str, text: &str) {
    let (ticket, _) = desk.last(|call| matches!(call, Call::Complete(request) if request.model == model));
    let choice = CompletionChoice { text: text.into(), ..CompletionChoice::default() };
    let said = Completion { choices: vec![choice], ..Completion::default() };
    desk.progress(ticket, Progress::Reply(Reply::Completion(said)));
}

/// Ends a model's answer.
pub fn end(desk: &mut Desk, model: &str, end: Result<(), Failure>) {
    let (ticket, _) = desk.last(|call| matches!(call, Call::Complete(request) if request.model == model));
    desk.progress(ticket, Progress::Closed(end));
}

pub fn gone() -> Failure {
    let words = "the server has no model curie; choose another one";
    Failure { status: Some(404), ..Failure::new(FailureKind::Refused, words) }
}

fn bills(desk: &Desk) -> Vec<LedgerRow> {
    let row = |effect: &Effect| match effect {
        Effect::Save(_, Record::Ledger(row)) => Some(row.clone()),
        _ => None,
    };
    desk.effects.iter().filter_map(row).collect()
}

#[test]
fn enter_asks_both_models_with_the_separator_added_and_the_files_stop() {
    let mut desk = page((120, 36));
    desk.shows("▐6 Tune");
    desk.shows("Try support-v2");
    desk.shows("row 1 of 3");
    desk.shows("sent with \" ->\" at its end");
    desk.shows("stops at \" END\"");
    desk.shows("expected: delivery");
    desk.hides("Late again ->");
    desk.press("\n");
    let all = sent(&mut desk);
    let asked: Vec<_> = all.iter().map(|(_, model, prompt, _)| (model.as_str(), prompt.as_str())).collect();
    assert_eq!(asked, [(TUNED, "Late again ->"), ("curie", "Late again ->")]);
    assert!(all.iter().all(|(.., stop)| *stop == Some(Stop::One(" END".into()))));
    desk.shows("waiting");
    say(&mut desk, TUNED, " deli");
    desk.shows(" deli");
    desk.shows("streaming");
    say(&mut desk, TUNED, "very");
    end(&mut desk, TUNED, Ok(()));
    say(&mut desk, "curie", " I am sorry");
    end(&mut desk, "curie", Ok(()));
    let screen = desk.screen();
    assert_eq!(screen.matches("✓ done").count(), 2, "{screen}");
    let row = desk.line("I am sorry");
    assert!(row.contains("delivery"), "the answers stand side by side: {screen}");
}

#[test]
fn enter_is_shown_where_the_other_key_that_asks_has_been_taken_away() {
    if !in_own_process("trying::enter_is_shown_where_the_other_key_that_asks_has_been_taken_away") {
        return;
    }
    change_keys("[tune.trial-prompt]\nsend = []\n");
    let mut desk = page((120, 36));
    assert!(desk.footer().contains("⏎ ask  F8 next row"), "{}", desk.footer());
    desk.code(KeyCode::F(1));
    let help = desk.line("ask all models");
    assert!(help.contains('⏎'), "{help}");
    desk.press("\u{1b}");
    let others = ["next-row", "own-prompt", "random", "to-answers", "add-model", "continue-in-tab"];
    let none = others.map(|action| format!("{action} = []\n")).concat();
    change_keys(&format!("[tune.trial-prompt]\nsend = []\n{none}"));
    assert!(desk.footer().contains("⏎ ask  esc back"), "{}", desk.footer());
}

#[test]
fn letters_are_text_and_the_expected_answer_shows_only_beside_the_rows_own_text() {
    let mut desk = page((120, 36));
    desk.press(" CxX?q");
    desk.shows("Late again CxX?q");
    desk.shows("row 1 of 3 · edited");
    desk.hides("expected:");
    desk.press("\n");
    let prompts: Vec<_> = sent(&mut desk).into_iter().map(|(_, _, prompt, _)| prompt).collect();
    assert_eq!(prompts, ["Late again CxX?q ->", "Late again CxX?q ->"]);
    desk.press("\u{1b}");
    desk.code(KeyCode::F(6));
    desk.hides("edited");
    desk.shows("expected: delivery");
    desk.shows("the answers below are for another prompt");
    desk.code(KeyCode::F(6));
    desk.shows("Late again CxX?q");
}

#[test]
fn an_edited_row_is_as_it_was_left_after_other_rows_and_after_the_page_was_closed() {
    let mut desk = page((120, 36));
    desk.press(" and late");
    desk.code(KeyCode::F(8));
    desk.shows("row 2 of 3");
    desk.shows("expected: refund");
    desk.hides("and late");
    desk.code(KeyCode::F(7));
    desk.shows("Late again and late");
    desk.hides("expected:");
    desk.press("\u{1b}");
    desk.shows("t try it");
    desk.press("t");
    desk.shows("Late again and late");
    desk.code(KeyCode::F(9));
    desk.hides("row 1 of 3");
    desk.code(KeyCode::F(8));
    desk.code(KeyCode::F(8));
    desk.shows("row 3 of 3");
    desk.shows("this is the last row");
}

#[test]
fn a_prompt_that_was_typed_before_the_rows_came_stays() {
    let mut desk = opened((120, 36));
    desk.shows("loading valid-v3.jsonl");
    desk.press("My own");
    fetched(&mut desk);
    desk.shows("your own prompt");
    desk.shows("My own");
    desk.hides("expected:");
    desk.code(KeyCode::F(8));
    desk.shows("Late again");
    desk.code(KeyCode::F(7));
    desk.shows("My own");
}

#[test]
fn one_model_fails_in_its_column_and_the_other_goes_on() {
    let mut desk = page((120, 36));
    desk.press("\n");
    end(&mut desk, "curie", Err(gone()));
    say(&mut desk, TUNED, " delivery");
    desk.shows("✕ the server has no model curie; choose another one");
    desk.shows("tab X removes it");
    desk.shows("streaming");
    end(&mut desk, TUNED, Ok(()));
    desk.shows("✓ done");
    let models: Vec<_> = bills(&desk).into_iter().map(|row| (row.tab, row.model)).collect();
    assert_eq!(models, [("Tune".into(), TUNED.into())], "what was answered is in the ledger, once");
    desk.press("\tlX");
    desk.hides("B curie");
}

#[test]
fn esc_stops_the_answers_first_and_what_came_stays() {
    let mut desk = page((120, 36));
    desk.press("\n");
    say(&mut desk, TUNED, " deliv");
    let tickets: Vec<Ticket> = sent(&mut desk).into_iter().map(|(ticket, ..)| ticket).collect();
    desk.press("\u{1b}");
    let news = desk.news();
    assert!(tickets.iter().all(|ticket| news.contains(&Effect::Cancel(*ticket))), "{news:?}");
    desk.shows("■ stopped");
    desk.shows("deliv");
    assert_eq!(bills(&desk).len(), 1, "the model that had begun has used tokens");
    desk.press("\u{1b}");
    desk.hides("Try support-v2");
    desk.press("t");
    desk.shows("deliv");
}

#[test]
fn another_model_is_added_and_asked_too() {
    let mut desk = page((120, 36));
    desk.code(KeyCode::F(5));
    desk.shows("Add a model");
    desk.press("ada\n");
    desk.shows("C ada");
    desk.press("\n");
    let models: Vec<_> = sent(&mut desk).into_iter().map(|(_, model, ..)| model).collect();
    assert_eq!(models, [TUNED, "curie", "ada"]);
    desk.press("\u{1b}");
    // A narrow screen shows one at a time, and says which.
    desk.size = (40, 12);
    desk.press("\t");
    desk.shows("3 of 3");
    desk.press("h");
    desk.shows("2 of 3");
}

#[test]
fn the_prompt_goes_to_complete_with_the_models() {
    let mut desk = page((120, 36));
    desk.press(" today^o");
    desk.shows("▐2 Complete▌");
    desk.shows("support-v2");
    desk.news();
    desk.press("^r");
    let prompts: Vec<_> = sent(&mut desk).into_iter().map(|(_, _, prompt, stop)| (prompt, stop)).collect();
    let asked = ("Late again today ->".to_owned(), Some(Stop::One(" END".into())));
    assert_eq!(prompts, [asked.clone(), asked]);
}

#[test]
fn a_shown_key_puts_a_prompt_of_ones_own_in_place_of_the_row() {
    let mut desk = page((120, 36));
    assert!(desk.footer().contains("F3 own prompt"), "{}", desk.footer());
    desk.code(KeyCode::F(3));
    desk.shows("your own prompt");
    desk.hides("Late again");
    desk.hides("F3 own prompt");
    desk.press("Never came\n");
    let prompts: Vec<_> = sent(&mut desk).into_iter().map(|(_, _, prompt, _)| prompt).collect();
    assert_eq!(prompts, ["Never came ->", "Never came ->"]);
    desk.code(KeyCode::F(8));
    desk.shows("expected: delivery");
    desk.code(KeyCode::F(3));
    desk.shows("Never came");
}

#[test]
fn why_the_base_model_may_say_anything_stands_where_there_is_room() {
    let mut desk = page((120, 36));
    desk.shows("B, the base model, was not trained on the rows and may say anything.");
    desk.press("\tlX");
    desk.hides("the base model");
    let mut desk = page((40, 12));
    desk.shows("expected: delivery");
    desk.hides("the base model");
}

#[test]
fn without_rows_a_prompt_is_typed() {
    let mut desk = opened((120, 36));
    let (ticket, _) = desk.last(|call| matches!(call, Call::Content(span) if span.id.contains("valid")));
    desk.fail(ticket, Failure::new(FailureKind::Refused, "the file is gone"));
    desk.shows("Type a prompt; valid-v3.jsonl cannot be read: the file is gone");
    desk.press("\n");
    desk.shows("the prompt is empty");
    desk.press("Hello\n");
    let prompts: Vec<_> = sent(&mut desk).into_iter().map(|(_, _, prompt, _)| prompt).collect();
    assert_eq!(prompts, ["Hello", "Hello"]);
}

#[test]
fn models_that_were_tuned_on_messages_are_sent_messages() {
    let mut desk = opened((120, 36));
    let prompt = r#"[{"role":"system","content":"Be kind."},{"role":"user","content":"Where is it?"}]"#;
    desk.held = vec![HeldRow { line: 1, prompt: prompt.into(), wanted: "On its way.".into() }];
    fetched(&mut desk);
    desk.shows("after system: Be kind.");
    desk.shows("Where is it?");
    desk.shows("expected: On its way.");
    desk.calls();
    desk.press(" Now\n");
    let calls = desk.calls();
    let asked: Vec<_> = calls
        .into_iter()
        .filter_map(|(_, call)| if let Call::Chat(asked) = call { Some(asked) } else { None })
        .collect();
    assert_eq!(asked.len(), 2);
    for request in asked {
        let said: Vec<_> = request
            .messages
            .iter()
            .map(|message| (message.role.as_str(), message.content.line().into_owned()))
            .collect();
        assert_eq!(said, [("system", "Be kind.".to_owned()), ("user", "Where is it? Now".to_owned())]);
    }
}

#[test]
fn an_answer_may_be_longer_than_the_longest_one_of_the_file() {
    let mut desk = opened((120, 36));
    desk.held[1].wanted = format!(" {} END", "word ".repeat(200)).into();
    fetched(&mut desk);
    desk.calls();
    desk.press("\n");
    let calls = desk.calls().into_iter();
    let asked: Vec<_> = calls
        .filter_map(|(_, call)| if let Call::Complete(request) = call { request.max_tokens } else { None })
        .collect();
    assert!(asked.len() == 2 && asked.iter().all(|tokens| *tokens > 400), "{asked:?}");
}

#[test]
fn the_row_of_a_scoring_is_opened_in_the_pager() {
    let mut desk = running();
    desk.held = rows();
    desk.press("jjjT/held.jsonl\n");
    desk.shows("Send these rows to both models?");
    desk.press("\u{1b}j");
    let opened = desk.key(KeyCode::F(4), KeyModifiers::SHIFT);
    let [Effect::OpenPager(text)] = &opened[..] else { panic!("{opened:?}") };
    assert!(text.starts_with("Line 2\n\nexpected\n refund END\n"), "{text}");
    assert!(text.ends_with("prompt\nBroken ->"), "{text}");
}
