//! A conversation: its turns, each with what the service says of it.

use std::sync::LazyLock;

use crossterm::event::KeyEvent;

use super::actions::{self, PageEvent, on_pages};
use super::flight::Which;
use crate::component::{Bindings, bind, bind_all};
use crate::record::TextKey;
use crate::text::Untrusted;
use crate::ui::list::Cursor;

/// One turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) role: Untrusted,
    pub(super) text: Untrusted,
    pub(super) key: TextKey,
}

/// The conversation that was sent here last; no turns: none was.
#[derive(Debug, Default)]
pub(super) struct Turns {
    pub(super) title: Untrusted,
    pub(super) all: Vec<Turn>,
    pub(super) cursor: Cursor,
    /// Rows of the last frame.
    pub(super) page: usize,
}

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Up,
    Down,
    Top,
    Bottom,
    PageUp,
    PageDown,
    /// Put the turn on the bench.
    Put,
    Close,
    /// What the bench does.
    Bench(actions::Action),
}

use Action as A;

/// Actions in the footer.
pub(super) const FOOTER: [A; 4] =
    [A::Bench(actions::Action::Run), A::Put, A::Bench(actions::Action::Again), A::Bench(actions::Action::Thresholds)];

/// Keys of the page.
pub(super) static KEYS: LazyLock<Bindings<Action, Turns>> = LazyLock::new(|| {
    let run = "check what is new; if nothing is, all again";
    let mut list = on_pages(A::Bench, [run, "this turn again", "details of a failure"]);
    list.extend([
        bind("enter", A::Put, "to the bench", "put the turn on the bench"),
        bind_all([("j down", A::Down), ("k up", A::Up)], "turn", "down, up"),
        bind_all([("pagedown", A::PageDown), ("pageup", A::PageUp)], "page", "page down, up"),
        bind_all([("home", A::Top), ("G end", A::Bottom)], "first, last", "first, last turn"),
        bind("esc v", A::Close, "back", "back"),
    ]);
    Bindings::new(list)
});

impl Turns {
    /// A conversation's title and turns.
    pub(super) fn new(title: Untrusted, turns: Vec<(Untrusted, Untrusted)>) -> Self {
        let turn = |(role, text): (Untrusted, Untrusted)| Turn { key: TextKey::of(&text), role, text };
        Self { title, all: turns.into_iter().map(turn).collect(), ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(super) fn keys(&self) -> Vec<TextKey> {
        self.all.iter().map(|turn| turn.key).collect()
    }

    /// The texts a run is about.
    pub(super) fn texts(&self, which: Which) -> Vec<(TextKey, Untrusted)> {
        let here = |at: usize| which == Which::New || at == self.cursor.selected;
        let turns = self.all.iter().enumerate().filter(|(at, _)| here(*at));
        turns.map(|(_, turn)| (turn.key, turn.text.clone())).collect()
    }

    /// The text under the cursor.
    pub(super) fn text(&self) -> Option<(TextKey, Untrusted)> {
        self.all.get(self.cursor.selected).map(|turn| (turn.key, turn.text.clone()))
    }

    /// Handles a key. Returns what it asks of the tab.
    pub(super) fn key(&mut self, key: KeyEvent) -> Option<PageEvent> {
        let (len, page) = (self.all.len(), self.page.max(2) as isize - 1);
        match KEYS.find(&key)? {
            A::Close => return Some(PageEvent::Close),
            A::Bench(action) => return Some(PageEvent::Act(action)),
            A::Down => self.cursor.by(1, len),
            A::Up => self.cursor.by(-1, len),
            A::Top => self.cursor.selected = 0,
            A::Bottom => self.cursor.selected = len.saturating_sub(1),
            A::PageUp => self.cursor.by(-page, len),
            A::PageDown => self.cursor.by(page, len),
            A::Put => {
                let turn = self.all.get(self.cursor.selected)?;
                let name = format!("{} {}", turn.role.line(), self.cursor.selected + 1);
                return Some(PageEvent::Put { name: name.into(), text: turn.text.clone() });
            }
        }
        None
    }
}
