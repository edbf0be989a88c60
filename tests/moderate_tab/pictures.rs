//! Every state as a picture.

use std::time::Duration;

use benchtop::api::call::{Failure, FailureKind};
use crossterm::event::KeyCode;

use crate::desk::Desk;
use crate::replies::{FILM, SELF, THREAT, moved, offline, texts, unsupported};

/// Creates a desk with the three texts.
fn typed() -> Desk {
    let mut desk = Desk::new();
    desk.texts_are(&[THREAT, SELF, FILM]);
    desk.press("<<←←←");
    desk
}

/// Creates a desk with the three texts, checked.
fn done() -> Desk {
    let mut desk = typed();
    desk.check();
    desk.settle();
    desk
}

pub fn picture(desk: &mut Desk) -> String {
    desk.picture_without_times("%-d %b %Y %H:%M", "14 Nov 2023 hh:mm")
}

#[test]
fn pictures_of_every_state() {
    for (name, size) in [("wide", (120, 36)), ("medium", (80, 24)), ("narrow", (40, 12))] {
        let snap = |state: &str, desk: &mut Desk| {
            desk.size = size;
            insta::assert_snapshot!(format!("{state}_{name}"), picture(desk));
        };
        snap("empty", &mut Desk::new());
        snap("typed", &mut typed());
        let mut desk = typed();
        desk.press("a");
        desk.press("A text being written, with some words\nin two lines.");
        snap("writing", &mut desk);
        let mut desk = typed();
        desk.press("^r");
        desk.wait(Duration::from_millis(1200));
        snap("loading", &mut desk);
        snap("done", &mut done());
        let mut desk = typed();
        desk.press("m");
        desk.settle();
        snap("choosing", &mut desk);
        desk.press("stable\n");
        desk.check();
        desk.settle();
        snap("models", &mut desk);
        desk.size = (120, 36);
        desk.press("d");
        snap("differences", &mut desk);
        let mut desk = done();
        desk.press("gs");
        desk.settle();
        snap("families", &mut desk);
        let mut desk = typed();
        desk.press("m");
        desk.settle();
        desk.press("stable\n");
        desk.news();
        let sent = desk.runs();
        desk.answer(sent[0].0, crate::replies::judge("", &texts(&sent[0].1)));
        let why = "the model text-moderation-stable does not exist; choose another one";
        desk.fail(sent[1].0, Failure { status: Some(404), ..Failure::new(FailureKind::Refused, why) });
        desk.settle();
        snap("failed_column", &mut desk);
        desk.press("d");
        snap("details", &mut desk);
        for (state, why) in [("offline", offline()), ("unsupported", unsupported())] {
            let mut desk = typed();
            desk.news();
            let (ticket, _) = desk.runs().remove(0);
            desk.fail(ticket, why);
            desk.settle();
            snap(state, &mut desk);
        }
        let mut desk = typed();
        desk.news();
        let (ticket, _) = desk.runs().remove(0);
        desk.rate_limited(ticket);
        snap("retrying", &mut desk);
        let mut desk = done();
        desk.wait(Duration::from_mins(2));
        desk.news();
        let (ticket, request) = desk.runs().remove(0);
        let texts = texts(&request);
        desk.answer(ticket, moved(&texts, -0.12));
        desk.settle();
        snap("moved", &mut desk);
        desk.press("H");
        snap("history", &mut desk);
        let mut desk = Desk::new();
        desk.texts_are(&["The weather was fine. I will find you and make you pay.\n\nSee you on Tuesday, at 10:30."]);
        desk.check();
        desk.press("w");
        desk.serve();
        desk.settle();
        snap("sentences", &mut desk);
        let mut desk = done();
        desk.press("t");
        desk.press("nstrict\n---");
        desk.settle();
        snap("thresholds", &mut desk);
        desk.press("\u{1b}____");
        desk.settle();
        snap("lowered", &mut desk);
        let mut desk = done();
        desk.press("B");
        desk.settle();
        snap("blurred", &mut desk);
        let mut desk = done();
        desk.press("E");
        snap("export", &mut desk);
        let mut desk = crate::conversation::sent();
        desk.check();
        desk.settle();
        snap("conversation", &mut desk);
        let mut desk = done();
        desk.code(KeyCode::F(1));
        snap("help", &mut desk);
    }
}

#[test]
fn every_state_fits_any_screen() {
    let mut desks = [Desk::new(), typed(), done(), crate::conversation::sent()];
    let mut past = done();
    past.press("H");
    let mut origin = done();
    origin.press("w");
    origin.serve();
    let mut failed = typed();
    failed.news();
    let (ticket, _) = failed.runs().remove(0);
    failed.fail(ticket, offline());
    let mut writing = typed();
    writing.press("e");
    for desk in desks.iter_mut().chain([&mut past, &mut origin, &mut failed, &mut writing]) {
        for width in [10, 39, 40, 59, 60, 79, 80, 99, 100, 119, 200] {
            for height in [4, 10, 12, 17, 18, 24, 28, 36, 60] {
                desk.size = (width, height);
                let lines = desk.lines();
                assert_eq!(lines.len(), usize::from(height));
            }
        }
    }
}
