//! The list of runs under keys and on the screen.

use crossterm::event::KeyCode;

use super::*;
use crate::record::{ChatParams, CompletionParams, TurnStatus};
use crate::tabs::completion::picture::picture;

/// 2023-03-14, 14:10 UTC.
const NOW: i64 = 1_678_803_000_000;

fn run(id: i64, model: &str, status: TurnStatus) -> Run {
    let common = ChatParams { temperature: Some(0.7), n: Some(3), ..ChatParams::default() };
    Run {
        id: Id(id),
        sheet: Id(1),
        parent: None,
        profile: "work".into(),
        model: model.into(),
        params: CompletionParams { common, ..CompletionParams::default() },
        excerpt: "Audience: commuters\n\nWrite a one-sentence ad:".into(),
        status,
        error: "".into(),
        created_ms: NOW - 8 * 60_000,
        prompt_tokens: 38,
        completion_tokens: 48,
        estimated: false,
        cost_nano: Some(1_720_000),
        first_token_ms: 90,
        total_ms: 600,
    }
}

fn some() -> Vec<Run> {
    let mut runs = vec![
        run(5, "text-davinci-003", TurnStatus::Streaming),
        run(4, "text-davinci-003", TurnStatus::Done),
        run(3, "ada:ft-日本語-2023-03-01-00-00-00", TurnStatus::Stopped),
        run(2, "text-davinci-003", TurnStatus::Streaming),
        run(1, "curie", TurnStatus::Failed),
    ];
    (runs[2].estimated, runs[2].cost_nano) = (true, None);
    runs[3].profile = "日本".into();
    runs[3].created_ms -= 86_400_000;
    runs[4].created_ms -= 400 * 86_400_000;
    runs
}

fn list() -> Runs {
    Runs::default()
}

fn press(list: &mut Runs, keys: &str, runs: &[Run]) -> Handled<Event> {
    let code = |char| match char {
        '\n' => KeyCode::Enter,
        '\u{1b}' => KeyCode::Esc,
        char => KeyCode::Char(char),
    };
    keys.chars().map(|char| list.handle(KeyEvent::from(code(char)), runs)).last().unwrap()
}

fn drawn(list: &mut Runs, runs: &[Run], width: u16, height: u16) -> String {
    let profile = "work".into();
    list.arrange(Rect::new(0, 0, width, height), runs);
    picture(width, height, |frame, theme| {
        let context = RunListContext {
            profile: &profile,
            now_ms: NOW,
            zone: Zone::default(),
            live: &[Id(5)],
            spin: "⠹",
            theme,
            focus: true,
            spacing: Spacing::Lines,
        };
        list.render(frame, frame.area(), runs, &context);
    })
}

#[test]
fn a_run_is_a_line() {
    let expected = "\
▌14:02  text-davinci-003            Audience: commuters W…  temp 0.7 · n…      ▲38 ▼48 tok   0.6 s   $0.0017  ⠹ running
 14:02  text-davinci-003            Audience: commuters W…  temp 0.7 · n…      ▲38 ▼48 tok   0.6 s   $0.0017  ✓
 14:02  ada:ft-日本…3-01-00-00-00   Audience: commuters W…  temp 0.7 · n…     ~▲38 ▼48 tok   0.6 s         —  ■ stopped
 Mar 13 text-davinci-003            @日本  Audience: commute…  temp 0.7 …      ▲38 ▼48 tok   0.6 s   $0.0017  ✕ cut off
 2022   curie                       Audience: commuters W…  temp 0.7 · n…      ▲38 ▼48 tok   0.6 s   $0.0017  ✕ failed";
    assert_eq!(drawn(&mut list(), &some(), 120, 5), expected);
}

#[test]
fn where_it_is_narrow_the_least_stays() {
    let expected = "\
▌14:02  Audience: commut… ▼48 $0.0017 ⠹
 14:02  Audience: commut… ▼48 $0.0017 ✓
 14:02  Audience: commuters W… ~▼48 — ■
 Mar 13 Audience: commut… ▼48 $0.0017 ✕
 2022   Audience: commut… ▼48 $0.0017 ✕";
    assert_eq!(drawn(&mut list(), &some(), 40, 5), expected);
    let expected = "\
▌14:02  text-davinci-003      Audience: comm…      ▲38 ▼48   0.6 s   $0.0017  ⠹
 14:02  text-davinci-003      Audience: comm…      ▲38 ▼48   0.6 s   $0.0017  ✓
 14:02  ada:ft-日…1-00-00-00  Audience: comm…     ~▲38 ▼48   0.6 s         —  ■
 Mar 13 text-davinci-003      @日本  temp 0.…      ▲38 ▼48   0.6 s   $0.0017  ✕
 2022   curie                 Audience: comm…      ▲38 ▼48   0.6 s   $0.0017  ✕";
    assert_eq!(drawn(&mut list(), &some(), 80, 5), expected);
    for (width, height) in [(1, 1), (10, 2), (24, 3), (75, 1), (76, 1)] {
        drawn(&mut list(), &some(), width, height);
    }
}

#[test]
fn before_the_first_run_it_says_what_will_be_here() {
    let mut list = list();
    let shown = drawn(&mut list, &[], 40, 5);
    assert!(shown.starts_with(" No runs yet. ^R runs the text."), "{shown}");
    assert_eq!(press(&mut list, "jGg\n", &[]), Handled::Consumed);
    assert_eq!(press(&mut list, "y", &[]), Handled::Ignored);
    assert_eq!(press(&mut list, "\u{1b}", &[]), Handled::Emit(Event::Close));
}

#[test]
fn words_find_runs_by_model_text_and_profile() {
    let (mut list, runs) = (list(), some());
    for (words, found) in
        [("日本", vec![3, 2]), ("CURIE", vec![1]), ("one-sentence", vec![5, 4, 3, 2, 1]), ("nobody", vec![])]
    {
        press(&mut list, "/", &runs);
        assert!(list.typing() && list.paste(words, &runs));
        let ids: Vec<i64> = list.list.rows().map(|row| row.id.0).collect();
        assert_eq!(ids, found, "{words}");
        let shown = drawn(&mut list, &runs, 40, 6);
        assert!(shown.ends_with(&format!("{} found", found.len())), "{shown}");
        if let Some(first) = found.first() {
            assert_eq!(press(&mut list, "\n\n", &runs), Handled::Emit(Event::Open(Id(*first))));
        }
        press(&mut list, "/\u{1b}", &runs);
        assert!(!list.holds());
    }
    press(&mut list, "/curie\n", &runs);
    assert_eq!(press(&mut list, "\u{1b}", &runs), Handled::Consumed, "first the filter goes");
    assert_eq!(press(&mut list, "\n", &runs), Handled::Emit(Event::Open(Id(1))), "and the cursor stays");
    assert_eq!(press(&mut list, "\u{1b}", &runs), Handled::Emit(Event::Close));
}

#[test]
fn a_run_that_comes_leaves_the_cursor_where_it_is() {
    let (mut list, mut runs) = (list(), some());
    press(&mut list, "jj", &runs);
    runs.insert(0, run(6, "ada", TurnStatus::Done));
    assert_eq!(press(&mut list, "\n", &runs), Handled::Emit(Event::Open(Id(3))));
    press(&mut list, "g", &runs);
    runs.insert(0, run(7, "ada", TurnStatus::Done));
    assert_eq!(press(&mut list, "\n", &runs), Handled::Emit(Event::Open(Id(7))), "at the top it is the newest");
    list.select(Id(2), &runs);
    assert_eq!(press(&mut list, "\n", &runs), Handled::Emit(Event::Open(Id(2))));
}

#[test]
fn ten_thousand_runs_scroll_as_ten_do() {
    let many: Vec<Run> = (0..10_000).rev().map(|id| run(id, "text-davinci-003", TurnStatus::Done)).collect();
    let mut seen = list();
    drawn(&mut seen, &many, 120, 40);
    // What was found is not looked for again on a key or in a frame.
    seen.list.filter_and_sort(|row| row.place < 60, |_, _| {});
    seen.handle(KeyEvent::from(KeyCode::PageDown), &many);
    drawn(&mut seen, &many, 120, 40);
    assert_eq!((seen.list.len(), seen.list.view.cursor.selected), (60, 40));
    let mut list = list();
    press(&mut list, "G", &many);
    assert_eq!(press(&mut list, "\n", &many), Handled::Emit(Event::Open(Id(0))));
    drawn(&mut list, &many, 80, 20);
    assert_eq!(list.handle(KeyEvent::from(KeyCode::PageUp), &many), Handled::Consumed);
    assert_eq!(press(&mut list, "\n", &many), Handled::Emit(Event::Open(Id(20))), "a page is what shows");
}
