//! What Moderate and Embed have in common: choosing a file of texts, the saved lists of texts, and finding words in
//! many texts.

pub(super) mod chooser;
mod list_import;
pub(super) mod lists;
#[cfg(test)]
mod tests;
mod text_index;

pub(crate) use chooser::{ChosenFile, FileChooser};
pub(crate) use list_import::ListImport;
pub(crate) use lists::{ListEvent, ListPicker};
pub(crate) use text_index::TextIndex;
