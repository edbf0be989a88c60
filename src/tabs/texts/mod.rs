//! What Moderate and Embed have in common: choosing a file of texts, and lists of texts as they are kept.

mod chooser;
mod kept;
mod lists;
#[cfg(test)]
mod tests;

pub(crate) use chooser::{ChosenFile, FileChooser};
pub(crate) use kept::Keeping;
pub(crate) use lists::{ListEvent, ListPicker};
