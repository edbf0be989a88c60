//! An empty pane's contents: its purpose, samples to try, the first keys.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::theme::Theme;
use super::wrap;

/// Columns of a row at most: longer ones are hard to read.
const WIDTH: u16 = 76;

/// Columns of a key before what it does, at least.
const KEY: usize = 3;

/// The contents of an empty pane.
#[derive(Clone, Copy, Debug)]
pub struct EmptyState<'a> {
    /// One sentence.
    pub purpose: &'a str,
    /// Texts to try. One that does not fit is omitted.
    pub samples: &'a [&'a str],
    /// The sample that the first key uses, if there are several.
    pub chosen: Option<usize>,
    /// Keys and what they do: a row each, or all in one row if space is short. What has no key is left out.
    pub keys: &'a [(&'a str, &'a str)],
}

impl EmptyState<'_> {
    /// Draws it in the upper third of an area, the purpose and the keys first. Returns where the purpose begins.
    pub fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme) -> Rect {
        let area = Rect { width: area.width.min(WIDTH), ..area };
        let rows = self.rows(area, theme);
        let free = area.height.saturating_sub(rows.len() as u16);
        let top = area.y + (area.height / 8).min(free);
        for (row, y) in rows.into_iter().zip(top..area.bottom()) {
            row.render(Rect { y, height: 1, ..area }, buf);
        }
        Rect { y: top, height: 1, ..area }
    }

    fn rows(&self, area: Rect, theme: &Theme) -> Vec<Line<'static>> {
        let (width, height) = (usize::from(area.width), usize::from(area.height));
        let mut rows: Vec<Line> =
            wrap::lines(self.purpose, width).into_iter().map(|row| Line::styled(row.to_owned(), theme.text)).collect();
        let said = rows.len();
        let mut keys = self.key_rows(width, theme);
        // A blank row before the samples and one before the keys.
        let fitting =
            |keys: usize, blank: usize| self.sample_rows(width, height.saturating_sub(said + keys + blank), theme);
        let mut samples = fitting(keys.len(), 2);
        let mut in_rows = said + keys.len() < height;
        // The sample that the first key takes is shown: it matters more than a row for each key, and than blank rows.
        if self.chosen.is_some() && samples.is_empty() {
            samples =
                [2, 0].map(|blank| fitting(1, blank)).into_iter().find(|rows| !rows.is_empty()).unwrap_or_default();
            in_rows &= samples.is_empty();
        }
        if !in_rows {
            keys = vec![self.key_row(width, theme)];
        }
        let parts = if samples.is_empty() { 1 } else { 2 };
        let gap = said + samples.len() + keys.len() + parts <= height;
        for part in [samples, keys].into_iter().filter(|part| !part.is_empty()) {
            rows.extend(gap.then(Line::default));
            rows.extend(part);
        }
        rows
    }

    /// Returns the samples for which there is space, the chosen one first if not all fit.
    fn sample_rows(&self, width: usize, room: usize, theme: &Theme) -> Vec<Line<'static>> {
        let sample = |(at, text): (usize, &&str)| -> Vec<Line<'static>> {
            let (mark, style) = match self.chosen {
                Some(chosen) if chosen == at => ("▸ ", theme.accent),
                Some(_) => ("  ", theme.muted),
                None => ("", theme.muted),
            };
            let indent = wrap::width(mark);
            let lines = wrap::lines(text, width.saturating_sub(indent).max(1));
            let mark = |nth| if nth == 0 { mark.to_owned() } else { " ".repeat(indent) };
            lines.iter().enumerate().map(|(nth, line)| Line::styled(mark(nth) + line, style)).collect()
        };
        let all: Vec<Vec<Line>> = self.samples.iter().enumerate().map(sample).collect();
        let rows: usize = all.iter().map(Vec::len).sum();
        let from = if rows <= room { 0 } else { self.chosen.unwrap_or_default() };
        let mut left = room;
        let fits = |sample: &Vec<Line>| match left.checked_sub(sample.len()) {
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        };
        all.into_iter().skip(from).take_while(fits).flatten().collect()
    }

    fn key_rows(&self, width: usize, theme: &Theme) -> Vec<Line<'static>> {
        let widest = self.keys.iter().map(|(key, _)| wrap::width(key) + 1).max().unwrap_or(0);
        let columns = widest.max(KEY);
        let row = |(key, does): &(&str, &str)| {
            let gap = " ".repeat(columns - wrap::width(key));
            let does = super::rule::cut(does, width.saturating_sub(columns));
            Line::from_iter([Span::styled((*key).to_owned(), theme.accent), Span::styled(gap + &does, theme.muted)])
        };
        self.keys.iter().filter(|(key, _)| !key.is_empty()).map(row).collect()
    }

    /// Returns as many keys as fit into one row.
    fn key_row(&self, width: usize, theme: &Theme) -> Line<'static> {
        let mut spans: Vec<Span> = Vec::new();
        let mut left = width;
        for (key, does) in self.keys.iter().filter(|(key, _)| !key.is_empty()) {
            let gap = if spans.is_empty() { "" } else { "   " };
            let columns = gap.len() + wrap::width(key) + 1 + wrap::width(does);
            let Some(rest) = left.checked_sub(columns) else { break };
            left = rest;
            let (key, does) = ((*key).to_owned(), format!(" {does}"));
            spans.extend([Span::raw(gap), Span::styled(key, theme.accent), Span::styled(does, theme.muted)]);
        }
        spans.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::theme::{Depth, Kind};

    fn screen(state: EmptyState, width: u16, height: u16) -> Vec<String> {
        let area = Rect::new(0, 0, width, height);
        let mut buf = Buffer::empty(area);
        state.render(area, &mut buf, &Theme::of(Kind::Mono, Depth::None));
        let row = |y| (0..width).map(|x| buf[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
        (0..height).map(row).collect()
    }

    const STATE: EmptyState = EmptyState {
        purpose: "Check texts.",
        samples: &["first sample", "second sample of two rows"],
        chosen: None,
        keys: &[("⏎", "try these"), ("a", "add")],
    };

    #[test]
    fn it_has_purpose_samples_and_keys_in_this_order() {
        let rows =
            ["", "Check texts.", "", "first sample", "second sample", "of two rows", "", "⏎  try these", "a  add", ""];
        assert_eq!(screen(STATE, 14, 10), rows);
    }

    #[test]
    fn with_little_room_samples_are_left_out_whole_and_then_the_keys_share_a_row() {
        let rows = ["Check texts.", "", "first sample", "", "⏎  try these", "a  add"];
        assert_eq!(screen(STATE, 14, 6), rows);
        assert_eq!(screen(STATE, 24, 4), ["Check texts.", "", "⏎  try these", "a  add"]);
        assert_eq!(screen(STATE, 24, 2), ["Check texts.", "⏎ try these   a add"]);
    }

    #[test]
    fn what_keys_do_begins_in_one_column() {
        let state = EmptyState { keys: &[("alt+⏎", "try"), ("a", "add")], samples: &[], ..STATE };
        assert_eq!(screen(state, 14, 4), ["Check texts.", "", "alt+⏎ try", "a     add"]);
    }

    #[test]
    fn the_chosen_sample_is_shown_when_not_all_fit() {
        let state = EmptyState { chosen: Some(1), ..STATE };
        let rows = ["Check texts.", "", "▸ second", "  sample of", "  two rows", "", "⏎  try these", "a  add"];
        assert_eq!(screen(state, 12, 8), rows);
        let state = EmptyState { chosen: Some(0), ..STATE };
        assert_eq!(screen(state, 24, 5), ["Check texts.", "", "▸ first sample", "", "⏎ try these   a add"]);
        assert_eq!(screen(state, 24, 3), ["Check texts.", "▸ first sample", "⏎ try these   a add"]);
    }
}
