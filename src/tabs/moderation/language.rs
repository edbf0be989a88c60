//! What the local classifier cannot check: it reads English alone.

use super::model_ref::ModelRef;
use crate::engine::moderate::is_english;
use crate::record::Check;
use crate::settings::ProfileId;
use crate::text::Untrusted;

/// What is written beside its scores.
pub(super) const ENGLISH: &str = "local classifier: English only";
/// What is written in place of a verdict that would mean nothing.
pub(super) const UNJUDGED: &str = "— English only";

/// Returns whether a model is the local service's.
pub(super) fn is_local(model: &ModelRef) -> bool {
    model.profile == ProfileId::local().0
}

/// Returns whether a check says nothing of its text: the local classifier flagged nothing in another language than its
/// own.
pub(super) fn is_unjudged(check: &Check, text: &Untrusted) -> bool {
    !check.flagged && check.profile == ProfileId::local().0 && !is_english(&text.screen())
}
