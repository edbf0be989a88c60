//! Finds LaTeX in a Markdown source, so that it is shown as it came: `\( \)`, `\[ \]`, `$ $` and `$$ $$`.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr3;

/// The LaTeX in a source: a parser sees letters in its place, and the screen what stood there.
#[derive(Debug, Default)]
pub(super) struct Latex<'a> {
    source: &'a str,
    /// In order.
    found: Vec<Piece>,
}

/// A piece of LaTeX.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    /// Its bytes, the delimiters included.
    range: Range<usize>,
    /// Whether it is a block (`\[ \]`, `$$ $$`) and not a part of a sentence.
    display: bool,
}

impl<'a> Latex<'a> {
    /// Finds all of it outside code. None goes on behind a blank line. With `open` more text may come: a piece that has
    /// begun and not ended then counts, so that it does not change its form when its end arrives.
    pub(super) fn of(source: &'a str, open: bool) -> Self {
        let mut scan = Scan { source, open, at: 0, limit: 0, missing: [false; 4], found: Vec::new() };
        scan.run();
        Self { source, found: scan.found }
    }

    /// The source with letters in its place. Line ends stay, and so does what may belong to a list or quote around it.
    pub(super) fn hidden(&self) -> Cow<'a, str> {
        let source = self.source;
        if self.found.is_empty() {
            return Cow::Borrowed(source);
        }
        let mut hidden = source.as_bytes().to_vec();
        for Piece { range, .. } in &self.found {
            let quoted = source[line_start(source, range.start)..range.start].contains('>');
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

    /// The first piece that ends behind a place.
    fn at(&self, at: usize) -> Option<&Piece> {
        self.found.get(self.found.partition_point(|piece| piece.range.end <= at))
    }

    /// What the parser found in a range, as it stands in the source.
    pub(super) fn shown<'t>(&self, text: &'t str, range: Range<usize>) -> Cow<'t, str>
    where
        'a: 't,
    {
        let source: &'a str = self.source;
        match self.at(range.start).filter(|piece| piece.range.start < range.end) {
            Some(_) if text.len() == range.len() => Cow::Borrowed(&source[range]),
            // A piece of code, without its marks.
            Some(_) => Cow::Owned(source[range].trim_matches('`').replace(['\n', '\r'], " ")),
            None => Cow::Borrowed(text),
        }
    }

    /// Whether a line end of the source is one on the screen too: inside LaTeX, and around a block of it.
    pub(super) fn is_kept(&self, range: &Range<usize>) -> bool {
        let blank = |from: usize, to: usize| self.source.get(from..to).is_some_and(|text| text.trim().is_empty());
        let next = self.found.partition_point(|piece| piece.range.end <= range.start);
        let (before, next) = (self.found[..next].last(), self.found.get(next));
        before.is_some_and(|piece| piece.display && blank(piece.range.end, range.start))
            || next.is_some_and(|piece| {
                piece.range.start < range.start || piece.display && blank(range.start, piece.range.start)
            })
    }

    /// The spaces before a line within LaTeX, which the parser leaves out.
    pub(super) fn indent(&self, at: usize) -> &'a str {
        let source: &'a str = self.source;
        let line = line_start(source, at);
        let inside = self.at(at).is_some_and(|piece| piece.range.start < line);
        let spaces = &source[line..at];
        if inside && spaces.trim().is_empty() { spaces } else { "" }
    }
}

/// Where the line begins that a place is in.
fn line_start(source: &str, at: usize) -> usize {
    source[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// How a piece ends, by the order of [`Scan::missing`].
#[derive(Clone, Copy)]
enum End {
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
    /// Of each kind of end, whether there is none up to `limit`: it is looked for once.
    missing: [bool; 4],
    found: Vec<Piece>,
}

impl Scan<'_> {
    fn run(&mut self) {
        let bytes = self.source.as_bytes();
        while let Some(next) = bytes.get(self.at..).and_then(|rest| memchr3(b'\\', b'$', b'`', rest)) {
            let start = self.at;
            self.at += next;
            // What stands between is looked at for a fence of tildes only.
            if let Some(fence) = tildes(self.source, start, self.at) {
                self.at = fence;
                self.skip_code(b'~');
                continue;
            }
            if self.at >= self.limit {
                self.limit = paragraph_end(bytes, self.at);
                self.missing = [false; 4];
            }
            match (bytes[self.at], bytes.get(self.at + 1)) {
                (b'`', _) => self.skip_code(b'`'),
                (b'\\', Some(b'(')) => self.take(2, End::Parenthesis),
                (b'\\', Some(b'[')) => self.take(2, End::Bracket),
                (b'\\', _) => self.at += 2,
                (_, Some(b'$')) => self.take(2, End::Dollars),
                (_, Some(next)) if !next.is_ascii_whitespace() && !self.follows_word() => self.take(1, End::Dollar),
                _ => self.at += 1,
            }
        }
    }

    /// Whether a letter or digit stands before, as in `US$5`.
    fn follows_word(&self) -> bool {
        self.source[..self.at].chars().next_back().is_some_and(char::is_alphanumeric)
    }

    /// Takes a piece that begins here with a delimiter of so many bytes, or only steps over that.
    fn take(&mut self, delimiter: usize, end: End) {
        let from = self.at + delimiter;
        let display = matches!(end, End::Bracket | End::Dollars);
        let found = if self.missing[end as usize] { None } else { self.end(from, end) };
        self.missing[end as usize] |= found.is_none();
        let range = match found {
            Some(to) if !matches!(end, End::Dollar) || is_formula(&self.source[from..to - 1]) => self.at..to,
            None if self.open && self.limit == self.source.len() && !matches!(end, End::Dollar) => self.at..self.limit,
            _ => {
                self.at = from;
                return;
            }
        };
        self.at = range.end;
        self.found.push(Piece { range, display });
    }

    /// Where the piece whose text begins at `from` ends, its closing delimiter included.
    fn end(&self, from: usize, end: End) -> Option<usize> {
        let bytes = &self.source.as_bytes()[..self.limit];
        let mut at = from;
        while let Some(byte) = bytes.get(at) {
            let next = bytes.get(at + 1);
            match (end, *byte) {
                (End::Parenthesis, b'\\') if next == Some(&b')') => return Some(at + 2),
                (End::Bracket, b'\\') if next == Some(&b']') => return Some(at + 2),
                (_, b'\\') => at += 1,
                (End::Dollars, b'$') if next == Some(&b'$') && at > from => return Some(at + 2),
                (End::Dollar, b'\n') => return None,
                (End::Dollar, b'$') => {
                    let after = next.is_none_or(|next| !next.is_ascii_digit() && *next != b'$');
                    if at > from && !bytes[at - 1].is_ascii_whitespace() && after {
                        return Some(at + 1);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Steps over the code that begins here, or over its mark where nothing ends it. A fence that is open is code to the
    /// end.
    fn skip_code(&mut self, mark: u8) {
        let bytes = self.source.as_bytes();
        let run = |at: usize| bytes[at..].iter().take_while(|byte| **byte == mark).count();
        let length = run(self.at);
        let line = line_start(self.source, self.at);
        let fence = length >= 3 && starts_line(&self.source[line..self.at]);
        let limit = if fence { bytes.len() } else { self.limit.max(self.at) };
        let mut at = self.at + length;
        while let Some(next) = bytes.get(at..limit).and_then(|rest| memchr::memchr(mark, rest)) {
            at += next;
            let closing = run(at);
            let alone = || {
                let line = line_start(self.source, at);
                starts_line(&self.source[line..at])
            };
            if if fence { closing >= length && alone() } else { closing == length } {
                self.at = at + closing;
                return;
            }
            at += closing;
        }
        self.at = if fence { bytes.len() } else { self.at + length };
    }
}

/// Whether a fence may follow on a line that begins so.
fn starts_line(before: &str) -> bool {
    before.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'>' | b'-' | b'*' | b'+' | b'.' | b')' | b'0'..=b'9'))
}

/// The first fence of tildes that begins between two places.
fn tildes(source: &str, from: usize, to: usize) -> Option<usize> {
    let at = from + source[from..to].find("~~~")?;
    let line = line_start(source, at);
    starts_line(&source[line..at]).then_some(at)
}

/// The end of the paragraph that a place is in: the next blank line, or the end.
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

/// Whether what stands between two single dollars is a formula and not a text between two prices.
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
    }

    #[test]
    fn code_holds_none() {
        for text in ["`$x$`", "`` \\(a\\) ` ``", "```\n$x$\n```\n", "~~~\n$x$ `\n~~~\n", "```\n\\(a\\)"] {
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
