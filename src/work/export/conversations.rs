//! Conversations as files. Markdown has the branch that is shown, for people; JSON has all turns of all branches, every
//! text unchanged. `docs/commands.md` describes the fields.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::super::course::Course;
use super::super::save;
use super::rows::moved;
use crate::record::work::{ExportedConversation, Form};
use crate::record::{Block, Id, Turn, TurnStatus};
use crate::text::Untrusted;

/// The version of the fields. It changes when one is removed or means something else.
const VERSION: u32 = 1;

/// Writes `Export::Conversations` to a new file. Returns its name; the error is a sentence.
pub(super) fn write(path: &str, form: Form, all: &[ExportedConversation], course: &Course) -> Result<PathBuf, String> {
    let endings = match form {
        Form::Markdown => ["md"],
        Form::Json => ["json"],
        Form::JsonLines => ["jsonl"],
        Form::Csv | Form::Npy => {
            return Err("conversations are texts; export them as Markdown, JSON or JSON Lines".to_owned());
        }
    };
    save::write(path, &endings, &mut |_, file| {
        let mut texts = ConversationTexts::new(form);
        for (at, one) in all.iter().enumerate() {
            moved(course, at, all.len())?;
            file.write_all(texts.next(one).raw().as_bytes())?;
        }
        file.write_all(texts.end().as_bytes())?;
        io::Result::Ok(())
    })
}

/// Makes the text of an export, conversation by conversation.
#[derive(Clone, Copy, Debug)]
pub struct ConversationTexts {
    form: Form,
    count: usize,
}

impl ConversationTexts {
    /// Creates the beginning of an export; forms other than Markdown and JSON count as JSON Lines.
    pub fn new(form: Form) -> Self {
        Self { form, count: 0 }
    }

    /// Returns the text of the next conversation, with what stands between it and the one before.
    pub fn next(&mut self, one: &ExportedConversation) -> Untrusted {
        let is_first = self.count == 0;
        self.count += 1;
        let text = match self.form {
            Form::Markdown if is_first => markdown(one),
            Form::Markdown => format!("\n---\n\n{}", markdown(one)),
            Form::Json => {
                let before = if is_first { opening() } else { ",\n".to_owned() };
                format!("{before}{}", Value::Object(fields(one)))
            }
            _ => {
                let mut fields = fields(one);
                fields.insert("version".to_owned(), json!(VERSION));
                format!("{}\n", Value::Object(fields))
            }
        };
        text.into()
    }

    /// Returns the end of the export.
    pub fn end(&self) -> String {
        match self.form {
            Form::Json if self.count == 0 => format!("{}]}}\n", opening()),
            Form::Json => "\n]}\n".to_owned(),
            _ => String::new(),
        }
    }
}

/// Returns what stands before the first conversation.
fn opening() -> String {
    format!("{{\"version\":{VERSION},\"conversations\":[\n")
}

/// Returns a conversation as Markdown: title, system prompt, and the branch that is shown.
fn markdown(one: &ExportedConversation) -> String {
    let record = &one.conversation;
    let title = if record.title.is_empty() { "Untitled".into() } else { record.title.line() };
    // Writing to a String cannot fail.
    let mut text = format!("# {title}\n\n");
    let facts = [time(record.updated_ms), record.profile.line().into_owned(), record.model.line().into_owned()];
    let facts: Vec<String> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
    let _ = writeln!(text, "*{}*", facts.join(" · "));
    if !record.system.is_empty() {
        section(&mut text, "System", &record.system);
    }
    let by_id: HashMap<Id, &Turn> = one.turns.iter().map(|turn| (turn.id, turn)).collect();
    let turns = one.branch.iter().filter_map(|id| by_id.get(id));
    for turn in turns.filter(|turn| !turn.is_silent() || turn.status != TurnStatus::Done) {
        let heading = match turn.role.raw() {
            "user" => "User".to_owned(),
            "assistant" if turn.model.is_empty() => "Assistant".to_owned(),
            "assistant" => format!("Assistant · {}", turn.model.line()),
            "system" => "System".to_owned(),
            "tool" | "function" => "Tool".to_owned(),
            _ => turn.role.line().into_owned(),
        };
        section(&mut text, &heading, "");
        if !turn.reasoning.is_empty() {
            let reasoning = turn.reasoning.raw().trim_end();
            let _ = write!(text, "\n<details><summary>Reasoning</summary>\n\n{reasoning}\n\n</details>\n");
        }
        paragraph(&mut text, turn.said().raw());
        let end = match turn.status {
            TurnStatus::Done | TurnStatus::Streaming => continue,
            TurnStatus::Stopped => "stopped".to_owned(),
            TurnStatus::CutOff => format!("cut off: {}", turn.error.line()),
            TurnStatus::Failed => format!("failed: {}", turn.error.line()),
        };
        let _ = write!(text, "\n*({end})*\n");
    }
    text
}

fn section(text: &mut String, heading: &str, body: &str) {
    let _ = write!(text, "\n## {heading}\n");
    paragraph(text, body);
}

/// Appends a text after a blank line, and ends its last line.
fn paragraph(text: &mut String, body: &str) {
    if !body.is_empty() {
        text.push('\n');
        text.push_str(body);
        text.push_str(if body.ends_with('\n') { "" } else { "\n" });
    }
}

/// Returns a conversation as JSON, with all its turns.
fn fields(one: &ExportedConversation) -> Map<String, Value> {
    let record = &one.conversation;
    let mut params = serde_json::to_value(&record.params).unwrap_or_default();
    if let Some(params) = params.as_object_mut() {
        params.retain(|_, value| match value {
            Value::Null => false,
            Value::Array(items) => !items.is_empty(),
            Value::Object(items) => !items.is_empty(),
            _ => true,
        });
    }
    let branch: Vec<String> = one.branch.iter().map(|id| id.0.to_string()).collect();
    let turns: Vec<Value> = one.turns.iter().map(turn).collect();
    let all = [
        ("id", json!(record.id.0.to_string())),
        ("title", json!(record.title.raw())),
        ("created", json!(time(record.created_ms))),
        ("changed", json!(time(record.updated_ms))),
        ("profile", json!(record.profile.raw())),
        ("model", json!(record.model.raw())),
        ("system", json!(record.system)),
        ("params", params),
        ("branch", json!(branch)),
        ("turns", json!(turns)),
    ];
    all.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn turn(turn: &Turn) -> Value {
    let status = match turn.status {
        TurnStatus::Done | TurnStatus::Streaming => "done",
        TurnStatus::Stopped => "stopped",
        TurnStatus::CutOff => "cut_off",
        TurnStatus::Failed => "failed",
    };
    let mut fields = json!({
        "id": turn.id.0.to_string(),
        "parent": turn.parent.map(|id| id.0.to_string()),
        "role": turn.role.raw(),
        "content": turn.content.raw(),
        "status": status,
        "created": time(turn.created_ms),
    });
    let is_answer = !turn.model.is_empty();
    let usage = json!({
        "prompt_tokens": turn.prompt_tokens,
        "completion_tokens": turn.completion_tokens,
        "estimated": turn.estimated,
        "cost_usd": turn.cost_nano.map(|nano| nano as f64 / 1e9),
    });
    let text = |text: &Untrusted| (!text.is_empty()).then(|| json!(text.raw()));
    let blocks: Vec<Value> = turn.blocks.iter().map(block).collect();
    let more = [
        ("reasoning", text(&turn.reasoning)),
        ("blocks", (!blocks.is_empty()).then(|| json!(blocks))),
        ("model", text(&turn.model)),
        ("choice", (turn.choice > 0).then(|| json!(turn.choice))),
        ("finish_reason", text(&turn.finish_reason)),
        ("error", text(&turn.error)),
        ("usage", is_answer.then_some(usage)),
        ("first_token_ms", is_answer.then(|| json!(turn.first_token_ms))),
        ("total_ms", is_answer.then(|| json!(turn.total_ms))),
    ];
    for (name, value) in more {
        if let (Some(fields), Some(value)) = (fields.as_object_mut(), value) {
            fields.insert(name.to_owned(), value);
        }
    }
    fields
}

fn block(block: &Block) -> Value {
    match block {
        Block::Refusal { words, .. } => json!({"kind": "refusal", "text": words.raw()}),
        Block::Call { id, name, arguments, .. } => {
            json!({"kind": "call", "id": id.raw(), "name": name.raw(), "arguments": arguments.raw()})
        }
        Block::ResultOf { id, name } => json!({"kind": "result_of", "id": id.raw(), "name": name.raw()}),
        Block::Transcript(words) => json!({"kind": "transcript", "text": words.raw()}),
        Block::Attachment { kind, place } => json!({"kind": "attachment", "type": kind.raw(), "place": place.raw()}),
        Block::File { name, kind, data } => {
            json!({"kind": "file", "name": name.raw(), "type": kind.raw(), "data": data.raw()})
        }
    }
}

/// Formats a moment as RFC 3339, UTC, to the second; empty: unknown.
fn time(unix_ms: i64) -> String {
    let at = Timestamp::from_second(unix_ms.div_euclid(1_000)).ok().filter(|_| unix_ms != 0);
    at.map(|at| at.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::record::{ChatParams, Conversation};

    fn said(id: i64, parent: Option<i64>, role: &str, content: &str) -> Turn {
        Turn {
            id: Id(id),
            conversation: Id(1),
            parent: parent.map(Id),
            role: role.into(),
            content: content.into(),
            reasoning: Untrusted::default(),
            blocks: Vec::new(),
            model: if role == "assistant" { "auto".into() } else { Untrusted::default() },
            choice: 0,
            status: TurnStatus::Done,
            error: Untrusted::default(),
            details: None,
            finish_reason: Untrusted::default(),
            created_ms: 1_700_000_000_123,
            prompt_tokens: 3,
            completion_tokens: 2,
            estimated: false,
            cost_nano: Some(5_000),
            first_token_ms: 10,
            total_ms: 20,
        }
    }

    fn one() -> ExportedConversation {
        let conversation = Conversation {
            id: Id(1),
            title: "Rivers\nof".into(),
            titled: false,
            created_ms: 1_700_000_000_123,
            updated_ms: 1_700_000_060_000,
            trashed_ms: None,
            profile: "work".into(),
            model: "auto".into(),
            system: "Be short.".to_owned(),
            params: ChatParams { temperature: Some(0.5), ..ChatParams::default() },
            leaf: Some(Id(4)),
            draft: String::new(),
        };
        let blocks = vec![Block::File { name: "a.md".into(), kind: "text/plain".into(), data: "x\n".into() }];
        let asked = Turn { blocks, ..said(2, None, "user", "Which?") };
        let cut = Turn {
            status: TurnStatus::CutOff,
            error: "the connection was lost".into(),
            reasoning: "Hm.\n".into(),
            ..said(4, Some(2), "assistant", "The \u{1b}Elbe")
        };
        let turns = vec![asked, said(3, Some(2), "assistant", "The Rhine\n"), cut];
        ExportedConversation { conversation, turns, branch: vec![Id(2), Id(4)] }
    }

    fn export(form: Form, count: usize) -> String {
        let mut texts = ConversationTexts::new(form);
        let all: String = (0..count).map(|_| texts.next(&one()).raw().to_owned()).collect();
        all + &texts.end()
    }

    #[test]
    fn markdown_has_the_branch_that_is_shown() {
        let text = "# Rivers␊of\n\n*2023-11-14T22:14:20Z · work · auto*\n\n## System\n\nBe short.\n\n## User\n\nWhich?\n\n\
            a.md:\n```\nx\n```\n\n## Assistant · auto\n\n<details><summary>Reasoning</summary>\n\nHm.\n\n</details>\n\n\
            The \u{1b}Elbe\n\n*(cut off: the connection was lost)*\n";
        assert_eq!(export(Form::Markdown, 1), text);
        assert_eq!(export(Form::Markdown, 2), format!("{text}\n---\n\n{text}"));
    }

    #[test]
    fn json_has_all_turns_unchanged() {
        let whole: Value = serde_json::from_str(&export(Form::Json, 2)).unwrap();
        assert_eq!((&whole["version"], whole["conversations"].as_array().unwrap().len()), (&json!(1), 2));
        let of = &whole["conversations"][1];
        assert_eq!((&of["id"], &of["title"], &of["branch"]), (&json!("1"), &json!("Rivers\nof"), &json!(["2", "4"])));
        assert_eq!((&of["changed"], &of["params"]), (&json!("2023-11-14T22:14:20Z"), &json!({"temperature": 0.5})));
        let turns = of["turns"].as_array().unwrap();
        assert_eq!(turns.len(), 3);
        assert_eq!(turns[0]["blocks"][0], json!({"kind": "file", "name": "a.md", "type": "text/plain", "data": "x\n"}));
        assert!(turns[0].get("usage").is_none() && turns[0]["parent"].is_null());
        assert_eq!((&turns[2]["content"], &turns[2]["status"]), (&json!("The \u{1b}Elbe"), &json!("cut_off")));
        assert_eq!(turns[2]["usage"]["cost_usd"], json!(0.000_005));
        let lines = export(Form::JsonLines, 2);
        let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((lines.len(), &lines[1]["version"], &lines[1]["turns"]), (2, &json!(1), &of["turns"]));
        let empty: Value = serde_json::from_str(&export(Form::Json, 0)).unwrap();
        assert_eq!(empty["conversations"], json!([]));
    }
}
