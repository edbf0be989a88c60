//! The first row: what it says of server and model, and what it leaves out where there is little room.

use benchtop::api::call::{Call, Failure, FailureKind, Progress, Ticket};
use benchtop::app::Effect;
use crossterm::event::{KeyCode, KeyModifiers};

use crate::desk::closed;
use crate::real::{Real, real_dark, real_with};

/// Returns the header of a workbench with this server and this model.
fn header(size: (u16, u16), name: &str, model: &str, local: bool) -> String {
    let mut real = real_with(size.0, size.1, |session| {
        (session.profile_name, session.model, session.local) = (name.into(), model.into(), local);
    });
    real.lines().swap_remove(0)
}

#[test]
fn server_and_model_are_shown_wherever_they_fit() {
    for (size, name, model, end) in [
        ((120, 36), "work", "gpt-4o-mini", "● work · gpt-4o-mini"),
        ((100, 28), "127.0.0.1:11434", "llama-3.1", "● 127.0.0.1:11434 · llama-3.1"),
        ((80, 24), "local", "auto", "● local · auto"),
        ((80, 24), "work", "gpt-4o-mini", "● work · gpt-4o-mini"),
        ((80, 24), "10.120.130.140:11434", "llama-3.1", "● llama-3.1"),
        ((40, 12), "work", "gpt-4o-mini", "● work · gpt-4o-mini"),
    ] {
        let header = header(size, name, model, name == "local");
        assert!(header.ends_with(end), "{size:?}: {header}");
    }
}

#[test]
fn what_has_no_room_is_left_out_in_order() {
    let long = "gpt-3.5-turbo:ft-personal:pirate-2026-11-21-13-30-02";
    let name = "models.example:8443";
    let at = |width| header((width, 30), name, long, false);
    assert!(at(160).starts_with(" benchtop ") && at(160).ends_with(&format!("● {name} · {long}")), "{}", at(160));
    assert!(!at(130).contains("benchtop") && at(130).contains("● gpt-3.5") && !at(130).contains(name), "{}", at(130));
    assert!(at(115).contains("● gpt-3.5") && at(115).contains('…'), "{}", at(115));
    // Where little of the model's name would be left, the profile's is whole.
    assert!(header((70, 24), "local", long, true).ends_with("● local"), "{}", header((70, 24), "local", long, true));
    for width in 40..160 {
        let header = at(width);
        assert!(header.contains('●') && !header.ends_with(' '), "{width}: {header}");
    }
}

/// Fails the list of models, which an empty one is asked for with.
fn fail(real: &mut Real, why: Failure) {
    let ticket = closed(&real.press("\u{1b}^pmodels: refresh\n"));
    real.fail(ticket, why);
}

#[test]
fn a_server_that_cannot_be_reached_or_refuses_the_key_is_said_in_a_word() {
    let name = "server.example:8080";
    for size in [(120, 36), (100, 30), (80, 24), (40, 12)] {
        let mut real = real_with(size.0, size.1, |session| session.profile_name = name.into());
        let shows = |real: &mut Real, mark: &str, state: &str| {
            let header = real.lines().swap_remove(0);
            let end = [format!("{mark} {name} · {state}"), format!("{mark} {state}")];
            assert!(end.iter().any(|end| header.ends_with(end)), "{size:?}: {header}");
            assert!(header.contains(name) || size.0 < 120, "{header}");
        };
        fail(&mut real, Failure::new(FailureKind::Offline, "no connection"));
        shows(&mut real, "○", "offline");
        fail(&mut real, Failure { status: Some(401), ..Failure::new(FailureKind::Auth, "refused") });
        shows(&mut real, "✕", "key refused");
        fail(&mut real, Failure::new(FailureKind::Auth, "the environment variable KEY is not set"));
        shows(&mut real, "✕", "no key");
        let ticket = closed(&real.press("\u{1b}\u{1b}\u{1b}^pmodels: refresh\n"));
        real.progress(ticket, Progress::Opened { request_id: None });
        let header = real.lines().swap_remove(0);
        assert!(header.contains('●') && !header.contains("no key"), "an answer makes it well again: {header}");
    }
}

#[test]
fn a_failure_in_another_tab_marks_its_name_until_the_tab_is_seen() {
    for (size, mark) in [((120, 36), " 1 Chat ✕ "), ((80, 24), " 1 Chat✕ "), ((40, 12), " 1✕ ")] {
        let mut real = real_dark(size.0, size.1);
        let ticket = real.ask("hi");
        real.key(KeyCode::Char('2'), KeyModifiers::ALT);
        assert!(!real.lines()[0].contains('✕'), "{size:?}");
        real.fail(ticket, Failure::new(FailureKind::Offline, "no connection"));
        let header = real.lines().swap_remove(0);
        assert!(header.contains(mark), "{size:?}: {header}");
        let cells = real.cells();
        let mark = (0..size.0).find(|x| cells[(*x, 0)].symbol() == "✕").unwrap();
        assert_eq!(Some(cells[(mark, 0)].fg), crate::kit::dark().bad.fg, "{size:?}: in the colour of errors");
        real.key(KeyCode::Char('1'), KeyModifiers::ALT);
        assert!(!real.lines()[0].contains('✕'), "{size:?}: {}", real.lines()[0]);
    }
}

/// Returns the ticket of the call for the list of models.
pub fn list(effects: &[Effect]) -> Ticket {
    let list = |effect: &Effect| if let Effect::Call(ticket, _, Call::Models) = effect { Some(*ticket) } else { None };
    effects.iter().find_map(list).expect("the list is asked for")
}
