//! `benchtop tune`: creates, lists, follows and cancels fine-tunes, deletes their models, fetches their results.

mod cancel;
mod create;
mod job_json;
mod ls;
mod results;
mod rm;
mod show;
mod watch;

use clap::{Args, Subcommand};

use super::Task;

/// The command line of `benchtop tune`.
#[derive(Clone, Debug, Args)]
pub struct TuneArgs {
    #[command(subcommand)]
    command: TuneCommand,
}

#[derive(Clone, Debug, Subcommand)]
enum TuneCommand {
    /// Create a fine-tune
    Create(create::CreateArgs),
    /// List the fine-tunes of the server
    Ls(ls::LsArgs),
    /// Show what is known of a fine-tune
    Show(show::ShowArgs),
    /// Print the events of a fine-tune as they come, until it has ended
    Watch(watch::WatchArgs),
    /// Cancel a fine-tune
    Cancel(cancel::CancelArgs),
    /// Delete the model that a fine-tune made
    Rm(rm::RmArgs),
    /// Print or save the result file of a fine-tune, as CSV
    Results(results::ResultsArgs),
}

/// Returns the command that lists the fine-tunes of the server, a sentence for each.
pub(super) fn in_sentences() -> impl Task {
    ls::Ls::in_sentences()
}

/// Returns the command that prints the events of a fine-tune until it has ended. `again`: how it is followed again once
/// that was stopped, as the user calls it.
pub(super) fn follow(id: String, again: &str) -> impl Task + use<> {
    watch::Watch::within(id, again)
}

impl TuneArgs {
    /// Creates the command that was chosen; `model` is the value of `--model`.
    ///
    /// # Errors
    /// The command line cannot be carried out; a sentence.
    pub fn task(self, model: Option<&str>) -> Result<Box<dyn Task>, String> {
        Ok(match self.command {
            TuneCommand::Create(args) => Box::new(create::Create::new(args, model)?),
            TuneCommand::Ls(args) => Box::new(ls::Ls::new(args)),
            TuneCommand::Show(args) => Box::new(show::Show::new(args)),
            TuneCommand::Watch(args) => Box::new(watch::Watch::new(args)),
            TuneCommand::Cancel(args) => Box::new(cancel::Cancel::new(args)),
            TuneCommand::Rm(args) => Box::new(rm::Rm::new(args)?),
            TuneCommand::Results(args) => Box::new(results::Results::new(args)?),
        })
    }
}
