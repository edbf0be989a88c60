//! Both lists: what is shown, sorted, filtered, marked, and how old it is.

use std::time::Duration;

use benchtop::api::call::{Call, Failure, FailureKind, Progress, Reply};
use benchtop::app::Effect;
use benchtop::component::Session;
use benchtop::record::files::{Entry, EntryKind};
use benchtop::record::work::Work;
use benchtop::record::{Query, Record, Stored};
use crossterm::event::{KeyCode, KeyModifiers};

use crate::desk::{Desk, Disk, HERE, LocalFiles, entry, file, files, folder};
use crate::kit::replies::files::not_found;
use crate::kit::{Setup, Tab, Writes};

/// Returns those of the names that are visible, in the order shown.
fn effect(desk: &mut Desk, names: &[&str]) -> Vec<String> {
    let screen = desk.screen();
    let mut at: Vec<(usize, &str)> = names.iter().filter_map(|name| Some((screen.find(name)?, *name))).collect();
    at.sort_unstable();
    at.into_iter().map(|(_, name)| name.to_owned()).collect()
}

#[test]
fn it_begins_where_the_program_was_started_and_goes_up_and_down() {
    let mut desk = Desk::new();
    desk.shows("/home/you/data");
    desk.hides(".hidden");
    assert_eq!(effect(&mut desk, &["notes.txt", "archive/", "train.jsonl"]), ["archive/", "notes.txt", "train.jsonl"]);
    desk.press("\n");
    desk.shows("/home/you/data/archive");
    desk.shows("old.jsonl");
    desk.press("h");
    assert!(desk.line("archive/").contains("▌"), "the cursor is where one came from");
    desk.press("h");
    desk.shows("a.txt");
    desk.press("~");
    desk.shows("a.txt");
    desk.press("i");
    desk.press("^u/empty\n");
    desk.shows("This folder is empty");
}

#[test]
fn a_folder_that_is_not_there_is_corrected_in_its_prompt() {
    let mut desk = Desk::new();
    desk.press("i");
    desk.press("^u/emptyx\n");
    desk.shows("Go to which folder?");
    desk.shows("/emptyx");
    desk.shows("✕ there is no such folder");
    desk.code(KeyCode::Backspace);
    desk.hides("no such folder");
    desk.press("\n");
    desk.hides("Go to which folder?");
    desk.shows("This folder is empty");
}

#[test]
fn the_folder_the_order_and_hidden_files_are_kept() {
    let disk = Disk::new();
    let mut desk = Desk::blank(&disk);
    desk.press("\n");
    desk.press("s.");
    desk.press("q");
    desk.press("y");
    assert!(disk.setting("files.view").unwrap().contains("/home/you/data/archive"));
    let mut later = Desk::blank(&disk);
    later.shows("/home/you/data/archive");
    later.shows("size ▾");
    // A folder that is gone is not where one begins.
    let mut gone = Desk::blank(&disk);
    gone.folders.remove("/home/you/data/archive");
    gone.press("h");
    gone.shows("notes.txt");
}

#[test]
fn paths_are_completed() {
    let mut desk = Desk::new();
    desk.paths = vec!["/home/you/data/archive/".to_owned()];
    desk.press("i");
    desk.press("^u/home/you/data/a\t");
    desk.shows("/home/you/data/archive/");
    desk.press("\n");
    desk.shows("old.jsonl");
}

#[test]
fn the_servers_files_say_what_they_are_and_what_uses_them() {
    let mut desk = Desk::new();
    desk.shows("6   234 MB of 1 GB");
    assert!(desk.line("train-v3.jsonl").contains("●train"));
    assert!(desk.line("results-ft-8Qk.csv").contains("result"));
    assert!(desk.line("bad-lines.jsonl").contains("✕ error"));
    assert!(desk.line("fresh.jsonl").contains("no job"));
    desk.shows("notes ␛[2J.txt");
    desk.shows("234 MB of 1 GB");
    desk.press("\t/bad\n");
    desk.shows("/ bad · esc show all");
    desk.press("\u{1b}");
    desk.press("/jsonl\n");
    desk.hides("results-ft-8Qk.csv");
    desk.press("\u{1b}gs");
    desk.shows("status ▴");
    let names = ["bad-lines.jsonl", "fresh.jsonl", "train-v3.jsonl"];
    assert_eq!(effect(&mut desk, &names), names);
    desk.press("S");
    assert_eq!(effect(&mut desk, &names), ["train-v3.jsonl", "fresh.jsonl", "bad-lines.jsonl"]);
}

#[test]
fn a_list_on_its_way_leaves_the_last_one_and_says_its_age() {
    let mut desk = Desk::new();
    desk.press("\t");
    desk.wait(Duration::from_mins(4));
    desk.press("^r");
    desk.shows("as of 4 min ago");
    desk.shows("train-v3.jsonl");
    desk.unlisted(Failure::new(FailureKind::Offline, "no connection to the server"));
    desk.shows("no connection to the server");
    desk.shows("✕ as of 4 min ago");
    desk.press("^r");
    let (ticket, _) = desk.last(|call| *call == Call::Files);
    let why = Failure::new(FailureKind::Offline, "no connection to the server");
    let at = desk.now + Duration::from_secs(9);
    desk.progress(ticket, Progress::Retrying { attempt: 2, of: 3, at, why });
    desk.shows("retry in 9 s");
    desk.news();
    desk.press("^r");
    assert!(format!("{:?}", desk.news()).contains("RetryNow"));
    desk.list(files());
    desk.shows("6   234 MB of 1 GB");
}

#[test]
fn a_server_without_files_is_a_sentence_and_the_folder_works() {
    let mut desk = Desk::blank(&Disk::new());
    desk.unlisted(Failure::new(FailureKind::Unsupported, "the server does not offer this"));
    desk.shows("This server does not store files.");
    desk.shows("notes.txt");
    desk.press("jU");
    desk.shows("does not store files, so");
    desk.press("/notes\n");
    desk.hides("small.jsonl");
}

#[test]
fn files_not_processed_are_looked_at_again_and_not_for_ever() {
    let mut desk = Desk::new();
    desk.wait(Duration::from_secs(2));
    let (ticket, call) = desk.calls().pop().expect("it is looked at");
    assert_eq!(call, Call::File("file-new".to_owned()));
    desk.reply(ticket, Reply::File(Box::new(file("new", "fresh.jsonl", 3_300, "fine-tune", 7, "uploaded"))));
    let mut looks = 1;
    for _ in 0..100 {
        desk.wait(Duration::from_secs(10));
        for (ticket, call) in desk.calls() {
            assert_eq!(call, Call::File("file-new".to_owned()));
            looks += 1;
            desk.fail(ticket, Failure::new(FailureKind::Server, "no"));
        }
    }
    assert_eq!(looks, 8);
    // A list begins anew only for others.
    desk.press("^r");
    desk.list(files());
    desk.jobs(Vec::new());
    desk.news();
    desk.wait(Duration::from_mins(10));
    assert!(desk.calls().is_empty());
}

#[test]
fn what_was_processed_meanwhile_is_shown_and_what_was_deleted_is_gone() {
    let mut desk = Desk::new();
    desk.wait(Duration::from_secs(2));
    let (ticket, _) = desk.calls().pop().unwrap();
    desk.reply(ticket, Reply::File(Box::new(file("new", "fresh.jsonl", 3_300, "fine-tune", 7, "processed"))));
    assert!(desk.line("fresh.jsonl").contains("✓ processed"));
    desk.wait(Duration::from_mins(10));
    assert!(desk.calls().is_empty(), "nothing more to look at");
    let mut desk = Desk::new();
    desk.wait(Duration::from_secs(2));
    let (ticket, _) = desk.calls().pop().unwrap();
    desk.fail(ticket, not_found());
    assert!(desk.line("fresh.jsonl").contains("gone"));
    desk.press("^r");
    desk.list(files().into_iter().filter(|file| file.id != "file-new").collect());
    desk.hides("fresh.jsonl");
}

#[test]
fn marks_are_counted_and_esc_takes_them_away() {
    let mut desk = Desk::new();
    desk.press("\t  ");
    desk.shows("2 marked · ");
    desk.press("A");
    desk.shows("6 marked · 234 MB");
    desk.press("A");
    desk.hides("marked");
    desk.press("k \u{1b}");
    desk.hides("marked");
}

#[test]
fn ids_and_paths_are_copied() {
    let mut desk = Desk::new();
    desk.news();
    let copied = |desk: &mut Desk| {
        desk.news().into_iter().find_map(|effect| if let Effect::Copy(text) = effect { Some(text) } else { None })
    };
    desk.press("jy");
    assert_eq!(copied(&mut desk), Some("/home/you/data/notes.txt".into()));
    desk.press("Y");
    assert_eq!(copied(&mut desk), Some("notes.txt".into()));
    desk.press("\ty");
    assert_eq!(copied(&mut desk), Some("file-new".into()));
}

#[test]
fn what_cannot_be_trained_with_is_said() {
    let mut desk = Desk::blank(&Disk::new());
    desk.list(vec![
        file("x", "other.jsonl", 1, "search", 3, "processed"),
        file("n", "later.jsonl", 1, "fine-tune", 4, "uploaded"),
    ]);
    desk.press("o");
    desk.shows("U uploads it first");
    desk.press("\to");
    desk.shows("uploaded for the purpose fine-tune");
    desk.press("jo");
    desk.shows("the server is still processing it");
}

#[test]
fn another_profile_has_its_own_list() {
    let mut desk = Desk::new();
    desk.press("\t");
    // Ctrl+P, the profile's entry.
    desk.press("^p");
    desk.press("profile: home\n");
    desk.screen();
    desk.wait(Duration::from_secs(1));
    desk.hides("train-v3.jsonl");
    desk.list(vec![file("h", "of-home.jsonl", 7, "search", 2, "processed")]);
    desk.shows("of-home.jsonl");
    desk.press("^p");
    desk.press("profile: work\n");
    desk.screen();
    desk.wait(Duration::from_secs(1));
    desk.shows("train-v3.jsonl");
}

#[test]
fn ten_thousand_files_are_sorted_and_filtered() {
    let mut desk = Desk::new();
    let many =
        |at: i64| file(&at.to_string(), &format!("f{at:05}.jsonl"), at as u64, "fine-tune", at % 900, "processed");
    desk.press("^r");
    desk.list((0..10_000).map(many).collect());
    desk.press("\t/f04242\n");
    desk.shows("f04242.jsonl");
    desk.press("\u{1b}G");
    desk.shows("10,000   50 MB of 1 GB");
}

#[test]
fn the_last_list_is_there_at_the_next_start_with_its_age() {
    let disk = Disk::new();
    let mut desk = Desk::blank(&disk);
    desk.list(files());
    let mut later = Desk::blank(&disk);
    later.shows("train-v3.jsonl");
    later.shows("as of just now");
    later.list(vec![file("h", "of-now.jsonl", 7, "search", 2, "processed")]);
    later.hides("train-v3.jsonl");
    later.shows("of-now.jsonl");
}

#[test]
fn a_part_of_an_id_finds_its_file_whatever_its_letters() {
    let mut desk = Desk::blank(&Disk::new());
    desk.list(vec![
        file("7Hc2Q", "one.jsonl", 7, "search", 2, "processed"),
        file("9", "two.jsonl", 7, "search", 2, "processed"),
    ]);
    desk.press("\t/7Hc2\n");
    desk.shows("one.jsonl");
    desk.hides("two.jsonl");
}

#[test]
fn a_list_that_was_stopped_says_its_age() {
    let disk = Disk::new();
    let mut desk = Desk::blank(&disk);
    desk.list(files());
    let mut later = Desk::blank(&disk);
    later.press("\t\u{1b}");
    later.shows("as of just now · ^R");
    later.wait(Duration::from_secs(1));
    later.press("^r");
    later.list(files());
    later.shows("6   234 MB of 1 GB");
}

#[test]
fn what_another_tab_uploaded_is_listed_without_a_key() {
    let setup = LocalFiles::setup();
    let session = Session { local: true, ..setup.session };
    let profiles = vec![("local", "davinci")];
    let mut desk = Desk::start(&Disk::new(), Setup { session, profiles, ..setup });
    desk.list(Vec::new());
    desk.press("\t");
    desk.shows("The server has no files yet.");
    desk.key(KeyCode::Char('6'), KeyModifiers::ALT);
    desk.jobs(Vec::new());
    desk.press("E");
    let (ticket, call) = desk.last(|call| matches!(call, Call::Upload(_)));
    desk.finish(ticket, &call);
    desk.list(vec![file("new", "mood_train.jsonl", 115_934, "fine-tune", 0, "uploaded")]);
    desk.key(KeyCode::Char('5'), KeyModifiers::ALT);
    desk.shows("mood_train.jsonl");
    desk.hides("The server has no files yet.");
}

#[test]
fn names_that_differ_at_their_ends_differ_on_the_screen() {
    let mut desk = Desk::blank(&Disk::new());
    desk.list(vec![
        file("t", "letters_prepared_train.jsonl", 7, "fine-tune", 2, "processed"),
        file("v", "letters_prepared_valid.jsonl", 7, "fine-tune", 2, "processed"),
    ]);
    desk.press("\t");
    for size in [(120, 36), (100, 24), (80, 24)] {
        desk.size = size;
        desk.shows("train.jsonl ");
        desk.shows("valid.jsonl ");
    }
}

#[test]
fn a_list_that_is_not_whole_is_shown_with_why() {
    let mut desk = Desk::blank(&Disk::new());
    let (ticket, _) = desk.last(|call| *call == Call::Files);
    desk.progress(ticket, Progress::Reply(Reply::Files(files())));
    desk.fail(ticket, Failure::new(FailureKind::Malformed, "it lists more than 5 files; those are shown"));
    desk.shows("train-v3.jsonl");
    desk.shows("it lists more than 5 files; those are shown");
}

#[test]
fn settings_that_cannot_be_read_are_not_written_over() {
    let answers = |query: &Query| {
        let setting = matches!(query, Query::Setting(name) if name.starts_with("files."));
        setting.then(|| Stored::Failed("the disk is broken".into()))
    };
    let mut desk = Desk::start(&Disk::new(), Setup { answers: Box::new(answers), ..LocalFiles::setup() });
    desk.list(files());
    desk.shows("could not be read");
    desk.press("s\tD\n");
    let (ticket, call) = desk.transfers()[0].clone();
    desk.finish(ticket, &call);
    let kept = desk.effects.iter().any(|effect| {
        matches!(effect, Effect::Save(_, Record::Setting(name, _))
            if name == "files.view" || name.starts_with("files.hashes"))
    });
    assert!(!kept);
}

#[test]
fn what_is_not_seen_is_not_acted_on() {
    let mut desk = Desk::new();
    desk.press("\tD\n");
    desk.press("\t");
    desk.shows("━━ ▸ Transfers");
    desk.press(" ");
    desk.shows("this works in the lists; press esc until");
    desk.hides("marked");
    desk.press("x");
    desk.hides("Delete from server?");
    desk.press("\u{1b} ");
    desk.shows("1 marked");
}

#[test]
fn esc_leads_from_the_preview_to_the_lists_in_as_many_steps_as_it_has() {
    let mut desk = Desk::new();
    desk.size = (120, 36);
    desk.press("/small\n");
    desk.press("f");
    for server_files_are_shown in [false, true] {
        assert_eq!(desk.screen().contains("Server files"), server_files_are_shown);
        desk.press("U");
        desk.shows("this works in the lists; press esc until");
        desk.hides("What is the upload for?");
        desk.press("\u{1b}");
    }
    desk.press("U");
    desk.shows("What is the upload for?");
}

#[test]
fn pages_of_transfers_are_turned() {
    let mut desk = Desk::new();
    desk.press("\tAD\n");
    desk.press("\t");
    desk.shows("━━ ▸ Transfers");
    let first = desk.screen();
    desk.code(crossterm::event::KeyCode::PageDown);
    let then = desk.screen();
    let at = |screen: &str| screen.lines().position(|line| line.contains("▌↓"));
    assert!(at(&first) < at(&then), "{then}");
}

#[test]
fn the_cursor_stays_where_it_went_while_the_folder_was_read() {
    let mut desk = Desk::new();
    desk.holds = |effect| matches!(effect, Effect::Work(_, Work::Folder { .. }));
    desk.press("^r");
    desk.press("jj");
    let here = desk.line("▌");
    desk.release();
    assert_eq!(desk.line("▌"), here);
}

#[test]
fn links_and_special_files_carry_a_sign() {
    let mut desk = Desk::new();
    let here = desk.folders.get_mut(HERE).unwrap();
    let link = |target: &str| Some(target.into());
    here.push(Entry { link: link("v3"), ..entry("latest.jsonl", 1_600, 3) });
    here.push(Entry { link: link("/mnt/a/long/way/to/another/folder"), ..folder("elsewhere") });
    here.push(Entry { link: link("\u{1b}[31mgone"), kind: EntryKind::Other, modified_ms: None, ..entry("lost", 0, 3) });
    desk.press("^r");
    let line = desk.line("latest.jsonl → v3");
    assert!(line.contains("1.6 kB"), "a size is rounded: {line}");
    let line = desk.line("elsewhere/ → /mnt/a");
    assert!(line.contains("… "), "the target is cut, not the name: {line}");
    assert!(desk.line("lost → ␛[31mgone").contains("broken"));
    assert!(desk.line("pipe").contains("special"));
    assert!(!desk.line("train.jsonl ").contains('→'));
}

#[test]
fn what_the_disk_refuses_is_kept_when_it_takes_records_again() {
    let mut desk = Desk::blank(&Disk::new());
    desk.writes = Writes::Refused;
    desk.list(files());
    desk.press("s");
    desk.press("/notes\nU\n\n");
    let (ticket, call) = desk.transfers()[0].clone();
    desk.finish(ticket, &call);
    let kept = ["files.list.work", "files.view", "files.hashes.work"];
    assert_eq!(kept.map(|name| desk.disk.setting(name)), [None, None, None]);
    desk.writes = Writes::Done;
    desk.settle();
    let [list, view, hashes] = kept.map(|name| desk.disk.setting(name).unwrap());
    assert!(list.contains("train-v3.jsonl") && view.contains("Size") && hashes.contains("0909"));
}
