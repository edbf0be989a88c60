//! What is said about a run is about that run: refusals, probabilities and echoes that did not come, models that
//! cannot.

use benchtop::api::call::{Call, Failure, FailureKind, Progress, Reply};
use benchtop::api::model::Model;
use benchtop::app::Effect;

use crate::desk::Desk;
use crate::replies::{AD, end, piece, text, told};

/// Creates a prompt whose temperature the server refused.
fn refused() -> Desk {
    let mut desk = Desk::new();
    desk.press("Headphones:");
    desk.set("Temperature", "1.5");
    let (ticket, _) = desk.run();
    let body = r#"{"error":{"message":"1.5 is greater than the maximum of 1 - 'temperature'"}}"#;
    desk.fail(ticket, Failure { status: Some(400), body: body.into(), ..Failure::new(FailureKind::Refused, "400") });
    desk.shows("✕ the server refuses");
    desk
}

#[test]
fn a_refusal_is_over_with_the_next_run() {
    let mut desk = refused();
    desk.press("\u{1b}");
    let (ticket, _) = desk.run();
    desk.hides("the server refuses");
    desk.answer_with(ticket, [text(" Keep the music."), end(0, "stop")]);
    desk.hides("the server refuses");
}

#[test]
fn an_answer_without_text_says_why_it_ended() {
    for (reason, said) in [
        ("length", "nothing was generated: the answer reached max_tokens"),
        ("content_filter", "nothing was generated: the server's content filter ended the answer"),
        ("stop", "nothing was generated: the model ended at once"),
    ] {
        let mut desk = Desk::new();
        let ticket = desk.ask("Headphones:");
        desk.answer_with(ticket, [end(0, reason)]);
        desk.shows(said);
    }
}

#[test]
fn a_new_text_says_which_keys_lead_back_while_letters_are_typed() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Headphones:");
    desk.answer_with(ticket, [text(" Keep"), end(0, "stop")]);
    desk.settle();
    desk.press("n");
    desk.shows("new text; esc, then r, lists the previous ones");
    desk.press("\u{1b}r\n");
    desk.settle();
    assert_eq!(desk.text(), "Headphones: Keep");
}

#[test]
fn what_a_page_said_goes_when_the_page_is_left_and_an_error_says_where_it_is_of() {
    let mut desk = Desk::new();
    desk.press("Once\u{1b}^y");
    desk.shows("nothing to redo");
    desk.press("T");
    desk.hides("nothing to redo");
    desk.press("\u{1b}n");
    desk.paste(&"word ".repeat(4100));
    desk.settle();
    desk.press("\u{1b}^r");
    desk.shows("nothing was sent");
    desk.hides("Complete: ");
    desk.press("T");
    desk.shows("✕ Complete: ");
}

#[test]
fn examples_that_need_what_a_server_lacks_come_last() {
    let mut desk = Desk::new();
    desk.press("Once  more");
    desk.set("Log probabilities", "5");
    let (ticket, _) = desk.run();
    desk.answer_with(ticket, [text("upon"), end(0, "stop")]);
    let body = r#"{"error":{"message":"suffix is not supported - 'suffix'"}}"#;
    desk.press("i←←");
    let (ticket, _) = desk.run();
    desk.fail(ticket, Failure { status: Some(400), body: body.into(), ..Failure::new(FailureKind::Refused, "400") });
    desk.settle();
    let after = |desk: &mut Desk| {
        desk.press("\u{1b}PG");
        let screen = desk.screen();
        let needs = |words: &str| screen.lines().filter(|line| line.contains(words)).count();
        assert!(needs("needs logprobs") > 0 && needs("needs suffix") > 0, "{screen}");
    };
    after(&mut desk);
    // It is known the next time, and of another model nothing is.
    let mut desk = desk.again();
    after(&mut desk);
}

#[test]
fn a_refusal_is_over_with_another_text() {
    let mut desk = refused();
    desk.press("i!");
    desk.hides("the server refuses");
    let mut desk = refused();
    desk.press("\u{1b}n");
    desk.hides("the server refuses");
}

#[test]
fn probabilities_that_were_not_asked_for_are_not_missed() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Headphones:");
    desk.answer_with(ticket, [text(" Keep"), end(0, "stop")]);
    desk.set("Log probabilities", "5");
    desk.hides("This server sent no probabilities.");
    desk.shows("The next run asks for probabilities: ^R runs.");
    let (ticket, _) = desk.run();
    desk.answer_with(ticket, [text(" the music"), end(0, "stop")]);
    desk.shows("This server sent no probabilities.");
}

#[test]
fn a_text_that_was_accepted_had_its_probabilities() {
    let mut desk = Desk::new();
    desk.press("Headphones:");
    desk.set("Log probabilities", "5");
    let (ticket, _) = desk.run();
    let pieces = AD.iter().map(|odds| piece(0, odds.0, Some(crate::replies::columns(&[*odds]))));
    desk.answer_with(ticket, pieces.chain([end(0, "stop")]));
    desk.hides("This server sent no probabilities.");
    desk.press("a");
    desk.hides("This server sent no probabilities.");
    desk.again().hides("This server sent no probabilities.");
}

#[test]
fn an_echo_that_did_not_come_is_said() {
    for came in [false, true] {
        let mut desk = Desk::new();
        desk.press("Keep the");
        desk.set("Log probabilities", "5");
        desk.set("Echo", "true");
        let (ticket, _) = desk.run();
        if came {
            let keep = ("Keep", 1.0, &[][..]);
            desk.answer_with(ticket, told(0, &[keep, AD[1], AD[2], AD[3]]).into_iter().chain([end(0, "stop")]));
        } else {
            desk.answer_with(ticket, [text(" music."), end(0, "stop")]);
        }
        let screen = desk.screen();
        assert_eq!(screen.contains("the server did not return the requested echo"), !came, "{screen}");
    }
}

/// Opens the list of models and answers it with these.
fn lists(desk: &mut Desk, ids: &[&str]) {
    desk.press("\u{1b}m");
    let asked = desk.effects.iter().rev().find_map(|effect| match effect {
        Effect::Call(ticket, _, Call::Models) => Some(*ticket),
        _ => None,
    });
    let asked = asked.expect("the list is asked for");
    let models = ids.iter().map(|id| Model { id: (*id).to_owned(), ..Model::default() }).collect();
    desk.progress(asked, Progress::Reply(Reply::Models(models)));
    desk.progress(asked, Progress::Closed(Ok(())));
    desk.press("\u{1b}i");
    desk.news();
}

#[test]
fn the_default_model_is_one_that_completes() {
    let mut desk = Desk::new();
    lists(&mut desk, &["gpt-4o", "o1", "chatgpt-4o-latest", "sora-2", "davinci-002"]);
    desk.press("Once");
    assert_eq!(desk.run().1.model, "davinci-002");
    let mut desk = Desk::new();
    lists(&mut desk, &["gpt-4o", "o1", "chatgpt-4o-latest", "dall-e-3"]);
    desk.press("Once");
    desk.press("^r");
    assert_eq!(desk.sent(), [], "none is sent to a model that chats");
    desk.shows("no model of this server completes texts");
}
