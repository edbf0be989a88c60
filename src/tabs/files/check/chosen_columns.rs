//! What the columns of a file are to be taken for, as it is said on a command line.

use super::columns::{ColumnRole, assign_column, only, template};
use super::page::CheckPage;
use crate::component::Cx;
use crate::record::training::Mapping;

/// Where a text of a row comes from.
#[derive(Clone, Debug)]
pub enum ColumnSource {
    /// The column of this name.
    Column(String),
    /// A template, as it is typed on the page.
    Template(String),
}

impl ColumnSource {
    /// Returns it as a template.
    fn template(&self) -> String {
        match self {
            Self::Column(name) => only(name),
            Self::Template(typed) => template(typed),
        }
    }
}

/// Where prompt and completion come from, as far as that is said.
#[derive(Clone, Debug)]
pub struct ChosenColumns {
    /// The prompt.
    pub prompt: Option<ColumnSource>,
    /// The completion.
    pub completion: Option<ColumnSource>,
}

impl ChosenColumns {
    /// Changes a mapping to what is chosen. Fails, with words that follow the name of the file, if it has no such column
    /// or both would be the same text.
    fn change(&self, mapping: &mut Mapping) -> Result<(), String> {
        let chosen = [(ColumnRole::Prompt, &self.prompt), (ColumnRole::Completion, &self.completion)];
        for (role, source) in chosen {
            let all = || mapping.columns.join(", ");
            match source {
                None => {}
                Some(ColumnSource::Column(name)) if !mapping.columns.contains(name) => {
                    return Err(format!("has no column “{name}”; it has {}", all()));
                }
                Some(ColumnSource::Column(name)) => assign_column(mapping, role, name),
                Some(ColumnSource::Template(typed)) => {
                    let text = template(typed);
                    // Braces may be text, but not if that is all there is: a name is misspelled.
                    if text.contains('{') && !mapping.columns.iter().any(|column| text.contains(&only(column))) {
                        return Err(format!("has no column that “{typed}” names; it has {}", all()));
                    }
                    *role.of(mapping) = text;
                }
            }
        }
        let texts = self.prompt.as_ref().zip(self.completion.as_ref());
        let are_same = texts.is_some_and(|(prompt, completion)| prompt.template() == completion.template());
        // One of them may be a guess.
        if are_same || mapping.prompt == mapping.completion {
            return Err("gives prompt and completion the same text: choose another column for one of them".to_owned());
        }
        Ok(())
    }
}

impl CheckPage {
    /// Takes the columns for what is chosen; the rows are counted again. Fails, with words that follow the name of the
    /// file, if it has no such column or both would be the same text.
    pub(super) fn choose(&mut self, chosen: &ChosenColumns, cx: &mut Cx) -> Result<(), String> {
        let mut mapping = self.report.mapping.clone().ok_or("has no columns to choose from")?;
        chosen.change(&mut mapping)?;
        self.columns.remember(&mapping);
        self.check(cx);
        Ok(())
    }
}
