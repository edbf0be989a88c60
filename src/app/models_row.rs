//! A model as the page of models shows it: a row of the list, and all that is known of it.

use std::collections::HashMap;

use super::server_facts::finding_words;
use super::{App, model_params};
use crate::api::capability::{Finding, Subject};
use crate::api::model::Model;
use crate::component::facts::{FactKey, KnownFact};
use crate::component::money::per_million;
use crate::text::Untrusted;
use crate::tokens::{Price, PriceSource};
use crate::ui::item_list::Keyed;
use crate::ui::meter::count;

/// A model, what is known of it, and what the user has made of it. Its texts are safe to show.
#[derive(Clone, Debug, Default)]
pub(super) struct ModelRow {
    /// As requests name it.
    pub(super) id: String,
    pub(super) favourite: bool,
    pub(super) hidden: bool,
    /// Whether it suits the tab in front.
    pub(super) suits: bool,
    pub(super) owner: String,
    pub(super) created: String,
    pub(super) context: Option<u64>,
    /// What it costs; `None`: unknown.
    pub(super) price: Option<Price>,
    /// Where the price is from; `None`: the server's list of models.
    pub(super) price_source: Option<PriceSource>,
    /// The parameters that requests to it begin with; empty: the server's own.
    pub(super) defaults: String,
    /// What is known of it: labels and words.
    pub(super) facts: Vec<(&'static str, String)>,
    /// The text that a filter searches, in lower case.
    pub(super) filter_text: String,
}

impl Keyed for ModelRow {
    type Key = str;

    fn key(&self) -> &str {
        &self.id
    }
}

impl ModelRow {
    /// Returns whether parameters are kept that requests to it begin with.
    pub(super) fn has_defaults(&self) -> bool {
        !self.defaults.is_empty()
    }

    /// Returns the id on one line, safe to show.
    pub(super) fn name(&self) -> String {
        line(&self.id)
    }
}

impl App {
    /// Returns all models of the profile in use: those listed, and the one in use where it is not among them.
    pub(super) fn model_rows(&self) -> Vec<ModelRow> {
        let known = self.facts_of_models();
        let mut rows: Vec<ModelRow> = self.models.listed.iter().map(|model| self.model_row(model, &known)).collect();
        let used = self.model();
        if !used.is_empty() && !rows.iter().any(|row| used == row.id.as_str()) {
            let unlisted = Model { id: used.line().into_owned(), ..Model::default() };
            rows.insert(0, self.model_row(&unlisted, &known));
        }
        rows
    }

    /// Returns what is known of each model; under an empty name: what holds for all of the server.
    fn facts_of_models(&self) -> HashMap<&str, Vec<(&Subject, &KnownFact)>> {
        let mut all: HashMap<&str, Vec<_>> = HashMap::new();
        for (FactKey { subject, .. }, known) in self.session.facts.of(&self.session.profile.0) {
            if let Subject::Context(model) | Subject::Output(model) | Subject::Field { model, .. } = subject {
                all.entry(model).or_default().push((subject, known));
            }
        }
        all
    }

    fn model_row(&self, model: &Model, facts: &HashMap<&str, Vec<(&Subject, &KnownFact)>>) -> ModelRow {
        let (id, profile) = (Untrusted::from(model.id.as_str()), &self.session.profile);
        let (favourite, hidden) = self.models.marks(profile, &model.id);
        let known = self.session.prices.of_with_source(profile, &id.line());
        let listed = model.details.input_price.map(|input| Price {
            input,
            output: model.details.output_price,
            cached: None,
            as_of: None,
        });
        let seconds = model.created.filter(|seconds| *seconds > 0);
        let created = seconds.and_then(|seconds| seconds.checked_mul(1000)).map(|ms| self.session.zone.date(ms));
        let mut row = ModelRow {
            id: model.id.clone(),
            favourite,
            hidden,
            suits: self.tabs[self.front].suits(&id),
            owner: line(model.owned_by.as_deref().unwrap_or_default()),
            created: created.unwrap_or_default(),
            context: self.session.context(profile, &id),
            price: known.map(|(price, _)| price).or(listed),
            price_source: known.map(|(_, source)| source),
            defaults: self.session.defaults(profile, &id).and_then(model_params::params_words).unwrap_or_default(),
            facts: Vec::new(),
            filter_text: String::new(),
        };
        let learned = facts.get(model.id.as_str()).into_iter().chain(facts.get("")).flatten();
        row.facts = self.model_facts(model, &row, learned);
        let abilities = model.details.abilities.iter().chain(&model.details.takes).map(String::as_str);
        let words = [row.id.as_str(), row.owner.as_str()].into_iter().chain(abilities);
        row.filter_text = words.collect::<Vec<_>>().join(" ").to_lowercase();
        row
    }

    /// Returns what is known of a model, and how: labels and words.
    fn model_facts<'a>(
        &self,
        model: &Model,
        row: &ModelRow,
        learned: impl Iterator<Item = &'a (&'a Subject, &'a KnownFact)>,
    ) -> Vec<(&'static str, String)> {
        let mut facts = Vec::new();
        let used = self.tabs_with(&model.id);
        if !used.is_empty() {
            facts.push(("default of", used.join(", ")));
        }
        facts.push(("price", price_words(row.price, row.price_source)));
        if row.has_defaults() {
            facts.push(("defaults", row.defaults.clone()));
        }
        let mut has_context = false;
        for (subject, known) in learned {
            let name = match subject {
                Subject::Context(_) => "context",
                Subject::Output(_) => "longest answer",
                _ => "field",
            };
            has_context |= matches!(subject, Subject::Context(_));
            facts.push((name, self.fact_words(subject, known)));
        }
        if let Some(tokens) = row.context.filter(|_| !has_context) {
            facts.push(("context", format!("{} tokens · from the built-in table", count(tokens))));
        }
        let details = &model.details;
        for (name, names) in [
            ("takes", &details.takes),
            ("answers with", &details.gives),
            ("abilities", &details.abilities),
            ("parameters", &details.parameters),
        ] {
            if !names.is_empty() {
                facts.push((name, line(&names.join(", "))));
            }
        }
        for (name, value) in [("owner", &row.owner), ("created", &row.created)] {
            if !value.is_empty() {
                facts.push((name, value.clone()));
            }
        }
        facts
    }

    /// Returns a fact in words: what is known, how, and since when.
    fn fact_words(&self, subject: &Subject, known: &KnownFact) -> String {
        let when = self.session.zone.when(known.at_ms, self.unix_ms);
        let what = match (subject, &known.finding) {
            (Subject::Field { field, .. }, Finding::Available) => format!("{} is taken", line(field)),
            (Subject::Field { field, .. }, finding) => {
                format!("{} is {}", line(field), line(&finding_words(subject, finding)))
            }
            (_, finding) => line(&finding_words(subject, finding)),
        };
        format!("{what} · {} · {when}", known.source.words())
    }

    /// Returns the names of the tabs whose default a model is.
    fn tabs_with(&self, id: &str) -> Vec<&'static str> {
        let tabs = self.tabs_with_models().into_iter().filter(|(_, model)| *model == id);
        tabs.map(|(index, _)| self.tabs[index].title()).collect()
    }

    /// Returns the tabs that keep a model of their own and the first of those that share the profile's, each with its
    /// model.
    pub(super) fn tabs_with_models(&self) -> Vec<(usize, Untrusted)> {
        let mut shared = false;
        let own = self.tabs.iter().map(|tab| tab.model(&self.session)).enumerate();
        own.filter_map(|(index, model)| match model {
            Some(model) => Some((index, model)),
            None => (!std::mem::replace(&mut shared, true)).then(|| (index, self.session.model.clone())),
        })
        .collect()
    }
}

/// Returns a text from outside on one line, safe to show.
fn line(text: &str) -> String {
    Untrusted::from(text).line().into_owned()
}

/// Returns a price in words, and who says so.
fn price_words(price: Option<Price>, source: Option<PriceSource>) -> String {
    let Some(price) = price else { return "unknown · p sets it".to_owned() };
    let source = match source {
        Some(PriceSource::Profile) => "from the profile in config.toml".to_owned(),
        Some(PriceSource::File) => "from prices.toml".to_owned(),
        Some(PriceSource::Free) => "the server is on this machine".to_owned(),
        Some(PriceSource::BuiltIn(Some(day))) => format!("from the built-in table of {day}"),
        Some(PriceSource::BuiltIn(None)) => "from the built-in table".to_owned(),
        None => "from the list of models; not counted until p saves it".to_owned(),
    };
    if price == Price::FREE {
        return format!("free · {source}");
    }
    let input = per_million(price.input);
    let output = price.output.map_or_else(|| "—".to_owned(), per_million);
    let cached = price.cached.map(|nano| format!(", {} cached", per_million(nano))).unwrap_or_default();
    format!("{input} in, {output} out{cached} per million tokens · {source}")
}
