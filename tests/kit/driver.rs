//! The workbench with one tab in front, driven by keys and by the events that the client, the store and the workers
//! send.

use std::ops::{Deref, DerefMut};
use std::rc::Rc;
use std::time::{Duration, Instant};

use benchtop::api::call::{Call, Failure, FailureKind, Progress, Reply, Ticket};
use benchtop::api::model::Model;
use benchtop::app::{App, Effect, Event, Profile, Start};
use benchtop::component::Session;
use benchtop::record::work::{Done, Work};
use benchtop::record::{Query, Stored};
use benchtop::settings::ProfileId;
use benchtop::tabs::{self};
use benchtop::tokens::Tariff;
use benchtop::ui::theme::{Appearance, Depth, Kind, Theme};
use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyModifiers};
use ratatui::Frame;

use super::replies::{Answer, Request};
use super::{Disk, Writes, screen};

/// Time between typed keys: keys that come faster are a paste.
pub const APART: Duration = Duration::from_millis(50);
/// Time after which the store offers again what was refused.
const PAUSE: Duration = Duration::from_secs(1);
/// Why the disk refuses everything.
const FULL: &str = "the disk is full; free some space";

/// What the tests of one tab provide.
pub trait Tab: Default {
    /// The calls that its tests answer.
    type Request: Request;
    /// Returns how the workbench starts.
    fn setup() -> Setup {
        Setup::default()
    }
    /// Returns the workers' answer.
    fn work(&mut self, work: Work) -> Done;
    /// Sends the server's first answers; called by [`Driver::at`].
    fn started(_: &mut Driver<Self>) {}
}

/// The object that a driver drives: the workbench, or a tab [alone](super::Alone).
pub trait Front {
    fn resize(&mut self, width: u16, height: u16);
    fn update(&mut self, event: Event, now: Instant, unix_ms: i64) -> Vec<Effect>;
    fn due(&self) -> Option<Instant>;
    fn tick(&mut self, now: Instant, unix_ms: i64) -> Vec<Effect>;
    fn before_quit(&mut self, now: Instant, unix_ms: i64) -> Vec<Effect>;
    fn draw(&mut self, frame: &mut Frame, now: Instant);
}

impl Front for App {
    fn resize(&mut self, width: u16, height: u16) {
        self.resize(width, height);
    }

    fn update(&mut self, event: Event, now: Instant, unix_ms: i64) -> Vec<Effect> {
        self.update(event, now, unix_ms)
    }

    fn due(&self) -> Option<Instant> {
        self.due()
    }

    fn tick(&mut self, now: Instant, unix_ms: i64) -> Vec<Effect> {
        self.tick(now, unix_ms)
    }

    fn before_quit(&mut self, now: Instant, unix_ms: i64) -> Vec<Effect> {
        self.before_quit(now, unix_ms)
    }

    fn draw(&mut self, frame: &mut Frame, now: Instant) {
        self.render(frame, now);
    }
}

/// Answers in place of the store's.
pub type Answers = Box<dyn Fn(&Query) -> Option<Stored>>;

/// How the workbench starts.
pub struct Setup {
    /// The key that brings the tab to the front; `None`: the first tab stays there.
    pub digit: Option<char>,
    pub unix_ms: i64,
    pub session: Session,
    /// Names and models; the first is the one in use.
    pub profiles: Vec<(&'static str, &'static str)>,
    /// Tabs behind the program's own.
    pub more: Vec<Box<dyn tabs::Tab>>,
    pub writes: Writes,
    pub answers: Answers,
    /// What waits for [`Driver::release`] besides records.
    pub holds: fn(&Effect) -> bool,
    pub theme: Kind,
    /// Of the screen, when it starts.
    pub size: (u16, u16),
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            digit: None,
            unix_ms: 1_700_000_000_000,
            session: Session::default(),
            profiles: vec![("work", ""), ("home", "")],
            more: Vec::new(),
            writes: Writes::Done,
            answers: Box::new(|_| None),
            holds: |_| false,
            theme: Kind::Mono,
            size: (120, 36),
        }
    }
}

pub struct Driver<T, F = App> {
    pub app: F,
    pub disk: Rc<Disk>,
    pub writes: Writes,
    pub answers: Answers,
    /// As in [`Setup`].
    pub holds: fn(&Effect) -> bool,
    /// How much time passes before each event.
    pub apart: Duration,
    /// Of the screen. A change is reported before the next event, as a terminal reports it.
    pub size: (u16, u16),
    /// The size that was reported last.
    reported: (u16, u16),
    pub now: Instant,
    pub unix_ms: i64,
    /// What waits for [`Driver::release`].
    pub waiting: Vec<Effect>,
    /// What the store refused and offers again when [`Driver::writes`] allows it and time passes.
    pub refused: Vec<Effect>,
    /// All that was ordered.
    pub effects: Vec<Effect>,
    /// How many of the effects [`Driver::news`] has returned.
    pub seen: usize,
    pub tab: T,
}

impl<T, F> Deref for Driver<T, F> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.tab
    }
}

impl<T, F> DerefMut for Driver<T, F> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.tab
    }
}

impl<T: Tab> Driver<T> {
    pub fn new() -> Self {
        Self::on(&Disk::new())
    }

    /// Starts a copy in the theme [`dark`] on an empty disk, without the server's first answers.
    pub fn in_dark() -> Self {
        Self::start(&Disk::new(), Setup { theme: Kind::Dark, ..T::setup() })
    }

    /// Starts a copy on this disk.
    pub fn on(disk: &Rc<Disk>) -> Self {
        Self::at(disk, T::setup().unix_ms)
    }

    /// Starts a copy at another time: its ids differ from those of an earlier copy.
    pub fn at(disk: &Rc<Disk>, unix_ms: i64) -> Self {
        let mut driver = Self::start(disk, Setup { unix_ms, ..T::setup() });
        T::started(&mut driver);
        driver
    }

    /// Ends this copy and starts another at that time.
    pub fn again(mut self) -> Self {
        let unix_ms = self.end();
        Self::at(&self.disk, unix_ms)
    }

    /// Starts the workbench on a disk and brings the tab to the front.
    pub fn start(disk: &Rc<Disk>, setup: Setup) -> Self {
        let Setup { digit, unix_ms, session, profiles, more, writes, answers, holds, theme, size } = setup;
        let profile = |(name, model): &(&str, &str)| Profile {
            id: ProfileId((*name).into()),
            name: (*name).into(),
            model: (*model).into(),
            tariff: Tariff::new("https://api.openai.com/v1", &[], &[]),
            ..Profile::default()
        };
        let profiles: Vec<Profile> = profiles.iter().map(profile).collect();
        let named = !session.profile_name.is_empty();
        let profile_name = if named { session.profile_name.clone() } else { profiles[0].name.clone() };
        let start = Start {
            tabs: tabs::all().into_iter().chain(more).collect(),
            appearance: Appearance::fixed(theme, if theme.has_surfaces() { Depth::True } else { Depth::Indexed }),
            session: Session { profile: profiles[0].id.clone(), profile_name, ..session },
            profiles,
            mouse: true,
            warnings: Vec::new(),
        };
        let mut driver = Self::of(App::new(start, Instant::now(), unix_ms), disk, unix_ms, size);
        (driver.writes, driver.answers, driver.holds) = (writes, answers, holds);
        driver.event(Event::Started);
        if let Some(digit) = digit {
            driver.key(KeyCode::Char(digit), KeyModifiers::ALT);
        }
        driver
    }
}

impl<T: Tab, F: Front> Driver<T, F> {
    /// Creates the driver of an object that has not started yet, on a screen of this size.
    pub fn of(mut app: F, disk: &Rc<Disk>, unix_ms: i64, size: (u16, u16)) -> Self {
        app.resize(size.0, size.1);
        Self {
            app,
            disk: Rc::clone(disk),
            writes: Writes::Done,
            answers: Box::new(|_| None),
            holds: |_| false,
            apart: APART,
            size,
            reported: size,
            now: Instant::now(),
            unix_ms,
            waiting: Vec::new(),
            refused: Vec::new(),
            effects: Vec::new(),
            seen: 0,
            tab: T::default(),
        }
    }

    /// Passes an event on and returns the effects.
    pub fn event(&mut self, event: Event) -> Vec<Effect> {
        self.report_size();
        self.pass(self.apart);
        self.leads_to(|driver| driver.respond(event))
    }

    fn report_size(&mut self) {
        if self.reported != self.size {
            self.reported = self.size;
            self.respond(Event::Input(Input::Resize(self.size.0, self.size.1)));
        }
    }

    /// Calls a function with the driver and returns the effects that followed.
    pub fn leads_to(&mut self, act: impl FnOnce(&mut Self)) -> Vec<Effect> {
        let before = self.effects.len();
        act(self);
        self.effects[before..].to_vec()
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
        self.unix_ms += time.as_millis() as i64;
    }

    /// Presses keys: `^x` is Ctrl+x, `\n` Enter, `\t` Tab, `⇤` Shift+Tab, `\u{1b}` Esc, `←↑→↓` the arrows,
    /// `⇞⇟` Page Up and Page Down.
    pub fn press(&mut self, keys: &str) -> Vec<Effect> {
        self.leads_to(|driver| keys_of(keys).into_iter().for_each(|key| drop(driver.code(key))))
    }

    /// Presses keys repeatedly until this is on the screen.
    #[track_caller]
    pub fn press_until(&mut self, keys: &str, words: &str) {
        for _ in 0..40 {
            if self.screen().contains(words) {
                return;
            }
            self.press(keys);
        }
        self.shows(words);
    }

    pub fn code(&mut self, key: impl Into<KeyEvent>) -> Vec<Effect> {
        self.event(Event::Input(Input::Key(key.into())))
    }

    pub fn key(&mut self, code: KeyCode, modifiers: KeyModifiers) -> Vec<Effect> {
        self.code(KeyEvent::new(code, modifiers))
    }

    pub fn paste(&mut self, text: &str) -> Vec<Effect> {
        let effects = self.event(Event::Input(Input::Paste(text.to_owned())));
        // For a while Enter belongs to the paste.
        self.pass(4 * self.apart);
        effects
    }

    /// Lets time pass and calls what is due.
    pub fn wait(&mut self, time: Duration) {
        self.report_size();
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

    /// Waits until what was typed is stored, counted and looked up, and notices are gone.
    pub fn settle(&mut self) {
        self.wait(Duration::from_secs(30));
    }

    pub fn take(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            self.effects.push(effect.clone());
            match effect {
                Effect::Save(ticket, _) if self.writes == Writes::Refused => {
                    self.refused.push(effect);
                    self.respond(Event::Stored(ticket, Stored::Waiting(FULL.into())));
                }
                // Newer records wait behind it.
                Effect::Save(ticket, _) if !self.refused.is_empty() => {
                    self.refused.push(effect);
                    self.respond(Event::Stored(ticket, Stored::Waiting(FULL.into())));
                }
                Effect::TrySave(ticket, _) | Effect::Save(ticket, _) if self.writes == Writes::Full => {
                    self.waiting.push(effect);
                    self.respond(Event::Stored(ticket, Stored::Waiting(FULL.into())));
                }
                Effect::TrySave(..) | Effect::Save(..) if self.writes == Writes::Waiting => self.waiting.push(effect),
                Effect::Cancel(ticket) => {
                    self.waiting.retain(|effect| !matches!(effect, Effect::Work(other, _) if *other == ticket));
                }
                effect if (self.holds)(&effect) => self.waiting.push(effect),
                effect => self.carry_out(effect),
            }
        }
    }

    fn carry_out(&mut self, effect: Effect) {
        let event = match effect {
            Effect::TrySave(ticket, _) if self.writes == Writes::Refused => {
                Event::Stored(ticket, Stored::Failed(FULL.into()))
            }
            Effect::TrySave(ticket, record) | Effect::Save(ticket, record) => {
                let stored = self.disk.record(record.clone());
                let taken = stored == Stored::Committed || self.writes == Writes::AsTheStoreDoes;
                assert!(taken, "the store takes all that the tab gives it: {stored:?} {record:?}");
                Event::Stored(ticket, stored)
            }
            Effect::Load(ticket, query) => {
                let answer = (self.answers)(&query);
                Event::Stored(ticket, answer.unwrap_or_else(|| Stored::Rows(self.disk.load(query))))
            }
            Effect::Work(ticket, work) => Event::Worked(ticket, self.tab.work(work)),
            _ => return,
        };
        self.respond(event);
    }

    /// Sends an answer without letting time pass.
    fn respond(&mut self, event: Event) {
        let next = self.app.update(event, self.now, self.unix_ms);
        self.take(next);
    }

    /// Reports why the disk refuses for now what waits.
    pub fn put_off(&mut self, why: &str) -> Vec<Effect> {
        self.answer_waiting(&Stored::Waiting(why.into()))
    }

    /// Refuses for good what waits.
    pub fn refuse(&mut self, why: &str) -> Vec<Effect> {
        let effects = self.answer_waiting(&Stored::Failed(why.into()));
        self.waiting.clear();
        effects
    }

    fn answer_waiting(&mut self, stored: &Stored) -> Vec<Effect> {
        let ticket = |effect: &Effect| match effect {
            Effect::TrySave(ticket, _) | Effect::Save(ticket, _) | Effect::Load(ticket, _) => Some(*ticket),
            _ => None,
        };
        let waiting: Vec<Ticket> = self.waiting.iter().filter_map(ticket).collect();
        assert!(!waiting.is_empty(), "something waits");
        waiting.into_iter().flat_map(|ticket| self.event(Event::Stored(ticket, stored.clone()))).collect()
    }

    /// Carries out everything that waited and returns the effects. What follows need not wait.
    pub fn release(&mut self) -> Vec<Effect> {
        if matches!(self.writes, Writes::Waiting | Writes::Full) {
            self.writes = Writes::Done;
        }
        self.holds = |_| false;
        self.leads_to(|driver| std::mem::take(&mut driver.waiting).into_iter().for_each(|one| driver.carry_out(one)))
    }

    /// Carries out the first effect that waited.
    pub fn release_one(&mut self) {
        if !self.waiting.is_empty() {
            let effect = self.waiting.remove(0);
            self.carry_out(effect);
        }
    }

    /// Returns the effects since this was called last, except queries to the store.
    pub fn news(&mut self) -> Vec<Effect> {
        let new = self.effects[self.seen..].iter().filter(|effect| !matches!(effect, Effect::Load(..))).cloned();
        let new = new.collect();
        self.seen = self.effects.len();
        new
    }

    /// Returns the calls since [`Driver::news`] was called last, except those for the list of models.
    pub fn calls(&mut self) -> Vec<(Ticket, Call)> {
        let call = |effect| match effect {
            Effect::Call(ticket, _, call) if call != Call::Models => Some((ticket, call)),
            _ => None,
        };
        self.news().into_iter().filter_map(call).collect()
    }

    /// Returns the requests since [`Driver::news`] was called last.
    pub fn sent(&mut self) -> Vec<(Ticket, T::Request)> {
        self.sent_to().into_iter().map(|(ticket, _, request)| (ticket, request)).collect()
    }

    /// Returns the requests since [`Driver::news`] was called last, with the profiles whose servers they go to.
    pub fn sent_to(&mut self) -> Vec<(Ticket, ProfileId, T::Request)> {
        let request = |effect| match effect {
            Effect::Call(ticket, profile, call) => Some((ticket, profile, T::Request::of(call)?)),
            _ => None,
        };
        self.news().into_iter().filter_map(request).collect()
    }

    /// Returns the only request since [`Driver::news`] was called last.
    pub fn asked(&mut self) -> (Ticket, T::Request) {
        let mut sent = self.sent();
        assert_eq!(sent.len(), 1, "one call\n{}", self.screen());
        sent.remove(0)
    }

    /// Starts a run; returns its requests.
    pub fn runs(&mut self) -> Vec<(Ticket, T::Request)> {
        self.press("^r");
        self.sent()
    }

    /// Starts a run; returns its only request.
    pub fn run(&mut self) -> (Ticket, T::Request) {
        self.press("^r");
        self.asked()
    }

    /// Returns what was copied since [`Driver::news`] was called last.
    pub fn copied(&mut self) -> Vec<String> {
        let copied = |effect| if let Effect::Copy(text) = effect { Some(text.raw().to_owned()) } else { None };
        self.news().into_iter().filter_map(copied).collect()
    }

    /// Returns what is told of what `act` ends while another window has the focus.
    pub fn told_outside(&mut self, act: impl FnOnce(&mut Self)) -> Vec<String> {
        let effects = self.leads_to(|driver| {
            driver.event(Event::Input(Input::FocusLost));
            act(driver);
            driver.wait(Duration::from_secs(2));
        });
        let told = |effect| if let Effect::DesktopNotification(words) = effect { Some(words) } else { None };
        effects.into_iter().filter_map(told).collect()
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

    pub fn progress(&mut self, ticket: Ticket, progress: Progress) -> Vec<Effect> {
        self.event(Event::Progress(ticket, progress))
    }

    /// Answers a call with a whole answer.
    pub fn answer(&mut self, ticket: Ticket, answer: impl Answer) {
        self.answer_with(ticket, [Progress::Reply(answer.reply())]);
    }

    /// Answers a call: it begins, parts arrive, and it ends well.
    pub fn answer_with(&mut self, ticket: Ticket, parts: impl IntoIterator<Item = Progress>) {
        self.progress(ticket, Progress::Opened { request_id: Some(format!("req-{}", ticket.0).into()) });
        for part in parts {
            self.progress(ticket, part);
        }
        self.progress(ticket, Progress::Closed(Ok(())));
    }

    /// Answers a call with one reply and ends it.
    pub fn reply(&mut self, ticket: Ticket, reply: Reply) {
        self.progress(ticket, Progress::Reply(reply));
        self.progress(ticket, Progress::Closed(Ok(())));
    }

    /// Answers the last call like this.
    #[track_caller]
    pub fn answer_last(&mut self, call: &Call, reply: Reply) {
        let (ticket, _) = self.last(|other| other == call);
        self.reply(ticket, reply);
    }

    /// Answers the last request for the list of models, if there was one.
    pub fn models_come(&mut self, ids: &[&str]) {
        let model = |id: &&str| Model { id: (*id).to_owned(), ..Model::default() };
        if self.effects.iter().any(|effect| matches!(effect, Effect::Call(.., Call::Models))) {
            self.answer_last(&Call::Models, Reply::Models(ids.iter().map(model).collect()));
        }
        self.news();
    }

    /// Reports that a call was refused by a rate limit and is sent again in 12 s; 2.9 s of them pass.
    pub fn rate_limited(&mut self, ticket: Ticket) {
        let why = Failure {
            status: Some(429),
            ..Failure::new(FailureKind::RateLimit, "rate limit: the server asks to wait 12 s")
        };
        let at = self.now + Duration::from_secs(12);
        self.progress(ticket, Progress::Retrying { attempt: 2, of: 3, at, why });
        self.wait(Duration::from_millis(2900));
    }

    pub fn fail(&mut self, ticket: Ticket, why: Failure) -> Vec<Effect> {
        self.progress(ticket, Progress::Closed(Err(why)))
    }

    pub fn lines(&mut self) -> Vec<String> {
        let (app, now) = (&mut self.app, self.now);
        screen(self.size, |frame| app.draw(frame, now))
    }

    /// Returns the cells of a frame.
    pub fn cells(&mut self) -> ratatui::buffer::Buffer {
        let (app, now) = (&mut self.app, self.now);
        let mut terminal =
            ratatui::Terminal::new(ratatui::backend::TestBackend::new(self.size.0, self.size.1)).unwrap();
        terminal.draw(|frame| app.draw(frame, now)).unwrap();
        terminal.backend().buffer().clone()
    }

    /// Returns the cells of the first occurrence of a text.
    #[track_caller]
    pub fn cells_of(&mut self, text: &str) -> Vec<ratatui::buffer::Cell> {
        let frame = self.cells();
        let symbols: Vec<String> = text.chars().map(String::from).collect();
        let row = |cells: &[ratatui::buffer::Cell]| {
            let at = cells
                .windows(symbols.len())
                .position(|part| part.iter().map(ratatui::buffer::Cell::symbol).eq(&symbols))?;
            Some(cells[at..at + symbols.len()].to_vec())
        };
        let found = frame.content().chunks(usize::from(frame.area.width)).find_map(row);
        found.unwrap_or_else(|| panic!("{text:?} is not shown:\n{}", self.screen()))
    }

    pub fn screen(&mut self) -> String {
        self.lines().join("\n")
    }

    /// Returns the screen without the shell's rows, for snapshots of a tab.
    pub fn picture(&mut self) -> String {
        let lines = self.lines();
        lines[1..lines.len() - 1].join("\n")
    }

    /// Returns the picture with local times near the present one, written in `format`, replaced by `mask`: they depend
    /// on the time zone.
    pub fn picture_without_times(&mut self, format: &str, mask: &str) -> String {
        let time = |minute: i64| jiff::Timestamp::from_millisecond(self.unix_ms + minute * 60_000).unwrap();
        let local = |minute| time(minute).to_zoned(jiff::tz::TimeZone::system()).strftime(format).to_string();
        let times: Vec<String> = (-20..20).map(local).collect();
        times.iter().fold(self.picture(), |picture, time| picture.replace(time, mask))
    }

    pub fn footer(&mut self) -> String {
        self.lines().pop().unwrap_or_default()
    }

    /// Returns the first line that contains this.
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

    /// Ends the program and returns the time of its next start.
    pub fn end(&mut self) -> i64 {
        let effects = self.app.before_quit(self.now, self.unix_ms);
        self.take(effects);
        self.offer_refused();
        self.unix_ms + 60_000
    }
}

/// Returns the dark theme, which tells panes apart by their backgrounds.
pub fn dark() -> Theme {
    Theme::of(Kind::Dark, Depth::True)
}

/// Parses keys in the notation of [`Driver::press`].
pub fn keys_of(keys: &str) -> Vec<KeyEvent> {
    let mut keys = keys.chars();
    let one = || {
        Some(KeyEvent::from(match keys.next()? {
            '^' => return Some(KeyEvent::new(KeyCode::Char(keys.next()?), KeyModifiers::CONTROL)),
            '\n' => KeyCode::Enter,
            '\t' => KeyCode::Tab,
            '⇤' => KeyCode::BackTab,
            '\u{1b}' => KeyCode::Esc,
            '←' => KeyCode::Left,
            '↑' => KeyCode::Up,
            '→' => KeyCode::Right,
            '↓' => KeyCode::Down,
            '⇞' => KeyCode::PageUp,
            '⇟' => KeyCode::PageDown,
            key => KeyCode::Char(key),
        }))
    };
    std::iter::from_fn(one).collect()
}
