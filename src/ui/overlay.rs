//! Boxes over the screen: the frame and the question with buttons. The list to choose from is [`super::picker`].

mod confirm;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType};
use unicode_width::UnicodeWidthStr;

pub(super) use confirm::listed_keys;
pub use confirm::{Answer, Confirm};

use super::pane::{Spacing, fill, note_drawn};
use super::rule::{cut, fit};
use super::size_class::{MEDIUM, SizeClass, WIDE};
use super::theme::{Kind, Theme};

/// The widest that most boxes are.
pub const WIDEST: u16 = 64;

/// The texts in a box's border; empty: none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Words<'a> {
    /// Top left.
    pub title: &'a str,
    /// Top right.
    pub right: &'a str,
    /// Bottom right: the keys, if the box has a border. Otherwise the footer alone has them.
    pub foot: &'a str,
    /// Bottom right instead of the keys: what else there is to say, such as how much is below.
    pub more: &'a str,
}

/// Draws an empty box of at most `size` (width and height, border included) over `area`, above its middle, and
/// returns its inside without the column of space on each side.
pub fn boxed(frame: &mut Frame, area: Rect, size: (u16, u16), words: &Words, theme: &Theme) -> Rect {
    within(empty(frame, area, size, words, theme))
}

/// Returns the inside that [`boxed`] would return, without drawing.
pub fn inside(area: Rect, size: (u16, u16)) -> Rect {
    let inside = Block::bordered().inner(place(area, size));
    within(inside)
}

/// Returns the inside of a box of at most `size` over `area`, without the blank rows below its title.
pub fn content_area(area: Rect, size: (u16, u16), kind: Kind) -> Rect {
    below(inside(area, size), rows_below_title(area, kind))
}

/// Returns the blank rows below the title of a box over `area`: one, if there is space for it.
pub fn rows_below_title(area: Rect, kind: Kind) -> u16 {
    // The area is the screen without header and footer.
    u16::from(Spacing::of(kind, SizeClass::of(area.width, area.height + 2)) == Spacing::Roomy)
}

/// Returns an area without its first rows.
pub fn below(area: Rect, rows: u16) -> Rect {
    let rows = rows.min(area.height);
    Rect { y: area.y + rows, height: area.height - rows, ..area }
}

/// Returns an area without a column on each side.
fn within(inside: Rect) -> Rect {
    let side = inside.width.min(1);
    Rect { x: inside.x + side, width: inside.width.saturating_sub(2 * side), ..inside }
}

/// Returns where a box of at most `size` is placed over `area`: in the middle, a little higher.
fn place(area: Rect, (width, height): (u16, u16)) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    let (beside, above) = (area.width - width, area.height - height);
    // If there are two rows, one is above: it is the padding of a box without a border.
    let y = if above >= 2 { (above / 3).max(1) } else { 0 };
    Rect::new(area.x + beside / 2, area.y + y, width, height)
}

/// Draws a box as [`boxed`] does, with the keys in its lower border, and returns all columns of the inside.
pub fn frame(target: &mut Frame, area: Rect, size: (u16, u16), title: &str, foot: &str, theme: &Theme) -> Rect {
    empty(target, area, size, &Words { title, foot, ..Words::default() }, theme)
}

/// Paints every cell of `area`: nothing of the former contents is visible, not even half of a wide character at its
/// left edge.
pub fn ground(buf: &mut Buffer, area: Rect, style: Style) {
    let area = area.intersection(buf.area);
    for y in area.y..area.bottom() {
        if area.x > buf.area.x && buf[(area.x - 1, y)].symbol().width() > 1 {
            buf[(area.x - 1, y)].set_char(' ');
        }
        for x in area.x..area.right() {
            buf[(x, y)].reset();
        }
    }
    fill(buf, area, style);
}

/// Draws an empty box and returns all of its inside.
fn empty(target: &mut Frame, area: Rect, (width, height): (u16, u16), words: &Words, theme: &Theme) -> Rect {
    let place = place(area, (width, height));
    let inside = Block::bordered().inner(place);
    note_drawn(place, inside);
    if theme.kind.has_surfaces() {
        let padding = Rect {
            x: place.x.saturating_sub(1),
            y: place.y.saturating_sub(1),
            width: place.width.saturating_add(2),
            height: place.height.saturating_add(2),
        };
        ground(target.buffer_mut(), padding.intersection(area), theme.raised);
        raised_words(target.buffer_mut(), place, words, theme);
        return inside;
    }
    let room = usize::from(place.width).saturating_sub(5);
    let mut block =
        Block::bordered().border_type(BorderType::Rounded).border_style(theme.rule).style(theme.raised).title(vec![
            Span::styled("─", theme.rule),
            Span::styled(format!(" {} ", cut(words.title, room)), theme.accent),
        ]);
    let at_right = |words: &str| {
        let spans = vec![Span::styled(format!(" {words} "), theme.muted), Span::styled("─", theme.rule)];
        Line::from(spans).right_aligned()
    };
    if !words.right.is_empty() {
        block = block.title(at_right(words.right));
    }
    let foot = if words.more.is_empty() { first_keys(words.foot, room) } else { cut(words.more, room) };
    if !foot.is_empty() {
        block = block.title_bottom(at_right(&foot));
    }
    ground(target.buffer_mut(), place, theme.raised);
    target.render_widget(block, place);
    inside
}

/// Returns as many of the keys in a box's border as fit, each with its description.
fn first_keys(foot: &str, width: usize) -> String {
    let mut keys = foot;
    while keys.width() > width
        && let Some((before, _)) = keys.rsplit_once("  ")
    {
        keys = before.trim_end();
    }
    cut(keys, width)
}

/// Draws a box's texts where its border would be.
fn raised_words(buf: &mut Buffer, place: Rect, words: &Words, theme: &Theme) {
    let place = place.intersection(buf.area);
    let (left, width) = (place.x + place.width.min(2), usize::from(place.width.saturating_sub(4)));
    if width == 0 || place.height == 0 {
        return;
    }
    let (title, right) = fit(words.title, words.right, width, 2);
    buf.set_stringn(left, place.y, &title, width, theme.text.add_modifier(Modifier::BOLD));
    buf.set_stringn(left + (width - right.width()) as u16, place.y, &right, width, theme.faint);
    let foot = cut(words.more, width);
    buf.set_stringn(left + (width - foot.width()) as u16, place.bottom() - 1, &foot, width, theme.faint);
}

/// Returns the part of the screen for dialogs: without two columns at both sides if there is space for that, so that a
/// box does not look like a part of what is below it.
pub fn room(area: Rect, kind: Kind) -> Rect {
    let least = if area.width >= WIDE { WIDE } else { MEDIUM };
    let side = if kind.has_surfaces() { (area.width.saturating_sub(least) / 2).min(2) } else { 0 };
    Rect { x: area.x + side, width: area.width - 2 * side, ..area }
}

/// Dims the contents of `area`, behind a dialog; without surfaces the dialog's border is enough.
pub fn dim(buf: &mut Buffer, area: Rect, theme: &Theme) {
    if !theme.kind.has_surfaces() {
        return;
    }
    for at in area.intersection(buf.area).positions() {
        theme.dim(&mut buf[at]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::theme::Depth;
    use super::*;

    #[test]
    fn keys_in_a_border_are_left_out_whole() {
        let foot = "⏎ use  n new   esc close";
        let shown = [24, 23, 12, 11, 5, 3].map(|width| first_keys(foot, width));
        assert_eq!(shown, [foot, "⏎ use  n new", "⏎ use  n new", "⏎ use", "⏎ use", "⏎ …"]);
    }

    #[test]
    fn behind_a_dialog_the_tab_in_front_is_readable_and_no_longer_bright() {
        let theme = Theme::of(Kind::Dark, Depth::True);
        let mut buf = Buffer::with_lines(["▐1▌ 2"]);
        let area = buf.area;
        buf.set_style(area, theme.panel);
        buf[(1, 0)].set_style(theme.tab);
        dim(&mut buf, area, &theme);
        let look = |x| (Some(buf[(x, 0)].fg), Some(buf[(x, 0)].bg));
        assert_eq!(look(1), (theme.panel.bg, theme.faint.fg));
        for x in [0, 2, 4] {
            assert_eq!(look(x), (theme.faint.fg, theme.panel.bg), "{x}");
        }
    }
}
