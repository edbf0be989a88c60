//! Whatever is pressed and answered, nothing breaks, and nothing that was written is lost.

use benchtop::api::call::{Progress, Reply};
use benchtop::api::moderation::Moderation;
use crossterm::event::{KeyCode, KeyModifiers};
use proptest::prelude::*;

use crate::desk::Desk;
use crate::replies::{judge, offline, refused, result, texts};

#[derive(Clone, Debug)]
enum Step {
    Key(char),
    Control(char),
    Code(u8),
    Paste(String),
    Answer(u8),
    Resize(u16, u16),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => prop::sample::select("aeixuJKmMt+-=_0 sgdDcHwBfvEoyChl<>kjG".chars().collect::<Vec<_>>()).prop_map(Step::Key),
        2 => prop::sample::select(vec!['r', 'x', 'u']).prop_map(Step::Control),
        3 => (0_u8..8).prop_map(Step::Code),
        1 => "[a-zé日\u{202e}\u{1b} .\n]{0,30}".prop_map(Step::Paste),
        3 => (0_u8..5).prop_map(Step::Answer),
        1 => (10_u16..140, 4_u16..50).prop_map(|(width, height)| Step::Resize(width, height)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn nothing_breaks(steps in prop::collection::vec(step(), 1..80)) {
        let mut desk = Desk::new();
        desk.paste("I will find you. And that is all.");
        for step in steps {
            match step {
                // Another tab's keys are another tab's test.
                Step::Key(key) => drop(desk.code(KeyCode::Char(key))),
                Step::Control(key) => drop(desk.key(KeyCode::Char(key), KeyModifiers::CONTROL)),
                Step::Code(at) => drop(desk.code([
                    KeyCode::Enter, KeyCode::Esc, KeyCode::Left, KeyCode::Right,
                    KeyCode::Up, KeyCode::Down, KeyCode::Home, KeyCode::PageDown,
                ][usize::from(at)])),
                Step::Paste(text) => drop(desk.paste(&text)),
                Step::Answer(how) => {
                    for (ticket, request) in desk.sent() {
                        let texts = texts(&request);
                        match how {
                            0 => desk.answer(ticket, judge("", &texts)),
                            1 => desk.answer(ticket, Moderation { results: vec![result(&[])], ..Moderation::default() }),
                            2 => drop(desk.fail(ticket, offline())),
                            3 => drop(desk.fail(ticket, refused(400))),
                            _ => {
                                desk.progress(ticket, Progress::Reply(Reply::Moderation(Moderation::default())));
                                desk.progress(ticket, Progress::Closed(Ok(())));
                            }
                        }
                    }
                }
                Step::Resize(width, height) => desk.size = (width, height),
            }
            let screen = desk.screen();
            let raw = ['\u{202e}', '\u{1b}'];
            prop_assert!(!screen.contains(raw));
        }
        for _ in 0..20 {
            desk.code(KeyCode::Esc);
        }
        desk.settle();
    }
}

#[test]
fn no_category_of_a_turn_is_the_highest_at_zero() {
    let mut desk = crate::conversation::sent();
    desk.news();
    for (ticket, request) in desk.runs() {
        let zero = |_| result(&[("hate", Some(0.0), Some(false)), ("self-harm", Some(0.004), Some(false))]);
        let results = texts(&request).into_iter().map(zero).collect();
        desk.answer(ticket, Moderation { results, ..Moderation::default() });
    }
    desk.settle();
    desk.hides("0.00 self-harm");
    desk.shows("none");
}
