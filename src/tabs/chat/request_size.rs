//! Counts the tokens of a conversation's next request: a guess at once, the exact count a moment later from the work
//! threads. A request that does not fit into the model's context is not sent.

use std::borrow::Cow;

use super::composer::Composer;
use super::conversation::{AnswerRequest, OpenConversation};
use super::params;
use super::responders::Responder;
use super::token_counts::{DraftCount, PendingCount, RequestText, TokenCounts};
use crate::component::{Cx, Session};
use crate::record::work::Work;
use crate::record::{Block, Id, Turn};
use crate::tabs::generation::context_limit;
use crate::text::Untrusted;
use crate::tokens::{self, Fit, fit};

impl Composer {
    /// Returns the turn that the text is going to follow.
    pub(super) fn parent(&self, conversation: &OpenConversation) -> Option<Id> {
        self.editing.map_or(conversation.record.leaf, |edited| conversation.tree.parent(edited))
    }

    /// Asks for the counts that the next request lacks.
    pub(super) fn count_request(&mut self, conversation: &mut OpenConversation, cx: &mut Cx) {
        self.count.due = None;
        if self.count.pending.any(|_| true) {
            // Counts follow one another: a text that changes is not counted twice at the same time.
            return self.count_soon(cx.now);
        }
        let session = cx.session;
        let (model, local) = (&session.model, session.local);
        let encoding = tokens::encoding(&model.line(), local);
        let draft = self.count.exact.is_none_or(|(of, _)| of != encoding).then(|| self.editor.text());
        conversation.counts.change_to(encoding);
        let pieces = request_texts(conversation, self.parent(conversation));
        let mut texts = uncounted(conversation, pieces);
        texts.extend(draft.map(|draft| (RequestText::Draft, draft.into())));
        self.count.request(conversation, texts, (model, local), cx);
    }

    /// Returns tokens of the request that the text would become, and whether they are exact.
    fn next_tokens(&self, conversation: &OpenConversation, session: &Session) -> (u64, bool) {
        let encoding = tokens::encoding(&session.model.line(), session.local);
        let leaf = self.parent(conversation);
        let (id, answers) = (conversation.record.id, conversation.answer.is_some());
        let key = (id, conversation.revision, conversation.counts.revision, leaf, answers);
        let said = match self.count.said.get() {
            Some((of, said)) if of == key => said,
            _ => {
                let here = |id: &Id| conversation.tree.turn(*id).is_some();
                let whole = conversation.tree.path(leaf).iter().all(here);
                let texts = request_texts(conversation, leaf).into_iter();
                let counts = texts.map(|piece| Some(counted(conversation, piece)? + context_limit::MESSAGE));
                let said = counts.sum::<Option<u64>>().filter(|_| whole);
                self.count.said.set(Some((key, said)));
                said
            }
        };
        let files = self.attachments.tokens();
        match (said, self.count.exact) {
            (Some(said), Some((of, draft))) if of == encoding && conversation.counts.encoding == encoding => {
                let tokens = said + draft + files + context_limit::MESSAGE + context_limit::ANSWER;
                (tokens, encoding.is_some() && files == 0)
            }
            _ => (self.count.guess + files + conversation.context_tokens(self.editing), false),
        }
    }

    /// Returns how the request that the text would become fits into the model's context, and its tokens; `exact`: they
    /// are counted.
    pub(super) fn next_fit(&self, conversation: &OpenConversation, session: &Session) -> (Fit, u64, bool) {
        let (tokens, exact) = self.next_tokens(conversation, session);
        let most = params::limit(&conversation.record.params).unwrap_or(1);
        (fit(tokens, most, session.context(&session.profile, &session.model)), tokens, exact)
    }

    /// Returns why the text is not sent: it is known not to fit.
    pub(super) fn over_limit(&self, conversation: &OpenConversation, session: &Session) -> Option<String> {
        let (Fit::Over { cut, of, .. }, tokens, true) = self.next_fit(conversation, session) else { return None };
        let asked = params::limit(&conversation.record.params);
        Some(context_limit::conversation_too_long(tokens, asked, cut, of, &session.model))
    }
}

impl DraftCount {
    /// Asks for the counts of texts of a conversation. Returns whether there was anything to count.
    fn request(
        &mut self,
        conversation: &OpenConversation,
        texts: Vec<(RequestText, Untrusted)>,
        (model, local): (&Untrusted, bool),
        cx: &mut Cx,
    ) -> bool {
        if texts.is_empty() {
            return false;
        }
        let count = PendingCount {
            conversation: conversation.record.id,
            encoding: conversation.counts.encoding,
            stamp: self.stamp,
            pieces: texts.iter().map(|(piece, text)| (*piece, text.len())).collect(),
        };
        let texts: Vec<Untrusted> = texts.into_iter().map(|(_, text)| text).collect();
        let ticket = cx.work(Work::Count { model: model.clone(), local, texts: texts.into() });
        self.pending.insert(ticket, count);
        true
    }

    /// Takes the counts of texts; none: they could not be counted. Returns whether a request waits for them.
    pub(super) fn take(&mut self, count: &PendingCount, counts: &[u32], conversation: &mut OpenConversation) -> bool {
        let current = count.stamp == self.stamp;
        conversation.counts.failed = counts.is_empty();
        if conversation.counts.encoding == count.encoding {
            for ((piece, length), tokens) in count.pieces.iter().zip(counts) {
                let tokens = u64::from(*tokens);
                match piece {
                    RequestText::System if current => conversation.counts.system = Some(tokens),
                    RequestText::Turn(turn) => drop(conversation.counts.turns.insert(*turn, (*length, tokens))),
                    RequestText::Draft if current => self.exact = Some((count.encoding, tokens)),
                    RequestText::System | RequestText::Draft => {}
                }
            }
            conversation.counts.revision += 1;
        }
        std::mem::take(&mut conversation.counting)
    }

    /// Keeps the count of the text, which became this turn, in those of its conversation.
    pub(super) fn became(&self, turn: Id, length: usize, counts: &mut TokenCounts) {
        if let Some((_, tokens)) = self.exact.filter(|(of, _)| *of == counts.encoding) {
            counts.turns.insert(turn, (length, tokens));
        }
    }

    /// Returns the tokens of a request, or why it is not sent. `None`: they are being counted, and the request begins
    /// after that.
    pub(super) fn request_tokens(
        &mut self,
        conversation: &mut OpenConversation,
        asking: &AnswerRequest,
        local: bool,
        cx: &mut Cx,
    ) -> Option<Result<u64, String>> {
        if conversation.counting {
            return None;
        }
        let Responder { profile, model } = &asking.responder;
        let encoding = tokens::encoding(&model.line(), local);
        conversation.counts.change_to(encoding);
        let mut pieces = request_texts(conversation, Some(asking.parent));
        pieces.extend(asking.continues.map(RequestText::Turn));
        let (mut tokens, mut bound, mut all) = (context_limit::ANSWER, context_limit::ANSWER, true);
        for piece in &pieces {
            let (text, count) = (text_of(conversation, *piece), counted(conversation, *piece));
            tokens += context_limit::MESSAGE
                + count.unwrap_or_else(|| context_limit::quick_estimate(text.len(), || text.raw()));
            // A text has at most as many tokens as bytes.
            bound += context_limit::MESSAGE + count.unwrap_or(text.len() as u64);
            all &= count.is_some();
        }
        let asked = params::limit(&conversation.record.params);
        let most = asked.unwrap_or(1);
        // If the vocabulary is unknown, nothing is refused.
        let context = cx.session.context(profile, model).filter(|_| encoding.is_some());
        let Some(context) = context.filter(|context| bound + most > *context) else { return Some(Ok(tokens)) };
        if !all && !conversation.counts.failed {
            let texts = uncounted(conversation, pieces);
            conversation.counting = self.request(conversation, texts, (model, local), cx);
            if conversation.counting {
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

/// Returns the texts of a request that answers `leaf`, but for those that are not here.
fn request_texts(conversation: &OpenConversation, leaf: Option<Id>) -> Vec<RequestText> {
    let system = (!conversation.record.system.is_empty()).then_some(RequestText::System);
    let said = conversation.tree.path(leaf).into_iter();
    let said = said.filter(|id| conversation.tree.turn(*id).is_some_and(|turn| !turn.is_silent()));
    system.into_iter().chain(said.map(RequestText::Turn)).collect()
}

/// Returns the text of a piece as it is sent.
fn text_of(conversation: &OpenConversation, piece: RequestText) -> Cow<'_, Untrusted> {
    match piece {
        RequestText::System => Cow::Owned(conversation.record.system.as_str().into()),
        RequestText::Turn(id) => conversation.tree.turn(id).map(Turn::said).unwrap_or_default(),
        RequestText::Draft => Cow::default(),
    }
}

/// Returns tokens of a text, where it was counted.
fn counted(conversation: &OpenConversation, piece: RequestText) -> Option<u64> {
    match piece {
        RequestText::System => conversation.counts.system,
        RequestText::Turn(id) => {
            let (length, count) = conversation.counts.turns.get(&id)?;
            let pictures: u64 = conversation.tree.turn(id)?.blocks.iter().map(Block::picture_tokens).sum();
            (*length == text_of(conversation, piece).len()).then_some(*count + pictures)
        }
        RequestText::Draft => None,
    }
}

/// Returns those of these texts that are not counted, but for those that still grow.
fn uncounted(conversation: &OpenConversation, pieces: Vec<RequestText>) -> Vec<(RequestText, Untrusted)> {
    let growing = |piece: &RequestText| matches!(piece, RequestText::Turn(turn) if conversation.streaming(*turn));
    let missing = pieces.into_iter().filter(|piece| counted(conversation, *piece).is_none() && !growing(piece));
    missing.map(|piece| (piece, text_of(conversation, piece).into_owned())).collect()
}
