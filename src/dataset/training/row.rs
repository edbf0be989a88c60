//! The result of parsing a record of a training file: a row, its faults, or why it is none.

use std::borrow::Cow;
use std::collections::HashSet;

use super::columns::{ColumnMapping, ColumnSurvey};
use super::json::{KeyFaults, Messages, Object, RawMessage, Slot};
use super::json_spans;
use super::raw_record::RawRecord;
use super::source::TrainingFile;
use crate::dataset::texts::rows::RowOutcome;
use crate::record::training::{Mapping, ProblemKind, RowForm, TrainingFormat};

/// A row that can be trained on, perhaps after repairs.
#[derive(Clone, Debug)]
pub(super) enum Row<'a> {
    Pair {
        prompt: Cow<'a, str>,
        completion: Cow<'a, str>,
    },
    Chat {
        /// The object unchanged, or as it is made of columns.
        json: Cow<'a, str>,
        /// The messages.
        said: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    },
}

impl Row<'_> {
    /// Returns the bytes of the texts that are learned.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Pair { prompt, completion } => prompt.len() + completion.len(),
            Self::Chat { said, .. } => said.iter().map(|(role, content)| role.len() + content.len()).sum(),
        }
    }

    /// Returns the row as it would be written: two rows with the same JSON are duplicates.
    pub(super) fn json(&self) -> Cow<'_, str> {
        match self {
            Self::Pair { prompt, completion } => Cow::Owned(pair(prompt, completion)),
            Self::Chat { json, .. } => json_spans::compact(json),
        }
    }
}

/// Returns a pair as a line of JSON, without its end.
pub(super) fn pair(prompt: &str, completion: &str) -> String {
    #[derive(serde::Serialize)]
    struct Pair<'a> {
        prompt: &'a str,
        completion: &'a str,
    }
    serde_json::to_string(&Pair { prompt, completion }).expect("two texts are JSON")
}

/// The result of parsing a record.
#[derive(Debug, Default)]
pub(super) struct ParsedRow<'a> {
    /// The row; `None`: invalid, or an empty line.
    pub(super) row: Option<Row<'a>>,
    /// Whether it is a blank line.
    pub(super) blank: bool,
    /// Why it is invalid and cannot be repaired.
    pub(super) bad: Option<RowError>,
    pub(super) faults: RowFaults,
}

bitflags::bitflags! {
    /// What is wrong with a row that can be read.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(super) struct RowFaults: u8 {
        /// Keys are in other letter case.
        const KEY_CASE = 1;
        /// There are keys that do not belong there.
        const EXTRA_KEY = 1 << 1;
        /// Values have to become text, or a prompt is missing.
        const NOT_TEXT = 1 << 2;
        /// There is nothing to learn in it.
        const EMPTY = 1 << 3;
        /// A conversation ends with the user, to whom nobody answers.
        const UNANSWERED = 1 << 4;
    }
}

impl RowFaults {
    /// Returns this fault if the condition holds, else none.
    pub(super) fn when(self, so: bool) -> Self {
        if so { self } else { Self::empty() }
    }
}

impl<'a> ParsedRow<'a> {
    fn bad(bad: RowError) -> Self {
        Self { bad: Some(bad), ..Self::default() }
    }

    /// Returns the row, if it has no faults.
    pub(super) fn in_order(self) -> Option<Row<'a>> {
        if self.is_odd() { None } else { self.row }
    }

    /// Returns whether there is anything to report.
    pub(super) fn is_odd(&self) -> bool {
        self.bad.is_some() || !self.faults.is_empty()
    }

    /// Returns whether a job accepts the row as it is.
    pub(super) fn is_valid(&self) -> bool {
        self.row.is_some() && !self.faults.intersects(RowFaults::KEY_CASE | RowFaults::NOT_TEXT | RowFaults::EMPTY)
    }
}

/// Why a piece is no row.
#[derive(Debug)]
pub(super) enum RowError {
    Long,
    Unclosed,
    /// The first byte that is not UTF-8.
    Encoding(usize),
    /// The JSON parser's error.
    Json(serde_json::Error),
    /// A table's row has more cells than there are columns.
    Cells(usize),
    /// It lacks the completion, or all keys.
    Missing(&'static str),
    /// A value that is not text.
    Type(&'static str),
    /// A key occurs twice, or it has the keys of both forms.
    Both(&'static str),
    /// It has the form that most rows do not have.
    Other,
    /// The fault of a message, and which message.
    Message(usize, MessageFault),
}

/// What is wrong with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageFault {
    NoObject,
    NoRole,
    Role,
    NoContent,
    Content,
    /// A weight other than 0 or 1.
    Weight,
    /// `null` as content that is required.
    Null,
    /// It is the result of a call that does not exist.
    Answers,
    /// The arguments of a call are not JSON.
    Arguments,
    /// A function's result without the function's name.
    NoName,
    /// It is the last message, and the model does not answer it.
    Last,
}

impl RowError {
    pub(super) fn kind(&self) -> ProblemKind {
        match self {
            Self::Long => ProblemKind::TooLong,
            Self::Encoding(_) => ProblemKind::Encoding,
            Self::Json(_) | Self::Message(_, MessageFault::Arguments) => ProblemKind::NotJson,
            Self::Missing(_)
            | Self::Message(_, MessageFault::NoRole | MessageFault::NoContent | MessageFault::NoName) => {
                ProblemKind::MissingKey
            }
            Self::Type(_)
            | Self::Message(
                _,
                MessageFault::NoObject | MessageFault::Content | MessageFault::Weight | MessageFault::Null,
            ) => ProblemKind::WrongType,
            Self::Unclosed
            | Self::Cells(_)
            | Self::Both(_)
            | Self::Other
            | Self::Message(_, MessageFault::Role | MessageFault::Answers | MessageFault::Last) => ProblemKind::Form,
        }
    }
}

/// What the rows of a file should be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) form: RowForm,
    /// Whether the file is for the local service, which does not support tools.
    pub(super) local: bool,
    /// The columns of a table with the prompts and the completions.
    pub(super) columns: (Option<usize>, Option<usize>),
}

impl Rules {
    /// Returns whether a message may have this role.
    pub(super) fn takes(self, role: &str) -> bool {
        matches!(role, "system" | "developer" | "user" | "assistant")
            || (!self.local && matches!(role, "tool" | "function"))
    }
}

/// Parses a record.
pub(super) fn look<'a>(input: &TrainingFile, piece: &RawRecord<'a>, rules: Rules) -> ParsedRow<'a> {
    match piece.form {
        RowOutcome::Long => return ParsedRow::bad(RowError::Long),
        RowOutcome::Unclosed => return ParsedRow::bad(RowError::Unclosed),
        RowOutcome::Whole => {}
    }
    let text = match str::from_utf8(piece.bytes) {
        Ok(text) => text,
        Err(why) => return ParsedRow::bad(RowError::Encoding(why.valid_up_to())),
    };
    if text.trim_ascii().is_empty() {
        return ParsedRow { blank: true, ..ParsedRow::default() };
    }
    match input.source {
        TrainingFormat::Jsonl | TrainingFormat::Json => object(input, text, rules),
        TrainingFormat::Txt => pair_of(Slot::Text(Cow::Borrowed("")), Slot::Text(Cow::Borrowed(text))),
        TrainingFormat::Csv | TrainingFormat::Tsv | TrainingFormat::Xlsx => cells(input, piece.bytes, rules),
    }
}

fn cells<'a>(input: &TrainingFile, bytes: &[u8], rules: Rules) -> ParsedRow<'a> {
    let mut cells = input.cells(bytes);
    if input.source == TrainingFormat::Xlsx && cells.iter().all(Vec::is_empty) {
        return ParsedRow { blank: true, ..ParsedRow::default() };
    }
    // A comma in an unquoted text would cut it.
    if cells.iter().skip(input.names.len()).any(|cell| !cell.trim_ascii().is_empty()) {
        return ParsedRow::bad(RowError::Cells(cells.len()));
    }
    if let Some(fields) = &input.fields {
        return fields.cells(&cells);
    }
    // A part of valid UTF-8 between ASCII characters is valid.
    let mut take = |at: Option<usize>| {
        let cell = at.and_then(|at| cells.get_mut(at)).map(std::mem::take).unwrap_or_default();
        Slot::Text(Cow::Owned(String::from_utf8(cell).unwrap_or_default()))
    };
    pair_of(take(rules.columns.0), take(rules.columns.1))
}

fn object<'a>(input: &TrainingFile, text: &'a str, rules: Rules) -> ParsedRow<'a> {
    let object: Object<'_> = match serde_json::from_str(text) {
        Ok(object) => object,
        Err(why) => return ParsedRow::bad(RowError::Json(why)),
    };
    if let Some(fields) = &input.fields {
        return fields.object(text);
    }
    let pairs = object.prompt != Slot::Missing || object.completion != Slot::Missing;
    let unknown = if pairs { KeyFaults::EXTRA | KeyFaults::BESIDE } else { KeyFaults::EXTRA };
    let faults = RowFaults::KEY_CASE.when(object.keys.contains(KeyFaults::CASE))
        | RowFaults::EXTRA_KEY.when(object.keys.intersects(unknown));
    if object.keys.contains(KeyFaults::TWICE) {
        return ParsedRow::bad(RowError::Both("a key appears twice"));
    }
    let found = match (object.messages, pairs) {
        (Some(_), true) => ParsedRow::bad(RowError::Both("the row has messages as well as a prompt or a completion")),
        (None, false) if rules.form == RowForm::Chats => ParsedRow::bad(RowError::Missing("messages")),
        (None, false) => ParsedRow::bad(RowError::Missing("prompt and completion")),
        (None, true) if rules.form == RowForm::Chats => ParsedRow::bad(RowError::Other),
        (Some(_), false) if rules.form == RowForm::Pairs => ParsedRow::bad(RowError::Other),
        (Some(messages), false) => chat(text, messages, rules),
        (None, true) => pair_of(object.prompt, object.completion),
    };
    ParsedRow { faults: faults | found.faults, ..found }
}

/// Returns the row of a prompt and a completion.
pub(super) fn pair_of<'a>(prompt: Slot<'a>, completion: Slot<'a>) -> ParsedRow<'a> {
    let as_text = !matches!((&prompt, &completion), (Slot::Text(_), Slot::Text(_)));
    let prompt = match prompt {
        Slot::Text(text) => text,
        Slot::Plain(text) => text.into(),
        Slot::Missing => "".into(),
        Slot::Deep => return ParsedRow::bad(RowError::Type("prompt")),
    };
    let completion = match completion {
        Slot::Text(text) => text,
        Slot::Plain(text) => text.into(),
        Slot::Missing => return ParsedRow::bad(RowError::Missing("completion")),
        Slot::Deep => return ParsedRow::bad(RowError::Type("completion")),
    };
    let faults = RowFaults::NOT_TEXT.when(as_text) | RowFaults::EMPTY.when(completion.is_empty());
    ParsedRow { row: Some(Row::Pair { prompt, completion }), faults, ..ParsedRow::default() }
}

fn chat<'a>(json: &'a str, messages: Messages<'a>, rules: Rules) -> ParsedRow<'a> {
    let Messages::List(messages) = messages else { return ParsedRow::bad(RowError::Type("messages")) };
    let mut said = Vec::with_capacity(messages.len());
    let mut teaches = false;
    let mut calls_made = HashSet::new();
    for (at, message) in messages.into_iter().enumerate() {
        if let Some(fault) = odd(&message, &mut calls_made) {
            return ParsedRow::bad(RowError::Message(at, fault));
        }
        match who(message, rules) {
            Err(fault) => return ParsedRow::bad(RowError::Message(at, fault)),
            Ok((role, content, calls)) => {
                teaches |= role == "assistant" && (!content.is_empty() || (calls && !rules.local));
                said.push((role, content));
            }
        }
    }
    let unanswered = teaches && said.last().is_some_and(|(role, _)| role == "user");
    let faults = RowFaults::EMPTY.when(!teaches) | RowFaults::UNANSWERED.when(unanswered);
    ParsedRow { row: Some(Row::Chat { json: json.into(), said }), faults, ..ParsedRow::default() }
}

/// Returns what is wrong with a message besides its role and content; notes the calls in it.
fn odd(message: &RawMessage<'_>, calls: &mut HashSet<String>) -> Option<MessageFault> {
    let is_role = |name: &str| matches!(&message.role, Slot::Text(role) if role == name);
    match &message.weight {
        Slot::Missing => {}
        // `null` counts as missing.
        Slot::Plain(weight) if matches!(weight.as_str(), "" | "0" | "1") => {}
        _ => return Some(MessageFault::Weight),
    }
    if matches!(message.content, Slot::Plain(_)) && !is_role("assistant") {
        return Some(MessageFault::Null);
    }
    if is_role("function") && !matches!(&message.name, Slot::Text(name) if !name.is_empty()) {
        return Some(MessageFault::NoName);
    }
    if let Slot::Text(id) = &message.answers
        && !calls.contains(&**id)
    {
        return Some(MessageFault::Answers);
    }
    let of_list = |made: &serde_json::Value| made.as_array().map_or_else(|| vec![made.clone()], Clone::clone);
    for call in message.made.iter().flat_map(of_list) {
        if let Some(id) = call.get("id").and_then(serde_json::Value::as_str) {
            calls.insert(id.to_owned());
        }
        // The older form has them in the call itself.
        let arguments = call.get("function").unwrap_or(&call).get("arguments");
        let is_json = |text: &str| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        if arguments.is_some_and(|arguments| !arguments.as_str().is_some_and(is_json)) {
            return Some(MessageFault::Arguments);
        }
    }
    None
}

/// Returns the role and the content of a message, and whether it has calls.
fn who(message: RawMessage<'_>, rules: Rules) -> Result<(Cow<'_, str>, Cow<'_, str>, bool), MessageFault> {
    if message.other {
        return Err(MessageFault::NoObject);
    }
    let role = match message.role {
        Slot::Text(role) if rules.takes(&role) => role,
        Slot::Missing => return Err(MessageFault::NoRole),
        _ => return Err(MessageFault::Role),
    };
    let content = match message.content {
        Slot::Text(text) => text,
        Slot::Plain(_) => "".into(),
        Slot::Missing if message.calls || rules.local => "".into(),
        Slot::Missing => return Err(MessageFault::NoContent),
        Slot::Deep => return Err(MessageFault::Content),
    };
    Ok((role, content, message.calls))
}

/// Determines the form of a file's rows from the first of them, and the meaning of its columns: by the first mapping
/// for these columns, else by their names, else by a guess. Fails with a sentence if the file cannot be read.
pub(super) fn rules(input: &mut TrainingFile, local: bool, mappings: &[Mapping]) -> Result<Rules, String> {
    let mut rules = Rules { form: RowForm::Pairs, local, columns: (None, None) };
    let look = ColumnSurvey::new(input)?;
    if look.chats > look.pairs {
        rules.form = RowForm::Chats;
        return Ok(rules);
    }
    let names = look.names();
    let own = look.own(input.is_table());
    let known = mappings.iter().find(|mapping| mapping.columns == names).cloned();
    input.columns = look.columns();
    input.preferences = look.preferences > 0;
    input.guessed = known.is_none() && own.is_none() && !names.is_empty();
    input.mapping = known.or_else(|| own.as_ref().map(|(own, _)| own.clone())).or_else(|| look.guess());
    match (&input.mapping, own) {
        (Some(mapping), Some((own, (prompt, completion)))) if *mapping == own => {
            rules.columns = (Some(prompt), Some(completion));
        }
        (Some(mapping), _) => {
            let fields = ColumnMapping::new(mapping);
            rules.form = fields.form();
            input.fields = Some(fields);
        }
        (None, _) => {}
    }
    Ok(rules)
}
