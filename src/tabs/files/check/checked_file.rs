//! The file that is checked, and the model that the figures are for.

use crate::api::job::Dialect;
use crate::component::session::{chats, completes};
use crate::component::{Cx, Session};
use crate::record::training::{CheckRequest, Mapping};
use crate::record::work::Work;
use crate::text::Untrusted;
use crate::tokens::{Price, training_limit};

/// Models that can be trained, of which the figures tell.
const BASES: [&str; 5] = ["ada", "babbage", "curie", "davinci", CHAT];
const CHAT: &str = "gpt-3.5-turbo";
/// The one that the figures are for where the session's model cannot be trained.
pub(super) const BASE: &str = "curie";
/// Returns the models to choose from: the base models, and the session's.
pub(super) fn models(session: &Session) -> Vec<Untrusted> {
    let mut models: Vec<Untrusted> = if is_newer(session) {
        session.models.iter().filter(|model| chats(model) || completes(model)).cloned().collect()
    } else {
        BASES.into_iter().map(Into::into).collect()
    };
    for model in [&session.model, &to_tune(session)] {
        if !model.is_empty() && !models.contains(model) {
            models.push(model.clone());
        }
    }
    models
}

/// Returns the model that a file is checked for: the session's where that can be tuned, else a base model.
pub(crate) fn to_tune(session: &Session) -> Untrusted {
    let model = &session.model;
    // The local service tunes base models, whatever model Chat uses. Which of today's models can be tuned only their
    // server knows.
    let chat = session.local && model.raw() == CHAT;
    let takes = (trains(model.raw()) && !chat) || (is_newer(session) && (chats(model) || completes(model)));
    if takes { model.clone() } else { BASE.into() }
}

/// Returns whether the server tunes today's models.
fn is_newer(session: &Session) -> bool {
    session.fine_tunes == Some(Dialect::FineTuning) && !session.local
}

/// Returns whether a model can be trained, as far as its name tells: a base model, or one that was tuned before.
pub(super) fn trains(model: &str) -> bool {
    let tuned = model.contains(":ft-") || model.starts_with("ft:");
    tuned || BASES.contains(&model) || training_limit(model).is_some()
}

/// A training file, and the model that it is checked for.
#[derive(Debug)]
pub(super) struct CheckedFile {
    pub(super) path: String,
    pub(super) model: Untrusted,
    /// The models to choose from.
    models: Vec<Untrusted>,
    pub(super) local: bool,
    /// What training the model costs; `None`: unknown.
    pub(super) price: Option<Price>,
}

impl CheckedFile {
    pub(super) fn new(path: String, session: &Session) -> Self {
        let model = to_tune(session);
        Self { path, model, models: models(session), local: session.local, price: None }
    }

    /// Changes to the next model that can be trained.
    pub(super) fn next_model(&mut self) {
        let at = self.models.iter().position(|model| *model == self.model).map_or(0, |at| at + 1);
        self.model = self.models[at % self.models.len()].clone();
    }

    /// Returns the work that reads the file.
    pub(super) fn check(&mut self, mappings: Vec<Mapping>, cx: &Cx) -> Work {
        self.price = cx.session.training_price(self.model.raw());
        let (path, model) = (self.path.clone(), self.model.clone());
        Work::Check(Box::new(CheckRequest { path, model, local: self.local, mappings }))
    }
}
