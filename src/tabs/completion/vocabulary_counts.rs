//! The tokens of a comparison's prompt, counted once in each vocabulary that its models have.

use super::prompt_count;
use crate::api::call::Ticket;
use crate::component::Cx;
use crate::record::work::{Done, Work};
use crate::text::Untrusted;
use crate::tokens::{self, Encoding};

/// What is known of the prompt's tokens while they are being counted.
#[derive(Debug, Default)]
pub(super) struct VocabularyCounts(Vec<VocabularyCount>);

/// The count in one vocabulary.
#[derive(Debug)]
struct VocabularyCount {
    encoding: Encoding,
    /// The work that counts; `None`: it is done.
    asked: Option<Ticket>,
    /// The tokens before the caret and after it; `None`: not counted yet, or that failed.
    tokens: Option<[u64; 2]>,
}

impl VocabularyCounts {
    /// Has the prompt counted by `work` as a model cuts it, unless another model does the same or nobody here knows
    /// how; `local`: the model is one of the local service's.
    pub(super) fn ask(&mut self, model: Untrusted, local: bool, work: impl FnOnce(Untrusted) -> Work, cx: &mut Cx) {
        let Some(encoding) = tokens::encoding(&model.line(), local) else { return };
        if self.0.iter().all(|count| count.encoding != encoding) {
            let asked = Some(cx.work(work(model)));
            self.0.push(VocabularyCount { encoding, asked, tokens: None });
        }
    }

    /// Takes a count in. Returns whether it was asked for.
    pub(super) fn take(&mut self, ticket: Ticket, done: &Done) -> bool {
        let Some(count) = self.0.iter_mut().find(|count| count.asked == Some(ticket)) else { return false };
        (count.asked, count.tokens) = (None, prompt_count::exact(done));
        true
    }

    /// Returns whether all counts have come.
    pub(super) fn is_complete(&self) -> bool {
        self.0.iter().all(|count| count.asked.is_none())
    }

    /// Returns tokens of prompt and suffix as a model cuts them; `None`: nobody here knows.
    pub(super) fn tokens(&self, model: &Untrusted, local: bool) -> Option<u64> {
        let encoding = tokens::encoding(&model.line(), local)?;
        let count = self.0.iter().find(|count| count.encoding == encoding)?;
        count.tokens.map(|tokens| tokens.iter().sum())
    }
}
