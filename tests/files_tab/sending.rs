//! Uploads before they begin: what for, what was found out, what is said of it.

use std::time::Duration;

use benchtop::api::call::{Call, Failure, FailureKind, Progress, Reply, Upload};
use benchtop::app::{Effect, Event};
use benchtop::record::training::{CheckReport, ProblemKind, RowForm, TrainingFormat};
use benchtop::record::work::{Done, Work};

use crate::desk::{Desk, Disk, HERE, entry, file, problems};

fn uploads(desk: &Desk) -> Vec<Upload> {
    let upload = |(_, call)| if let Call::Upload(upload) = call { Some(*upload) } else { None };
    desk.transfers().into_iter().filter_map(upload).collect()
}

/// Opens the upload plan of the file whose name has these letters, with the purpose fine-tune.
pub fn planned(desk: &mut Desk, name: &str) {
    desk.press(&format!("/{name}\n"));
    desk.press("U");
    desk.shows("What is the upload for?");
    desk.press("\n");
}

#[test]
fn nothing_is_sent_before_enter_and_the_purpose_is_kept() {
    let mut desk = Desk::new();
    planned(&mut desk, "notes");
    desk.shows("Upload 1 file for fine-tuning");
    desk.shows("500 examples");
    desk.shows("the server then holds 234 MB of 1 GB");
    assert!(uploads(&desk).is_empty());
    desk.press("p");
    desk.press("assis\n");
    desk.shows("Upload 1 file for assistants");
    desk.press("\n");
    let sent = uploads(&desk);
    assert_eq!(sent.len(), 1);
    assert_eq!((sent[0].name.as_str(), sent[0].purpose.as_str()), ("notes.txt", "assistants"));
    assert_eq!(sent[0].path, std::path::Path::new("/home/you/data/notes.txt"));
    assert!(desk.disk.setting("files.view").unwrap().contains("assistants"));
    let (ticket, call) = desk.transfers()[0].clone();
    desk.finish(ticket, &call);
    desk.shows("notes.txt uploaded to work");
    desk.shows("7   234 MB of 1 GB");
}

#[test]
fn any_word_may_be_the_purpose() {
    let mut desk = Desk::new();
    desk.press("/notes\n");
    desk.press("U");
    desk.press("vision\n\n");
    assert_eq!(uploads(&desk)[0].purpose, "vision");
}

#[test]
fn problems_are_shown_before_and_the_file_is_sent_anyway_or_not() {
    let mut desk = Desk::new();
    desk.reports.insert("small.jsonl".to_owned(), problems());
    planned(&mut desk, "small");
    desk.shows("✕ 3 problems");
    desk.shows("line 12,044  not JSON");
    desk.press("\n");
    desk.shows("decide first");
    assert!(uploads(&desk).is_empty());
    desk.press("s\n");
    assert_eq!(uploads(&desk).len(), 1);

    let mut desk = Desk::new();
    desk.reports.insert("small.jsonl".to_owned(), CheckReport { source: TrainingFormat::Csv, ..problems() });
    planned(&mut desk, "small");
    desk.shows("not JSON Lines");
    desk.press("o\n");
    desk.shows("no file is left to upload");
    desk.press("\u{1b}");
    desk.hides("Upload 1 file");
    assert!(uploads(&desk).is_empty());
}

#[test]
fn the_check_page_is_one_key_away() {
    let mut desk = Desk::new();
    desk.reports.insert("small.jsonl".to_owned(), problems());
    planned(&mut desk, "small");
    desk.press("v");
    desk.hides("Upload 1 file");
    desk.shows("small.jsonl");
    desk.press("\u{1b}");
    desk.shows("Upload 1 file for fine-tuning");
    desk.shows("✕ 3 problems");
    desk.press("s\n");
    assert_eq!(uploads(&desk).len(), 1, "the plan was kept beside the page");
}

#[test]
fn a_row_that_is_looked_at_leads_back_to_the_check_page() {
    let mut desk = Desk::new();
    let mut report = problems();
    report.problems[0].at = Some(3);
    desk.reports.insert("small.jsonl".to_owned(), report);
    desk.press("/small\nv");
    desk.shows("trailing comma");
    let checks =
        |desk: &Desk| desk.effects.iter().filter(|effect| matches!(effect, Effect::Work(_, Work::Check(_)))).count();
    let before = checks(&desk);
    desk.press("\n");
    desk.hides("trailing comma");
    desk.press("\u{1b}");
    desk.shows("trailing comma");
    assert_eq!(checks(&desk), before, "nothing is read again");
}

#[test]
fn a_check_goes_on_behind_what_the_palette_does() {
    let mut desk = Desk::new();
    desk.holds = |effect| matches!(effect, Effect::Work(_, Work::Check(_) | Work::Hash { .. }));
    desk.press("/small\nv");
    desk.news();
    desk.press("^p");
    desk.press("Files: reverse the order\n");
    assert!(!desk.news().iter().any(|effect| matches!(effect, Effect::Cancel(_))));
    desk.shows("Server files");
    desk.release();
    desk.press("v");
    desk.shows("Check");
    assert!(!desk.news().iter().any(|effect| matches!(effect, Effect::Work(_, Work::Check(_)))));
}

#[test]
fn the_purpose_is_asked_again_without_losing_the_plan() {
    let mut desk = Desk::new();
    planned(&mut desk, "notes");
    desk.press("p");
    desk.shows("What is the upload for?");
    desk.press("\u{1b}");
    desk.shows("Upload 1 file for fine-tuning");
    desk.press("\u{1b}");
    desk.hides("Upload 1 file");
    // Without a purpose there is no plan to go back to.
    desk.press("U");
    desk.shows("What is the upload for?");
    desk.press("\u{1b}");
    desk.hides("What is the upload for?");
    desk.hides("Upload 1 file");
}

#[test]
fn a_plan_waits_for_the_list_and_compares_with_it() {
    let mut desk = Desk::blank(&Disk::new());
    planned(&mut desk, "small");
    desk.shows("waiting for the server's list");
    desk.press("\n");
    desk.shows("the upload begins when all files are checked");
    assert!(uploads(&desk).is_empty());
    desk.list(vec![file("new", "fresh.jsonl", 3_300, "fine-tune", 7, "processed")]);
    let (ticket, _) = desk.last(|call| *call == Call::Digest("file-new".to_owned()));
    desk.reply(ticket, Reply::Digest([1; 32], 3_300));
    desk.shows("= same content as fresh.jsonl on the server");
    desk.shows("decide first");
    assert!(uploads(&desk).is_empty());

    let mut desk = Desk::blank(&Disk::new());
    planned(&mut desk, "small");
    desk.unlisted(Failure::new(FailureKind::Offline, "no connection"));
    desk.shows("! not compared");
    desk.shows("The server's files are not known");
    desk.shows("How much the server holds is not known.");
    desk.press("\n");
    assert_eq!(uploads(&desk).len(), 1, "what cannot be known holds nothing up");
}

#[test]
fn a_plan_asks_for_the_list_again_where_it_is_not_of_a_moment_ago() {
    let mut desk = Desk::new();
    desk.wait(Duration::from_mins(2));
    planned(&mut desk, "notes");
    desk.shows("waiting for the server's list");
    desk.press("\n");
    assert!(uploads(&desk).is_empty());
    desk.list(vec![file("copy", "copy.txt", 812, "fine-tune", 0, "processed")]);
    let (ticket, _) = desk.last(|call| *call == Call::Digest("file-copy".to_owned()));
    desk.reply(ticket, Reply::Digest([1; 32], 812));
    desk.shows("= same content as copy.txt on the server");
    assert!(uploads(&desk).is_empty());
}

#[test]
fn files_of_one_content_are_noticed_before_both_are_sent() {
    let mut desk = Desk::blank(&Disk::new());
    desk.list(Vec::new());
    let all = ["a.jsonl", "b.jsonl", "c.jsonl"];
    desk.folders.insert("/parts".to_owned(), all.map(|name| entry(name, 70, 1)).to_vec());
    desk.hashes.insert("b.jsonl".to_owned(), 2);
    desk.press("i");
    desk.press("^u/parts\n");
    desk.press("AU\n");
    desk.shows("= same content as a.jsonl");
    desk.press("\n");
    desk.shows("decide first");
    desk.press("o\n");
    let names: Vec<String> = uploads(&desk).into_iter().map(|upload| upload.name).collect();
    assert_eq!(names, ["a.jsonl", "b.jsonl"]);
}

#[test]
fn a_stored_file_is_used_for_the_profile_it_was_planned_for() {
    let mut desk = Desk::new();
    planned(&mut desk, "small");
    let (ticket, _) = desk.last(|call| *call == Call::Digest("file-new".to_owned()));
    desk.reply(ticket, Reply::Digest([1; 32], 3_300));
    desk.press("e");
    desk.press("^p");
    desk.press("profile: home\n");
    desk.screen();
    desk.wait(Duration::from_secs(1));
    desk.press("\n");
    desk.hides("Upload 1 file");
    assert!(desk.disk.setting("files.hashes.work").unwrap().contains("\"rows\":500"));
    assert_eq!(desk.disk.setting("files.hashes.home"), None);
}

#[test]
fn what_was_uploaded_moves_nothing_under_somebodys_hands() {
    let mut desk = Desk::blank(&Disk::new());
    desk.list(vec![file("t", "a_train.jsonl", 100, "fine-tune", 1, "processed")]);
    desk.folders.insert("/parts".to_owned(), vec![entry("a_valid.jsonl", 10, 1), entry("b.txt", 5, 1)]);
    desk.press("i");
    desk.press("^u/parts\n");
    desk.press("U\n\n");
    desk.press("j");
    let (ticket, call) = desk.transfers()[0].clone();
    desk.finish(ticket, &call);
    desk.shows("a_train.jsonl and a_valid.jsonl");
    assert!(desk.line("b.txt").contains('▌'));
    desk.shows("━━ ▸ /parts");
}

#[test]
fn an_upload_is_a_row_of_the_servers_list() {
    let mut desk = Desk::new();
    planned(&mut desk, "notes");
    desk.press("\n");
    let screen = desk.screen();
    let row = screen.lines().find(|line| line.contains("uploading")).unwrap_or_else(|| panic!("{screen}"));
    assert!(row.contains("notes.txt") && row.contains("fine-tune"), "{row}");
    let (ticket, call) = desk.transfers()[0].clone();
    desk.finish(ticket, &call);
    desk.hides("uploading");
}

#[test]
fn all_files_of_a_plan_show_where_there_is_room() {
    let mut desk = Desk::blank(&Disk::new());
    desk.list(Vec::new());
    let some = |count: usize| (0..count).map(|at| entry(&format!("n{at:02}.txt"), at as u64 + 1, 1)).collect();
    desk.folders.insert("/some".to_owned(), some(11));
    desk.folders.insert("/many".to_owned(), some(40));
    desk.press("i");
    desk.press("^u/some\n");
    desk.press("AU\n");
    let lines = desk.screen().lines().filter(|line| line.contains("✓ 500 examples")).count();
    assert_eq!(lines, 11);
    desk.press("\u{1b}i");
    desk.press("^u/many\n");
    desk.press("AU\n");
    desk.shows("1 of 40");
}

#[test]
fn a_check_under_way_is_waited_for_or_left_out() {
    let mut desk = Desk::new();
    desk.holds = |effect| matches!(effect, Effect::Work(_, Work::Check(_) | Work::Hash { .. }));
    planned(&mut desk, "notes");
    for effect in desk.waiting.clone() {
        if let Effect::Work(ticket, _) = effect {
            desk.event(Event::Worked(ticket, Done::Moved { done: 40, total: 100 }));
        }
    }
    desk.shows("… checking 40%");
    desk.press("\n");
    desk.shows("the upload begins when all files are checked");
    desk.release();
    assert_eq!(uploads(&desk).len(), 1);
    desk.hides("Upload 1 file");
}

#[test]
fn one_answer_is_for_all_files_that_wait_for_one() {
    let names: Vec<String> = (0..30).map(|n| format!("{n:02}.jsonl")).collect();
    // Of many that are sent, three are under way at once.
    for (key, sent) in [("O", 1), ("S", 3)] {
        let mut desk = Desk::blank(&Disk::new());
        desk.list(Vec::new());
        desk.folders.insert("/parts".to_owned(), names.iter().map(|name| entry(name, 70, 1)).collect());
        desk.press("i");
        desk.press("^u/parts\n");
        desk.press("AU\n");
        desk.shows("= same content as 00.jsonl");
        desk.press("E");
        desk.shows("no file is undecided");
        desk.press("\n");
        desk.shows("S, O and E decide for all undecided files");
        desk.press(key);
        desk.press("\n");
        assert_eq!(uploads(&desk).len(), sent, "{key}");
    }
}

#[test]
fn the_same_content_is_noticed_and_used() {
    // The stored file of its size is small: it is read without a question.
    let mut desk = Desk::new();
    planned(&mut desk, "small");
    let (ticket, _) = desk.last(|call| *call == Call::Digest("file-new".to_owned()));
    desk.shows("reading fresh.jsonl");
    desk.reply(ticket, Reply::Digest([1; 32], 3_300));
    desk.shows("= same content as fresh.jsonl on the server");
    desk.press("\n");
    desk.shows("decide first");
    desk.press("e");
    desk.shows("= fresh.jsonl is used");
    desk.press("\n");
    assert!(uploads(&desk).is_empty());
    assert!(desk.line("fresh.jsonl").contains('▌'));
    // Its hash is known from then on, and after a restart.
    desk.wait(Duration::from_secs(1));
    desk.press("\t\u{1b}");
    desk.news();
    planned(&mut desk, "small");
    desk.shows("= same content as fresh.jsonl on the server");
    assert!(desk.calls().iter().all(|(_, call)| !matches!(call, Call::Digest(_))));
    desk.press("s\n");
    assert_eq!(uploads(&desk).len(), 1);
    assert!(desk.disk.setting("files.hashes.work").unwrap().contains("file-new"));
}

#[test]
fn the_decisions_come_first_while_a_file_is_undecided() {
    let mut desk = Desk::new();
    planned(&mut desk, "small");
    assert!(desk.footer().trim_start().starts_with("⏎ upload"), "{}", desk.footer());
    let (ticket, _) = desk.last(|call| *call == Call::Digest("file-new".to_owned()));
    desk.reply(ticket, Reply::Digest([1; 32], 3_300));
    let footer = desk.footer();
    assert!(footer.trim_start().starts_with("e use stored file  s include anyway  esc cancel  ⏎ upload"), "{footer}");
    desk.press("\n");
    desk.shows("the same content: e uses it, s includes this file anyway.");
    desk.shows("decide first: e uses the stored file, s includes it anyway");
    desk.hides("leaves it out");
    // It takes two rows where one is too short.
    desk.size = (40, 12);
    desk.shows("! decide first: e uses the stored");
    desk.shows("file, s includes it anyway");
    desk.size = (120, 36);
    desk.press("e");
    // Nothing is sent then.
    assert!(desk.footer().trim_start().starts_with("⏎ confirm"), "{}", desk.footer());
    desk.shows("nothing is uploaded, stored files are used");
}

#[test]
fn a_plan_without_a_file_to_upload_says_why_and_offers_no_upload() {
    let mut desk = Desk::new();
    desk.press("/small\nv");
    // It is deleted while it is on the check page.
    desk.folders.get_mut(HERE).unwrap().retain(|entry| entry.name.line() != "small.jsonl");
    desk.press("U");
    desk.shows("Nothing to upload");
    desk.shows("there is no such file");
    desk.shows("no file is left to upload: none of them can be sent");
    assert!(!desk.footer().contains("include anyway"), "{}", desk.footer());
    desk.hides("0 files");
    assert!(!desk.footer().contains("⏎"), "{}", desk.footer());
    let mut desk = Desk::new();
    planned(&mut desk, "notes");
    desk.press("o");
    desk.shows("Nothing to upload");
    desk.shows("no file is left to upload: all are left out; o decides again");
    desk.hides("0 files");
    assert!(!desk.footer().contains("⏎"), "{}", desk.footer());
    desk.press("o");
    desk.shows("Upload 1 file for fine-tuning");
    assert!(desk.footer().contains("⏎ upload"), "{}", desk.footer());
}

#[test]
fn a_word_that_is_no_usual_purpose_is_named_in_the_title() {
    let mut desk = Desk::new();
    desk.press("/notes\n");
    desk.press("U");
    desk.press("vision\n");
    desk.shows("Upload 1 file with the purpose vision");
}

#[test]
fn other_content_of_the_same_size_is_sent() {
    let mut desk = Desk::new();
    planned(&mut desk, "small");
    let (ticket, _) = desk.last(|call| matches!(call, Call::Digest(_)));
    desk.reply(ticket, Reply::Digest([2; 32], 3_300));
    desk.hides("same content as");
    desk.press("\n");
    assert_eq!(uploads(&desk).len(), 1);
}

#[test]
fn a_large_file_is_read_only_if_one_says_so() {
    let mut desk = Desk::new();
    planned(&mut desk, "train");
    desk.shows("same size as train-v3.jsonl");
    assert!(desk.calls().iter().all(|(_, call)| !matches!(call, Call::Digest(_))));
    desk.press("r");
    let (ticket, _) = desk.last(|call| matches!(call, Call::Digest(_)));
    desk.progress(ticket, Progress::Moved { done: 107_000_000, total: Some(214_000_000) });
    desk.shows("50%");
    desk.fail(ticket, Failure::new(FailureKind::CutOff, "the connection was lost"));
    desk.shows("not compared");
    desk.press("\n");
    assert_eq!(uploads(&desk).len(), 1);
}

#[test]
fn a_plan_that_is_left_stops_what_it_began() {
    let mut desk = Desk::new();
    desk.holds = |effect| matches!(effect, Effect::Work(_, Work::Check(_) | Work::Hash { .. }));
    planned(&mut desk, "small");
    desk.news();
    desk.press("\u{1b}");
    let cancelled = desk.news().iter().filter(|effect| matches!(effect, benchtop::app::Effect::Cancel(_))).count();
    assert_eq!(cancelled, 2, "the check and the hash");
}

#[test]
fn letters_and_digits_are_keys_of_the_plan_and_not_of_the_shell() {
    let mut desk = Desk::new();
    planned(&mut desk, "notes");
    desk.press("1?");
    desk.shows("Upload 1 file for fine-tuning");
    desk.press("q");
    desk.hides("Upload 1 file for fine-tuning");
    desk.shows("notes.txt");
    assert!(!desk.effects.contains(&Effect::Quit));
}

#[test]
fn marked_files_go_together_and_a_path_can_be_typed() {
    let mut desk = Desk::new();
    desk.press("AU\n");
    desk.shows("Upload 4 files for fine-tuning");
    desk.press("\u{1b}");
    let mut desk = Desk::new();
    desk.press("\tU");
    desk.shows("Upload which file?");
    desk.press("^u/home/you/a.txt\n\n");
    desk.shows("Upload 1 file for fine-tuning");
    desk.shows("1 B");
    desk.press("\n");
    assert_eq!(uploads(&desk)[0].path, std::path::Path::new("/home/you/a.txt"));
    let mut desk = Desk::new();
    desk.press("\tU");
    for (path, why) in [
        ("/home/you/nothing.txt", "✕ there is no such file"),
        ("/home/you/data", "✕ it is a folder; only files can be uploaded"),
        ("/nowhere/a.txt", "✕ there is no such file"),
        ("/home/you/data/pipe", "✕ it is not a regular file"),
    ] {
        desk.press(&format!("^u{path}\n"));
        desk.shows("Upload which file?");
        desk.shows(why);
    }
    desk.press("^ua.txt\n");
    desk.shows("✕ there is no such file");
    desk.press("^unotes.txt\n\n");
    desk.shows("Upload 1 file for fine-tuning");
}

#[test]
fn parts_made_together_train_together() {
    let mut desk = Desk::blank(&Disk::new());
    desk.list(vec![
        file("t", "a_prepared_train.jsonl", 100, "fine-tune", 1, "processed"),
        file("v", "a_prepared_valid.jsonl", 10, "fine-tune", 2, "processed"),
    ]);
    desk.press("\tjo");
    desk.shows("▐6 Tune▌");
    desk.shows("a_prepared_train.jsonl");
    desk.shows("a_prepared_valid.jsonl");
}

#[test]
fn parts_that_are_sent_together_are_one_key_from_training() {
    let mut desk = Desk::blank(&Disk::new());
    desk.list(Vec::new());
    let parts = ["a_prepared_train.jsonl", "a_prepared_valid.jsonl"];
    desk.folders.insert("/parts".to_owned(), parts.map(|name| entry(name, 3_300, 1)).to_vec());
    desk.press("i");
    desk.press("^u/parts\n");
    desk.hashes.insert(parts[1].to_owned(), 2);
    desk.press("AU\n");
    desk.shows("Upload 2 files for fine-tuning");
    desk.press("\n");
    for (ticket, call) in desk.transfers() {
        let Call::Upload(upload) = &call else { panic!() };
        let stored = file(&upload.name, &upload.name, 3_300, "fine-tune", 1, "processed");
        desk.reply(ticket, Reply::Uploaded(Box::new(stored), [3; 32]));
    }
    desk.shows("o trains with both");
    desk.wait(Duration::from_secs(20));
    desk.shows("examples   500");
    desk.press("o");
    desk.shows("▐6 Tune▌");
    desk.shows("a_prepared_train.jsonl");
}

#[test]
fn a_local_file_that_was_uploaded_is_trained_with_from_its_folder() {
    let mut desk = Desk::blank(&Disk::new());
    desk.list(vec![file("s", "small.jsonl", 3_300, "fine-tune", 1, "processed")]);
    desk.press("/small\no");
    desk.shows("▐6 Tune▌");
}

#[test]
fn what_runs_together_is_told_in_one_notice() {
    let mut desk = Desk::blank(&Disk::new());
    desk.list(Vec::new());
    let names = ["a.jsonl", "b.jsonl", "c.jsonl"];
    desk.folders.insert("/batch".to_owned(), names.map(|name| entry(name, 3_300, 1)).to_vec());
    desk.press("i");
    desk.press("^u/batch\n");
    for (name, hash) in names.into_iter().zip(1..) {
        desk.hashes.insert(name.to_owned(), hash);
    }
    desk.press("AU\n");
    desk.shows("Upload 3 files for fine-tuning");
    desk.press("\n");
    let (mut sent, mut failed) = (0, 0);
    while let Some((ticket, call)) = desk.transfers().get(sent + failed).cloned() {
        if sent < 2 {
            desk.finish(ticket, &call);
            sent += 1;
        } else {
            desk.fail(ticket, Failure::new(FailureKind::Refused, "the server is full"));
            failed += 1;
        }
        if (sent, failed) == (2, 0) {
            desk.shows("✓ 2 files uploaded to work");
            assert_eq!(desk.screen().matches("uploaded to work").count(), 1, "one notice for both");
        }
    }
    assert_eq!((sent, failed), (2, 1));
    let screen = desk.screen();
    let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("✕ 2 files uploaded to the server; 1 failed, the last is c.jsonl: the server is full"),
        "{screen}"
    );
    desk.hides("✓ 2 files");
}

#[test]
fn what_keeps_no_row_from_being_used_is_a_warning() {
    let mut desk = Desk::new();
    let counts = vec![(ProblemKind::Duplicate, 200)];
    let report = CheckReport {
        encoding: "UTF-8",
        rows: 240,
        valid: 240,
        form: Some(RowForm::Pairs),
        counts,
        ..CheckReport::default()
    };
    desk.reports.insert("small.jsonl".to_owned(), report);
    planned(&mut desk, "small");
    desk.shows("! 200 warnings");
    desk.shows("All rows can be used. s includes the file as it is, v checks and repairs it.");
    // Of one file alone nothing would be left.
    desk.hides("leave out");
    desk.press("s\n");
    assert_eq!(uploads(&desk).len(), 1);
}

#[test]
fn rows_that_are_found_by_a_guess_are_not_sent_as_they_are() {
    for (guessed, encoding) in [(true, "UTF-8"), (false, "windows-1252")] {
        let mut desk = Desk::new();
        let report =
            CheckReport { rows: 5, valid: 5, form: Some(RowForm::Pairs), guessed, encoding, ..CheckReport::default() };
        desk.reports.insert("small.jsonl".to_owned(), report);
        planned(&mut desk, "small");
        desk.shows("needs preparation: v");
        desk.press("\n");
        desk.shows("decide first");
        assert!(uploads(&desk).is_empty());
    }
}
