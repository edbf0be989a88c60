//! Parts of local files of any size.

use super::course::Course;
use crate::record::files::Look;
use crate::record::work::Done;

pub(super) fn look(_look: &Look, _course: &Course) -> Done {
    Done::Failed("not there yet".into())
}
