//! The terminal's cursor, which screen readers and input methods follow.

use crate::common::Bench;

#[test]
fn in_browse_the_cursor_is_shown_in_every_tab_on_what_has_the_focus() {
    let mut bench = Bench::start(&["--local"]);
    bench.wait("Ask a language model");
    bench.send("\x1b");
    bench.wait("i write");
    for tab in ["1 Chat", "2 Complete", "3 Moderate", "4 Embed", "5 Files", "6 Tune", "1 Chat"] {
        bench.send(&tab[..1]);
        bench.wait(&format!("▐{tab}"));
        while !bench.whole_frame() {
            bench.pause(std::time::Duration::from_millis(20));
            bench.text();
        }
        assert!(!bench.screen().hide_cursor(), "{tab}: the cursor is hidden");
        let (row, column) = bench.screen().cursor_position();
        let on_name = bench.text().lines().next().unwrap().find(&tab[2..]).unwrap() as u16;
        // On the tab's name where nothing has the focus, else within the tab.
        assert!((1..35).contains(&row) || (row == 0 && column < on_name), "{tab}: {row}, {column}");
    }
}
