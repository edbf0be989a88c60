//! Every state as a picture.

use std::time::Duration;

use benchtop::api::call::{Call, Failure, FailureKind, Progress, Reply};

use crate::desk::{Desk, Disk, problems};
use crate::moving::six;
use crate::sending::planned;

/// Transfers in every state: one runs, one is lost, one is done, one is paused, the others wait.
fn busy() -> Desk {
    let mut desk = six();
    let all = desk.transfers();
    desk.progress(all[0].0, Progress::Moved { done: 400, total: Some(3_300) });
    desk.wait(Duration::from_secs(4));
    desk.progress(all[0].0, Progress::Moved { done: 1_400, total: Some(3_300) });
    desk.finish(all[1].0, &all[1].1);
    desk.progress(all[2].0, Progress::Moved { done: 28_100, total: Some(92_000) });
    let why = Failure::new(FailureKind::CutOff, "connection reset");
    let at = desk.now + Duration::from_secs(4);
    desk.progress(all[2].0, Progress::Retrying { attempt: 2, of: 3, at, why });
    desk
}

#[test]
fn pictures_of_every_state() {
    for (name, size) in [("wide", (120, 36)), ("medium", (80, 24)), ("narrow", (40, 12))] {
        let snap = |state: &str, desk: &mut Desk| {
            desk.size = size;
            insta::assert_snapshot!(format!("{state}_{name}"), desk.picture());
        };
        let server = |mut desk: Desk| {
            desk.press("\t");
            desk
        };
        let mut desk = server(Desk::blank(&Disk::new()));
        snap("loading", &mut desk);
        desk.list(Vec::new());
        snap("empty", &mut desk);
        let mut desk = server(Desk::blank(&Disk::new()));
        desk.unlisted(Failure::new(FailureKind::Unsupported, "the server does not offer this"));
        snap("unsupported", &mut desk);
        let mut desk = server(Desk::blank(&Disk::new()));
        desk.unlisted(Failure::new(FailureKind::Offline, "no connection to work.example: refused"));
        snap("offline", &mut desk);
        let mut desk = server(Desk::new());
        desk.wait(Duration::from_secs(200));
        desk.press("^r");
        snap("stale", &mut desk);
        snap("folder", &mut Desk::new());
        snap("server", &mut server(Desk::new()));
        let mut desk = server(Desk::new());
        desk.press("/fine");
        snap("filter", &mut desk);
        let mut desk = server(Desk::new());
        desk.press("j  ");
        snap("marks", &mut desk);
        let mut desk = server(Desk::new());
        desk.press("Gk");
        snap("error", &mut desk);
        let mut desk = busy();
        desk.press("p");
        snap("transfers", &mut desk);
        desk.press("p");
        snap("paused", &mut desk);
        let mut desk = server(Desk::new());
        desk.press("/train-v3\n");
        desk.press("x");
        snap("delete", &mut desk);
        let mut desk = server(Desk::new());
        desk.press("Ax");
        snap("delete_many", &mut desk);
        let mut desk = Desk::new();
        desk.press("/small\n");
        desk.press("U");
        snap("purpose", &mut desk);
        let mut desk = Desk::new();
        planned(&mut desk, "small");
        let (ticket, _) = desk.last(|call| matches!(call, Call::Digest(_)));
        desk.reply(ticket, Reply::Digest([1; 32], 3_300));
        snap("duplicate", &mut desk);
        let mut desk = Desk::new();
        desk.reports.insert("notes.txt".to_owned(), problems());
        planned(&mut desk, "notes");
        snap("problems", &mut desk);
        let mut desk = Desk::new();
        desk.press("\tD");
        snap("into", &mut desk);
        let mut desk = Desk::new();
        desk.press("i");
        snap("path", &mut desk);
        let mut desk = Desk::new();
        desk.press("/small\n\n");
        desk.wait(Duration::from_secs(1));
        snap("preview", &mut desk);
    }
}
