//! The command line: `benchtop`, `benchtop serve`, `benchtop chat` and the other commands.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::commands::chat::ChatArgs;
use crate::commands::complete::CompleteArgs;
use crate::commands::completions::{CompleteWordsArgs, CompletionsArgs};
use crate::commands::config::ConfigArgs;
use crate::commands::doctor::DoctorArgs;
use crate::commands::embed::EmbedArgs;
use crate::commands::export::ExportArgs;
use crate::commands::files::FilesArgs;
use crate::commands::man::ManArgs;
use crate::commands::models::ModelsArgs;
use crate::commands::moderate::ModerateArgs;
use crate::commands::profiles::ProfilesArgs;
use crate::commands::tune::TuneArgs;
use crate::service::serve::ServeArgs;

const AFTER: &str = "\
Without a profile and without a key, benchtop uses its own local service: small models, offline.
If OPENAI_API_KEY is set (and OPENAI_BASE_URL, which includes /v1), it uses that server.
Once it runs, F1 shows help, ^P lists all commands, and ^Q quits.

Examples:
  benchtop                                       the configured server, or the local service
  benchtop --local                               the local service, whatever is configured
  benchtop --base-url http://127.0.0.1:11434/v1  another server, without a key
  benchtop chat \"Name three rivers\"              one message; the answer goes to standard output
  benchtop serve --port 8787                     the local service alone, for other programs";

/// A terminal workbench for text models: chat, complete, moderate, embed, files and fine-tunes
#[derive(Debug, Parser)]
#[command(version, about, after_help = AFTER)]
pub struct Cli {
    /// What to do instead of opening the workbench.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Flags of the workbench.
    #[command(flatten)]
    pub flags: Flags,
}

/// Flags of the workbench; they win over the environment and the config file.
#[derive(Clone, Debug, Default, Args)]
pub struct Flags {
    /// Base URL of the server to use (including /v1) instead of the profile's; OPENAI_API_KEY is sent there
    #[arg(long, global = true, value_name = "URL")]
    pub base_url: Option<String>,
    /// Model to use, or to start with
    #[arg(long, global = true, value_name = "ID")]
    pub model: Option<String>,
    /// Profile of the config file to use, or to start with
    #[arg(long, global = true, value_name = "NAME")]
    pub profile: Option<String>,
    /// Data directory, for conversations, the local service's files and logs
    #[arg(long, global = true, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Config file to use instead of the default config.toml
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Colours: dark, light, warm, high-contrast, ansi (the terminal's own 16), mono (none), or a theme of your own
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,
    /// Line by line, without placing text: for screen readers and dumb terminals
    #[arg(long)]
    pub plain: bool,
    /// Draw without box, block, braille and other symbols, for fonts and terminals that lack them
    #[arg(long)]
    pub ascii: bool,
    /// Use the local service inside benchtop, whatever else is set up
    #[arg(long, global = true, conflicts_with_all = ["base_url", "profile"])]
    pub local: bool,
}

/// Subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Send a message and print the answer
    Chat(ChatArgs),
    /// Send a prompt and print how a model continues it
    Complete(CompleteArgs),
    /// Check texts and print which of them are flagged
    Moderate(ModerateArgs),
    /// Turn texts into vectors, and print, compare or save them
    Embed(EmbedArgs),
    /// List the models of the server
    Models(ModelsArgs),
    /// List the profiles: server, where the key comes from, model
    Profiles(ProfilesArgs),
    /// Print conversations as Markdown or JSON, or list them
    Export(ExportArgs),
    /// The config file: where it is, a first one, what is wrong in it, what is in force
    Config(ConfigArgs),
    /// Check terminal, settings, store, servers and local service, and say what to do
    Doctor(DoctorArgs),
    /// Print the script that completes commands in a shell
    Completions(CompletionsArgs),
    /// Print the words that fit, for those scripts
    #[command(hide = true)]
    CompleteWords(CompleteWordsArgs),
    /// Print the man page
    Man(ManArgs),
    /// List, upload, download, delete, check and repair files
    Files(FilesArgs),
    /// Create, follow and cancel fine-tunes
    Tune(TuneArgs),
    /// Run the local service alone, for other programs on this machine
    Serve(ServeArgs),
    /// Fail on purpose, to see that the terminal comes back whole
    #[command(hide = true)]
    Selfcheck {
        /// What fails
        what: Fault,
    },
}

/// Where a self-check fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Fault {
    /// The thread that draws.
    Screen,
    /// A thread beside it.
    Thread,
    /// A task, which may fail alone.
    Task,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_of_the_help_is_wrapped() {
        use clap::CommandFactory as _;
        let help = Cli::command().render_help().to_string();
        let lines: Vec<&str> = help.lines().collect();
        assert!(AFTER.lines().all(|line| lines.contains(&line)), "{help}");
    }

    #[test]
    fn the_command_line_is_sound() {
        use clap::CommandFactory as _;
        Cli::command().debug_assert();
        let cli = Cli::try_parse_from(["benchtop", "--base-url", "http://127.0.0.1:1/v1", "--model", "auto"]).unwrap();
        assert_eq!(cli.flags.model.as_deref(), Some("auto"));
        assert!(Cli::try_parse_from(["benchtop", "--local", "--profile", "x"]).is_err());
    }
}
