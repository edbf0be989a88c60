//! A tuned model beside its base, on a prompt that is typed here or comes from the job's file.
//!
//! The program adds what ends every prompt of the file, and stops answers where the file ends them.

mod keys;
mod lane;
mod rows;
mod view;
mod walk;

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::{Duration, Instant};

use self::keys::Action;
pub(super) use self::keys::Event;
use self::lane::Lane;
use self::rows::Reading as Source;
use crate::api::call::{Call, Progress, Ticket};
use crate::api::chat::{ChatMessage, ChatRequest, Stop};
use crate::api::completion::{CompletionRequest, Prompt};
use crate::component::Trial as Handed;
use crate::component::session::{chats, completes};
use crate::component::{Cx, Effect, Notice, Offer, Session};
use crate::record::work::Done;
use crate::record::{LedgerRow, Record, Stored};
use crate::settings::ProfileId;
use crate::tabs::columns::{Columns, LEAST};
use crate::tabs::tab::RunMeter;
use crate::text::Untrusted;
use crate::tokens::estimate;
use crate::ui::editor::Editor;
use crate::ui::keys::Keymap;
use crate::ui::meter::SPINNER_FRAME;
use crate::ui::picker::{Item, Picker};

/// How many models there may be.
const FEWEST: usize = 2;
const MOST: usize = 4;
/// Tokens that an answer may have: without a file, at least, and beyond the longest one of the file.
const TOKENS: u64 = 256;
const TOKENS_LEAST: u64 = 16;
/// More than twice the longest answer's estimate: a tokenizer may part it more finely.
const SPARE: u64 = 8;

/// What models are asked, as far as it differs by row and text.
#[derive(Clone, Debug, PartialEq)]
struct Request {
    prompt: String,
    before: Vec<ChatMessage>,
    stop: Option<String>,
}

/// What is tried.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Subject {
    /// Whose server has the models.
    pub(super) profile: ProfileId,
    /// The job's name.
    pub(super) name: String,
    pub(super) tuned: Untrusted,
    pub(super) base: Untrusted,
    /// Whether they were trained on messages; the file knows better.
    pub(super) chat: bool,
    /// The file that rows come from: id, name.
    pub(super) file: Option<(String, Untrusted)>,
}

/// Where the keys go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Focus {
    #[default]
    Prompt,
    Answers,
}

/// The file's rows, and which of them is shown; `None`: a prompt of one's own.
#[derive(Debug, Default)]
struct File {
    reading: Source,
    at: Option<usize>,
}

/// Which text was typed: the file, the row.
type Place = (String, Option<usize>);

/// The page. Its text and answers stay while it is closed, and what streams goes on.
#[derive(Debug)]
pub(super) struct Trial {
    subject: Option<Subject>,
    source: File,
    editor: Editor,
    /// Texts that were typed over rows, and prompts of one's own.
    drafts: HashMap<Place, String>,
    /// Texts that rows' own texts were put in place of.
    replaced: HashMap<Place, String>,
    lanes: Vec<Lane>,
    columns: RefCell<Columns>,
    focus: Focus,
    picker: Option<Picker<String>>,
    /// What the answers belong to.
    asked: Option<Request>,
    /// Orders that keep what answers used, and those that were refused.
    keeping: HashMap<Ticket, LedgerRow>,
    unkept: Vec<LedgerRow>,
    prompt_keys: Keymap<Action>,
    answer_keys: Keymap<Action>,
    send_key: &'static str,
    /// Columns of the page.
    width: u16,
}

impl Default for Trial {
    fn default() -> Self {
        Self {
            subject: None,
            source: File::default(),
            editor: Editor::new("A prompt for both models"),
            drafts: HashMap::new(),
            replaced: HashMap::new(),
            lanes: Vec::new(),
            columns: RefCell::default(),
            focus: Focus::Prompt,
            picker: None,
            asked: None,
            keeping: HashMap::new(),
            unkept: Vec::new(),
            prompt_keys: keys::prompt(),
            answer_keys: keys::answers(),
            send_key: "⏎",
            width: 80,
        }
    }
}

impl Trial {
    /// Comes into view with a tuned model: as it was left, or with the first row of its file.
    pub(super) fn open(&mut self, subject: Subject, cx: &mut Cx) {
        self.send_key = cx.session.send_key();
        self.focus = Focus::Prompt;
        let failed = matches!(self.source.reading, Source::Failed(_));
        if self.subject.as_ref() == Some(&subject) {
            if failed {
                self.read(&subject, cx);
            }
            return;
        }
        self.stop(cx);
        self.source.reading.stop(cx);
        self.park();
        self.asked = None;
        self.lanes = [&subject.tuned, &subject.base].map(|model| Lane::new(model.clone())).into();
        self.lanes.retain(|lane| !lane.model.is_empty());
        self.columns.get_mut().set_focus(0);
        self.read(&subject, cx);
        self.source.at = None;
        self.subject = Some(subject);
        self.fill();
    }

    fn read(&mut self, subject: &Subject, cx: &mut Cx) {
        let file = subject.file.as_ref();
        self.source.reading =
            file.map_or(Source::None, |(id, _)| Source::begin(subject.profile.clone(), id.clone(), cx));
    }

    fn place(&self) -> &'static str {
        if self.chats() { "to Chat" } else { "to Complete" }
    }

    /// Whether messages are sent; else prompts.
    fn chats(&self) -> bool {
        match &self.source.reading {
            Source::Done(examples) if !examples.rows.is_empty() => examples.chat,
            _ => self.subject.as_ref().is_some_and(|subject| subject.chat),
        }
    }

    /// The prompt as it is sent: what ends prompts is added where it is not there.
    fn prompt(&self) -> String {
        let mut text = self.editor.text();
        if let Source::Done(examples) = &self.source.reading
            && !examples.chat
            && !text.ends_with(&examples.separator)
        {
            text.push_str(&examples.separator);
        }
        text
    }

    fn stop_text(&self) -> Option<&str> {
        let Source::Done(examples) = &self.source.reading else { return None };
        examples.stop.as_deref()
    }

    /// Messages before the one that is typed.
    fn before(&self) -> &[ChatMessage] {
        self.row().map_or(&[], |row| &row.before)
    }

    /// What is sent to each model.
    fn request(&self) -> Request {
        Request { prompt: self.prompt(), before: self.before().to_vec(), stop: self.stop_text().map(str::to_owned) }
    }

    fn call(&self, lane: &Lane) -> Call {
        let stop = self.stop_text().map(|stop| Stop::One(stop.to_owned()));
        if self.chats() {
            let mut messages = self.before().to_vec();
            let content = self.editor.text();
            if !content.is_empty() {
                messages.push(ChatMessage { role: "user".into(), content: content.into(), ..ChatMessage::default() });
            }
            return Call::Chat(Box::new(ChatRequest {
                model: lane.name(),
                messages,
                temperature: Some(0.0),
                stream: Some(true),
                stop,
                ..ChatRequest::default()
            }));
        }
        let tokens = match &self.source.reading {
            Source::Done(examples) if !examples.rows.is_empty() => (2 * examples.longest + SPARE).max(TOKENS_LEAST),
            _ => TOKENS,
        };
        Call::Complete(Box::new(CompletionRequest {
            model: lane.name(),
            prompt: Some(Prompt::Text(self.prompt())),
            max_tokens: Some(tokens),
            temperature: Some(0.0),
            stream: Some(true),
            stop,
            ..CompletionRequest::default()
        }))
    }

    /// Asks all models.
    fn send(&mut self, cx: &mut Cx) {
        if self.is_busy() {
            let mut hurried = false;
            for lane in &self.lanes {
                hurried |= lane.hurry(cx);
            }
            if !hurried {
                cx.notify(Notice::warn("the models are answering; esc stops them, then ask again").about("try"));
            }
            return;
        }
        let has_messages = self.chats() && !self.before().is_empty();
        if self.editor.text().trim().is_empty() && !has_messages {
            return cx.notify(Notice::hint("the prompt is empty: type one first").about("try"));
        }
        let Some(profile) = self.subject.as_ref().map(|subject| subject.profile.clone()) else { return };
        let prompt =
            estimate(&self.prompt()) + self.before().iter().map(|message| estimate(message.content.raw())).sum::<u64>();
        let mut lanes = std::mem::take(&mut self.lanes);
        for lane in &mut lanes {
            lane.ask(&profile, self.call(lane), prompt, cx);
        }
        self.lanes = lanes;
        self.asked = Some(self.request());
    }

    pub(super) fn is_busy(&self) -> bool {
        self.lanes.iter().any(Lane::is_busy)
    }

    /// Stops all answers. Whether there were any.
    pub(super) fn stop(&mut self, cx: &mut Cx) -> bool {
        let busy = self.is_busy();
        (0..self.lanes.len()).for_each(|at| self.stop_lane(at, cx));
        busy
    }

    fn stop_lane(&mut self, at: usize, cx: &mut Cx) {
        let Some(subject) = &self.subject else { return };
        if let Some(row) = self.lanes.get_mut(at).and_then(|lane| lane.stop(&subject.profile, cx)) {
            self.keep(row, cx);
        }
    }

    /// Stops reading the file, if it is being read. Whether it was.
    pub(super) fn stop_reading(&mut self, cx: &mut Cx) -> bool {
        let waits = self.source.reading.is_waiting();
        self.source.reading.stop(cx);
        waits
    }

    /// Opens the list of models that may be added.
    fn choose(&mut self, ready: &[String], cx: &mut Cx) {
        let most = self.most();
        if self.lanes.len() >= most {
            let said = format!("{most} models fit on this screen; in the answers X removes one");
            return cx.notify(Notice::hint(said).about("try"));
        }
        let chat = self.chats();
        let here = self.subject.as_ref().is_some_and(|subject| subject.profile == cx.session.profile);
        let fits = |model: &&Untrusted| if chat { chats(model) } else { completes(model) };
        let listed = cx.session.models.iter().filter(|_| here).filter(fits).map(|model| model.line().into_owned());
        let mut names: Vec<String> = Vec::new();
        for name in ready.iter().cloned().chain(listed) {
            if !names.contains(&name) && !self.lanes.iter().any(|lane| lane.model.line() == name) {
                names.push(name);
            }
        }
        let item = |name: String| {
            let about = if ready.contains(&name) { "tuned here" } else { "" };
            Item::new(name.clone(), name, about)
        };
        let items = names.into_iter().map(item).collect();
        self.picker = Some(Picker::new("Add a model", items).or("no other model of this server can be added"));
    }

    /// How many models fit on the screen.
    fn most(&self) -> usize {
        usize::from((self.width + 1) / (LEAST + 1)).clamp(FEWEST, MOST)
    }

    fn add(&mut self, model: Untrusted) {
        self.lanes.push(Lane::new(model));
        self.columns.get_mut().set_focus(self.lanes.len() - 1);
    }

    fn remove(&mut self, cx: &mut Cx) {
        if self.lanes.len() < 2 {
            return cx.notify(Notice::hint("one model has to stay").about("try"));
        }
        let at = self.columns.borrow().focus().min(self.lanes.len() - 1);
        self.stop_lane(at, cx);
        self.lanes.remove(at);
        self.columns.get_mut().set_focus(at.min(self.lanes.len() - 1));
    }

    /// Hands prompt and models to the tab that goes on with them.
    fn offer(&mut self, cx: &mut Cx) {
        let Some(subject) = &self.subject else { return };
        let trial = Handed {
            profile: subject.profile.clone(),
            models: self.lanes.iter().map(|lane| lane.model.clone()).collect(),
            prompt: if self.editor.is_empty() { Untrusted::default() } else { self.prompt().into() },
            stop: self.stop_text().map(str::to_owned).into_iter().collect(),
            chat: self.chats(),
        };
        cx.push(Effect::Offer(Offer::Compare(Box::new(trial))));
    }

    /// Something about a call. Whether it was the page's.
    pub(super) fn progress(&mut self, ticket: Ticket, progress: &Progress, cx: &mut Cx) -> bool {
        if self.source.reading.progress(ticket, progress, cx) {
            return true;
        }
        let Some(subject) = &self.subject else { return false };
        let profile = &subject.profile;
        let Some(lane) = self.lanes.iter_mut().find(|lane| lane.owns(ticket)) else { return false };
        if let Some(row) = lane.progress(progress, profile, cx) {
            self.keep(row, cx);
        }
        true
    }

    /// The work threads' answer. Whether the order was the page's.
    pub(super) fn worked(&mut self, ticket: Ticket, done: &Done) -> bool {
        if !self.source.reading.worked(ticket, done) {
            return false;
        }
        // A prompt that was typed meanwhile stays.
        if self.source.at.is_none()
            && self.editor.is_empty()
            && matches!(&self.source.reading, Source::Done(examples) if !examples.rows.is_empty())
        {
            self.go_to(Some(0));
        }
        true
    }

    fn keep(&mut self, row: LedgerRow, cx: &mut Cx) {
        self.unkept.push(row);
        for row in std::mem::take(&mut self.unkept) {
            self.keeping.insert(cx.record(Record::Ledger(row.clone())), row);
        }
    }

    /// The store's answer. Whether it was to the page.
    pub(super) fn stored(&mut self, ticket: Ticket, stored: &Stored) -> bool {
        if matches!(stored, Stored::Waiting(_)) {
            // The store has it and offers it again itself.
            return self.keeping.contains_key(&ticket);
        }
        let Some(row) = self.keeping.remove(&ticket) else { return false };
        if matches!(stored, Stored::Failed(_)) {
            self.unkept.push(row);
        }
        true
    }

    /// The program ends: what answers used so far is kept.
    pub(super) fn parting(&mut self, cx: &mut Cx) {
        self.stop(cx);
        for row in std::mem::take(&mut self.unkept) {
            cx.record(Record::Ledger(row));
        }
    }

    /// Tokens and cost of the last answers.
    pub(super) fn meter(&self) -> Option<RunMeter> {
        self.lanes.iter().filter_map(Lane::meter).reduce(|a, b| RunMeter {
            prompt_tokens: a.prompt_tokens + b.prompt_tokens,
            completion_tokens: a.completion_tokens + b.completion_tokens,
            estimated: a.estimated || b.estimated,
            cost: a.cost + b.cost,
            texts: 0,
        })
    }

    /// When the next frame looks otherwise though nothing happened.
    pub(super) fn moves(&self, session: &Session, now: Instant) -> Option<Instant> {
        let waits = self.is_busy() || self.source.reading.is_waiting();
        waits.then(|| now + if session.motion { SPINNER_FRAME } else { Duration::from_secs(1) })
    }

    pub(super) fn paste(&mut self, text: &str, cx: &mut Cx) {
        if let Some(picker) = &mut self.picker {
            return picker.paste(text);
        }
        self.focus = Focus::Prompt;
        if let Err(why) = self.editor.paste(text) {
            cx.notify(Notice::warn(why));
        }
    }

    /// Whether letters are text.
    pub(super) fn typing(&self) -> bool {
        self.picker.is_some() || self.focus == Focus::Prompt
    }

    pub(super) fn has_dialog(&self) -> bool {
        self.picker.is_some()
    }

    /// Gives the keys back, as the user goes on to another tab.
    pub(super) fn browse(&mut self) {
        self.focus = Focus::Answers;
    }

    /// The prompt, for `$EDITOR`.
    pub(super) fn editable(&self) -> String {
        self.editor.text()
    }

    /// The text that `$EDITOR` left.
    pub(super) fn edited(&mut self, text: &str) {
        self.editor.set_text(text);
    }
}
