//! Hashes of local files.

use super::course::Course;
use crate::record::work::Done;

pub(super) fn hash(_path: &str, _course: &Course) -> Done {
    Done::Failed("not there yet".into())
}
