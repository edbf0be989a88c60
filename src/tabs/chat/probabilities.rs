//! The strip under the transcript that shows the probabilities of an answer's tokens.

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::answer_tokens::ProbabilityStrip;
use super::conversation::OpenConversation;
use crate::component::Handled;
use crate::record::Id;
use crate::tabs::generation::strip::{Event, Shown, Strip, StripKeys, UNSENT, WAITING};
use crate::ui::pane::Spacing;
use crate::ui::theme::Theme;

/// What stands in the strip of an answer that came without probabilities.
const UNASKED: &str = "Turn on Probabilities in the parameters (t) to see alternatives for each token.";
const NONE_CAME: &str = "This answer came without probabilities. They are on now: r regenerates it with them.";
const LOADING: &str = "… loading";

/// The strip of probabilities under the transcript.
#[derive(Debug, Default)]
pub(super) struct ProbabilitiesPane {
    strip: Option<ProbabilityStrip>,
}

impl ProbabilitiesPane {
    /// Returns the answer whose strip is open.
    pub(super) fn turn(&self) -> Option<Id> {
        self.strip.map(|strip| strip.turn)
    }

    pub(super) fn is_open(&self) -> bool {
        self.strip.is_some()
    }

    /// Opens the strip of an answer.
    pub(super) fn open(&mut self, turn: Id, conversation: &OpenConversation) {
        self.strip = Some(ProbabilityStrip { turn, strip: Strip::new(0, conversation.tokens.of(turn)) });
    }

    /// Shows the tokens of an answer that have come from the store.
    pub(super) fn tokens_loaded(&mut self, turn: Id, conversation: &OpenConversation) {
        if self.turn() == Some(turn) {
            self.open(turn, conversation);
        }
    }

    pub(super) fn close(&mut self) {
        self.strip = None;
    }

    /// Takes away the strip of an answer that is not shown any more.
    pub(super) fn close_if_gone(&mut self, conversation: &OpenConversation) {
        self.strip.take_if(|strip| !conversation.path.contains(&strip.turn));
    }

    /// Takes a key. `Handled::Emit`: the strip is closed.
    pub(super) fn key(&mut self, key: KeyEvent, conversation: &OpenConversation) -> Handled<()> {
        let Some(ProbabilityStrip { turn, strip }) = &mut self.strip else { return Handled::Consumed };
        match strip.key(key, StripKeys::Reading, conversation.tokens.of(*turn)) {
            Some(Event::Close) => {
                self.close();
                Handled::Emit(())
            }
            Some(_) => Handled::Consumed,
            None => Handled::Ignored,
        }
    }

    /// Returns the rows it takes of those of the transcript; 0: it is closed, or there is no room for both.
    pub(super) fn rows(&self, conversation: &OpenConversation, available: u16) -> u16 {
        let Some(turn) = self.turn().filter(|_| available >= 5) else { return 0 };
        let most = conversation.tokens.get(turn).map_or(0, |tokens| tokens.rows);
        (Strip::rows_for(available, most) + u16::from(available >= 12)).min(available - 2)
    }

    /// Draws it, and over it the tokens around its cursor where there is room; `focus`: it has the keys.
    pub(super) fn render(
        &self,
        frame: &mut Frame,
        area: Rect,
        conversation: &OpenConversation,
        focus: bool,
        theme: &Theme,
    ) {
        let Some(probabilities) = self.strip.filter(|_| area.height > 0) else { return };
        let score = conversation.tokens.get(probabilities.turn).map(|tokens| tokens.score).unwrap_or_default();
        let shown = Shown {
            tokens: conversation.tokens.of(probabilities.turn),
            empty: reason_for_none(conversation, probabilities.turn),
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
}

/// Returns why there are no tokens of a turn, and what to do.
fn reason_for_none(conversation: &OpenConversation, turn: Id) -> &'static str {
    let asked_now = conversation.record.params.logprobs.is_some();
    let tokens = conversation.tokens.get(turn);
    match tokens.map(|tokens| (tokens.loading, tokens.asked)) {
        Some((true, _)) => LOADING,
        Some((_, Some(true))) if conversation.streaming(turn) => WAITING,
        Some((_, Some(true))) => UNSENT,
        _ if asked_now => NONE_CAME,
        _ => UNASKED,
    }
}
