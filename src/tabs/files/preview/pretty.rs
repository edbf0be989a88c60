//! A JSON value over several lines. Nothing of it is changed but the blanks between its parts.
//!
//! What fits stays on one line; what does not is opened, its parts a step further in.

use serde::de::IgnoredAny;
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

/// Columns of a step.
const STEP: usize = 2;

/// Why a line is no JSON object or array, with the column in characters; `None`: it is one.
pub(super) fn fault(bytes: &[u8]) -> Option<String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return Some("the line is empty".to_owned());
    }
    let text = match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(why) => return Some(format!("invalid UTF-8 at byte {}", why.valid_up_to() + 1)),
    };
    match serde_json::from_str::<IgnoredAny>(text) {
        Ok(_) if text.trim_start().starts_with('{') => None,
        Ok(_) => Some("JSON, but no object".to_owned()),
        Err(why) => {
            // What reads a value says more of what is wrong than what only goes over it.
            let why = serde_json::from_str::<Value>(text).err().unwrap_or(why);
            let words = why.to_string();
            let words = words.split(" at line ").next().unwrap_or_default();
            let column = text.char_indices().take_while(|(at, _)| *at + 1 < why.column()).count() + 1;
            Some(format!("not JSON: {words} (col {column})"))
        }
    }
}

/// A part of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    /// `{` or `[`, and its part's columns on one line.
    Open(char, usize),
    /// `}` or `]`
    Close(char),
    Comma,
    Colon,
    /// A string, a number, a word: as it stands.
    Word(&'a str),
}

/// The lines of a JSON value at so many columns; a word longer than that goes over the edge. The text is known to be JSON.
pub(super) fn lines(text: &str, width: usize) -> Vec<String> {
    let tokens = measured(tokens(text.strip_prefix('\u{feff}').unwrap_or(text)));
    let mut printer = Printer { tokens: &tokens, at: 0, width, out: vec![String::new()] };
    printer.value(0, 0);
    printer.out
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut all = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let from = at;
        at += 1;
        all.push(match byte {
            b'{' | b'[' => Token::Open(char::from(*byte), 0),
            b'}' | b']' => Token::Close(char::from(*byte)),
            b',' => Token::Comma,
            b':' => Token::Colon,
            b' ' | b'\t' | b'\r' | b'\n' => continue,
            b'"' => {
                while let Some(next) = memchr::memchr2(b'"', b'\\', &bytes[at..]) {
                    at += next + 1;
                    if bytes[at - 1] == b'"' {
                        break;
                    }
                    at += 1;
                }
                Token::Word(text.get(from..at).unwrap_or_default())
            }
            _ => {
                let more = bytes[at..].iter().take_while(|byte| !b",:]} \t\r\n".contains(byte)).count();
                at += more;
                Token::Word(text.get(from..at).unwrap_or_default())
            }
        });
    }
    all
}

/// With the columns that each container takes on one line.
fn measured(mut tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let mut open = Vec::new();
    let mut columns = 0;
    for at in 0..tokens.len() {
        match tokens[at] {
            Token::Open(..) => {
                open.push((at, columns));
                columns += 1;
            }
            Token::Close(_) => {
                columns += 1;
                if let Some((begin, before)) = open.pop()
                    && let Token::Open(_, width) = &mut tokens[begin]
                {
                    *width = columns - before;
                }
            }
            Token::Comma | Token::Colon => columns += 1,
            Token::Word(word) => columns += word.width(),
        }
    }
    tokens
}

struct Printer<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
    width: usize,
    out: Vec<String>,
}

impl Printer<'_> {
    fn put(&mut self, text: &str) {
        if let Some(line) = self.out.last_mut() {
            line.push_str(text);
        }
    }

    /// Puts the next token down.
    fn take(&mut self) -> Option<Token<'_>> {
        let token = *self.tokens.get(self.at)?;
        self.at += 1;
        match token {
            Token::Open(sign, _) | Token::Close(sign) => self.put(sign.encode_utf8(&mut [0; 4])),
            Token::Comma => self.put(","),
            Token::Colon => self.put(":"),
            Token::Word(word) => self.put(word),
        }
        Some(token)
    }

    /// Puts a value down whose line begins at a depth; `after`: columns of what will follow it on its last line.
    fn value(&mut self, depth: usize, after: usize) {
        let used = self.out.last().map_or(0, |line| line.width());
        let Some(Token::Open(_, columns)) = self.take() else { return };
        if used + columns + after <= self.width {
            let mut open = 1;
            while open > 0 {
                match self.take() {
                    Some(Token::Open(..)) => open += 1,
                    Some(Token::Close(_)) => open -= 1,
                    Some(_) => {}
                    None => return,
                }
            }
            return;
        }
        let alone = self.alone();
        loop {
            if let Some(Token::Close(_)) = self.tokens.get(self.at) {
                self.take();
                return;
            }
            let inner = if alone { depth } else { depth + 1 };
            if !alone {
                self.out.push(" ".repeat(inner * STEP));
            }
            // A key and its colon.
            if let Some(Token::Colon) = self.tokens.get(self.at + 1) {
                self.take();
                self.take();
            }
            self.value(inner, after + 1);
            if let Some(Token::Comma) = self.tokens.get(self.at) {
                self.take();
            } else if self.at >= self.tokens.len() {
                return;
            }
        }
    }

    /// Whether what is in the container just opened is one container and nothing else: then both open on one line.
    fn alone(&self) -> bool {
        let mut at = self.at;
        if let Some(Token::Colon) = self.tokens.get(at + 1) {
            at += 2;
        }
        if !matches!(self.tokens.get(at), Some(Token::Open(..))) {
            return false;
        }
        let mut open = 0;
        for token in &self.tokens[at..] {
            match token {
                Token::Open(..) => open += 1,
                Token::Close(_) => open -= 1,
                _ => {}
            }
            at += 1;
            if open == 0 {
                break;
            }
        }
        matches!(self.tokens.get(at), Some(Token::Close(_)))
    }
}
