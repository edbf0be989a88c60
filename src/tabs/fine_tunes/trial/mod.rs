//! A tuned model beside its base, on a prompt that is typed here or comes from the job's file.
//!
//! The program adds what ends every prompt of the file, and stops answers where the file ends them.

pub(super) mod keys;
mod lane;
mod navigation;
mod rows;
mod view;

use std::collections::HashMap;
use std::time::{Duration, Instant};

pub(super) use self::keys::TrialEvent;
use self::lane::ModelLane;
use self::rows::RowReading;
use crate::api::call::{Call, Progress, Ticket};
use crate::api::chat::{ChatMessage, ChatRequest, Stop};
use crate::api::completion::{CompletionRequest, Prompt};
use crate::component::ComparisonOffer;
use crate::component::session::{chats, completes};
use crate::component::{Cx, Effect, Notice, Offer, Session};
use crate::record::work::Done;
use crate::settings::ProfileId;
use crate::tabs::activity::ActivityOutcome;
use crate::tabs::columns::{Columns, LEAST};
use crate::tabs::tab::RunMeter;
use crate::text::Untrusted;
use crate::tokens::estimate;
use crate::ui::editor::Editor;
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
struct TrialRequest {
    prompt: String,
    before: Vec<ChatMessage>,
    stop: Option<String>,
}

/// What is tried.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TrialSubject {
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

/// Which part of the page has the keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TrialFocus {
    #[default]
    Prompt,
    Answers,
}

/// The file's rows, and which of them is shown; `None`: a prompt of one's own.
#[derive(Debug, Default)]
struct TrialSource {
    reading: RowReading,
    at: Option<usize>,
}

/// Which text was typed: the file, the row.
type DraftKey = (String, Option<usize>);

/// The page. Its text and answers stay while it is closed, and what streams continues.
#[derive(Debug)]
pub(super) struct TrialPage {
    subject: Option<TrialSubject>,
    source: TrialSource,
    editor: Editor,
    /// Texts that were typed over rows, and prompts of one's own.
    drafts: HashMap<DraftKey, String>,
    /// Texts that rows' own texts were put in place of.
    replaced: HashMap<DraftKey, String>,
    lanes: Vec<ModelLane>,
    columns: Columns,
    focus: TrialFocus,
    /// What the answers belong to.
    asked: Option<TrialRequest>,
    send_key: &'static str,
    /// Since when a file is read.
    since: Option<Instant>,
    /// Columns of the page.
    width: u16,
}

impl Default for TrialPage {
    fn default() -> Self {
        Self {
            subject: None,
            source: TrialSource::default(),
            editor: Editor::new("A prompt for both models"),
            drafts: HashMap::new(),
            replaced: HashMap::new(),
            lanes: Vec::new(),
            columns: Columns::default(),
            focus: TrialFocus::Prompt,
            asked: None,
            send_key: "⏎",
            since: None,
            width: 80,
        }
    }
}

impl TrialPage {
    /// Comes into view with a tuned model: as it was left, or with the first row of its file.
    pub(super) fn open(&mut self, subject: TrialSubject, cx: &mut Cx) {
        self.send_key = cx.session.send_key();
        self.focus = TrialFocus::Prompt;
        let failed = matches!(self.source.reading, RowReading::Failed(_));
        if self.subject.as_ref() == Some(&subject) {
            if failed {
                self.read(&subject, cx);
            }
            return;
        }
        self.stop(cx);
        self.source.reading.stop(cx);
        self.keep_typed_text();
        self.asked = None;
        self.lanes = [&subject.tuned, &subject.base].map(|model| ModelLane::new(model.clone())).into();
        self.lanes.retain(|lane| !lane.model.is_empty());
        self.columns.set_focus(0);
        self.read(&subject, cx);
        self.source.at = None;
        self.subject = Some(subject);
        self.fill();
    }

    fn read(&mut self, subject: &TrialSubject, cx: &mut Cx) {
        self.since = Some(cx.now);
        let file = subject.file.as_ref();
        self.source.reading =
            file.map_or(RowReading::None, |(id, _)| RowReading::begin(subject.profile.clone(), id.clone(), cx));
    }

    fn offer_label(&self) -> &'static str {
        if self.chats() { "to Chat" } else { "to Complete" }
    }

    /// Returns whether messages are sent; else prompts.
    fn chats(&self) -> bool {
        match &self.source.reading {
            RowReading::Done(examples) if !examples.rows.is_empty() => examples.chat,
            _ => self.subject.as_ref().is_some_and(|subject| subject.chat),
        }
    }

    /// Returns the prompt as it is sent: what ends prompts is added where it is not there.
    fn prompt(&self) -> String {
        let mut text = self.editor.text();
        if let RowReading::Done(examples) = &self.source.reading
            && !examples.chat
            && !text.ends_with(&examples.separator)
        {
            text.push_str(&examples.separator);
        }
        text
    }

    fn stop_text(&self) -> Option<&str> {
        let RowReading::Done(examples) = &self.source.reading else { return None };
        examples.stop.as_deref()
    }

    /// Messages before the one that is typed.
    fn before(&self) -> &[ChatMessage] {
        self.row().map_or(&[], |row| &row.before)
    }

    /// Returns what is sent to each model.
    fn request(&self) -> TrialRequest {
        TrialRequest {
            prompt: self.prompt(),
            before: self.before().to_vec(),
            stop: self.stop_text().map(str::to_owned),
        }
    }

    fn call(&self, lane: &ModelLane) -> Call {
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
            RowReading::Done(examples) if !examples.rows.is_empty() => (2 * examples.longest + SPARE).max(TOKENS_LEAST),
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
            let mut retried = false;
            for lane in &self.lanes {
                retried |= lane.retry_now(cx);
            }
            if !retried {
                cx.notify(Notice::warn("the models are answering; press esc to stop them first").about("try"));
            }
            return;
        }
        let has_messages = self.chats() && !self.before().is_empty();
        if self.editor.text().trim().is_empty() && !has_messages {
            return cx.notify(Notice::info("the prompt is empty; type one first").about("try"));
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
        self.lanes.iter().any(ModelLane::is_busy)
    }

    /// Returns how the last answers ended.
    pub(super) fn outcome(&self) -> ActivityOutcome {
        ActivityOutcome::of_parts(self.lanes.iter().map(ModelLane::outcome)).unwrap_or(ActivityOutcome::Stopped)
    }

    /// Stops all answers. Returns whether there were any.
    pub(super) fn stop(&mut self, cx: &mut Cx) -> bool {
        let busy = self.is_busy();
        (0..self.lanes.len()).for_each(|at| self.stop_lane(at, cx));
        busy
    }

    fn stop_lane(&mut self, at: usize, cx: &mut Cx) {
        if let Some(charge) = self.lanes.get_mut(at).and_then(|lane| lane.stop(cx)) {
            cx.save(charge);
        }
    }

    /// Stops reading the file, if it is being read. Returns whether it was.
    pub(super) fn stop_reading(&mut self, cx: &mut Cx) -> bool {
        let waits = self.source.reading.is_waiting();
        self.source.reading.stop(cx);
        waits
    }

    /// Returns the list of models that may be added; `ready` were tuned here. `None`: no more fit, as a notice says.
    pub(super) fn model_picker(&self, ready: &[String], cx: &mut Cx) -> Option<Picker<String>> {
        let most = self.most();
        if self.lanes.len() >= most {
            let said = format!("only {most} models fit on this screen; X in the answers removes one");
            cx.notify(Notice::info(said).about("try"));
            return None;
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
        Some(Picker::new("Add a model", items).no_match_text("this server has no other model to add"))
    }

    /// Returns how many models fit on the screen.
    fn most(&self) -> usize {
        usize::from((self.width + 1) / (LEAST + 1)).clamp(FEWEST, MOST)
    }

    /// Adds a model whose answer is shown, too.
    pub(super) fn add(&mut self, model: Untrusted) {
        self.lanes.push(ModelLane::new(model));
        self.columns.set_focus(self.lanes.len() - 1);
    }

    fn remove(&mut self, cx: &mut Cx) {
        if self.lanes.len() < 2 {
            return cx.notify(Notice::info("the last model cannot be removed").about("try"));
        }
        let at = self.columns.focus().min(self.lanes.len() - 1);
        self.stop_lane(at, cx);
        self.lanes.remove(at);
        self.columns.set_focus(at.min(self.lanes.len() - 1));
    }

    /// Hands prompt and models to the tab that continues with them.
    fn offer(&mut self, cx: &mut Cx) {
        let Some(subject) = &self.subject else { return };
        let trial = ComparisonOffer {
            profile: subject.profile.clone(),
            models: self.lanes.iter().map(|lane| lane.model.clone()).collect(),
            prompt: if self.editor.is_empty() { Untrusted::default() } else { self.prompt().into() },
            stop: self.stop_text().map(str::to_owned).into_iter().collect(),
            chat: self.chats(),
        };
        cx.push(Effect::Offer(Offer::Compare(Box::new(trial))));
    }

    /// Takes a part of a call. Returns whether the call was the page's.
    pub(super) fn handle_progress(&mut self, ticket: Ticket, progress: &Progress, cx: &mut Cx) -> bool {
        if self.source.reading.handle_progress(ticket, progress, cx) {
            return true;
        }
        let Some(lane) = self.lanes.iter_mut().find(|lane| lane.owns(ticket)) else { return false };
        if let Some(charge) = lane.handle_progress(progress, cx) {
            cx.save(charge);
        }
        true
    }

    /// Takes a result of the work threads. Returns whether the page had ordered it.
    pub(super) fn handle_worked(&mut self, ticket: Ticket, done: &Done) -> bool {
        if !self.source.reading.handle_worked(ticket, done) {
            return false;
        }
        // A prompt that was typed meanwhile stays.
        if self.source.at.is_none()
            && self.editor.is_empty()
            && matches!(&self.source.reading, RowReading::Done(examples) if !examples.rows.is_empty())
        {
            self.go_to(Some(0));
        }
        true
    }

    /// Returns tokens and cost of the last answers.
    pub(super) fn meter(&self) -> Option<RunMeter> {
        self.lanes.iter().filter_map(ModelLane::meter).reduce(|a, b| RunMeter {
            prompt_tokens: a.prompt_tokens + b.prompt_tokens,
            completion_tokens: a.completion_tokens + b.completion_tokens,
            estimated: a.estimated || b.estimated,
            cost: a.cost + b.cost,
            texts: 0,
        })
    }

    /// Returns when the next frame looks otherwise though nothing happened.
    pub(super) fn moves(&self, session: &Session, now: Instant) -> Option<Instant> {
        let waits = self.is_busy() || self.source.reading.is_waiting();
        waits.then(|| now + if session.motion { SPINNER_FRAME } else { Duration::from_secs(1) })
    }

    /// Gives the keys back, as the user goes to another tab.
    pub(super) fn browse(&mut self) {
        self.focus = TrialFocus::Answers;
    }
}
