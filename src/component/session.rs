//! What every tab may read: the profile in use, its models, prices, totals. Owned and updated by the shell.

use std::collections::HashMap;

use super::facts::Facts;
use crate::api::job::Dialect;
use crate::record::{CompletionParams, Cost, ModelParams};
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::tokens::{self, Price, Prices};
use crate::ui::pane::Spacing;
use crate::ui::size_class::SizeClass;
use crate::ui::theme::Kind;
use crate::ui::time::Zone;

/// Whether a model chats, by the hosted service's way of naming them.
pub fn chats(id: &Untrusted) -> bool {
    let id = id.line();
    // A tuned model does what its base does.
    let base = id.strip_prefix("ft:").unwrap_or(&id);
    let base = base.split(':').next().unwrap_or_default();
    let reasons = base.strip_prefix('o').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    reasons || base.starts_with("chatgpt-") || (base.starts_with("gpt-") && !base.contains("instruct"))
}

/// Whether a model completes text, by its name: those with another task are told by theirs, and servers of one's own
/// complete with whatever they have.
pub fn completes(id: &Untrusted) -> bool {
    const OTHER: [&str; 19] = [
        "embed",
        "moderation",
        "similarity",
        "search",
        "whisper",
        "tts",
        "dall-e",
        "edit",
        "image",
        "rerank",
        "realtime",
        "audio",
        "transcribe",
        "sora",
        "computer-use",
        "codex-mini",
        "deep-research",
        "claude",
        "gemini",
    ];
    let name = id.line().to_lowercase();
    !chats(id) && !OTHER.iter().any(|other| name.contains(other))
}

/// Whether a model moderates, by its name.
pub fn moderates(id: &Untrusted) -> bool {
    let name = id.line().to_lowercase();
    ["moderation", "guard", "safety"].iter().any(|word| name.contains(word))
}

/// Whether a model embeds texts, by its name. Whoever sees the others too can choose one of them all the same.
pub fn embeds(id: &Untrusted) -> bool {
    let name = id.line().to_lowercase();
    ["embed", "similarity", "search", "bge", "e5-", "gte-", "minilm"].iter().any(|word| name.contains(word))
}

/// What the last call told of a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Server {
    /// Nothing is wrong, or nothing is known yet.
    #[default]
    Fine,
    /// It could not be reached.
    Offline,
    /// It does not take the key.
    KeyRefused,
    /// The key the profile names could not be found, so nothing was sent.
    NoKey,
}

/// What Enter does in text boxes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EnterKeys {
    /// Whether Enter inserts a newline and Alt+Enter sends.
    pub inserts_newline: bool,
    /// Whether the terminal reports Shift+Enter (kitty protocol).
    pub reports_shift: bool,
}

/// Whether the terminal opens links (OSC 8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hyperlinks {
    /// It is not known to.
    #[default]
    Off,
    /// It does.
    On,
}

/// What the program found when it started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Path of the config file, to be shown.
    pub config: Untrusted,
    /// Whether `OPENAI_API_KEY` was set.
    pub env_key: bool,
}

/// A snapshot of the workbench, handed to tabs with each event.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Session {
    /// The profile calls go to.
    pub profile: ProfileId,
    /// Its name as shown (`local`, `work`, …).
    pub profile_name: Untrusted,
    /// Whether it is the local service.
    pub local: bool,
    /// The interface to fine-tunes that the profile names; `None`: the server is asked.
    pub fine_tunes: Option<Dialect>,
    /// What the last call told of the profile's server.
    pub server: Server,
    /// All profiles and their names, for what goes to several at once.
    pub profiles: Vec<(ProfileId, Untrusted)>,
    /// Model chosen for this profile; empty until known.
    pub model: Untrusted,
    /// Ids of the server's models; empty until fetched.
    pub models: Vec<Untrusted>,
    /// What is known of the servers of all profiles.
    pub facts: Facts,
    /// What was spent today with this profile; `None`: nothing was asked for.
    pub today: Option<Cost>,
    /// What the models of all profiles cost.
    pub prices: Prices,
    /// The parameters that requests begin with, by profile and model.
    pub defaults: HashMap<ProfileId, ModelParams>,
    /// What Enter does in text boxes.
    pub enter: EnterKeys,
    /// The zone that times are shown in.
    pub zone: Zone,
    /// Whether things may move (spinner).
    pub motion: bool,
    /// Whether the terminal opens links.
    pub hyperlinks: Hyperlinks,
    /// The palette in use: without colours some pictures need more rows.
    pub palette: Kind,
    /// Why nothing can be kept, if nothing can.
    pub unsaved: Option<Untrusted>,
    /// What was found when the program began.
    pub found: Found,
    /// Width and height of the tab's area in the last frame.
    pub area: (u16, u16),
}

impl Session {
    /// Returns how panes are told apart on this screen, and how much room is left in them.
    pub fn spacing(&self) -> Spacing {
        // The tab's area is the screen without header and footer.
        Spacing::of(self.palette, SizeClass::of(self.area.0, self.area.1 + 2))
    }

    /// Returns the key, as shown, that sends from a text box.
    pub fn send_key(&self) -> &'static str {
        if self.enter.inserts_newline { "alt+⏎" } else { "⏎" }
    }

    /// Returns how many tokens fit into a model's context at a profile's server, prompt and answer together; `None`:
    /// unknown. What the server tells goes before the built-in table.
    pub fn context(&self, profile: &ProfileId, model: &Untrusted) -> Option<u64> {
        self.facts.context(&profile.0, &model.line()).or_else(|| tokens::context(&model.line()))
    }

    /// What tokens of a model cost at a profile's server; `None`: unknown.
    pub fn price(&self, profile: &ProfileId, model: &Untrusted) -> Option<Price> {
        // A name that is another one on the screen has no price.
        self.prices.of(profile, &model.line())
    }

    /// The parameters that requests to a model of a profile begin with; `None`: the server's own.
    pub fn defaults(&self, profile: &ProfileId, model: &Untrusted) -> Option<&CompletionParams> {
        self.defaults.get(profile)?.get(&*model.line())
    }

    /// What tokens cost that a model is trained with at the profile's server, once an epoch; `None`: unknown.
    pub fn training_price(&self, model: &str) -> Option<Price> {
        self.prices.training(&self.profile, model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_with_another_task_do_not_complete() {
        let other =
            ["gpt-4o", "dall-e-3", "text-embedding-ada-002", "sora-2", "whisper-1", "codex-mini-latest", "claude-3"];
        for id in other {
            assert!(!completes(&id.into()), "{id}");
        }
        for id in ["davinci-002", "gpt-3.5-turbo-instruct", "code-davinci-002", "mistral-7b"] {
            assert!(completes(&id.into()), "{id}");
        }
    }

    #[test]
    fn a_tuned_model_does_what_its_base_does() {
        for (id, chat) in [
            ("gpt-4o-mini", true),
            ("ft:gpt-4o-mini:acme::a1", true),
            ("ft:gpt-4o-mini:acme:instruct:a1", true),
            ("ft:gpt-3.5-turbo-instruct:acme::a1", false),
            ("ft:davinci-002:acme::a1", false),
            ("curie:ft-acme-2023-04-18-09-48-38", false),
            ("chatgpt-4o-latest", true),
            ("o1", true),
            ("o3-mini-2025-01-31", true),
            ("olmo-7b", false),
            ("llama3:8b", false),
        ] {
            assert_eq!((chats(&id.into()), completes(&id.into())), (chat, !chat), "{id}");
        }
    }
}
