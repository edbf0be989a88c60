//! Uploads and downloads under way: several at once, paused, lost, cancelled, tried again.

use std::time::Duration;

use benchtop::api::call::{Call, Failure, FailureKind, Progress};
use benchtop::app::Effect;
use benchtop::settings::ProfileId;

use crate::desk::Desk;
use crate::kit::replies::files::not_found;

/// Creates a desk that downloads all six files.
pub fn six() -> Desk {
    let mut desk = Desk::new();
    desk.press("\tAD\n");
    desk
}

fn moved(desk: &mut Desk, at: usize, done: u64, total: u64) {
    let (ticket, _) = desk.transfers()[at];
    desk.progress(ticket, Progress::Moved { done, total: Some(total) });
}

#[test]
fn three_run_and_the_others_wait_in_line() {
    let mut desk = six();
    assert_eq!(desk.transfers().len(), 3);
    desk.shows("◌ waiting");
    moved(&mut desk, 0, 1_000, 3_300);
    let (ticket, call) = desk.transfers()[1].clone();
    desk.finish(ticket, &call);
    desk.press("T");
    desk.shows("✓ saved /home/you/data/");
    assert_eq!(desk.transfers().len(), 4, "the next one begins");
    desk.shows("5 Files ↓");
    let (ticket, _) = desk.transfers()[0];
    desk.fail(ticket, Failure::new(FailureKind::CutOff, "the connection was lost"));
    desk.shows("✕ the connection was lost");
    assert_eq!(desk.transfers().len(), 5);
}

#[test]
fn downloads_go_into_the_folder_and_know_their_size() {
    let mut desk = Desk::new();
    desk.press("\tD");
    desk.shows("to which folder");
    desk.press("^u/nowhere\n");
    desk.shows("there is no such folder");
    desk.press("^u/empty\n");
    let (_, Call::Download(download)) = desk.transfers()[0].clone() else { panic!() };
    assert_eq!(download.folder, std::path::Path::new("/empty"));
    assert_eq!((download.name.as_str(), download.bytes), ("fresh.jsonl", Some(3_300)));
}

#[test]
fn a_hostile_name_is_shown_with_what_it_becomes() {
    let mut desk = Desk::new();
    desk.press("\t/notes\n");
    desk.press("D");
    desk.shows("notes ␛[2J.txt is saved as notes [2J.txt");
}

#[test]
fn a_paused_download_goes_on_and_a_paused_upload_begins_anew() {
    let mut desk = Desk::new();
    desk.press("\tD\n");
    moved(&mut desk, 0, 1_000, 3_300);
    desk.news();
    desk.press("p");
    assert!(desk.news().iter().any(|effect| matches!(effect, Effect::Cancel(_))));
    desk.shows("‖ paused");
    desk.press("p");
    assert_eq!(desk.transfers().len(), 2);
    assert_eq!(desk.transfers()[0].1, desk.transfers()[1].1, "the same call");
    let (ticket, call) = desk.transfers()[1].clone();
    desk.finish(ticket, &call);
    desk.shows("✓ saved");

    let mut desk = Desk::new();
    desk.press("/notes\n");
    desk.press("U\n\n");
    moved(&mut desk, 0, 1_000, 3_300);
    desk.press("p");
    desk.shows("starts over when resumed");
    desk.press("p");
    desk.wait(Duration::from_secs(20));
    desk.shows("  0%");
}

#[test]
fn a_lost_one_says_when_it_goes_on_and_can_be_retried_now() {
    let mut desk = Desk::new();
    desk.press("\tD\n");
    moved(&mut desk, 0, 2_000, 3_300);
    let (ticket, _) = desk.transfers()[0];
    let why = Failure::new(FailureKind::CutOff, "reset");
    let at = desk.now + Duration::from_secs(4);
    desk.progress(ticket, Progress::Retrying { attempt: 2, of: 3, at, why });
    desk.shows("⚠ lost; resumes at 2 kB in 4 s");
    desk.news();
    desk.press("R");
    assert!(desk.news().iter().any(|effect| matches!(effect, Effect::RetryNow(other) if *other == ticket)));
    desk.press("c");
    desk.shows("cancelled");
    desk.press("R");
    assert_eq!(desk.transfers().len(), 2);
    desk.press("c");
    desk.press("c");
    desk.hides("Transfers");
}

#[test]
fn a_transfer_is_told_of_and_holds_the_program() {
    let mut desk = Desk::new();
    desk.press("\tD\n");
    desk.press("1");
    desk.shows("5 Files ↓");
    let (ticket, call) = desk.transfers()[0].clone();
    desk.press("\u{1b}\u{1b}");
    desk.key(crossterm::event::KeyCode::Char('q'), crossterm::event::KeyModifiers::CONTROL);
    desk.shows("A transfer is under way");
    desk.press("\u{1b}");
    desk.finish(ticket, &call);
    desk.shows("saved /home/you/data/fresh.jsonl");
}

#[test]
fn what_failed_unseen_stands_on_the_tab() {
    let mut desk = Desk::new();
    desk.press("\tD\n");
    let (ticket, _) = desk.transfers()[0];
    desk.key(crossterm::event::KeyCode::Char('1'), crossterm::event::KeyModifiers::ALT);
    desk.fail(ticket, not_found());
    desk.shows("5 Files ✕");
    desk.key(crossterm::event::KeyCode::Char('5'), crossterm::event::KeyModifiers::ALT);
    desk.screen();
    desk.hides("5 Files ✕");
    let screen = desk.screen();
    let row = screen.lines().find(|line| line.contains("fresh.jsonl") && line.contains("fine-tune"));
    assert!(row.is_some_and(|row| row.contains("gone")), "it is not there:\n{screen}");
}

#[test]
fn transfers_of_another_profile_go_on() {
    let mut desk = Desk::new();
    desk.press("\tD\n");
    let (ticket, call) = desk.transfers()[0].clone();
    desk.press("^p");
    desk.press("profile: home\n");
    desk.screen();
    desk.wait(Duration::from_secs(1));
    moved(&mut desk, 0, 1_000, 3_300);
    desk.shows("↓30%");
    desk.finish(ticket, &call);
    desk.wait(Duration::from_secs(20));
    desk.shows("✓ saved /home/you/data/fresh.jsonl");
    let to = desk.effects.iter().find_map(|effect| match effect {
        Effect::Call(_, profile, Call::Download(_)) => Some(profile.clone()),
        _ => None,
    });
    assert_eq!(to, Some(ProfileId("work".into())));
}

/// Ends all downloads that are under way, and those that begin then.
fn finish_all(desk: &mut Desk) {
    let mut at = 0;
    while let Some((ticket, call)) = desk.transfers().get(at).cloned() {
        desk.finish(ticket, &call);
        at += 1;
    }
}

#[test]
fn finished_transfers_stay_until_the_next_ones_begin() {
    let mut desk = Desk::new();
    desk.press("\t/train\n");
    desk.press("D\n");
    finish_all(&mut desk);
    desk.shows("✓ saved /home/you/data/train-v3.jsonl");
    desk.wait(Duration::from_mins(1));
    desk.shows("✓ saved /home/you/data/train-v3.jsonl");
    desk.press("\u{1b}/valid\n");
    desk.press("D\n");
    desk.hides("✓ saved /home/you/data/train-v3.jsonl");
    // A failure stays: it can still be tried again.
    let (ticket, _) = desk.transfers()[1];
    desk.fail(ticket, Failure::new(FailureKind::CutOff, "the connection was lost"));
    desk.press("\u{1b}/result\n");
    desk.press("D\n");
    desk.shows("✕ the connection was lost");
}

#[test]
fn a_key_takes_finished_transfers_off_the_list() {
    let mut desk = six();
    desk.press("X");
    let (ticket, _) = desk.transfers()[0];
    desk.fail(ticket, Failure::new(FailureKind::CutOff, "the connection was lost"));
    let (ticket, call) = desk.transfers()[1].clone();
    desk.finish(ticket, &call);
    desk.press("T");
    desk.shows("✕ the connection was lost");
    desk.shows("✓ saved");
    desk.press("X");
    desk.hides("✕ the connection was lost");
    desk.hides("✓ saved");
    desk.shows("◌ waiting");
    let mut at = 2;
    while let Some((ticket, call)) = desk.transfers().get(at).cloned() {
        desk.finish(ticket, &call);
        at += 1;
    }
    desk.press("X");
    desk.hides("Transfers");
    // Those that are read are not on the list a second time.
    desk.press("X");
    desk.shows("no transfer has ended");
}

#[test]
fn what_moves_together_has_a_total() {
    let mut desk = six();
    desk.shows("0 of 6   0 B of");
    let total = desk.line("0 of 6   ");
    assert!(total.contains("of 234 MB"), "{total}");
    let first = desk.transfers()[0].clone();
    let Call::Download(download) = &first.1 else { panic!() };
    let bytes = download.bytes.unwrap();
    desk.finish(first.0, &first.1);
    desk.shows("1 of 6   ");
    // What is taken off the list counts on.
    desk.press("X");
    desk.shows("1 of 6   ");
    let large = desk.transfers().into_iter().position(|(_, call)| match call {
        Call::Download(download) => download.name == "train-v3.jsonl",
        _ => false,
    });
    let large = large.unwrap_or_else(|| {
        while !desk
            .transfers()
            .iter()
            .any(|(_, call)| matches!(call, Call::Download(one) if one.name == "train-v3.jsonl"))
        {
            let (ticket, call) = desk.transfers().pop().unwrap();
            desk.finish(ticket, &call);
        }
        desk.transfers().len() - 1
    });
    for second in 0..6_u64 {
        moved(&mut desk, large, second * 10_000_000, 214_000_000);
        desk.wait(Duration::from_secs(1));
    }
    let total = desk.line("about ");
    assert!(total.contains(" of 6   "), "{total}");
    for (size, words) in [((80, 24), " of 6   "), ((60, 20), " of 6 ")] {
        desk.size = size;
        desk.shows(words);
    }
    assert!(bytes > 0);
    desk.size = (120, 36);
    let mut alone = Desk::new();
    alone.press("\tD\n");
    alone.hides("0 of 1 ");
}

#[test]
fn transfers_that_end_while_another_window_has_the_focus_are_told_once_with_how_they_ended() {
    let mut desk = six();
    let told = desk.told_outside(|desk| {
        let (ticket, call) = desk.transfers()[0].clone();
        desk.finish(ticket, &call);
        let (ticket, _) = desk.transfers()[1];
        desk.fail(ticket, Failure::new(FailureKind::CutOff, "the connection was lost"));
    });
    assert_eq!(told, [""; 0], "four go on");
    let told = desk.told_outside(|desk| {
        for at in 2..6 {
            let (ticket, call) = desk.transfers()[at].clone();
            desk.finish(ticket, &call);
        }
    });
    assert_eq!(told, ["5 downloads ended, 1 download failed"]);
}

#[test]
fn transfers_that_the_user_pauses_are_not_told() {
    let mut desk = six();
    let told = desk.told_outside(|desk| {
        desk.press("^c");
        desk.shows("‖");
    });
    assert_eq!(told, [""; 0]);
}
