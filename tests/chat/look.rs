//! What a frame looks like: its styles.

use benchtop::ui::theme::{Depth, Kind, Theme};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::Modifier;

use crate::desk::Desk;

/// Draws a frame in a theme.
pub fn buffer(desk: &mut Desk, kind: Kind, (width, height): (u16, u16)) -> Buffer {
    desk.app.session.palette = kind;
    desk.app.session.area = (width, height);
    desk.size = (width, height);
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let now = desk.now;
    terminal.draw(|frame| desk.app.draw_in(&Theme::of(kind, Depth::True), frame, now)).unwrap();
    terminal.backend().buffer().clone()
}

/// Returns the texts with a modifier, each as long as it continues in a row, column by column of panes.
pub fn with(buffer: &Buffer, modifier: Modifier) -> Vec<String> {
    let width = usize::from(buffer.area.width);
    let mut found = Vec::new();
    for row in buffer.content.chunks(width) {
        let mut text = String::new();
        for cell in row.iter().chain([&ratatui::buffer::Cell::EMPTY]) {
            if cell.modifier.contains(modifier) {
                text.push_str(cell.symbol());
            } else if !text.is_empty() {
                found.push(std::mem::take(&mut text).trim_end().to_owned());
            }
        }
    }
    found
}

/// Returns the rows of a frame as text, without trailing blanks.
pub fn rows(buffer: &Buffer) -> Vec<String> {
    let row = |cells: &[ratatui::buffer::Cell]| cells.iter().map(ratatui::buffer::Cell::symbol).collect::<String>();
    buffer.content.chunks(usize::from(buffer.area.width)).map(|cells| row(cells).trim_end().to_owned()).collect()
}

/// Returns the cells of the first occurrence of a text.
pub fn cells<'a>(buffer: &'a Buffer, text: &str) -> &'a [ratatui::buffer::Cell] {
    let width = usize::from(buffer.area.width);
    let length = text.chars().count();
    let found = buffer.content.chunks(width).find_map(|row| {
        let at = (0..width.saturating_sub(length - 1)).find(|at| {
            row[*at..at + length].iter().zip(text.chars()).all(|(cell, c)| cell.symbol() == c.to_string())
        })?;
        Some(&row[at..at + length])
    });
    found.unwrap_or_else(|| panic!("{text:?} is not in {:#?}", rows(buffer)))
}

#[test]
fn the_frame_of_the_message_box_names_keys_while_it_has_the_focus() {
    let mut desk = Desk::in_folder();
    desk.talk("q", "an answer");
    let picture = desk.view(120, 36);
    assert!(picture.contains("⏎ send") && picture.contains("F4 $EDITOR"), "{picture}");
    for (key, pane) in [("\u{1b}", "Transcript"), ("\t", "Conversations")] {
        desk.press(key);
        let picture = desk.view(120, 36);
        assert_eq!(desk.front(), pane);
        assert!(!picture.contains("⏎ send") && !picture.contains("F4 $EDITOR"), "{picture}");
    }
}

#[test]
fn the_placeholder_of_the_system_prompt_is_whole_on_a_small_screen() {
    let mut desk = Desk::in_folder();
    desk.press("\u{1b}p");
    let picture = desk.view(40, 12);
    let words: Vec<&str> = picture.split_whitespace().collect();
    for word in ["How", "behave;", "none", "is", "sent"] {
        assert!(words.contains(&word), "{word}: {picture}");
    }
}
