//! Problems as sentences, with their line and column.

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::columns::ColumnMapping;
use super::json::{BESIDE, meant};
use super::json_spans::{self, Member};
use super::raw_record::RawRecord;
use super::row::{MessageFault, ParsedRow, Row, RowError, RowFaults, Rules};
use super::source::TrainingFile;
use crate::dataset::lines;
use crate::record::training::{Problem, ProblemKind, RowForm, TrainingFormat};

/// Characters of a key or a role that are quoted.
const NAMED: usize = 40;

/// Returns the problems of a record, each kind once, in the order of the columns.
pub(super) fn problems(
    input: &TrainingFile,
    piece: &RawRecord<'_>,
    found: &ParsedRow<'_>,
    rules: Rules,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    let text = str::from_utf8(piece.bytes).unwrap_or_default();
    let mut add = |kind, at: usize, words: String| problems.push(problem(input, piece, kind, at, words));
    if let Some(bad) = &found.bad {
        let (at, words) = bad_words(input, piece, text, bad, rules);
        add(bad.kind(), at, words);
    }
    let members = if found.faults.intersects(RowFaults::KEY_CASE | RowFaults::EXTRA_KEY) {
        json_spans::members(text, 0)
    } else {
        Vec::new()
    };
    if found.faults.contains(RowFaults::KEY_CASE)
        && let Some(member) = members.iter().find(|member| meant(&member.name).is_some_and(|key| key != member.name))
    {
        let meant = meant(&member.name).unwrap_or_default();
        add(ProblemKind::KeyCase, member.key.start, format!("the key “{}” should be “{meant}”", cut(&member.name)));
    }
    if found.faults.contains(RowFaults::EXTRA_KEY)
        && let Some(member) = members.iter().find(|member| is_extra(member, rules))
    {
        add(ProblemKind::ExtraKey, member.key.start, format!("the key “{}” is unknown", cut(&member.name)));
    }
    if found.faults.contains(RowFaults::NOT_TEXT) {
        let (kind, at, words) = text_words(text);
        add(kind, at, words);
    }
    if found.faults.contains(RowFaults::EMPTY) {
        match &found.row {
            Some(Row::Chat { .. }) => {
                let at = member(text, "messages").map_or(0, |member| member.value.start);
                let words = "no assistant message has any content: there is nothing to learn";
                add(ProblemKind::Empty, at, words.to_owned());
            }
            _ => {
                let column = input.fields.as_ref().map_or(rules.columns.1, ColumnMapping::completion);
                let at = match (input.is_table(), column) {
                    (true, Some(column)) => cell(input, piece, column),
                    _ => member(text, "completion").map_or(0, |member| member.value.start),
                };
                add(ProblemKind::Empty, at, "the completion is empty".to_owned());
            }
        }
    }
    if found.faults.contains(RowFaults::UNANSWERED)
        && let Some(Row::Chat { said, .. }) = &found.row
    {
        let (at, words) = message_words(text, said.len() - 1, MessageFault::Last, rules);
        add(ProblemKind::Form, at, words);
    }
    problems.sort_by_key(|problem| (problem.line, problem.column));
    problems
}

/// Returns a problem at a byte of a record.
pub(super) fn problem(
    input: &TrainingFile,
    piece: &RawRecord<'_>,
    kind: ProblemKind,
    at: usize,
    words: String,
) -> Problem {
    let (mut line, mut column) = piece.place(at);
    if input.source == TrainingFormat::Xlsx {
        line = piece.line;
        column = input.cell_starts(piece.bytes).iter().filter(|start| **start <= at).count().max(1) as u64;
    }
    Problem { line, column, at: input.place(piece.at), kind, words: words.into() }
}

fn bad_words(input: &TrainingFile, piece: &RawRecord<'_>, text: &str, bad: &RowError, rules: Rules) -> (usize, String) {
    let begins = text.len() - text.trim_ascii_start().len();
    match bad {
        RowError::Long if input.is_table() => {
            (0, "the row is longer than 8 MiB; perhaps a quote is never closed".to_owned())
        }
        RowError::Long => (0, "the row is longer than 8 MiB".to_owned()),
        RowError::Unclosed if input.source == TrainingFormat::Json => {
            let words = "a quote or brace is not closed before the end of the file: the rows after it are not read";
            (begins, words.to_owned())
        }
        RowError::Unclosed => (0, "a quote is not closed before the end of the file".to_owned()),
        RowError::Encoding(at) => {
            let byte = piece.bytes.get(*at).copied().unwrap_or_default();
            (*at, format!("byte {} of the row, 0x{byte:02X}, is not UTF-8", at + 1))
        }
        RowError::Json(why) => json_words(text, why),
        RowError::Cells(cells) => {
            let at = cell(input, piece, input.names.len());
            let s = if *cells == 1 { "" } else { "s" };
            (at, format!("the row has {cells} cell{s}, but there are {} columns", input.names.len()))
        }
        RowError::Missing(keys) => {
            let words = match *keys {
                "completion" => "there is no “completion”",
                "messages" => "there is no “messages”",
                _ => "there is no “prompt” with “completion”, and no “messages”",
            };
            (begins, words.to_owned())
        }
        RowError::Type(key) => {
            let member = member(text, key);
            let what = member.as_ref().map_or("no text", |member| kind_of(&text[member.value.clone()]));
            let wanted = if *key == "messages" { "a list" } else { "text" };
            (member.map_or(begins, |member| member.value.start), format!("{key} is {what}, not {wanted}"))
        }
        RowError::Both(words) => (begins, (*words).to_owned()),
        RowError::Other => {
            let words = match rules.form {
                RowForm::Pairs => "the row has messages, but most rows have a prompt and a completion",
                RowForm::Chats => "the row has a prompt or a completion, but most rows have messages",
            };
            (begins, words.to_owned())
        }
        RowError::Message(which, fault) => message_words(text, *which, *fault, rules),
    }
}

fn message_words(text: &str, which: usize, fault: MessageFault, rules: Rules) -> (usize, String) {
    let messages = member(text, "messages").map_or(0, |member| member.value.start);
    let at = json_spans::elements(text, messages).get(which).map_or(messages, |range| range.start);
    let of = |key: &str| json_spans::members(text, at).into_iter().rev().find(|member| member.name == key);
    let value = |member: &Option<Member<'_>>| {
        member.as_ref().map_or((at, ""), |member| (member.value.start, &text[member.value.clone()]))
    };
    match fault {
        MessageFault::NoObject => (at, format!("messages[{which}] is {}, not an object", kind_of(&text[at..]))),
        MessageFault::NoRole => (at, format!("messages[{which}] has no “role”")),
        MessageFault::NoContent => (at, format!("messages[{which}] has no “content”")),
        MessageFault::NoName => (at, format!("messages[{which}] is a function message without a “name”")),
        MessageFault::Last => {
            (at, format!("messages[{which}] is the last message and from the user: it has no answer"))
        }
        MessageFault::Weight => {
            let (at, weight) = value(&of("weight"));
            (at, format!("messages[{which}].weight is {}: it must be 0 or 1", cut(weight)))
        }
        MessageFault::Null => (value(&of("content")).0, format!("messages[{which}].content is null, not text")),
        MessageFault::Answers => {
            let (at, id) = value(&of("tool_call_id"));
            (at, format!("messages[{which}].tool_call_id is {}: no earlier call has that id", cut(id)))
        }
        MessageFault::Arguments => {
            let call = of("tool_calls").or_else(|| of("function_call"));
            (value(&call).0, format!("messages[{which}] has a call whose arguments are not JSON"))
        }
        MessageFault::Role => {
            let (at, role) = value(&of("role"));
            let roles = if rules.local { "" } else { ", tool" };
            let words = "it must be system, developer, user, assistant";
            (at, format!("messages[{which}].role is {}: {words}{roles}", cut(role)))
        }
        MessageFault::Content => {
            let (at, content) = value(&of("content"));
            let what = if content.starts_with('[') { "a list with parts that are not text" } else { kind_of(content) };
            (at, format!("messages[{which}].content is {what}, not text"))
        }
    }
}

/// Returns the words for what has to become text.
fn text_words(text: &str) -> (ProblemKind, usize, String) {
    for key in ["prompt", "completion"] {
        if let Some(member) = member(text, key) {
            let value = &text[member.value.clone()];
            if !value.starts_with('"') {
                let words = format!("{key} is {}, not text", kind_of(value));
                return (ProblemKind::WrongType, member.value.start, words);
            }
        }
    }
    let begins = text.len() - text.trim_ascii_start().len();
    (ProblemKind::MissingKey, begins, "there is no “prompt”".to_owned())
}

/// Returns the kind of problem that [`text_words`] would report, without its place.
pub(super) fn text_kind(text: &str) -> ProblemKind {
    text_words(text).0
}

/// Returns why a text is not a JSON object, and the byte at fault; `None`: it is one.
pub(crate) fn json_fault(text: &str) -> Option<(usize, String)> {
    if text.trim_ascii_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok() {
        return None;
    }
    // A parser of values gives better errors than one that skips them.
    let why = serde_json::from_str::<Map<String, Value>>(text).err()?;
    Some(json_words(text, &why))
}

/// Returns the JSON parser's objection in helpful words.
fn json_words(text: &str, why: &serde_json::Error) -> (usize, String) {
    let begins = text.len() - text.trim_ascii_start().len();
    let rest = &text[begins..];
    if why.is_data() {
        return (begins, format!("the row is {} instead of an object", kind_of(rest)));
    }
    let said = why.to_string();
    let said = said.split(" at line ").next().unwrap_or_default();
    // Its column is counted from the beginning of its line.
    let mut ends = memchr::memchr_iter(b'\n', text.as_bytes());
    let line = why.line().checked_sub(2).and_then(|before| ends.nth(before)).map_or(0, |end| end + 1);
    let characters = lines::column(&text[line..], why) - 1;
    let at = text[line..].char_indices().nth(characters).map_or(text.len(), |(at, _)| line + at);
    let at = if why.is_eof() { text.len() } else { at };
    // The parser stops within a word that begins as true, false or null.
    let letters = text[..at].char_indices().rev().take_while(|(_, c)| said == "expected ident" && c.is_alphanumeric());
    let at = letters.last().map_or(at, |(begin, _)| begin);
    let here = text[at..].chars().next();
    let words = match said {
        "trailing comma" => "trailing comma: remove it".to_owned(),
        "trailing characters" => "there is something after the object; write one object per line".to_owned(),
        "key must be a string" | "expected value" if here == Some('\'') => "use double quotes: \"".to_owned(),
        "key must be a string" => "keys must be in double quotes".to_owned(),
        "expected value" | "expected ident" => {
            let word: String = text[at..].chars().take_while(|c| c.is_alphanumeric()).take(NAMED).collect();
            let said = match word.as_str() {
                "True" | "False" => " (JSON writes true and false)",
                "None" | "NaN" | "nan" | "undefined" | "Infinity" => " (JSON writes null)",
                _ => "",
            };
            if word.is_empty() {
                "a value is missing".to_owned()
            } else {
                format!("“{word}” is not a value: text must be in double quotes{said}")
            }
        }
        "expected `,` or `}`" | "expected `,` or `]`" => {
            "a comma is missing, or a quote inside text needs a backslash before it".to_owned()
        }
        "expected `:`" => "a colon is missing after the key".to_owned(),
        "invalid escape" => "invalid escape: write a backslash as \\\\".to_owned(),
        "control character (\\u0000-\\u001F) found while parsing a string" => {
            "control character in text: write \\n, \\t or \\u00…".to_owned()
        }
        "EOF while parsing a string" => "the row ends inside text: a quote is missing".to_owned(),
        "EOF while parsing an object" | "EOF while parsing a value" | "EOF while parsing a list" => {
            "the row ends before the object is complete".to_owned()
        }
        "recursion limit exceeded" => "it is nested too deeply".to_owned(),
        other => other.to_owned(),
    };
    (at, format!("not JSON: {words}"))
}

/// Returns the kind of a JSON value, judged by its beginning.
fn kind_of(value: &str) -> &'static str {
    match value.as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b'"') => "text",
        Some(b't' | b'f') => "true or false",
        Some(b'n') => "null",
        Some(b'-' | b'0'..=b'9') => "a number",
        _ => "no value",
    }
}

fn member<'a>(text: &'a str, key: &str) -> Option<Member<'a>> {
    json_spans::members(text, 0).into_iter().find(|member| meant(&member.name) == Some(key))
}

/// Returns whether a key belongs to no row of the form.
pub(super) fn is_extra(member: &Member<'_>, rules: Rules) -> bool {
    let beside = rules.form == RowForm::Chats && BESIDE.contains(&member.name.as_ref());
    !beside && meant(&member.name).is_none()
}

fn cell(input: &TrainingFile, piece: &RawRecord<'_>, column: usize) -> usize {
    input.cell_starts(piece.bytes).get(column).copied().unwrap_or(piece.bytes.len())
}

fn cut(text: &str) -> String {
    let mut cut: String = text.chars().take(NAMED).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}
