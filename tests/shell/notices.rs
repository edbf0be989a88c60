//! What is said in passing, and what stays until it is dismissed.

use std::time::{Duration, Instant};

use benchtop::api::call::{FailureKind, Progress, Reply};
use benchtop::app::{Effect, Event};
use benchtop::component::Notice;
use crossterm::event::{KeyCode, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Modifier;
use unicode_width::UnicodeWidthStr as _;

use crate::desk::{app, app_warned, closed, failure, key, press, screen};
use crate::real::{real, real_dark};

#[test]
fn notices_are_made_safe_and_kept() {
    let mut app = app();
    app.update(Event::Unsaved("the disk is full\u{1b}[2J".into()), Instant::now(), 0);
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("✕ not saved: the disk is full␛[2J"), "{text}");
    assert_eq!(app.due(), None, "what stays costs no wake-ups");
    app.update(Event::Notice(Notice::ok("copied")), Instant::now(), 0);
    app.tick(app.due().unwrap(), 0);
    assert!(!screen(&mut app, 80, 24).contains("copied"));
    press(&mut app, "^pmessages\n");
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("copied") && text.contains("the disk is full␛[2J"), "{text}");
}

#[test]
fn a_second_ctrl_c_is_asked_for_as_long_as_it_counts() {
    let (mut app, start) = (app(), Instant::now());
    app.update(key(KeyCode::Char('c'), KeyModifiers::CONTROL), start, 0);
    assert!(screen(&mut app, 80, 24).contains("press ^C again"));
    let end = start + Duration::from_millis(1500);
    assert_eq!(app.due(), Some(end));
    app.tick(end, 0);
    assert!(!screen(&mut app, 80, 24).contains("press ^C again"));
}

#[test]
fn a_notice_taller_than_the_room_begins_and_messages_have_all_of_it() {
    let mut app = app();
    let words: Vec<String> = (0..120).map(|n| format!("word{n}")).collect();
    app.update(Event::LastingNotice(Notice::error(words.join(" "))), Instant::now(), 0);
    let text = screen(&mut app, 40, 12);
    assert!(text.contains("✕ word0 word1") && !text.contains("word119"), "{text}");
    press(&mut app, "\u{1b}\u{1b}^pmessages\n");
    assert!(!screen(&mut app, 40, 12).contains("word119"));
    press(&mut app, "G");
    let end = screen(&mut app, 40, 12);
    assert!(end.contains("word119"), "{end}");
    press(&mut app, "j");
    assert_eq!(screen(&mut app, 40, 12), end, "there is nothing below the end");
    press(&mut app, "k");
    let above = screen(&mut app, 40, 12);
    assert!(above != end && !above.contains("word119"), "one row up shows at once:\n{above}");
}

#[test]
fn a_hint_is_no_success() {
    let mut app = app();
    press(&mut app, "\u{1b}");
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("q quits") && !text.contains('✓'), "{text}");
}

#[test]
fn every_cell_of_a_notice_is_painted_and_nothing_wide_is_covered_by_half() {
    let mut real = real(100, 30);
    real.event(key(KeyCode::Char('2'), KeyModifiers::ALT));
    // Wide characters that begin in even and in odd columns, from far left of the notices to the edge.
    let lines: Vec<String> = (10..40).map(|n| format!("{}{}", &"xx"[..n % 2], "日本語".repeat(n / 2))).collect();
    real.event(Event::Input(crossterm::event::Event::Paste(lines.join("\n"))));
    real.press("\u{1b}");
    let wide = |real: &mut crate::real::Real| real.screen().matches(['日', '本', '語']).count();
    let before = wide(&mut real);
    let now = Instant::now();
    for length in 5..80 {
        real.app.update(Event::Notice(Notice::error("x".repeat(length)).about("length")), now, 0);
        real.app.update(Event::Notice(Notice::warn("another").about("another")), now, 0);
        let mut terminal = Terminal::new(TestBackend::new(100, 30)).unwrap();
        terminal.draw(|frame| real.app.render(frame, now)).unwrap();
        let buffer = terminal.backend().buffer().clone();
        let painted = |x: u16, y: u16| buffer[(x, y)].modifier.contains(Modifier::REVERSED);
        let rows: Vec<u16> = (0..29).filter(|y| painted(99, *y)).collect();
        assert!(!rows.is_empty(), "{length}");
        for y in rows {
            let first = (0..100).rev().take_while(|x| painted(*x, y)).last().unwrap();
            assert!(buffer[(first, y)].symbol() == " " && buffer[(99, y)].symbol() == " ", "room on both sides");
            assert!((first..100).all(|x| !"日本語".contains(buffer[(x, y)].symbol())), "nothing shines through");
            assert_eq!(buffer[(first - 1, y)].symbol().width(), 1, "no half of a wide character at column {first}");
        }
        assert_eq!(wide(&mut real), before, "{length}");
    }
}

#[test]
fn notices_cover_nothing_that_is_read_or_typed() {
    for (size, dark) in [(120, 36), (80, 24), (40, 12)].into_iter().flat_map(|size| [(size, true), (size, false)]) {
        let mut real = if dark { real_dark(size.0, size.1) } else { real(size.0, size.1) };
        let ticket = real.ask(&"xxxxxxxxx ".repeat(400));
        real.progress(ticket, Progress::Closed(Ok(())));
        for browses in [false, true] {
            if browses {
                real.press("\u{1b}k");
            }
            let before = real.lines();
            for said in ["it is copied", "it is gone", &"it is gone for good ".repeat(12)] {
                real.app.update(Event::Notice(Notice::error(said).about("it")), Instant::now(), 0);
                let after = real.lines();
                assert!(after.iter().any(|line| line.contains("✕ it is ")), "{after:#?}");
                // The header may be covered, and the footer says what Esc does.
                for (before, after) in before.iter().zip(&after).take(before.len() - 1).skip(1) {
                    let is_kept = |(before, after): (char, char)| before == after || " │─".contains(before);
                    // Blanks at the end of a line are not in it.
                    let after_to_edge = after.chars().chain(std::iter::repeat(' '));
                    assert!(before.chars().zip(after_to_edge).all(is_kept), "{size:?}: {before}\n{after}");
                }
            }
            real.press("\u{1b}");
            assert_eq!(real.lines(), before, "esc dismisses it");
        }
    }
}

#[test]
fn warnings_of_the_start_go_by_themselves_and_many_are_one_notice() {
    for count in [1, 2, 21] {
        let warnings: Vec<String> =
            (1..=count).map(|n| format!("config.toml, line {n}: there is no such setting")).collect();
        let mut app = app_warned(warnings);
        let text = screen(&mut app, 100, 30);
        assert!(text.contains("config.toml, line 1: there is no such setting"), "{text}");
        assert_eq!(text.contains("21 warnings at startup (^P Messages shows all)"), count == 21, "{text}");
        assert_eq!(text.matches("! ").count(), count.min(2) - usize::from(count > 2), "{text}");
        while let Some(due) = app.due() {
            app.tick(due, 0);
        }
        assert!(!screen(&mut app, 100, 30).contains("config.toml"));
        press(&mut app, "^pmessages\n");
        assert!(screen(&mut app, 100, 30).contains("config.toml, line 1:"));
        press(&mut app, "G");
        assert!(screen(&mut app, 100, 30).contains(&format!("config.toml, line {count}:")));
    }
}

#[test]
fn an_error_says_the_key_that_dismisses_it_and_that_key_does_nothing_else() {
    let mut app = app();
    press(&mut app, "ihello");
    app.update(Event::Notice(Notice::error("it is gone")), Instant::now(), 0);
    app.tick(Instant::now() + Duration::from_hours(1), 0);
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("✕ it is gone · esc dismiss") && text.contains("esc dismiss "), "{text}");
    press(&mut app, "\u{1b}");
    let text = screen(&mut app, 80, 24);
    assert!(!text.contains("it is gone") && text.contains("esc leave"), "the text field is still there: {text}");
    // What runs is stopped first.
    press(&mut app, "^r");
    app.update(Event::Notice(Notice::error("it is gone")), Instant::now(), 0);
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("it is gone") && !text.contains("esc dismiss") && text.contains("esc stop"), "{text}");
    assert!(matches!(press(&mut app, "\u{1b}")[..], [Effect::Cancel(_)]));
    assert!(screen(&mut app, 80, 24).contains("esc dismiss"));
}

#[test]
fn esc_closes_a_dialog_before_it_dismisses_an_error() {
    let mut real = real(80, 24);
    real.event(key(KeyCode::Char('1'), KeyModifiers::ALT));
    real.press("\u{1b}p");
    real.app.update(Event::Notice(Notice::error("it is gone")), Instant::now(), 0);
    let text = screen(&mut real.app, 80, 24);
    assert!(text.contains("─ System prompt") && !text.contains("esc dismiss"), "{text}");
    real.press("\u{1b}");
    let text = screen(&mut real.app, 80, 24);
    assert!(!text.contains("─ System prompt") && text.contains("it is gone · esc dismiss"), "{text}");
    real.press("\u{1b}");
    assert!(!screen(&mut real.app, 80, 24).contains("it is gone"));
}

#[test]
fn over_a_dialog_a_notice_is_in_the_place_of_the_header_and_hides_nothing_of_the_dialog() {
    for (width, height) in [(120, 36), (80, 24), (40, 12)] {
        let mut real = real(width, height);
        real.event(key(KeyCode::Char('1'), KeyModifiers::ALT));
        real.press("\u{1b}p");
        let before = screen(&mut real.app, width, height);
        real.app.update(Event::Notice(Notice::error("it is gone ".repeat(20))), Instant::now(), 0);
        let after = screen(&mut real.app, width, height);
        let rows = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(rows(&before)[1..], rows(&after)[1..], "{after}");
        assert!(rows(&after)[0].contains("✕ it is gone"), "{after}");
    }
}

#[test]
fn on_a_low_screen_a_notice_is_one_row_above_the_footer() {
    let mut app = app();
    app.update(Event::Notice(Notice::error("it is gone ".repeat(20))), Instant::now(), 0);
    let text = screen(&mut app, 40, 12);
    let rows: Vec<&str> = text.lines().collect();
    assert!(rows[10].contains("✕ it is gone") && rows[10].contains("… · ^P Messages"), "{text}");
    assert_eq!(text.matches("gone").count(), rows[10].matches("gone").count(), "{text}");
}

#[test]
fn why_there_is_no_list_of_models_is_not_said_beside_the_same_reason() {
    let missing = |app: &mut benchtop::app::App| {
        let ticket = closed(&press(app, "\u{1b}^pmodels: refresh\n"));
        let why = failure(FailureKind::Offline);
        app.update(Event::Progress(ticket, Progress::Closed(Err(why))), Instant::now(), 0);
    };
    let mut real = real(80, 24);
    missing(&mut real.app);
    assert!(screen(&mut real.app, 80, 24).contains("no list of models"));
    // The failed call of the tab in front gives the same reason, before and after.
    real.press("i");
    let ticket = real.ask("hi");
    real.fail(ticket, failure(FailureKind::Offline));
    let text = screen(&mut real.app, 80, 24);
    assert!(!text.contains("no list of models"), "{text}");
    missing(&mut real.app);
    let text = screen(&mut real.app, 80, 24);
    assert!(!text.contains("no list of models"), "{text}");
}

#[test]
fn an_error_goes_when_it_is_solved() {
    let mut app = app();
    let ticket = closed(&press(&mut app, "^pmodels: refresh\n"));
    let why = failure(FailureKind::Offline);
    app.update(Event::Progress(ticket, Progress::Closed(Err(why))), Instant::now(), 0);
    assert!(screen(&mut app, 80, 24).contains("no list of models"));
    let ticket = closed(&press(&mut app, "^pmodels: refresh\n"));
    app.update(Event::Progress(ticket, Progress::Reply(Reply::Models(Vec::new()))), Instant::now(), 0);
    assert!(!screen(&mut app, 80, 24).contains("no list of models"));
}

#[test]
fn a_notice_covers_no_message_box() {
    for (width, height) in [(120, 36), (80, 24)] {
        let mut real = real_dark(width, height);
        let ticket = real.ask(&"a question ".repeat(300));
        real.progress(ticket, Progress::Closed(Ok(())));
        for typing in [true, false] {
            let before = real.lines();
            let row = |corner: char| before.iter().position(|line| line.contains(corner)).expect("a message box");
            let message_box = row('╮')..=row('╯');
            real.event(Event::Notice(Notice::ok("it is copied")));
            let after = real.lines();
            assert!(after.iter().any(|line| line.contains("✓ it is copied")), "{after:#?}");
            assert_eq!(before[message_box.clone()], after[message_box], "typing: {typing}");
            real.wait(Duration::from_secs(10));
            real.press("\u{1b}");
        }
    }
}

#[test]
fn what_a_tab_said_does_not_follow_into_another_tab() {
    let mut real = real(100, 30);
    real.press("\u{1b}3D");
    assert!(screen(&mut real.app, 100, 30).contains("nothing has failed"), "{}", screen(&mut real.app, 100, 30));
    real.wait(Duration::from_secs(1));
    real.press("1");
    assert!(!screen(&mut real.app, 100, 30).contains("nothing has failed"), "{}", screen(&mut real.app, 100, 30));
}

#[test]
fn what_a_tab_said_is_not_shown_while_a_dialog_has_the_keys() {
    let mut real = real(100, 30);
    real.press("\u{1b}3D");
    real.shows("nothing has failed");
    // The help of the shell, and a dialog of the tab.
    for key in ["?", "t"] {
        real.press(key);
        real.hides("nothing has failed");
        real.press("\u{1b}");
        real.shows("nothing has failed");
    }
}

#[test]
fn that_there_is_nothing_to_go_back_to_is_said_for_two_seconds() {
    let mut app = app();
    let start = Instant::now();
    app.update(key(KeyCode::Esc, KeyModifiers::NONE), start, 0);
    assert!(screen(&mut app, 80, 24).contains("nothing to go back to; q quits"));
    app.tick(start + Duration::from_secs(2), 0);
    assert!(!screen(&mut app, 80, 24).contains("nothing to go back to"));
}
