//! The page of a new job: all fields, what the interface asks of them, what it will cost. Nothing is sent before its last
//! row is answered with Enter, and what was filled in stays, also over a restart.

mod choose;
mod draw;
mod fields;
mod fill;
mod refusal;
mod rules;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use serde::{Deserialize, Serialize};

use self::choose::Pick;
use self::fields::{CREATE, TRAINING, VALIDATION};
use crate::api::call::Failure;
use crate::api::file::File;
use crate::api::fine_tune::FineTuneRequest;
use crate::api::job::Dialect;
use crate::component::{Hint, Session};
use crate::settings::ProfileId;
use crate::ui::form::{self, Form, Kind};
use crate::ui::picker::{Picked, Picker};

/// A page as far as it was filled in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Draft {
    request: FineTuneRequest,
    /// Names of the two files; empty: not known.
    training: String,
    validation: String,
    /// Rows of the training file, and tokens of one pass over it; 0: not known.
    rows: u64,
    tokens: u64,
    /// Of settings copied from a job: what was on the page before, which comes back.
    before: Option<Box<Draft>>,
    /// Whether somebody changed the copied settings.
    edited: bool,
}

/// What a key on the page asks of its owner.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Event {
    /// Nothing.
    None,
    /// What was filled in is another: keep it.
    Changed,
    /// Make this job.
    Send(Box<FineTuneRequest>),
    /// The page is left.
    Close,
    /// The key means nothing here.
    Ignored,
}

/// Why nothing can be changed.
const MAKING: &str = "the job is being made; esc leaves the page, and it is made all the same";

/// What is known of the server's files.
#[derive(Clone, Debug, Default)]
enum Files {
    /// Nobody asked.
    #[default]
    Unknown,
    Asked,
    Known(Vec<File>),
    Failed(Failure),
}

/// The page.
#[derive(Debug)]
pub(super) struct Create {
    profile: ProfileId,
    draft: Draft,
    /// Those of other profiles.
    others: BTreeMap<String, Draft>,
    dialect: Option<Dialect>,
    form: Form,
    files: Files,
    picker: Option<Picker<Pick>>,
    /// Since when the job is being made.
    sending: Option<Instant>,
    /// The same of other profiles.
    making: BTreeMap<String, Instant>,
    /// Why it was not made.
    pub(super) refused: Option<Failure>,
}

impl Default for Create {
    fn default() -> Self {
        let draft = Draft::default();
        Self {
            profile: ProfileId::default(),
            form: fields::form(&draft.request, None),
            draft,
            others: BTreeMap::new(),
            dialect: None,
            files: Files::Unknown,
            picker: None,
            sending: None,
            making: BTreeMap::new(),
            refused: None,
        }
    }
}

impl Create {
    /// Whether something was filled in.
    pub(super) fn begun(&self) -> bool {
        self.draft != Draft::default()
    }

    /// Settings copied from a job that nobody changed make room for what was on the page before.
    pub(super) fn put_away_copy(&mut self) {
        if self.sending.is_none() && !self.draft.edited && self.draft.before.is_some() {
            self.draft = self.draft.before.take().map(|before| *before).unwrap_or_default();
            self.rebuild();
            self.form.select(TRAINING);
        }
    }

    /// Whether something is on its way.
    pub(super) fn waits(&self) -> bool {
        self.sending.is_some() || matches!(self.files, Files::Asked)
    }

    /// Whether the server's files are to be asked for; they are from now on.
    pub(super) fn open(&mut self) -> bool {
        self.refused = None;
        if matches!(self.files, Files::Asked) {
            return false;
        }
        if !matches!(self.files, Files::Known(_)) {
            self.files = Files::Asked;
        }
        self.judge();
        true
    }

    pub(super) fn files(&mut self, files: Vec<File>) {
        self.files = Files::Known(files);
        self.refill();
        self.judge();
    }

    pub(super) fn files_closed(&mut self, why: Option<Failure>) {
        match why {
            // A list that is known is better than none.
            Some(why) if !matches!(self.files, Files::Known(_)) => self.files = Files::Failed(why),
            None if matches!(self.files, Files::Asked) => self.files = Files::Unknown,
            _ => {}
        }
        self.refill();
    }

    /// The rows are made anew of what is filled in; the cursor stays.
    fn rebuild(&mut self) {
        let at = self.form.selected();
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

    fn rules(&self) -> Vec<rules::Rule> {
        let files = if let Files::Known(files) = &self.files { Some(files.as_slice()) } else { None };
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
        self.form.note(notes);
    }

    /// What would be sent.
    fn request(&self) -> FineTuneRequest {
        fields::fit(&self.draft.request, self.dialect)
    }

    /// Whether letters are text.
    pub(super) fn typing(&self) -> bool {
        self.picker.is_some() || self.form.typing()
    }

    /// A key.
    pub(super) fn key(&mut self, key: KeyEvent, session: &Session, models: &[String], now: Instant) -> Event {
        if self.picker.is_some() {
            return self.picker_key(&key);
        }
        let run = key.code == KeyCode::Char('r') && key.modifiers.contains(KeyModifiers::CONTROL);
        if run && !self.form.typing() {
            return self.check();
        }
        match self.form.key(key) {
            form::Event::Ignored => Event::Ignored,
            form::Event::Close => Event::Close,
            form::Event::None | form::Event::Change(CREATE, _) => Event::None,
            form::Event::Change(name, text) => self.change(name, &text),
            form::Event::Ask(CREATE) => self.send(now),
            form::Event::Ask(name) => {
                self.choose(name, session, models);
                Event::None
            }
        }
    }

    fn picker_key(&mut self, key: &KeyEvent) -> Event {
        let Some(picker) = &mut self.picker else { return Event::None };
        let typed = picker.unmatched().map(str::to_owned);
        match picker.key(key) {
            // A server that lists nothing, or not all, still has models.
            Picked::Open if key.code == KeyCode::Enter => match typed {
                Some(name) if self.form.selected() == Some("model") => {
                    self.picker = None;
                    self.change("model", &name)
                }
                _ => Event::None,
            },
            Picked::Open => Event::None,
            Picked::Closed => {
                self.picker = None;
                Event::None
            }
            Picked::Chosen(pick) => {
                self.picker = None;
                self.picked(pick)
            }
        }
    }

    fn picked(&mut self, pick: Pick) -> Event {
        match pick {
            Pick::Model(model) => return self.change("model", &model),
            Pick::File(field, id, name) => {
                if let Err(why) = fields::set(&mut self.draft.request, field, &id) {
                    self.form.refuse(field, why);
                    return Event::None;
                }
                if field == TRAINING {
                    // What was known is known of another file.
                    if self.draft.training != name {
                        (self.draft.rows, self.draft.tokens) = (0, 0);
                    }
                    self.draft.training = name;
                } else {
                    self.draft.validation = name;
                }
            }
        }
        self.draft.edited = true;
        self.show();
        Event::Changed
    }

    fn change(&mut self, name: &'static str, text: &str) -> Event {
        if let Err(why) = fields::set(&mut self.draft.request, name, text) {
            self.form.refuse(name, why);
            return Event::None;
        }
        match name {
            TRAINING => {
                self.draft.training.clear();
                (self.draft.rows, self.draft.tokens) = (0, 0);
            }
            VALIDATION => self.draft.validation.clear(),
            _ => {}
        }
        self.draft.edited = true;
        // As it was understood.
        self.form.set(name, fields::value(&self.draft.request, name));
        self.refused = None;
        self.show();
        Event::Changed
    }

    /// Looks whether a job can be made of it: the cursor goes where something is amiss, or else to the last row.
    fn check(&mut self) -> Event {
        match self.rules().into_iter().find(|rule| rule.stops) {
            Some(rule) => self.form.refuse(rule.field, rule.why),
            None => self.form.select(CREATE),
        }
        Event::None
    }

    fn send(&mut self, now: Instant) -> Event {
        if self.sending.is_some() {
            return Event::None;
        }
        if self.rules().iter().any(|rule| rule.stops) {
            return self.check();
        }
        self.refused = None;
        self.sending = Some(now);
        self.form.lock(Some(MAKING));
        Event::Send(Box::new(self.request()))
    }

    /// The server has answered: the page is empty again, or says why there is no job.
    pub(super) fn sent(&mut self, profile: &ProfileId, why: Option<Failure>) {
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

    /// Pasted text goes into what is typed.
    pub(super) fn paste(&mut self, text: &str) {
        match &mut self.picker {
            Some(picker) => picker.paste(text),
            None => drop(self.form.paste(text)),
        }
    }

    /// Keys for the footer.
    pub(super) fn hints(&self) -> Vec<Hint> {
        let hint = Hint::new;
        if self.picker.is_some() {
            return vec![hint("↑↓", "choose"), hint("⏎", "use")];
        }
        if self.form.typing() {
            return vec![hint("⏎", "done")];
        }
        let field = hint("j k", "field");
        if self.form.selected() == Some(CREATE) {
            return vec![hint("⏎", "create the job"), field];
        }
        let mut hints = vec![field];
        match self.form.kind() {
            Some(Kind::Toggle) => hints.extend([hint("⏎", "switch"), hint("0", "default")]),
            Some(Kind::Text) => hints.extend([hint("⏎", "type"), hint("0", "default")]),
            Some(Kind::Choice) => hints.extend([hint("⏎", "choose"), hint("0", "default")]),
            Some(Kind::Number { .. }) => hints.extend([hint("h l", "±"), hint("⏎", "type"), hint("0", "default")]),
            Some(Kind::Shown) | None => {}
        }
        hints.push(hint("^R", "check"));
        hints
    }

    /// What the next Esc does.
    pub(super) fn escape(&self) -> &'static str {
        match (&self.picker, self.form.typing()) {
            (Some(_), _) => "close",
            (None, true) => "as it was",
            (None, false) => "back (kept)",
        }
    }
}
