//! `benchtop completions`: scripts for shells. They ask the program itself for the words that fit, so that profiles,
//! models and conversations are offered as well; no server is asked.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::builder::StyledStr;
use clap::{Arg, Args, Command, ValueEnum};
use clap_complete::engine::{ArgValueCandidates, ArgValueCompleter, CompletionCandidate, complete};

use super::{Output, Status};
use crate::api::job::Dialect;
use crate::app::models_marks::{favourites, marks_setting};
use crate::app::session::model_setting;
use crate::component::session;
use crate::engine::catalogue;
use crate::record::parameter_bounds::EFFORTS;
use crate::record::{Conversation, Query, Rows};
use crate::settings::{self, Flags, ProfileId, Settings, THEMES, theme_files};
use crate::store;
use crate::tabs::files::purpose_words;
use crate::tabs::fine_tunes::is_tunable;
use crate::text::Untrusted;
use crate::ui::rule::cut;

/// Conversations that are offered: the newest ones.
const CONVERSATIONS: usize = 100;
/// Columns of a title beside its id, where the shell shows both as one word.
const TITLE: usize = 50;

/// The command line of `benchtop completions`.
#[derive(Clone, Copy, Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: Shell,
}

/// Shells that there are completions for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// bash 4 or newer; load it with: source <(benchtop completions bash)
    Bash,
    /// zsh; put it into a folder of $fpath as _benchtop
    Zsh,
    /// fish; put it into ~/.config/fish/completions as benchtop.fish
    Fish,
}

/// The command line by which the scripts ask for words.
#[derive(Clone, Debug, Args)]
pub struct CompleteWordsArgs {
    /// The shell that asks
    pub shell: Shell,
    /// Which of the words is completed, from 0
    pub index: usize,
    /// Show the titles of conversations behind their ids
    #[arg(long)]
    pub titles: bool,
    /// The words of the command line
    #[arg(last = true)]
    pub words: Vec<OsString>,
}

/// Prints the script of a shell.
pub fn run(args: CompletionsArgs, out: &mut Output) -> Status {
    let script = match args.shell {
        Shell::Bash => include_str!("../../assets/completions/benchtop.bash"),
        Shell::Zsh => include_str!("../../assets/completions/_benchtop"),
        Shell::Fish => include_str!("../../assets/completions/benchtop.fish"),
    };
    out.text(&script.into());
    Status::Done
}

/// Prints the words that fit, below a line that says `values`; or `files`, where the shell has to find files itself.
pub fn print_words(
    args: CompleteWordsArgs,
    program: Command,
    env: impl Fn(&str) -> Option<String>,
    out: &mut Output,
) -> Status {
    let CompleteWordsArgs { shell, index, titles, mut words } = args;
    words.truncate(index + 1);
    words.resize(index + 1, OsString::new());
    let typed = words[index].to_string_lossy().into_owned();
    let wants_files = Arc::new(AtomicBool::new(false));
    let known = Arc::new(Known::new(&words, env));
    let mut program = with_values(program, &known, &wants_files);
    let mut found = complete(&mut program, words, index, None).unwrap_or_default();
    // Flags are offered to who begins one.
    found.retain(|candidate| !typed.is_empty() || !candidate.get_value().to_string_lossy().starts_with('-'));
    if wants_files.load(Ordering::Relaxed) && (found.is_empty() || !typed.starts_with('-')) {
        out.line(&"files".into());
        return Status::Done;
    }
    out.line(&"values".into());
    let shows_titles = titles && found.len() > 1;
    for candidate in &found {
        let value = candidate.get_value().to_string_lossy();
        let help = candidate.get_help().map(ToString::to_string).unwrap_or_default();
        let help = help.lines().next().unwrap_or_default();
        let line = match shell {
            Shell::Bash if shows_titles && candidate.get_id().is_some_and(|id| id.starts_with(CONVERSATION)) => {
                format!("{value}  ({})", cut(help, TITLE))
            }
            Shell::Bash => value.into_owned(),
            Shell::Zsh if help.is_empty() => escape(&value).replace(':', "\\:"),
            Shell::Zsh => format!("{}:{}", escape(&value).replace(':', "\\:"), escape(help)),
            Shell::Fish => format!("{value}\t{help}"),
        };
        out.line(&line.into());
    }
    Status::Done
}

/// How the ids of candidates begin that are conversations.
const CONVERSATION: &str = "conversation::";

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\")
}

/// Adds to the flags of a command, and of those in it, what their values can be.
fn with_values(command: Command, known: &Arc<Known>, wants_files: &Arc<AtomicBool>) -> Command {
    let add = |arg: Arg| {
        let names = arg.get_value_names().unwrap_or_default();
        let is_path = names.iter().flat_map(|name| name.split('|')).any(|name| matches!(name, "FILE" | "DIR"));
        let known = Arc::clone(known);
        match arg.get_long().unwrap_or(arg.get_id().as_str()) {
            "profile" => arg.add(ArgValueCandidates::new(move || known.profiles())),
            "theme" => arg.add(ArgValueCandidates::new(move || known.themes())),
            "model" => arg.add(ArgValueCandidates::new(move || known.models())),
            "reasoning-effort" => arg.add(ArgValueCandidates::new(|| fixed(EFFORTS.iter().copied()))),
            "purpose" => arg.add(ArgValueCandidates::new(|| fixed(purpose_words()))),
            "conversation" | "conversations" => arg.add(ArgValueCandidates::new(move || known.conversations())),
            _ if is_path => {
                let wants_files = Arc::clone(wants_files);
                arg.add(ArgValueCompleter::new(move |_: &std::ffi::OsStr| {
                    wants_files.store(true, Ordering::Relaxed);
                    Vec::new()
                }))
            }
            _ => arg,
        }
    };
    command.mut_args(add).mut_subcommands(|command| with_values(command, known, wants_files))
}

/// Returns fixed words to offer.
fn fixed(words: impl Iterator<Item = &'static str>) -> Vec<CompletionCandidate> {
    words.map(CompletionCandidate::new).collect()
}

/// What is known of values: the settings, and what is stored. Both are read when they are needed.
struct Known {
    settings: Option<Settings>,
    /// The command whose words are completed.
    command: Option<String>,
}

impl Known {
    /// Reads the settings that the flags among the words select.
    fn new(words: &[OsString], env: impl Fn(&str) -> Option<String>) -> Self {
        let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
        let value = |flag: &str| {
            let pair = words.windows(2).find(|pair| pair[0] == flag).map(|pair| pair[1]);
            pair.or_else(|| words.iter().find_map(|word| word.strip_prefix(flag)?.strip_prefix('=')))
        };
        let paths = Flags {
            config: value("--config").map(PathBuf::from),
            data_dir: value("--data-dir").map(PathBuf::from),
            ..Flags::default()
        };
        let profile = value("--profile").map(str::to_owned);
        let chosen = Flags { profile, local: words.contains(&"--local"), ..paths.clone() };
        // The profile's name may be the word that is typed.
        let loaded = Settings::load(&chosen, &env).or_else(|_| Settings::load(&paths, &env));
        let settings = loaded.ok().map(|loaded| loaded.settings);
        let is_command = |word: &&&str| matches!(**word, "chat" | "complete" | "moderate" | "embed" | "tune" | "files");
        Self { settings, command: words.iter().find(is_command).map(ToString::to_string) }
    }

    fn profiles(&self) -> Vec<CompletionCandidate> {
        let all = self.settings.iter().flat_map(|settings| settings.profiles.iter());
        let found = all.filter_map(|(id, profile)| {
            let place =
                if *id == ProfileId::local() { "inside benchtop" } else { settings::parts(&profile.base_url).0 };
            candidate(&id.0.as_str().into(), &place.into())
        });
        found.collect()
    }

    fn themes(&self) -> Vec<CompletionCandidate> {
        let own = self.settings.iter().flat_map(|settings| theme_files::read_all(&settings.paths.themes()).0);
        let own = own.map(|theme| Untrusted::from(theme.name));
        let all = THEMES.into_iter().map(Untrusted::from).chain(own);
        all.filter_map(|name| candidate(&name, Untrusted::none())).collect()
    }

    /// Returns the models of the profile in use: those of the settings, favourites, and those that were used.
    fn models(&self) -> Vec<CompletionCandidate> {
        let Some(settings) = &self.settings else { return Vec::new() };
        let (id, profile) = (&settings.profile, settings.profiles.get(&settings.profile));
        let configured = profile.into_iter().flat_map(|profile| {
            std::iter::once(&profile.model).chain(profile.models.keys()).map(|model| Untrusted::from(model.as_str()))
        });
        let setting = |name| match store::look_up(&settings.paths.store(), Query::Setting(name)) {
            Some(Rows::Setting(_, Some(value))) => value,
            _ => Untrusted::default(),
        };
        let marked: Vec<Untrusted> = favourites(&setting(marks_setting(id))).map(Untrusted::from).collect();
        // One that is named and does not exist never answers.
        let used = match store::look_up(&settings.paths.store(), Query::UsedModels(id.0.clone())) {
            Some(Rows::UsedModels(models)) => models,
            _ => Vec::new(),
        };
        let local =
            catalogue::all().iter().filter(|_| *id == ProfileId::local()).map(|entry| Untrusted::from(entry.id));
        let all = configured.chain(marked).chain([setting(model_setting(id))]).chain(used).chain(local);
        let mut seen = HashSet::new();
        let all = all.filter(|model| self.suits(model) && seen.insert(model.clone()));
        all.filter_map(|model| candidate(&model, Untrusted::none())).collect()
    }

    /// Returns whether a model can do the command's work, as far as its name tells.
    fn suits(&self, model: &Untrusted) -> bool {
        match self.command.as_deref() {
            Some("moderate") => session::moderates(model),
            Some("embed") => session::embeds(model),
            Some("chat") => session::may_chat(model),
            Some("complete") => session::completes(model),
            Some("tune" | "files") => self.tunes(model),
            _ => true,
        }
    }

    /// Returns whether a model can be tuned, as far as its name tells.
    fn tunes(&self, model: &Untrusted) -> bool {
        let Some(Settings { profile: id, profiles, .. }) = &self.settings else { return false };
        let named = profiles.get(id).and_then(|profile| profile.fine_tunes);
        // The local service is asked by the older interface, unless its profile names the other.
        let is_newer = named.map_or(*id != ProfileId::local(), |dialect| dialect == Dialect::FineTuning);
        is_tunable(&model.line()) || (is_newer && session::may_chat(model))
    }

    /// Returns the newest conversations.
    fn conversations(&self) -> Vec<CompletionCandidate> {
        let all = self.stored_conversations().into_iter().take(CONVERSATIONS);
        let found = all.filter_map(|one| {
            let id = one.id.0.to_string();
            Some(candidate(&id.as_str().into(), &one.title)?.id(Some(format!("{CONVERSATION}{id}"))))
        });
        found.collect()
    }

    fn stored_conversations(&self) -> Vec<Conversation> {
        let path = self.settings.as_ref().map(|settings| settings.paths.store());
        match path.and_then(|path| store::look_up(&path, Query::Heads)) {
            Some(Rows::Heads(heads)) => {
                heads.into_iter().map(|head| head.conversation).filter(|one| one.trashed_ms.is_none()).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Returns a value to offer; `None`: it is empty, or has a character that a shell may take for something else. Bash
/// inserts values as they are, and they come from servers, too.
fn candidate(value: &Untrusted, help: &Untrusted) -> Option<CompletionCandidate> {
    let value = value.line();
    let is_plain =
        |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '/' | '@' | '+' | ',' | '%' | '=');
    let is_safe = value.starts_with(char::is_alphanumeric) && value.chars().all(is_plain);
    let help = (!help.is_empty()).then(|| StyledStr::from(help.line().into_owned()));
    is_safe.then(|| CompletionCandidate::new(value.into_owned()).help(help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_run_is_not_offered() {
        for good in ["llama3:8b", "ft:gpt-4o:a::b", "org/model-1.5", "müller"] {
            assert!(candidate(&good.into(), Untrusted::none()).is_some(), "{good}");
        }
        for bad in ["", "-x", "$(rm)", "a b", "a;b", "*", "`a`", "a\nb", "~", "a'b", "a\u{1b}[m", "a\u{202e}b", "=ls"] {
            assert!(candidate(&bad.into(), Untrusted::none()).is_none(), "{bad:?}");
        }
    }
}
