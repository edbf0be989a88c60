//! Draws the list of presets.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

use super::{PresetPrompt, Presets, examples};
use crate::component::{Component, FindBar};
use crate::record::Preset;
use crate::ui::list::draw_scroll_arrows;
use crate::ui::pane::{self, Spacing};
use crate::ui::rule::cut;
use crate::ui::text_field::TextField;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Columns of a row from which on it is said in more words what an example needs.
const LONG: usize = 48;
/// Rows of a sentence below the list at most.
const SENTENCE: usize = 3;
/// What is said of the example in use where the local model is too small for it.
const TOO_SMALL: &str = "This example needs a larger model than the local one.";

/// What stands below the rows.
struct Foot<'a> {
    /// A sentence, line by line, and its style.
    sentence: Vec<String>,
    style: fn(&Theme) -> Style,
    /// The last row.
    last: Option<FootRow<'a>>,
}

enum FootRow<'a> {
    /// What is typed, after its label.
    Typed(&'static str, &'a TextField),
    /// The words by which the list is filtered.
    Find,
}

impl Foot<'_> {
    fn rows(&self) -> u16 {
        self.sentence.len() as u16 + u16::from(self.last.is_some())
    }
}

impl Presets {
    /// Fits the rows to the area: they move no more than they must.
    pub(super) fn fit(&mut self, area: Rect, spacing: Spacing) {
        if let Some((_, list)) = self.parts(area, spacing.has_surfaces()) {
            let len = self.list.len();
            self.list.view.cursor.window(usize::from(list.height), len);
        }
    }

    /// Returns where the words below the rows stand with the area above them, and the area of the rows; `None`: there
    /// is no room.
    fn parts(&self, area: Rect, has_surfaces: bool) -> Option<(Rect, Rect)> {
        if area.width < 8 || area.height == 0 {
            return None;
        }
        let pad = if has_surfaces { 2 } else { 0 };
        let inside = Rect { x: area.x + pad, width: area.width - 2 * pad, ..area };
        let foot = self.foot(usize::from(inside.width), area.height).rows().min(area.height);
        Some((inside, Rect { height: area.height - foot, ..area }))
    }

    /// Draws the rows and, below them, what is typed, asked or to be said. Without the focus no row is chosen.
    pub(super) fn draw(&self, frame: &mut Frame, area: Rect, theme: &Theme, focus: bool) {
        let area = area.intersection(frame.area());
        let Some((inside, list)) = self.parts(area, theme.kind.has_surfaces()) else { return };
        self.draw_foot(frame, inside, theme, focus);
        let count = self.list.len();
        if count == 0 && list.height > 0 {
            let words = cut("no preset has this name", usize::from(list.width));
            frame.buffer_mut().set_string(list.x + 1, list.y, words, theme.muted);
        }
        let mut cursor = self.list.view.cursor;
        let window = cursor.window(usize::from(list.height), count);
        for ((at, preset), y) in self.list.rows().enumerate().skip(window.start).take(window.len()).zip(list.y..) {
            let chosen = focus && at == cursor.selected;
            self.row(frame, Rect { y, height: 1, ..list }, (preset, chosen, window.len() < count), theme);
            if chosen && !self.typing() {
                frame.set_cursor_position(Position::new(list.x + 1, y));
            }
        }
        draw_scroll_arrows(frame.buffer_mut(), list, &window, count, theme);
    }

    /// Draws a row; `scrolls`: a column at its end is left for the mark that the list continues.
    fn row(&self, frame: &mut Frame, area: Rect, (preset, chosen, scrolls): (&Preset, bool, bool), theme: &Theme) {
        let used = self.loaded.current == Some(preset.id);
        let buf = frame.buffer_mut();
        let surfaces = theme.kind.has_surfaces();
        let style = match (chosen, surfaces && !used) {
            (true, _) => theme.text.patch(theme.select),
            (false, true) => theme.muted,
            (false, false) => theme.text,
        };
        if chosen {
            pane::highlight(buf, area, theme, true);
        }
        // With surfaces, the row is as wide as its pane.
        let pad = u16::from(surfaces);
        // A blank beside the mark that says that the list continues.
        let mark = u16::from(scrolls) * (2 - pad);
        let area = Rect { x: area.x + pad, width: area.width.saturating_sub(3 * pad + mark), ..area };
        let right = match () {
            () if used && self.edited => "(edited)",
            () if used => "in use",
            () if !examples::is_example(preset.id) => "",
            () => self.suits.obstacle(preset.id).unwrap_or("example"),
        };
        // On a narrow pane the name comes first.
        let width = usize::from(area.width) - 1;
        let right = match (width, right) {
            (LONG.., examples::LARGER) => "needs a larger model",
            _ if width >= right.len() + 12 => right,
            _ => "",
        };
        let room = width - if right.is_empty() { 0 } else { right.len() + 1 };
        let name = cut(&preset.name.line(), room);
        let pad = room.saturating_sub(wrap::width(&name));
        buf.set_stringn(area.x + 1, area.y, format!("{name}{}", " ".repeat(pad)), room, style);
        let x = area.x + 1 + room as u16;
        buf.set_stringn(x, area.y, if right.is_empty() { "" } else { " " }, 1, style);
        let style = match right {
            "(edited)" => theme.warn,
            _ if surfaces => theme.faint,
            _ => theme.muted,
        };
        buf.set_stringn(area.right() - right.len() as u16, area.y, right, right.len(), style);
    }

    /// Returns what stands below the rows, in an area of so many columns and rows.
    fn foot(&self, width: usize, height: u16) -> Foot<'_> {
        let last = match &self.prompt {
            Some(PresetPrompt::Name(line)) => Some(FootRow::Typed("Save as", line)),
            Some(PresetPrompt::Rename(_, line)) => Some(FootRow::Typed("Name", line)),
            Some(PresetPrompt::NameTaken(..)) => None,
            None => self.find.is_shown().then_some(FootRow::Find),
        };
        let (words, style): (String, fn(&Theme) -> Style) = match (&self.prompt, &self.note) {
            (Some(PresetPrompt::NameTaken(name, _)), _) => {
                (format!("“{}” exists: r replace · b keep both · esc cancel", name.line()), |theme| theme.warn)
            }
            (_, Some(note)) => (note.line().into_owned(), |theme| theme.warn),
            (_, None) if self.needs_larger_model() => (TOO_SMALL.to_owned(), |theme| theme.muted),
            (_, None) => (String::new(), |theme| theme.muted),
        };
        let room = usize::from(height - u16::from(last.is_some())).min(SENTENCE);
        let lines = if words.is_empty() { Vec::new() } else { wrap::lines(&words, width) };
        Foot { sentence: lines.into_iter().take(room).map(str::to_owned).collect(), style, last }
    }

    /// Returns whether the models are too small for the example in use.
    fn needs_larger_model(&self) -> bool {
        let used = self.loaded.current.filter(|_| !self.edited);
        used.and_then(|id| self.suits.obstacle(id)) == Some(examples::LARGER)
    }

    /// Draws what stands below the rows, at the bottom of the area.
    fn draw_foot(&self, frame: &mut Frame, area: Rect, theme: &Theme, focus: bool) {
        let width = usize::from(area.width);
        let foot = self.foot(width, area.height);
        for (line, y) in foot.sentence.iter().zip(area.bottom() - foot.rows()..) {
            frame.buffer_mut().set_stringn(area.x, y, line, width, (foot.style)(theme));
        }
        let y = area.bottom() - 1;
        match foot.last {
            None => {}
            Some(FootRow::Find) => {
                let found = FindBar::found(self.list.len());
                self.find.render(frame, Rect { y, height: 1, ..area }, &found, theme);
            }
            Some(FootRow::Typed(label, line)) => {
                let label = cut(label, width / 2);
                frame.buffer_mut().set_string(area.x, y, &label, theme.muted);
                let x = area.x + label.width() as u16 + 1;
                let room = area.right().saturating_sub(x);
                line.render(frame, Rect { x, y, width: room, height: 1 }, theme.accent, focus);
            }
        }
    }
}
