//! Facts about the servers: stored as they are learned, passed to the client at the start, shown, forgotten, set by the
//! user.

use std::num::NonZeroUsize;

use super::dialog_answer::{DialogAnswer, FactAnswer};
use super::dialogs::PickerDialog;
use super::tickets::ShellRequest;
use super::{App, Effect};
use crate::api::call::Progress;
use crate::api::capability::{Fact, Finding, Subject};
use crate::api::model::Model;
use crate::component::facts::{FactKey, FactSource, Facts, KnownFact, PREFIX};
use crate::component::{LinePrompt, Notice};
use crate::record::{Query, Record, Rows, Stored};
use crate::settings::ProfileId;
use crate::ui::meter::count;
use crate::ui::picker::{Item, Note, Picker};
use crate::ui::text_field::TextField;

impl App {
    /// Asks the store for the facts.
    pub(super) fn load_facts(&mut self) {
        self.load(ShellRequest::Facts, Query::Settings(PREFIX.to_owned()));
    }

    /// Adds the facts that the store returned.
    pub(super) fn add_loaded_facts(&mut self, stored: Stored) {
        if let Stored::Rows(Rows::Settings(settings)) = stored {
            // What was learned meanwhile is newer.
            let (kept, empty) = Facts::read(settings);
            for name in empty {
                self.try_save(ShellRequest::Keep, Record::Setting(name, "".into()));
            }
            let new = self.session.facts.merge(kept);
            self.effects.extend(new.into_iter().map(|fact| Effect::AddFact(Box::new(fact))));
        }
    }

    /// Stores what the client has learned from an answer. The tabs show at their answers how a request was changed.
    pub(super) fn learn_fact(&mut self, profile: &ProfileId, fact: Fact, source: FactSource) {
        // The local service is part of the program, and at another address each time.
        if self.profiles.iter().any(|one| one.id == *profile && one.local) {
            return;
        }
        let records = self.session.facts.learn(&profile.0, fact, source, self.unix_ms);
        self.save_facts(records);
    }

    /// Notes that a server reports what its answers cost.
    pub(super) fn learn_cost(&mut self, profile: &ProfileId, progress: &Progress) {
        let record = self.session.facts.learn_cost(&profile.0, progress, self.unix_ms);
        self.save_facts(record);
    }

    /// Notes the limits in a server's list of models.
    pub(super) fn learn_limits(&mut self, profile: &ProfileId, models: &[Model]) {
        for model in models {
            let limits = [
                (Subject::Context(model.id.clone()), model.context),
                (Subject::Output(model.id.clone()), model.output),
            ];
            for (subject, tokens) in limits {
                let Some(tokens) = tokens else { continue };
                let finding = Finding::Tokens(tokens);
                let known = KnownFact { finding, source: FactSource::ModelList, at_ms: self.unix_ms };
                self.session.facts.note(FactKey::of_model(&profile.0, subject), known);
            }
        }
    }

    /// Opens the list of facts about the server of the profile in use.
    pub(super) fn open_facts(&mut self) {
        let (zone, now) = (self.session.zone, self.unix_ms);
        let item = |(key, known): (&FactKey, &KnownFact)| {
            let (found, source) = (finding_words(&key.subject, &known.finding), known.source.words());
            let detail = format!("{found} · {source} · {}", zone.when(known.at_ms, now));
            Item::new(FactAnswer::Forget(key.clone()), subject_words(&key.subject), detail)
        };
        let mut items: Vec<_> = self.session.facts.of(&self.session.profile.0).map(item).collect();
        let nothing = items.is_empty();
        if !self.session.local {
            items.push(Item::new(FactAnswer::Probe, "Probe the server: show the requests first…", ""));
            items.push(Item::new(FactAnswer::AskField, "Set a field to be left out or renamed…", ""));
        }
        let mut picker = Picker::new("What is known of the server", items).in_full();
        if self.session.local {
            picker.set_notes(vec![Note::hint("The local service has every endpoint; nothing needs to be learned.")]);
        } else if nothing {
            picker.set_notes(vec![Note::hint("Nothing yet: benchtop learns from the answers of the server.")]);
        } else {
            picker.set_notes(vec![Note::hint("⏎ on an entry forgets it until the server reports it again.")]);
        }
        let dialog = PickerDialog::new(picker, "forget or set", |answer, _| DialogAnswer::Fact(answer));
        self.dialogs.open(dialog);
    }

    /// Carries out an answer of the list of facts.
    pub(super) fn handle_fact_answer(&mut self, answer: FactAnswer) {
        match answer {
            FactAnswer::Forget(key) => {
                let said = format!("forgotten: {}, until the server reports it again", subject_words(&key.subject));
                self.forget_fact(key);
                self.say(Notice::ok(said).about(FACTS));
            }
            FactAnswer::AskField => {
                let answer = |text: &str, _| DialogAnswer::Fact(FactAnswer::Field(text.to_owned()));
                let title = format!("A field that {} refuses", self.model().line());
                let prompt = LinePrompt::new(title, "set", TextField::default(), answer).required();
                self.dialogs.open(
                    prompt
                        .example("max_tokens=max_completion_tokens")
                        .saying("A field is left out; field=name sends it under that name."),
                );
            }
            FactAnswer::Probe => self.open_probe(),
            FactAnswer::SendProbe => self.send_probe(),
            FactAnswer::StopProbe => self.stop_probe(),
            FactAnswer::Field(text) => self.set_field(&text),
        }
    }

    /// Omits a field of chat requests, or sends it by another name, for the model in use.
    fn set_field(&mut self, text: &str) {
        let profile = self.session.profile.0.clone();
        let server = self.session.facts.server(&profile).to_owned();
        let (field, to) = text.split_once('=').map_or((text, ""), |(field, to)| (field, to));
        let (field, to) = (field.trim().to_owned(), to.trim().to_owned());
        if field.is_empty() || REQUIRED_FIELDS.contains(&field.as_str()) {
            let said = format!("{field:?} cannot be left out: a request needs {}", REQUIRED_FIELDS.join(", "));
            return self.say(Notice::warn(said).about(FACTS));
        }
        let model = self.model().line().into_owned();
        let subject = Subject::field(CHAT, &model, &field);
        let finding = if to.is_empty() { Finding::Refused } else { Finding::Renamed(to) };
        let fact = Fact { server: server.clone(), subject: subject.clone(), finding: finding.clone() };
        let said = format!("set: {}, {}", subject_words(&subject), finding_words(&subject, &finding));
        self.effects.push(Effect::AddFact(Box::new(fact)));
        let known = KnownFact { finding, source: FactSource::User, at_ms: self.unix_ms };
        self.save_fact(FactKey::of_server(&profile, &server, subject), Some(known));
        self.say(Notice::ok(said).about(FACTS));
    }

    /// Forgets a fact, also in the client and in the store.
    pub(super) fn forget_fact(&mut self, key: FactKey) {
        self.effects.push(Effect::RemoveFact { base_url: key.server.clone(), subject: key.subject.clone() });
        if key.subject.is_stored() {
            self.save_fact(key, None);
        } else {
            self.session.facts.remove(&key);
        }
    }

    /// Saves a fact, or that it is forgotten, in the session and the store.
    fn save_fact(&mut self, key: FactKey, known: Option<KnownFact>) {
        let record = self.session.facts.set(key, known);
        self.save_facts([record]);
    }

    /// Stores changes of facts that the session has already.
    fn save_facts(&mut self, records: impl IntoIterator<Item = Record>) {
        let records: Vec<_> = records.into_iter().collect();
        if records.is_empty() {
            return;
        }
        for record in records {
            self.try_save(ShellRequest::Keep, record);
        }
        // The endpoint that the tab in front lacked may exist after all.
        if self.lacks_endpoint() && self.check_endpoint(self.front) {
            self.enter_tab(self.front);
        }
    }
}

/// Subject of notices about changes to the list.
const FACTS: &str = "facts";
/// The endpoint whose fields can be set by hand.
const CHAT: &str = "/chat/completions";
/// Fields that every request needs.
const REQUIRED_FIELDS: &[&str] = &["model", "messages"];

/// Returns what a fact is about, in words.
fn subject_words(subject: &Subject) -> String {
    match subject {
        Subject::Endpoint(path) => path.clone(),
        Subject::Field { endpoint, model, field } if model.is_empty() => format!("{field} in {endpoint}"),
        Subject::Field { endpoint, model, field } => format!("{field} in {endpoint} for {model}"),
        Subject::Context(model) => format!("context of {model}"),
        Subject::Output(model) => format!("longest answer of {model}"),
        Subject::RateLimit(what) => format!("rate limit of {what}"),
        Subject::Cost => "cost in answers".to_owned(),
    }
}

/// Returns what is known about a subject, in words.
pub(super) fn finding_words(subject: &Subject, finding: &Finding) -> String {
    match finding {
        Finding::Refused if matches!(subject, Subject::Endpoint(_)) => "not allowed with this key".to_owned(),
        Finding::Available => "available".to_owned(),
        Finding::Missing => "not available".to_owned(),
        Finding::Refused => "refused, left out".to_owned(),
        Finding::Renamed(to) => format!("refused, sent as {to}"),
        Finding::AtMost(NonZeroUsize::MIN) => "one per request".to_owned(),
        Finding::AtMost(size) => format!("at most {size} per request"),
        Finding::Tokens(tokens) => format!("{} tokens", count(*tokens)),
        Finding::Text(words) => words.clone(),
    }
}
