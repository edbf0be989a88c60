//! The tab in a theme with surfaces.

use std::time::Duration;

use benchtop::api::call::{Call, Followed, Progress, Reply};
use benchtop::api::job::Dialect;
use benchtop::component::Session;
use benchtop::tabs::fine_tunes::Tune as Tab;
use benchtop::ui::theme::Kind;
use ratatui::buffer::Buffer;

use crate::desk::{Disk, Tune};
use crate::kit::{Alone, Driver, dark, rows};
use crate::replies::{NOON, SAID, events, jobs};

/// Draws the tab alone with six jobs on a screen of this size, after these keys.
fn drawn(area: (u16, u16), keys: &str) -> Buffer {
    let session = Session { palette: Kind::Dark, area, ..Session::default() };
    let mut desk: Driver<Tune, Alone<Tab>> = Driver::alone(&Disk::new(), Tab::new, session, NOON * 1000);
    desk.answer_last(&Call::Jobs, Reply::Jobs(Dialect::FineTunes, jobs()));
    for (id, said) in SAID {
        let (ticket, _) = desk.last(|call| matches!(call, Call::Follow(of) if of == id));
        let told = Followed::Events { first: 0, events: events(said) };
        desk.progress(ticket, Progress::Reply(Reply::Followed(told)));
    }
    desk.press(keys);
    desk.wait(Duration::from_secs(1));
    desk.draw_in_dark()
}

#[test]
fn the_job_under_the_cursor_has_two_rows_and_the_others_one() {
    let theme = dark();
    let buf = drawn((120, 34), "");
    let rows = rows(&buf);
    let side: Vec<String> = rows.iter().map(|row| row.chars().take(38).collect()).collect();
    assert!(side[1].starts_with("▌ Jobs"), "{side:#?}");
    assert!(side[3].starts_with("▌ ● support-v3") && side[3].ends_with(" left  "), "{side:#?}");
    assert!(side[4].starts_with("▌   ━━━━") && side[4].ends_with("50%  "), "{side:#?}");
    let names = ["tone-v1", "labels-v2", "support-v2", "labels-v1", "try"];
    for (at, name) in names.into_iter().enumerate() {
        assert!(side[5 + at].contains(name), "{name}: {side:#?}");
    }
    assert!(side.iter().any(|row| row.starts_with("  DETAILS")), "{side:#?}");
    assert_eq!([Some(buf[(37, 3)].bg), Some(buf[(37, 4)].bg)], [theme.select.bg; 2], "lit to the edge of the pane");
    // The bar and its rest are one line in two colours.
    let bar: Vec<_> = (4..36).map(|x| &buf[(x, 4)]).filter(|cell| cell.symbol() == "━").map(|cell| cell.fg).collect();
    assert_eq!((bar.first().copied(), bar.last().copied()), (theme.busy.fg, theme.select_in_dialog.bg));
    let all = rows.join("\n");
    assert!(!all.contains(['─', '│']), "no lines:\n{all}");
}

#[test]
fn small_screens_have_surfaces_too() {
    for size in [(80, 22), (40, 8)] {
        let all = rows(&drawn(size, "")).join("\n");
        assert!(!all.contains(['─', '│']), "no lines at {size:?}:\n{all}");
        assert!(all.contains("support-v3"), "{all}");
    }
}

#[test]
fn a_small_screen_has_room_for_a_curve_of_three_rows_too() {
    let rows = rows(&drawn((40, 10), ">"));
    let is_dot = |c: char| ('\u{2801}'..='\u{28ff}').contains(&c);
    assert!(rows.iter().filter(|row| row.contains(is_dot)).count() >= 3, "{rows:#?}");
    assert!(rows.iter().any(|row| row.contains("Events")) && rows.iter().any(|row| row.contains("step")), "{rows:#?}");
}
