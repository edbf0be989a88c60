//! The texts that a command works on, one after the other: arguments, a file, standard input.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::input;
use crate::dataset::{TextInput, TextReader};
use crate::record::work::{Layout, LeftOut};
use crate::text::Untrusted;
use crate::ui::rule::cut;

/// The fewest columns of a text in a line for a person.
const LEAST: usize = 10;

/// Flags that say where texts come from.
#[derive(Clone, Debug, Args)]
pub(crate) struct TextArgs {
    /// A text; without one, and for an argument -, standard input is read, one text a line
    #[arg(value_name = "TEXT")]
    pub(crate) texts: Vec<String>,
    /// File of texts, or a pipe, instead of arguments
    #[arg(long, value_name = "FILE", conflicts_with_all = ["texts", "whole"])]
    pub(crate) file: Option<PathBuf>,
    /// Form of the file or of standard input; that of a file is guessed without this
    #[arg(long, value_enum, value_name = "FORM", conflicts_with = "whole")]
    pub(crate) form: Option<TextForm>,
    /// Column of a table, or field of JSON Lines, that has the texts
    #[arg(long, value_name = "NAME", conflicts_with = "whole")]
    pub(crate) column: Option<String>,
    /// Take all of standard input as one text
    #[arg(long)]
    pub(crate) whole: bool,
}

/// The form of a file of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TextForm {
    /// One text a line.
    Lines,
    /// A JSON value a line.
    Jsonl,
    /// A table, its cells separated by commas or semicolons.
    Csv,
    /// A table, its cells separated by tabs.
    Tsv,
}

impl From<TextForm> for Layout {
    fn from(form: TextForm) -> Self {
        match form {
            TextForm::Lines => Self::Lines,
            TextForm::Jsonl => Self::Jsonl,
            TextForm::Csv => Self::Csv,
            TextForm::Tsv => Self::Tsv,
        }
    }
}

/// Where texts come from.
#[derive(Debug)]
enum TextSource {
    Text(String),
    File(Box<TextReader>),
}

/// Texts, one after the other.
#[derive(Debug)]
pub(super) struct Texts {
    sources: VecDeque<TextSource>,
    /// Texts in all, those included that will be left out; `None`: not known.
    total: Option<u64>,
    /// What was left out of files that are read.
    left_out: Vec<LeftOut>,
}

impl TextArgs {
    /// Opens the texts. Standard input and pipes are copied to a file without a name, whatever their length.
    ///
    /// # Errors
    /// There are none, or they cannot be read; a sentence.
    pub(super) fn open(&self) -> Result<Texts, String> {
        let reads = self.file.is_some() || self.texts.is_empty() || self.texts.iter().any(|text| text == "-");
        let flags = [("--column", self.column.is_some()), ("--form", self.form.is_some()), ("--whole", self.whole)];
        if let Some((flag, _)) = flags.into_iter().find(|(_, is_given)| *is_given && !reads) {
            return Err(format!("{flag} is about texts that are read, and all texts are arguments: remove it"));
        }
        if self.column.is_some() && self.form == Some(TextForm::Lines) {
            return Err("--column: lines have no columns; name another --form, or remove it".to_owned());
        }
        let mut sources = VecDeque::new();
        if let Some(file) = &self.file {
            sources.push_back(self.file_or_pipe(file)?);
        } else if self.texts.is_empty() {
            if io::stdin().is_terminal() {
                return Err("give texts as arguments, on standard input or with --file".to_owned());
            }
            sources.push_back(self.standard_input()?);
        }
        if self.texts.iter().filter(|text| *text == "-").count() > 1 {
            return Err("standard input can be read only once: give - only once".to_owned());
        }
        for text in &self.texts {
            sources.push_back(match text.as_str() {
                "-" => self.standard_input()?,
                blank if blank.trim().is_empty() => return Err("an argument has no text".to_owned()),
                text => TextSource::Text(text.to_owned()),
            });
        }
        let count = |source: &TextSource| match source {
            TextSource::Text(_) => Some(1),
            TextSource::File(reader) => reader.count(),
        };
        let total = sources.iter().map(count).sum();
        Ok(Texts { sources, total, left_out: Vec::new() })
    }

    fn standard_input(&self) -> Result<TextSource, String> {
        if self.whole {
            return Ok(TextSource::Text(input::text(&["-".to_owned()], "standard input")?));
        }
        let name = "standard input";
        let file = input::copy_of(io::stdin().lock(), name)?;
        // A line that looks like JSON is a text all the same, unless a column is named.
        let usual = self.column.is_none().then_some(Layout::Lines);
        self.reader(&TextInput::Copy(file, name.into()), usual)
    }

    /// Opens the file of `--file`. What can be read only once is copied: the form is guessed from it before it is read.
    fn file_or_pipe(&self, path: &Path) -> Result<TextSource, String> {
        if !input::is_read_once(path) {
            return self.reader(&TextInput::Path(path.to_owned()), None);
        }
        let shown = path.display().to_string();
        // A pipe that nobody writes to is waited for, which a signal ends.
        let pipe = File::open(path).map_err(|why| format!("{shown} cannot be read: {why}"))?;
        self.reader(&TextInput::Copy(input::copy_of(pipe, &shown)?, path.to_owned()), None)
    }

    fn reader(&self, input: &TextInput, usual: Option<Layout>) -> Result<TextSource, String> {
        let form = self.form.map(Layout::from).or(usual);
        Ok(TextSource::File(Box::new(TextReader::choose(input, form, self.column.as_deref())?)))
    }
}

impl Texts {
    /// Returns one text.
    pub(super) fn one(text: String) -> Self {
        Self { sources: VecDeque::from([TextSource::Text(text)]), total: Some(1), left_out: Vec::new() }
    }

    /// Returns the next text; `None`: there are no more.
    ///
    /// # Errors
    /// A file cannot be read; a sentence.
    pub(super) fn next_text(&mut self) -> Result<Option<Untrusted>, String> {
        while let Some(source) = self.sources.front_mut() {
            match source {
                TextSource::Text(text) => {
                    let text = std::mem::take(text);
                    self.sources.pop_front();
                    return Ok(Some(text.into()));
                }
                TextSource::File(reader) => match reader.next_text()? {
                    Some(text) => return Ok(Some(text.text)),
                    None => self.left_out.push(reader.left_out().clone()),
                },
            }
            self.sources.pop_front();
        }
        Ok(None)
    }

    /// Returns how many texts there are in all, as far as is known by now; `None`: not known.
    pub(super) fn total(&self) -> Option<u64> {
        let reading = self.sources.front().and_then(|source| match source {
            TextSource::Text(_) => None,
            TextSource::File(reader) => Some(reader.left_out()),
        });
        let left_out: u64 = self.left_out.iter().chain(reading).map(|left_out| left_out.refused).sum();
        Some(self.total?.saturating_sub(left_out))
    }

    /// Returns what was left out, a sentence for each reason.
    pub(super) fn left_out(&self) -> impl Iterator<Item = String> {
        self.left_out.iter().flat_map(LeftOut::by_reason)
    }

    /// Returns whether rows could not be read.
    pub(super) fn is_faulty(&self) -> bool {
        self.left_out.iter().any(|left_out| left_out.refused > 0 || left_out.cut.is_some())
    }
}

/// Returns a text on one line for a person, cut to so many columns, but not to so few that nothing of it is left.
pub(super) fn one_line(text: &Untrusted, columns: usize) -> String {
    cut(&text.line(), columns.max(LEAST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_keeps_some_columns_however_few_there_are() {
        let text = Untrusted::from("one\ntwo three four");
        assert_eq!(one_line(&text, 0), one_line(&text, LEAST));
        assert!(one_line(&text, 0).starts_with("one"));
        assert_eq!(one_line(&text, 80), text.line());
    }
}
