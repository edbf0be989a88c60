//! Flags that say which columns of a training file are prompt and completion.

use clap::Args;

use crate::tabs::files::{ChosenColumns, ColumnSource};

/// Flags of the commands that check training files.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Columns of a table, or keys of JSON objects")]
pub(super) struct ColumnArgs {
    /// Column that is the prompt
    #[arg(long, value_name = "NAME", conflicts_with = "prompt_template")]
    prompt_column: Option<String>,
    /// Column that is the completion
    #[arg(long, value_name = "NAME", conflicts_with = "completion_template")]
    completion_column: Option<String>,
    /// Template of the prompt: {NAME} stands for a column, \n for a line end
    #[arg(long, value_name = "TEXT")]
    prompt_template: Option<String>,
    /// Template of the completion
    #[arg(long, value_name = "TEXT")]
    completion_template: Option<String>,
}

impl ColumnArgs {
    /// Returns what is chosen; `None`: nothing.
    pub(super) fn chosen(self) -> Option<ChosenColumns> {
        let source = |column: Option<String>, template: Option<String>| {
            column.map(ColumnSource::Column).or_else(|| template.map(ColumnSource::Template))
        };
        let prompt = source(self.prompt_column, self.prompt_template);
        let completion = source(self.completion_column, self.completion_template);
        let is_chosen = prompt.is_some() || completion.is_some();
        is_chosen.then_some(ChosenColumns { prompt, completion })
    }
}
