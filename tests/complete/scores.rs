//! What the model thought: probabilities in every shape, scores, counts, biases, tokens.

use benchtop::api::completion::{CompletionRequest, Logprobs};
use benchtop::app::Effect;
use benchtop::record::TurnStatus;

use crate::desk::{Desk, prompt};
use crate::replies::{AD, MUSIC, Odds, columns, end, entries, piece, text, told, usage};

/// Runs a text with probabilities requested.
fn asking(prompt: &str, echo: bool) -> (Desk, benchtop::api::call::Ticket, CompletionRequest) {
    let mut desk = Desk::new();
    desk.press(prompt);
    desk.set("Log probabilities", "5");
    if echo {
        desk.set("Echo", "true");
    }
    let (ticket, request) = desk.run();
    (desk, ticket, request)
}

/// Fails unless the strip shows ` music` and what it is measured against.
fn shows_music(desk: &mut Desk) {
    desk.shows("Token 3 of 4 · “ music”");
    desk.shows("p 0.41 · logprob −0.89");
    for (name, share) in [(" focus ", "0.22"), (" calm ", "0.13"), (" podcast ", "0.08"), (" silence ", "0.05")] {
        let screen = desk.screen();
        assert!(screen.lines().any(|line| line.contains(name) && line.contains(share)), "{name}: {screen}");
    }
    let screen = desk.screen();
    assert!(screen.lines().any(|line| line.contains(" other ") && line.contains("0.11")), "{screen}");
}

#[test]
fn probabilities_are_read_in_the_interfaces_form_and_in_chats() {
    let shapes: [fn(&[Odds]) -> Logprobs; 2] = [columns, entries];
    for shape in shapes {
        // In a piece for each token, and all in one.
        for whole in [false, true] {
            let (mut desk, ticket, request) = asking("Headphones:", false);
            assert_eq!(request.logprobs, Some(5));
            let pieces = if whole {
                vec![piece(0, " Keep the music.", Some(shape(&AD)))]
            } else {
                AD.iter().map(|odds| piece(0, odds.0, Some(shape(&[*odds])))).collect()
            };
            desk.answer_with(ticket, pieces.into_iter().chain([end(0, "stop")]));
            assert_eq!(desk.text(), "Headphones: Keep the music.");
            desk.press("←");
            shows_music(&mut desk);
            // (0.5 + 0.1 + 0.89 + 0.2) / 4
            desk.shows("perplexity 1.53 by text-davinci-003");
        }
    }
}

#[test]
fn a_server_without_probabilities_is_said_to_be_one() {
    let (mut desk, ticket, _) = asking("Headphones:", false);
    desk.shows("No token has come yet.");
    desk.answer_with(ticket, [text(" Keep"), end(0, "stop")]);
    desk.shows("This server sent no probabilities.");
}

#[test]
fn an_echoed_prompt_is_scored_and_told_from_what_is_new() {
    let (mut desk, ticket, request) = asking("Keep the", true);
    assert_eq!((prompt(&request), request.echo), ("Keep the", Some(true)));
    let keep = ("Keep", 1.0, &[][..]);
    desk.answer_with(ticket, told(0, &[keep, AD[1], MUSIC, AD[3]]).into_iter().chain([end(0, "stop"), usage(2, 2)]));
    assert_eq!(desk.text(), "Keep the music.");
    desk.shows("Token 4 of 4");
    // Of the prompt's tokens all but the first have a figure.
    desk.shows("prompt");
    desk.shows("perplexity");
    desk.press("g");
    desk.shows("Token 1 of 4 · “Keep”");
    // The prompt is still scored when it is opened again.
    let mut desk = desk.again();
    desk.press("\u{1b}");
    desk.shows("Token 4 of 4");
    desk.shows("perplexity");
}

#[test]
fn perplexities_name_the_models_that_computed_them() {
    let (mut desk, ticket, _) = asking("Keep the", true);
    let keep = ("Keep", 1.0, &[][..]);
    desk.answer_with(ticket, told(0, &[keep, AD[1], MUSIC, AD[3]]).into_iter().chain([end(0, "stop"), usage(2, 2)]));
    let prompt = desk.line("prompt 2 tok");
    assert!(prompt.contains("by text-davinci-003"), "{prompt}");
    // Another model continues what one has written.
    let (mut desk, ticket, _) = asking("Keep the", false);
    desk.answer_with(ticket, told(0, &[MUSIC, AD[3]]).into_iter().chain([end(0, "length")]));
    desk.press("^pmodel: choose\nllama\n");
    desk.settle();
    let (ticket, _) = desk.run();
    desk.answer_with(ticket, told(0, &[(" Always.", -0.3, &[])]).into_iter().chain([end(0, "stop")]));
    let completion = desk.line("completion 3 tok");
    assert!(completion.contains("by 2 models"), "{completion}");
}

#[test]
fn a_prompt_that_is_only_scored_writes_nothing() {
    let mut desk = Desk::new();
    desk.press("Keep the music");
    desk.set("Log probabilities", "5");
    desk.set("Echo", "true");
    desk.set("Max tokens", "0");
    let (ticket, request) = desk.run();
    assert_eq!((request.max_tokens, request.echo, request.stream), (Some(0), Some(true), Some(true)));
    let keep = ("Keep", 1.0, &[][..]);
    desk.answer_with(ticket, told(0, &[keep, AD[1], MUSIC]).into_iter().chain([end(0, "length"), usage(3, 0)]));
    assert_eq!(desk.text(), "Keep the music");
    desk.shows("the prompt was only read");
    desk.shows("Token 3 of 3");
    desk.shows("perplexity");
    desk.settle();
    let run = &desk.disk.runs()[0];
    assert_eq!((run.status, run.prompt_tokens, run.completion_tokens), (TurnStatus::Done, 3, 0));
    assert_eq!(desk.disk.tokens(run.id).len(), 3);
    assert_eq!(desk.disk.sheet().1.len(), 1, "no step was made of nothing");
}

#[test]
fn a_prompt_over_the_limit_is_counted_and_not_sent() {
    let mut desk = Desk::new();
    desk.paste(&"word ".repeat(4100));
    desk.settle();
    // 4,100 words, a blank behind the last, 16 to come.
    desk.shows("4,117 of 4,097 tok, cut 20");
    desk.press("^r");
    assert_eq!(desk.sent(), []);
    desk.shows("nothing was sent");
    // Cut, it fits.
    for _ in 0..5 * 20 {
        desk.code(crossterm::event::KeyCode::Backspace);
    }
    let (_, request) = desk.run();
    assert_eq!(prompt(&request).len(), 5 * 4080);
}

#[test]
fn a_run_waits_for_the_count_where_it_decides() {
    let mut desk = Desk::new();
    desk.holds = |effect| matches!(effect, Effect::Work(..));
    desk.paste(&"word ".repeat(4100));
    desk.press("^r");
    desk.shows("counting");
    assert_eq!(desk.sent(), []);
    desk.release();
    assert_eq!(desk.sent(), []);
    desk.shows("nothing was sent");
    // Esc ends the waiting, and then nothing goes off by itself.
    desk.holds = |effect| matches!(effect, Effect::Work(..));
    desk.press("x^r");
    desk.shows("counting");
    desk.press("\u{1b}");
    desk.release();
    desk.settle();
    assert_eq!(desk.sent(), []);
}

#[test]
fn an_unknown_model_is_counted_by_guess() {
    let mut desk = Desk::new();
    desk.press("Some words to count\u{1b}");
    desk.settle();
    desk.shows("4 tok of 4,097");
    desk.press("^pmodel: choose\nllama\n");
    desk.settle();
    desk.shows("~4 tok");
    desk.hides("of 4,097");
}

#[test]
fn a_token_gets_a_bias_from_the_strip() {
    let (mut desk, ticket, _) = asking("Headphones:", false);
    desk.answer_with(ticket, told(0, &AD).into_iter().chain([end(0, "stop")]));
    // ` music` is never to come again, ` focus` is likelier.
    desk.press("←x");
    desk.shows("“ music” (id 2647) has a bias of -100");
    desk.press("↓+");
    desk.press("R");
    let (_, request) = desk.asked();
    let biases = request.logit_bias.unwrap();
    assert_eq!(biases.len(), 2);
    assert_eq!((biases.get("2647"), biases.get("2962")), (Some(&-100.0), Some(&5.0)));
    desk.press("\u{1b}s");
    desk.shows("2 tokens");
}

#[test]
fn biases_are_edited_as_texts_and_ids() {
    let mut desk = Desk::new();
    desk.press("Headphones:\u{1b}B");
    desk.press("a music\n");
    desk.shows("music");
    desk.press("\n^u-50\n");
    desk.press("\u{1b}");
    let (_, request) = desk.run();
    let biases: Vec<_> = request.logit_bias.unwrap().into_iter().collect();
    assert_eq!(biases.len(), 1);
    assert!(biases[0].1 < -49.0, "{biases:?}");
    desk.press("\u{1b}Bx\u{1b}");
    assert_eq!(desk.curl().logit_bias, None);
}

#[test]
fn the_text_is_shown_as_tokens_with_their_ids() {
    let mut desk = Desk::new();
    desk.press("Keep the music\u{1b}T");
    desk.shows("p50k_base");
    desk.press("i");
    for id in ["262", "2647"] {
        desk.shows(id);
    }
    desk.press("G*\u{1b}");
    assert_eq!(desk.curl().logit_bias.unwrap().get("2647"), Some(&100.0));
    desk.shows("Keep the music");
}

#[test]
fn tokens_are_coloured_by_their_probability() {
    let (mut desk, ticket, _) = asking("Headphones:", false);
    desk.answer_with(ticket, told(0, &AD).into_iter().chain([end(0, "stop")]));
    desk.settle();
    let before = desk.screen();
    desk.shows("p <25% <50% <75% ≥75%");
    desk.press("p");
    desk.settle();
    desk.hides("<25%");
    desk.press("p");
    desk.settle();
    assert_eq!(desk.screen(), before);
    // It is a setting as others are.
    desk.press("p");
    desk.settle();
    let mut desk = desk.again();
    desk.press("\u{1b}");
    desk.shows("Token 4 of 4");
    desk.hides("<25%");
}

#[test]
fn tokens_of_a_text_changed_since_are_those_that_are_still_whole() {
    let (mut desk, ticket, _) = asking("Headphones:", false);
    desk.answer_with(ticket, told(0, &AD).into_iter().chain([end(0, "stop")]));
    // Into ` music`.
    desk.press("i");
    desk.press("←←←X");
    assert_eq!(desk.text(), "Headphones: Keep the musXic.");
    desk.press("\u{1b}");
    desk.shows("of 3 ·");
    desk.press("u");
    desk.shows("of 4 ·");
}

#[test]
fn a_generated_token_counts_once_though_the_next_prompt_echoes_it() {
    let mut desk = Desk::new();
    desk.press("Headphones:");
    desk.set("Log probabilities", "5");
    desk.set("Echo", "true");
    let (ticket, request) = desk.run();
    assert_eq!(request.echo, Some(true));
    let first = [("Headphones", -2.0, &[][..]), (":", -0.5, &[])];
    desk.answer_with(ticket, told(0, &first).into_iter().chain(told(0, &AD)).chain([end(0, "length")]));
    assert_eq!(desk.text(), "Headphones: Keep the music.");
    desk.shows("Token 6 of 6");
    desk.press("\u{1b}");
    let (ticket, request) = desk.run();
    assert_eq!(prompt(&request), "Headphones: Keep the music.");
    let again = told(0, &first).into_iter().chain(told(0, &AD)).chain(told(0, &[(" Always.", -0.3, &[])]));
    desk.answer_with(ticket, again.chain([end(0, "stop")]));
    assert_eq!(desk.text(), "Headphones: Keep the music. Always.");
    desk.shows("Token 7 of 7");
    desk.shows("prompt 2 tok");
    desk.shows("completion 5 tok");
}
