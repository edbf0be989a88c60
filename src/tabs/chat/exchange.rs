//! A message and its answer outside the tab: what `benchtop chat` sends, saves and prints.

use std::collections::VecDeque;

use serde_json::{Map, Value};

use super::conversation::{AnswerRequest, OpenConversation};
use super::conversation_list::title_of;
use super::loading::{Extent, LoadUpdate, LoadingConversation};
use super::request::chat_request;
use super::responders::Responder;
use crate::api::call::{Call, Failure, Progress, Ticket};
use crate::component::{Cx, Response};
use crate::record::work::{Done, Work};
use crate::record::{Block, ChatParams, Id, Query, Record, Rows, Stored, Turn};
use crate::tabs::generation::{Part, RunEnd, RunTarget, RunUpdate, StreamingRun};
use crate::tabs::tab::RunMeter;
use crate::text::Untrusted;

/// What happens to a message that the disk refuses, in words.
const UNSENT: &str = "benchtop keeps it as a message without an answer, and the next one does not follow it; type it \
                      again to send it";

/// The conversation that a message continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Continued {
    /// None: it begins a new one.
    Nothing,
    /// The one that was changed last.
    Latest,
    /// The one with this id.
    Conversation(Id),
}

/// What is sent.
#[derive(Clone, Debug)]
pub struct Message {
    /// The conversation it belongs to.
    pub continues: Continued,
    /// Its text.
    pub text: String,
    /// Whether the text was typed and is nowhere else: it is sent once it is on disk.
    pub is_typed: bool,
    /// A message that is in the conversation and was not sent: this one goes beside it, not behind it.
    pub unsent: Option<Id>,
    /// Files that go with it.
    pub files: VecDeque<MessageFile>,
    /// The system prompt; `None`: the conversation's own.
    pub system: Option<String>,
    /// Request fields that differ from those of the conversation, or from the model's defaults, by name.
    pub fields: Map<String, Value>,
}

/// A file that goes with a message.
#[derive(Clone, Debug)]
pub enum MessageFile {
    /// The file with this path.
    Path(String),
    /// One that was read already: it can be read only once.
    Read(Box<Block>),
}

/// What a reply means for an exchange.
#[derive(Debug)]
pub enum ExchangeUpdate {
    /// Nothing to show.
    Nothing,
    /// An attempt failed for this reason; another one follows.
    Retrying(Failure),
    /// Text of the answer, in order of arrival.
    Parts(Vec<Part>),
    /// The answer has ended.
    Ended(RunEnd),
    /// Nothing was sent; a sentence says why.
    NotSent(String),
}

/// What was asked of the store and the work threads.
#[derive(Debug)]
enum Asked {
    Latest(Ticket),
    Conversation(Box<LoadingConversation>),
    File(Ticket, String),
    /// The message is to be on disk before this is sent.
    Commit(Ticket, Box<OutgoingRequest>),
    Nothing,
}

/// A request that is complete.
#[derive(Debug)]
struct OutgoingRequest {
    asking: AnswerRequest,
    target: RunTarget,
    call: Call,
}

/// A message on its way, and its answer.
#[derive(Debug)]
pub struct Exchange {
    message: Message,
    blocks: Vec<Block>,
    conversation: Option<OpenConversation>,
    asked: Asked,
    answers: Vec<Id>,
    meter: Option<RunMeter>,
}

impl Exchange {
    /// Creates an exchange in which nothing is asked for yet.
    pub fn new(message: Message) -> Self {
        Self {
            message,
            blocks: Vec::new(),
            conversation: None,
            asked: Asked::Nothing,
            answers: Vec::new(),
            meter: None,
        }
    }

    /// Returns whether the message continues what an earlier run stored. Of one that is typed the conversation is this
    /// run's, which also a store in memory has.
    pub fn continues_stored(&self) -> bool {
        !self.message.is_typed && self.message.continues != Continued::Nothing
    }

    /// Loads the conversation and the files, then sends the message.
    ///
    /// # Errors
    /// A field is wrong; a sentence.
    pub fn start(&mut self, cx: &mut Cx) -> Result<(), String> {
        self.asked = match self.message.continues {
            Continued::Nothing => {
                let mut conversation = OpenConversation::blank(cx.id(), cx.unix_ms, cx.session);
                let defaults = cx.session.defaults(&cx.session.profile, &cx.session.model);
                conversation.record.params = defaults.map(|params| params.common.clone()).unwrap_or_default();
                self.conversation = Some(conversation);
                return self.read_next_file(cx);
            }
            Continued::Latest => Asked::Latest(cx.load(Query::Heads)),
            Continued::Conversation(id) => Asked::conversation(id, cx),
        };
        Ok(())
    }

    /// Takes in a reply of client, store or work threads.
    pub fn handle(&mut self, ticket: Ticket, response: Response, cx: &mut Cx) -> ExchangeUpdate {
        let taken = match response {
            Response::Call(progress) => return self.handle_progress(ticket, progress, cx),
            Response::Store(stored) => self.handle_stored(ticket, stored, cx),
            Response::Work(done) => self.handle_file(ticket, done, cx),
            Response::Taken => Ok(()),
        };
        taken.map_or_else(ExchangeUpdate::NotSent, |()| ExchangeUpdate::Nothing)
    }

    /// Stops the answer; what arrived is kept. Returns how that ends it; `None`: nothing was sent, or it has ended.
    pub fn stop(&mut self, cx: &mut Cx) -> Option<RunEnd> {
        let end = self.conversation.as_ref()?.answer.as_ref()?.run.stop(cx);
        self.finish(&end, cx);
        Some(end)
    }

    /// Returns the id of the conversation.
    pub fn conversation(&self) -> Option<Id> {
        self.conversation.as_ref().map(|conversation| conversation.record.id)
    }

    /// Returns the message that is in the conversation and was not sent: this one, or the one that it went beside.
    pub fn unsent(&self) -> Option<Id> {
        self.message.unsent
    }

    /// Returns the answer, one turn for each choice.
    pub fn answers(&self) -> impl Iterator<Item = &Turn> {
        let tree = self.conversation.as_ref().map(|conversation| &conversation.tree);
        self.answers.iter().filter_map(move |id| tree?.turn(*id))
    }

    /// Returns tokens and cost of an answer that has ended; `None`: nothing came that is billed.
    pub fn meter(&self) -> Option<RunMeter> {
        self.meter
    }

    fn handle_stored(&mut self, ticket: Ticket, stored: Stored, cx: &mut Cx) -> Result<(), String> {
        let unread = |why: Untrusted| Err(format!("the conversation could not be read: {}", why.line()));
        match (std::mem::replace(&mut self.asked, Asked::Nothing), stored) {
            (Asked::Latest(asked), Stored::Failed(why)) if asked == ticket => return unread(why),
            (Asked::Latest(asked), Stored::Rows(Rows::Heads(heads))) if asked == ticket => {
                let kept = heads.into_iter().map(|head| head.conversation).filter(|one| one.trashed_ms.is_none());
                let latest = kept.max_by_key(|one| one.updated_ms);
                let id = latest.ok_or("there is no conversation to continue: leave --continue out to begin one")?.id;
                self.asked = Asked::conversation(id, cx);
            }
            (Asked::Conversation(mut loading), stored) => match loading.handle(ticket, stored, cx) {
                LoadUpdate::Nothing => self.asked = Asked::Conversation(loading),
                LoadUpdate::Missing => {
                    return Err("there is no conversation with this id: `benchtop export --list` shows all".to_owned());
                }
                LoadUpdate::Failed(why) => return unread(why),
                LoadUpdate::Loaded => {
                    self.conversation = loading.open();
                    self.leave_unsent();
                    return self.read_next_file(cx);
                }
            },
            (Asked::Commit(asked, request), Stored::Committed) if asked == ticket => {
                let records = self.request(*request, cx);
                cx.save(Record::Batch(records));
            }
            (Asked::Commit(asked, request), Stored::Waiting(why)) if asked == ticket => {
                // The store writes it once the disk takes it. It is not sent then: the user would not expect that.
                self.message.unsent = Some(request.asking.parent);
                let why = why.line();
                return Err(format!("the message could not be saved yet: {why}; {UNSENT}"));
            }
            (Asked::Commit(asked, _), Stored::Failed(why)) if asked == ticket => {
                return Err(format!("the message could not be saved: {}", why.line()));
            }
            (asked, _) => self.asked = asked,
        }
        Ok(())
    }

    /// Goes back to before the message that was not sent, where the conversation ends with it.
    fn leave_unsent(&mut self) {
        let Some(conversation) = &mut self.conversation else { return };
        let Some(leaf) = conversation.record.leaf.filter(|leaf| self.message.unsent == Some(*leaf)) else { return };
        let before = conversation.tree.turn(leaf).and_then(|turn| turn.parent);
        conversation.go_to(before);
    }

    /// Reads the next file that goes with the message; after the last one the message is sent.
    fn read_next_file(&mut self, cx: &mut Cx) -> Result<(), String> {
        while let Some(file) = self.message.files.pop_front() {
            match file {
                MessageFile::Read(block) => self.blocks.push(*block),
                MessageFile::Path(path) => {
                    self.asked = Asked::File(cx.work(Work::Attach { path: path.clone() }), path);
                    return Ok(());
                }
            }
        }
        self.send(cx)
    }

    fn handle_file(&mut self, ticket: Ticket, done: Done, cx: &mut Cx) -> Result<(), String> {
        match (std::mem::replace(&mut self.asked, Asked::Nothing), done) {
            (Asked::File(asked, _), Done::Attached(Some(block))) if asked == ticket => {
                self.blocks.push(*block);
                self.read_next_file(cx)
            }
            (Asked::File(asked, path), Done::Attached(None)) if asked == ticket => {
                Err(format!("{path}: there is no such file"))
            }
            (Asked::File(asked, _), Done::Failed(why)) if asked == ticket => Err(why.line().into_owned()),
            (asked, _) => {
                self.asked = asked;
                Ok(())
            }
        }
    }

    /// Saves the message and sends it; one that was typed, once it is on disk.
    fn send(&mut self, cx: &mut Cx) -> Result<(), String> {
        let Some(conversation) = &mut self.conversation else { return Ok(()) };
        if !conversation.open_calls().is_empty() {
            return Err("the last answer waits for the result of a tool: give it in the Chat tab".to_owned());
        }
        conversation.record.params = with_fields(&conversation.record.params, &self.message.fields)?;
        if let Some(system) = self.message.system.take() {
            conversation.record.system = system;
        }
        let responder = Responder::of(cx.session);
        let (turn_id, parent) = (cx.id(), conversation.record.leaf);
        let text = std::mem::take(&mut self.message.text);
        let title = title_of(&text);
        let turn = conversation.typed_turn(turn_id, parent, "user".into(), text, cx.unix_ms);
        let turn = Turn { blocks: std::mem::take(&mut self.blocks), ..turn };
        conversation.tree.put(turn.clone());
        conversation.go_to(Some(turn_id));
        let record = &mut conversation.record;
        if record.title.is_empty() {
            record.title = title.into();
        }
        record.updated_ms = cx.unix_ms;
        record.trashed_ms = None;
        record.profile = responder.profile.0.as_str().into();
        record.model.clone_from(&responder.model);
        let asking = AnswerRequest { parent: turn_id, continues: None, replaces: None, responder };
        let request = chat_request(conversation, &asking, &asking.responder.model)?;
        let prompt_tokens = conversation.context_tokens(None);
        let Responder { profile, model } = asking.responder.clone();
        let price = cx.session.price(&profile, &model);
        let target = RunTarget { price, model, profile, prompt_tokens, estimated: true };
        let record = conversation.record.clone();
        let mut records = vec![Record::Conversation(Box::new(record)), Record::Turn(Box::new(turn))];
        let trashed = Record::Trashed { conversation: conversation.record.id, at_ms: None };
        records.extend(parent.map(|_| trashed));
        let request = OutgoingRequest { asking, target, call: Call::Chat(Box::new(request)) };
        if self.message.is_typed {
            self.asked = Asked::Commit(cx.save(Record::Batch(records)), Box::new(request));
        } else {
            // The call goes first: the text is the caller's, so nothing is lost if the program ends before it is saved.
            records.extend(self.request(request, cx));
            cx.save(Record::Batch(records));
        }
        Ok(())
    }

    /// Sends a request. Returns what is to be saved of its answer.
    fn request(&mut self, request: OutgoingRequest, cx: &mut Cx) -> Vec<Record> {
        let Some(conversation) = &mut self.conversation else { return Vec::new() };
        let OutgoingRequest { asking, target, call } = request;
        let run = StreamingRun::send(target, call, cx);
        let answer_id = cx.id();
        let answer = conversation.begin_answer(answer_id, &asking, run, cx.unix_ms);
        self.answers = vec![answer_id];
        vec![Record::Turn(Box::new(answer)), Record::Conversation(Box::new(conversation.record.clone()))]
    }

    fn handle_progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) -> ExchangeUpdate {
        let Some(conversation) = &mut self.conversation else { return ExchangeUpdate::Nothing };
        let Some(answer) = conversation.answer.as_mut().filter(|answer| answer.run.owns(ticket)) else {
            return ExchangeUpdate::Nothing;
        };
        match answer.run.handle_progress(progress, cx.now) {
            RunUpdate::Nothing => ExchangeUpdate::Nothing,
            RunUpdate::Retrying(why) => ExchangeUpdate::Retrying(why),
            RunUpdate::Parts(parts) => {
                for part in parts.clone() {
                    if let Some(turn) = conversation.add_part(part, cx) {
                        self.answers.push(turn.id);
                        cx.save(Record::Turn(Box::new(turn)));
                    }
                }
                if let Some(answer) = &mut conversation.answer {
                    for record in answer.save(&conversation.tree, &mut conversation.tokens, cx) {
                        cx.save(record);
                    }
                }
                ExchangeUpdate::Parts(parts)
            }
            RunUpdate::Ended(end) => {
                self.finish(&end, cx);
                ExchangeUpdate::Ended(end)
            }
        }
    }

    fn finish(&mut self, end: &RunEnd, cx: &mut Cx) {
        let ended = self.conversation.as_mut().and_then(|conversation| conversation.finish_answer(end, cx));
        if let Some((_, ended)) = ended {
            self.meter = ended.meter;
            self.answers = ended.turns.iter().map(|(turn, _)| *turn).collect();
            cx.save(Record::Batch(ended.records));
        }
    }
}

impl Asked {
    /// Asks for a conversation, with the branch that is shown.
    fn conversation(id: Id, cx: &mut Cx) -> Self {
        Self::Conversation(Box::new(LoadingConversation::begin(id, Extent::Branch, cx)))
    }
}

/// Returns parameters with these fields changed.
///
/// # Errors
/// A field has a value of another kind; a sentence.
fn with_fields(params: &ChatParams, fields: &Map<String, Value>) -> Result<ChatParams, String> {
    let wrong = |why: serde_json::Error| format!("a parameter cannot be used: {why}");
    let Value::Object(mut all) = serde_json::to_value(params).map_err(wrong)? else { return Ok(params.clone()) };
    // Only one of the two is sent; the one that was given last counts.
    for (given, other) in [("max_tokens", "max_completion_tokens"), ("max_completion_tokens", "max_tokens")] {
        if fields.contains_key(given) {
            all.insert(other.to_owned(), Value::Null);
        }
    }
    all.extend(fields.clone());
    serde_json::from_value(Value::Object(all)).map_err(wrong)
}
