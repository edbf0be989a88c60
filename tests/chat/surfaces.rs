//! The tab in themes that tell panes apart by their backgrounds.

use benchtop::ui::theme::{Depth, Kind, Theme};
use ratatui::buffer::Buffer;
use ratatui::style::Modifier;

use crate::blocks::CALL;
use crate::desk::{Desk, call, end};
use crate::look::{buffer, cells, rows};

const ANSWER: &str = "Use `config.toml`:\n\n```toml\nprofile = \"work\"\n```\n\nThat is all.";

fn said() -> (Desk, Theme) {
    let mut desk = Desk::new();
    desk.talk("Where are the settings?", ANSWER);
    (desk, Theme::of(Kind::Dark, Depth::True))
}

/// Returns whether a text has a background.
fn stands_on(frame: &Buffer, text: &str, background: ratatui::style::Style) -> bool {
    cells(frame, text).iter().all(|cell| Some(cell.bg) == background.bg)
}

#[test]
fn what_was_asked_stands_on_a_panel_behind_a_bar_and_the_answer_does_not() {
    let (mut desk, theme) = said();
    for size in [(120, 34), (80, 22)] {
        let frame = buffer(&mut desk, Kind::Dark, size);
        let shown = rows(&frame);
        assert!(stands_on(&frame, "▌ Where are the settings?", theme.panel), "{shown:#?}");
        assert!(stands_on(&frame, "That is all.", theme.ground), "{shown:#?}");
        let asked = shown.iter().find(|row| row.contains("▌ Where")).unwrap();
        assert!(asked.trim_end().ends_with(|c: char| c.is_ascii_digit()), "the time at its right: {asked}");
        assert!(!shown.iter().any(|row| row.contains(" you ")), "{shown:#?}");
        assert_eq!(cells(&frame, "gpt-3.5-turbo")[0].fg, theme.model.fg.unwrap());
        assert!(cells(&frame, "gpt-3.5-turbo")[0].modifier.contains(Modifier::BOLD));
    }
}

#[test]
fn code_stands_on_surfaces_instead_of_between_marks() {
    let (mut desk, theme) = said();
    let frame = buffer(&mut desk, Kind::Dark, (80, 22));
    assert!(stands_on(&frame, " config.toml ", theme.raised));
    assert!(stands_on(&frame, "profile = ", theme.panel) && stands_on(&frame, "toml   y copy ", theme.panel));
    let shown = rows(&frame);
    let code = shown.iter().position(|row| row.contains("profile =")).unwrap();
    assert!(shown[code + 1].trim().is_empty() && frame[(20, code as u16 + 1)].bg == theme.panel.bg.unwrap());
    assert!(shown[code + 2].trim().is_empty() && frame[(20, code as u16 + 2)].bg == theme.ground.bg.unwrap());
    assert!(shown[code + 3].contains("That is all."), "{shown:#?}");
    assert!(!shown.iter().any(|row| row.contains(['`', '┌'])), "{shown:#?}");
    for kind in [Kind::Ansi, Kind::Mono] {
        let shown = rows(&buffer(&mut desk, kind, (80, 22)));
        assert!(shown.iter().any(|row| row.contains("`config.toml`")), "{kind:?}: {shown:#?}");
        assert!(shown.iter().any(|row| row.contains("┌ toml ─")), "{kind:?}: {shown:#?}");
    }
}

#[test]
fn the_message_box_has_a_frame_with_its_keys_where_there_is_room() {
    let (mut desk, theme) = said();
    desk.press("typed");
    let frame = buffer(&mut desk, Kind::Dark, (120, 34));
    let shown = rows(&frame).join("\n");
    assert!(shown.contains("╭──") && shown.contains("╰─ ⏎ send   ^J newline   F4"), "{shown}");
    assert_eq!(cells(&frame, "╭")[0].fg, theme.accent.fg.unwrap());
    desk.press("\u{1b}");
    let frame = buffer(&mut desk, Kind::Dark, (120, 34));
    assert_eq!(cells(&frame, "╭")[0].fg, theme.faint.fg.unwrap(), "the keys are elsewhere");
    let narrow = rows(&buffer(&mut desk, Kind::Dark, (40, 8))).join("\n");
    assert!(narrow.contains("▌ typed") && !narrow.contains('╭'), "{narrow}");
}

#[test]
fn conversations_stand_on_a_panel_with_the_time_at_their_right() {
    let (mut desk, theme) = said();
    let frame = buffer(&mut desk, Kind::Dark, (120, 34));
    let shown = rows(&frame);
    assert!(stands_on(&frame, "Conversations", theme.panel));
    let row = shown.iter().find(|row| row.contains("TODAY")).unwrap();
    assert!(!row.contains('│'), "{shown:#?}");
    let row = shown.iter().position(|row| row.starts_with("▌ Where are the")).unwrap();
    assert_eq!(frame[(1, row as u16)].bg, theme.select.bg.unwrap());
    assert_eq!(frame[(25, row as u16)].fg, theme.faint.fg.unwrap(), "{shown:#?}");
}

#[test]
fn a_call_is_a_block_in_every_theme() {
    let mut desk = Desk::new();
    let ticket = desk.ask("q");
    for json in CALL {
        desk.progress(ticket, crate::blocks::delta(json));
    }
    desk.progress(ticket, end(0, "tool_calls"));
    desk.progress(ticket, benchtop::api::call::Progress::Closed(Ok(())));
    let shown = desk.view(80, 30);
    assert!(shown.contains("┃ → call get_weather") && shown.contains("┃ │   \"city\": \"Paris\""), "{shown}");
    let theme = Theme::of(Kind::Dark, Depth::True);
    let frame = buffer(&mut desk, Kind::Dark, (80, 30));
    assert!(stands_on(&frame, "→ call get_weather", theme.panel) && stands_on(&frame, "\"Paris\"", theme.panel));
}

#[test]
fn it_is_drawn_at_every_size() {
    let (mut desk, _) = said();
    desk.press("\u{1b}");
    let again = desk.press("r");
    desk.says(call(&again).unwrap().0, "another");
    for keys in ["", "/", "\u{1b}D", "Dt", "\u{1b}v", "\u{1b}b"] {
        desk.press(keys);
        for (width, height) in [1, 9, 12, 39, 46, 60, 99, 100, 200].into_iter().zip([1, 60, 3, 8, 9, 16, 20, 26, 34]) {
            for kind in [Kind::Dark, Kind::Mono] {
                buffer(&mut desk, kind, (width, height));
                buffer(&mut desk, kind, (width, height + 4));
            }
        }
    }
}
