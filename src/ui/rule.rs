//! Title rules: heavy with `▸` for the pane that has the focus, light for the others. Shape first, colour repeats it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

use super::theme::Theme;
use super::wrap;

/// Columns of the title that are kept beside a long text at the right, if there are twice as many.
const LEAST: usize = 8;
/// Columns around both texts: blanks, and some of the line before, between and after them.
const AROUND: usize = 10;

/// A pane's title rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule<'a> {
    /// At the left, cut with `…` if space is short, down to 8 columns.
    pub title: &'a str,
    /// At the right, cut with `…` only when the title is at its shortest: usually a state, of which the beginning
    /// matters.
    pub right: &'a str,
    /// The style of the right text.
    pub right_style: Style,
    /// Whether the pane has the focus.
    pub focus: bool,
}

impl Rule<'_> {
    /// Draws it into the first row of `area`.
    pub fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        if area.width == 0 || area.height == 0 {
            return;
        }
        let (line, style) = if self.focus { ("━", theme.rule_focus) } else { ("─", theme.rule) };
        let width = usize::from(area.width);
        buf.set_stringn(area.x, area.y, line.repeat(width), width, style);
        let arrow = if self.focus { "▸ " } else { "" };
        let title = format!("{arrow}{}", self.title);
        let (title, right) = fit(&title, self.right, width, AROUND);
        if !title.is_empty() {
            let style = if self.focus { theme.rule_focus } else { theme.text };
            let x = 2.min(width);
            buf.set_stringn(area.x + x as u16, area.y, format!(" {title} "), width - x, style);
        }
        if !right.is_empty() {
            let columns = right.width() + 2;
            let x = area.x + (width - columns - 2) as u16;
            buf.set_stringn(x, area.y, format!(" {right} "), columns, self.right_style);
        }
    }
}

/// Returns both texts shortened to fit into `width` columns, of which `around` stay free, or half of them if there is
/// only the title.
pub(super) fn fit(title: &str, right: &str, width: usize, around: usize) -> (String, String) {
    let room = width.saturating_sub(around);
    if right.is_empty() || room < 4 {
        return (cut(title, width.saturating_sub(around / 2)), String::new());
    }
    let least = LEAST.min(room / 2).max(room.saturating_sub(right.width()));
    let title = cut(title, least);
    let right = cut(right, room - title.width());
    (title, right)
}

/// Shortens a text, or appends blanks to it, so that it is `width` columns wide.
pub fn pad(text: &str, width: usize) -> String {
    let text = cut(text, width);
    let blanks = width.saturating_sub(wrap::width(&text));
    text + &" ".repeat(blanks)
}

/// Shortens a text to `width` columns with `…`. Columns are counted as in [`wrap`]: a row that was wrapped at a width
/// fits into it.
pub fn cut(text: &str, width: usize) -> String {
    use unicode_segmentation::UnicodeSegmentation;
    if wrap::width(text) <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for grapheme in text.graphemes(true) {
        if used + grapheme.width() + 1 > width {
            break;
        }
        used += grapheme.width();
        out.push_str(grapheme);
    }
    if width > 0 {
        out.push('…');
    }
    out
}

/// Shortens a text to `width` columns in its middle: names that differ at their end, such as those of fine-tuned
/// models, stay distinguishable. Below 20 columns it works as [`cut`].
pub fn cut_middle(text: &str, width: usize) -> String {
    use unicode_segmentation::UnicodeSegmentation;
    if wrap::width(text) <= width || width < 20 {
        return cut(text, width);
    }
    let tail = width / 2;
    let (mut at, mut used) = (text.len(), 0);
    for (start, grapheme) in text.grapheme_indices(true).rev() {
        if used + grapheme.width() > tail {
            break;
        }
        used += grapheme.width();
        at = start;
    }
    // `cut` ends with the mark only if something is left out, which is so here.
    cut(&text[..at], width - used) + &text[at..]
}

/// Shortens a file's name to `width` columns, however few they are: its end with the extension is kept, as files that
/// were made together differ there.
pub fn cut_file(name: &str, width: usize) -> String {
    use unicode_segmentation::UnicodeSegmentation;
    if wrap::width(name) <= width || width < 4 {
        return cut(name, width);
    }
    let (most, mut tail, mut used) = (width * 2 / 3 - 1, name.len(), 0);
    for (start, grapheme) in name.grapheme_indices(true).rev() {
        if used + grapheme.width() > most {
            break;
        }
        used += grapheme.width();
        tail = start;
    }
    // `cut` ends with the mark only if something is left out, which is so here.
    cut(&name[..tail], width - used) + &name[tail..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::theme::{Depth, Kind};

    fn drawn(width: u16, title: &str, right: &str) -> String {
        let area = Rect::new(0, 0, width, 1);
        let mut buf = Buffer::empty(area);
        let theme = Theme::of(Kind::Mono, Depth::True);
        Rule { title, right, right_style: Style::default(), focus: true }.render(area, &mut buf, &theme);
        let row: String = buf.content().iter().map(ratatui::buffer::Cell::symbol).collect();
        assert_eq!(row.width(), usize::from(width));
        row
    }

    #[test]
    fn the_name_of_a_file_keeps_its_end() {
        assert_eq!(cut_file("bad-lines.jsonl", 14), "bad-l…es.jsonl");
        assert_eq!(cut_file("mood_train_prepared_train.jsonl", 18), "mood_t…train.jsonl");
        assert_eq!(cut_file("mood_train_prepared_valid.jsonl", 18), "mood_t…valid.jsonl");
        assert_eq!(cut_file("a.txt", 5), "a.txt");
        for width in 0..20 {
            assert!(wrap::width(&cut_file("日本語のファイル.jsonl", width)) <= width);
        }
    }

    #[test]
    fn a_failure_stays_readable_at_every_width() {
        let title = "A conversation with quite a long title";
        let why = "12 messages · ✕ not saved: disk full, the database is at /home/somebody/.local/share";
        assert_eq!(
            drawn(80, title, why),
            "━━ ▸ A con… ━━ 12 messages · ✕ not saved: disk full, the database is at /hom… ━━"
        );
        assert_eq!(drawn(40, title, "✕ not saved: disk full"), "━━ ▸ A con… ━━ ✕ not saved: disk full ━━");
        assert_eq!(drawn(40, title, why), "━━ ▸ A con… ━━ 12 messages · ✕ not s… ━━");
        assert_eq!(drawn(24, "Message", "⏎ send · ^J nl"), "━━ ▸ Mess… ━━ ⏎ send… ━━");
        for width in 14..100 {
            assert!(drawn(width, title, "✕ not saved: disk full").contains('✕'), "at {width}");
        }
        for width in 1..14 {
            drawn(width, title, why);
        }
    }

    #[test]
    fn both_ends_of_a_long_name_stay() {
        let name = "gpt-3.5-turbo:ft-personal:pirate-2026-11-21-13-30-02";
        assert_eq!(cut_middle(name, 30), "gpt-3.5-turbo:…-11-21-13-30-02");
        assert_eq!(cut_middle(name, 8), "gpt-3.5…");
        for (text, least) in [(name, 0), ("日本語のとても長い名前の模型です", 0), ("x", 1)] {
            for width in least..60 {
                let short = cut_middle(text, width);
                assert!(wrap::width(&short) <= width, "{short:?} at {width}");
                assert!(short == text || short.contains('…') || width == 0, "{short:?} at {width}");
            }
        }
    }

    #[test]
    fn what_fits_is_whole() {
        assert_eq!(drawn(30, "Chat", "saved ✓"), "━━ ▸ Chat ━━━━━━━━━ saved ✓ ━━");
        assert_eq!(drawn(23, "Chat", "saved ✓"), "━━ ▸ Chat ━━ saved ✓ ━━");
        assert_eq!(drawn(12, "Chat", ""), "━━ ▸ Chat ━━");
    }
}
