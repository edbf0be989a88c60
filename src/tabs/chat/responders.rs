//! Several models in one conversation: each message is answered by one after the other, and their answers, versions of
//! one another, are shown side by side.

use std::collections::HashMap;

use crate::component::Session;
use crate::record::{ChatParams, Id};
use crate::settings::ProfileId;
use crate::text::Untrusted;

/// Ends that a request may name.
const STOPS: usize = 4;

/// A model of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Responder {
    pub(super) profile: ProfileId,
    pub(super) model: Untrusted,
}

impl Responder {
    /// Returns the model in use.
    pub(super) fn of(session: &Session) -> Self {
        Self { profile: session.profile.clone(), model: session.model.clone() }
    }
}

/// Who answers in a conversation.
#[derive(Debug)]
pub(super) struct Comparison {
    /// All of them, the first one first.
    all: Vec<Responder>,
    /// The models that have not begun to answer the last message yet.
    left: Vec<Responder>,
    /// The answer of the first one to that message.
    first: Option<Id>,
}

/// Conversations in which several models answer each message.
#[derive(Debug, Default)]
pub(super) struct Comparisons(HashMap<Id, Comparison>);

/// What follows when an answer has ended.
#[derive(Debug)]
pub(super) enum NextResponder {
    /// This model answers next.
    Ask(Responder),
    /// All have answered; the answer of the first one.
    Done(Id),
}

impl Comparison {
    /// Returns the parameters of a comparison: temperature 0, and the models' own end of an answer.
    pub(super) fn params(stop: Vec<String>) -> ChatParams {
        ChatParams { temperature: Some(0.0), stop: stop.into_iter().take(STOPS).collect(), ..ChatParams::default() }
    }

    /// Returns the models that still come, in their order.
    pub(super) fn remaining(&self) -> impl Iterator<Item = &Untrusted> {
        self.left.iter().map(|responder| &responder.model)
    }

    /// Returns their names, for the rule of the message box.
    pub(super) fn names(&self) -> String {
        let names: Vec<_> = self.all.iter().map(|responder| responder.model.line()).collect();
        names.join(", then ")
    }

    /// Returns the one of this model.
    fn of_model(&self, model: &Untrusted) -> Option<&Responder> {
        self.all.iter().find(|responder| responder.model == *model)
    }
}

impl Comparisons {
    /// Compares these models of a profile in a conversation.
    pub(super) fn begin(&mut self, id: Id, profile: &ProfileId, models: Vec<Untrusted>) {
        let all = models.into_iter().map(|model| Responder { profile: profile.clone(), model }).collect();
        self.0.insert(id, Comparison { all, left: Vec::new(), first: None });
    }

    pub(super) fn get(&self, id: Id) -> Option<&Comparison> {
        self.0.get(&id)
    }

    /// Ends the comparison in a conversation. Returns whether there was one.
    pub(super) fn end(&mut self, id: Id) -> bool {
        self.0.remove(&id).is_some()
    }

    /// Returns who answers a message first; the others follow. Where none are compared it is the model in use, alone.
    pub(super) fn first(&mut self, id: Id, session: &Session) -> Responder {
        let first = self.0.get_mut(&id).and_then(|comparison| {
            let (first, rest) = comparison.all.split_first()?;
            comparison.left = rest.to_vec();
            comparison.first = None;
            Some(first.clone())
        });
        first.unwrap_or_else(|| Responder::of(session))
    }

    /// Returns who would be asked for another answer like this model's, or for the first one.
    pub(super) fn like(&self, id: Id, model: Option<&Untrusted>, session: &Session) -> Responder {
        let compared = self
            .get(id)
            .and_then(|comparison| model.and_then(|model| comparison.of_model(model)).or(comparison.all.first()));
        compared.cloned().unwrap_or_else(|| Responder::of(session))
    }

    /// Returns who answers again where this model has; it alone, if it is one of them.
    pub(super) fn again(&mut self, id: Id, model: &Untrusted, session: &Session) -> Responder {
        match self.get(id).and_then(|comparison| comparison.of_model(model)).cloned() {
            Some(responder) => responder,
            None => self.first(id, session),
        }
    }

    /// Drops the models that have not begun to answer.
    pub(super) fn drop_waiting(&mut self, id: Id) {
        if let Some(comparison) = self.0.get_mut(&id) {
            comparison.left.clear();
            comparison.first = None;
        }
    }

    /// Notes that an answer begins; `versions`: how many there are of it. Returns whether it is shown beside the others.
    pub(super) fn begin_answer(&mut self, id: Id, turn: Id, versions: usize) -> bool {
        let Some(comparison) = self.0.get_mut(&id) else { return false };
        if comparison.first.is_none() && !comparison.left.is_empty() {
            comparison.first = Some(turn);
        }
        comparison.first.is_some() || versions > 1
    }

    /// Returns what follows when an answer has ended; `None`: nothing.
    pub(super) fn next(&mut self, id: Id) -> Option<NextResponder> {
        let comparison = self.0.get_mut(&id)?;
        if comparison.left.is_empty() {
            return comparison.first.take().map(NextResponder::Done);
        }
        Some(NextResponder::Ask(comparison.left.remove(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_answer_one_after_the_other_and_the_first_answer_is_the_one_to_continue() {
        let (mut comparisons, session, id) = (Comparisons::default(), Session::default(), Id(1));
        assert!(comparisons.next(id).is_none() && !comparisons.begin_answer(id, Id(9), 2), "nothing is compared");
        comparisons.begin(id, &ProfileId::local(), vec!["a".into(), "b".into()]);
        assert_eq!(comparisons.first(id, &session).model, "a");
        assert!(comparisons.begin_answer(id, Id(10), 1));
        let Some(NextResponder::Ask(second)) = comparisons.next(id) else { panic!("another model answers") };
        assert_eq!(second.model, "b");
        assert!(comparisons.begin_answer(id, Id(11), 2));
        assert!(matches!(comparisons.next(id), Some(NextResponder::Done(Id(10)))));
        assert!(comparisons.next(id).is_none());
        assert_eq!(comparisons.again(id, &"b".into(), &session).model, "b");
        assert!(comparisons.next(id).is_none(), "it alone answers again");
        assert!(comparisons.end(id) && !comparisons.end(id));
    }
}
