//! How many tokens a conversation's next request has: a guess at once, the exact count a moment later, off the screen's
//! thread. What does not fit into the model's context is not sent.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use super::count::{Count, Piece};
use super::room::{Asking, Room};
use super::state::{Request, State};
use crate::component::{Cx, Session};
use crate::record::work::Work;
use crate::record::{Id, Turn};
use crate::tabs::generation::limit;
use crate::text::Untrusted;
use crate::tokens::{self, Fit, fit};

/// How long the composer's text rests before it is counted exactly.
const REST: Duration = Duration::from_millis(150);

impl Room {
    /// The texts of a request that answers `leaf`, but for those that are not here.
    fn pieces(&self, leaf: Option<Id>) -> Vec<Piece> {
        let system = (!self.conversation.system.is_empty()).then_some(Piece::System);
        let said = self.tree.path(leaf).into_iter();
        let said = said.filter(|id| self.tree.turn(*id).is_some_and(|turn| !turn.is_silent()));
        system.into_iter().chain(said.map(Piece::Turn)).collect()
    }

    /// The text of a piece as it is sent.
    fn text(&self, piece: Piece) -> Cow<'_, Untrusted> {
        match piece {
            Piece::System => Cow::Owned(self.conversation.system.as_str().into()),
            Piece::Turn(id) => self.tree.turn(id).map(Turn::said).unwrap_or_default(),
            Piece::Draft => Cow::default(),
        }
    }

    /// Tokens of a text, where it was counted.
    fn counted(&self, piece: Piece) -> Option<u64> {
        match piece {
            Piece::System => self.counts.system,
            Piece::Turn(id) => {
                let (length, count) = self.counts.turns.get(&id)?;
                (*length == self.text(piece).len()).then_some(*count)
            }
            Piece::Draft => None,
        }
    }
}

impl State {
    /// The turn that the composer's text is going to follow.
    pub(super) fn before_draft(&self) -> Option<Id> {
        let room = self.room();
        self.editing.map_or(room.conversation.leaf, |edited| room.tree.parent(edited))
    }

    /// The composer's text or the system prompt is another: it is guessed at now, and counted once it rests.
    pub(super) fn recount(&mut self, now: Instant) {
        self.draft.guess = limit::guess(self.editor.len(), || self.editor.text());
        self.draft.exact = None;
        self.draft.stamp += 1;
        self.count_soon(now);
    }

    /// What the next request is made of is to be counted, if there is anything to send.
    pub(super) fn count_soon(&mut self, now: Instant) {
        self.draft.due = (!self.editor.is_empty()).then(|| now + REST);
    }

    /// When the next request is to be counted.
    pub(super) fn count_due(&self) -> Option<Instant> {
        self.draft.due
    }

    /// Has counted what is not yet of the next request.
    pub(super) fn ask_count(&mut self, cx: &mut Cx) {
        self.draft.due = None;
        if self.pending.any(|asked| matches!(asked, Request::Count(_))) {
            // One after the other: a text that is typed on is not counted twice at once.
            return self.count_soon(cx.now);
        }
        let (model, local) = (cx.session.model.clone(), cx.session.local);
        let encoding = tokens::encoding(&model.line(), local);
        let draft = self.draft.exact.is_none_or(|(of, _)| of != encoding).then(|| self.editor.text());
        let leaf = self.before_draft();
        let room = self.room_mut();
        room.counts.change_to(encoding);
        let pieces = room.pieces(leaf);
        self.order_count(self.open, pieces, draft, &model, local, cx);
    }

    /// Orders counts of those texts that have none, and of the draft. Whether there was anything to count.
    fn order_count(
        &mut self,
        id: Id,
        pieces: Vec<Piece>,
        draft: Option<String>,
        model: &Untrusted,
        local: bool,
        cx: &mut Cx,
    ) -> bool {
        let room = &self.rooms[&id];
        let growing = |piece: &Piece| matches!(piece, Piece::Turn(turn) if room.streaming(*turn));
        let missing = pieces.into_iter().filter(|piece| room.counted(*piece).is_none() && !growing(piece));
        let mut texts: Vec<(Piece, Untrusted)> = missing.map(|piece| (piece, room.text(piece).into_owned())).collect();
        texts.extend(draft.map(|draft| (Piece::Draft, draft.into())));
        if texts.is_empty() {
            return false;
        }
        let pieces = texts.iter().map(|(piece, text)| (*piece, text.len())).collect();
        let count = Count { room: id, encoding: room.counts.encoding, stamp: self.draft.stamp, pieces };
        let texts: Vec<Untrusted> = texts.into_iter().map(|(_, text)| text).collect();
        let ticket = cx.work(Work::Count { model: model.clone(), local, texts: texts.into() });
        self.pending.insert(ticket, Request::Count(count));
        true
    }

    /// Texts have been counted; none of them: they could not be. A request that waits for it goes on.
    pub(super) fn counted(&mut self, count: &Count, counts: &[u32], cx: &mut Cx) {
        let current = count.stamp == self.draft.stamp;
        let Some(room) = self.rooms.get_mut(&count.room) else { return };
        room.counts.failed = counts.is_empty();
        if room.counts.encoding == count.encoding {
            for ((piece, length), tokens) in count.pieces.iter().zip(counts) {
                let tokens = u64::from(*tokens);
                match piece {
                    Piece::System if current => room.counts.system = Some(tokens),
                    Piece::Turn(turn) => drop(room.counts.turns.insert(*turn, (*length, tokens))),
                    Piece::Draft if current => self.draft.exact = Some((count.encoding, tokens)),
                    Piece::System | Piece::Draft => {}
                }
            }
            room.counts.revision += 1;
        }
        if std::mem::take(&mut room.counting) {
            self.begin(count.room, cx);
        }
    }

    /// Tokens of the request that the composer's text would become, and whether they are exact.
    pub(super) fn next_tokens(&mut self, session: &Session) -> (u64, bool) {
        let encoding = tokens::encoding(&session.model.line(), session.local);
        let leaf = self.before_draft();
        let room = self.room();
        let key = (self.open, room.revision, room.counts.revision, leaf, room.answer.is_some());
        let said = match self.draft.said {
            Some((of, said)) if of == key => said,
            _ => {
                let here = |id: &Id| room.tree.turn(*id).is_some();
                let whole = room.tree.path(leaf).iter().all(here);
                let counts = room.pieces(leaf).into_iter().map(|piece| Some(room.counted(piece)? + limit::MESSAGE));
                let said = counts.sum::<Option<u64>>().filter(|_| whole);
                self.draft.said = Some((key, said));
                said
            }
        };
        let room = self.room();
        match (said, self.draft.exact) {
            (Some(said), Some((of, draft))) if of == encoding && room.counts.encoding == encoding => {
                (said + draft + limit::MESSAGE + limit::ANSWER, encoding.is_some())
            }
            _ => (self.draft.guess + room.context_tokens(self.editing), false),
        }
    }

    /// The composer's text became this turn: what was counted of the one holds of the other.
    pub(super) fn draft_became(&mut self, turn: Id, length: usize) {
        let exact = self.draft.exact;
        let counts = &mut self.room_mut().counts;
        if let Some((_, tokens)) = exact.filter(|(of, _)| *of == counts.encoding) {
            counts.turns.insert(turn, (length, tokens));
        }
    }

    /// How the request that the composer's text would become fits into the model's context, and its tokens; `exact`:
    /// they are counted.
    pub(super) fn next_fit(&mut self, session: &Session) -> (Fit, u64, bool) {
        let (tokens, exact) = self.next_tokens(session);
        let most = self.room().conversation.params.max_tokens.unwrap_or(1);
        (fit(tokens, most, tokens::context(&session.model.line())), tokens, exact)
    }

    /// Why the composer's text is not sent: it is known not to fit.
    pub(super) fn over_limit(&mut self, session: &Session) -> Option<String> {
        let (Fit::Over { cut, of, .. }, tokens, true) = self.next_fit(session) else { return None };
        let asked = self.room().conversation.params.max_tokens;
        Some(limit::conversation_too_long(tokens, asked, cut, of, &session.model))
    }

    /// The tokens of a request, or why it is not sent. `None`: they are being counted, and the request begins after that.
    pub(super) fn weigh(
        &mut self,
        id: Id,
        asking: &Asking,
        model: &Untrusted,
        local: bool,
        cx: &mut Cx,
    ) -> Option<Result<u64, String>> {
        let encoding = tokens::encoding(&model.line(), local);
        let room = self.rooms.get_mut(&id).filter(|room| !room.counting)?;
        room.counts.change_to(encoding);
        let mut pieces = room.pieces(Some(asking.parent));
        pieces.extend(asking.continues.map(Piece::Turn));
        let (mut tokens, mut bound, mut all) = (limit::ANSWER, limit::ANSWER, true);
        for piece in &pieces {
            let (text, count) = (room.text(*piece), room.counted(*piece));
            tokens += limit::MESSAGE + count.unwrap_or_else(|| limit::guess(text.len(), || text.raw()));
            // A text has at most as many tokens as bytes.
            bound += limit::MESSAGE + count.unwrap_or(text.len() as u64);
            all &= count.is_some();
        }
        let asked = room.conversation.params.max_tokens;
        let most = asked.unwrap_or(1);
        // Where nobody knows the vocabulary nothing is held back.
        let context = tokens::context(&model.line()).filter(|_| encoding.is_some());
        let Some(context) = context.filter(|context| bound + most > *context) else { return Some(Ok(tokens)) };
        if !all && !room.counts.failed && self.order_count(id, pieces, None, model, local, cx) {
            self.rooms.get_mut(&id)?.counting = true;
            return None;
        }
        Some(match fit(tokens, most, Some(context)) {
            Fit::Over { cut, .. } if all => Err(limit::conversation_too_long(tokens, asked, cut, context, model)),
            _ => Ok(tokens),
        })
    }
}
