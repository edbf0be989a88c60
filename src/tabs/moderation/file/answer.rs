//! Converts the answer to a moderation request into checks.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::api::moderation::{Moderation, ModerationResult};
use crate::component::Cx;
use crate::record::{Check, TextKey};
use crate::text::Untrusted;

/// What all checks of an answer share.
#[derive(Clone, Copy, Debug)]
pub(super) struct CheckOrigin<'a> {
    /// The profile asked, by its id.
    pub(super) profile: &'a str,
    /// The model asked for; empty: the server's own choice.
    pub(super) model: &'a str,
    /// From the request to its answer, milliseconds.
    pub(super) latency_ms: u32,
}

/// Returns a check for each text of a request, in its order; `None`: the answer says nothing about that text. `names`
/// are those of the answer before, which most answers share.
pub(super) fn checks(
    answer: &Moderation,
    texts: &[TextKey],
    asked: CheckOrigin,
    names: &mut Arc<[Untrusted]>,
    cx: &mut Cx,
) -> Vec<Option<Check>> {
    let mut check = |(result, text): (&ModerationResult, &TextKey)| {
        let named: BTreeSet<&str> =
            result.categories.keys().chain(result.category_scores.keys()).map(String::as_str).collect();
        if named.is_empty() {
            return None;
        }
        if names.len() != named.len() || !names.iter().zip(&named).all(|(name, other)| *name == **other) {
            *names = named.iter().map(|name| Untrusted::from(*name)).collect();
        }
        let scores = named.iter().map(|name| result.category_scores.get(*name).copied().flatten()).collect();
        let flags = named.iter().map(|name| result.categories.get(*name).copied().flatten()).collect();
        Some(Check {
            id: cx.id(),
            text: *text,
            profile: asked.profile.to_owned(),
            asked: asked.model.into(),
            model: answer.model.as_str().into(),
            at_ms: cx.unix_ms,
            latency_ms: asked.latency_ms,
            flagged: result.flagged,
            categories: Arc::clone(names),
            scores,
            flags,
        })
    };
    answer.results.iter().zip(texts).map(&mut check).collect()
}
