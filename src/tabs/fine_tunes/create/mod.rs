//! The page of a new job: all fields, what the interface asks of them, what it will cost. Nothing is sent before its
//! last row is answered with Enter, and what was filled in stays, also over a restart.

mod choose;
mod drafts;
mod draw;
mod fields;
pub(super) mod keys;
mod new_job;
mod refusal;
mod rules;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;
use serde::{Deserialize, Serialize};

pub(super) use self::choose::PickedFile;
use self::fields::{CREATE, TRAINING, VALIDATION};
use self::keys::{Action, KEYS};
pub use self::new_job::new_job;
pub use self::rules::{BASES, is_tunable};
use crate::api::call::{Failure, Ticket};
use crate::api::file::File;
use crate::api::fine_tune::FineTuneRequest;
use crate::api::job::Dialect;
use crate::component::{Component, Cx, Handled, Hint, RenderContext, Session};
use crate::settings::ProfileId;
use crate::tabs::file_metadata::MetadataCache;
use crate::ui::form::{self, Form};
use crate::ui::time::Zone;

/// A page as far as it was filled in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct JobDraft {
    request: FineTuneRequest,
    /// Names of the two files; empty: not known.
    training: String,
    validation: String,
    /// Rows of the training file, and tokens of one pass over it; 0: not known.
    rows: u64,
    tokens: u64,
    /// Of settings copied from a job: what was on the page before, which comes back.
    before: Option<Box<JobDraft>>,
    /// Whether somebody changed the copied settings.
    edited: bool,
}

/// What the page asks of the tab.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum CreateEvent {
    /// Keep what is filled in: it is another.
    Changed,
    /// Make this job.
    Send(Box<FineTuneRequest>),
    /// Let the user choose of [`CreatePage::model_picker`].
    ChooseModel,
    /// Let the user choose of [`CreatePage::file_picker`] for this field.
    ChooseFile(&'static str),
    /// Show what the server said to a refusal.
    ShowFailure,
    /// Leave the page.
    Close,
}

/// Why nothing can be changed.
const MAKING: &str = "the job is being created; esc leaves this page without stopping it";

/// What is known of the server's files.
#[derive(Clone, Debug, Default)]
enum FileListing {
    /// Nobody asked.
    #[default]
    Unknown,
    Asked,
    Known(Vec<File>),
    Failed(Failure),
}

/// The page.
#[derive(Debug)]
pub(super) struct CreatePage {
    profile: ProfileId,
    draft: JobDraft,
    /// Those of other profiles.
    others: BTreeMap<String, JobDraft>,
    dialect: Option<Dialect>,
    form: Form,
    files: FileListing,
    /// What the Files tab knows of them, and the question for it.
    known: MetadataCache,
    known_query: Option<Ticket>,
    zone: Zone,
    /// Since when the job is being made.
    sending: Option<Instant>,
    /// The same of other profiles.
    making: BTreeMap<String, Instant>,
    /// Why it was not made.
    pub(super) refused: Option<Failure>,
}

impl Default for CreatePage {
    fn default() -> Self {
        let draft = JobDraft::default();
        Self {
            profile: ProfileId::default(),
            form: fields::form(&draft.request, None),
            draft,
            others: BTreeMap::new(),
            dialect: None,
            files: FileListing::Unknown,
            known: MetadataCache::default(),
            known_query: None,
            zone: Zone::default(),
            sending: None,
            making: BTreeMap::new(),
            refused: None,
        }
    }
}

impl CreatePage {
    /// Returns whether something was filled in.
    pub(super) fn is_begun(&self) -> bool {
        self.draft != JobDraft::default()
    }

    /// Settings copied from a job that nobody changed make room for what was on the page before.
    pub(super) fn put_away_copy(&mut self) {
        if self.sending.is_none() && !self.draft.edited && self.draft.before.is_some() {
            self.draft = self.draft.before.take().map(|before| *before).unwrap_or_default();
            self.rebuild();
            self.form.select(TRAINING);
        }
    }

    /// Returns whether something is on its way.
    pub(super) fn is_waiting(&self) -> bool {
        self.sending.is_some() || matches!(self.files, FileListing::Asked)
    }

    /// Returns whether the server's files are to be asked for; they are from now on.
    pub(super) fn open(&mut self, session: &Session) -> bool {
        self.zone = session.zone;
        self.forget_refusal();
        if matches!(self.files, FileListing::Asked) {
            return false;
        }
        if !matches!(self.files, FileListing::Known(_)) {
            self.files = FileListing::Asked;
        }
        self.judge();
        true
    }

    pub(super) fn files(&mut self, files: Vec<File>) {
        self.files = FileListing::Known(files);
        self.judge();
    }

    pub(super) fn files_closed(&mut self, why: Option<Failure>) {
        match why {
            // A list that is known is better than none.
            Some(why) if !matches!(self.files, FileListing::Known(_)) => self.files = FileListing::Failed(why),
            None if matches!(self.files, FileListing::Asked) => self.files = FileListing::Unknown,
            _ => {}
        }
    }

    /// Rebuilds the rows from what is filled in; the cursor stays, a refusal does not.
    fn rebuild(&mut self) {
        let at = self.form.selected();
        self.refused = None;
        self.form = fields::form(&self.draft.request, self.dialect);
        if let Some(at) = at {
            self.form.select(at);
        }
        self.form.lock(self.sending.map(|_| MAKING));
        self.show();
    }

    /// Shows the files by their names, and says what is to be said.
    fn show(&mut self) {
        let named = |name: &str, id: &str| if name.is_empty() { id.to_owned() } else { name.to_owned() };
        let request = &self.draft.request;
        let training = named(&self.draft.training, &request.training_file);
        let validation = named(&self.draft.validation, request.validation_file.as_deref().unwrap_or_default());
        self.form.show(TRAINING, training);
        self.form.show(VALIDATION, if request.validation_file.is_none() { String::new() } else { validation });
        self.judge();
    }

    fn rules(&self) -> Vec<rules::RequestRule> {
        let files = if let FileListing::Known(files) = &self.files { Some(files.as_slice()) } else { None };
        rules::rules(&self.request(), self.dialect, files)
    }

    fn judge(&mut self) {
        let mut notes: Vec<(&'static str, String)> = Vec::new();
        for rule in self.rules() {
            // An empty page is not told off for being empty.
            let empty = rule.field == TRAINING && self.draft.request.training_file.is_empty();
            if !empty && !notes.iter().any(|(field, _)| *field == rule.field) {
                notes.push((rule.field, rule.why));
            }
        }
        self.form.set_notes(notes);
    }

    /// Returns the rows of a training file, where it is on the page and was checked.
    pub(super) fn known_rows(&self, file: &str) -> Option<u64> {
        let here = self.draft.request.training_file == file;
        Some(self.draft.rows).filter(|rows| here && *rows > 0)
    }

    /// Returns what would be sent.
    fn request(&self) -> FineTuneRequest {
        fields::fit(&self.draft.request, self.dialect)
    }

    /// Takes the model that was chosen or typed.
    pub(super) fn set_model(&mut self, model: &str) -> Handled<CreateEvent> {
        self.change("model", model)
    }

    /// Takes the file that was chosen.
    pub(super) fn set_file(&mut self, file: PickedFile) -> Handled<CreateEvent> {
        let PickedFile { field, id, name } = file;
        if let Err(why) = fields::enter(&mut self.draft.request, field, &id) {
            self.form.refuse(field, why);
            return Handled::Consumed;
        }
        if field == TRAINING {
            // What was known is known of another file.
            if self.draft.training != name {
                (self.draft.rows, self.draft.tokens) = (0, 0);
            }
            self.draft.training = name;
            self.fill_known();
        } else {
            self.draft.validation = name;
        }
        self.changed()
    }

    fn change(&mut self, name: &'static str, text: &str) -> Handled<CreateEvent> {
        if let Err(why) = fields::enter(&mut self.draft.request, name, text) {
            self.form.refuse(name, why);
            return Handled::Consumed;
        }
        match name {
            TRAINING => {
                self.draft.training.clear();
                (self.draft.rows, self.draft.tokens) = (0, 0);
            }
            VALIDATION => self.draft.validation.clear(),
            "compute_classification_metrics" => self.propose_classes(),
            _ => {}
        }
        // As it was understood.
        self.form.set(name, fields::value(&self.draft.request, name));
        self.changed()
    }

    /// Shows what would be sent now; a refusal was of another request.
    fn changed(&mut self) -> Handled<CreateEvent> {
        self.draft.edited = true;
        self.forget_refusal();
        self.show();
        Handled::Emit(CreateEvent::Changed)
    }

    /// Removes the refusal of a request that was sent before.
    fn forget_refusal(&mut self) {
        self.refused = None;
        self.form.clear_refusal();
    }

    /// Looks whether a job can be made of it: the cursor goes where something is amiss, or else to the last row.
    fn check(&mut self) -> Handled<CreateEvent> {
        match self.rules().into_iter().find(|rule| rule.stops) {
            Some(rule) => self.form.refuse(rule.field, rule.why),
            None => self.form.select(CREATE),
        }
        Handled::Consumed
    }

    fn send(&mut self, now: Instant) -> Handled<CreateEvent> {
        if self.sending.is_some() {
            return Handled::Consumed;
        }
        if self.rules().iter().any(|rule| rule.stops) {
            return self.check();
        }
        self.forget_refusal();
        self.sending = Some(now);
        self.form.lock(Some(MAKING));
        Handled::Emit(CreateEvent::Send(Box::new(self.request())))
    }

    /// Takes the server's answer: empties the page, or says why no job was created.
    pub(super) fn handle_answer(&mut self, profile: &ProfileId, why: Option<Failure>) {
        if self.profile != *profile {
            self.making.remove(&profile.0);
            if why.is_none()
                && let Some(draft) = self.others.remove(&profile.0)
                && let Some(before) = draft.before
            {
                self.others.insert(profile.0.clone(), *before);
            }
            return;
        }
        self.sending = None;
        self.form.lock(None);
        let Some(why) = why else {
            self.draft = self.draft.before.take().map(|before| *before).unwrap_or_default();
            self.rebuild();
            self.form.select(TRAINING);
            return;
        };
        match refusal::read(&why, &self.draft.request) {
            Some((field, words)) => self.form.refuse(field, words),
            None => self.form.refuse(CREATE, why.sentence.clone()),
        }
        self.refused = Some(why);
    }
}

impl Component<CreateEvent> for CreatePage {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<CreateEvent> {
        let action = if self.form.typing() { None } else { KEYS.find(&key) };
        if action == Some(Action::Check) {
            return self.check();
        }
        match self.form.key(key) {
            form::Event::Ignored if action == Some(Action::Failure) => Handled::Emit(CreateEvent::ShowFailure),
            form::Event::Ignored => Handled::Ignored,
            form::Event::Close => Handled::Emit(CreateEvent::Close),
            form::Event::None | form::Event::Change(CREATE, _) => Handled::Consumed,
            form::Event::Change(name, text) => self.change(name, &text),
            form::Event::Ask(CREATE) => self.send(cx.now),
            form::Event::Ask("model") => Handled::Emit(CreateEvent::ChooseModel),
            form::Event::Ask(name) => Handled::Emit(CreateEvent::ChooseFile(name)),
        }
    }

    fn paste(&mut self, text: &str, _cx: &mut Cx) -> Handled<CreateEvent> {
        self.form.paste(text);
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        keys::hints(self)
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        vec![("New fine-tune", KEYS.help())]
    }

    fn escape(&self) -> Option<&'static str> {
        Some(if self.form.typing() { "as it was" } else { "back (kept)" })
    }

    fn typing(&self) -> bool {
        self.form.typing()
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        self.arrange_fields(area, session.spacing());
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        draw::page(self, frame, area, context);
    }
}
