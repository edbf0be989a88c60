//! What the model thought of an answer's tokens: kept as they come, shown in the strip under the transcript.

use std::collections::hash_map::Entry;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::Chat;
use super::keys::{Action, TRANSCRIPT};
use super::room::Room;
use super::state::{Focus, Request, State};
use super::told::{Probe, Told};
use crate::component::{Cx, Notice};
use crate::record::{Id, Query, Token};
use crate::tabs::generation::score::Score;
use crate::tabs::generation::strip::{Event, Shown, Strip, UNSENT, WAITING};
use crate::ui::theme::Theme;

/// What stands in the strip of an answer that came without probabilities.
const UNASKED: &str = "Set Probabilities in the parameters to see what else the model thought of: t";
const NONE_CAME: &str =
    "No probabilities came with this answer. The next ones are asked for with them: r regenerates it.";
const LOADING: &str = "… loading";

impl Room {
    /// The tokens told of a turn; none: none were, or they are not here yet.
    fn tokens(&self, turn: Id) -> &[Token] {
        self.told.get(&turn).map_or(&[], |told| &told.tokens)
    }

    /// Why there are none, and what to do.
    fn why_untold(&self, turn: Id) -> &'static str {
        let asked_now = self.conversation.params.logprobs.is_some();
        let told = self.told.get(&turn);
        match told.map(|told| (told.loading, told.asked)) {
            Some((true, _)) => LOADING,
            Some((_, Some(true))) if self.streaming(turn) => WAITING,
            Some((_, Some(true))) => UNSENT,
            _ if asked_now => NONE_CAME,
            _ => UNASKED,
        }
    }
}

impl State {
    /// Shows the strip of an answer; what is not here is asked of the store.
    fn open_probe(&mut self, turn: Id, cx: &mut Cx) {
        let id = self.open;
        if let Entry::Vacant(told) = self.room_mut().told.entry(turn) {
            told.insert(Told { loading: true, ..Told::default() });
            let ticket = cx.load(Query::Tokens(vec![turn]));
            self.pending.insert(ticket, Request::Tokens(id, turn));
        }
        self.probe = Some(Probe { turn, strip: Strip::new(0, self.room().tokens(turn)) });
        self.focus = Focus::Probe;
    }

    /// What the store has of an answer's tokens; `None`: it could not be read, and may be asked again.
    pub(super) fn loaded_tokens(&mut self, id: Id, turn: Id, tokens: Option<Vec<Token>>) {
        let Some(room) = self.rooms.get_mut(&id) else { return };
        let Some(tokens) = tokens else {
            room.told.remove(&turn);
            return;
        };
        let Some(told) = room.told.get_mut(&turn).filter(|told| told.loading) else { return };
        *told = Told::default();
        told.add(tokens);
        told.saved = told.tokens.len();
        if let Some(probe) = self.probe.as_mut().filter(|probe| probe.turn == turn) {
            probe.strip = Strip::new(0, &told.tokens);
        }
    }

    /// Takes the strip away; its keys go back to the transcript.
    pub(super) fn close_probe(&mut self) {
        self.probe = None;
        if self.focus == Focus::Probe {
            self.focus = Focus::Transcript;
        }
    }

    /// Takes away the strip of an answer that is not shown any more.
    pub(super) fn settle_probe(&mut self) {
        let gone = self.probe.is_some_and(|probe| !self.room().path.contains(&probe.turn));
        if gone || (self.probe.is_none() && self.focus == Focus::Probe) {
            self.close_probe();
        }
    }
}

impl Chat {
    /// Opens the strip of the selected answer or the last one.
    pub(super) fn probe(&mut self, target: Option<Id>, cx: &mut Cx) {
        let room = self.state.room();
        let answer = |id: &Id| room.tree.turn(*id).is_some_and(State::is_answer);
        let turn = match self.view.selected() {
            Some(selected) => Some(selected).filter(answer),
            None => target.filter(answer).or_else(|| room.path.iter().rev().copied().find(answer)),
        };
        match turn {
            Some(turn) => self.state.open_probe(turn, cx),
            None => cx.notify(Notice::hint("only answers have probabilities")),
        }
    }

    pub(super) fn probe_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let Some(mut probe) = self.state.probe else { return };
        match probe.strip.key(key, &self.probe_keys, self.state.room().tokens(probe.turn)) {
            Some(Event::Close) => self.state.close_probe(),
            Some(_) => self.state.probe = Some(probe),
            None => {
                use Action as A;
                let shared = TRANSCRIPT.find(&key).filter(|action| {
                    let moves = [A::NextPane, A::PreviousPane, A::PageUp, A::PageDown, A::HalfUp, A::HalfDown];
                    moves.contains(action) || matches!(action, A::Write | A::Params | A::SideList | A::Regenerate)
                });
                if let Some(action) = shared {
                    self.act(action, cx);
                }
            }
        }
    }
}

/// Rows the strip takes of those of the transcript: 0: there is none, or no room for both.
pub(super) fn rows(state: &State, available: u16) -> u16 {
    let Some(probe) = state.probe.filter(|_| available >= 5) else { return 0 };
    let most = state.room().told.get(&probe.turn).map_or(0, |told| told.rows);
    (Strip::rows_for(available, most) + u16::from(available >= 12)).min(available - 2)
}

/// Draws the strip, and over it the tokens around its cursor where there is room.
pub(super) fn render(frame: &mut Frame, area: Rect, state: &State, theme: &Theme) {
    let Some(probe) = state.probe.filter(|_| area.height > 0) else { return };
    let room = state.room();
    let focus = state.focus == Focus::Probe && !state.is_covered();
    let score = room.told.get(&probe.turn).map(|told| told.score).unwrap_or_default();
    let shown = Shown {
        tokens: room.tokens(probe.turn),
        empty: room.why_untold(probe.turn),
        prompt: Score::default(),
        completion: score,
        focus,
    };
    let mut place = area;
    if area.height >= 4 && !shown.tokens.is_empty() {
        place.height -= 1;
        let last = Rect { x: area.x + 2, y: place.bottom(), width: area.width.saturating_sub(3), height: 1 };
        probe.strip.passage(last, frame.buffer_mut(), shown.tokens, theme);
    }
    let cursor = probe.strip.render(place, frame.buffer_mut(), &shown, theme);
    if focus {
        frame.set_cursor_position(cursor.unwrap_or(Position::new(area.x, area.y)));
    }
}
