//! The interface between a tab and the shell.

use std::time::Instant;

use crossterm::event::{KeyEvent, MouseEvent};
use ratatui::{Frame, layout::Rect};

use crate::api::call::{Progress, Ticket};
use crate::component::{Command, Cx, Hint, Offer, Session};
use crate::record::work::Done;
use crate::record::{Cost, Run, Stored};
use crate::text::Untrusted;
use crate::ui::theme::Theme;

/// One screen of the workbench: a small state machine and its picture.
pub trait Tab {
    /// Name on the tab bar.
    fn title(&self) -> &'static str;
    /// The same where there is little room: at most five columns.
    fn short(&self) -> &'static str {
        self.title()
    }
    /// A key that is not the shell's.
    fn key(&mut self, key: KeyEvent, cx: &mut Cx);
    /// Something about a call this tab made.
    fn progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx);
    /// Fits the state to the area and to what has come, while the tab is in front: before each input and each frame. What a
    /// key does never depends on whether a frame was drawn.
    fn arrange(&mut self, _area: Rect, _session: &Session, _now: Instant) {}
    /// Draws the tab; never changes its state (a view's caches apart).
    fn render(&mut self, frame: &mut Frame, area: Rect, session: &Session, theme: &Theme, now: Instant);
    /// Keys for the footer, most important first; help is the shell's.
    fn hints(&self) -> Vec<Hint>;
    /// Every key of this tab by context, for the help page.
    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        Vec::new()
    }
    /// The store's answer.
    fn stored(&mut self, _ticket: Ticket, _stored: Stored, _cx: &mut Cx) {}
    /// The work threads' answer.
    fn worked(&mut self, _ticket: Ticket, _done: Done, _cx: &mut Cx) {}
    /// Entries for the palette.
    fn commands(&self) -> Vec<Command> {
        Vec::new()
    }
    /// Runs the palette entry with this id.
    fn command(&mut self, _id: &str, _cx: &mut Cx) {}
    /// Pasted text: newlines normalised, control characters other than tab and newline removed. It goes into what is
    /// being typed and nowhere else; text boxes make safe what they draw.
    fn paste(&mut self, _text: &str, _cx: &mut Cx) {}
    /// A mouse event inside the tab's area (absolute coordinates).
    fn mouse(&mut self, _event: MouseEvent, _cx: &mut Cx) {}
    /// When this tab next wants a [`Tab::tick`] (spinner, countdown, debounce); `None`: never, which costs nothing.
    fn due(&self) -> Option<Instant> {
        None
    }
    /// The moment asked for with [`Tab::due`] has come.
    fn tick(&mut self, _cx: &mut Cx) {}
    /// The program has begun, whichever tab is in front: what must not wait for the front is looked up.
    fn begin(&mut self, _cx: &mut Cx) {}
    /// Has come to the front; the first time it asks for its rows.
    fn enter(&mut self, _cx: &mut Cx) {}
    /// The list of models that was asked for has come, or has not: the session tells.
    fn models(&mut self, _cx: &mut Cx) {}
    /// Has come to the front by a key that is text where text is written (a digit, `[`, `]`): a text box gives the keys
    /// back, so that the next such key goes on to another tab. Nothing typed is lost; open boxes stay.
    fn browse(&mut self, _cx: &mut Cx) {}
    /// "Moderate this text": what this tab would do with the offer.
    fn takes(&self, _offer: &Offer) -> Option<&'static str> {
        None
    }
    /// Takes an offer.
    fn accept(&mut self, _offer: Offer, _cx: &mut Cx) {}
    /// What stands on the tab's name beside its title.
    fn badge(&self) -> Option<Badge> {
        None
    }
    /// What the next Esc does, for the footer; `None`: nothing.
    fn escape(&self) -> Option<&'static str> {
        None
    }
    /// Whether a dialog lies over the tab, which Esc closes before anything else.
    fn has_dialog(&self) -> bool {
        false
    }
    /// Whether letters are text and not shortcuts just now.
    fn typing(&self) -> bool {
        false
    }
    /// Tokens and cost of the tab's last run, for the footer's meter.
    fn meter(&self) -> Option<RunMeter> {
        None
    }
    /// What is being typed, to edit in `$EDITOR` when the user asks (F4); `None`: nothing to edit here.
    fn editable(&self) -> Option<String> {
        None
    }
    /// The text the editor left.
    fn edited(&mut self, _text: String, _cx: &mut Cx) {}
    /// The model this tab works with, where it keeps one of its own; `None`: the session's.
    fn model(&self, _session: &Session) -> Option<Untrusted> {
        None
    }
    /// Whether a model can do this tab's work, as far as its name tells: those that can are offered first.
    fn suits(&self, model: &Untrusted) -> bool {
        crate::component::session::chats(model)
    }
    /// A model was chosen while this tab is in front. Whether the tab keeps it to itself; else it is the session's.
    fn choose(&mut self, _model: &Untrusted, _cx: &mut Cx) -> bool {
        false
    }
    /// Ctrl+C: stops what runs here. Whether there was anything to stop.
    fn interrupt(&mut self, _cx: &mut Cx) -> bool {
        false
    }
    /// The program ends: keep what is not kept yet.
    fn parting(&mut self, _cx: &mut Cx) {}
    /// What must be said before quitting ("an upload runs"); `None`: quit freely.
    fn holds_quit(&self, _session: &Session) -> Option<String> {
        None
    }
}

/// What quitting is held up by while the disk does not take something: the store offers it once more at the end.
pub(super) fn unsaved(what: &str, why: &Untrusted, rescue: &str) -> String {
    format!(
        "{what} could not be saved: {}. Quitting tries once more; what is refused then would be lost; {rescue}.",
        why.line()
    )
}

/// Tokens and cost of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunMeter {
    /// Sent.
    pub prompt_tokens: u64,
    /// Received.
    pub completion_tokens: u64,
    /// Whether counts are ours (`~`).
    pub estimated: bool,
    /// What it cost.
    pub cost: Cost,
    /// Texts that were looked at, where they count and not their tokens; 0: tokens count.
    pub texts: u64,
}

impl From<&Run> for RunMeter {
    fn from(run: &Run) -> Self {
        let Run { prompt_tokens, completion_tokens, estimated, cost_nano, .. } = *run;
        Self { prompt_tokens, completion_tokens, estimated, cost: cost_nano.into(), texts: 0 }
    }
}

/// What a tab's name carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Badge {
    /// Something streams; the shell draws its spinner.
    Busy,
    /// A count or share: `●2`, `↑42%`.
    Text(String),
    /// Something failed unseen.
    Failed,
}
