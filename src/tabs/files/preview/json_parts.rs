//! The parts of a JSON row as it is shown, for its colours.
//!
//! Listings are coloured by `syntect` on a work thread, each as a whole. These rows are laid out first, may begin and
//! end within a string of a huge file, and are coloured while they are drawn: one pass over their characters does it.

use ratatui::style::Style;

use crate::ui::theme::Theme;

/// A kind of part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonPart {
    /// Brackets, commas, colons.
    Sign,
    Key,
    Text,
    Number,
    /// `true`, `false`, `null`.
    Word,
}

impl JsonPart {
    /// Returns how it looks.
    pub(super) fn style(self, theme: &Theme) -> Style {
        match self {
            Self::Sign => theme.muted,
            Self::Key => theme.code_keyword,
            Self::Text => theme.code_string,
            Self::Number => theme.series[0],
            Self::Word => theme.series[1],
        }
    }
}

/// The parts of a line: where each begins.
pub(super) type LineParts = Vec<(usize, JsonPart)>;

/// Returns the parts of each line of a JSON value, which may end anywhere: a string continues in the next line.
pub(super) fn parts(lines: &[String]) -> Vec<LineParts> {
    let mut reader = PartReader::default();
    lines.iter().map(|line| reader.line(line)).collect()
}

/// Reads a value line by line.
#[derive(Default)]
struct PartReader {
    /// The containers that are open: whether each is an object.
    open: Vec<bool>,
    /// Whether what comes next in an object is a key.
    key: bool,
    /// The string that is open, if any.
    text: Option<JsonPart>,
    /// Whether the next character of the string is escaped.
    escaped: bool,
}

impl PartReader {
    fn line(&mut self, line: &str) -> LineParts {
        let mut parts: LineParts = Vec::new();
        for (at, char) in line.char_indices() {
            let Some(part) = self.part(char) else { continue };
            let exponent = matches!(char, 'e' | 'E') && parts.last().is_some_and(|(_, last)| *last == JsonPart::Number);
            if !exponent && parts.last().is_none_or(|(_, last)| *last != part) {
                parts.push((at, part));
            }
        }
        parts
    }

    /// Returns what a character belongs to; `None`: a blank, which looks like what is before it.
    fn part(&mut self, char: char) -> Option<JsonPart> {
        if let Some(part) = self.text {
            let ends = char == '"' && !self.escaped;
            self.escaped = char == '\\' && !self.escaped;
            if ends {
                self.text = None;
            }
            return Some(part);
        }
        match char {
            '"' => {
                let part = if self.key { JsonPart::Key } else { JsonPart::Text };
                self.text = Some(part);
                Some(part)
            }
            '{' | '[' => {
                self.open.push(char == '{');
                self.key = char == '{';
                Some(JsonPart::Sign)
            }
            '}' | ']' => {
                self.open.pop();
                self.key = false;
                Some(JsonPart::Sign)
            }
            ',' => {
                self.key = self.open.last().is_some_and(|object| *object);
                Some(JsonPart::Sign)
            }
            ':' => {
                self.key = false;
                Some(JsonPart::Sign)
            }
            ' ' => None,
            '-' | '+' | '.' | '0'..='9' => Some(JsonPart::Number),
            _ => Some(JsonPart::Word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts_of(lines: &[&str]) -> Vec<Vec<(String, JsonPart)>> {
        let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        let of = |(line, parts): (&String, &LineParts)| {
            let ends = parts.iter().skip(1).map(|part| part.0).chain([line.len()]);
            parts.iter().zip(ends).map(|(part, end)| (line[part.0..end].trim().to_owned(), part.1)).collect()
        };
        lines.iter().zip(&parts(&lines)).map(of).collect()
    }

    #[test]
    fn keys_and_values_are_told_apart() {
        use JsonPart::{Key, Number, Sign, Text, Word};
        let words = [r#"{"a": -1.5, "b": ["x", {"c": null}], "d": "\"}"}"#];
        let found = parts_of(&words).remove(0);
        let found: Vec<(&str, JsonPart)> = found.iter().map(|(words, part)| (words.as_str(), *part)).collect();
        let expected = [
            ("{", Sign),
            (r#""a""#, Key),
            (":", Sign),
            ("-1.5", Number),
            (",", Sign),
            (r#""b""#, Key),
            (": [", Sign),
            (r#""x""#, Text),
            (", {", Sign),
            (r#""c""#, Key),
            (":", Sign),
            ("null", Word),
            ("}],", Sign),
            (r#""d""#, Key),
            (":", Sign),
            (r#""\"}""#, Text),
            ("}", Sign),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_string_goes_on_in_the_next_line() {
        let found = parts_of(&[r#"{"prompt": "a long"#, "   sentence, 12: {", r#"   with its end"}"#]);
        assert_eq!(found[1], [("sentence, 12: {".to_owned(), JsonPart::Text)]);
        assert_eq!(found[2].last(), Some(&("}".to_owned(), JsonPart::Sign)));
    }
}
