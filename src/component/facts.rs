//! What is known of servers, as it is kept: one setting for each fact.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::{Deserialize, Serialize};

use crate::api::capability::{Fact, Finding, Subject};
use crate::record::Record;
use crate::text::Untrusted;

/// What the names of these settings begin with.
pub const PREFIX: &str = "fact:";

/// How something became known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactSource {
    /// From an answer to a request.
    Answer,
    /// From the server's list of models.
    ModelList,
    /// The user said so.
    User,
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

/// Names a fact: profile, server, subject. What is known of a model's limits stands under no server: the profile's model is
/// meant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FactKey(pub String, pub String, pub Subject);

/// All that is known of the servers of all profiles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts(BTreeMap<FactKey, KnownFact>);

impl Facts {
    /// Reads what was kept. A setting that a later version wrote differently is left out.
    pub fn read(settings: Vec<(String, Untrusted)>) -> Self {
        let fact = |(name, value): (String, Untrusted)| {
            let key = serde_json::from_str(name.strip_prefix(PREFIX)?).ok()?;
            Some((key, serde_json::from_str(value.raw()).ok()?))
        };
        Self(settings.into_iter().filter_map(fact).collect())
    }

    /// Returns whether something is known about a subject.
    pub fn has(&self, key: &FactKey) -> bool {
        self.0.contains_key(key)
    }

    /// Takes in what can be asked for again at any time: it is not kept.
    pub fn note(&mut self, key: FactKey, known: KnownFact) {
        self.0.insert(key, known);
    }

    /// Forgets what was not kept.
    pub fn remove(&mut self, key: &FactKey) {
        self.0.remove(key);
    }

    /// Takes in a fact; `None`: it is forgotten. Returns the record that keeps that.
    pub fn set(&mut self, key: FactKey, known: Option<KnownFact>) -> Record {
        const STRINGS: &str = "strings and numbers are always JSON";
        let name = format!("{PREFIX}{}", serde_json::to_string(&key).expect(STRINGS));
        let value = known.as_ref().map(|known| serde_json::to_string(known).expect(STRINGS)).unwrap_or_default();
        match known {
            Some(known) => drop(self.0.insert(key, known)),
            None => drop(self.0.remove(&key)),
        }
        Record::Setting(name, value.into())
    }

    /// Returns what is known of a profile's servers, by server and subject.
    pub fn of(&self, profile: &str) -> impl Iterator<Item = (&FactKey, &KnownFact)> {
        self.0.iter().filter(move |(key, _)| key.0 == profile)
    }

    /// Returns how many tokens fit into the context of a profile's model, as its server's list of models tells.
    pub fn context(&self, profile: &str, model: &str) -> Option<u64> {
        let key = FactKey(profile.to_owned(), String::new(), Subject::Context(model.to_owned()));
        if let Finding::Tokens(tokens) = self.0.get(&key)?.finding { Some(tokens) } else { None }
    }

    /// Takes in facts about subjects of which nothing is known. Returns these, as the client takes them.
    pub fn merge(&mut self, kept: Self) -> Vec<Fact> {
        let mut new = Vec::new();
        for (key, known) in kept.0 {
            if let Entry::Vacant(place) = self.0.entry(key) {
                let FactKey(_, server, subject) = place.key().clone();
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

    #[test]
    fn a_fact_is_read_as_it_was_kept_and_a_forgotten_one_is_not() {
        let key = |endpoint: &str| FactKey("work".into(), "https://a/v1".into(), Subject::Endpoint(endpoint.into()));
        let known = KnownFact { finding: Finding::Missing, source: FactSource::Answer, at_ms: 7 };
        let mut facts = Facts::default();
        let kept = facts.set(key("/files"), Some(known.clone()));
        let gone = facts.set(key("/moderations"), None);
        let settings = [kept, gone].map(|record| match record {
            Record::Setting(name, value) => (name, value),
            other => panic!("{other:?}"),
        });
        let read = Facts::read(settings.to_vec());
        assert_eq!(read.of("work").collect::<Vec<_>>(), [(&key("/files"), &known)]);
        assert_eq!(read, facts);
        assert!(read.of("other").next().is_none());
    }
}
