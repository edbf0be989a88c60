//! Prints a JSON value over several lines, changing only the blanks between its parts.
//!
//! What fits stays on one line; what does not is opened, its parts a step further in.

use std::ops::Range;

use unicode_width::UnicodeWidthStr;

use crate::dataset::json_fault;
use crate::text::JsonTokens;

/// Columns of a step.
const STEP: usize = 2;

/// Returns why a line is not a JSON object or array, with the column in characters; `None`: it is one.
pub(super) fn fault(bytes: &[u8]) -> Option<String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return Some("the line is empty".to_owned());
    }
    let text = match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(why) => return Some(format!("invalid UTF-8 at byte {}", why.valid_up_to() + 1)),
    };
    let (at, words) = json_fault(text)?;
    // In the first column it is about the line as a whole.
    Some(if at == 0 { words } else { format!("{words} (col {})", text[..at].chars().count() + 1) })
}

/// A part of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JsonToken<'a> {
    /// `{` or `[`, and its part's columns on one line.
    Open(char, usize),
    /// `}` or `]`
    Close(char),
    /// Whether a blank follows it in the text.
    Comma(bool),
    Colon(bool),
    /// A string, a number, a word: as it stands.
    Word(&'a str),
}

/// Returns the lines of a JSON value at so many columns; a word longer than that goes over the edge. The text is known
/// to be JSON.
pub(super) fn lines(text: &str, width: usize) -> Vec<String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim_end();
    if text.width() <= width {
        // The value fits and is shown as it is in the file.
        return vec![text.to_owned()];
    }
    let tokens = measured(tokens(text));
    let mut printer = JsonPrinter { tokens: &tokens, at: 0, width, out: vec![String::new()] };
    printer.value(0, 0);
    printer.out
}

fn tokens(text: &str) -> Vec<JsonToken<'_>> {
    let token = |token: Range<usize>| {
        let blank = text[token.end..].starts_with(' ');
        match text.as_bytes()[token.start] {
            sign @ (b'{' | b'[') => JsonToken::Open(char::from(sign), 0),
            sign @ (b'}' | b']') => JsonToken::Close(char::from(sign)),
            b',' => JsonToken::Comma(blank),
            b':' => JsonToken::Colon(blank),
            _ => JsonToken::Word(&text[token]),
        }
    };
    JsonTokens::new(text, 0).map(token).collect()
}

/// Notes for each container how many columns it takes on one line.
fn measured(mut tokens: Vec<JsonToken<'_>>) -> Vec<JsonToken<'_>> {
    let mut open = Vec::new();
    let mut columns = 0;
    for at in 0..tokens.len() {
        match tokens[at] {
            JsonToken::Open(..) => {
                open.push((at, columns));
                columns += 1;
            }
            JsonToken::Close(_) => {
                columns += 1;
                if let Some((begin, before)) = open.pop()
                    && let JsonToken::Open(_, width) = &mut tokens[begin]
                {
                    *width = columns - before;
                }
            }
            JsonToken::Comma(blank) | JsonToken::Colon(blank) => columns += 1 + usize::from(blank),
            JsonToken::Word(word) => columns += word.width(),
        }
    }
    tokens
}

struct JsonPrinter<'a> {
    tokens: &'a [JsonToken<'a>],
    at: usize,
    width: usize,
    out: Vec<String>,
}

impl JsonPrinter<'_> {
    fn put(&mut self, text: &str) {
        if let Some(line) = self.out.last_mut() {
            line.push_str(text);
        }
    }

    /// Puts the next token down.
    fn take(&mut self) -> Option<JsonToken<'_>> {
        let token = *self.tokens.get(self.at)?;
        self.at += 1;
        match token {
            JsonToken::Open(sign, _) | JsonToken::Close(sign) => self.put(sign.encode_utf8(&mut [0; 4])),
            JsonToken::Comma(_) => self.put(","),
            JsonToken::Colon(blank) => self.put(if blank { ": " } else { ":" }),
            JsonToken::Word(word) => self.put(word),
        }
        Some(token)
    }

    /// Puts a value down whose line begins with so many blanks; `after`: columns of what will follow it on its last
    /// line.
    fn value(&mut self, blanks: usize, after: usize) {
        let used = self.out.last().map_or(0, |line| line.width());
        let Some(JsonToken::Open(_, columns)) = self.take() else { return };
        if used + columns + after <= self.width {
            let mut open = 1;
            while open > 0 {
                match self.take() {
                    Some(JsonToken::Open(..)) => open += 1,
                    Some(JsonToken::Close(_)) => open -= 1,
                    Some(JsonToken::Comma(true)) => self.put(" "),
                    Some(_) => {}
                    None => return,
                }
            }
            return;
        }
        // If the container begins its line, its first part is beside the bracket and the others are below it.
        let beside = used == blanks;
        let alone = self.alone();
        let inner = match (alone, beside) {
            (true, _) => blanks,
            (false, true) => blanks + 1,
            (false, false) => blanks + STEP,
        };
        for place in 0.. {
            if let Some(JsonToken::Close(_)) = self.tokens.get(self.at) {
                self.take();
                return;
            }
            if !alone && (place > 0 || !beside) {
                self.out.push(" ".repeat(inner));
            }
            // A key and its colon.
            if let Some(JsonToken::Colon(_)) = self.tokens.get(self.at + 1) {
                self.take();
                self.take();
            }
            self.value(inner, after + 1);
            if let Some(JsonToken::Comma(_)) = self.tokens.get(self.at) {
                self.take();
            } else if self.at >= self.tokens.len() {
                return;
            }
        }
    }

    /// Returns whether what is in the container just opened is one container and nothing else: then both open on one
    /// line.
    fn alone(&self) -> bool {
        let mut at = self.at;
        if let Some(JsonToken::Colon(_)) = self.tokens.get(at + 1) {
            at += 2;
        }
        if !matches!(self.tokens.get(at), Some(JsonToken::Open(..))) {
            return false;
        }
        let mut open = 0;
        for token in &self.tokens[at..] {
            match token {
                JsonToken::Open(..) => open += 1,
                JsonToken::Close(_) => open -= 1,
                _ => {}
            }
            at += 1;
            if open == 0 {
                break;
            }
        }
        matches!(self.tokens.get(at), Some(JsonToken::Close(_)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use serde_json::Value;

    use super::*;

    #[test]
    fn what_fits_stays_on_a_line() {
        let messages =
            r#"{"messages":[{"role":"system","content":"You label"},{"role":"user","content":"Order 4411 late"}]}"#;
        assert_eq!(lines(messages, 200), [messages]);
        assert_eq!(
            lines(messages, 48),
            [
                r#"{"messages":["#,
                r#"  {"role":"system","content":"You label"},"#,
                r#"  {"role":"user","content":"Order 4411 late"}]}"#,
            ]
        );
        let nested = r#"{"a": 1, "b": [1, 2, {"c": "long enough to be broken"}], "d": {}}"#;
        let broken = [
            r#"{"a": 1,"#,
            r#" "b": ["#,
            "   1,",
            "   2,",
            r#"   {"c": "long enough to be broken"}],"#,
            r#" "d": {}}"#,
        ];
        assert_eq!(lines(nested, 40), broken);
        let spaced = r#"{"a": [1, 2], "b":[1,2]}"#;
        assert_eq!(lines(spaced, 40), [spaced]);
    }

    #[test]
    fn faults_are_named_with_their_column() {
        let of = |text: &str| fault(text.as_bytes()).unwrap_or_default();
        assert_eq!(of(r#"{"a":"é",}"#), "not JSON: trailing comma: remove it (col 10)");
        assert_eq!(of("not json"), "not JSON: “not” is not a value: text must be in double quotes");
        assert_eq!(of("[1]"), "the row is a list instead of an object");
        assert_eq!(of("  "), "the line is empty");
        assert_eq!(of("\u{feff}{}"), "");
        assert_eq!(fault(b"{\"a\":\"\xff\"}").unwrap(), "invalid UTF-8 at byte 7");
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf =
            prop_oneof![any::<i32>().prop_map(Value::from), "[ -~é\"\\\\{}\\[\\],:]{0,12}".prop_map(Value::from)];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                proptest::collection::btree_map("[a-z]{0,6}", inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn nothing_but_blanks_is_changed(value in json(), width in 1_usize..80) {
            let text = value.to_string();
            let broken: String = lines(&text, width).iter().map(|line| line.trim_start_matches(' ')).collect();
            prop_assert_eq!(broken, text);
        }
    }
}
