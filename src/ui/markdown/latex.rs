//! Finds LaTeX in a Markdown source, so that it is shown unchanged: `\( \)`, `\[ \]`, `$ $` and `$$ $$`.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr3;

/// Bytes of the longest formula between single dollars: a longer one is a text with two dollars in it.
const FORMULA: usize = 300;

/// The LaTeX in a source: the parser sees letters in its place, and the screen the original.
#[derive(Debug, Default)]
pub(super) struct Latex<'a> {
    source: &'a str,
    /// In order of position.
    found: Vec<LatexPiece>,
}

/// A piece of LaTeX.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LatexPiece {
    /// Its bytes, the delimiters included.
    range: Range<usize>,
    /// Whether it is a block (`\[ \]`, `$$ $$`) and not a part of a sentence.
    display: bool,
}

impl<'a> Latex<'a> {
    /// Finds all of it outside code. A blank line ends each piece. With `open` more text may follow: a piece that has
    /// begun and not ended then counts, so that it does not change its form when its end arrives.
    pub(super) fn of(source: &'a str, open: bool) -> Self {
        let mut scan = Scan {
            source,
            open,
            at: 0,
            limit: 0,
            table: false,
            missing: [false; 3],
            dollar: (0, false),
            runs: None,
            marks: Before::new(is_mark),
            found: Vec::new(),
        };
        scan.run();
        Self { source, found: scan.found }
    }

    /// Returns the source with letters in place of LaTeX. Line ends stay, and so does what may belong to a list or
    /// quote around it.
    pub(super) fn hidden(&self) -> Cow<'a, str> {
        let source = self.source;
        if self.found.is_empty() {
            return Cow::Borrowed(source);
        }
        let mut hidden = source.as_bytes().to_vec();
        let mut unquoted = Before::new(|byte| byte != b'>');
        for LatexPiece { range, .. } in &self.found {
            let quoted = !unquoted.hold(source.as_bytes(), range.start);
            let mut indent = false;
            for byte in &mut hidden[range.clone()] {
                match *byte {
                    b'\n' => indent = true,
                    b'\r' => {}
                    b' ' | b'\t' if indent => {}
                    b'>' if indent && quoted => {}
                    _ => {
                        indent = false;
                        *byte = b'x';
                    }
                }
            }
        }
        // Every byte of a character was replaced or none.
        String::from_utf8(hidden).map_or(Cow::Borrowed(source), Cow::Owned)
    }

    /// Returns the first piece that ends after a place.
    fn at(&self, at: usize) -> Option<&LatexPiece> {
        self.found.get(self.found.partition_point(|piece| piece.range.end <= at))
    }

    /// Returns the original text of a range that the parser found.
    pub(super) fn shown<'t>(&self, text: &'t str, range: Range<usize>) -> Cow<'t, str>
    where
        'a: 't,
    {
        let source: &'a str = self.source;
        match self.at(range.start).filter(|piece| piece.range.start < range.end) {
            Some(_) if text.len() == range.len() => Cow::Borrowed(&source[range]),
            // A piece of code, without its delimiters.
            Some(_) => Cow::Owned(source[range].trim_matches('`').replace(['\n', '\r'], " ")),
            None => Cow::Borrowed(text),
        }
    }

    /// Returns whether a line end of the source is kept on the screen: inside LaTeX, and around a block of it.
    pub(super) fn is_kept(&self, range: &Range<usize>) -> bool {
        if self.found.is_empty() {
            return false;
        }
        let bytes = self.source.as_bytes();
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
        let next = self.found.partition_point(|piece| piece.range.end <= range.start);
        let (before, next) = (self.found[..next].last(), self.found.get(next));
        // Neither scans beyond its line.
        before.is_some_and(|piece| piece.display && bytes[piece.range.end..range.start].iter().rev().all(blank))
            || next.is_some_and(|piece| {
                let between = bytes.get(range.end..piece.range.start);
                piece.range.start < range.start || piece.display && between.is_some_and(|text| text.iter().all(blank))
            })
    }

    /// Returns the spaces before a line within LaTeX, which the parser leaves out.
    pub(super) fn indent(&self, at: usize) -> &'a str {
        let source: &'a str = self.source;
        let inside = self.at(at).and_then(|piece| source.get(piece.range.start..at));
        let spaces = inside.and_then(|text| text.rsplit_once('\n')).map_or("", |(_, spaces)| spaces);
        if spaces.trim().is_empty() { spaces } else { "" }
    }
}

/// Whether all bytes between the start of a line and a place on it pass a test. Queried for ascending places, it looks
/// at each byte once.
struct Before {
    test: fn(u8) -> bool,
    at: usize,
    all: bool,
}

impl Before {
    fn new(test: fn(u8) -> bool) -> Self {
        Self { test, at: 0, all: true }
    }

    fn hold(&mut self, bytes: &[u8], at: usize) -> bool {
        let new = &bytes[self.at..at];
        let line = memchr::memrchr(b'\n', new).map(|end| end + 1);
        self.all = (self.all || line.is_some()) && new[line.unwrap_or(0)..].iter().all(|byte| (self.test)(*byte));
        self.at = at;
        self.all
    }
}

/// How a piece ends; all but the single dollar by the order of [`Scan::missing`].
#[derive(Clone, Copy)]
enum LatexEnd {
    Parenthesis,
    Bracket,
    Dollars,
    Dollar,
}

struct Scan<'a> {
    source: &'a str,
    open: bool,
    at: usize,
    /// The end of the paragraph that `at` is in.
    limit: usize,
    /// Whether that paragraph is a table.
    table: bool,
    /// For each kind of end, whether there is none up to `limit`: so that it is searched only once.
    missing: [bool; 3],
    /// The next place where a single dollar could end a formula, and whether it does: if not, no formula continues
    /// there.
    dollar: (usize, bool),
    /// The runs of backticks of the paragraph from the first one on, by length and place.
    runs: Option<Vec<(usize, usize)>>,
    /// Whether a fence may follow on the line.
    marks: Before,
    found: Vec<LatexPiece>,
}

impl Scan<'_> {
    fn run(&mut self) {
        let bytes = self.source.as_bytes();
        while let Some(next) = bytes.get(self.at..).and_then(|rest| memchr3(b'\\', b'$', b'`', rest)) {
            let start = self.at;
            self.at += next;
            // The text in between is only scanned for fences of tildes.
            let mut fences = self.source[start..self.at].match_indices("~~~");
            if let Some((tildes, _)) = fences.find(|(at, _)| self.marks.hold(bytes, start + at)) {
                self.at = start + tildes;
                self.skip_fence(b'~');
                continue;
            }
            self.enter_paragraph();
            match (bytes[self.at], bytes.get(self.at + 1)) {
                (b'`', _) => self.skip_code(),
                (b'\\', Some(b'(')) => self.take(2, LatexEnd::Parenthesis),
                (b'\\', Some(b'[')) => self.take(2, LatexEnd::Bracket),
                // A character of several bytes is not cut.
                (b'\\', next) => self.at += if next.is_some_and(u8::is_ascii) { 2 } else { 1 },
                (_, Some(b'$')) => self.take(2, LatexEnd::Dollars),
                (_, Some(next)) if !next.is_ascii_whitespace() && !self.follows_word() => {
                    self.take(1, LatexEnd::Dollar);
                }
                _ => self.at += 1,
            }
        }
    }

    /// Finds the paragraph that contains `at`, if that is another one than before.
    fn enter_paragraph(&mut self) {
        let bytes = self.source.as_bytes();
        while self.at >= self.limit {
            let start = self.limit;
            self.limit = paragraph_end(bytes, start);
            if self.at < self.limit {
                self.table = self.source[start..self.limit].lines().any(is_delimiter_row);
                self.missing = [false; 3];
                self.runs = None;
            }
        }
    }

    /// Returns whether a letter or digit precedes, as in `US$5`.
    fn follows_word(&self) -> bool {
        self.source[..self.at].chars().next_back().is_some_and(char::is_alphanumeric)
    }

    /// Reads a piece that begins here with a delimiter of so many bytes, or only skips the delimiter.
    fn take(&mut self, delimiter: usize, end: LatexEnd) {
        let from = self.at + delimiter;
        let display = matches!(end, LatexEnd::Bracket | LatexEnd::Dollars);
        let range = match self.end(from, end) {
            Some(to) => self.at..to,
            None if self.open && self.limit == self.source.len() && !matches!(end, LatexEnd::Dollar) => {
                self.at..self.limit
            }
            None => {
                self.at = from;
                return;
            }
        };
        self.at = range.end;
        self.found.push(LatexPiece { range, display });
    }

    /// Returns where the piece whose text begins at `from` ends, including its closing delimiter.
    fn end(&mut self, from: usize, end: LatexEnd) -> Option<usize> {
        if let LatexEnd::Dollar = end {
            let to = self.closing_dollar(from)?;
            return (to - from <= FORMULA && is_formula(&self.source[from..to])).then_some(to + 1);
        }
        if self.missing[end as usize] {
            return None;
        }
        let bytes = &self.source.as_bytes()[..self.limit];
        let mut at = from;
        while let Some(byte) = bytes.get(at) {
            let next = bytes.get(at + 1);
            match (end, *byte) {
                (LatexEnd::Parenthesis, b'\\') if next == Some(&b')') => return Some(at + 2),
                (LatexEnd::Bracket, b'\\') if next == Some(&b']') => return Some(at + 2),
                (_, b'\\') => at += 1,
                (LatexEnd::Dollars, b'$') if next == Some(&b'$') && at > from => return Some(at + 2),
                _ => {}
            }
            at += 1;
        }
        self.missing[end as usize] = true;
        None
    }

    /// Returns the single dollar that ends a formula beginning at `from`: the next one on its line, and within its cell
    /// of a table. It is the same for all that begin before it, and searched once.
    fn closing_dollar(&mut self, from: usize) -> Option<usize> {
        if from > self.dollar.0 {
            let bytes = &self.source.as_bytes()[..self.limit];
            let mut at = from;
            self.dollar = loop {
                let after = bytes.get(at + 1).is_none_or(|next| !next.is_ascii_digit() && *next != b'$');
                match bytes.get(at) {
                    None | Some(b'\n') => break (at, false),
                    Some(b'|') if self.table => break (at, false),
                    Some(b'$') if after && at > from && !bytes[at - 1].is_ascii_whitespace() => break (at, true),
                    Some(b'\\') => at += 2,
                    Some(_) => at += 1,
                }
            };
        }
        let (at, closes) = self.dollar;
        closes.then_some(at)
    }

    /// Skips the code that begins here with backticks, or the backticks if nothing closes them.
    fn skip_code(&mut self) {
        let bytes = self.source.as_bytes();
        let length = run(bytes, self.at);
        if length >= 3 && self.marks.hold(bytes, self.at) {
            return self.skip_fence(b'`');
        }
        let (from, limit) = (self.at, self.limit);
        let runs = self.runs.get_or_insert_with(|| {
            let (mut runs, mut at) = (Vec::new(), from);
            while let Some(next) = memchr::memchr(b'`', &bytes[at..limit]) {
                at += next;
                runs.push((run(bytes, at), at));
                at += run(bytes, at);
            }
            runs.sort_unstable();
            runs
        });
        self.at += length;
        let closing = runs.get(runs.partition_point(|run| *run < (length, self.at)));
        if let Some((_, at)) = closing.filter(|(closing, _)| *closing == length) {
            self.at = at + length;
        }
    }

    /// Skips the fence that begins here and its code. An open one extends to the end.
    fn skip_fence(&mut self, mark: u8) {
        let bytes = self.source.as_bytes();
        let length = run(bytes, self.at);
        self.at += length;
        while let Some(next) = bytes.get(self.at..).and_then(|rest| memchr::memchr(mark, rest)) {
            let at = self.at + next;
            let closing = run(bytes, at);
            self.at = at + closing;
            if closing >= length && self.marks.hold(bytes, at) {
                return;
            }
        }
        self.at = bytes.len();
    }
}

/// Counts how often the byte at a place is repeated from there on.
fn run(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().take_while(|byte| **byte == bytes[at]).count()
}

/// Returns whether a byte may precede a fence on its line.
fn is_mark(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'>' | b'-' | b'*' | b'+' | b'.' | b')' | b'0'..=b'9')
}

/// Returns whether a line is the one between a table's head and its rows.
fn is_delimiter_row(line: &str) -> bool {
    line.contains('|') && line.contains('-') && line.bytes().all(|byte| b"|-: \t>".contains(&byte))
}

/// Returns the end of the paragraph that contains a place: the next blank line, or the end.
fn paragraph_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(end) = memchr::memchr(b'\n', &bytes[at..]) {
        at += end + 1;
        let rest = &bytes[at..];
        let blank = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'>'));
        if blank.is_some_and(|blank| rest[blank] == b'\n') {
            return at;
        }
    }
    bytes.len()
}

/// Returns whether the text between two single dollars is a formula rather than text between two prices.
fn is_formula(text: &str) -> bool {
    let price = text.starts_with(|c: char| c.is_ascii_digit()) && text.contains(' ');
    !price || text.contains(['\\', '^', '_', '{', '='])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<&str> {
        Latex::of(source, false).found.into_iter().map(|piece| &source[piece.range]).collect()
    }

    #[test]
    fn all_four_forms_are_found_and_prices_are_not() {
        assert_eq!(found(r"a \(x^2\) b \[ y \\ z \] c $n_i$ d $$w$$"), [r"\(x^2\)", r"\[ y \\ z \]", "$n_i$", "$$w$$"]);
        assert_eq!(found("\\[\nx \\\\[2pt]\ny\n\\]\n"), ["\\[\nx \\\\[2pt]\ny\n\\]"]);
        for text in ["$5 and $6", "US$5 to US$6", "from $5-$6", "$5, or 6$ more", r"\$x\$", r"\\(a\\)", "$ x $", "a $"]
        {
            assert!(found(text).is_empty(), "{text}");
        }
        assert_eq!(found("\\é $x$ \\…$y$ \\"), ["$x$", "$y$"], "a backslash before any character");
    }

    #[test]
    fn code_holds_none() {
        for text in [
            "see ~~~ a\n~~~\n$x$\n~~~\n",
            "`$x$`",
            "`` \\(a\\) ` ``",
            "```\n$x$\n```\n",
            "~~~\n$x$ `\n~~~\n",
            "```\n\\(a\\)",
        ] {
            assert!(found(text).is_empty(), "{text}");
        }
        assert_eq!(found("```\n$x$\n```\nand $y$, `$` or $z$"), ["$y$", "$z$"]);
    }

    #[test]
    fn a_piece_that_has_no_end_yet_counts_while_more_may_come() {
        let count = |source: &str, open| Latex::of(source, open).found.len();
        assert_eq!([count("a \\(b", true), count("a \\(b", false)], [1, 0]);
        assert_eq!(count("a \\(b\n\nc", true), 0, "nothing goes on behind a blank line");
        assert_eq!(Latex::of("> $$\n> a\n> $$ b", false).hidden(), "> xx\n> x\n> xx b");
    }
}
