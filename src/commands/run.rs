//! The loop of a command: effects out, replies in, until the command has ended and its records are stored.

use std::future;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{self, Receiver, UnboundedReceiver, UnboundedSender};
use tokio::sync::oneshot;

use super::signals::{Signals, Stop};
use super::store_faults::StoreFaults;
use super::{Output, Status, input};
use crate::api::call::{Call, Progress, Reply, Ticket};
use crate::api::model::Model;
use crate::app::effects::{Services, ServicesConfig};
use crate::app::run::unix_ms;
use crate::app::session::model_setting;
use crate::app::{Effect, Event};
use crate::component::facts::{FactSource, Facts, PREFIX};
use crate::component::{Cx, Level, Response, Session, session};
use crate::record::{Query, Record, Rows, Stored};
use crate::text::Untrusted;

/// A command while it runs.
pub trait Task {
    /// Returns whether a model can do its work, as far as its name tells; `None`: it needs no model.
    fn suits(&self) -> Option<fn(&Untrusted) -> bool> {
        None
    }
    /// Returns whether it needs what is stored: it ends where that cannot be read.
    fn reads_store(&self) -> bool {
        false
    }
    /// Begins; the model is known by now.
    fn start(&mut self, cx: &mut Cx, out: &mut Output);
    /// Takes in a reply of client, store or work threads.
    fn reply(&mut self, ticket: Ticket, response: Response, cx: &mut Cx, out: &mut Output);
    /// Returns when it next wants a [`Task::tick`].
    fn due(&self, _now: Instant) -> Option<Instant> {
        None
    }
    /// Does what was due.
    fn tick(&mut self, _cx: &mut Cx, _out: &mut Output) {}
    /// Returns the question that the user has to answer with yes before the command goes on; `None`: there is none, or it
    /// is answered.
    fn question(&self) -> Option<&str> {
        None
    }
    /// Takes in whether the answer to the question is yes.
    fn answered(&mut self, _is_yes: bool, _cx: &mut Cx, _out: &mut Output) {}
    /// Stops, and has a status then: Ctrl+C was pressed, or nobody reads what is printed.
    fn interrupt(&mut self, cx: &mut Cx, out: &mut Output);
    /// Returns how it ended; `None`: it runs.
    fn status(&self) -> Option<Status>;
}

/// A command that was chosen among several.
impl<T: Task + ?Sized> Task for Box<T> {
    fn suits(&self) -> Option<fn(&Untrusted) -> bool> {
        (**self).suits()
    }

    fn reads_store(&self) -> bool {
        (**self).reads_store()
    }

    fn start(&mut self, cx: &mut Cx, out: &mut Output) {
        (**self).start(cx, out);
    }

    fn reply(&mut self, ticket: Ticket, response: Response, cx: &mut Cx, out: &mut Output) {
        (**self).reply(ticket, response, cx, out);
    }

    fn due(&self, now: Instant) -> Option<Instant> {
        (**self).due(now)
    }

    fn tick(&mut self, cx: &mut Cx, out: &mut Output) {
        (**self).tick(cx, out);
    }

    fn question(&self) -> Option<&str> {
        (**self).question()
    }

    fn answered(&mut self, is_yes: bool, cx: &mut Cx, out: &mut Output) {
        (**self).answered(is_yes, cx, out);
    }

    fn interrupt(&mut self, cx: &mut Cx, out: &mut Output) {
        (**self).interrupt(cx, out);
    }

    fn status(&self) -> Option<Status> {
        (**self).status()
    }
}

/// What a command runs with.
pub struct Plan {
    /// Profile, model, prices and defaults.
    pub session: Session,
    /// What client, store and work threads start with.
    pub services: ServicesConfig,
    /// Whether requests and answers are stored.
    pub saves: bool,
}

/// What the loop itself knows or asks for, before a command begins.
enum Step {
    /// Nothing is known of the servers yet.
    New,
    Facts(Ticket),
    /// What was stored about the servers is known; no command runs.
    Known,
    LastModel(Ticket),
    Models(Ticket),
    /// The command runs.
    Started,
}

/// Client, store and work threads of commands, and the loop around each command.
pub(super) struct Runner<'a> {
    session: Session,
    services: Services,
    saves: bool,
    events: UnboundedReceiver<Event>,
    progress: Receiver<(Ticket, Progress)>,
    sender: UnboundedSender<Event>,
    signals: Signals,
    /// Whether a signal asked for the end of the program, and not only of what it does.
    is_ending: bool,
    tickets: u64,
    step: Step,
    store_faults: StoreFaults,
    /// Where everything is printed.
    pub(super) out: &'a mut Output,
    /// Whether the model was found here, and not named.
    is_model_found: bool,
    /// The server's models; empty until a command has asked for them.
    listed: Vec<Untrusted>,
    /// How a command ended before it began.
    ended: Option<Status>,
}

/// Runs a command to its end. Returns its status. Needs a running tokio runtime.
pub async fn run(task: &mut dyn Task, plan: Plan, out: &mut Output) -> Status {
    let mut runner = Runner::new(plan, out);
    let status = runner.run(task).await;
    runner.close(status).await
}

impl<'a> Runner<'a> {
    /// Starts client and store. Needs a running tokio runtime.
    pub(super) fn new(plan: Plan, out: &'a mut Output) -> Self {
        let (sender, events) = mpsc::unbounded_channel();
        let (services, progress) = Services::new(plan.services, sender.clone());
        let (session, saves) = (plan.session, plan.saves);
        let step = if session.local { Step::Known } else { Step::New };
        Self {
            session,
            services,
            saves,
            events,
            progress,
            sender,
            signals: Signals::watch(),
            is_ending: false,
            tickets: 0,
            step,
            store_faults: StoreFaults::default(),
            out,
            is_model_found: false,
            listed: Vec::new(),
            ended: None,
        }
    }

    /// Returns profile and model in use.
    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    /// Returns whether the server's models are known, and this is not among them.
    pub(super) fn lists_models_without(&self, model: &Untrusted) -> bool {
        !self.listed.is_empty() && !self.listed.contains(model)
    }

    /// Uses a model from now on.
    pub(super) fn set_model(&mut self, model: Untrusted) {
        (self.session.model, self.is_model_found) = (model, false);
    }

    /// Waits for Ctrl+C or a signal that ends programs.
    pub(super) async fn stopped(&mut self) -> Stop {
        self.signals.recv().await
    }

    /// Forgets a Ctrl+C that came when nothing ran any more. Returns whether the program is to end.
    pub(super) fn forget_ctrl_c(&mut self) -> bool {
        self.is_ending |= self.signals.forget();
        self.is_ending
    }

    /// Stores what is left and returns the status of the process.
    pub(super) async fn close(mut self, status: Status) -> Status {
        self.out.flush();
        self.out.clear_progress();
        tokio::spawn(self.signals.end_at_second(status == Status::Interrupted));
        let saved = self.services.close(&mut self.events, |words| self.out.progress(words)).await;
        if let Err(why) = saved
            && self.store_faults.has_saved()
        {
            self.out.notice(format!("not everything could be saved: {why}"));
        }
        self.out.finish(status)
    }

    /// Runs a command to its end. Returns its status.
    pub(super) async fn run(&mut self, task: &mut dyn Task) -> Status {
        self.ended = None;
        // Commands that need a model call the server. That takes time which the store needs to open.
        if task.suits().is_some() {
            self.services.resolve_ahead(self.session.profile.clone());
        }
        self.prepare(task);
        // It is held until all is printed.
        let mut stop: Option<Stop> = None;
        let mut answer = None;
        loop {
            if let Some(status) = self.ended.or_else(|| task.status()) {
                self.out.flush();
                return if stop.is_some() && !self.out.is_closed() { Status::Interrupted } else { status };
            }
            if let Some(question) = task.question().filter(|_| answer.is_none()) {
                self.out.flush();
                self.out.clear_progress();
                answer = Some(input::ask(question));
            }
            let due = task.due(Instant::now());
            let event = tokio::select! {
                biased;
                came = self.signals.recv() => {
                    self.is_ending |= came.ends_program;
                    stop = Some(came);
                    None
                }
                Some(event) = self.events.recv() => Some(event),
                Some((ticket, progress)) = self.progress.recv() => Some(Event::Progress(ticket, progress)),
                answered = answer_of(answer.as_mut()) => {
                    answer = None;
                    match answered {
                        Ok(is_yes) => self.with(|cx, out| task.answered(is_yes, cx, out)),
                        Err(why) => {
                            self.out.notice(why);
                            self.ended = Some(Status::Usage);
                        }
                    }
                    continue;
                }
                () = sleep_until(due) => {
                    self.with(|cx, out| task.tick(cx, out));
                    continue;
                }
            };
            match event {
                Some(event) => self.handle(event, task),
                None => self.interrupt(task),
            }
            // What came together is printed together, and at once.
            while let Ok((ticket, progress)) = self.progress.try_recv() {
                self.handle(Event::Progress(ticket, progress), task);
            }
            self.out.flush();
            if self.out.is_closed() && stop.is_none() {
                self.interrupt(task);
            }
        }
    }

    /// Stops the command, or ends it if it has not begun.
    fn interrupt(&mut self, task: &mut dyn Task) {
        if matches!(self.step, Step::Started) {
            self.with(|cx, out| task.interrupt(cx, out));
        } else {
            self.ended = Some(Status::Interrupted);
        }
    }

    /// Calls a function of the command, then carries out the effects it asked for.
    fn with(&mut self, act: impl FnOnce(&mut Cx, &mut Output)) {
        let mut effects = Vec::new();
        let mut cx = Cx::new(&self.session, Instant::now(), unix_ms(), &mut self.tickets, &mut effects);
        act(&mut cx, self.out);
        for effect in effects {
            if let Effect::TrySave(_, record) | Effect::Save(_, record) = &effect
                && self.saves
                // What is only remembered of servers and of views is no loss.
                && !matches!(record, Record::Setting(..))
            {
                self.store_faults.note_save(self.out);
            }
            self.perform(effect);
        }
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            // Nothing of it is kept, and the command need not know.
            Effect::TrySave(ticket, _) | Effect::Save(ticket, _) if !self.saves => {
                let _ = self.sender.send(Event::Stored(ticket, Stored::Committed));
            }
            Effect::Notify(notice) if notice.level != Level::Info => self.out.notice(notice.text),
            effect => drop(self.services.perform(effect)),
        }
    }

    fn ask(&mut self, effect: impl FnOnce(Ticket) -> Effect) -> Ticket {
        let ticket = Ticket::next(&mut self.tickets);
        self.perform(effect(ticket));
        ticket
    }

    fn handle(&mut self, event: Event, task: &mut dyn Task) {
        let Some(event) = self.services.handle(event) else { return };
        match event {
            Event::Progress(ticket, progress) => {
                let profile = self.session.profile.0.clone();
                if let Progress::Learned(fact) = progress {
                    if !self.session.local {
                        let learned = self.session.facts.learn(&profile, *fact, FactSource::Answer, unix_ms());
                        self.save(learned);
                    }
                    return;
                }
                let learned = self.session.facts.learn_cost(&profile, &progress, unix_ms());
                self.save(learned);
                if let Progress::Reply(Reply::Models(models)) = &progress {
                    self.listed = models.iter().map(|model| model.id.as_str().into()).collect();
                }
                if !self.step_models(ticket, &progress, task) {
                    self.with(|cx, out| task.reply(ticket, Response::Call(progress), cx, out));
                }
            }
            Event::Stored(ticket, stored) if self.step_stored(ticket, &stored, task) => {}
            Event::Stored(ticket, stored) => self.with(|cx, out| task.reply(ticket, Response::Store(stored), cx, out)),
            Event::Worked(ticket, done) => self.with(|cx, out| task.reply(ticket, Response::Work(done), cx, out)),
            Event::Notice(notice) | Event::LastingNotice(notice) => self.out.notice(notice.text),
            Event::Unsaved(why) => self.store_faults.note_unsaved(why, self.out),
            Event::Unreadable(why) => {
                self.store_faults.note_unreadable(why, self.out);
                if matches!(self.step, Step::Started) {
                    self.end_unread(task);
                }
            }
            _ => {}
        }
    }

    fn save(&mut self, records: impl IntoIterator<Item = Record>) {
        for record in records {
            self.ask(|ticket| Effect::Save(ticket, record));
        }
    }

    /// Loads what is known of the servers, as requests are sent as the server is known to accept them; then begins.
    fn prepare(&mut self, task: &mut dyn Task) {
        if let Step::New = self.step {
            self.step = Step::Facts(self.ask(|ticket| Effect::Load(ticket, Query::Settings(PREFIX.to_owned()))));
        } else {
            self.find_model(task);
        }
    }

    /// Takes the store's answer to a question of the loop; returns whether it was one.
    fn step_stored(&mut self, ticket: Ticket, stored: &Stored, task: &mut dyn Task) -> bool {
        match self.step {
            Step::Facts(asked) if asked == ticket => {
                if let Stored::Rows(Rows::Settings(settings)) = stored {
                    let (kept, _) = Facts::read(settings.clone());
                    for fact in self.session.facts.merge(kept) {
                        self.perform(Effect::AddFact(Box::new(fact)));
                    }
                }
                self.find_model(task);
                true
            }
            Step::LastModel(asked) if asked == ticket => {
                match stored {
                    Stored::Rows(Rows::Setting(_, Some(model))) => {
                        self.use_model(model.clone(), task);
                    }
                    _ => self.ask_models(),
                }
                true
            }
            _ => false,
        }
    }

    /// Finds the model for a command that needs one and was given none.
    fn find_model(&mut self, task: &mut dyn Task) {
        let model = &self.session.model;
        // One that was found for another command may not do.
        let lacks = |suits: &fn(&Untrusted) -> bool| model.is_empty() || (self.is_model_found && !suits(model));
        match task.suits().filter(lacks) {
            None => self.start(task),
            // What the profile was last used with is for chatting.
            Some(suits) if chats(suits) => {
                let name = model_setting(&self.session.profile);
                self.step = Step::LastModel(self.ask(|ticket| Effect::Load(ticket, Query::Setting(name))));
            }
            Some(_) => self.ask_models(),
        }
    }

    fn ask_models(&mut self) {
        let profile = self.session.profile.clone();
        self.step = Step::Models(self.ask(|ticket| Effect::Call(ticket, profile, Call::Models)));
    }

    /// Takes the answer to a question for the models; returns whether it was one.
    fn step_models(&mut self, ticket: Ticket, progress: &Progress, task: &mut dyn Task) -> bool {
        let Step::Models(asked) = self.step else { return false };
        if asked != ticket {
            return false;
        }
        match progress {
            Progress::Reply(Reply::Models(models)) => {
                if let Some(model) = first_suitable(models, task) {
                    self.use_model(model, task);
                } else {
                    self.out.notice("the server lists no model for this: name one with --model");
                    self.ended = Some(Status::Usage);
                }
            }
            Progress::Closed(Err(why)) => {
                self.out.notice(format!("no model could be chosen: {}", why.sentence.line()));
                self.ended = Some(Status::of_failure(why));
            }
            _ => {}
        }
        true
    }

    /// Uses a model that was found, and begins.
    fn use_model(&mut self, model: Untrusted, task: &mut dyn Task) {
        (self.session.model, self.is_model_found) = (model, true);
        self.start(task);
    }

    fn start(&mut self, task: &mut dyn Task) {
        self.step = Step::Started;
        self.end_unread(task);
        if self.ended.is_none() {
            self.with(|cx, out| task.start(cx, out));
        }
    }

    /// Ends a command that needs what is stored, if that cannot be read.
    fn end_unread(&mut self, task: &dyn Task) {
        if let Some(why) = self.store_faults.unreadable().filter(|_| task.reads_store()) {
            self.out.notice(format!("the store cannot be read: {why}"));
            self.ended = Some(Status::Usage);
        }
    }
}

/// Returns whether models that chat are suitable.
fn chats(suits: fn(&Untrusted) -> bool) -> bool {
    suits(&"gpt-4o".into())
}

/// Returns the first of the server's models that can do a command's work.
fn first_suitable(models: &[Model], task: &dyn Task) -> Option<Untrusted> {
    let suits = task.suits()?;
    let ids = || models.iter().map(|model| Untrusted::from(model.id.as_str()));
    // On a server of your own a model that chats may have any name.
    ids().find(suits).or_else(|| ids().find(|id| chats(suits) && session::may_chat(id)))
}

/// Waits for the answer to a question, if one was asked. Without a thread that asks it is no.
async fn answer_of(asked: Option<&mut oneshot::Receiver<Result<bool, String>>>) -> Result<bool, String> {
    match asked {
        Some(asked) => asked.await.unwrap_or(Ok(false)),
        None => future::pending().await,
    }
}

async fn sleep_until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due.into()).await,
        None => tokio::time::sleep(Duration::MAX).await,
    }
}
