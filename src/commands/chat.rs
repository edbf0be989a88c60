//! `benchtop chat`: sends a message and prints the answer.

use std::fs::File;
use std::path::Path;

use clap::Args;
use serde::Serialize;

use super::fields::{ChatFieldArgs, FieldArgs};
use super::request::{RequestArgs, SET_LIMIT, UsageJson, VERSION, conversation_id, end_note, error, status_word};
use super::{Output, Status, Task, input};
use crate::api::call::Ticket;
use crate::component::{Cx, Response, session};
use crate::record::{Block, Id, Turn, TurnStatus};
use crate::tabs::chat::exchange::{Continued, Exchange, ExchangeUpdate, Message, MessageFile};
use crate::tabs::generation::RunEnd;
use crate::text::Untrusted;
use crate::work::attachment;

/// The command line of `benchtop chat`.
#[derive(Clone, Debug, Args)]
pub struct ChatArgs {
    /// The message; without one, and for an argument -, standard input is read
    #[arg(value_name = "MESSAGE")]
    pub message: Vec<String>,
    /// System prompt
    #[arg(long, value_name = "TEXT")]
    pub system: Option<String>,
    /// File or pipe that goes with the message: a text or an image
    #[arg(long, value_name = "FILE")]
    pub attach: Vec<String>,
    /// Continue the conversation that was changed last
    #[arg(long = "continue", conflicts_with = "conversation")]
    pub continues: bool,
    /// Continue the conversation with this id
    #[arg(long, value_name = "ID", value_parser = conversation_id)]
    pub conversation: Option<i64>,
    #[command(flatten)]
    pub(crate) request: RequestArgs,
    #[command(flatten)]
    pub(crate) fields: FieldArgs,
    #[command(flatten)]
    pub(crate) chat_fields: ChatFieldArgs,
}

impl ChatArgs {
    /// Returns whether message and answer are stored.
    pub fn saves(&self) -> bool {
        !self.request.no_save
    }
}

/// The command.
#[derive(Debug)]
pub struct Chat {
    exchange: Exchange,
    json: bool,
    /// Whether message and answer are stored.
    saves: bool,
    /// What can be done at a limit of tokens.
    at_limit: &'static str,
    /// Whether the answer so far ends with a line end.
    at_line_start: bool,
    status: Option<Status>,
}

impl Chat {
    /// Reads the message.
    ///
    /// # Errors
    /// The command line cannot be carried out; a sentence.
    pub fn new(args: ChatArgs) -> Result<Self, String> {
        let saves = args.saves();
        let mut fields = args.fields.of_chat()?;
        fields.extend(args.chat_fields.fields()?);
        let continues = match args.conversation {
            Some(id) => Continued::Conversation(Id(id)),
            None if args.continues => Continued::Latest,
            None => Continued::Nothing,
        };
        let files = args.attach.iter().map(|path| attached(path)).collect::<Result<_, _>>()?;
        let text = input::text(&args.message, "a message")?;
        let system = args.system;
        let message = Message { continues, text, is_typed: false, unsent: None, files, system, fields };
        let at_limit = if saves { "--continue with a message such as \"go on\" continues it" } else { SET_LIMIT };
        Ok(Self { json: args.request.json, saves, at_limit, ..Self::of(message) })
    }

    /// Creates the command for a message, without flags; the answer is printed as text.
    pub fn of(message: Message) -> Self {
        Self {
            exchange: Exchange::new(message),
            json: false,
            saves: true,
            at_limit: "a message such as \"go on\" continues it",
            at_line_start: true,
            status: None,
        }
    }

    /// Returns the id of the conversation that the message belongs to.
    pub fn conversation(&self) -> Option<Id> {
        self.exchange.conversation()
    }

    /// Returns the message that is in the conversation and was not sent: this one, or the one that it went beside.
    pub fn unsent(&self) -> Option<Id> {
        self.exchange.unsent()
    }

    fn not_sent(&mut self, why: &str, out: &mut Output) {
        out.notice(format!("not sent: {why}"));
        self.status = Some(Status::Usage);
    }

    /// Returns what is told of an answer beside its text.
    fn notes(&self, turn: &Turn) -> Vec<Untrusted> {
        let mut notes = Vec::new();
        for block in &turn.blocks {
            match block {
                Block::Call { name, arguments, .. } => {
                    let call = format!("the model calls {}({})", name.line(), arguments.line());
                    let advice = if self.saves { "; the Chat tab takes the result" } else { "" };
                    notes.push(format!("{call}{advice}").into());
                }
                block => notes.push(block.text()),
            }
        }
        if turn.status == TurnStatus::Done {
            if !turn.error.is_empty() {
                notes.push(turn.error.clone());
            }
            let has_content = !turn.content.is_empty() || !notes.is_empty();
            let note = end_note(&turn.finish_reason, has_content, Some(self.at_limit));
            notes.extend(note.map(|note| Untrusted::from(format!("the answer {note}"))));
        }
        notes
    }

    /// Prints what is left, and how the answer ended.
    fn end(&mut self, end: &RunEnd, out: &mut Output) {
        if self.json {
            let json = ChatJson::of(&self.exchange, end, self.saves).filter(|_| !Status::is_unsent(end));
            if let Some(json) = json {
                out.json(&json);
            }
        } else {
            if !self.at_line_start {
                out.text(&"\n".into());
            }
            for turn in self.exchange.answers() {
                for line in self.notes(turn) {
                    out.notice(line);
                }
            }
        }
        self.status = Some(Status::of_end(end, self.saves, out));
    }
}

impl Task for Chat {
    fn suits(&self) -> Option<fn(&Untrusted) -> bool> {
        Some(session::chats)
    }

    fn reads_store(&self) -> bool {
        self.exchange.continues_stored()
    }

    fn start(&mut self, cx: &mut Cx, out: &mut Output) {
        if let Err(why) = self.exchange.start(cx) {
            self.not_sent(&why, out);
        }
    }

    fn reply(&mut self, ticket: Ticket, response: Response, cx: &mut Cx, out: &mut Output) {
        match self.exchange.handle(ticket, response, cx) {
            ExchangeUpdate::Retrying(why) => out.retrying(&why),
            ExchangeUpdate::Parts(parts) if !self.json => {
                // Of several choices only the first is printed as it comes.
                for part in parts.iter().filter(|part| part.choice == 0 && !part.content.is_empty()) {
                    out.text(&part.content);
                    self.at_line_start = part.content.raw().ends_with('\n');
                }
            }
            ExchangeUpdate::Nothing | ExchangeUpdate::Parts(_) => {}
            ExchangeUpdate::Ended(end) => self.end(&end, out),
            ExchangeUpdate::NotSent(why) => self.not_sent(&why, out),
        }
    }

    fn interrupt(&mut self, cx: &mut Cx, out: &mut Output) {
        match self.exchange.stop(cx) {
            Some(end) if !out.is_closed() => self.end(&RunEnd { failure: None, ..end }, out),
            _ => {}
        }
        self.status = Some(Status::Done);
    }

    fn status(&self) -> Option<Status> {
        self.status
    }
}

/// Returns a file of `--attach`. A pipe is read here, where a signal still ends the wait for it.
fn attached(shown: &str) -> Result<MessageFile, String> {
    let path = Path::new(shown);
    if path.is_dir() {
        return Err(format!("--attach: {shown} is a folder: name a file"));
    }
    if !input::is_read_once(path) {
        return Ok(MessageFile::Path(shown.to_owned()));
    }
    let pipe = File::open(path).map_err(|why| format!("--attach: {shown} cannot be read: {why}"))?;
    let block = attachment(shown, path, pipe).map_err(|why| format!("--attach: {shown}: {why}"))?;
    Ok(MessageFile::Read(Box::new(block)))
}

/// The answer as JSON.
#[derive(Debug, Serialize)]
struct ChatJson<'a> {
    version: u32,
    /// Null: it is not stored.
    conversation: Option<String>,
    model: &'a str,
    /// `done`, `stopped`, `cut_off` or `failed`.
    status: &'static str,
    content: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    reasoning: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<CallJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<&'a str>,
    finish_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    usage: Option<UsageJson>,
    first_token_ms: u64,
    total_ms: u64,
}

#[derive(Debug, Serialize)]
struct CallJson<'a> {
    id: &'a str,
    name: &'a str,
    arguments: &'a str,
}

impl<'a> ChatJson<'a> {
    /// Returns the first choice of an answer.
    fn of(exchange: &'a Exchange, end: &'a RunEnd, saves: bool) -> Option<Self> {
        let turn = exchange.answers().next()?;
        let conversation = exchange.conversation()?;
        let some = |text: &'a Untrusted| (!text.is_empty()).then(|| text.raw());
        let calls = turn.blocks.iter().filter_map(|block| match block {
            Block::Call { id, name, arguments, .. } => {
                Some(CallJson { id: id.raw(), name: name.raw(), arguments: arguments.raw() })
            }
            _ => None,
        });
        let refusal = turn.blocks.iter().find_map(|block| match block {
            Block::Refusal { words, .. } => Some(words.raw()),
            _ => None,
        });
        Some(Self {
            version: VERSION,
            conversation: saves.then(|| conversation.0.to_string()),
            model: turn.model.raw(),
            status: status_word(end.status),
            content: turn.content.raw(),
            reasoning: turn.reasoning.raw(),
            tool_calls: calls.collect(),
            refusal,
            finish_reason: some(&turn.finish_reason),
            error: error(&turn.error, saves),
            usage: exchange.meter().map(UsageJson::from),
            first_token_ms: turn.first_token_ms,
            total_ms: turn.total_ms,
        })
    }
}
