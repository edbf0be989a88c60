//! Every state as a picture, and what happens when anything happens.

use std::time::Duration;

use benchtop::api::call::Progress;
use benchtop::record::Query;
use crossterm::event::{Event as Input, KeyCode, KeyModifiers};
use proptest::prelude::*;

use crate::desk::Desk;
use crate::replies::{AD, cut, end, offline, piece, refused, text, told, usage};

const PROMPT: &str = "Product: noise-cancelling headphones\nAudience: commuters\n\nWrite a one-sentence ad:";

/// Creates a desk with the prompt.
fn prompted(size: (u16, u16)) -> Desk {
    let mut desk = Desk::new();
    desk.paste(PROMPT);
    desk.settle();
    desk.size = size;
    desk
}

fn with_logprobs(size: (u16, u16)) -> Desk {
    let mut desk = prompted((120, 36));
    desk.set("Log probabilities", "5");
    desk.size = size;
    desk
}

/// Creates an answered prompt with probabilities.
fn done(size: (u16, u16)) -> Desk {
    let mut desk = with_logprobs(size);
    let (ticket, _) = desk.run();
    desk.answer_with(ticket, told(0, &AD).into_iter().chain([end(0, "stop"), usage(19, 4)]));
    desk.settle();
    desk
}

fn picture(desk: &mut Desk) -> String {
    desk.picture_without_times("%H:%M", "hh:mm")
}

#[test]
fn pictures_of_every_state() {
    for (name, size) in [("wide", (120, 36)), ("medium", (80, 24)), ("narrow", (40, 12))] {
        let snap = |state: &str, desk: &mut Desk| insta::assert_snapshot!(format!("{state}_{name}"), picture(desk));
        let mut desk = Desk::new();
        desk.size = size;
        snap("empty", &mut desk);
        let mut desk = prompted(size);
        snap("typed", &mut desk);
        let mut desk = with_logprobs(size);
        let (ticket, _) = desk.run();
        desk.wait(Duration::from_millis(1200));
        snap("waiting", &mut desk);
        desk.progress(ticket, Progress::Opened { request_id: None });
        for progress in told(0, &AD[..3]) {
            desk.progress(ticket, progress);
            desk.wait(Duration::from_millis(400));
        }
        snap("streaming", &mut desk);
        desk.press("\u{1b}");
        desk.settle();
        snap("stopped", &mut desk);
        snap("done", &mut done(size));
        let mut desk = done(size);
        desk.press("←←");
        desk.settle();
        snap("heat", &mut desk);
        let mut desk = prompted(size);
        let (ticket, _) = desk.run();
        desk.progress(ticket, text(" Silence the carriage, keep the music: headphones that give you your"));
        desk.fail(ticket, cut());
        desk.settle();
        snap("cut_off", &mut desk);
        let mut desk = prompted((120, 36));
        desk.set("Best of", "20");
        desk.size = size;
        let (ticket, _) = desk.run();
        let body = r#"{"error":{"message":"20 is greater than the maximum of 4 - 'best_of'","param":null}}"#;
        desk.fail(ticket, refused(400, "the server refused the request (400): 20 is greater than the maximum of 4 - 'best_of'; change it and run again", body));
        desk.settle();
        snap("refused", &mut desk);
        desk.press("s");
        snap("settings", &mut desk);
        desk.press("\u{1b}P");
        snap("presets", &mut desk);
        let mut desk = prompted(size);
        let (ticket, _) = desk.run();
        desk.fail(ticket, offline());
        desk.settle();
        snap("offline", &mut desk);
        let (ticket, _) = desk.run();
        desk.rate_limited(ticket);
        snap("retrying", &mut desk);
        let mut desk = Desk::new();
        desk.paste(&"word ".repeat(4100));
        desk.settle();
        desk.size = size;
        snap("over_the_limit", &mut desk);
        let mut desk = prompted((120, 36));
        desk.set("Completions (n)", "3");
        desk.size = size;
        let (ticket, _) = desk.run();
        let three = [
            " Silence the carriage, keep the music.",
            " Silence the crowd: your commute, your sound.",
            " Hear only what you love on the way to work.",
        ];
        let pieces = three.iter().zip(0..).flat_map(|(text, index)| [piece(index, text, None), end(index, "stop")]);
        desk.answer_with(ticket, pieces.chain([usage(19, 30)]));
        desk.settle();
        snap("branches", &mut desk);
        desk.press("D");
        desk.settle();
        snap("side_by_side", &mut desk);
        desk.press("\u{1b}R");
        let (ticket, _) = desk.asked();
        desk.fail(ticket, cut());
        desk.settle();
        desk.press("r");
        snap("runs", &mut desk);
        let mut desk = done(size);
        desk.press("T");
        snap("tokenizer", &mut desk);
        desk.press("\u{1b}B");
        snap("biases", &mut desk);
    }
}

#[test]
fn pictures_of_a_comparison_and_of_a_scored_prompt() {
    for (name, size) in [("wide", (120, 36)), ("medium", (80, 24)), ("narrow", (40, 12))] {
        let snap = |state: &str, desk: &mut Desk| insta::assert_snapshot!(format!("{state}_{name}"), picture(desk));
        let mut desk = prompted((120, 36));
        desk.press("\u{1b}c>Pm^u");
        desk.press("ada\n");
        desk.size = size;
        snap("compare_before", &mut desk);
        desk.press("^r");
        let sent = desk.sent();
        for (ticket, ..) in &sent {
            desk.progress(*ticket, Progress::Opened { request_id: None });
        }
        desk.progress(sent[0].0, text(" Silence the carriage, keep"));
        desk.progress(sent[1].0, text(" Silence the crowd"));
        desk.wait(Duration::from_millis(400));
        snap("compare_streaming", &mut desk);
        desk.answer_with(sent[0].0, [text(" the music."), end(0, "stop"), usage(19, 8)]);
        desk.answer_with(sent[1].0, [text(", hear the road."), end(0, "stop"), usage(19, 9)]);
        desk.settle();
        snap("compare_done", &mut desk);
        let mut desk = with_logprobs((120, 36));
        desk.set("Echo", "true");
        desk.size = size;
        let (ticket, _) = desk.run();
        let words = PROMPT.split_inclusive(' ');
        let prompt = words.enumerate().map(|(nth, word)| (word, if nth == 0 { 1.0 } else { -1.5 }, &[][..]));
        let all: Vec<_> = prompt.chain(AD).collect();
        desk.answer_with(ticket, told(0, &all).into_iter().chain([end(0, "stop"), usage(19, 4)]));
        desk.settle();
        snap("prompt_scores", &mut desk);
    }
}

/// Sizes from too small to large.
fn sizes() -> impl Strategy<Value = (u16, u16)> {
    (20_u16..=200, 5_u16..=60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]
    #[test]
    fn random_keys_and_replies_never_panic(
        steps in proptest::collection::vec((0_u8..14, any::<char>(), 0_usize..32, sizes()), 1000),
    ) {
        let mut desk = Desk::new();
        desk.press("A text.");
        let mut calls = Vec::new();
        for (kind, c, nth, size) in steps {
            desk.size = size;
            match kind {
                0..=3 => drop(desk.code(KeyCode::Char(char::from(b' ' + (c as u32 % 95) as u8)))),
                4 => {
                    let keys = [
                        KeyCode::Enter, KeyCode::Esc, KeyCode::Tab, KeyCode::BackTab, KeyCode::Up, KeyCode::Down,
                        KeyCode::Left, KeyCode::Right, KeyCode::Home, KeyCode::End, KeyCode::PageUp,
                        KeyCode::PageDown, KeyCode::Backspace, KeyCode::Delete, KeyCode::F(6), KeyCode::Enter,
                    ];
                    desk.code(keys[nth % keys.len()]);
                }
                5 => drop(desk.key(KeyCode::Char(['r', 'y', 'x', 'u', 'd', 'j', 'w', 'k'][nth % 8]), KeyModifiers::CONTROL)),
                6 => drop(desk.press(["u", "U", "<", ">", "D", "R", "a", "n", "\u{1b}", "p", "t", "T"][nth % 12])),
                7 => drop(desk.press("\u{1b}\u{1b}")),
                8 => desk.wait(Duration::from_millis(nth as u64 * 150)),
                9 => if let Some(ticket) = calls.last().copied() {
                    let odds = AD[nth % 4];
                    let told = if nth % 3 == 0 { vec![piece(nth as u32 % 3, "x\u{1b}[2J\n\t你👩‍👩‍👧e\u{301}", None)] } else { told(nth as u32 % 2, &[odds]) };
                    for progress in told {
                        desk.progress(ticket, progress);
                    }
                },
                10 => if let Some(ticket) = calls.pop() {
                    match nth % 4 {
                        0 => drop(desk.fail(ticket, cut())),
                        1 => drop(desk.fail(ticket, offline())),
                        _ => drop(desk.progress(ticket, Progress::Closed(Ok(())))),
                    }
                },
                11 => drop(desk.paste(["a\nb", "\u{202e}\t", "", "word word"][nth % 4])),
                12 => drop(desk.event(benchtop::app::Event::Input(Input::Resize(size.0, size.1)))),
                _ => drop(desk.press(["^r", "s", "P", "r", "B", "/", "S"][nth % 7])),
            }
            calls.extend(desk.sent().into_iter().map(|(ticket, ..)| ticket));
            if desk.app.title() != "benchtop · Complete" {
                desk.key(KeyCode::Char('2'), KeyModifiers::ALT);
            }
        }
        desk.size = (100, 30);
        // What runs is stopped first, which keeps the text.
        desk.press("\u{1b}\u{1b}\u{1b}\u{1b}\u{1b}\u{1b}");
        let before = desk.text();
        desk.press(&"\u{1b}".repeat(20));
        prop_assert_eq!(desk.text(), before);
        let footer = desk.footer();
        prop_assert!(footer.contains("i edit text"), "{}", footer);
        desk.settle();
        let known = match desk.disk.load(Query::Setting("completion.sheet".into())) {
            benchtop::record::Rows::Setting(_, id) => id,
            _ => None,
        };
        if known.is_some() {
            let text = desk.text();
            let mut later = desk.again();
            prop_assert_eq!(later.text(), text, "the same is there next time");
        }
    }
}
