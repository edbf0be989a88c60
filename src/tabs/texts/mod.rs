//! What Moderate and Embed have in common: choosing a file of texts, and lists of texts as they are kept.

mod chooser;
mod kept;
mod lists;
#[cfg(test)]
mod tests;

pub(in crate::tabs) use chooser::{Chooser, Outcome};
pub(in crate::tabs) use kept::Keeping;
pub(in crate::tabs) use lists::{ListPicker, Listed};
