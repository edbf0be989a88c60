//! Every state as a picture, and what happens when anything happens.

use std::time::Duration;

use benchtop::api::call::{Failure, FailureKind, Progress, Reply, Ticket, cut_off_sentence};
use benchtop::api::chat::ChatChunk;
use benchtop::api::usage::Usage;
use benchtop::component::{Component, Effect};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;

use crate::desk::{Desk, Writes, call, chunk, failure, part, retrying};

/// Characters that act on a terminal or reorder what it shows, and what stands on the screen for them.
const ODD: &str = "<\u{1b}[2J\u{202e}\u{2066}\u{e0041}\u{2028}\u{9b}m>";
const SHOWN: &str = "<␛[2J⟨U+202E⟩⟨U+2066⟩⟨U+E0041⟩⟨U+2028⟩⟨U+009B⟩m>";

/// Returns a character that a terminal would act on, if there is one.
fn acts(picture: &str) -> Option<char> {
    let hidden = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2028}'..='\u{2029}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}');
    picture.chars().find(|c| *c != '\n' && (c.is_control() || hidden(*c)))
}

/// Returns a chunk with this usage.
fn usage(prompt_tokens: u64, completion_tokens: u64) -> Progress {
    let usage = Usage { prompt_tokens, completion_tokens: Some(completion_tokens), ..Usage::default() };
    Progress::Reply(Reply::ChatChunk(ChatChunk { usage: Some(usage), ..ChatChunk::default() }))
}

/// Fails unless the odd text is shown so often, and nothing of it acts.
fn safe(desk: &mut Desk, times: usize, what: &str) {
    let picture = desk.view(120, 34);
    assert_eq!(acts(&picture), None, "{what} acts: {picture:?}");
    assert!(picture.matches(SHOWN).count() >= times, "{what} is not shown: {picture}");
}

#[test]
fn text_from_outside_is_shown_and_does_nothing() {
    let mut desk = Desk::new();
    desk.app.session.model = ODD.into();
    desk.paste(ODD);
    // A text box marks the place instead, and keeps the columns.
    safe(&mut desk, 0, "what is typed");
    let ticket = desk.ask("");
    safe(&mut desk, 2, "a prompt and a title");
    desk.progress(
        ticket,
        part(0, &format!("# {ODD}\n\n{ODD} *{ODD}*\n\n```rust\n{ODD}\n```\n\n| {ODD} |\n|---|\n"), ODD),
    );
    safe(&mut desk, 6, "an answer");
    desk.press("\t");
    desk.press("oR");
    safe(&mut desk, 6, "reasoning and raw text");
    let why = Failure { code: Some(ODD.into()), body: ODD.into(), ..failure(ODD, Some(500)) };
    desk.progress(ticket, Progress::Closed(Err(why)));
    safe(&mut desk, 7, "an error");
    desk.press("d");
    safe(&mut desk, 3, "details");
    desk.press("\u{1b}");
    for keys in ["/", "p", "s"] {
        desk.press(keys);
        desk.paste(ODD);
        safe(&mut desk, 2, keys);
        desk.press("\u{1b}");
    }
}

/// Creates a desk whose store has not answered yet.
fn unanswered() -> Desk {
    let mut desk = Desk::new();
    desk.holds = |effect| matches!(effect, Effect::Load(..));
    desk.begin_again();
    desk
}

#[test]
fn pictures_of_every_state() {
    for (name, width, height) in [("wide", 120, 34), ("medium", 80, 22), ("narrow", 40, 10)] {
        let snap = |state: &str, desk: &mut Desk| {
            insta::assert_snapshot!(format!("{state}_{name}"), desk.view(width, height));
        };
        let mut desk = unanswered();
        snap("empty", &mut desk);
        let ticket = desk.ask("Now as JSON with keys rule, days, example.");
        desk.now += Duration::from_millis(1200);
        snap("waiting", &mut desk);
        desk.writes = Writes::Waiting;
        let again = retrying(desk.now);
        desk.progress(ticket, again);
        snap("countdown", &mut desk);
        desk.progress(ticket, Progress::Opened { request_id: None });
        desk.progress(ticket, chunk("Here it is:\n\n```json\n{\n  \"days\": 30,"));
        snap("streaming", &mut desk);
        desk.press("\u{1b}");
        snap("stopped", &mut desk);
        let mut desk = unanswered();
        let ticket = desk.ask("hi");
        desk.progress(ticket, chunk("Hello"));
        desk.writes = Writes::Waiting;
        desk.progress(ticket, Progress::Closed(Err(failure(&cut_off_sentence("connection reset"), None))));
        snap("cut_off", &mut desk);
        let mut desk = unanswered();
        let ticket = desk.ask("What is water?");
        desk.progress(ticket, Progress::Opened { request_id: None });
        desk.now += Duration::from_millis(400);
        desk.progress(ticket, chunk("**Water** is wet:\n\n- H₂O\n- `ice`, when cold\n"));
        desk.now += Duration::from_millis(1600);
        for progress in [usage(12, 40), Progress::Closed(Ok(()))] {
            desk.progress(ticket, progress);
        }
        snap("done", &mut desk);
        let mut desk = unanswered();
        let ticket = desk.ask("hi");
        desk.now += Duration::from_millis(300);
        let why = "the server refused the key (401): Incorrect API key provided: …Qx7a; set another in the profile";
        desk.progress(ticket, Progress::Closed(Err(failure(why, Some(401)))));
        snap("refused", &mut desk);
        let mut desk = unanswered();
        desk.app.session.server = benchtop::component::session::Server::Offline;
        let ticket = desk.ask("hi");
        desk.now += Duration::from_millis(300);
        let why = "no connection to 127.0.0.1:9: connection refused; is the server running?";
        desk.progress(ticket, Progress::Closed(Err(Failure::new(FailureKind::Offline, why))));
        snap("offline", &mut desk);
    }
}

#[test]
fn keys_in_a_row_of_their_own_still_name_the_key_before_them() {
    let mut desk = unanswered();
    let ticket = desk.ask("hi");
    desk.progress(ticket, chunk("Hello"));
    desk.progress(ticket, Progress::Closed(Err(failure(&cut_off_sentence("connection reset"), None))));
    let narrow = desk.view(40, 10);
    for row in ["┃ esc, then c continue", "┃ then ^R send again, d details"] {
        assert!(narrow.contains(row), "{narrow}");
    }
    let wide = desk.view(120, 34);
    assert!(wide.contains("┃ esc, then c continue, ^R send again, d details"), "{wide}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]
    #[test]
    fn random_keys_and_replies_never_panic(steps in proptest::collection::vec((0_u8..12, any::<char>(), 1_u16..130, 1_u16..40), 80)) {
        let mut desk = Desk::new();
        let mut calls: Vec<Ticket> = Vec::new();
        desk.writes = Writes::Waiting;
        for (kind, c, width, height) in steps {
            let effects = match kind {
                0..=2 => desk.code(KeyCode::Char(char::from(b' ' + (c as u32 % 95) as u8))),
                3 => desk.press("\n"),
                4 => {
                    let before = desk.draft();
                    let idle = desk.app.tab.typing() && desk.app.tab.escape() == Some("browse");
                    let effects = desk.press("\u{1b}");
                    if idle {
                        prop_assert_eq!(before, desk.draft());
                    }
                    effects
                }
                5 => desk.code([KeyCode::Tab, KeyCode::Up, KeyCode::Down, KeyCode::PageUp][c as usize % 4]),
                6 => desk.code(KeyEvent::new(KeyCode::Char('r'), KeyModifiers::CONTROL)),
                7 => {
                    let effects = desk.release();
                    desk.writes = Writes::Waiting;
                    effects
                }
                8 => calls.last().copied().map_or_else(Vec::new, |ticket| desk.progress(ticket, chunk(&format!("{ODD}\n```")))),
                9 => calls.pop().map_or_else(Vec::new, |ticket| {
                    let why = failure("connection reset", None);
                    desk.progress(ticket, Progress::Closed(if (c as u32).is_multiple_of(2) { Ok(()) } else { Err(why) }))
                }),
                10 => {
                    desk.now += Duration::from_millis(400);
                    desk.with(Component::tick)
                }
                _ => {
                    let picture = desk.view(width, height);
                    prop_assert_eq!(acts(&picture), None);
                    Vec::new()
                }
            };
            calls.extend(call(&effects).map(|(ticket, _)| ticket));
        }
    }
}

#[test]
fn an_empty_conversation_is_whole_on_the_smallest_screen() {
    for local in [true, false] {
        let mut desk = Desk::new();
        desk.app.session.local = local;
        // The terminal's 40×10 without header and footer.
        let picture = desk.view(40, 8);
        for words in ["Ask a language model;", "▸ ", "⏎ load it   ↑↓ others   ^P commands"] {
            assert!(picture.contains(words), "{words}: {picture}");
        }
        assert!(!picture.contains('…'), "{picture}");
        let first = picture.lines().find(|line| line.contains('▸')).unwrap().to_owned();
        desk.code(KeyCode::Down);
        let next = desk.view(40, 8);
        assert!(!next.contains(&first) && next.contains('▸') && !next.contains('…'), "{next}");
        desk.press("\n");
        assert!(next.contains(&desk.draft()), "what is on the screen is what is taken: {next}");
    }
}
