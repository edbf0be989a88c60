//! The rows of a profile's form for its key: the source, and what the source needs.

use super::profile_editor_rows::{DETAIL, KEY, is_variable};
use crate::settings::keyring::{self, KeyringEntry};
use crate::settings::{KeySource, Profile};
use crate::ui::form::{Form, Kind};

/// Where a key can come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Nowhere,
    Variable,
    Command,
    Kept,
    Keyring,
}

/// The sources in the order that Enter goes through.
const SOURCES: [Source; 5] = [Source::Nowhere, Source::Variable, Source::Command, Source::Kept, Source::Keyring];

/// The chosen source, and what was last typed for each.
pub(super) struct KeyRows {
    source: Source,
    variable: String,
    command: String,
    service: String,
    /// Whether the keyring can be chosen: where the program has it, or the profile names it.
    offers_keyring: bool,
}

impl KeyRows {
    /// Creates the rows for a profile.
    pub(super) fn new(profile: &Profile) -> Self {
        let mut rows = Self {
            source: Source::Nowhere,
            variable: String::new(),
            command: String::new(),
            service: String::new(),
            offers_keyring: keyring::AVAILABLE || matches!(profile.key, KeySource::Keyring(_)),
        };
        rows.source = match &profile.key {
            KeySource::None => Source::Nowhere,
            KeySource::Env(name) => {
                rows.variable.clone_from(name);
                Source::Variable
            }
            KeySource::Command(command) => {
                rows.command.clone_from(command);
                Source::Command
            }
            KeySource::Kept(_) => Source::Kept,
            KeySource::Keyring(entry) => {
                rows.service.clone_from(&entry.service);
                Source::Keyring
            }
        };
        rows
    }

    /// Chooses the next source.
    pub(super) fn next(&mut self) {
        let at = SOURCES.iter().position(|source| *source == self.source).unwrap_or_default();
        let next = SOURCES[(at + 1) % SOURCES.len()];
        let skips = next == Source::Keyring && !self.offers_keyring;
        self.source = if skips { Source::Nowhere } else { next };
    }

    /// Chooses to send no key.
    pub(super) fn clear(&mut self) {
        self.source = Source::Nowhere;
    }

    /// Shows the source in its row, and what it needs in the row below.
    pub(super) fn show(&self, form: &mut Form) {
        let words = match self.source {
            Source::Nowhere => "",
            Source::Variable => "an environment variable",
            Source::Command => "a command",
            Source::Kept => "keys.toml",
            Source::Keyring => "the system's keyring",
        };
        form.show(KEY, words.to_owned());
        let Some(field) = form.fields.iter_mut().find(|field| field.name == DETAIL) else { return };
        (field.label, field.kind, field.default, field.help) = match self.source {
            Source::Variable => ("Variable", Kind::Text, "required", "The variable that holds the key."),
            Source::Command => {
                ("Command", Kind::Text, "required", "Its first line of output is the key: pass show openai")
            }
            Source::Keyring => (
                "Service",
                Kind::Text,
                "benchtop-NAME",
                "The service of the entry; its user is the server's origin, such as https://api.openai.com.",
            ),
            Source::Kept => {
                ("", Kind::Shown, "—", "Where none is stored for this server, you can paste one after saving.")
            }
            Source::Nowhere => ("", Kind::Shown, "—", "Nothing is sent as a key."),
        };
        self.detail().clone_into(&mut field.value);
    }

    /// Sets what is typed for the source. The error says why it cannot be used: a key in place of a variable's name
    /// must be neither shown nor written.
    pub(super) fn set_detail(&mut self, text: &str) -> Result<(), &'static str> {
        match self.source {
            Source::Variable if !text.trim().is_empty() && !is_variable(text.trim()) => {
                return Err("the name of a variable; choose keys.toml to paste a key");
            }
            Source::Variable => text.clone_into(&mut self.variable),
            Source::Command => text.clone_into(&mut self.command),
            Source::Keyring => text.clone_into(&mut self.service),
            Source::Kept | Source::Nowhere => {}
        }
        Ok(())
    }

    /// Returns what was typed for the source.
    pub(super) fn detail(&self) -> &str {
        match self.source {
            Source::Variable => &self.variable,
            Source::Command => &self.command,
            Source::Keyring => &self.service,
            Source::Kept | Source::Nowhere => "",
        }
    }

    /// Returns the source of a profile of this name, or which row is wrong and why.
    pub(super) fn draft(&self, name: &str) -> Result<KeySource, (&'static str, String)> {
        let required = |text: &str| match text.trim() {
            "" => Err((DETAIL, "this cannot be empty".to_owned())),
            text => Ok(text.to_owned()),
        };
        Ok(match self.source {
            Source::Nowhere => KeySource::None,
            Source::Variable => KeySource::Env(required(&self.variable)?),
            Source::Command => KeySource::Command(required(&self.command)?),
            Source::Kept => KeySource::Kept(name.to_owned()),
            Source::Keyring => {
                let typed = self.service.trim();
                let service = if typed.is_empty() { KeyringEntry::default_service(name) } else { typed.to_owned() };
                KeySource::Keyring(KeyringEntry { profile: name.to_owned(), service })
            }
        })
    }
}
