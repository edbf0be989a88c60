//! Training files: checked and mended.

use super::course::Course;
use crate::record::training::{Check, Prepare};
use crate::record::work::Done;

pub(super) fn check(_check: &Check, _course: &Course) -> Done {
    Done::Failed("not there yet".into())
}

pub(super) fn prepare(_prepare: &Prepare, _course: &Course) -> Done {
    Done::Failed("not there yet".into())
}
