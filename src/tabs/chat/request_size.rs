//! Counts the tokens of a conversation's next request: a guess at once, the exact count a moment later from the work
//! threads. A request that does not fit into the model's context is not sent.

use std::borrow::Cow;

use super::conversation::{AnswerRequest, OpenConversation};
use super::params;
use super::state::{Request, State};
use super::token_counts::{PendingCount, RequestText};
use crate::component::{Cx, Session};
use crate::record::work::Work;
use crate::record::{Block, Id, Turn};
use crate::tabs::generation::context_limit;
use crate::text::Untrusted;
use crate::tokens::{self, Fit, fit};

impl OpenConversation {
    /// Returns the texts of a request that answers `leaf`, but for those that are not here.
    fn pieces(&self, leaf: Option<Id>) -> Vec<RequestText> {
        let system = (!self.record.system.is_empty()).then_some(RequestText::System);
        let said = self.tree.path(leaf).into_iter();
        let said = said.filter(|id| self.tree.turn(*id).is_some_and(|turn| !turn.is_silent()));
        system.into_iter().chain(said.map(RequestText::Turn)).collect()
    }

    /// Returns the text of a piece as it is sent.
    fn text(&self, piece: RequestText) -> Cow<'_, Untrusted> {
        match piece {
            RequestText::System => Cow::Owned(self.record.system.as_str().into()),
            RequestText::Turn(id) => self.tree.turn(id).map(Turn::said).unwrap_or_default(),
            RequestText::Draft => Cow::default(),
        }
    }

    /// Returns tokens of a text, where it was counted.
    fn counted(&self, piece: RequestText) -> Option<u64> {
        match piece {
            RequestText::System => self.counts.system,
            RequestText::Turn(id) => {
                let (length, count) = self.counts.turns.get(&id)?;
                let pictures: u64 = self.tree.turn(id)?.blocks.iter().map(Block::picture_tokens).sum();
                (*length == self.text(piece).len()).then_some(*count + pictures)
            }
            RequestText::Draft => None,
        }
    }

    /// Returns those of these texts that are not counted, but for those that still grow.
    fn uncounted(&self, pieces: Vec<RequestText>) -> Vec<(RequestText, Untrusted)> {
        let growing = |piece: &RequestText| matches!(piece, RequestText::Turn(turn) if self.streaming(*turn));
        let missing = pieces.into_iter().filter(|piece| self.counted(*piece).is_none() && !growing(piece));
        missing.map(|piece| (piece, self.text(piece).into_owned())).collect()
    }
}

impl State {
    /// Returns the turn that the composer's text is going to follow.
    pub(super) fn before_draft(&self) -> Option<Id> {
        let conversation = self.conversation();
        self.composer.editing.map_or(conversation.record.leaf, |edited| conversation.tree.parent(edited))
    }

    /// Asks for the counts that the next request lacks.
    pub(super) fn ask_count(&mut self, cx: &mut Cx) {
        self.composer.count.due = None;
        if self.pending.any(|asked| matches!(asked, Request::Count(_))) {
            // Counts follow one another: a text that changes is not counted twice at the same time.
            return self.composer.count_soon(cx.now);
        }
        let (model, local) = (cx.session.model.clone(), cx.session.local);
        let encoding = tokens::encoding(&model.line(), local);
        let draft = self.composer.count.exact.is_none_or(|(of, _)| of != encoding).then(|| self.composer.editor.text());
        let leaf = self.before_draft();
        let conversation = self.conversation_mut();
        conversation.counts.change_to(encoding);
        let pieces = conversation.pieces(leaf);
        let mut texts = conversation.uncounted(pieces);
        texts.extend(draft.map(|draft| (RequestText::Draft, draft.into())));
        self.count_texts(self.open, texts, &model, local, cx);
    }

    /// Asks for the counts of texts of a conversation. Returns whether there was anything to count.
    fn count_texts(
        &mut self,
        id: Id,
        texts: Vec<(RequestText, Untrusted)>,
        model: &Untrusted,
        local: bool,
        cx: &mut Cx,
    ) -> bool {
        if texts.is_empty() {
            return false;
        }
        let pieces = texts.iter().map(|(piece, text)| (*piece, text.len())).collect();
        let count = PendingCount {
            conversation: id,
            encoding: self.conversations[&id].counts.encoding,
            stamp: self.composer.count.stamp,
            pieces,
        };
        let texts: Vec<Untrusted> = texts.into_iter().map(|(_, text)| text).collect();
        let ticket = cx.work(Work::Count { model: model.clone(), local, texts: texts.into() });
        self.pending.insert(ticket, Request::Count(count));
        true
    }

    /// Takes the counts of texts; none: they could not be counted. A request that waits for them continues.
    pub(super) fn counted(&mut self, count: &PendingCount, counts: &[u32], cx: &mut Cx) {
        let current = count.stamp == self.composer.count.stamp;
        let Some(conversation) = self.conversations.get_mut(&count.conversation) else { return };
        conversation.counts.failed = counts.is_empty();
        if conversation.counts.encoding == count.encoding {
            for ((piece, length), tokens) in count.pieces.iter().zip(counts) {
                let tokens = u64::from(*tokens);
                match piece {
                    RequestText::System if current => conversation.counts.system = Some(tokens),
                    RequestText::Turn(turn) => drop(conversation.counts.turns.insert(*turn, (*length, tokens))),
                    RequestText::Draft if current => self.composer.count.exact = Some((count.encoding, tokens)),
                    RequestText::System | RequestText::Draft => {}
                }
            }
            conversation.counts.revision += 1;
        }
        if std::mem::take(&mut conversation.counting) {
            self.start_request(count.conversation, cx);
        }
    }

    /// Returns tokens of the request that the composer's text would become, and whether they are exact.
    pub(super) fn next_tokens(&self, session: &Session) -> (u64, bool) {
        let encoding = tokens::encoding(&session.model.line(), session.local);
        let leaf = self.before_draft();
        let conversation = self.conversation();
        let key = (self.open, conversation.revision, conversation.counts.revision, leaf, conversation.answer.is_some());
        let said = match self.composer.count.said.get() {
            Some((of, said)) if of == key => said,
            _ => {
                let here = |id: &Id| conversation.tree.turn(*id).is_some();
                let whole = conversation.tree.path(leaf).iter().all(here);
                let counts = conversation
                    .pieces(leaf)
                    .into_iter()
                    .map(|piece| Some(conversation.counted(piece)? + context_limit::MESSAGE));
                let said = counts.sum::<Option<u64>>().filter(|_| whole);
                self.composer.count.said.set(Some((key, said)));
                said
            }
        };
        let conversation = self.conversation();
        let files = self.composer.attachments.tokens();
        match (said, self.composer.count.exact) {
            (Some(said), Some((of, draft))) if of == encoding && conversation.counts.encoding == encoding => {
                let tokens = said + draft + files + context_limit::MESSAGE + context_limit::ANSWER;
                (tokens, encoding.is_some() && files == 0)
            }
            _ => (self.composer.count.guess + files + conversation.context_tokens(self.composer.editing), false),
        }
    }

    /// Keeps the count of the composer's text, which became this turn.
    pub(super) fn draft_became(&mut self, turn: Id, length: usize) {
        let exact = self.composer.count.exact;
        let counts = &mut self.conversation_mut().counts;
        if let Some((_, tokens)) = exact.filter(|(of, _)| *of == counts.encoding) {
            counts.turns.insert(turn, (length, tokens));
        }
    }

    /// Returns how the request that the composer's text would become fits into the model's context, and its tokens;
    /// `exact`: they are counted.
    pub(super) fn next_fit(&self, session: &Session) -> (Fit, u64, bool) {
        let (tokens, exact) = self.next_tokens(session);
        let most = params::limit(&self.conversation().record.params).unwrap_or(1);
        (fit(tokens, most, session.context(&session.profile, &session.model)), tokens, exact)
    }

    /// Returns why the composer's text is not sent: it is known not to fit.
    pub(super) fn over_limit(&self, session: &Session) -> Option<String> {
        let (Fit::Over { cut, of, .. }, tokens, true) = self.next_fit(session) else { return None };
        let asked = params::limit(&self.conversation().record.params);
        Some(context_limit::conversation_too_long(tokens, asked, cut, of, &session.model))
    }

    /// Returns the tokens of a request, or why it is not sent. `None`: they are being counted, and the request begins
    /// after that.
    pub(super) fn request_tokens(
        &mut self,
        id: Id,
        asking: &AnswerRequest,
        model: &Untrusted,
        local: bool,
        cx: &mut Cx,
    ) -> Option<Result<u64, String>> {
        let encoding = tokens::encoding(&model.line(), local);
        let conversation = self.conversations.get_mut(&id).filter(|conversation| !conversation.counting)?;
        conversation.counts.change_to(encoding);
        let mut pieces = conversation.pieces(Some(asking.parent));
        pieces.extend(asking.continues.map(RequestText::Turn));
        let (mut tokens, mut bound, mut all) = (context_limit::ANSWER, context_limit::ANSWER, true);
        for piece in &pieces {
            let (text, count) = (conversation.text(*piece), conversation.counted(*piece));
            tokens += context_limit::MESSAGE
                + count.unwrap_or_else(|| context_limit::quick_estimate(text.len(), || text.raw()));
            // A text has at most as many tokens as bytes.
            bound += context_limit::MESSAGE + count.unwrap_or(text.len() as u64);
            all &= count.is_some();
        }
        let asked = params::limit(&conversation.record.params);
        let most = asked.unwrap_or(1);
        // If the vocabulary is unknown, nothing is refused.
        let context = cx.session.context(&asking.responder.profile, model).filter(|_| encoding.is_some());
        let Some(context) = context.filter(|context| bound + most > *context) else { return Some(Ok(tokens)) };
        if !all && !conversation.counts.failed {
            let texts = conversation.uncounted(pieces);
            if self.count_texts(id, texts, model, local, cx) {
                self.conversations.get_mut(&id)?.counting = true;
                return None;
            }
        }
        Some(match fit(tokens, most, Some(context)) {
            Fit::Over { cut, .. } if all => {
                Err(context_limit::conversation_too_long(tokens, asked, cut, context, model))
            }
            _ => Ok(tokens),
        })
    }
}
