//! Fills the page in with saved drafts, a file from another tab, or a job's settings.

use std::collections::BTreeMap;

use super::{CreatePage, FileListing, JobDraft};
use crate::api::fine_tune::FineTuneRequest;
use crate::api::job::{Dialect, Job, JobFile};
use crate::component::{Session, Training};
use crate::settings::ProfileId;
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
        let classes = &offer.classes;
        let count = offer.class_count.max(classes.len() as u64);
        let metrics = count >= 2 && offer.validation.is_some();
        request.compute_classification_metrics = metrics.then_some(true);
        let two = count == 2;
        request.classification_positive_class =
            classes.first().filter(|_| two && metrics).map(|class| class.raw().to_owned());
        let many = u32::try_from(count).ok();
        request.classification_n_classes = many.filter(|_| metrics && !two);
        request.classification_betas = None;
        self.draft.training = safe(&offer.name);
        self.draft.validation = offer.validation.as_ref().map(|(_, name)| safe(name)).unwrap_or_default();
        (self.draft.rows, self.draft.tokens) = (offer.rows, offer.tokens);
        self.rebuild();
        self.form.select("model");
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
