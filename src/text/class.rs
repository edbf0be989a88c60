//! What each character does on a terminal: the table behind the sanitiser.
//!
//! Ranges follow the Unicode Character Database's `Default_Ignorable_Code_Point`, `Bidi_Control` and
//! `Extended_Pictographic`; widths come from `unicode-width`.

use unicode_width::UnicodeWidthChar;

/// What a character does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CharClass {
    /// Stands for itself.
    Base,
    /// `\n`
    Newline,
    /// `\r`
    Return,
    /// Moves to the next tab stop.
    Tab,
    /// A control character, with the picture that stands for it.
    Control(char),
    /// Invisible, or reorders its neighbours: shown as its number.
    Hidden,
    /// Combines with the character before it (accents, skin tones).
    Mark,
    /// Selects a variant of the character before it.
    Selector,
    /// ZWJ and ZWNJ: part of emoji and of Arabic and Indic words, hidden elsewhere.
    Joiner,
}

/// Returns the class of a character. The common ones come first, though that repeats an arm: this runs for each
/// character.
#[allow(clippy::match_same_arms)]
pub(super) fn class(c: char) -> CharClass {
    match c {
        ' '..='~' => CharClass::Base,
        '\n' => CharClass::Newline,
        '\r' => CharClass::Return,
        '\t' => CharClass::Tab,
        '\0'..='\u{1f}' => CharClass::Control(char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}')),
        '\u{7f}' => CharClass::Control('␡'),
        '\u{80}'..='\u{9f}' | '\u{ad}' => CharClass::Hidden,
        '\u{a0}'..='\u{2ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => CharClass::Base,
        '\u{200c}' | '\u{200d}' => CharClass::Joiner,
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{180b}'..='\u{180d}' | '\u{180f}' => {
            CharClass::Selector
        }
        _ if hidden(c) => CharClass::Hidden,
        '\u{1f3fb}'..='\u{1f3ff}' => CharClass::Mark,
        _ if c.width() == Some(0) => CharClass::Mark,
        _ => CharClass::Base,
    }
}

/// Returns whether a character is drawn as nothing or reorders its neighbours.
fn hidden(c: char) -> bool {
    matches!(c,
        '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
        | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fdd0}'..='\u{fdef}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
        // Noncharacters: the last two of each plane.
        || (c as u32 & 0xfffe) == 0xfffe
}

/// Returns whether emoji sequences may be built from a character.
pub(super) fn pictographic(c: char) -> bool {
    matches!(c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{21ff}'
        | '\u{2300}'..='\u{23ff}' | '\u{24c2}' | '\u{25a0}'..='\u{27bf}' | '\u{2900}'..='\u{297f}'
        | '\u{2b00}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// Returns whether a joiner after the character changes how a word is written: Arabic to Mongolian.
pub(super) fn joins(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{dff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{18af}' | '\u{fb50}'..='\u{fdcf}'
        | '\u{fe70}'..='\u{fefc}')
}

/// Returns whether the selector changes how this character looks; elsewhere it could only hide data.
pub(super) fn selects(selector: char, base: char) -> bool {
    let han = matches!(base, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}');
    match selector {
        '\u{fe0e}' | '\u{fe0f}' => pictographic(base) || matches!(base, '0'..='9' | '#' | '*'),
        '\u{fe00}'..='\u{fe0d}' => han || matches!(base, '\u{2200}'..='\u{22ff}' | '\u{1000}'..='\u{109f}'),
        '\u{e0100}'..='\u{e01ef}' => han,
        _ => matches!(base, '\u{1800}'..='\u{18af}'),
    }
}
