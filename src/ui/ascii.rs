//! Draws without symbols: every symbol that the program draws becomes one ASCII character. Letters of all scripts and
//! emoji stay, as they are text.

use ratatui::buffer::{Buffer, Cell};
use unicode_segmentation::UnicodeSegmentation as _;

use super::char_width::is_of_picture;
use super::hyperlink;
use super::meter::SPINNER;

/// What stands for the frames of the spinner, in turn.
const SPINNING: [char; 4] = ['|', '/', '-', '\\'];

/// Replaces the symbols in a finished frame. Parts of pictures that the terminal draws stay.
pub fn replace(buffer: &mut Buffer) {
    let width = usize::from(buffer.area.width).max(1);
    for row in buffer.content.chunks_mut(width) {
        let (mut follows_dots, mut is_dots) = (false, row.first().is_some_and(has_dots));
        for at in 0..row.len() {
            let precedes_dots = row.get(at + 1).is_some_and(has_dots);
            // The dots of a chart stand beside others, a spinner stands alone.
            let alone = !follows_dots && !precedes_dots;
            (follows_dots, is_dots) = (is_dots, precedes_dots);
            let cell = &mut row[at];
            if is_of_picture(cell) {
                continue;
            }
            if let Some(c) = symbol(cell)
                && let Some(new) = spinning(c).filter(|_| alone).or_else(|| replacement(c))
            {
                hyperlink::set_shown(cell, new.encode_utf8(&mut [0; 4]));
            }
        }
    }
}

/// Replaces the symbols in a text. As on the screen, a symbol that is drawn together with what follows it stays: it is an
/// emoji.
pub fn text(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let mut replaced = String::with_capacity(text.len());
    for grapheme in text.graphemes(true) {
        let mut chars = grapheme.chars();
        match chars.next().filter(|_| chars.next().is_none()).and_then(replacement) {
            Some(symbol) => replaced.push(symbol),
            None => replaced.push_str(grapheme),
        }
    }
    replaced
}

/// Names of keys by the symbols they are drawn with; pairs first.
const KEYS: [(&str, &str); 8] = [
    ("↑↓", "up/down"),
    ("←→", "left/right"),
    ("⏎", "enter"),
    ("↑", "up"),
    ("↓", "down"),
    ("←", "left"),
    ("→", "right"),
    ("…", "-"),
];

/// Returns the name of a key, or of several, with words in place of symbols: there is room for them.
pub fn key(name: &str) -> String {
    KEYS.iter().fold(name.to_owned(), |name, (symbol, word)| name.replace(symbol, word))
}

/// Returns the character of a cell, if it holds exactly one and that is not ASCII.
fn symbol(cell: &Cell) -> Option<char> {
    let mut chars = hyperlink::shown(cell).chars();
    chars.next().filter(|c| !c.is_ascii() && chars.next().is_none())
}

fn has_dots(cell: &Cell) -> bool {
    symbol(cell).is_some_and(|c| ('\u{2800}'..='\u{28ff}').contains(&c))
}

/// Returns what stands for a frame of the spinner; `None`: it is none.
fn spinning(c: char) -> Option<char> {
    let frame = SPINNER.iter().position(|frame| frame.chars().eq([c]))?;
    Some(SPINNING[frame % SPINNING.len()])
}

/// Returns the ASCII character for a symbol; `None`: it is text.
pub fn replacement(symbol: char) -> Option<char> {
    let block = match symbol {
        '\u{2190}'..='\u{21ff}' => arrow(symbol),
        '\u{2400}'..='\u{2426}' => '^',
        '\u{2500}'..='\u{257f}' => line(symbol),
        '\u{2580}'..='\u{259f}' => shade(symbol),
        // Two columns wide: emoji.
        '\u{25fd}' | '\u{25fe}' => return None,
        '\u{25a0}'..='\u{25ff}' => shape(symbol),
        '\u{2800}'..='\u{28ff}' => dots(symbol),
        _ => return other(symbol),
    };
    Some(block)
}

fn arrow(symbol: char) -> char {
    match symbol {
        '←' | '↤' | '↩' | '↵' | '⇐' | '⇠' | '⇤' | '⇦' => '<',
        '↑' | '↥' | '⇑' | '⇡' | '⇧' | '⇪' => '^',
        '↓' | '↧' | '⇓' | '⇣' | '⇩' => 'v',
        '↔' | '⇄' | '⇆' | '⇔' => '-',
        '↕' | '⇅' | '⇕' => '|',
        _ => '>',
    }
}

/// Heavy horizontal lines differ from light ones: bars are made of both.
fn line(symbol: char) -> char {
    match symbol {
        '─' | '┄' | '╌' | '╴' | '╶' | '╼' | '╾' => '-',
        '━' | '┅' | '╍' | '═' | '╸' | '╺' => '=',
        '│' | '┃' | '║' | '╵' | '╷' | '╹' | '╻' | '╽' | '╿' => '|',
        '┈' | '┉' => '.',
        '┆' | '┇' | '┊' | '┋' | '╎' | '╏' => ':',
        '╱' => '/',
        '╲' => '\\',
        '╳' => 'x',
        _ => '+',
    }
}

fn shade(symbol: char) -> char {
    match symbol {
        '▀' => '"',
        '▔' => '-',
        '▁' | '▂' | '▃' | '▄' => '_',
        '▌' | '▍' | '▎' | '▏' | '▐' | '▕' => '|',
        '░' | '▖' | '▗' | '▘' | '▝' => '.',
        '▒' | '▚' | '▞' => ':',
        '▓' => '%',
        '▅' | '▆' | '▇' | '▙' | '▛' | '▜' | '▟' => '*',
        _ => '#',
    }
}

fn shape(symbol: char) -> char {
    match symbol {
        '■' | '▪' | '▮' => '#',
        '□' | '▫' | '▯' => '=',
        '▣' => '%',
        '▲' | '▴' => '^',
        '△' | '▵' => 'A',
        '▼' | '▾' => 'v',
        '▶' | '▷' | '▸' | '▹' | '►' | '▻' => '>',
        '◀' | '◁' | '◂' | '◃' | '◄' | '◅' => '<',
        '◆' | '◇' => '+',
        '○' | '◎' | '◦' => 'o',
        '◌' => '.',
        _ => '*',
    }
}

/// Returns a character about as dense as a cell with these dots.
fn dots(symbol: char) -> char {
    match (u32::from(symbol) & 0xff).count_ones() {
        0 => ' ',
        1 | 2 => '.',
        3..=5 => ':',
        _ => '#',
    }
}

/// Returns the character for other symbols that the program draws.
fn other(symbol: char) -> Option<char> {
    Some(match symbol {
        '·' => '.',
        '–' | '—' | '−' => '-',
        '×' | '✕' => 'x',
        '±' | '✓' => '+',
        '‖' => '=',
        '‘' | '’' => '\'',
        '“' | '”' => '"',
        '•' | '★' | '∞' => '*',
        '…' | '≈' | '♪' => '~',
        '‹' | '⟨' | '≤' | '⏎' => '<',
        '›' | '⟩' | '≥' => '>',
        '⊘' => '/',
        '⋮' => ':',
        '⚑' => 'F',
        '⚠' => '!',
        '\u{fffd}' => '?',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU16;

    use ratatui::buffer::CellDiffOption;
    use ratatui::layout::Rect;
    use unicode_width::UnicodeWidthChar as _;

    use super::*;
    use crate::ui::markdown::LinkTarget;

    fn replaced(line: &str) -> Vec<String> {
        let mut buffer = Buffer::with_lines([line]);
        replace(&mut buffer);
        buffer.content.iter().map(|cell| cell.symbol().to_owned()).collect()
    }

    #[test]
    fn symbols_become_ascii_and_text_stays() {
        assert_eq!(replaced("▐1 Chat ●2 ╭──┬╮ ✕ ▸ x… ⏎ ↑↓ ━━╾─").concat(), "|1 Chat *2 +--++ x > x~ < ^v ==--");
        for text in ["äßñ Ελλ", "日本語", "🙂", "κ", "e\u{301}", "\u{25fe}"] {
            let buffer = Buffer::with_lines([text]);
            let mut same = buffer.clone();
            replace(&mut same);
            assert_eq!(same, buffer);
            assert_eq!(super::text(text), text);
        }
        assert_eq!(super::text("é · naïve…\r\n\t⚠ ⚠\u{fe0f} →"), "é . naïve~\r\n\t! ⚠\u{fe0f} >");
    }

    #[test]
    fn keys_have_names() {
        let names = ["⏎ ^R", "alt+⏎", "↑↓", "j ↓", "alt+1…6", "^P"].map(key);
        assert_eq!(names, ["enter ^R", "alt+enter", "up/down", "j down", "alt+1-6", "^P"]);
    }

    #[test]
    fn every_replacement_has_the_width_of_its_symbol() {
        for c in ('\u{80}'..'\u{ffff}').chain('\u{10000}'..='\u{1ffff}') {
            if let Some(new) = replacement(c) {
                assert!(new.is_ascii() && !new.is_control(), "{c}");
                assert_eq!(c.width(), Some(1), "{c} {:x}", u32::from(c));
            }
        }
    }

    #[test]
    fn a_spinner_turns_and_the_dots_of_a_chart_become_denser() {
        let spinner: String = SPINNER.iter().map(|frame| replaced(&format!(" {frame} "))[1].clone()).collect();
        assert_eq!(spinner, "|/-\\|/-\\|/");
        assert_eq!(replaced("⠀⠁⠋⠿⣿").concat(), " .:##");
    }

    #[test]
    fn a_link_stays_one_and_a_part_of_a_picture_stays_as_it_is() {
        let mut buffer = Buffer::with_lines(["a→ b"]);
        hyperlink::link(&mut buffer, Rect::new(0, 0, 2, 1), &LinkTarget::new("https://a.example").unwrap());
        buffer[(3, 0)] = Cell::new("\u{10eeee}\u{305}");
        buffer[(3, 0)].set_diff_option(CellDiffOption::ForcedWidth(NonZeroU16::MIN));
        buffer[(2, 0)] = Cell::new("█");
        buffer[(2, 0)].set_diff_option(CellDiffOption::Skip);
        replace(&mut buffer);
        assert!(hyperlink::is_link(&buffer[(1, 0)]));
        assert_eq!(hyperlink::shown(&buffer[(1, 0)]), ">");
        assert!(buffer[(1, 0)].symbol().contains("https://a.example"));
        assert_eq!((buffer[(2, 0)].symbol(), buffer[(3, 0)].symbol()), ("█", "\u{10eeee}\u{305}"));
    }
}
