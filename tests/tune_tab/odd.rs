//! Random keys, replies and sizes: nothing breaks, and it can always be left.

use std::time::Duration;

use benchtop::api::call::{Call, Content, Failure, FailureKind, Followed, Progress, Reply};
use benchtop::api::completion::{Completion, CompletionChoice};
use benchtop::api::job::{Dialect, JobEvent};
use benchtop::app::Effect;
use crossterm::event::{KeyCode, KeyModifiers};

use crate::desk::Desk;
use crate::replies::{files, jobs};
use crate::trying::rows;

#[test]
fn two_thousand_random_keys_and_replies_survive_at_every_size() {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below
    };
    let sizes = [(1, 1), (20, 5), (40, 10), (40, 12), (59, 18), (80, 24), (100, 28), (120, 36), (200, 60)];
    let mut desk = Desk::new();
    desk.held = rows();
    let mut open = Vec::new();
    for step in 0..2_000 {
        desk.size = sizes[random(sizes.len() as u64) as usize];
        let code = match random(14) {
            0 => KeyCode::Enter,
            1 => KeyCode::Esc,
            2 => KeyCode::Tab,
            3 => [KeyCode::Up, KeyCode::Down, KeyCode::PageUp, KeyCode::PageDown][random(4) as usize],
            4 => [KeyCode::Left, KeyCode::Right, KeyCode::Home, KeyCode::End][random(4) as usize],
            5 => KeyCode::Backspace,
            6 => KeyCode::F(random(6) as u8 + 5),
            _ => KeyCode::Char(
                [
                    'C',
                    'c',
                    'x',
                    'X',
                    'e',
                    'f',
                    'w',
                    'j',
                    'k',
                    'J',
                    'S',
                    '/',
                    'n',
                    'N',
                    ' ',
                    'r',
                    'R',
                    'o',
                    'D',
                    'T',
                    'z',
                    'l',
                    's',
                    'v',
                    '0',
                    '9',
                    'd',
                    'g',
                    'G',
                    't',
                    '\u{1f574}',
                    '漢',
                ][random(32) as usize],
            ),
        };
        let modifiers = if random(12) == 0 { KeyModifiers::CONTROL } else { KeyModifiers::NONE };
        // What leads out of the tab leads out of the test.
        if !(modifiers == KeyModifiers::CONTROL && matches!(code, KeyCode::Char('z' | 'c'))) {
            desk.key(code, modifiers);
        }
        if random(30) == 0 {
            // Back to the list and to the page that tries a model, where keys are text.
            desk.press("\u{1b}\u{1b}\u{1b}gjjjt");
        }
        for effect in desk.news() {
            match effect {
                Effect::Call(ticket, _, call) => open.push((ticket, call)),
                Effect::Cancel(ticket) => open.retain(|(open, _)| *open != ticket),
                Effect::Quit => panic!("nothing here quits"),
                _ => {}
            }
        }
        if !open.is_empty() && random(3) == 0 {
            let at = random(open.len() as u64) as usize;
            let (ticket, call) = open[at].clone();
            let words = ["Completed epoch 1/4", "Step 7/9: x", "\u{1b}]0;x", "Fine-tune failed. Errors:\n\n"];
            let event = JobEvent { message: words[random(4) as usize].into(), created_at: step, ..JobEvent::default() };
            let reply = match &call {
                Call::Jobs => Some(Reply::Jobs(Dialect::FineTunes, jobs())),
                Call::Files => Some(Reply::Files(files())),
                Call::Follow(_) => Some(Reply::Followed(match random(4) {
                    0 => Followed::Lost {
                        why: Failure::new(FailureKind::CutOff, "lost"),
                        at: desk.now + Duration::from_secs(random(9)),
                    },
                    1 => Followed::Live { replayed: random(9), polling: random(2) == 0 },
                    2 => Followed::Job(Box::new(jobs().remove(random(6) as usize))),
                    _ => Followed::Events { first: random(40), events: vec![event] },
                })),
                Call::Content(_) => {
                    Some(Reply::Content(Content { from: 0, bytes: b"read".to_vec(), total: Some(4), ranges: true }))
                }
                Call::Complete(_) => {
                    let choice = CompletionChoice { text: words[random(4) as usize].into(), ..Default::default() };
                    Some(Reply::Completion(Completion { choices: vec![choice], ..Completion::default() }))
                }
                Call::CancelJob(_) | Call::CreateJob(_) => {
                    Some(Reply::Job(Box::new(jobs().remove(random(6) as usize))))
                }
                _ => None,
            };
            if let Some(reply) = reply {
                desk.progress(ticket, Progress::Reply(reply));
            }
            if random(3) == 0 {
                let end = if random(2) == 0 { Ok(()) } else { Err(Failure::new(FailureKind::Offline, "away")) };
                desk.progress(ticket, Progress::Closed(end));
                open.retain(|(open, _)| *open != ticket);
            }
        }
        if random(20) == 0 {
            desk.wait(Duration::from_secs(random(60)));
        }
        desk.screen();
        if !desk.screen().contains("Tune") {
            desk.size = (120, 36);
            desk.key(KeyCode::Char('6'), KeyModifiers::ALT);
        }
    }
    desk.size = (120, 36);
    for _ in 0..20 {
        desk.press("\u{1b}");
    }
    desk.settle();
    desk.shows("? help");
}
