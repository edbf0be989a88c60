//! Finds the token of a text that is to get a bias.

use super::BiasChange;
use crate::api::call::Ticket;
use crate::component::{Cx, Handled, Notice, Pending};
use crate::record::work::{Done, Work};
use crate::text::Untrusted;

/// A token that is to get a bias.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TokenBias {
    pub(crate) id: u32,
    /// What a notice calls it.
    pub(crate) name: String,
    pub(crate) change: BiasChange,
}

/// The texts whose tokens are being found, and what is to become of their biases.
#[derive(Debug, Default)]
pub(crate) struct BiasLookup(Pending<(Untrusted, BiasChange)>);

impl BiasLookup {
    /// Asks for the token of a text. `local`: the model is one of the local service's.
    pub(crate) fn ask(&mut self, text: Untrusted, change: BiasChange, model: Untrusted, local: bool, cx: &mut Cx) {
        let ticket = cx.work(Work::Tokenize { model, local, text: text.clone() });
        self.0.insert(ticket, (text, change));
    }

    /// Takes what was found; says so if the text is not one token.
    pub(crate) fn take(&mut self, ticket: Ticket, done: &Done, cx: &mut Cx) -> Handled<TokenBias> {
        let Some((text, change)) = self.0.take(ticket) else { return Handled::Ignored };
        let name = format!("“{}”", text.line());
        cx.notify(match done {
            Done::Tokens(Some(found)) => match found.ids.as_slice() {
                [id] => return Handled::Emit(TokenBias { id: *id, name, change }),
                ids => {
                    let (many, vocabulary) = (ids.len(), found.vocabulary);
                    Notice::warn(format!("{name} is {many} tokens of {vocabulary}, not one: B sets biases by id"))
                }
            },
            Done::Tokens(None) => Notice::warn("this model's vocabulary is unknown: B takes a bias by token id"),
            Done::Failed(why) => Notice::error(why.clone()),
            _ => return Handled::Consumed,
        });
        Handled::Consumed
    }
}
