//! Every state as a picture, and what happens when anything happens.

use std::time::Duration;

use benchtop::app::Effect;

use crossterm::event::KeyCode;
use proptest::prelude::*;

use crate::desk::Desk;
use crate::replies::{entry, list, offline, refused, unsupported, vectors};

/// Creates a desk with the eight sample texts.
fn sample(size: (u16, u16)) -> Desk {
    let mut desk = Desk::new();
    desk.press("\n");
    desk.settle();
    desk.size = size;
    desk
}

/// Creates a desk with the sample texts and their vectors.
pub fn done(size: (u16, u16)) -> Desk {
    let mut desk = sample(size);
    let (ticket, request) = desk.run();
    desk.answer(ticket, vectors(&request));
    desk.settle();
    desk
}

#[test]
fn pictures_of_every_state() {
    for (name, size) in [("wide", (120, 36)), ("medium", (80, 24)), ("narrow", (40, 12))] {
        let snap = |state: &str, desk: &mut Desk| insta::assert_snapshot!(format!("{state}_{name}"), desk.picture());
        let mut desk = Desk::new();
        desk.size = size;
        snap("empty", &mut desk);
        desk.press("aa text that is being typed");
        snap("typing", &mut desk);
        snap("sample", &mut sample(size));
        let mut desk = sample(size);
        desk.holds = |effect| matches!(effect, Effect::Work(..));
        desk.press("aone more\n\u{1b}");
        desk.wait(Duration::from_secs(1));
        desk.press("^r");
        snap("counting", &mut desk);
        let mut desk = sample(size);
        let _ = desk.run();
        desk.wait(Duration::from_millis(1200));
        snap("waiting", &mut desk);
        snap("done", &mut done(size));
        let mut desk = done(size);
        desk.press("lo");
        snap("ordered", &mut desk);
        desk.press("v");
        snap("stretched", &mut desk);
        desk.press("\n");
        snap("pair", &mut desk);
        desk.press("\u{1b}m");
        snap("map", &mut desk);
        let mut desk = done(size);
        desk.press("atwo words\n\u{1b}");
        desk.settle();
        snap("cached", &mut desk);
        let (ticket, _) = desk.run();
        desk.answer(ticket, list(vec![entry(0, &[0.0; 1536])], 2));
        desk.settle();
        snap("zeros", &mut desk);
        let mut desk = sample(size);
        desk.paste("one\ntwo");
        snap("paste", &mut desk);
        desk.press("t");
        desk.settle();
        snap("newline", &mut desk);
        let mut desk = sample(size);
        let (ticket, _) = desk.run();
        desk.fail(ticket, offline());
        desk.wait(Duration::from_millis(300));
        snap("offline", &mut desk);
        let mut desk = sample(size);
        let (ticket, _) = desk.run();
        desk.fail(ticket, unsupported());
        desk.wait(Duration::from_millis(300));
        snap("unsupported", &mut desk);
        let mut desk = sample(size);
        let (ticket, _) = desk.run();
        desk.rate_limited(ticket);
        snap("retrying", &mut desk);
        let mut desk = sample(size);
        desk.paste(&"word ".repeat(9_000));
        desk.settle();
        snap("too_long", &mut desk);
        desk.press("^r");
        desk.settle();
        snap("too_long_asked", &mut desk);
        let mut desk = Desk::new();
        desk.press("arefund\nrefund\n\u{1b}");
        desk.size = size;
        let (ticket, request) = desk.run();
        desk.answer(ticket, vectors(&request));
        desk.settle();
        snap("twice", &mut desk);
        let mut desk = sample(size);
        let (ticket, _) = desk.run();
        desk.fail(ticket, refused("the server refused the request (400): the model cannot embed this"));
        desk.settle();
        snap("halved", &mut desk);
        let mut desk = dense(size);
        snap("dense", &mut desk);
        desk.press("zD");
        snap("dimensions", &mut desk);
        desk.press("\u{1b}E");
        snap("export", &mut desk);
    }
}

/// Creates a desk with thirty texts, which the dense form shows.
fn dense(size: (u16, u16)) -> Desk {
    let mut desk = Desk::new();
    let lines: Vec<String> = (1..=30).map(|number| format!("text number {number}")).collect();
    desk.paste(&lines.join("\n"));
    desk.press("l");
    let (ticket, request) = desk.run();
    desk.answer(ticket, vectors(&request));
    desk.settle();
    desk.size = size;
    desk
}

#[test]
fn a_run_half_way_shows_what_came() {
    for (name, size) in [("wide", (120, 36)), ("medium", (80, 24)), ("narrow", (40, 12))] {
        let mut desk = Desk::new();
        let lines: Vec<String> = (1..=300).map(|number| format!("text number {number}")).collect();
        desk.paste(&lines.join("\n"));
        desk.press("l");
        desk.settle();
        desk.size = size;
        desk.press("^r");
        let sent = desk.sent();
        assert_eq!(sent.len(), 3, "128 + 128 + 44");
        desk.answer(sent[0].0, vectors(&sent[0].1));
        desk.wait(Duration::from_secs(4));
        insta::assert_snapshot!(format!("half_way_{name}"), desk.picture());
        desk.press("p");
        insta::assert_snapshot!(format!("paused_{name}"), desk.picture());
    }
}

/// Anything a user, a server or a disk may do.
#[derive(Clone, Debug)]
enum Happens {
    Key(char),
    Code(KeyCode),
    Control(char),
    Paste(String),
    Answer(usize),
    Fail(usize),
    Wait(u64),
    Size(u16, u16),
    Release,
}

fn happens() -> impl Strategy<Value = Happens> {
    let keys = "aeJKxufLomvPscHDWbEI/nNdyOhjklig+-0zGp1<\u{e9}";
    let chars: Vec<char> = keys.chars().collect();
    let codes = [KeyCode::Enter, KeyCode::Esc, KeyCode::Tab, KeyCode::Backspace, KeyCode::Down, KeyCode::Up];
    prop_oneof![
        6 => prop::sample::select(chars).prop_map(Happens::Key),
        3 => prop::sample::select(codes.to_vec()).prop_map(Happens::Code),
        2 => prop::sample::select(vec!['r', 'j', 'd', 'u']).prop_map(Happens::Control),
        1 => "[a-z\n ]{1,30}".prop_map(Happens::Paste),
        2 => (0..4_usize).prop_map(Happens::Answer),
        1 => (0..4_usize).prop_map(Happens::Fail),
        2 => (1..3_000_u64).prop_map(Happens::Wait),
        1 => (20..130_u16, 6..40_u16).prop_map(|(width, height)| Happens::Size(width, height)),
        1 => Just(Happens::Release),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn whatever_happens_nothing_breaks(all in prop::collection::vec(happens(), 1..80)) {
        let mut desk = Desk::new();
        desk.press("\n");
        let (mut open, mut slow) = (Vec::new(), false);
        for one in all {
            match one {
                Happens::Key(key) => drop(desk.code(KeyCode::Char(key))),
                Happens::Code(code) => drop(desk.code(code)),
                Happens::Control(key) => drop(desk.press(&format!("^{key}"))),
                Happens::Paste(text) => drop(desk.paste(&text)),
                Happens::Answer(at) => if let Some((ticket, request)) = take(&mut open, at) {
                    desk.answer(ticket, vectors(&request));
                },
                Happens::Fail(at) => if let Some((ticket, _)) = take(&mut open, at) {
                    desk.fail(ticket, refused("no"));
                },
                Happens::Wait(time) => desk.wait(Duration::from_millis(time)),
                Happens::Size(width, height) => desk.size = (width, height),
                Happens::Release => slow = !slow,
            }
            if slow {
                desk.holds = |effect| matches!(effect, Effect::Work(..));
            } else {
                desk.release();
            }
            open.extend(desk.sent());
            desk.screen();
        }
    }
}

fn take<T>(open: &mut Vec<T>, at: usize) -> Option<T> {
    if open.is_empty() { None } else { Some(open.remove(at % open.len())) }
}
