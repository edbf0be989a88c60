//! Keys, pastes, the palette, help and quitting; the picture around the tab.

use std::time::{Duration, Instant};

use benchtop::api::call::{Call, FailureKind, Progress, Reply};
use benchtop::api::job::{Dialect, Job, JobStatus};
use benchtop::app::{App, Effect, Event};
use benchtop::record::Stored;
use benchtop::ui::theme::Depth;
use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::desk::{app, app_with, closed, failure, key, lines, press, screen};
use crate::real::real;

#[test]
fn header_and_footer_at_three_sizes() {
    let mut app = app();
    press(&mut app, "i");
    let wide = lines(&mut app, 120, 36);
    assert!(
        wide[0].starts_with(" benchtop  ▐1 Pad▌  2 Complete   3 Moderate   4 Embed   5 Files   6 Tune "),
        "{}",
        wide[0]
    );
    assert!(wide[0].ends_with("● work · gpt-mini"), "{}", wide[0]);
    assert!(wide[35].starts_with(" ⏎ send  esc leave  alt+1…6 tabs  ^P commands  F1 help "), "{}", wide[35]);
    assert!(wide[35].ends_with("today free"), "{}", wide[35]);
    let medium = lines(&mut app, 80, 24);
    assert!(medium[0].starts_with("▐1 Pad▌ 2 Compl  3 Mod  4 Embed  5 Files  6 Tune "), "{}", medium[0]);
    assert!(medium[0].ends_with("● work · gpt-mini"), "{}", medium[0]);
    let narrow = lines(&mut app, 40, 12);
    assert!(narrow[0].starts_with("▐1/6 Pad▌") && narrow[0].ends_with("● work · gpt-mini"), "{}", narrow[0]);
    assert!(narrow[11].starts_with(" esc leave  ⏎ send") && narrow[11].ends_with("free"), "{}", narrow[11]);
    let small = screen(&mut app, 34, 8);
    assert!(small.contains("Terminal too small") && small.contains("34 × 8") && small.contains("^Q quits"), "{small}");
}

#[test]
fn after_ctrl_x_the_footer_has_the_keys_that_may_follow_and_no_others() {
    const ALL: &str = " u undo  r redo  a select all  c copy  x cut  ^E $EDITOR ";
    // Boxes for text of several lines, each with the keys that lead to it.
    let boxes = ["1i", "2i", "3a", "4a", "6t", "1p"];
    for (size, keys) in [((120, 36), ALL), ((80, 24), ALL), ((40, 12), " u undo  r redo  a select all  F1 help")] {
        for keys_to_it in boxes {
            let mut real = real(size.0, size.1);
            real.press("\u{1b}");
            for key in keys_to_it.chars() {
                real.press(&key.to_string());
                if key == '6' {
                    // A job whose model can be tried.
                    let job = Job {
                        id: "ft-1".to_owned(),
                        model: "curie".to_owned(),
                        status: JobStatus::Succeeded,
                        fine_tuned_model: Some("curie:ft-acme".to_owned()),
                        ..Job::default()
                    };
                    real.answer_last(&Call::Jobs, Reply::Jobs(Dialect::FineTunes, vec![job]));
                }
            }
            real.press("abc");
            let before = real.footer();
            if ["1i", "3a", "4a"].contains(&keys_to_it) {
                real.press("^x");
                real.press("^j");
                assert_eq!(real.footer(), before, "a newline ends it: {size:?} {keys_to_it}");
                real.code(KeyCode::Backspace);
            }
            real.press("^x");
            let footer = real.footer();
            assert!(footer.starts_with(keys.trim_end()), "{size:?} {keys_to_it}: {footer}");
            let rest = footer[keys.trim_end().len()..].trim();
            assert!(rest.is_empty() || rest.ends_with("free"), "{size:?} {keys_to_it}: {footer}");
            real.press("a");
            assert_eq!(real.footer(), before, "{size:?} {keys_to_it}");
            real.press("^x");
            real.press("\u{1b}");
            assert_eq!(real.footer(), before, "Esc ends it and leaves nothing: {size:?} {keys_to_it}");
            // In all of them the last of these keys opens the editor.
            real.press("^x");
            let opened = Effect::OpenEditor("abc".to_owned());
            assert!(real.press("^e").contains(&opened), "{size:?} {keys_to_it}");
        }
    }
}

#[test]
fn an_unknown_ticket_is_dropped_and_ctrl_c_stops_before_it_quits() {
    let mut app = app();
    let ticket = closed(&press(&mut app, "^r"));
    let effects = press(&mut app, "^c");
    assert_eq!(effects, [Effect::Cancel(ticket)]);
    // The tab asserts that nothing of it arrives any more.
    app.update(Event::Progress(ticket, Progress::Closed(Ok(()))), Instant::now(), 0);
    assert!(!press(&mut app, "^c").contains(&Effect::Quit));
    assert!(press(&mut app, "a^c").is_empty(), "another key in between forgets the first");
    assert!(press(&mut app, "^c").contains(&Effect::Quit));
}

#[test]
fn quitting_asks_when_something_would_be_lost() {
    let mut app = app();
    press(&mut app, "^x");
    assert!(press(&mut app, "q").is_empty());
    assert!(screen(&mut app, 80, 24).contains("an upload runs"));
    assert!(press(&mut app, "\n").is_empty(), "the cursor starts on staying");
    press(&mut app, "q");
    let tab = key(KeyCode::Tab, KeyModifiers::NONE);
    app.update(tab, Instant::now(), 0);
    assert_eq!(press(&mut app, "\n"), [Effect::Quit]);
}

#[test]
fn letters_digits_and_alt_in_text_and_browse() {
    let mut app = app();
    press(&mut app, "iq1?");
    assert!(screen(&mut app, 80, 24).contains("pad:q1?"));
    app.update(key(KeyCode::Char('2'), KeyModifiers::ALT), Instant::now(), 0);
    assert!(screen(&mut app, 80, 24).contains("▐2 Complete▌"));
    press(&mut app, "1");
    // Esc and a letter that came as one: text is left, the letter is a shortcut.
    let effects = app.update(key(KeyCode::Char('q'), KeyModifiers::ALT), Instant::now(), 0);
    assert_eq!(effects, [Effect::Quit]);
    let release = KeyEvent { kind: KeyEventKind::Release, ..KeyEvent::new(KeyCode::Char('q'), KeyModifiers::NONE) };
    assert!(app.update(Event::Input(Input::Key(release)), Instant::now(), 0).is_empty());
}

#[test]
fn a_paste_sends_nothing() {
    let mut app = app();
    press(&mut app, "i");
    let now = Instant::now();
    app.update(Event::Input(Input::Paste("one\r\ntwo\u{1b}[31m".into())), now, 0);
    app.update(key(KeyCode::Enter, KeyModifiers::NONE), now + Duration::from_millis(100), 0);
    app.update(key(KeyCode::Enter, KeyModifiers::NONE), now + Duration::from_millis(400), 0);
    assert!(screen(&mut app, 80, 24).contains("pad:one/two[31m/!"));
}

#[test]
fn the_palette_finds_runs_and_remembers() {
    let mut app = app();
    press(&mut app, "^pgo to tune\n");
    assert!(screen(&mut app, 80, 24).contains("▐6 Tune▌"));
    press(&mut app, "^p");
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("▸"), "{text}");
    press(&mut app, "\u{1b}1^p");
    let first = screen(&mut app, 80, 24).lines().find(|line| line.contains('▸')).unwrap().to_owned();
    assert!(first.contains("Go to Tune"), "recent first: {first}");
}

#[test]
fn a_theme_is_chosen_by_name() {
    let mut app = app();
    let ground = |app: &mut App| {
        let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
        press(app, "^p");
        terminal.draw(|frame| app.render(frame, Instant::now())).unwrap();
        press(app, "\u{1b}");
        terminal.backend().buffer()[(40, 12)].bg
    };
    let before = ground(&mut app);
    press(&mut app, "^ptheme: dark\n");
    assert_ne!(ground(&mut app), before);
}

/// Random keys, replies and sizes: nothing breaks, and it can always be left.
#[test]
fn a_thousand_random_keys_survive_at_every_size() {
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below
    };
    let sizes = [(20, 5), (1, 1), (40, 10), (59, 18), (80, 24), (120, 36), (200, 60)];
    let mut app = app();
    let mut open = Vec::new();
    let mut now = Instant::now();
    for step in 0..1000 {
        now += Duration::from_millis(random(200));
        let modifiers =
            [KeyModifiers::NONE, KeyModifiers::CONTROL, KeyModifiers::ALT, KeyModifiers::SHIFT][random(4) as usize];
        let code = match random(12) {
            0 => KeyCode::Enter,
            1 => KeyCode::Esc,
            2 => KeyCode::Tab,
            3 => KeyCode::F(random(12) as u8 + 1),
            4 => [KeyCode::Up, KeyCode::Down, KeyCode::PageUp, KeyCode::PageDown, KeyCode::Home, KeyCode::End]
                [random(6) as usize],
            5 => KeyCode::Backspace,
            _ => KeyCode::Char(char::from(32 + random(95) as u8)),
        };
        let mut effects = app.update(key(code, modifiers), now, 0);
        effects.extend(app.tick(now, 0));
        for effect in effects {
            match effect {
                Effect::Call(ticket, ..) => open.push(ticket),
                Effect::Cancel(ticket) => open.retain(|open| *open != ticket),
                Effect::Load(ticket, _) | Effect::TrySave(ticket, _) | Effect::Save(ticket, _) => {
                    app.update(Event::Stored(ticket, Stored::Failed("full".into())), now, 0);
                }
                _ => {}
            }
        }
        if !open.is_empty() && random(3) == 0 {
            let ticket = open.swap_remove(random(open.len() as u64) as usize);
            let end = if random(2) == 0 { Ok(()) } else { Err(failure(FailureKind::Offline)) };
            app.update(Event::Progress(ticket, Progress::Closed(end)), now, 0);
        }
        let (width, height) = sizes[step % sizes.len()];
        screen(&mut app, width, height);
    }
    for _ in 0..20 {
        press(&mut app, "\u{1b}");
    }
    assert!(screen(&mut app, 120, 36).contains("? help"), "Esc ends in browse");
}

#[test]
fn without_colours_every_theme_is_the_one_without() {
    let mut app = app_with(Depth::None, true);
    press(&mut app, "^ptheme: dark\n");
    assert!(screen(&mut app, 80, 24).contains("— NO_COLOR is set"), "it stays open and says why not");
    press(&mut app, "\u{1b}^ptheme: mono");
    let text = screen(&mut app, 80, 24);
    assert!(text.contains("in use"), "{text}");
}

#[test]
fn a_screen_too_small_says_how_to_leave() {
    let mut app = app();
    for (width, height) in [(20, 5), (20, 4), (34, 8), (39, 9), (24, 2), (120, 5)] {
        let text = screen(&mut app, width, height);
        assert!(text.contains("too small") && text.contains("^Q quits."), "{width}×{height}: {text}");
    }
    let small = screen(&mut app, 20, 5);
    for words in ["20 × 5", "40 × 10", "Work continues."] {
        assert!(small.contains(words), "{words}: {small}");
    }
}
