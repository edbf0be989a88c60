//! A tab without the shell: its rows of the screen, and its effects as it returns them.

use std::rc::Rc;
use std::time::{Duration, Instant};

use benchtop::app::{Effect, Event};
use benchtop::component::{Cx, RenderContext, Response, Session};
use benchtop::tabs;
use benchtop::ui::theme::{Depth, Kind, Theme};
use crossterm::event::Event as Input;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::{Frame, Terminal};

use super::{Disk, Driver, Front, Tab, dark};

pub struct Alone<C> {
    pub tab: C,
    pub session: Session,
    new: fn() -> C,
    tickets: u64,
}

impl<C: tabs::Tab> Alone<C> {
    pub fn new(new: fn() -> C, session: Session) -> Self {
        Self { tab: new(), session, new, tickets: 0 }
    }

    fn act<R>(&mut self, now: Instant, unix_ms: i64, act: impl FnOnce(&mut C, &mut Cx) -> R) -> Vec<Effect> {
        let mut effects = Vec::new();
        act(&mut self.tab, &mut Cx::new(&self.session, now, unix_ms, &mut self.tickets, &mut effects));
        effects
    }

    /// Fits the tab to the screen: as in the shell, before input, after ticks and before frames, and not before
    /// answers.
    fn arrange(&mut self, now: Instant) {
        let (width, height) = self.session.area;
        self.tab.arrange(Rect::new(0, 0, width, height), &self.session, now);
    }

    /// Draws the tab in the colours of this theme.
    pub fn draw_in(&mut self, theme: &Theme, frame: &mut Frame, now: Instant) {
        self.resize(frame.area().width, frame.area().height);
        self.arrange(now);
        self.tab.render(frame, frame.area(), RenderContext { session: &self.session, theme, now });
    }
}

impl<C: tabs::Tab> Front for Alone<C> {
    fn resize(&mut self, width: u16, height: u16) {
        self.session.area = (width, height);
    }

    fn update(&mut self, event: Event, now: Instant, unix_ms: i64) -> Vec<Effect> {
        if matches!(event, Event::Input(_)) {
            self.arrange(now);
        }
        let mut reply = |ticket, mut response| self.act(now, unix_ms, |tab, cx| tab.reply(ticket, &mut response, cx));
        match event {
            Event::Progress(ticket, progress) => reply(ticket, Response::Call(progress)),
            Event::Stored(ticket, stored) => reply(ticket, Response::Store(stored)),
            Event::Worked(ticket, done) => reply(ticket, Response::Work(done)),
            Event::Started => self.act(now, unix_ms, C::enter),
            Event::Input(Input::Key(key)) => self.act(now, unix_ms, |tab, cx| tab.key(key, cx)),
            Event::Input(Input::Paste(text)) => self.act(now, unix_ms, |tab, cx| tab.paste(&text, cx)),
            Event::Input(Input::Mouse(event)) => self.act(now, unix_ms, |tab, cx| tab.mouse(event, cx)),
            Event::Input(Input::Resize(width, height)) => {
                self.resize(width, height);
                Vec::new()
            }
            _ => panic!("the shell's"),
        }
    }

    fn due(&self) -> Option<Instant> {
        self.tab.due()
    }

    fn tick(&mut self, now: Instant, unix_ms: i64) -> Vec<Effect> {
        let is_due = self.tab.due().is_some_and(|due| due <= now);
        let effects = self.act(now, unix_ms, C::tick);
        if is_due {
            self.arrange(now);
        }
        effects
    }

    fn before_quit(&mut self, now: Instant, unix_ms: i64) -> Vec<Effect> {
        self.act(now, unix_ms, C::before_quit)
    }

    fn draw(&mut self, frame: &mut Frame, now: Instant) {
        self.draw_in(&Theme::of(Kind::Mono, Depth::Indexed), frame, now);
    }
}

impl<T: Tab, C: tabs::Tab> Driver<T, Alone<C>> {
    /// Returns the tab's cells in the theme [`dark`].
    pub fn draw_in_dark(&mut self) -> Buffer {
        let (width, height) = self.app.session.area;
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let now = self.now;
        terminal.draw(|frame| self.app.draw_in(&dark(), frame, now)).unwrap();
        terminal.backend().buffer().clone()
    }

    /// Starts a tab alone on this disk; no time passes by itself.
    pub fn alone(disk: &Rc<Disk>, new: fn() -> C, session: Session, unix_ms: i64) -> Self {
        let size = session.area;
        let mut driver = Self::of(Alone::new(new, session), disk, unix_ms, size);
        driver.begin();
        driver
    }

    fn begin(&mut self) {
        self.apart = Duration::ZERO;
        self.event(Event::Started);
    }

    /// Ends the program and starts it again, with what is on disk.
    pub fn restart(&mut self) {
        self.end();
        self.begin_again();
    }

    /// Starts the program again without an orderly end: nothing more is stored.
    pub fn begin_again(&mut self) {
        self.disk.reopen();
        let app = Alone::new(self.app.new, self.app.session.clone());
        let mut new = Self::of(app, &self.disk, self.unix_ms + 60_000, self.size);
        (new.writes, new.holds) = (self.writes, self.holds);
        self.answers = std::mem::replace(self, new).answers;
        self.begin();
    }

    /// Returns the tab at this size.
    pub fn view(&mut self, width: u16, height: u16) -> String {
        self.size = (width, height);
        // The clock's text depends on where the test runs; its width does not.
        let at = jiff::Timestamp::from_millisecond(self.unix_ms).unwrap().to_zoned(jiff::tz::TimeZone::system());
        self.screen().replace(&at.strftime("%H:%M").to_string(), "hh:mm")
    }

    /// Calls a function with the tab and returns the effects.
    pub fn with<R>(&mut self, act: impl FnOnce(&mut C, &mut Cx) -> R) -> Vec<Effect> {
        self.leads_to(|driver| {
            let effects = driver.app.act(driver.now, driver.unix_ms, act);
            driver.take(effects);
        })
    }
}
