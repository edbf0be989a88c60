//! The sanitiser works character by character, so that no unterminated or nested sequence can evade a pattern.

use std::borrow::Cow;
use std::fmt::Write as _;

use memchr::memrchr;
use unicode_width::UnicodeWidthStr;

use super::class::{CharClass, class, joins, pictographic, selects};

/// Columns from one tab stop to the next.
pub(crate) const TAB: usize = 4;
/// Combining marks on one character; no script needs more, and hundreds of them draw over other lines.
const MARKS: u32 = 8;

/// Makes a text safe to show over several lines.
///
/// `\n` stays, `\r\n` becomes `\n`, tabs become spaces up to the next fourth column of their line; other control
/// characters become pictures (`␛`); invisible ones, those that reorder text and selectors that select nothing become
/// their number (`⟨U+202E⟩`). A ninth mark on a character and those after it become a count (`⟨+3 marks⟩`). Borrows
/// when nothing had to change; idempotent. A stream is best sanitised line by line: a chunk may end between a character
/// and its marks, or after half a line whose columns the next tab depends on.
pub(crate) fn screen(text: &str) -> Cow<'_, str> {
    if plain(text, true) { Cow::Borrowed(text) } else { Sanitiser::new(text, None).run() }
}

/// Makes a text safe to show on one line: like [`screen`], and line ends become `␊`.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    if plain(text, false) { Cow::Borrowed(text) } else { Sanitiser::new(text, Some('␊')).run() }
}

/// Returns whether all bytes are printable ASCII (or `\n`, where allowed), as in nearly every token. There is no early
/// exit within a chunk, so that the compiler can vectorise it.
#[allow(clippy::needless_bitwise_bool)]
fn plain(text: &str, newlines: bool) -> bool {
    let fine = |b: &u8| (b.wrapping_sub(0x20) < 0x5f) | (newlines & (*b == b'\n'));
    text.as_bytes().chunks(64).all(|chunk| chunk.iter().fold(true, |all, b| all & fine(b)))
}

/// The black flag, and the tag sequences that make it the flag of England, of Scotland, of Wales.
const FLAG: char = '\u{1f3f4}';
const TAGS: [&str; 3] = [
    "\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];

/// Returns the bytes of the flag that a text begins with, if it is one of the three, else 0. Other tag sequences are
/// not drawn by terminals, so they are shown as numbers.
fn flag(text: &str) -> usize {
    let Some(tags) = text.strip_prefix(FLAG) else { return 0 };
    TAGS.iter().find(|flag| tags.starts_with(*flag)).map_or(0, |flag| FLAG.len_utf8() + flag.len())
}

/// What the last character written was.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Base,
    Mark,
    Selector,
    Joiner,
    /// A picture or number written by the sanitiser: nothing combines with it but marks.
    Ours,
}

struct Sanitiser<'a> {
    text: &'a str,
    /// What a line end becomes; `None`: it stays.
    newline: Option<char>,
    /// The text so far, from the first change on.
    out: Option<String>,
    base: char,
    last: Last,
    marks: u32,
    links: u32,
    /// Marks left out since the eighth of a character.
    excess: u32,
    /// Byte at which a flag ends whose tag characters are part of it.
    flag_end: usize,
    /// A place in `out` and its column, so that a line of many tabs is measured once.
    measured: (usize, usize),
}

impl<'a> Sanitiser<'a> {
    fn new(text: &'a str, newline: Option<char>) -> Self {
        Self {
            text,
            newline,
            out: None,
            base: '\n',
            last: Last::Ours,
            marks: 0,
            links: 0,
            excess: 0,
            flag_end: 0,
            measured: (0, 0),
        }
    }

    fn run(mut self) -> Cow<'a, str> {
        for (at, c) in self.text.char_indices() {
            if at < self.flag_end {
                self.keep(c, Last::Selector);
                continue;
            }
            let class = class(c);
            if self.excess > 0 && class != CharClass::Mark {
                self.count_excess();
            }
            match class {
                CharClass::Base => {
                    self.base(c);
                    self.flag_end = at + flag(&self.text[at..]);
                }
                CharClass::Mark => self.mark(at, c),
                CharClass::Selector if self.last == Last::Base && selects(c, self.base) => self.keep(c, Last::Selector),
                CharClass::Joiner if self.may_join(at, c) => {
                    self.links += 1;
                    self.keep(c, Last::Joiner);
                }
                CharClass::Selector | CharClass::Joiner | CharClass::Hidden => self.number(at, c),
                CharClass::Newline => match self.newline {
                    None => self.base(c),
                    Some(picture) => self.picture(at, picture),
                },
                CharClass::Return if self.text[at + 1..].starts_with('\n') => {
                    self.changed(at);
                }
                CharClass::Return => self.picture(at, '␍'),
                CharClass::Control(picture) => self.picture(at, picture),
                CharClass::Tab => self.tab(at),
            }
        }
        if self.excess > 0 {
            self.count_excess();
        }
        match self.out {
            Some(out) => Cow::Owned(out),
            None => Cow::Borrowed(self.text),
        }
    }

    /// Returns the output for writing; at the first call copies the text up to byte `at`, from where on the output
    /// differs.
    fn changed(&mut self, at: usize) -> &mut String {
        let text = self.text;
        self.out.get_or_insert_with(|| {
            let mut out = String::with_capacity(text.len() + 16);
            out.push_str(&text[..at]);
            out
        })
    }

    fn keep(&mut self, c: char, as_what: Last) {
        if let Some(out) = &mut self.out {
            out.push(c);
        }
        self.last = as_what;
    }

    fn base(&mut self, c: char) {
        if self.last != Last::Joiner {
            self.links = 0;
        }
        self.base = c;
        self.marks = 0;
        self.keep(c, Last::Base);
    }

    fn mark(&mut self, at: usize, c: char) {
        if self.marks < MARKS {
            self.marks += 1;
            self.keep(c, Last::Mark);
            // A joiner may follow. After a skin tone the base is still the emoji; a mark of a joining script becomes
            // the base.
            if joins(c) {
                self.base = c;
            }
        } else {
            self.changed(at);
            self.excess += 1;
        }
    }

    /// Returns whether the joiner at byte `at` belongs to an emoji sequence or to a word.
    fn may_join(&self, at: usize, c: char) -> bool {
        match self.last {
            Last::Base | Last::Mark if joins(self.base) => true,
            Last::Base | Last::Mark | Last::Selector => {
                c == '\u{200d}'
                    && self.links < MARKS
                    && pictographic(self.base)
                    && self.text[at + c.len_utf8()..].chars().next().is_some_and(pictographic)
            }
            Last::Joiner | Last::Ours => false,
        }
    }

    fn picture(&mut self, at: usize, picture: char) {
        self.changed(at).push(picture);
        self.ours();
    }

    fn number(&mut self, at: usize, c: char) {
        // Writing to a String cannot fail.
        let _ = write!(self.changed(at), "⟨U+{:04X}⟩", c as u32);
        self.ours();
    }

    fn count_excess(&mut self) {
        let excess = std::mem::take(&mut self.excess);
        if let Some(out) = &mut self.out {
            let _ = write!(out, "⟨+{excess} marks⟩");
        }
        self.ours();
    }

    fn ours(&mut self) {
        self.base = '⟩';
        self.last = Last::Ours;
        self.marks = 0;
        self.links = 0;
    }

    fn tab(&mut self, at: usize) {
        let (from, column) = self.measured;
        let out = self.changed(at);
        let (from, column) = match memrchr(b'\n', &out.as_bytes()[from..]) {
            Some(end) => (from + end + 1, 0),
            None => (from, column),
        };
        let column = column + out[from..].width();
        let next = (column / TAB + 1) * TAB;
        out.extend(std::iter::repeat_n(' ', next - column));
        self.measured = (out.len(), next);
        self.base = ' ';
        self.last = Last::Base;
        self.marks = 0;
        self.links = 0;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::Untrusted;

    /// Escape payloads and what must be on screen instead.
    const PAYLOADS: &[(&str, &str, &str)] = &[
        ("CSI", "a\x1b[2Jb", "a␛[2Jb"),
        ("CSI, C1 form", "a\u{9b}2Jb", "a⟨U+009B⟩2Jb"),
        ("unterminated CSI", "x\x1b[", "x␛["),
        ("OSC 52", "\x1b]52;c;ZXZpbA==\x07", "␛]52;c;ZXZpbA==␇"),
        ("OSC 52, C1 forms", "\u{9d}52;c;eA==\u{9c}", "⟨U+009D⟩52;c;eA==⟨U+009C⟩"),
        ("OSC 8", "\x1b]8;;http://e/\x1b\\t\x1b]8;;\x1b\\", "␛]8;;http://e/␛\\t␛]8;;␛\\"),
        ("title", "\x1b]0;owned\x07", "␛]0;owned␇"),
        ("unterminated title", "\x1b]2;owned", "␛]2;owned"),
        ("DCS", "\x1bPq#0\x1b\\", "␛Pq#0␛\\"),
        ("DCS, C1 form", "\u{90}q\u{9c}", "⟨U+0090⟩q⟨U+009C⟩"),
        ("APC", "\x1b_Gf=100;AA\x1b\\", "␛_Gf=100;AA␛\\"),
        ("end of a bracketed paste", "a\x1b[201~rm\r", "a␛[201~rm␍"),
        ("overwriting with CR", "safe\revil", "safe␍evil"),
        ("overwriting with BS", "safe\x08\x08evil", "safe␈␈evil"),
        ("NUL, DEL, form feed", "\0\x7f\x0c", "␀␡␌"),
        ("NEL", "a\u{85}b", "a⟨U+0085⟩b"),
        ("line separator", "a\u{2028}b", "a⟨U+2028⟩b"),
        ("bidi override", "a\u{202e}txt.exe", "a⟨U+202E⟩txt.exe"),
        ("bidi isolate", "\u{2066}a\u{2069}", "⟨U+2066⟩a⟨U+2069⟩"),
        ("zero width", "pass\u{200b}word\u{feff}", "pass⟨U+200B⟩word⟨U+FEFF⟩"),
        ("tags", "hi\u{e0068}\u{e007f}", "hi⟨U+E0068⟩⟨U+E007F⟩"),
        ("tags of no flag", "🏴\u{e0075}\u{e0073}\u{e007f}", "🏴⟨U+E0075⟩⟨U+E0073⟩⟨U+E007F⟩"),
        (
            "a flag that goes on",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e0068}\u{e007f}",
            "🏴⟨U+E0067⟩⟨U+E0062⟩⟨U+E0065⟩⟨U+E006E⟩⟨U+E0067⟩⟨U+E0068⟩⟨U+E007F⟩",
        ),
        (
            "tags behind a flag",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}\u{e0068}",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}⟨U+E0068⟩",
        ),
        ("lone selectors", "a\u{fe0f}\u{e0100}", "a⟨U+FE0F⟩⟨U+E0100⟩"),
        ("second selector", "❤\u{fe0f}\u{fe0f}", "❤\u{fe0f}⟨U+FE0F⟩"),
        ("joiner between letters", "a\u{200d}b", "a⟨U+200D⟩b"),
        ("soft hyphen", "co\u{ad}op", "co⟨U+00AD⟩op"),
        ("windows line ends", "a\r\nb\r\r\n", "a\nb␍\n"),
    ];

    #[test]
    fn payloads_become_visible() {
        for (name, payload, shown) in PAYLOADS {
            assert_eq!(screen(payload), *shown, "{name}");
        }
    }

    #[test]
    fn what_needs_no_change_is_borrowed() {
        for text in [
            "",
            "plain\ntext ~",
            "Grüße, 世界 — 한국어",
            "e\u{301}",
            "👩\u{200d}👩\u{200d}👧 🏳\u{fe0f}\u{200d}🌈 1\u{fe0f}\u{20e3} 👍🏽 👩🏽\u{200d}🚀",
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
            "葛\u{e0100}",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "a 🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f} b",
        ] {
            assert!(matches!(screen(text), Cow::Borrowed(_)), "{text:?} became {:?}", screen(text));
        }
    }

    #[test]
    fn tabs_reach_the_next_fourth_column_of_their_line() {
        assert_eq!(screen("\ta\n\tb"), "    a\n    b");
        assert_eq!(screen("abc\td\tefghi\tj"), "abc d   efghi   j");
        assert_eq!(screen("世\tx"), "世  x");
        assert_eq!(line("a\nb\tc"), "a␊b c");
    }

    #[test]
    fn one_line_shows_its_line_ends() {
        assert_eq!(line("a\nb\r\nc"), "a␊b␊c");
        assert!(matches!(line("abc"), Cow::Borrowed(_)));
    }

    #[test]
    fn marks_are_counted_from_the_ninth() {
        let zalgo = format!("Z{}a", "\u{301}".repeat(200));
        assert_eq!(screen(&zalgo), format!("Z{}⟨+192 marks⟩a", "\u{301}".repeat(8)));
        let tones = format!("👍{}", "🏽".repeat(20));
        assert_eq!(screen(&tones).matches('🏽').count(), 8);
        let family = vec!["👩"; 40].join("\u{200d}");
        assert_eq!(screen(&family).matches('\u{200d}').count(), 8 * 4 + 3, "a link of ours breaks each chain");
    }

    #[test]
    fn debug_does_not_tell() {
        assert_eq!(format!("{:?}", Untrusted::new("secret")), "Untrusted(6 bytes)");
        assert_eq!(Untrusted::new("a\x1b").raw(), "a\x1b");
    }

    /// Generates text of characters that sanitisers tend to get wrong.
    fn nasty() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            any::<char>().prop_map(String::from),
            prop::sample::select(vec![
                "\x1b",
                "\u{9b}",
                "\r",
                "\n",
                "\t",
                "\u{200d}",
                "\u{200c}",
                "\u{fe0f}",
                "\u{301}",
                "\u{301}\u{302}\u{303}",
                "👩",
                "❤",
                "🏽",
                "a",
                "1",
                "世",
                "م",
                "\u{64b}",
                "क",
                "\u{94d}",
                "\u{e0061}",
                "\u{e0100}",
                "\u{202e}",
                "🏴",
                "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
                "⟨",
                " ",
            ])
            .prop_map(str::to_owned),
        ];
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn nothing_acts_and_twice_is_once(text in nasty()) {
            let shown = screen(&text);
            prop_assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{shown:?}");
            let but_flags = TAGS.iter().fold(shown.to_string(), |shown, tags| shown.replace(&format!("{FLAG}{tags}"), ""));
            prop_assert!(!but_flags.chars().any(|c| class(c) == CharClass::Hidden), "{shown:?}");
            prop_assert_eq!(screen(&shown), shown.as_ref());
            let one = line(&text);
            prop_assert!(!one.chars().any(char::is_control), "{one:?}");
            prop_assert_eq!(line(&one), one.as_ref());
        }

        #[test]
        fn lines_can_be_sanitised_one_by_one(text in nasty()) {
            let text = text.replace('\r', "");
            let whole: Vec<_> = text.split('\n').map(screen).collect();
            prop_assert_eq!(screen(&text), whole.join("\n"));
        }
    }
}
