//! Every state as a picture, and what happens when anything happens.

use std::time::Duration;

use benchtop::api::call::{Progress, Ticket};
use benchtop::tabs::{Effect, Tab};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;

use crate::desk::{Desk, call, chunk, failure, retrying};

#[test]
fn pictures_of_every_state() {
    for (name, width, height) in [("wide", 120, 34), ("medium", 80, 22), ("narrow", 40, 10)] {
        let snap = |state: &str, desk: &mut Desk| {
            insta::assert_snapshot!(format!("{state}_{name}"), desk.picture(width, height));
        };
        let mut desk = Desk::new();
        snap("empty", &mut desk);
        let ticket = desk.ask("Now as JSON with keys rule, days, example.");
        desk.now += Duration::from_millis(1200);
        snap("waiting", &mut desk);
        let again = retrying(&desk);
        desk.progress(ticket, again);
        snap("countdown", &mut desk);
        desk.progress(ticket, Progress::Opened { request_id: None });
        desk.progress(ticket, chunk("Here it is:\n\n```json\n{\n  \"days\": 30,"));
        snap("streaming", &mut desk);
        desk.key(KeyCode::Esc);
        snap("stopped", &mut desk);
        let mut desk = Desk::new();
        let ticket = desk.ask("hi");
        desk.progress(ticket, chunk("Hello"));
        desk.progress(ticket, Progress::Closed(Err(failure("connection reset", None))));
        snap("cut_off", &mut desk);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]
    #[test]
    fn random_keys_and_replies_never_panic(steps in proptest::collection::vec((0_u8..12, any::<char>(), 1_u16..130, 1_u16..40), 80)) {
        let mut desk = Desk::new();
        let mut calls: Vec<Ticket> = Vec::new();
        let mut waiting: Vec<Effect> = Vec::new();
        for (kind, c, width, height) in steps {
            let effects = match kind {
                0..=2 => desk.key(KeyCode::Char(char::from(b' ' + (c as u32 % 95) as u8))),
                3 => desk.key(KeyCode::Enter),
                4 => {
                    let before = desk.draft();
                    let idle = desk.chat.typing() && desk.chat.escape() == Some("browse");
                    let effects = desk.key(KeyCode::Esc);
                    if idle {
                        prop_assert_eq!(before, desk.draft());
                    }
                    effects
                }
                5 => desk.key([KeyCode::Tab, KeyCode::Up, KeyCode::Down, KeyCode::PageUp][c as usize % 4]),
                6 => desk.with(|chat, cx| chat.key(KeyEvent::new(KeyCode::Char('r'), KeyModifiers::CONTROL), cx)),
                7 => {
                    let orders = std::mem::take(&mut waiting);
                    desk.commit(&orders)
                }
                8 => calls.last().copied().map_or_else(Vec::new, |ticket| desk.progress(ticket, chunk("x\u{1b}[2J\n```"))),
                9 => calls.pop().map_or_else(Vec::new, |ticket| {
                    let why = failure("connection reset", None);
                    desk.progress(ticket, Progress::Closed(if (c as u32).is_multiple_of(2) { Ok(()) } else { Err(why) }))
                }),
                10 => {
                    desk.now += Duration::from_millis(400);
                    desk.with(benchtop::tabs::Tab::tick)
                }
                _ => {
                    let picture = desk.picture(width, height);
                    prop_assert!(!picture.contains(char::from(27)), "an escape reached the screen");
                    Vec::new()
                }
            };
            calls.extend(call(&effects).map(|(ticket, _)| ticket));
            waiting.extend(effects);
        }
    }
}
