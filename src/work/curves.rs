//! Result files and logs of events as curves.

use super::course::Course;
use crate::record::work::Done;

pub(super) fn read(_path: &str, _course: &Course) -> Done {
    Done::Failed("not there yet".into())
}
