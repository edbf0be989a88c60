//! The workbench with one tab in front, driven by keys and by the events that the client, the store and the workers send.

use std::ops::{Deref, DerefMut};
use std::rc::Rc;
use std::time::{Duration, Instant};

use benchtop::api::call::{Call, Failure, Progress, Reply, Ticket};
use benchtop::api::model::Model;
use benchtop::app::{App, Effect, Event, Profile, Start};
use benchtop::component::Session;
use benchtop::record::Stored;
use benchtop::record::work::{Done, Work};
use benchtop::settings::ProfileId;
use benchtop::tabs::{self};
use benchtop::tokens::Tariff;
use benchtop::ui::theme::{Depth, Kind, Theme};
use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyModifiers};

use super::{Disk, Writes, screen};

/// How fast a person types: keys that come faster are a paste.
const APART: Duration = Duration::from_millis(50);
/// How long the store waits until it offers again what was refused.
const PAUSE: Duration = Duration::from_secs(1);
/// Why the disk takes nothing.
const FULL: &str = "the disk is full; free some space";

/// The part of the workbench that the tests of one tab make up.
pub trait Tab {
    /// The digit that brings it to the front; `None`: the first tab stays there.
    fn digit(&self) -> Option<char>;
    /// What the workers answer.
    fn work(&mut self, ticket: Ticket, work: Work) -> Done;
    /// Whether an order that is no record waits for [`Driver::release`].
    fn waits(&self, _order: &Effect) -> bool {
        false
    }
    /// Called by [`Driver::release`]: what follows need not wait.
    fn released(&mut self) {}
    /// An answer in place of the store's.
    fn stored(&self, _order: &Effect) -> Option<Stored> {
        None
    }
}

/// How the workbench starts.
pub struct Setup {
    pub unix_ms: i64,
    pub session: Session,
    /// Names and models; the first is the one in use.
    pub profiles: Vec<(&'static str, &'static str)>,
    /// Tabs behind the program's own.
    pub more: Vec<Box<dyn tabs::Tab>>,
}

impl Default for Setup {
    fn default() -> Self {
        let profiles = vec![("work", ""), ("home", "")];
        Self { unix_ms: 1_700_000_000_000, session: Session::default(), profiles, more: Vec::new() }
    }
}

pub struct Driver<T> {
    pub app: App,
    pub disk: Rc<Disk>,
    pub writes: Writes,
    pub size: (u16, u16),
    pub now: Instant,
    pub unix_ms: i64,
    /// What waits for [`Driver::release`].
    pub waiting: Vec<Effect>,
    /// What the store refused and offers again when [`Driver::writes`] allows it and time passes.
    pub refused: Vec<Effect>,
    /// All that was ordered, but for what was asked of the store.
    pub effects: Vec<Effect>,
    /// How many of the effects [`Driver::news`] has returned.
    pub seen: usize,
    pub tab: T,
}

impl<T> Deref for Driver<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.tab
    }
}

impl<T> DerefMut for Driver<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.tab
    }
}

impl<T: Tab> Driver<T> {
    /// Starts the workbench on a disk and brings the tab to the front.
    pub fn start(disk: &Rc<Disk>, tab: T, setup: Setup) -> Self {
        let Setup { unix_ms, session, profiles, more } = setup;
        let profile = |(name, model): &(&str, &str)| Profile {
            id: ProfileId((*name).into()),
            name: (*name).into(),
            model: (*model).into(),
            tariff: Tariff::new("https://api.openai.com/v1", &[], &[]),
            ..Profile::default()
        };
        let profiles: Vec<Profile> = profiles.iter().map(profile).collect();
        let start = Start {
            tabs: tabs::all().into_iter().chain(more).collect(),
            theme: Theme::of(Kind::Mono, Depth::Indexed),
            depth: Depth::Indexed,
            session: Session { profile: profiles[0].id.clone(), profile_name: profiles[0].name.clone(), ..session },
            profiles,
            mouse: true,
            warnings: Vec::new(),
        };
        let now = Instant::now();
        let mut driver = Self {
            app: App::new(start, now, unix_ms),
            disk: Rc::clone(disk),
            writes: Writes::Done,
            size: (120, 36),
            now,
            unix_ms,
            waiting: Vec::new(),
            refused: Vec::new(),
            effects: Vec::new(),
            seen: 0,
            tab,
        };
        driver.event(Event::Started);
        if let Some(digit) = driver.tab.digit() {
            driver.key(KeyCode::Char(digit), KeyModifiers::ALT);
        }
        driver
    }

    pub fn event(&mut self, event: Event) {
        self.app.resize(self.size.0, self.size.1);
        self.pass(APART);
        let effects = self.app.update(event, self.now, self.unix_ms);
        self.take(effects);
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
        self.unix_ms += time.as_millis() as i64;
    }

    /// Presses keys: `^x` is Ctrl+x, `\n` Enter, `\t` Tab, `\u{1b}` Esc, `←↑→↓` the arrows.
    pub fn press(&mut self, keys: &str) {
        let mut keys = keys.chars();
        while let Some(key) = keys.next() {
            match key {
                '^' => self.key(KeyCode::Char(keys.next().unwrap()), KeyModifiers::CONTROL),
                '\n' => self.code(KeyCode::Enter),
                '\t' => self.code(KeyCode::Tab),
                '\u{1b}' => self.code(KeyCode::Esc),
                '←' => self.code(KeyCode::Left),
                '↑' => self.code(KeyCode::Up),
                '→' => self.code(KeyCode::Right),
                '↓' => self.code(KeyCode::Down),
                key => self.code(KeyCode::Char(key)),
            }
        }
    }

    pub fn code(&mut self, code: KeyCode) {
        self.key(code, KeyModifiers::NONE);
    }

    pub fn key(&mut self, code: KeyCode, modifiers: KeyModifiers) {
        self.event(Event::Input(Input::Key(KeyEvent::new(code, modifiers))));
    }

    pub fn paste(&mut self, text: &str) {
        self.event(Event::Input(Input::Paste(text.to_owned())));
        // For a while Enter belongs to the paste.
        self.pass(Duration::from_millis(200));
    }

    /// Lets time pass and does what is due.
    pub fn wait(&mut self, time: Duration) {
        let end = self.now + time;
        if !self.refused.is_empty() && time >= PAUSE && self.writes != Writes::Refused {
            self.pass(PAUSE);
            self.offer_refused();
        }
        for _ in 0..10_000 {
            let Some(due) = self.app.due().filter(|due| *due <= end) else { break };
            self.pass(due.saturating_duration_since(self.now).max(Duration::from_millis(1)));
            let effects = self.app.tick(self.now, self.unix_ms);
            self.take(effects);
        }
        self.pass(end.saturating_duration_since(self.now));
    }

    fn offer_refused(&mut self) {
        for effect in std::mem::take(&mut self.refused) {
            self.carry_out(effect);
        }
    }

    /// Waits until what was typed is kept, counted and looked up, and notices are gone.
    pub fn settle(&mut self) {
        self.wait(Duration::from_secs(30));
    }

    fn take(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            if !matches!(effect, Effect::Load(..)) {
                self.effects.push(effect.clone());
            }
            match effect {
                Effect::Save(ticket, _) if self.writes == Writes::Refused => {
                    self.refused.push(effect);
                    self.respond(Event::Stored(ticket, Stored::Waiting(FULL.into())));
                }
                // What is newer waits behind it.
                Effect::Save(ticket, _) if !self.refused.is_empty() => {
                    self.refused.push(effect);
                    self.respond(Event::Stored(ticket, Stored::Waiting(FULL.into())));
                }
                Effect::Record(ticket, _) | Effect::Save(ticket, _) if self.writes == Writes::Full => {
                    self.waiting.push(effect);
                    self.respond(Event::Stored(ticket, Stored::Waiting(FULL.into())));
                }
                Effect::Record(..) | Effect::Save(..) if self.writes == Writes::Waiting => self.waiting.push(effect),
                Effect::Cancel(ticket) => {
                    self.waiting.retain(|effect| !matches!(effect, Effect::Work(other, _) if *other == ticket));
                }
                effect if self.tab.waits(&effect) => self.waiting.push(effect),
                effect => self.carry_out(effect),
            }
        }
    }

    fn carry_out(&mut self, effect: Effect) {
        let replaced = self.tab.stored(&effect);
        let event = match effect {
            Effect::Record(ticket, _) | Effect::Save(ticket, _) | Effect::Load(ticket, _) if replaced.is_some() => {
                Event::Stored(ticket, replaced.unwrap())
            }
            Effect::Record(ticket, _) if self.writes == Writes::Refused => {
                Event::Stored(ticket, Stored::Failed(FULL.into()))
            }
            Effect::Record(ticket, record) | Effect::Save(ticket, record) => {
                let stored = self.disk.record(record.clone());
                let taken = stored == Stored::Committed || self.writes == Writes::AsTheStoreDoes;
                assert!(taken, "the store takes all that the tab gives it: {stored:?} {record:?}");
                Event::Stored(ticket, stored)
            }
            Effect::Load(ticket, query) => Event::Stored(ticket, Stored::Rows(self.disk.load(query))),
            Effect::Work(ticket, work) => Event::Worked(ticket, self.tab.work(ticket, work)),
            _ => return,
        };
        self.respond(event);
    }

    /// An answer that comes in the same instant.
    fn respond(&mut self, event: Event) {
        let next = self.app.update(event, self.now, self.unix_ms);
        self.take(next);
    }

    /// The store says why the disk does not take now what waits.
    pub fn put_off(&mut self, why: &str) {
        let ticket = |effect: &Effect| {
            if let Effect::Record(ticket, _) | Effect::Save(ticket, _) = effect { Some(*ticket) } else { None }
        };
        let waiting: Vec<Ticket> = self.waiting.iter().filter_map(ticket).collect();
        assert!(!waiting.is_empty(), "something waits");
        for ticket in waiting {
            self.event(Event::Stored(ticket, Stored::Waiting(why.into())));
        }
    }

    /// Carries out all that waited.
    pub fn release(&mut self) {
        if matches!(self.writes, Writes::Waiting | Writes::Full) {
            self.writes = Writes::Done;
        }
        self.tab.released();
        for effect in std::mem::take(&mut self.waiting) {
            self.carry_out(effect);
        }
    }

    /// Carries out the first of what waited.
    pub fn release_one(&mut self) {
        if !self.waiting.is_empty() {
            let effect = self.waiting.remove(0);
            self.carry_out(effect);
        }
    }

    /// Returns what was ordered since this was called last.
    pub fn news(&mut self) -> Vec<Effect> {
        let new = self.effects[self.seen..].to_vec();
        self.seen = self.effects.len();
        new
    }

    /// Returns the calls since [`Driver::news`] was called last, but for the list of models.
    pub fn calls(&mut self) -> Vec<(Ticket, Call)> {
        let call = |effect| match effect {
            Effect::Call(ticket, _, call) if call != Call::Models => Some((ticket, call)),
            _ => None,
        };
        self.news().into_iter().filter_map(call).collect()
    }

    /// Returns the last call that is like this.
    #[track_caller]
    pub fn last(&self, like: impl Fn(&Call) -> bool) -> (Ticket, Call) {
        let call = |effect: &Effect| match effect {
            Effect::Call(ticket, _, call) if like(call) => Some((*ticket, call.clone())),
            _ => None,
        };
        self.effects.iter().rev().find_map(call).expect("it was called")
    }

    pub fn progress(&mut self, ticket: Ticket, progress: Progress) {
        self.event(Event::Progress(ticket, progress));
    }

    /// Answers a call with one reply and ends it.
    pub fn reply(&mut self, ticket: Ticket, reply: Reply) {
        self.progress(ticket, Progress::Reply(reply));
        self.progress(ticket, Progress::Closed(Ok(())));
    }

    /// Answers the last request for the list of models, if there was one.
    pub fn models_come(&mut self, ids: &[&str]) {
        let model = |id: &&str| Model { id: (*id).to_owned(), ..Model::default() };
        let asked = |effect: &Effect| match effect {
            Effect::Call(ticket, _, Call::Models) => Some(*ticket),
            _ => None,
        };
        if let Some(ticket) = self.effects.iter().rev().find_map(asked) {
            self.reply(ticket, Reply::Models(ids.iter().map(model).collect()));
        }
        self.news();
    }

    pub fn fail(&mut self, ticket: Ticket, why: Failure) {
        self.progress(ticket, Progress::Closed(Err(why)));
    }

    pub fn lines(&mut self) -> Vec<String> {
        screen(&mut self.app, self.size, self.now)
    }

    pub fn screen(&mut self) -> String {
        self.lines().join("\n")
    }

    /// The screen without the shell's rows, for snapshots of a tab.
    pub fn picture(&mut self) -> String {
        let lines = self.lines();
        lines[1..lines.len() - 1].join("\n")
    }

    pub fn footer(&mut self) -> String {
        self.lines().pop().unwrap_or_default()
    }

    /// Returns the first line that holds this.
    #[track_caller]
    pub fn line(&mut self, words: &str) -> String {
        let screen = self.screen();
        let line = screen.lines().find(|line| line.contains(words));
        line.unwrap_or_else(|| panic!("{words:?} is not shown:\n{screen}")).to_owned()
    }

    /// Fails unless this is on the screen.
    #[track_caller]
    pub fn shows(&mut self, words: &str) {
        self.line(words);
    }

    #[track_caller]
    pub fn hides(&mut self, words: &str) {
        let screen = self.screen();
        assert!(!screen.contains(words), "{words:?} is shown:\n{screen}");
    }

    /// Ends the program and returns the time its next start has.
    pub fn end(&mut self) -> i64 {
        let effects = self.app.before_quit(self.now, self.unix_ms);
        self.take(effects);
        self.offer_refused();
        self.unix_ms + 60_000
    }
}
