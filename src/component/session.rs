//! What every tab may read: the profile in use, its models, prices, totals. Owned and updated by the shell.

use std::collections::HashMap;

use super::facts::Facts;
use crate::api::job::Dialect;
use crate::record::{CompletionParams, Cost, ModelParams};
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::tokens::{self, Price, Prices};
use crate::ui::graphics::Graphics;
use crate::ui::pane::Spacing;
use crate::ui::size_class::SizeClass;
use crate::ui::theme::Kind;
use crate::ui::time::Zone;

/// Returns whether a model chats, by the names that the hosted service gives to models.
pub fn chats(id: &Untrusted) -> bool {
    let id = id.line();
    // A tuned model does what its base does.
    let base = id.strip_prefix("ft:").unwrap_or(&id);
    let base = base.split(':').next().unwrap_or_default();
    let reasons = base.strip_prefix('o').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    reasons || base.starts_with("chatgpt-") || (base.starts_with("gpt-") && !base.contains("instruct"))
}

/// Returns whether a model may chat, by its name. Models with another task, and the hosted service's that only complete
/// text, are recognised by their names; on a server of one's own a model that chats may have any other name.
pub fn may_chat(id: &Untrusted) -> bool {
    let name = id.line().to_lowercase();
    let base = name.strip_prefix("ft:").unwrap_or(&name).split(':').next().unwrap_or_default();
    let only_completes = base.split('-').any(|part| ["ada", "babbage", "curie", "davinci"].contains(&part))
        || (base.starts_with("gpt-") && base.contains("instruct"));
    chats(id) || !(only_completes || has_other_task(id))
}

/// Returns whether a model completes text, by its name. Models with another task are recognised by their names; servers
/// of one's own complete text with any other model.
pub fn completes(id: &Untrusted) -> bool {
    let name = id.line().to_lowercase();
    !chats(id) && !has_other_task(id) && !["claude", "gemini"].iter().any(|other| name.contains(other))
}

/// Returns whether a model neither chats nor completes text, by its name.
fn has_other_task(id: &Untrusted) -> bool {
    const OTHER: [&str; 13] = [
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
    ];
    let name = id.line().to_lowercase();
    embeds(id) || moderates(id) || OTHER.iter().any(|other| name.contains(other))
}

/// Returns whether a model moderates, by its name.
pub fn moderates(id: &Untrusted) -> bool {
    let name = id.line().to_lowercase();
    ["moderation", "guard", "safety"].iter().any(|word| name.contains(word))
}

/// Returns whether a model embeds texts, by its name. Users can still choose another one.
pub fn embeds(id: &Untrusted) -> bool {
    let name = id.line().to_lowercase();
    ["embed", "similarity", "search", "bge", "e5-", "gte-", "minilm"].iter().any(|word| name.contains(word))
}

/// What the last call showed about a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Server {
    /// Nothing is wrong, or nothing is known.
    #[default]
    Fine,
    /// It could not be reached.
    Offline,
    /// It refused the key.
    KeyRefused,
    /// The key of the profile could not be found, so nothing was sent.
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
    /// The terminal is not known to open links.
    #[default]
    Off,
    /// The terminal opens links.
    On,
}

/// What the terminal supports beyond text, as far as the environment says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TerminalFeatures {
    /// Whether it opens links.
    pub hyperlinks: Hyperlinks,
    /// How it shows pictures.
    pub graphics: Graphics,
    /// Whether symbols are drawn as ASCII characters.
    pub ascii: bool,
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
    /// The profile in use, to which calls go.
    pub profile: ProfileId,
    /// Its name as shown (`local`, `work`, …).
    pub profile_name: Untrusted,
    /// Whether it is the local service.
    pub local: bool,
    /// The interface to fine-tunes that the profile names; `None`: the server is asked.
    pub fine_tunes: Option<Dialect>,
    /// What the last call showed about the server of the profile.
    pub server: Server,
    /// All profiles and their names.
    pub profiles: Vec<(ProfileId, Untrusted)>,
    /// The model chosen for the profile; empty until it is known.
    pub model: Untrusted,
    /// Ids of the server's models; empty until fetched.
    pub models: Vec<Untrusted>,
    /// What is known of the servers of all profiles.
    pub facts: Facts,
    /// What was spent today with the profile; `None`: no request was sent.
    pub today: Option<Cost>,
    /// What the models of all profiles cost.
    pub prices: Prices,
    /// The parameters that requests begin with, by profile and model.
    pub defaults: HashMap<ProfileId, ModelParams>,
    /// What Enter does in text boxes.
    pub enter: EnterKeys,
    /// The zone that times are shown in.
    pub zone: Zone,
    /// Whether spinners are shown.
    pub motion: bool,
    /// What the terminal supports.
    pub terminal: TerminalFeatures,
    /// The colours in use: without them some charts need more rows.
    pub palette: Kind,
    /// Why nothing can be saved; `None`: records can be saved.
    pub unsaved: Option<Untrusted>,
    /// What was found when the program started.
    pub found: Found,
    /// Width and height of the tab's area in the last frame.
    pub area: (u16, u16),
}

impl Session {
    /// Returns how panes are separated on this screen, and how much space is left in them.
    pub fn spacing(&self) -> Spacing {
        // The tab's area is the screen without header and footer.
        Spacing::of(self.palette, SizeClass::of(self.area.0, self.area.1 + 2))
    }

    /// Returns the name of a profile, if it was not deleted.
    pub fn known_profile_name(&self, profile: &ProfileId) -> Option<&Untrusted> {
        self.profiles.iter().find(|(id, _)| id == profile).map(|(_, name)| name)
    }

    /// Returns the name of a profile, or the id of a deleted one.
    pub fn name_of_profile(&self, profile: &ProfileId) -> Untrusted {
        let own = (*profile == self.profile).then_some(&self.profile_name);
        self.known_profile_name(profile).or(own).cloned().unwrap_or_else(|| profile.0.as_str().into())
    }

    /// Returns the key, as shown, that sends from a text box.
    pub fn send_key(&self) -> &'static str {
        if self.enter.inserts_newline { "alt+⏎" } else { "⏎" }
    }

    /// Returns how many tokens fit into a model's context at a profile's server, prompt and answer together; `None`:
    /// unknown. What the server says takes precedence over the built-in table.
    pub fn context(&self, profile: &ProfileId, model: &Untrusted) -> Option<u64> {
        self.facts.context(&profile.0, &model.line()).or_else(|| tokens::context(&model.line()))
    }

    /// Returns what tokens of a model cost at a profile's server; `None`: unknown.
    pub fn price(&self, profile: &ProfileId, model: &Untrusted) -> Option<Price> {
        // A name that is shown changed, as it is not safe for the screen, has no price.
        self.prices.of(profile, &model.line())
    }

    /// Returns the parameters that requests to a model of a profile begin with; `None`: the server's own.
    pub fn defaults(&self, profile: &ProfileId, model: &Untrusted) -> Option<&CompletionParams> {
        self.defaults.get(profile)?.get(&*model.line())
    }

    /// Returns what a training token of a model costs per epoch at the profile's server; `None`: unknown.
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
    fn a_model_of_any_name_may_chat_unless_its_name_says_otherwise() {
        for id in ["llama3:8b", "mistral-7b-instruct", "gpt-oss:20b", "gpt-4o", "claude-3", "gemini-2.5-flash", "qwen3"]
        {
            assert!(may_chat(&id.into()), "{id}");
        }
        for id in
            ["text-davinci-003", "curie:ft-acme", "ft:davinci-002:acme::a1", "gpt-3.5-turbo-instruct", "whisper-1"]
        {
            assert!(!may_chat(&id.into()), "{id}");
        }
        for id in [
            "nomic-embed-text",
            "bge-m3",
            "gte-large",
            "multilingual-e5-small",
            "text-moderation-latest",
            "llama-guard3",
            "content-safety",
            "all-minilm:22m",
        ] {
            assert!(!may_chat(&id.into()) && !completes(&id.into()), "{id}");
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
