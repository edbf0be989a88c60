//! The tab in a theme with surfaces.

use benchtop::component::Session;
use benchtop::tabs::files::Files;
use benchtop::ui::theme::Kind;
use ratatui::buffer::Buffer;

use crate::desk::{Disk, LocalFiles, NOW};
use crate::kit::{Alone, Driver, dark, rows};

/// Draws the tab alone on a screen of this size, after these keys.
fn drawn(area: (u16, u16), keys: &str) -> Buffer {
    let session = Session { palette: Kind::Dark, area, ..Session::default() };
    let mut desk: Driver<LocalFiles, Alone<Files>> = Driver::alone(&Disk::new(), Files::new, session, NOW);
    desk.press(keys);
    desk.draw_in_dark()
}

#[test]
fn panes_are_told_apart_by_their_backgrounds() {
    let theme = dark();
    for size in [(120, 34), (80, 22), (40, 8)] {
        let buf = drawn(size, "");
        let all = rows(&buf).join("\n");
        assert!(!all.contains(['─', '━', '│']), "no lines at {size:?}:\n{all}");
        assert_eq!(Some(buf[(1, size.1 / 2)].bg), theme.panel.bg, "the folder is a side pane at {size:?}");
    }
    let buf = drawn((120, 34), "");
    let rows = rows(&buf);
    assert!(rows[1].starts_with("▌ data /home/you "), "{}", rows[1]);
    assert!(rows[1].contains("  Server files"), "{}", rows[1]);
    assert!(rows[2].trim().is_empty(), "a blank row below the title");
    assert!(rows[3].starts_with("   name"), "{}", rows[3]);
    assert!(rows[4].starts_with("▌  archive/"), "{}", rows[4]);
    assert_eq!(Some(buf[(0, 4)].bg), theme.select.bg);
    assert_eq!(Some(buf[(43, 4)].bg), theme.select.bg, "to the edge of the pane");
    assert_ne!(Some(buf[(60, 4)].bg), theme.panel.bg, "the server has the main pane");
    for row in rows {
        assert!(row.ends_with(' '), "the last column stays empty: {row}");
    }
}

#[test]
fn the_titles_of_both_lists_stay_in_one_row_beside_transfers() {
    let mut desk = crate::desk::Desk::in_dark();
    desk.list(crate::desk::files());
    desk.press("\tAD\n\t\n");
    for size in [(120, 36), (140, 50)] {
        desk.size = size;
        for keys in ["", "\t", "\t", "T"] {
            desk.press(keys);
            let screen = desk.picture();
            let row = screen.lines().position(|line| line.contains("Server files"));
            assert!(screen.lines().any(|line| line.contains("Transfers")), "{screen}");
            let local = screen.lines().position(|line| line.contains(" data /home/you")).unwrap();
            assert_eq!(row, Some(local), "after {keys:?} at {size:?}: {screen}");
        }
    }
}
