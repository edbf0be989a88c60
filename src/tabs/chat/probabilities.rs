//! The probabilities of an answer's tokens: saved as they arrive, shown in the strip under the transcript.

use std::collections::hash_map::Entry;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::Chat;
use super::answer_tokens::{AnswerTokens, ProbabilityStrip};
use super::conversation::OpenConversation;
use super::keys::{Action, TRANSCRIPT};
use super::state::{ChatPane, Request, State};
use crate::component::{Cx, Notice};
use crate::record::{Id, Query, Token};
use crate::tabs::generation::strip::{Event, Shown, Strip, StripKeys, UNSENT, WAITING};
use crate::ui::pane::Spacing;
use crate::ui::theme::Theme;

/// What stands in the strip of an answer that came without probabilities.
const UNASKED: &str = "Turn on Probabilities in the parameters (t) to see alternatives for each token.";
const NONE_CAME: &str = "This answer came without probabilities. They are on now: r regenerates it with them.";
const LOADING: &str = "… loading";

impl OpenConversation {
    /// Returns the tokens told of a turn; none: none were, or they are not here yet.
    fn tokens(&self, turn: Id) -> &[Token] {
        self.tokens.get(&turn).map_or(&[], |tokens| &tokens.tokens)
    }

    /// Returns why there are none, and what to do.
    fn why_no_tokens(&self, turn: Id) -> &'static str {
        let asked_now = self.record.params.logprobs.is_some();
        let tokens = self.tokens.get(&turn);
        match tokens.map(|tokens| (tokens.loading, tokens.asked)) {
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
    fn open_probabilities(&mut self, turn: Id, cx: &mut Cx) {
        let id = self.open;
        if let Entry::Vacant(tokens) = self.conversation_mut().tokens.entry(turn) {
            tokens.insert(AnswerTokens { loading: true, ..AnswerTokens::default() });
            let ticket = cx.load(Query::Tokens(vec![turn]));
            self.pending.insert(ticket, Request::Tokens(id, turn));
        }
        self.probabilities = Some(ProbabilityStrip { turn, strip: Strip::new(0, self.conversation().tokens(turn)) });
        self.focus = ChatPane::Probabilities;
    }

    /// Takes what the store has of an answer's tokens; `None`: it could not be read, and may be asked again.
    pub(super) fn loaded_tokens(&mut self, id: Id, turn: Id, tokens: Option<Vec<Token>>) {
        let Some(conversation) = self.conversations.get_mut(&id) else { return };
        let Some(tokens) = tokens else {
            conversation.tokens.remove(&turn);
            return;
        };
        let Some(kept) = conversation.tokens.get_mut(&turn).filter(|kept| kept.loading) else { return };
        *kept = AnswerTokens::default();
        kept.add(tokens);
        kept.saved = kept.tokens.len();
        if let Some(probabilities) = self.probabilities.as_mut().filter(|probabilities| probabilities.turn == turn) {
            probabilities.strip = Strip::new(0, &kept.tokens);
        }
    }

    /// Takes the strip away; its keys go back to the transcript.
    pub(super) fn close_probabilities(&mut self) {
        self.probabilities = None;
        if self.focus == ChatPane::Probabilities {
            self.focus = ChatPane::Transcript;
        }
    }

    /// Takes away the strip of an answer that is not shown any more.
    pub(super) fn settle_probabilities(&mut self) {
        let gone =
            self.probabilities.is_some_and(|probabilities| !self.conversation().path.contains(&probabilities.turn));
        if gone || (self.probabilities.is_none() && self.focus == ChatPane::Probabilities) {
            self.close_probabilities();
        }
    }
}

impl Chat {
    /// Opens the strip of the selected answer or the last one.
    pub(super) fn probabilities(&mut self, target: Option<Id>, cx: &mut Cx) {
        let conversation = self.state.conversation();
        let answer = |id: &Id| conversation.tree.turn(*id).is_some_and(State::is_answer);
        let turn = match self.view.selected() {
            Some(selected) => Some(selected).filter(answer),
            None => target.filter(answer).or_else(|| conversation.path.iter().rev().copied().find(answer)),
        };
        match turn {
            Some(turn) => self.state.open_probabilities(turn, cx),
            None => cx.notify(Notice::info("only answers have probabilities")),
        }
    }

    pub(super) fn probabilities_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let Some(mut probabilities) = self.state.probabilities else { return };
        match probabilities.strip.key(key, StripKeys::Reading, self.state.conversation().tokens(probabilities.turn)) {
            Some(Event::Close) => self.state.close_probabilities(),
            Some(_) => self.state.probabilities = Some(probabilities),
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

/// Draws the strip, and over it the tokens around its cursor where there is room.
pub(super) fn render(frame: &mut Frame, area: Rect, state: &State, theme: &Theme) {
    let Some(probabilities) = state.probabilities.filter(|_| area.height > 0) else { return };
    let conversation = state.conversation();
    let focus = state.focus == ChatPane::Probabilities && !state.is_covered();
    let score = conversation.tokens.get(&probabilities.turn).map(|tokens| tokens.score).unwrap_or_default();
    let shown = Shown {
        tokens: conversation.tokens(probabilities.turn),
        empty: conversation.why_no_tokens(probabilities.turn),
        completion: score,
        focus,
        keys: StripKeys::Reading,
        spacing: if theme.kind.has_surfaces() { Spacing::Compact } else { Spacing::Lines },
    };
    let mut place = area;
    if area.height >= 4 && !shown.tokens.is_empty() {
        place.height -= 1;
        let last = Rect { x: area.x + 2, y: place.bottom(), width: area.width.saturating_sub(3), height: 1 };
        probabilities.strip.draw_context(last, frame.buffer_mut(), shown.tokens, theme);
    }
    let cursor = probabilities.strip.render(place, frame.buffer_mut(), &shown, theme);
    if focus {
        frame.set_cursor_position(cursor.unwrap_or(Position::new(area.x, area.y)));
    }
}
