//! `benchtop files`: lists, fetches, sends, deletes, checks and repairs files.

mod check;
mod columns;
mod file_json;
mod findings;
mod get;
mod ls;
mod prepare;
mod put;
mod rm;
pub(super) mod target;
pub(super) mod upload;

use clap::{Args, Subcommand};

use super::Task;

/// The command line of `benchtop files`.
#[derive(Clone, Debug, Args)]
pub struct FilesArgs {
    #[command(subcommand)]
    command: FilesCommand,
}

#[derive(Clone, Debug, Subcommand)]
enum FilesCommand {
    /// List the files of the server
    Ls(ls::LsArgs),
    /// Download a file
    Get(get::GetArgs),
    /// Upload files
    Put(put::PutArgs),
    /// Delete files of the server
    Rm(rm::RmArgs),
    /// Check training files
    Check(check::CheckArgs),
    /// Write a repaired copy of a training file, in one part or in two
    Prepare(prepare::PrepareArgs),
}

impl FilesArgs {
    /// Creates the command that was chosen.
    ///
    /// # Errors
    /// The command line cannot be carried out; a sentence.
    pub fn task(self) -> Result<Box<dyn Task>, String> {
        Ok(match self.command {
            FilesCommand::Ls(args) => Box::new(ls::Ls::new(args)),
            FilesCommand::Get(args) => Box::new(get::Get::new(args)?),
            FilesCommand::Put(args) => Box::new(put::Put::new(args)?),
            FilesCommand::Rm(args) => Box::new(rm::Rm::new(args)?),
            FilesCommand::Check(args) => Box::new(check::Check::new(args)?),
            FilesCommand::Prepare(args) => Box::new(prepare::PrepareFile::new(args)?),
        })
    }
}
