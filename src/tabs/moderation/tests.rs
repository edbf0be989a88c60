//! Helpers that the tests of the tab's modules share.

use crate::record::{Check, Id, TextKey};
use crate::text::Untrusted;

/// Returns a check of these categories: name, score, flag.
pub(super) fn check(cells: &[(&str, Option<f64>, Option<bool>)]) -> Check {
    Check {
        id: Id(1),
        text: TextKey::of(&"a".into()),
        profile: "work".into(),
        asked: "m".into(),
        model: "m-001".into(),
        at_ms: 0,
        latency_ms: 0,
        flagged: cells.iter().any(|(.., flag)| *flag == Some(true)),
        categories: cells.iter().map(|(name, ..)| Untrusted::from(*name)).collect(),
        scores: cells.iter().map(|(_, score, _)| *score).collect(),
        flags: cells.iter().map(|(.., flag)| *flag).collect(),
    }
}
