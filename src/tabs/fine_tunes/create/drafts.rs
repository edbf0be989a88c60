//! Fills the page in with saved drafts, a file from another tab, or a job's settings.

use std::collections::BTreeMap;

use super::{CreatePage, FileListing, JobDraft, fields};
use crate::api::call::Ticket;
use crate::api::fine_tune::FineTuneRequest;
use crate::api::job::{Dialect, Job, JobFile};
use crate::component::{Cx, Session, Training};
use crate::record::{Query, Rows, Stored};
use crate::settings::ProfileId;
use crate::tabs::file_metadata::MetadataCache;
use crate::tabs::fine_tunes::job_row::{file_label, suffix};
use crate::text::Untrusted;

/// Pages kept, one for each profile.
const DRAFTS: usize = 32;

impl CreatePage {
    /// Forgets the files that were listed for a profile, as it has another server. Returns whether the page is of that
    /// profile.
    pub(crate) fn forget_files(&mut self, profile: &ProfileId) -> bool {
        let own = self.profile == *profile;
        if own {
            self.files = FileListing::Unknown;
            self.rebuild();
        }
        own
    }

    /// Shows the draft of the session's profile, for the interface of its server.
    pub(crate) fn switch(&mut self, session: &Session, dialect: Option<Dialect>) {
        if self.profile != session.profile {
            let old = std::mem::replace(&mut self.profile, session.profile.clone()).0;
            // A job that is being made is made, whichever profile shows.
            if let Some(since) = self.sending.take() {
                self.making.insert(old.clone(), since);
            }
            self.others.insert(old, std::mem::take(&mut self.draft));
            self.draft = self.others.remove(&self.profile.0).unwrap_or_default();
            self.sending = self.making.remove(&self.profile.0);
            self.files = FileListing::Unknown;
            self.known = MetadataCache::default();
            self.refused = None;
            self.dialect = dialect;
            self.rebuild();
        } else if self.dialect != dialect {
            self.dialect = dialect;
            self.rebuild();
        }
    }

    /// Takes the saved drafts; those that are here already are newer.
    pub(crate) fn restore(&mut self, mut drafts: BTreeMap<String, JobDraft>, session: &Session) {
        if let Some(own) = drafts.remove(&session.profile.0) {
            self.profile = session.profile.clone();
            if self.draft == JobDraft::default() {
                self.draft = own;
            } else {
                // A file from another tab was quicker: only what it does not say is as it was.
                let (new, old) = (&mut self.draft.request, own.request);
                new.model = new.model.take().or(old.model);
                new.suffix = new.suffix.take().or(old.suffix);
                new.n_epochs = new.n_epochs.or(old.n_epochs);
                new.batch_size = new.batch_size.or(old.batch_size);
                new.learning_rate_multiplier = new.learning_rate_multiplier.or(old.learning_rate_multiplier);
                new.prompt_loss_weight = new.prompt_loss_weight.or(old.prompt_loss_weight);
            }
            self.rebuild();
        }
        for (profile, draft) in drafts {
            self.others.entry(profile).or_insert(draft);
        }
    }

    /// Returns all pages that are not empty, by profile.
    pub(crate) fn drafts(&self) -> BTreeMap<String, JobDraft> {
        let mut drafts = self.others.clone();
        drafts.insert(self.profile.0.clone(), self.draft.clone());
        drafts.retain(|profile, draft| !profile.is_empty() && *draft != JobDraft::default());
        while drafts.len() > DRAFTS {
            drafts.pop_first();
        }
        drafts
    }

    /// Returns the name of the file on the page, where there is one and it is not this.
    pub(crate) fn other_file(&self, id: &Untrusted) -> Option<String> {
        let own = &self.draft.request.training_file;
        let name = if self.draft.training.is_empty() { own } else { &self.draft.training };
        (!own.is_empty() && *own != id.line()).then(|| name.clone())
    }

    /// Takes a file from another tab, with what is known of it.
    pub(crate) fn take(&mut self, offer: &Training) {
        let safe = |text: &Untrusted| text.line().into_owned();
        let request = &mut self.draft.request;
        request.training_file = safe(&offer.id);
        request.validation_file = offer.validation.as_ref().map(|(id, _)| safe(id));
        let metrics = class_count(offer) >= 2 && offer.validation.is_some();
        request.compute_classification_metrics = metrics.then_some(true);
        let (many, positive) = if metrics { class_fields(offer) } else { (None, None) };
        (request.classification_n_classes, request.classification_positive_class) = (many, positive);
        request.classification_betas = None;
        self.draft.training = safe(&offer.name);
        self.draft.validation = offer.validation.as_ref().map(|(_, name)| safe(name)).unwrap_or_default();
        (self.draft.rows, self.draft.tokens) = (offer.rows, offer.tokens);
        self.rebuild();
        self.form.select("model");
    }

    /// Asks for what the Files tab knows of the server's files.
    pub(crate) fn load_known(&mut self, cx: &mut Cx) {
        self.known_query = Some(cx.load(Query::Setting(MetadataCache::key(&self.profile))));
    }

    /// Takes the store's answer. Returns whether it was asked for.
    pub(crate) fn handle_stored(&mut self, ticket: Ticket, stored: &Stored) -> bool {
        if self.known_query.take_if(|asked| *asked == ticket).is_none() {
            return false;
        }
        if let Stored::Rows(Rows::Setting(_, Some(json))) = stored {
            self.known = MetadataCache::read(json.raw());
            self.fill_known();
        }
        true
    }

    /// Fills in rows and tokens of the training file where they are known.
    pub(super) fn fill_known(&mut self) {
        let Some(known) = self.known.training(&self.draft.request.training_file) else { return };
        if self.draft.tokens == 0 {
            (self.draft.rows, self.draft.tokens) = (known.rows, known.tokens);
        }
        self.propose_classes();
    }

    /// Sets the class fields as the classes of the training file ask for where class metrics are on, and takes that
    /// back where they are off.
    pub(super) fn propose_classes(&mut self) {
        let request = &mut self.draft.request;
        let Some(known) = self.known.training(&request.training_file) else { return };
        let (empty, proposed) = ((None, None), class_fields(&known));
        let on = request.compute_classification_metrics == Some(true);
        let (from, to) = if on { (empty, proposed) } else { (proposed, empty) };
        if (request.classification_n_classes, request.classification_positive_class.clone()) == from {
            (request.classification_n_classes, request.classification_positive_class) = to;
            for name in ["classification_n_classes", "classification_positive_class"] {
                self.form.show(name, fields::value(request, name));
            }
            self.judge();
        }
    }

    /// Takes the settings of a job: all that was sent if it was created here, else those that the server tells.
    pub(crate) fn copy(&mut self, job: &Job, sent: Option<&FineTuneRequest>) {
        // The copy of a copy nobody changed takes its place.
        self.put_away_copy();
        let before = Some(Box::new(std::mem::take(&mut self.draft)));
        let settings = &job.settings;
        let first = |files: &[JobFile]| files.first().map(|file| (file.id.clone(), file_label(file)));
        let (training, validation) = (first(&job.training_files), first(&job.validation_files));
        let model = job.fine_tuned_model.as_deref();
        self.draft = JobDraft {
            request: sent.cloned().unwrap_or_else(|| FineTuneRequest {
                training_file: training.as_ref().map(|(id, _)| id.clone()).unwrap_or_default(),
                validation_file: validation.as_ref().map(|(id, _)| id.clone()),
                model: Some(job.model.clone()).filter(|model| !model.is_empty()),
                suffix: job.suffix.clone().or_else(|| suffix(model?)),
                n_epochs: settings.n_epochs,
                batch_size: settings.batch_size,
                learning_rate_multiplier: settings.learning_rate_multiplier,
                prompt_loss_weight: settings.prompt_loss_weight,
                ..FineTuneRequest::default()
            }),
            before,
            edited: false,
            training: training.map(|(_, name)| name).unwrap_or_default(),
            validation: validation.map(|(_, name)| name).unwrap_or_default(),
            rows: 0,
            tokens: 0,
        };
        self.rebuild();
    }
}

/// Returns how many classes a file has; 0: none, or not known.
fn class_count(known: &Training) -> u64 {
    known.class_count.max(known.classes.len() as u64)
}

/// Returns what class metrics of a file need: the number of classes, or of two the positive one.
fn class_fields(known: &Training) -> (Option<u32>, Option<String>) {
    match class_count(known) {
        0 | 1 => (None, None),
        2 => (None, known.classes.first().map(|class| class.raw().to_owned())),
        many => (u32::try_from(many).ok(), None),
    }
}
