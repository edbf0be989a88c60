//! What Moderate and Embed have in common: choosing a file of texts, and the saved lists of texts.

mod chooser;
mod list_import;
mod lists;
#[cfg(test)]
mod tests;

pub(crate) use chooser::{ChosenFile, FileChooser};
pub(crate) use list_import::ListImport;
pub(crate) use lists::{ListEvent, ListPicker};
