//! The pairs on the screen.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::super::pane::{Look, Read};
use super::{AT_ONCE, List, Pairs};
use crate::ui::rule::Rule;
use crate::ui::table::{Align, Cell, Column, Row, Table, Way, Width};
use crate::ui::{meter, wrap};

impl Pairs {
    pub(super) fn draw(&mut self, frame: &mut Frame, area: Rect, look: &Look, read: &Read) {
        let area = area.intersection(frame.area());
        if area.is_empty() {
            return;
        }
        let theme = look.theme;
        let above = self.above(read);
        let (pairs, more) = self.pairs(read);
        let mut view = self.view;
        let title = match self.list {
            List::Above => format!("Pairs above {above:.2}"),
            List::Duplicates => format!("Near-duplicates from {above:.2}"),
        };
        let total = self.known.as_ref().map_or(0, |known| known.pairs.total);
        let right = match view.position(pairs.len()) {
            at if more => format!("{at} named, {} in all", meter::count(total)),
            at => at,
        };
        let rule = Rule { title: &title, right: &right, right_style: theme.muted, focus: look.focus };
        rule.render(Rect { height: 1, ..area }, frame.buffer_mut(), theme);
        let mut inner = Rect { y: area.y + 1, height: area.height - 1, ..area };
        if let Some(progress) = self.flight.progress("pairs", look.now, look.session.motion)
            && inner.height > 1
        {
            inner.height -= 1;
            let line = Rect { x: inner.x + 1, y: inner.bottom(), width: inner.width.saturating_sub(2), height: 1 };
            progress.render(line, frame.buffer_mut(), theme);
        } else if !pairs.is_empty() && !self.is_current(read) && inner.height > 1 {
            inner.height -= 1;
            let words = "not all that there are now: s sums up again";
            let room = usize::from(inner.width).saturating_sub(1);
            frame.buffer_mut().set_stringn(inner.x + 1, inner.bottom(), words, room, theme.warn);
        }
        if pairs.is_empty() {
            self.nothing(frame, inner, look, read);
            return;
        }
        let row = |at: usize| {
            let (first, second, cosine) = pairs[at];
            let (first, second) = (first as usize, second as usize);
            let cells = vec![
                Cell::from(format!("{}–{}", read.letter(first), read.letter(second))),
                Cell::from(format!("{cosine:.3}")),
                Cell::new(read.words(first), Style::new()),
                Cell::new(read.words(second), Style::new()),
            ];
            Row { cells, marked: false }
        };
        let columns = columns(read.letter(read.texts.len().saturating_sub(1)).len());
        let table =
            Table { columns: &columns, sort: Some((1, Way::Down)), len: pairs.len(), row: &row, focus: look.focus };
        if let Some(at) = table.render(&mut view, inner, frame.buffer_mut(), theme) {
            frame.set_cursor_position(at);
        }
        self.view = view;
    }

    /// Why there is no list.
    fn nothing(&self, frame: &mut Frame, area: Rect, look: &Look, read: &Read) {
        let theme = look.theme;
        let count = read.texts.len() as u64;
        let present = read.table.as_ref().map_or(0, |table| table.present());
        let (words, style) = match self.flight.failed() {
            Some(why) => (format!("✕ {} · ⏎ tries again", why.line()), theme.error),
            None if count < 2 => ("Pairs need two texts: i adds them.".to_owned(), theme.muted),
            None if present < 2 => ("No vectors yet: ^R embeds the texts.".to_owned(), theme.muted),
            None if self.flight.of().is_some() => ("Comparing each text with each other.".to_owned(), theme.muted),
            None if self.stopped => ("Stopped. ⏎ begins again.".to_owned(), theme.warn),
            None if self.is_current(read) => {
                ("No two texts are so similar: − lowers the threshold.".to_owned(), theme.muted)
            }
            None if read.texts.len() > AT_ONCE => {
                let pairs = meter::count(count * (count - 1) / 2);
                (format!("{pairs} pairs to compare, which takes a while. ⏎ begins, esc stops it."), theme.muted)
            }
            None => ("⏎ sums them up.".to_owned(), theme.muted),
        };
        let room = usize::from(area.width.saturating_sub(2));
        for (line, y) in wrap::lines(&words, room).iter().zip(area.y..area.bottom()) {
            frame.buffer_mut().set_stringn(area.x + 1, y, line, room, style);
        }
    }
}

/// The columns, where the names of texts have at most so many.
fn columns(name: usize) -> Vec<Column> {
    let column = |title: &str, width, align| Column { title: title.to_owned(), width, align };
    let text = Width::Share { weight: 1, least: 8 };
    vec![
        column("pair", Width::Fixed((2 * name + 1).max(5) as u16), Align::Left),
        column("cosine", Width::Fixed(8), Align::Right),
        column("first", text, Align::Left),
        column("second", text, Align::Left),
    ]
}
