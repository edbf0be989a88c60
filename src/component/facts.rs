//! What is known of servers, as it is kept: one setting for each fact.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::{Deserialize, Serialize};

use crate::api::call::{Progress, Reply};
use crate::api::capability::{Adaptation, Fact, Finding, Subject};
use crate::record::Record;
use crate::text::Untrusted;

/// How the names of the settings that keep facts begin.
pub const PREFIX: &str = "fact:";

/// How something became known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactSource {
    /// From an answer to a request.
    Answer,
    /// From the server's list of models.
    ModelList,
    /// From a probe of the server that the user asked for.
    Probe,
    /// From the user.
    User,
}

impl FactSource {
    /// Says how something became known.
    pub fn words(self) -> &'static str {
        match self {
            Self::Answer => "from an answer",
            Self::ModelList => "from the list of models",
            Self::Probe => "from a probe",
            Self::User => "set by you",
        }
    }
}

/// What is known about a subject, how, and since when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownFact {
    /// What is known.
    pub finding: Finding,
    /// How it became known.
    pub source: FactSource,
    /// When, Unix milliseconds.
    pub at_ms: i64,
}

/// Names a fact: profile, server, subject. A fact about a server has no profile, as it holds for all profiles that lead
/// to the server. A fact about the limits of a model has no server: it is about the model of the profile.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "(String, String, Subject)", into = "(String, String, Subject)")]
pub struct FactKey {
    /// The profile's name; empty: it holds for all profiles that lead to the server.
    pub profile: String,
    /// The server's base URL without its query; empty: the profile's.
    pub server: String,
    /// What the fact is about.
    pub subject: Subject,
}

impl From<(String, String, Subject)> for FactKey {
    fn from((profile, server, subject): (String, String, Subject)) -> Self {
        Self { profile, server, subject }
    }
}

impl From<FactKey> for (String, String, Subject) {
    fn from(key: FactKey) -> Self {
        (key.profile, key.server, key.subject)
    }
}

impl FactKey {
    /// Names a fact about a profile's server.
    pub fn of_server(profile: &str, server: &str, subject: Subject) -> Self {
        // What is left of a rate limit depends on the account, so on the profile.
        let profile = if matches!(subject, Subject::RateLimit(_)) { profile } else { "" };
        Self { profile: profile.to_owned(), server: server.to_owned(), subject }
    }

    /// Names a fact about a model of a profile.
    pub fn of_model(profile: &str, subject: Subject) -> Self {
        Self { profile: profile.to_owned(), server: String::new(), subject }
    }

    /// Returns the name of the setting that keeps it.
    fn setting(&self) -> String {
        format!("{PREFIX}{}", serde_json::to_string(self).expect("strings and numbers are always JSON"))
    }
}

/// All that is known of the servers of all profiles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    known: BTreeMap<FactKey, KnownFact>,
    /// The servers that profiles lead to: base URLs without their queries.
    servers: BTreeMap<String, String>,
}

impl Facts {
    /// Reads the facts that were kept. Returns also the names of settings whose facts were forgotten. A setting that
    /// another version wrote differently is left out.
    pub fn read(settings: Vec<(String, Untrusted)>) -> (Self, Vec<String>) {
        let (mut facts, mut empty) = (Self::default(), Vec::new());
        for (name, value) in settings {
            if value.raw().is_empty() {
                empty.push(name);
                continue;
            }
            let key = name.strip_prefix(PREFIX).and_then(|key| serde_json::from_str::<FactKey>(key).ok());
            if let (Some(key), Ok(known)) = (key, serde_json::from_str(value.raw())) {
                facts.known.insert(key, known);
            }
        }
        (facts, empty)
    }

    /// Sets the servers to which the profiles lead.
    pub fn set_servers(&mut self, servers: impl IntoIterator<Item = (String, String)>) {
        self.servers = servers.into_iter().collect();
    }

    /// Returns the server a profile leads to: its base URL without the query; empty: unknown.
    pub fn server(&self, profile: &str) -> &str {
        self.servers.get(profile).map_or("", String::as_str)
    }

    /// Returns what was found about a subject.
    pub fn finding(&self, key: &FactKey) -> Option<&Finding> {
        self.known.get(key).map(|known| &known.finding)
    }

    /// Takes in what the client learned from an answer of a profile's server. Returns what is to be stored.
    pub fn learn(&mut self, profile: &str, fact: Fact, source: FactSource, at_ms: i64) -> Vec<Record> {
        let Fact { server, subject, finding } = fact;
        let known = KnownFact { finding, source, at_ms };
        let key = FactKey::of_server(profile, &server, subject.clone());
        // A probe sends two texts, which says nothing about longer lists.
        let is_limited = matches!(self.finding(&key), Some(Finding::AtMost(_)));
        if is_limited && known.finding == Finding::Available {
            return Vec::new();
        }
        if let Subject::RateLimit(_) = subject {
            // It differs with each answer.
            self.note(key, known);
            return Vec::new();
        }
        let mut records = Vec::new();
        if let Some(opposite) = subject.opposite(&known.finding) {
            let opposite = FactKey { subject: opposite, ..key.clone() };
            if self.finding(&opposite).is_some() {
                records.push(self.set(opposite, None));
            }
        }
        records.push(self.set(key, Some(known)));
        records
    }

    /// Notes that a profile's server reports what its answers cost. Returns what is to be stored, if it is new.
    pub fn learn_cost(&mut self, profile: &str, progress: &Progress, at_ms: i64) -> Option<Record> {
        let usage = match progress {
            Progress::Reply(Reply::ChatChunk(chunk)) => chunk.usage,
            Progress::Reply(Reply::Chat(whole)) => whole.usage,
            Progress::Reply(Reply::Completion(whole)) => whole.usage,
            Progress::Reply(Reply::Embeddings(list)) => Some(list.usage),
            _ => None,
        };
        usage?.cost_nano?;
        let key = FactKey::of_server(profile, self.server(profile), Subject::Cost);
        if self.finding(&key).is_some() {
            return None;
        }
        let known = KnownFact { finding: Finding::Available, source: FactSource::Answer, at_ms };
        Some(self.set(key, Some(known)))
    }

    /// Returns what is known of an endpoint of the server a profile leads to.
    pub fn endpoint(&self, profile: &str, path: &str) -> Option<(FactKey, &KnownFact)> {
        let key = FactKey::of_server(profile, self.server(profile), Subject::Endpoint(path.to_owned()));
        let known = self.known.get(&key)?;
        Some((key, known))
    }

    /// Returns how a field of a profile's requests to an endpoint is changed, as its server refuses it; `None`: it is
    /// sent.
    pub fn change(&self, profile: &str, (endpoint, model): (&str, &str), field: &str) -> Option<Adaptation> {
        let key = FactKey::of_server(profile, self.server(profile), Subject::field(endpoint, model, field));
        Adaptation::of(field, &self.known.get(&key)?.finding)
    }

    /// Returns which of these fields of a profile's requests to an endpoint are left out or sent by another name, and a
    /// sentence about each.
    pub fn left_out<'a>(
        &self,
        profile: &str,
        target: (&str, &str),
        fields: impl IntoIterator<Item = &'a str>,
    ) -> Vec<(&'a str, String)> {
        let words = |field: &'a str| {
            let words = match self.change(profile, target, field)? {
                Adaptation::Omitted(_) => "left out: the server refuses it".to_owned(),
                Adaptation::Renamed { to, .. } => format!("sent as {to}: the server refuses this name"),
                Adaptation::Split { .. } => return None,
            };
            Some((field, words))
        };
        fields.into_iter().filter_map(words).collect()
    }

    /// Adds a fact that is not kept on the disk, as it can be asked for again at any time.
    pub fn note(&mut self, key: FactKey, known: KnownFact) {
        self.known.insert(key, known);
    }

    /// Removes a fact that is not kept on the disk.
    pub fn remove(&mut self, key: &FactKey) {
        self.known.remove(key);
    }

    /// Sets or, with `None`, removes a fact. Returns the record that keeps this.
    pub fn set(&mut self, key: FactKey, known: Option<KnownFact>) -> Record {
        let name = key.setting();
        // An empty setting is none.
        let value = known.as_ref().and_then(|known| serde_json::to_string(known).ok()).unwrap_or_default();
        match known {
            Some(known) => drop(self.known.insert(key, known)),
            None => drop(self.known.remove(&key)),
        }
        Record::Setting(name, value.into())
    }

    /// Moves what is known of a profile's models and account to another name of the profile; none of it is stored.
    pub fn rename_profile(&mut self, from: &str, to: &str) {
        let moved: Vec<_> = self.known.extract_if(.., |key, _| key.profile == from).collect();
        let rename = |(key, known)| (FactKey { profile: to.to_owned(), ..key }, known);
        self.known.extend(moved.into_iter().map(rename));
    }

    /// Returns what is known of the server a profile leads to and of its models, by subject.
    pub fn of(&self, profile: &str) -> impl Iterator<Item = (&FactKey, &KnownFact)> {
        let server = self.server(profile);
        let is_meant = move |key: &FactKey| {
            let own = key.profile == profile && (key.server.is_empty() || key.server == server);
            own || (key.profile.is_empty() && key.server == server)
        };
        self.known.iter().filter(move |(key, _)| is_meant(key))
    }

    /// Returns how many tokens fit into the context of a profile's model, as its server's list of models tells.
    pub fn context(&self, profile: &str, model: &str) -> Option<u64> {
        let key = FactKey::of_model(profile, Subject::Context(model.to_owned()));
        if let Finding::Tokens(tokens) = self.known.get(&key)?.finding { Some(tokens) } else { None }
    }

    /// Adds the facts about subjects of which nothing is known yet. Returns those, for the client.
    pub fn merge(&mut self, kept: Self) -> Vec<Fact> {
        let mut new = Vec::new();
        for (key, known) in kept.known {
            if let Entry::Vacant(place) = self.known.entry(key) {
                let FactKey { server, subject, .. } = place.key().clone();
                new.push(Fact { server, subject, finding: known.finding.clone() });
                place.insert(known);
            }
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(profile: &str, subject: Subject) -> FactKey {
        FactKey::of_server(profile, "https://a/v1", subject)
    }

    fn missing() -> KnownFact {
        KnownFact { finding: Finding::Missing, source: FactSource::Answer, at_ms: 7 }
    }

    #[test]
    fn a_fact_is_read_as_it_was_kept_and_a_forgotten_one_is_not() {
        let endpoint = |path: &str| key("work", Subject::Endpoint(path.into()));
        let mut facts = Facts::default();
        let kept = facts.set(endpoint("/files"), Some(missing()));
        let gone = facts.set(endpoint("/moderations"), None);
        let settings = [kept, gone].map(|record| match record {
            Record::Setting(name, value) => (name, value),
            other => panic!("{other:?}"),
        });
        let (read, empty) = Facts::read(settings.to_vec());
        assert_eq!((&read, &empty), (&facts, &vec![settings[1].0.clone()]));
    }

    #[test]
    fn what_is_known_of_a_server_holds_for_all_profiles_that_lead_to_it() {
        let mut facts = Facts::default();
        facts.set_servers(
            [("work", "https://a/v1"), ("home", "https://a/v1"), ("else", "https://b/v1")]
                .map(|(name, server)| (name.to_owned(), server.to_owned())),
        );
        let limit = Subject::RateLimit("requests".into());
        facts.note(key("work", Subject::Endpoint("/files".into())), missing());
        facts.note(key("work", limit.clone()), missing());
        let count = |profile| facts.of(profile).count();
        assert_eq!((count("work"), count("home"), count("else")), (2, 1, 0), "a rate limit is the account's");
        assert!(facts.endpoint("home", "/files").is_some() && facts.endpoint("else", "/files").is_none());
    }
}
