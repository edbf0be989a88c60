//! The loop between terminal, shell and effect handler. It is generic over terminal, input and effect handler, so that
//! tests can run it without a terminal.

use std::io;
use std::pin::Pin;
use std::task::Poll;
use std::time::{Duration, Instant, SystemTime};

use crossterm::event::Event as InputEvent;
use futures_util::StreamExt as _;
use ratatui::Terminal;
use ratatui::backend::Backend;
use ratatui::layout::{Rect, Size};
use tokio::sync::mpsc;

use super::input::Input;
use super::osc::{OscFilter, OscMatch};
use super::screen::Framed;
use super::{App, Effect, Event};
use crate::api::call::{Progress, Ticket};

/// Events handled at most before the next frame.
const MAX_EVENTS: usize = 64;
/// Time for the user's editor to end when the program does.
const EDITOR_GRACE: Duration = Duration::from_secs(1);

/// The user's editor or pager while it has the terminal; it completes with what the shell is told of it.
pub type Editing = Pin<Box<dyn Future<Output = Event>>>;

/// Why the loop ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The user quit.
    Quit,
    /// A signal ended the program, by number.
    Signal(i32),
    /// The terminal is gone.
    Hangup,
}

impl Exit {
    /// Returns the process's exit status: 0, or 128 plus the signal.
    pub fn status(self) -> u8 {
        match self {
            Self::Quit => 0,
            Self::Signal(number) => 128_u8.saturating_add(number.clamp(0, 127) as u8),
            Self::Hangup => 129,
        }
    }
}

/// What carries effects out.
pub trait EffectHandler {
    /// Carries out an effect; never waits.
    fn perform(&mut self, effect: Effect);
    /// Handles an event that concerns it, and returns the event for the shell, if any.
    fn handle(&mut self, event: Event) -> Option<Event>;
    /// Releases the terminal to the user's editor with this text; the future completes when it ends.
    fn edit(&mut self, text: String) -> Editing;
    /// Releases the terminal to the user's pager with this text; the future completes when it ends.
    fn page(&mut self, _text: String) -> Editing {
        Box::pin(std::future::ready(Event::Edited(None)))
    }
    /// Releases the terminal to the user's editor with the file of key bindings, and puts the file in force when the
    /// editor ends.
    fn edit_bindings(&mut self) -> Editing {
        Box::pin(std::future::ready(Event::Edited(None)))
    }
    /// Asks the editor or pager to end.
    fn end_editor(&mut self) {}
    /// Takes the terminal back from the editor.
    fn regain(&mut self) -> io::Result<()> {
        Ok(())
    }
    /// Stops the process for a while; returns for how long.
    fn suspend(&mut self, mouse: bool) -> io::Result<Duration>;
    /// Handles the colour of the terminal's background, and returns the events for the shell.
    fn background(&mut self, red: u8, green: u8, blue: u8) -> Vec<Event>;
    /// Sets the terminal up again after something outside has changed it.
    fn reset_terminal(&mut self) {}
}

/// The channels of events.
#[derive(Debug)]
pub struct Receivers {
    /// From the client.
    pub progress: mpsc::Receiver<(Ticket, Progress)>,
    /// From all others.
    pub events: mpsc::UnboundedReceiver<Event>,
}

/// Draws one frame. Fails if the terminal cannot be written.
pub fn draw<B>(screen: &mut Terminal<B>, app: &mut App) -> io::Result<()>
where
    B: Backend<Error: Send + Sync + 'static> + Framed,
{
    screen.backend_mut().begin();
    let drawn = screen.draw(|frame| app.render(frame, now())).map(drop).map_err(io::Error::other);
    screen.backend_mut().end()?;
    app.clock().note_drawn(now());
    drawn
}

/// Runs until the user quits, a signal arrives or the terminal is gone. Fails if the terminal cannot be read or
/// written.
pub async fn run<B, I, H>(
    screen: &mut Terminal<B>,
    input: &mut I,
    app: &mut App,
    handler: &mut H,
    receivers: &mut Receivers,
) -> io::Result<Exit>
where
    B: Backend<Error: Send + Sync + 'static> + Framed,
    I: Input,
    H: EffectHandler,
{
    let mut state = LoopState { screen, input, app, handler, editing: None };
    let mut osc = OscFilter::default();
    let mut progress = Vec::with_capacity(MAX_EVENTS);
    let mut events = Vec::with_capacity(MAX_EVENTS);
    state.input.resume();
    state.update_size()?;
    if let Some(exit) = state.update(Event::Started)? {
        return Ok(exit);
    }
    loop {
        // While an editor has the screen nothing is drawn or read; everything else continues.
        let has_terminal = state.editing.is_none();
        let due = state.app.clock().due().filter(|_| has_terminal);
        if due.is_some_and(|due| due <= now()) {
            draw(state.screen, state.app)?;
            continue;
        }
        let tick = state.app.due();
        let exit = tokio::select! {
            biased;
            () = sleep_until(due) => None,
            edited = wait_for_editor(&mut state.editing) => state.finish_edit(edited)?,
            event = state.input.next(), if has_terminal => match event {
                Some(event) => state.handle_input(event?, &mut osc).await?,
                // The script, or the terminal, has ended.
                None => Some(Exit::Hangup),
            },
            // Before the progress of calls: a fast answer must not delay signals and the store.
            count = receivers.events.recv_many(&mut events, MAX_EVENTS) => {
                if count == 0 { Some(Exit::Quit) } else { state.handle_events(&mut events)? }
            }
            count = receivers.progress.recv_many(&mut progress, MAX_EVENTS), if !receivers.progress.is_closed() || !receivers.progress.is_empty() => {
                let _ = count;
                state.update_all(progress.drain(..).map(|(ticket, progress)| Event::Progress(ticket, progress)))?
            }
            () = sleep_until(tick) => {
                let effects = state.app.tick(now(), unix_ms());
                state.perform(effects)?
            }
        };
        if let Some(exit) = exit {
            state.end_editor().await;
            return Ok(exit);
        }
    }
}

/// Waits until the editor ends; for ever if there is none.
async fn wait_for_editor(editing: &mut Option<Editing>) -> Event {
    match editing {
        Some(editing) => editing.await,
        None => std::future::pending().await,
    }
}

/// Returns what the input has at this moment; `None`: nothing yet. It is polled with the waker of the loop: the
/// terminal's stream keeps the first waker it gets, and one that does nothing would never wake the loop.
async fn poll_input<I: Input>(input: &mut I) -> Option<Option<io::Result<InputEvent>>> {
    std::future::poll_fn(|cx| match input.poll_next_unpin(cx) {
        Poll::Ready(event) => Poll::Ready(Some(event)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

/// Sleeps until a time; for ever without one.
async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}

/// Returns the time of the clock by which the loop sleeps, which tests control.
fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// Returns the wall clock time in Unix milliseconds.
pub fn unix_ms() -> i64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |past| past.as_millis() as i64)
}

/// The state of the loop.
struct LoopState<'a, B: Backend, I, H> {
    screen: &'a mut Terminal<B>,
    input: &'a mut I,
    app: &'a mut App,
    handler: &'a mut H,
    editing: Option<Editing>,
}

impl<B, I, H> LoopState<'_, B, I, H>
where
    B: Backend<Error: Send + Sync + 'static> + Framed,
    I: Input,
    H: EffectHandler,
{
    /// Passes an event to the shell and carries out its effects.
    fn update(&mut self, event: Event) -> io::Result<Option<Exit>> {
        self.update_at(event, now())
    }

    /// Passes an event that happened at some time to the shell and carries out its effects.
    fn update_at(&mut self, event: Event, at: Instant) -> io::Result<Option<Exit>> {
        let effects = self.app.update(event, at, unix_ms());
        self.perform(effects)
    }

    /// Passes events to the shell and carries out their effects.
    fn update_all(&mut self, events: impl Iterator<Item = Event>) -> io::Result<Option<Exit>> {
        for event in events {
            if let Some(exit) = self.update(event)? {
                return Ok(Some(exit));
            }
        }
        Ok(None)
    }

    /// Handles input, and all that has arrived meanwhile: a paste that comes as typed keys is drawn once. What arrived
    /// together has one time: on a busy machine keys of a paste would seem to be typed, and its Enter would send.
    async fn handle_input(&mut self, first: InputEvent, osc: &mut OscFilter) -> io::Result<Option<Exit>> {
        let at = now();
        let mut next = Some(first);
        let mut left = MAX_EVENTS;
        while let Some(event) = next.take() {
            let events = match osc.filter(event) {
                OscMatch::Partial => Vec::new(),
                OscMatch::None(keys) => keys.into_iter().map(Event::Input).collect(),
                OscMatch::Background(red, green, blue) => {
                    self.input.pause();
                    let events = self.handler.background(red, green, blue);
                    self.input.resume();
                    events
                }
            };
            for event in events {
                if let Some(exit) = self.update_at(event, at)? {
                    return Ok(Some(exit));
                }
            }
            left -= 1;
            if left > 0
                && self.editing.is_none()
                && let Some(Some(event)) = poll_input(self.input).await
            {
                next = Some(event?);
            }
        }
        Ok(None)
    }

    /// Handles events that concern the loop or the effect handler, and passes the others to the shell.
    fn handle_events(&mut self, events: &mut Vec<Event>) -> io::Result<Option<Exit>> {
        for event in events.drain(..) {
            match event {
                Event::Signal(number) => return Ok(Some(Exit::Signal(number))),
                Event::Hangup => return Ok(Some(Exit::Hangup)),
                // While an editor has the terminal it can neither be released nor set up.
                Event::Suspend | Event::Continued if self.editing.is_some() => {}
                Event::Suspend => self.suspend()?,
                Event::Continued => {
                    self.handler.reset_terminal();
                    self.redraw_all()?;
                }
                other => {
                    if let Some(event) = self.handler.handle(other)
                        && let Some(exit) = self.update(event)?
                    {
                        return Ok(Some(exit));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Carries out effects, those of the loop here.
    fn perform(&mut self, effects: Vec<Effect>) -> io::Result<Option<Exit>> {
        for effect in effects {
            match effect {
                Effect::Quit => return Ok(Some(Exit::Quit)),
                Effect::Repaint => self.repaint()?,
                Effect::Suspend => self.suspend()?,
                Effect::OpenEditor(text) => self.lend_terminal(|handler| handler.edit(text)),
                Effect::OpenPager(text) => self.lend_terminal(|handler| handler.page(text)),
                Effect::EditBindings => self.lend_terminal(H::edit_bindings),
                other => self.handler.perform(other),
            }
        }
        Ok(None)
    }

    /// Stops the process until it is continued, and redraws the screen then.
    fn suspend(&mut self) -> io::Result<()> {
        self.input.pause();
        let long = self.handler.suspend(self.app.mouse())?;
        self.input.resume();
        self.redraw_all()?;
        self.update(Event::Resumed(long)).map(drop)
    }

    /// Starts the user's editor or pager, unless one has the terminal.
    fn lend_terminal(&mut self, start: impl FnOnce(&mut H) -> Editing) {
        if self.editing.is_none() {
            self.input.pause();
            self.editing = Some(start(self.handler));
        }
    }

    /// Takes the screen back after the editor has ended, and passes on what came of it.
    fn finish_edit(&mut self, edited: Event) -> io::Result<Option<Exit>> {
        self.editing = None;
        let regained = self.handler.regain();
        self.input.resume();
        // The text is the user's work: it is passed on before anything can fail.
        let exit = self.update(edited)?;
        regained?;
        self.redraw_all()?;
        Ok(exit)
    }

    /// Ends the editor before the program ends, and takes its text if it ends in time.
    async fn end_editor(&mut self) {
        let Some(editing) = self.editing.take() else { return };
        self.handler.end_editor();
        if let Ok(edited) = tokio::time::timeout(EDITOR_GRACE, editing).await {
            // An error does not matter: the terminal is released in a moment in any case.
            let _ = self.handler.regain();
            if let Event::Edited(Some(_)) = edited {
                let _ = self.update(edited);
            }
        }
    }

    /// Restores title and screen after another program used the terminal.
    fn redraw_all(&mut self) -> io::Result<()> {
        self.handler.perform(Effect::Title(self.app.title()));
        self.repaint()
    }

    /// Tells the shell the size of the screen.
    fn update_size(&mut self) -> io::Result<Size> {
        let size = self.screen.size().map_err(io::Error::other)?;
        self.app.resize(size.width, size.height);
        Ok(size)
    }

    /// Makes the next frame redraw everything.
    fn repaint(&mut self) -> io::Result<()> {
        // Not `clear`: that asks the terminal for its cursor's position, and waits.
        self.screen.backend_mut().begin();
        let size = self.update_size()?;
        self.screen.resize(Rect::new(0, 0, size.width, size.height)).map_err(io::Error::other)?;
        self.app.clock().touch_now(now());
        Ok(())
    }
}
