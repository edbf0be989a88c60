//! Converts the answer to a moderation request into checks.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::model_ref::ModelRef;
use crate::api::moderation::{Moderation, ModerationResult};
use crate::component::Cx;
use crate::record::{Check, TextKey};
use crate::text::Untrusted;

/// Returns a check for each text of a request, in its order; `None`: the answer says nothing about that text.
/// `(model, latency_ms)`: who was asked, and the milliseconds from the request to its answer. `names` are those of the
/// answer before, which most answers share.
pub(super) fn checks(
    answer: &Moderation,
    texts: &[TextKey],
    (model, latency_ms): (&ModelRef, u32),
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
            profile: model.profile.clone(),
            asked: model.model.clone(),
            model: answer.model.as_str().into(),
            at_ms: cx.unix_ms,
            latency_ms,
            flagged: result.flagged,
            categories: Arc::clone(names),
            scores,
            flags,
        })
    };
    answer.results.iter().zip(texts).map(&mut check).collect()
}
