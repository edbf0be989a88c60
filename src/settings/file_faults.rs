//! What is wrong in a TOML file of settings, as sentences that name file and line.

use toml_edit::Document;

use super::limits;
use super::toml_values::{Span, line_and_column};

/// What is wrong in a file: the first faults as sentences, and how many more there are.
#[derive(Debug)]
pub(super) struct FileFaults<'a> {
    /// How the sentences name the file.
    file: &'a str,
    text: &'a str,
    sentences: Vec<String>,
    unlisted: usize,
}

impl<'a> FileFaults<'a> {
    pub(super) fn new(file: &'a str, text: &'a str) -> Self {
        Self { file, text, sentences: Vec::new(), unlisted: 0 }
    }

    /// Parses the file. `None`: it is not TOML, which becomes a fault that ends with what follows from that.
    pub(super) fn parse(&mut self, consequence: &str) -> Option<Document<&'a str>> {
        match Document::parse(self.text) {
            Ok(document) => Some(document),
            Err(error) => {
                let (line, column) = error.span().map_or((1, 1), |span| line_and_column(self.text, span.start));
                let what = error.message().lines().next().unwrap_or_default();
                let file = self.file;
                self.sentences.push(format!("{file}, line {line}, column {column}: {what}; {consequence}"));
                None
            }
        }
    }

    /// Returns the line of a part of the text; 1: it has none.
    pub(super) fn line(&self, span: Span) -> usize {
        span.map_or(1, |span| line_and_column(self.text, span.start).0)
    }

    /// Adds a fault of a part of the text.
    pub(super) fn add(&mut self, span: Span, what: &str) {
        if self.sentences.len() >= limits::CONFIG_WARNINGS {
            self.unlisted += 1;
            return;
        }
        self.sentences.push(format!("{}, line {}: {what}", self.file, self.line(span)));
    }

    /// Returns the sentences, the last of which says how many are left out, if any.
    pub(super) fn into_sentences(mut self) -> Vec<String> {
        if self.unlisted > 0 {
            self.sentences.push(format!("{}: {} more faults are not listed", self.file, self.unlisted));
        }
        self.sentences
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_name_their_line_and_many_are_counted() {
        let text = "a = 1\nb = 2\n";
        let mut faults = FileFaults::new("x.toml", text);
        let document = faults.parse("nothing is used").unwrap();
        for _ in 0..limits::CONFIG_WARNINGS + 2 {
            faults.add(document.get("b").and_then(toml_edit::Item::span), "b is wrong");
        }
        let all = faults.into_sentences();
        assert_eq!(all.len(), limits::CONFIG_WARNINGS + 1);
        assert_eq!(
            (all[0].as_str(), all[limits::CONFIG_WARNINGS].as_str()),
            ("x.toml, line 2: b is wrong", "x.toml: 2 more faults are not listed")
        );
    }

    #[test]
    fn what_is_not_toml_is_one_fault_with_its_place_and_what_follows() {
        let mut faults = FileFaults::new("x.toml", "a = 1\nb = \n");
        assert!(faults.parse("nothing is used").is_none());
        let all = faults.into_sentences();
        assert_eq!(all.len(), 1);
        assert!(all[0].starts_with("x.toml, line 2, column ") && all[0].ends_with("; nothing is used"), "{all:?}");
    }
}
