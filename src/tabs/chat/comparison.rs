//! Several models in one conversation: each message is answered by one after the other, and their answers, versions of
//! one another, are shown side by side.

use super::conversation::{AnswerRequest, Responder};
use super::persistence::NOT_SAVED;
use super::responders::Comparison;
use super::state::State;
use crate::component::{ComparisonOffer, Cx, Notice, Session};
use crate::record::{ChatParams, Id};
use crate::text::Untrusted;

/// Ends that a request may name.
const STOPS: usize = 4;

impl State {
    /// Begins a conversation in which these models answer each message, at temperature 0 and with their own end of an
    /// answer. The prompt waits in the message box: nothing is sent before somebody sends it.
    pub(super) fn begin_comparison(&mut self, trial: ComparisonOffer, cx: &mut Cx) {
        let mut prompt = trial.prompt.clone();
        if prompt.is_empty() && self.composer.editing.is_none() {
            prompt = self.composer.editor.text().into();
        }
        self.new_conversation(cx);
        let id = self.open;
        // The defaults of the model in use are not taken: it may not be one of these models.
        let mut params = ChatParams { temperature: Some(0.0), ..ChatParams::default() };
        if !trial.stop.is_empty() {
            params.stop = trial.stop.into_iter().take(STOPS).collect();
        }
        self.params.show(&params);
        self.conversation_mut().record.params = params;
        let profile = trial.profile;
        let all: Vec<Responder> =
            trial.models.into_iter().map(|model| Responder { profile: profile.clone(), model }).collect();
        self.comparisons.insert(id, Comparison { all, left: Vec::new(), first: None });
        if !prompt.is_empty() {
            self.composer.editor.edit(&prompt);
            self.composer.changed(cx.now);
        }
        cx.notify(Notice::info("both models answer each message; < > chooses the answer to continue from"));
    }

    /// Returns whether several models answer in the conversation that is open.
    pub(super) fn is_comparison(&self) -> bool {
        self.comparisons.contains_key(&self.open)
    }

    /// Ends the comparison: the model in use answers alone again.
    pub(super) fn end_comparison(&mut self, cx: &mut Cx) {
        if self.comparisons.remove(&self.open).is_some() {
            cx.notify(Notice::ok("from the next message on, only the model in use answers").about("trial"));
        }
    }

    /// Returns who answers a message first; the others follow. Where none are compared it is the model in use, alone.
    pub(super) fn first_responder(&mut self, id: Id, session: &Session) -> Responder {
        let first = self.comparisons.get_mut(&id).and_then(|comparison| {
            let (first, rest) = comparison.all.split_first()?;
            comparison.left = rest.to_vec();
            comparison.first = None;
            Some(first.clone())
        });
        first.unwrap_or_else(|| Responder::of(session))
    }

    /// Returns who would be asked for another answer like this model's, or for the first one. `None`: the model in use.
    pub(super) fn responder(&self, id: Id, model: Option<&Untrusted>) -> Option<Responder> {
        let all = &self.comparisons.get(&id)?.all;
        all.iter().find(|responder| Some(&responder.model) == model).or(all.first()).cloned()
    }

    /// Returns who answers again where this model has; it alone, if it is one of them.
    pub(super) fn responder_again(&mut self, id: Id, model: &Untrusted, session: &Session) -> Responder {
        let mut all = self.comparisons.get(&id).into_iter().flat_map(|comparison| &comparison.all);
        match all.find(|responder| responder.model == *model).cloned() {
            Some(responder) => responder,
            None => self.first_responder(id, session),
        }
    }

    /// Drops the models that have not begun to answer.
    pub(super) fn drop_waiting_responders(&mut self, id: Id) {
        if let Some(comparison) = self.comparisons.get_mut(&id) {
            comparison.left.clear();
            comparison.first = None;
        }
    }

    /// Shows an answer that begins beside the others.
    pub(super) fn show_comparison(&mut self, id: Id, turn: Id) {
        let Some(comparison) = self.comparisons.get_mut(&id) else { return };
        if comparison.first.is_none() && !comparison.left.is_empty() {
            comparison.first = Some(turn);
        }
        if id == self.open && (comparison.first.is_some() || self.conversations[&id].tree.version(turn).1 > 1) {
            self.view_requests.versions = Some(turn);
        }
    }

    /// Asks the next model when an answer has ended. After the last one the conversation continues from the first one's
    /// answer, unless somebody chooses another.
    pub(super) fn ask_next_responder(&mut self, id: Id, asked: Id, cx: &mut Cx) {
        let Some(comparison) = self.comparisons.get_mut(&id) else { return };
        if comparison.left.is_empty() {
            let Some(first) = comparison.first.take() else { return };
            if let Some(conversation) = self.conversations.get_mut(&id) {
                conversation.go_to(Some(first));
                self.save_conversation(id, cx);
            }
            if id == self.open {
                self.view_requests.versions = Some(first);
            }
            return;
        }
        let responder = comparison.left.remove(0);
        let Some(conversation) = self.conversations.get_mut(&id) else { return };
        conversation.committing = Some(AnswerRequest { parent: asked, continues: None, replaces: None, responder });
        if conversation.saves.is_saved() {
            self.start_request(id, cx);
        } else if conversation.saves.refusal().is_some() {
            self.refuse_request(id, NOT_SAVED, cx);
        }
    }
}
