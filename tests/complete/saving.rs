//! What is kept, when it cannot be, and who else keeps it.

use std::collections::BTreeSet;
use std::time::Duration;

use benchtop::api::call::Call;
use benchtop::app::Effect;
use benchtop::record::{CompletionParams, Id, Made, Query, Record, Rows, Run, Sheet, Step, TurnStatus};
use crossterm::event::{KeyCode, KeyModifiers};

use crate::desk::{Desk, Disk, Writes, records};
use crate::replies::{AD, end, text, told};

/// Returns the text that steps produce.
fn text_of(sheet: &Sheet, steps: &[Step]) -> String {
    let mut path = Vec::new();
    let mut at = sheet.current;
    while let Some(step) = at.and_then(|id| steps.iter().find(|step| step.id == id)) {
        path.push(step);
        at = step.parent;
    }
    let mut text = String::new();
    for step in path.into_iter().rev() {
        let at = step.at as usize;
        text.replace_range(at..at + step.removed.len(), step.inserted.raw());
    }
    text
}

#[test]
fn what_is_typed_is_kept_a_moment_later() {
    let mut desk = Desk::new();
    desk.press("Once upon");
    desk.shows("saving…");
    desk.wait(Duration::from_secs(1));
    desk.shows("saved ✓");
    let (sheet, steps) = desk.disk.sheet();
    assert_eq!((steps.len(), text_of(&sheet, &steps).as_str()), (1, "Once upon"));
    // In another burst: another step.
    desk.wait(Duration::from_secs(3));
    desk.press(" a");
    desk.wait(Duration::from_secs(1));
    assert_eq!(desk.disk.sheet().1.len(), 2);
    // And without waiting at the end.
    desk.press(" time");
    let mut desk = desk.again();
    assert_eq!(desk.text(), "Once upon a time");
}

#[test]
fn a_stream_is_kept_as_it_comes() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Once ");
    for _ in 0..20 {
        desk.progress(ticket, text("word "));
        desk.wait(Duration::from_millis(300));
    }
    let (_, steps) = desk.disk.sheet();
    let last = steps.last().unwrap();
    assert_eq!(last.status, TurnStatus::Streaming);
    let kept = last.inserted.len();
    assert!(kept >= 5 * 15, "{kept} bytes are kept of 100, a second old at most");
    // As after a kill: nothing more is written.
    let mut later = Desk::at(&desk.disk, desk.unix_ms + 1000);
    assert_eq!(later.text(), format!("Once {}", "word ".repeat(kept / 5)));
    later.shows("✕ cut off");
    // A run goes on behind it.
    later.press("\u{1b}");
    assert_eq!(later.curl().suffix, None);
    later.press("r");
    later.shows("✕");
}

#[test]
fn a_stream_that_cannot_be_kept_says_so_while_it_comes() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Once ");
    desk.writes = Writes::Refused;
    for _ in 0..8 {
        desk.progress(ticket, text("word "));
        desk.wait(Duration::from_millis(300));
    }
    desk.shows("✕ not saved · ");
    desk.shows("esc stop");
}

#[test]
fn a_text_whose_last_step_still_streamed_is_cut_off() {
    let disk = Disk::new();
    let (sheet, typed, made, run) = (Id(10), Id(11), Id(13), Id(12));
    let step = |id, parent, made, at, inserted: &str, status| {
        Record::Step(Box::new(Step {
            id,
            sheet,
            parent,
            made,
            at,
            removed: "".into(),
            inserted: inserted.into(),
            status,
            finish_reason: "".into(),
            created_ms: 5,
        }))
    };
    let kept = Run {
        id: run,
        sheet,
        parent: Some(typed),
        profile: "work".into(),
        model: "ada".into(),
        params: CompletionParams::default(),
        excerpt: "Once ".into(),
        status: TurnStatus::Streaming,
        error: "".into(),
        created_ms: 5,
        prompt_tokens: 2,
        completion_tokens: 0,
        estimated: true,
        cost_nano: None,
        first_token_ms: 0,
        total_ms: 0,
    };
    let all = Record::Batch(vec![
        Record::Sheet(Sheet { id: sheet, created_ms: 5, updated_ms: 5, current: Some(made), caret: 5 }),
        Record::Setting("completion.sheet".into(), "10".into()),
        step(typed, None, Made::Typed, 0, "Once ", TurnStatus::Done),
        Record::Run(Box::new(kept)),
        step(made, Some(typed), Made::Generated { run, choice: 0 }, 5, "upon", TurnStatus::Streaming),
    ]);
    assert_eq!(disk.record(all), benchtop::record::Stored::Committed);
    let mut desk = Desk::on(&disk);
    assert_eq!(desk.text(), "Once upon");
    desk.shows("✕ cut off");
    desk.shows("▎");
    let (_, request) = desk.run();
    assert_eq!(crate::desk::prompt(&request), "Once upon");
}

#[test]
fn a_full_disk_is_said_and_later_everything_is_kept() {
    let mut desk = Desk::new();
    desk.press("Headphones:");
    desk.set("Log probabilities", "5");
    let (ticket, _) = desk.run();
    desk.writes = Writes::Refused;
    desk.answer_with(ticket, told(0, &AD).into_iter().chain([end(0, "stop")]));
    desk.wait(Duration::from_secs(2));
    desk.shows("✕ not saved: the disk is full");
    desk.press("i!");
    desk.wait(Duration::from_secs(2));
    desk.shows("✕ not saved");
    assert_eq!(desk.text(), "Headphones: Keep the music.!");
    // It holds the program back from ending quietly.
    desk.press("^q");
    desk.shows("could not be saved");
    desk.press("\u{1b}");
    desk.writes = Writes::Done;
    desk.press("?");
    desk.wait(Duration::from_secs(2));
    desk.hides("not saved");
    desk.shows("saved ✓");
    let (sheet, steps) = desk.disk.sheet();
    assert_eq!(text_of(&sheet, &steps), "Headphones: Keep the music.!?");
    let made = steps.iter().find(|step| matches!(step.made, Made::Generated { .. })).unwrap();
    assert_eq!(made.status, TurnStatus::Done);
    assert_eq!(desk.disk.tokens(made.id).len(), 4);
    assert_eq!(desk.disk.runs()[0].status, TurnStatus::Done);
    // What it cost is in the ledger, too.
    let spent = desk.disk.load(Query::Spent { profile: "work".into(), since_ms: i64::MIN });
    assert!(matches!(spent, Rows::Spent(Some(cost)) if cost.nano > 0 && !cost.unknown), "{spent:?}");
}

#[test]
fn steps_of_another_copy_are_not_lost() {
    let disk = Disk::new();
    let mut first = Desk::on(&disk);
    let ticket = first.ask("Once ");
    first.answer_with(ticket, [text("upon a time"), end(0, "stop")]);
    first.settle();
    let mut second = Desk::at(&disk, first.unix_ms + 500_000);
    assert_eq!(second.text(), "Once upon a time");
    let ticket = second.ask("");
    second.answer_with(ticket, [text(" there was")]);
    second.settle();
    let ticket = first.ask("");
    first.answer_with(ticket, [text(" nothing")]);
    first.press("i at all");
    first.settle();
    let texts: BTreeSet<_> = disk.sheet().1.iter().map(|step| step.inserted.raw().to_owned()).collect();
    let all = ["Once ", "upon a time", " there was", " nothing", " at all"];
    assert_eq!(texts, all.iter().map(|text| (*text).to_owned()).collect());
    // Either branch can be opened.
    let mut third = Desk::at(&disk, second.unix_ms + 900_000);
    third.press("\u{1b}r");
    third.shows("Runs");
    let mut seen = BTreeSet::new();
    for way in ["g", "gj", "gjj"] {
        third.press(way);
        third.press("\n");
        seen.insert(third.text());
        third.press("r");
    }
    assert!(seen.contains("Once upon a time there was") && seen.contains("Once upon a time nothing"), "{seen:?}");
}

#[test]
fn nothing_is_kept_of_looking_at_a_text() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Once ");
    desk.answer_with(ticket, [text("upon a time"), end(0, "stop")]);
    let mut desk = desk.again();
    desk.news();
    desk.press("\u{1b}Dj\u{1b}r\u{1b}s\u{1b}T\u{1b}B\u{1b}");
    desk.settle();
    let kept = records(&desk.news());
    assert!(kept.iter().all(|record| matches!(record, Record::Sheet(_) | Record::Setting(..))), "{kept:?}");
}

#[test]
fn what_runs_at_the_end_is_stopped_and_kept() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Once ");
    desk.progress(ticket, text("upon"));
    let mut desk = desk.again();
    assert_eq!(desk.text(), "Once upon");
    desk.shows("■ stopped");
}

#[test]
fn the_ledger_has_a_line_for_each_answer() {
    let mut desk = Desk::new();
    let ticket = desk.ask("Once ");
    desk.answer_with(ticket, [text("upon"), crate::replies::usage(2, 1), end(0, "stop")]);
    let rows: Vec<_> = records(&desk.effects)
        .into_iter()
        .filter_map(|r| if let Record::Ledger(row) = r { Some(row) } else { None })
        .collect();
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].tab.as_str(), rows[0].prompt_tokens, rows[0].completion_tokens), ("Complete", 2, 1));
    // Three tokens at two hundredths of a dollar for a thousand.
    assert_eq!((rows[0].estimated, rows[0].cost_nano), (false, Some(60_000)));
    let ticket = desk.run().0;
    desk.fail(ticket, crate::replies::offline());
    let rows = records(&desk.effects).into_iter().filter(|record| matches!(record, Record::Ledger(_))).count();
    assert_eq!(rows, 1, "what was not answered costs nothing");
}

#[test]
fn what_the_disk_takes_later_is_called_unsaved_until_it_is_kept() {
    let mut desk = Desk::new();
    desk.writes = Writes::Waiting;
    desk.press("Once ");
    desk.wait(Duration::from_secs(5));
    desk.put_off("the disk is full; free some space");
    desk.shows("✕ not saved: the disk is full");
    desk.press("^q");
    desk.shows("could not be saved");
    desk.put_off("the disk reports an error");
    desk.press("\u{1b}");
    desk.shows("✕ not saved: the disk reports an error");
    desk.press("^q");
    desk.writes = Writes::Done;
    desk.release();
    desk.shows("everything is saved");
    desk.settle();
    desk.shows("saved ✓");
    assert_eq!(desk.again().text(), "Once ");
}

#[test]
fn a_prompt_that_another_tab_sends_does_not_take_the_error_of_this_one_away() {
    let mut desk = Desk::new();
    desk.press("Once ");
    desk.writes = Writes::Refused;
    desk.press("^r");
    desk.shows("prompt could not be saved");
    desk.writes = Writes::Done;
    // What was refused is written before what Chat saves now.
    desk.wait(Duration::from_secs(1));
    desk.key(KeyCode::Char('1'), KeyModifiers::ALT);
    desk.press("hi\n");
    assert!(desk.effects.iter().any(|effect| matches!(effect, Effect::Call(_, _, Call::Chat(_)))), "Chat has sent");
    desk.shows("2 Complete ✕");
    desk.key(KeyCode::Char('2'), KeyModifiers::ALT);
    // One row is free: newer notices are shown there first.
    desk.wait(Duration::from_secs(10));
    desk.shows("prompt could not be saved");
}

#[test]
fn a_text_that_is_not_saved_stays_within_reach() {
    let mut desk = Desk::new();
    desk.press("Once ");
    desk.settle();
    desk.press("\u{1b}nTwice ");
    desk.writes = Writes::Refused;
    desk.wait(Duration::from_secs(1));
    desk.shows("✕ not saved");
    // Another text is opened when this one can be read back.
    desk.press("\u{1b}rG\n");
    desk.shows("this text is not saved yet");
    desk.press("\u{1b}n");
    desk.shows("u, brings the previous one back");
    assert_eq!(desk.text(), "");
    desk.press("\u{1b}u");
    assert_eq!(desk.text(), "Twice ");
    desk.writes = Writes::Done;
    desk.settle();
    assert_eq!(desk.again().text(), "Twice ");
}
