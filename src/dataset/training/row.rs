//! What a piece of a training file is: a row, what is out of order about it, or why it is none.

use std::borrow::Cow;

use super::json::{Message, Messages, Object, Slot};
use super::source::{Input, Piece};
use super::spot;
use crate::dataset::texts::rows::Form;
use crate::record::training::{ProblemKind, RowForm, Source};

/// A row that can be learnt from, perhaps after repairs.
#[derive(Clone, Debug)]
pub(super) enum Row<'a> {
    Pair {
        prompt: Cow<'a, str>,
        completion: Cow<'a, str>,
    },
    Chat {
        /// The object as it stands.
        json: &'a str,
        /// Who says what.
        said: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    },
}

impl Row<'_> {
    /// Bytes of what is learnt.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Pair { prompt, completion } => prompt.len() + completion.len(),
            Self::Chat { said, .. } => said.iter().map(|(role, content)| role.len() + content.len()).sum(),
        }
    }

    /// The same row as it would be written: what makes it a duplicate of another.
    pub(super) fn json(&self) -> Cow<'_, str> {
        match self {
            Self::Pair { prompt, completion } => Cow::Owned(pair(prompt, completion)),
            Self::Chat { json, .. } => spot::compact(json),
        }
    }
}

/// A pair as a line of JSON, without its end.
pub(super) fn pair(prompt: &str, completion: &str) -> String {
    #[derive(serde::Serialize)]
    struct Pair<'a> {
        prompt: &'a str,
        completion: &'a str,
    }
    serde_json::to_string(&Pair { prompt, completion }).expect("two texts are JSON")
}

/// What a piece is found to be.
#[derive(Debug, Default)]
pub(super) struct Found<'a> {
    /// The row; `None`: it is none, or an empty line.
    pub(super) row: Option<Row<'a>>,
    /// Whether it is a line without anything.
    pub(super) blank: bool,
    /// Why it is no row, and cannot be made one.
    pub(super) bad: Option<Bad>,
    /// Whether keys are in other letter case.
    pub(super) cased: bool,
    /// Whether there are keys that do not belong there.
    pub(super) extra: bool,
    /// Whether values have to become text, or a prompt is missing.
    pub(super) as_text: bool,
    /// Whether there is nothing to learn in it.
    pub(super) empty: bool,
}

impl Found<'_> {
    fn bad(bad: Bad) -> Self {
        Self { bad: Some(bad), ..Self::default() }
    }

    /// Whether a job takes the row as it stands.
    pub(super) fn is_valid(&self) -> bool {
        self.row.is_some() && !self.cased && !self.as_text && !self.empty
    }
}

/// Why a piece is no row.
#[derive(Debug)]
pub(super) enum Bad {
    Long,
    Unclosed,
    /// The first byte that is not UTF-8.
    Encoding(usize),
    /// What the JSON reader said.
    Json(serde_json::Error),
    /// A table's row has more cells than there are columns.
    Cells(usize),
    /// It lacks the completion, or all keys.
    Missing(&'static str),
    /// A value that is no text.
    Type(&'static str),
    /// A key is there twice, or it is of both forms.
    Both(&'static str),
    /// It is of the form that most rows do not have.
    Other,
    /// What is wrong with a message, and with which.
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
}

impl Bad {
    pub(super) fn kind(&self) -> ProblemKind {
        match self {
            Self::Long => ProblemKind::TooLong,
            Self::Encoding(_) => ProblemKind::Encoding,
            Self::Json(_) => ProblemKind::NotJson,
            Self::Missing(_) | Self::Message(_, MessageFault::NoRole | MessageFault::NoContent) => {
                ProblemKind::MissingKey
            }
            Self::Type(_) | Self::Message(_, MessageFault::NoObject | MessageFault::Content) => ProblemKind::WrongType,
            Self::Unclosed | Self::Cells(_) | Self::Both(_) | Self::Other | Self::Message(_, MessageFault::Role) => {
                ProblemKind::Form
            }
        }
    }
}

/// What rows of a file are to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) form: RowForm,
    /// Whether the local service is to read them: it knows of no tools.
    pub(super) local: bool,
    /// Where a table has the prompts and the completions.
    pub(super) columns: (Option<usize>, Option<usize>),
}

impl Rules {
    /// Whether a message may be of this role.
    pub(super) fn takes(self, role: &str) -> bool {
        matches!(role, "system" | "developer" | "user" | "assistant")
            || (!self.local && matches!(role, "tool" | "function"))
    }
}

/// Looks at a piece.
pub(super) fn look<'a>(input: &Input, piece: &Piece<'a>, rules: Rules) -> Found<'a> {
    match piece.form {
        Form::Long => return Found::bad(Bad::Long),
        Form::Unclosed => return Found::bad(Bad::Unclosed),
        Form::Whole => {}
    }
    let text = match str::from_utf8(piece.bytes) {
        Ok(text) => text,
        Err(why) => return Found::bad(Bad::Encoding(why.valid_up_to())),
    };
    if text.trim_ascii().is_empty() {
        return Found { blank: true, ..Found::default() };
    }
    match input.source {
        Source::Jsonl | Source::Json => object(text, rules),
        Source::Txt => pair_of(Slot::Text(Cow::Borrowed("")), Slot::Text(Cow::Borrowed(text))),
        Source::Csv | Source::Tsv | Source::Xlsx => cells(input, piece.bytes, rules),
    }
}

fn cells<'a>(input: &Input, bytes: &[u8], rules: Rules) -> Found<'a> {
    let mut cells = input.cells(bytes);
    if input.source == Source::Xlsx && cells.iter().all(Vec::is_empty) {
        return Found { blank: true, ..Found::default() };
    }
    // A comma in a text without quotes would cut it.
    if cells.iter().skip(input.names.len()).any(|cell| !cell.trim_ascii().is_empty()) {
        return Found::bad(Bad::Cells(cells.len()));
    }
    // What is a part of valid UTF-8 between ASCII characters is valid.
    let mut take = |at: Option<usize>| {
        let cell = at.and_then(|at| cells.get_mut(at)).map(std::mem::take).unwrap_or_default();
        Slot::Text(Cow::Owned(String::from_utf8(cell).unwrap_or_default()))
    };
    pair_of(take(rules.columns.0), take(rules.columns.1))
}

fn object(text: &str, rules: Rules) -> Found<'_> {
    let object: Object<'_> = match serde_json::from_str(text) {
        Ok(object) => object,
        Err(why) => return Found::bad(Bad::Json(why)),
    };
    let pairs = object.prompt != Slot::Missing || object.completion != Slot::Missing;
    let (cased, extra) = (object.cased, object.extra || (object.beside && pairs));
    if object.twice {
        return Found::bad(Bad::Both("a key is there twice"));
    }
    let found = match (object.messages, pairs) {
        (Some(_), true) => Found::bad(Bad::Both("messages stand beside a prompt or a completion")),
        (None, false) if rules.form == RowForm::Chats => Found::bad(Bad::Missing("messages")),
        (None, false) => Found::bad(Bad::Missing("prompt and completion")),
        (None, true) if rules.form == RowForm::Chats => Found::bad(Bad::Other),
        (Some(_), false) if rules.form == RowForm::Pairs => Found::bad(Bad::Other),
        (Some(messages), false) => chat(text, messages, rules),
        (None, true) => pair_of(object.prompt, object.completion),
    };
    Found { cased, extra, ..found }
}

fn pair_of<'a>(prompt: Slot<'a>, completion: Slot<'a>) -> Found<'a> {
    let as_text = !matches!((&prompt, &completion), (Slot::Text(_), Slot::Text(_)));
    let prompt = match prompt {
        Slot::Text(text) => text,
        Slot::Plain(text) => text.into(),
        Slot::Missing => "".into(),
        Slot::Deep => return Found::bad(Bad::Type("prompt")),
    };
    let completion = match completion {
        Slot::Text(text) => text,
        Slot::Plain(text) => text.into(),
        Slot::Missing => return Found::bad(Bad::Missing("completion")),
        Slot::Deep => return Found::bad(Bad::Type("completion")),
    };
    let empty = completion.is_empty();
    Found { row: Some(Row::Pair { prompt, completion }), as_text, empty, ..Found::default() }
}

fn chat<'a>(json: &'a str, messages: Messages<'a>, rules: Rules) -> Found<'a> {
    let Messages::List(messages) = messages else { return Found::bad(Bad::Type("messages")) };
    let mut said = Vec::with_capacity(messages.len());
    let mut teaches = false;
    for (at, message) in messages.into_iter().enumerate() {
        match who(message, rules) {
            Err(fault) => return Found::bad(Bad::Message(at, fault)),
            Ok((role, content, calls)) => {
                teaches |= role == "assistant" && (!content.is_empty() || (calls && !rules.local));
                said.push((role, content));
            }
        }
    }
    Found { row: Some(Row::Chat { json, said }), empty: !teaches, ..Found::default() }
}

/// The role and the content of a message, and whether it calls something.
fn who(message: Message<'_>, rules: Rules) -> Result<(Cow<'_, str>, Cow<'_, str>, bool), MessageFault> {
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

/// What the rows of a file are, by its first rows; and where a table has its columns.
pub(super) fn rules(input: &Input, local: bool) -> Result<Rules, String> {
    /// Rows looked at.
    const LOOK: usize = 200;
    let mut rules = Rules { form: RowForm::Pairs, local, columns: (None, None) };
    if input.is_table() {
        let column = |name: &str| {
            let exact = input.names.iter().position(|column| column == name);
            exact.or_else(|| input.names.iter().position(|column| column.eq_ignore_ascii_case(name)))
        };
        rules.columns = (column("prompt"), column("completion"));
    } else if matches!(input.source, Source::Jsonl | Source::Json) {
        let (mut pairs, mut chats) = (0, 0);
        let mut pieces = input.pieces()?;
        for _ in 0..LOOK {
            let Ok(Some(piece)) = pieces.next() else { break };
            let object =
                str::from_utf8(piece.bytes).ok().and_then(|text| serde_json::from_str::<Object<'_>>(text).ok());
            if let Some(object) = object {
                chats += usize::from(object.messages.is_some());
                pairs += usize::from(object.prompt != Slot::Missing || object.completion != Slot::Missing);
            }
        }
        if chats > pairs {
            rules.form = RowForm::Chats;
        }
    }
    Ok(rules)
}
