//! Whatever is pressed and answered, nothing breaks.

use benchtop::api::call::{Call, Failure, FailureKind, Progress, Reply};
use crossterm::event::{KeyCode, KeyModifiers};
use proptest::prelude::*;

use crate::desk::{Desk, file, files, job, problems};
use crate::kit::replies::files::not_found;

#[derive(Clone, Debug)]
enum Step {
    Key(char),
    Control(char),
    Code(u8),
    Paste(String),
    Answer(u8),
    Wait(u16),
    Resize(u16, u16),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => prop::sample::select("hjklgG UDxvoyYAsS/.~iTpcRdern \t6".chars().collect::<Vec<_>>()).prop_map(Step::Key),
        1 => prop::sample::select(vec!['r', 'u', 'd']).prop_map(Step::Control),
        5 => (0_u8..9).prop_map(Step::Code),
        1 => "[a-zé日\u{202e}\u{1b} ./\n]{0,30}".prop_map(Step::Paste),
        5 => (0_u8..6).prop_map(Step::Answer),
        1 => (0_u16..20_000).prop_map(Step::Wait),
        1 => (10_u16..140, 4_u16..50).prop_map(|(width, height)| Step::Resize(width, height)),
    ]
}

/// Answers what was asked in one of several ways.
fn answer(desk: &mut Desk, how: u8) {
    for (ticket, call) in desk.calls() {
        match (how, &call) {
            (0, _) => drop(desk.fail(ticket, Failure::new(FailureKind::Offline, "no connection"))),
            (1, _) => drop(desk.fail(ticket, not_found())),
            (2, _) => drop(desk.progress(ticket, Progress::Closed(Ok(())))),
            (3, _) => drop(desk.progress(ticket, Progress::Moved { done: 5, total: Some(9) })),
            (_, Call::Files) => desk.reply(ticket, Reply::Files(files())),
            (_, Call::Jobs) => {
                let jobs = vec![job("ft-1", benchtop::api::job::JobStatus::Running, "train")];
                desk.reply(ticket, Reply::Jobs(benchtop::api::job::Dialect::FineTunes, jobs));
            }
            (_, Call::File(id)) => {
                let of = file(id.trim_start_matches("file-"), "x", 1, "search", 1, "error");
                desk.reply(ticket, Reply::File(Box::new(of)));
            }
            (_, Call::Digest(_)) => desk.reply(ticket, Reply::Digest([1; 32], 7)),
            (_, Call::DeleteFile(id)) => desk.reply(ticket, Reply::Deleted(id.clone())),
            (_, Call::Upload(_) | Call::Download(_)) => desk.finish(ticket, &call),
            _ => drop(desk.progress(ticket, Progress::Closed(Ok(())))),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn nothing_breaks(steps in prop::collection::vec(step(), 1..90)) {
        let mut desk = Desk::new();
        desk.reports.insert("small.jsonl".to_owned(), problems());
        for step in steps {
            match step {
                Step::Key(key) => drop(desk.code(KeyCode::Char(key))),
                Step::Control(key) => drop(desk.key(KeyCode::Char(key), KeyModifiers::CONTROL)),
                Step::Code(at) => drop(desk.code([
                    KeyCode::Enter, KeyCode::Esc, KeyCode::Left, KeyCode::Right, KeyCode::Up, KeyCode::Down,
                    KeyCode::Tab, KeyCode::BackTab, KeyCode::PageDown,
                ][usize::from(at)])),
                Step::Paste(text) => drop(desk.paste(&text)),
                Step::Answer(how) => answer(&mut desk, how),
                Step::Wait(millis) => desk.wait(std::time::Duration::from_millis(u64::from(millis))),
                Step::Resize(width, height) => desk.size = (width, height),
            }
            let screen = desk.screen();
            let raw = ['\u{202e}', '\u{1b}'];
            prop_assert!(!screen.contains(raw));
        }
    }
}
