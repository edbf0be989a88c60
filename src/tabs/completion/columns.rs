//! Several outputs side by side, with the first token marked at which they part.

mod draw;
mod part;
mod wrapped;

use crossterm::event::KeyEvent;

use self::wrapped::Wrapped;
use crate::record::Token;
use crate::tabs::Hint;
use crate::text::Untrusted;
use crate::ui::keys::Keymap;

/// Columns of the screen that an output has at least.
const LEAST: u16 = 24;

/// One output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column<'a> {
    /// What made it: model and what differs in its settings.
    pub(super) title: &'a Untrusted,
    /// Its text so far.
    pub(super) text: &'a Untrusted,
    /// Its tokens as far as they came; may be none, and may lag behind the text.
    pub(super) tokens: &'a [Token],
    /// Tokens, time and cost, in words.
    pub(super) foot: &'a str,
    /// Where it stands.
    pub(super) state: State<'a>,
    /// Its tokens' log-probability on the average.
    pub(super) mean: Option<f64>,
}

/// Where an output stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State<'a> {
    /// Asked; nothing has come.
    Waiting,
    /// Text arrives.
    Streaming,
    /// Complete.
    Done,
    /// Stopped by the user.
    Stopped,
    /// Broke off, and why.
    CutOff(&'a Untrusted),
    /// Failed before any text, and why.
    Failed(&'a Untrusted),
}

impl State<'_> {
    /// Whether more text may come.
    fn grows(self) -> bool {
        matches!(self, Self::Waiting | Self::Streaming)
    }
}

/// What a key asks of the owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// The picture may be another; nothing to do.
    Moved,
    /// Go on with this output.
    Adopt(usize),
    /// Stop this output.
    Cancel(usize),
    /// Away with the columns.
    Close,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Action {
    Left,
    Right,
    Scroll(isize),
    Alone(isize),
    Page(isize),
    Top,
    Bottom,
    Parting,
    Adopt,
    Cancel,
    Close,
}

/// The outputs' view: which has the focus, and how far they are scrolled. The texts stay with their owner.
#[derive(Debug)]
pub(super) struct Columns {
    keys: Keymap<Action>,
    /// The output with the focus.
    focus: usize,
    /// First row shown of all.
    top: usize,
    /// What each is scrolled besides that.
    alone: Vec<isize>,
    wrapped: Vec<Wrapped>,
    /// Rows of the longest output and of the window, as of the last frame.
    longest: usize,
    window: usize,
    /// Scroll to where the outputs part with the next frame.
    to_parting: bool,
}

impl Default for Columns {
    fn default() -> Self {
        let keys = Keymap::new(&[
            ("left < h", Action::Left, "output before"),
            ("right > l", Action::Right, "next output"),
            ("j down", Action::Scroll(1), "scroll all down"),
            ("k up", Action::Scroll(-1), "scroll all up"),
            ("J", Action::Alone(1), "scroll this one down"),
            ("K", Action::Alone(-1), "scroll this one up"),
            ("pagedown", Action::Page(1), "page down"),
            ("pageup", Action::Page(-1), "page up"),
            ("g home", Action::Top, "top"),
            ("G end", Action::Bottom, "end"),
            ("w", Action::Parting, "where this one parts from the first"),
            ("enter", Action::Adopt, "go on with this one"),
            ("x", Action::Cancel, "stop this one"),
            ("esc D", Action::Close, "close"),
        ]);
        Self {
            keys,
            focus: 0,
            top: 0,
            alone: Vec::new(),
            wrapped: Vec::new(),
            longest: 0,
            window: 0,
            to_parting: false,
        }
    }
}

impl Columns {
    /// The output with the focus, 0-based.
    pub(super) fn focus(&self) -> usize {
        self.focus
    }

    /// Puts the focus on an output.
    pub(super) fn set_focus(&mut self, focus: usize) {
        self.focus = focus;
    }

    /// A key, where there are `count` outputs; `None`: it is none of the columns'.
    pub(super) fn key(&mut self, key: KeyEvent, count: usize) -> Option<Event> {
        let action = self.keys.find(&key)?;
        self.alone.resize(count, 0);
        self.focus = self.focus.min(count.saturating_sub(1));
        // What is behind the end is not scrolled to, so that the way back begins at once.
        let most = self.longest.saturating_sub(self.window);
        match action {
            Action::Left => self.focus = self.focus.saturating_sub(1),
            Action::Right => self.focus = (self.focus + 1).min(count.saturating_sub(1)),
            Action::Scroll(rows) => self.top = self.top.saturating_add_signed(rows).min(most),
            Action::Page(pages) => {
                let rows = pages.saturating_mul(self.window.saturating_sub(1).max(1) as isize);
                self.top = self.top.saturating_add_signed(rows).min(most);
            }
            Action::Alone(rows) => {
                if let Some(alone) = self.alone.get_mut(self.focus) {
                    *alone = (*alone + rows).clamp(-(self.top as isize), most as isize);
                }
            }
            Action::Top => {
                self.top = 0;
                self.alone.fill(0);
            }
            Action::Bottom => {
                self.top = most;
                self.alone.fill(0);
            }
            Action::Parting => self.to_parting = true,
            Action::Adopt if count > 0 => return Some(Event::Adopt(self.focus)),
            Action::Cancel if count > 0 => return Some(Event::Cancel(self.focus)),
            Action::Adopt | Action::Cancel => {}
            Action::Close => return Some(Event::Close),
        }
        Some(Event::Moved)
    }

    /// All keys, for the help page.
    pub(super) fn hints(&self) -> Vec<Hint> {
        self.keys.bindings().iter().map(|binding| Hint::new(binding.keys(), binding.does)).collect()
    }
}
