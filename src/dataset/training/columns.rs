//! The columns of a file, a guess at their meaning, and rows made of them.

use std::borrow::Cow;
use std::collections::HashSet;

use super::json::{Object, Slot, meant};
use super::json_spans;
use super::raw_record::RawRecord;
use super::row::{ParsedRow, Row, RowFaults, pair_of};
use super::shorten::shorten;
use super::source::TrainingFile;
use crate::dataset::texts::rows::RowOutcome;
use crate::record::training::{Mapping, RowForm, SourceColumn, TrainingFormat};

/// Rows examined.
const LOOK: usize = 200;
/// Columns that are distinguished in a file of JSON.
const MOST: usize = 100;
/// Values shown of each column.
const SHOWN: usize = 3;
/// Names of columns by which they are taken, likeliest first.
const PROMPTS: &[&str] =
    &["prompt", "input", "question", "instruction", "text", "message", "body", "content", "description", "query"];
const COMPLETIONS: &[&str] = &[
    "completion",
    "output",
    "answer",
    "response",
    "label",
    "category",
    "class",
    "target",
    "queue",
    "intent",
    "chosen",
    "preferred_output",
];

/// What the first rows show about a file's columns and rows.
#[derive(Debug, Default)]
pub(super) struct ColumnSurvey {
    columns: Vec<Stat>,
    rows: usize,
    /// Rows with the keys of either form.
    pub(super) pairs: usize,
    pub(super) chats: usize,
    completions: usize,
    /// Rows with a preferred and a rejected answer.
    pub(super) preferences: usize,
}

#[derive(Debug)]
struct Stat {
    name: String,
    filled: usize,
    bytes: usize,
    distinct: HashSet<String>,
    shown: Vec<String>,
}

impl Stat {
    fn new(name: String) -> Self {
        Self { name, filled: 0, bytes: 0, distinct: HashSet::new(), shown: Vec::new() }
    }

    fn take(&mut self, value: &str) {
        let value = value.trim();
        if value.is_empty() {
            return;
        }
        self.filled += 1;
        self.bytes += value.len();
        let new = self.distinct.insert(shorten(value));
        if new && self.shown.len() < SHOWN {
            self.shown.push(shorten(value));
        }
    }

    /// Returns whether it has few different values, as labels have.
    fn is_labels(&self) -> bool {
        self.distinct.len() > 1 && self.distinct.len() * 3 < self.filled
    }
}

impl ColumnSurvey {
    /// Examines the first rows. Fails with a sentence if the file cannot be read.
    pub(super) fn new(input: &TrainingFile) -> Result<Self, String> {
        let mut look = Self { columns: unique(&input.names).into_iter().map(Stat::new).collect(), ..Self::default() };
        if !input.is_table() && !matches!(input.source, TrainingFormat::Jsonl | TrainingFormat::Json) {
            return Ok(look);
        }
        let mut pieces = input.pieces()?;
        for _ in 0..LOOK {
            let Ok(Some(piece)) = pieces.next() else { break };
            look.take(input, &piece);
        }
        Ok(look)
    }

    fn take(&mut self, input: &TrainingFile, piece: &RawRecord<'_>) {
        if piece.form != RowOutcome::Whole {
            return;
        }
        if input.is_table() {
            self.rows += 1;
            for (stat, cell) in self.columns.iter_mut().zip(input.cells(piece.bytes)) {
                stat.take(&String::from_utf8_lossy(&cell));
            }
            return;
        }
        let Ok(text) = str::from_utf8(piece.bytes) else { return };
        let Ok(object) = serde_json::from_str::<Object<'_>>(text) else { return };
        self.rows += 1;
        self.chats += usize::from(object.messages.is_some());
        self.completions += usize::from(object.completion != Slot::Missing);
        self.pairs += usize::from(object.prompt != Slot::Missing || object.completion != Slot::Missing);
        let members = json_spans::members(text, 0);
        let has = |name: &str| members.iter().any(|member| member.name == name);
        self.preferences +=
            usize::from((has("chosen") && has("rejected")) || (has("preferred_output") && has("non_preferred_output")));
        for member in &members {
            let at = self.columns.iter().position(|stat| stat.name == member.name).or_else(|| {
                (self.columns.len() < MOST).then(|| {
                    self.columns.push(Stat::new(member.name.to_string()));
                    self.columns.len() - 1
                })
            });
            if let Some(at) = at {
                self.columns[at].take(&value(&text[member.value.clone()]));
            }
        }
    }

    /// Returns the names of all columns.
    pub(super) fn names(&self) -> Vec<String> {
        self.columns.iter().map(|stat| stat.name.clone()).collect()
    }

    /// Returns the columns with some of their values.
    pub(super) fn columns(&self) -> Vec<SourceColumn> {
        let column = |stat: &Stat| SourceColumn {
            name: stat.name.clone().into(),
            values: stat.shown.iter().cloned().map(Into::into).collect(),
        };
        self.columns.iter().map(column).collect()
    }

    fn assigned(&self, prompt: Option<usize>, completion: Option<usize>) -> Mapping {
        let of = |at: Option<usize>| at.map(|at| format!("{{{}}}", self.columns[at].name)).unwrap_or_default();
        Mapping { columns: self.names(), prompt: of(prompt), completion: of(completion), ..Mapping::default() }
    }

    fn named(&self, name: &str) -> Option<usize> {
        let exact = self.columns.iter().position(|stat| stat.name == name);
        exact.or_else(|| self.columns.iter().position(|stat| stat.name.eq_ignore_ascii_case(name)))
    }

    /// Returns the columns named prompt and completion, as a mapping; `None`: the file has other names.
    pub(super) fn own(&self, table: bool) -> Option<(Mapping, (usize, usize))> {
        if let (Some(prompt), Some(completion)) = (self.named("prompt"), self.named("completion")) {
            return Some((self.assigned(Some(prompt), Some(completion)), (prompt, completion)));
        }
        let plain =
            self.pairs > 0 && (self.completions > 0 || self.columns.iter().all(|stat| meant(&stat.name).is_some()));
        (!table && plain).then(|| (self.assigned(self.named("prompt"), self.named("completion")), (0, 0)))
    }

    /// Guesses which column is the prompt and which the completion; `None`: there are no columns.
    pub(super) fn guess(&self) -> Option<Mapping> {
        let all = 0..self.columns.len();
        let known = |names: &[&str], not: Option<usize>| {
            names.iter().find_map(|name| self.named(name).filter(|at| Some(*at) != not))
        };
        let long = |at: &usize| self.columns[*at].bytes;
        // A column of labels is no prompt, whatever its name.
        let mut prompt = known(PROMPTS, None).filter(|at| !self.columns[*at].is_labels());
        let mut completion = known(COMPLETIONS, prompt);
        prompt = prompt.or_else(|| all.clone().filter(|at| Some(*at) != completion).max_by_key(long));
        let others = || all.clone().filter(|at| Some(*at) != prompt);
        completion = completion
            .or_else(|| {
                let few = others().filter(|at| self.columns[*at].is_labels());
                few.min_by_key(|at| self.columns[*at].distinct.len())
            })
            .or_else(|| others().max_by_key(long));
        // A single column is the completion.
        if completion.is_none() {
            completion = prompt.take();
        }
        completion.map(|completion| self.assigned(prompt, Some(completion)))
    }
}

/// Returns a unique name for each column of a table: `column 3` for one without a name, `name (2)` for one whose name
/// an earlier column has. So a name in a template stands for one column.
fn unique(names: &[String]) -> Vec<String> {
    let mut taken: HashSet<String> = names.iter().cloned().collect();
    let mut seen = HashSet::new();
    let mut free = |base: &str, from: usize| {
        let mut tried = (from..).map(|number| format!("{base} ({number})"));
        tried.find(|name| taken.insert(name.clone())).unwrap_or_default()
    };
    let mut all = Vec::with_capacity(names.len());
    for (at, name) in names.iter().enumerate() {
        let plain = if name.is_empty() { format!("column {}", at + 1) } else { name.clone() };
        let again = if name.is_empty() { names.contains(&plain) } else { !seen.insert(plain.clone()) };
        all.push(if again { free(&plain, 2) } else { plain });
    }
    all
}

/// Returns a JSON value as text: a string as it is, `null` as an empty text, anything else as JSON.
fn value(json: &str) -> Cow<'_, str> {
    match json.as_bytes().first() {
        Some(b'"') => serde_json::from_str::<String>(json).unwrap_or_default().into(),
        Some(b'n') => "".into(),
        _ => json_spans::compact(json),
    }
}

/// A mapping with its templates parsed.
#[derive(Debug)]
pub(super) struct ColumnMapping {
    names: Vec<String>,
    chat: bool,
    system: Vec<TemplatePart>,
    prompt: Vec<TemplatePart>,
    completion: Vec<TemplatePart>,
}

#[derive(Debug, PartialEq, Eq)]
enum TemplatePart {
    Text(String),
    Column(usize),
}

impl ColumnMapping {
    pub(super) fn new(mapping: &Mapping) -> Self {
        let parts = |template: &str| parts(template, &mapping.columns);
        Self {
            names: mapping.columns.clone(),
            chat: mapping.chat,
            system: parts(&mapping.system),
            prompt: parts(&mapping.prompt),
            completion: parts(&mapping.completion),
        }
    }

    pub(super) fn form(&self) -> RowForm {
        if self.chat { RowForm::Chats } else { RowForm::Pairs }
    }

    /// Returns the column that alone is the completion, so that places in it can be reported.
    pub(super) fn completion(&self) -> Option<usize> {
        match self.completion[..] {
            [TemplatePart::Column(at)] => Some(at),
            _ => None,
        }
    }

    /// Returns whether every prompt begins with a text of the template.
    pub(super) fn has_begin(&self) -> bool {
        matches!(self.prompt[..], [TemplatePart::Text(_), _, ..])
    }

    /// Returns the row of a JSON object.
    pub(super) fn object<'a>(&self, text: &str) -> ParsedRow<'a> {
        let members = json_spans::members(text, 0);
        let of = |name: &String| members.iter().rev().find(|member| member.name == *name);
        let values: Vec<_> =
            self.names.iter().map(|name| of(name).map_or("".into(), |at| value(&text[at.value.clone()]))).collect();
        self.row(&values)
    }

    /// Returns the row of a table's cells.
    pub(super) fn cells<'a>(&self, cells: &[Vec<u8>]) -> ParsedRow<'a> {
        let values: Vec<_> = cells.iter().map(|cell| String::from_utf8_lossy(cell)).collect();
        if values.iter().all(|value| value.trim().is_empty()) {
            return ParsedRow { blank: true, ..ParsedRow::default() };
        }
        self.row(&values)
    }

    fn row<'a>(&self, values: &[Cow<'_, str>]) -> ParsedRow<'a> {
        let (prompt, completion) = (fill(&self.prompt, values), fill(&self.completion, values));
        if !self.chat {
            return pair_of(Slot::Text(prompt.into()), Slot::Text(completion.into()));
        }
        let all = [("system", fill(&self.system, values)), ("user", prompt), ("assistant", completion)];
        let faults = RowFaults::EMPTY.when(all[2].1.is_empty());
        let said: Vec<_> = all.into_iter().filter(|(role, text)| *role != "system" || !text.is_empty()).collect();
        let messages: Vec<_> =
            said.iter().map(|(role, content)| serde_json::json!({"role": role, "content": content})).collect();
        let json = serde_json::json!({ "messages": messages }).to_string().into();
        let said = said.into_iter().map(|(role, text)| (role.into(), text.into())).collect();
        ParsedRow { row: Some(Row::Chat { json, said }), faults, ..ParsedRow::default() }
    }
}

/// Parses a template: `{name}` is a column if there is one of that name (the longest such name, as names may have
/// braces), anything else is text.
fn parts(template: &str, names: &[String]) -> Vec<TemplatePart> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut rest = template;
    while let Some(c) = rest.chars().next() {
        let begins = |name: &String| rest[1..].strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('}'));
        if c == '{'
            && let Some(at) = (0..names.len()).filter(|at| begins(&names[*at])).max_by_key(|at| names[*at].len())
        {
            if !text.is_empty() {
                parts.push(TemplatePart::Text(std::mem::take(&mut text)));
            }
            parts.push(TemplatePart::Column(at));
            rest = &rest[names[at].len() + 2..];
            continue;
        }
        text.push(c);
        rest = &rest[c.len_utf8()..];
    }
    if !text.is_empty() {
        parts.push(TemplatePart::Text(text));
    }
    parts
}

/// Fills a template with the values of its columns; empty if it has columns and all of them are blank.
fn fill(parts: &[TemplatePart], values: &[Cow<'_, str>]) -> String {
    let of = |at: &usize| values.get(*at).map_or("", |value| &**value);
    let mut columns =
        parts.iter().filter_map(|part| if let TemplatePart::Column(at) = part { Some(of(at)) } else { None });
    if columns.clone().next().is_some() && columns.all(|value| value.trim().is_empty()) {
        return String::new();
    }
    let part = |part: &TemplatePart| match part {
        TemplatePart::Text(text) => text.clone(),
        TemplatePart::Column(at) => of(at).to_owned(),
    };
    parts.iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_filled_and_unknown_names_are_text() {
        let names = ["Subject".to_owned(), "Text".to_owned()];
        let filled = |template: &str, values: [&str; 2]| fill(&parts(template, &names), &values.map(Cow::from));
        assert_eq!(filled("Subject: {Subject}\n{Text}", ["a", "b"]), "Subject: a\nb");
        assert_eq!(filled("{Other} {{Text}}", ["a", "b"]), "{Other} {b}");
        assert_eq!(filled("Subject: {Subject}\n{Text}", [" ", ""]), "");
        assert_eq!(filled("always é", ["", ""]), "always é");
    }

    #[test]
    fn every_column_has_a_name_of_its_own() {
        let names = |all: &[&str]| unique(&all.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(names(&["a", "", "a", "b", "a", ""]), ["a", "column 2", "a (2)", "b", "a (3)", "column 6"]);
        assert_eq!(names(&["a", "a (2)", "a", "", "column 4"]), ["a", "a (2)", "a (3)", "column 4 (2)", "column 4"]);
        let braces = ["a".to_owned(), "a}b".to_owned()];
        assert_eq!(parts("{a}b}", &braces), [TemplatePart::Column(1)]);
    }
}
