//! A failed call where its result would be: the sentence, and what can be done about it, in the same words in every
//! tab.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr as _;

use super::palette_key;
use crate::ui::rule::cut;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// The key that sends the request again, in every tab.
pub const SEND_AGAIN: &str = "^R send again";
/// The same key where something is loaded and not sent.
pub const TRY_AGAIN: &str = "^R try again";
/// The key that opens the details of a failure.
pub const DETAILS: &str = "d details";

/// Separates two keys or words.
const SEPARATOR: &str = " · ";
/// Precedes each line.
const BAR: &str = "┃ ";

/// Returns the key that leads to another profile, or to its key and settings.
pub fn profile_hint() -> String {
    format!("{} profile", palette_key())
}

/// Returns the sentence of a failure, in at most `most` lines, and below it one line with as many of the keys and words
/// as fit. Each line has `width` columns at most, and says whether it is a part of the sentence.
pub fn failure_lines(sentence: &str, below: &[&str], width: usize, most: usize) -> Vec<(String, bool)> {
    let room = width.saturating_sub(BAR.width());
    let lines = wrap::lines(sentence, room.max(8)).into_iter().take(most);
    let lines = lines.map(|line| (format!("{BAR}{line}"), true));
    lines.chain([(format!("{BAR}{}", first_words(below, room)), false)]).collect()
}

/// Draws lines with their styles, one a row, each as [`failure_line`] returns it.
pub fn draw_lines(buf: &mut Buffer, area: Rect, lines: &[(String, Style)], theme: &Theme) {
    for ((words, style), y) in lines.iter().zip(area.y..area.bottom()) {
        buf.set_line(area.x, y, &failure_line(words, *style, usize::from(area.width), theme), area.width);
    }
}

/// Returns a line as it is drawn in `width` columns: one of a failure on a background of its own, if the theme has any,
/// with its keys in the accent colour; another one in its style.
pub fn failure_line(words: &str, style: Style, width: usize, theme: &Theme) -> Line<'static> {
    let words = cut(words, width);
    let indent = words.len() - words.trim_start_matches(' ').len();
    let of_failure = words[indent..].strip_prefix(BAR.trim_end()).filter(|_| theme.kind.has_surfaces());
    let Some(rest) = of_failure else { return Line::styled(words, style) };
    let mut spans = vec![Span::styled(BAR.trim_end(), theme.bad)];
    for (at, item) in rest.trim_start().split(SEPARATOR).enumerate() {
        spans.push(if at == 0 { Span::raw(" ") } else { Span::styled(SEPARATOR, theme.faint) });
        match item.split_once(' ').filter(|(key, _)| style != theme.bad && is_key(key)) {
            Some((key, does)) => {
                spans.push(Span::styled(key.to_owned(), theme.key()));
                spans.push(Span::styled(format!(" {does}"), style));
            }
            None => spans.push(Span::styled(item.to_owned(), style)),
        }
    }
    let used = indent + spans.iter().map(Span::width).sum::<usize>();
    spans.push(Span::raw(" ".repeat(width.saturating_sub(used))));
    let spans = spans.into_iter().map(|span| span.patch_style(Style { fg: None, ..theme.raised }));
    std::iter::once(Span::raw(" ".repeat(indent))).chain(spans).collect()
}

/// Returns whether a word is the name of a key: `esc`, one with Enter, or a letter or a sign, maybe with `^`, but no
/// number.
fn is_key(word: &str) -> bool {
    let is_short = word.width() <= 2 && !word.contains(|letter: char| letter.is_ascii_digit());
    is_short || word == "esc" || word.ends_with('⏎')
}

/// Returns the first ones of some words that fit into `width` columns, with ` · ` between them.
fn first_words(words: &[&str], width: usize) -> String {
    let mut line = String::new();
    for word in words.iter().filter(|word| !word.is_empty()) {
        let gap = if line.is_empty() { "" } else { SEPARATOR };
        if !line.is_empty() && line.width() + gap.width() + word.width() > width {
            break;
        }
        line = line + gap + word;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::theme::{Depth, Kind};

    #[test]
    fn with_surfaces_a_failure_has_a_background_and_its_keys_the_accent_colour() {
        let theme = Theme::of(Kind::Dark, Depth::True);
        let keys = " ┃ ^R send again · d details · 3 columns have this error";
        let line = failure_line(keys, theme.muted, 70, &theme);
        assert_eq!(line.to_string().trim_end(), keys, "the words stay the same");
        assert_eq!(line.width(), 70);
        let accent: Vec<&str> =
            line.spans.iter().filter(|span| span.style.fg == theme.accent.fg).map(|span| &*span.content).collect();
        assert_eq!(accent, ["^R", "d"]);
        assert!(line.spans[1..].iter().all(|span| span.style.bg == theme.raised.bg), "{line:?}");
        // The sentence has no keys, and another line is not of a failure.
        let sentence = failure_line("┃ a b", theme.bad, 10, &theme);
        assert!(sentence.spans.iter().all(|span| span.style.fg != theme.accent.fg));
        assert_eq!(failure_line("saved", theme.muted, 10, &theme), Line::styled("saved", theme.muted));
        let plain = Theme::of(Kind::Mono, Depth::Indexed);
        assert_eq!(failure_line(keys, plain.muted, 70, &plain), Line::styled(keys, plain.muted));
    }

    #[test]
    fn the_keys_that_matter_most_stay_where_there_is_little_room() {
        let words = [SEND_AGAIN, DETAILS, &profile_hint(), "your text is kept"];
        let last = |width| failure_lines("nothing is listening there", &words, width, 4).pop().unwrap().0;
        assert_eq!(last(80), "┃ ^R send again · d details · ^P profile · your text is kept");
        assert_eq!(last(40), "┃ ^R send again · d details · ^P profile");
        assert_eq!(last(38), "┃ ^R send again · d details");
        assert_eq!(last(8), "┃ ^R send again");
        let lines = failure_lines("nothing is listening there", &words, 16, 4);
        assert_eq!(lines.iter().filter(|(_, sentence)| *sentence).count(), 3, "{lines:?}");
    }
}
