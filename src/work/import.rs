//! Reading back what was exported.

use crate::record::work::Done;

/// Reads one.
pub(super) fn import(_path: &str) -> Done {
    Done::Failed("not there yet".into())
}
