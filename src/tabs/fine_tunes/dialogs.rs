//! Dialogs over the jobs, and what their answers do.

use super::create::{CreateEvent, PickedFile};
use super::evaluation::{EvaluationAnswer, EvaluationEvent};
use super::format;
use super::job_row::{JobRow, safe};
use super::state::{Request, State, TunePage};
use crate::api::call::{Call, Failure, FailureKind};
use crate::api::job::Job;
use crate::component::{ChoiceDialog, ConfirmDialog, Cx, Notice, PathInput, PathPrompt, TextViewer};
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::ui::meter::percent;
use crate::ui::overlay::Confirm;

/// Characters of a word that is typed to confirm.
const WORD: usize = 14;

/// The answer of a dialog.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// Cancel the job with this id.
    CancelJob(String),
    /// Delete the model of the job with this id.
    DeleteModel(String),
    /// Draw the file at this path.
    OpenFile(String),
    /// Fill this file into the page of a new job.
    CreateFile(PickedFile),
    /// Fill this model into the page of a new job.
    CreateModel(String),
    /// Try this model, too.
    TrialModel(String),
    /// Of a dialog over the page that scores rows.
    Evaluation(EvaluationAnswer),
}

impl From<EvaluationAnswer> for Answer {
    fn from(answer: EvaluationAnswer) -> Self {
        Self::Evaluation(answer)
    }
}

type FileChoice = ChoiceDialog<PickedFile, Answer>;
type ModelChoice = ChoiceDialog<String, Answer>;

impl State {
    /// Asks whether the job under the cursor is to be cancelled.
    pub(super) fn ask_cancel(&mut self, cx: &mut Cx) {
        let Some(row) = self.selected_job() else { return };
        if !row.runs() {
            let said = format!("{} has ended ({}): there is nothing to cancel", row.name(), row.state());
            return cx.notify(Notice::info(said).about("cancel"));
        }
        let share = row.progress.share(&row.job).map(|share| format!(", {} done", percent(share)));
        let about = format!("{}  {}  {}{}", row.name(), row.short(), row.state(), share.unwrap_or_default());
        let lines = vec![
            about.into(),
            Untrusted::default(),
            "It stops at once without a model, and its progress is lost.".into(),
        ];
        let ask = Confirm::new("Cancel this fine-tune?", lines, "Cancel job").otherwise("Keep").typed(word(row));
        let cancel = Answer::CancelJob(row.job.id.clone());
        self.modals.open(ConfirmDialog::new(ask, cancel));
    }

    /// Asks whether the model of the job under the cursor is to be deleted.
    pub(super) fn ask_delete(&mut self, cx: &mut Cx) {
        let Some(row) = self.selected_job() else { return };
        let Some(model) = row.model() else {
            let said = format!("{} has no model to delete", row.name());
            return cx.notify(Notice::info(said).about("delete"));
        };
        let lines = vec![
            model,
            format!("made by {} from {}", row.short(), safe(&row.job.model)).into(),
            Untrusted::default(),
            "This cannot be undone, and requests to the model will fail. Only an organisation owner can do it.".into(),
        ];
        let ask = Confirm::new("Delete this model from the server?", lines, "Delete").otherwise("Keep");
        let delete = Answer::DeleteModel(row.job.id.clone());
        self.modals.open(ConfirmDialog::new(ask.typed(word(row)), delete));
    }

    /// Shows what the server said last when something failed.
    pub(super) fn open_failure(&mut self, cx: &mut Cx) {
        let refused = self.create.refused.as_ref().filter(|_| self.page == TunePage::Create);
        match refused.or(self.list().and_then(|list| list.failure.as_ref())) {
            Some(why) => self.modals.open(TextViewer::of_failure(why)),
            None => cx.notify(Notice::info("nothing has failed").about("details")),
        }
    }

    /// Asks for a file of this machine.
    pub(super) fn ask_file(&mut self) {
        let title = "Result file (CSV) or event log (JSONL, text)";
        self.modals.open(PathPrompt::new(title, "open", PathInput::default(), Answer::OpenFile));
    }

    /// Does what a dialog was answered with.
    pub(super) fn answer(&mut self, answer: Answer, cx: &mut Cx) {
        match answer {
            Answer::CancelJob(id) => self.order(Call::CancelJob(id.clone()), Request::Cancel(id), cx),
            Answer::DeleteModel(id) => {
                let model = self.list().and_then(|list| list.jobs.get(&id)?.job.fine_tuned_model.clone());
                if let Some(model) = model {
                    self.order(Call::DeleteModel(model), Request::Delete(id), cx);
                }
            }
            Answer::OpenFile(path) => self.open_file(&path, cx),
            Answer::CreateFile(file) => _ = self.create.set_file(file).act(|event| self.create_event(event, cx)),
            Answer::CreateModel(model) => _ = self.create.set_model(&model).act(|event| self.create_event(event, cx)),
            Answer::TrialModel(model) => self.trial.add(model.into()),
            Answer::Evaluation(answer) => {
                _ = self.evaluation.answer(answer, cx).act(|event| self.evaluation_event(event));
            }
        }
    }

    /// Does what the page that scores rows asks for.
    pub(super) fn evaluation_event(&mut self, event: EvaluationEvent) {
        match event {
            EvaluationEvent::Close => self.page = TunePage::Jobs,
            EvaluationEvent::Ask => self.open_evaluation_dialog(),
        }
    }

    /// Opens the dialog that the page that scores rows asks for; one that it asks for in the background waits until the
    /// page is in front.
    pub(super) fn open_evaluation_dialog(&mut self) {
        if self.page == TunePage::Evaluation
            && let Some(dialog) = self.evaluation.take_dialog()
        {
            dialog.open(&mut self.modals);
        }
    }

    /// Does what the page of a new job asks for.
    pub(super) fn create_event(&mut self, event: CreateEvent, cx: &mut Cx) {
        match event {
            CreateEvent::Changed => self.saved.save_soon(cx.now),
            CreateEvent::Close => {
                self.page = TunePage::Jobs;
                self.saved.save_soon(cx.now);
            }
            CreateEvent::Send(request) => {
                self.saved.save_soon(cx.now);
                self.order(Call::CreateJob(request.clone()), Request::Create(request), cx);
            }
            CreateEvent::ChooseModel => {
                let picker = self.create.model_picker(cx.session, &self.tuned());
                // A server that lists nothing, or not all, still has models.
                self.modals.open(ModelChoice::new(picker, Answer::CreateModel).or_typed(Answer::CreateModel));
            }
            CreateEvent::ChooseFile(field) => {
                self.modals.open(FileChoice::new(self.create.file_picker(field), Answer::CreateFile));
            }
            CreateEvent::ShowFailure => self.open_failure(cx),
        }
    }

    /// Lets the user choose a model to try beside the others.
    pub(super) fn choose_trial_model(&mut self, cx: &mut Cx) {
        if let Some(picker) = self.trial.model_picker(&self.tuned(), cx) {
            self.modals.open(ModelChoice::new(picker, Answer::TrialModel).labelled("add it"));
        }
    }

    /// Shows in an open list of files that they have arrived or failed.
    pub(super) fn refill_file_choice(&mut self) {
        if let Some(choice) = self.modals.find_mut::<FileChoice>() {
            self.create.refill(choice.picker_mut());
        }
    }

    /// Closes the dialogs that belong to the page in front, as another one comes.
    pub(super) fn leave_page(&mut self, cx: &mut Cx) {
        self.close_choices();
        if self.page == TunePage::Evaluation {
            self.modals.close_all(cx);
        }
    }

    /// Closes the lists to choose from.
    pub(super) fn close_choices(&mut self) {
        self.modals.remove_type::<FileChoice>();
        self.modals.remove_type::<ModelChoice>();
    }

    /// Shows the jobs, also while something is chosen for another page.
    pub(super) fn show_jobs(&mut self, cx: &mut Cx) {
        self.leave_page(cx);
        self.page = TunePage::Jobs;
    }

    fn order(&mut self, call: Call, asked: Request, cx: &mut Cx) {
        if let Some(profile) = self.list().map(|list| list.profile.clone()) {
            self.ask(&profile, call, asked, cx);
        }
    }

    /// Takes a job that was cancelled or created, as the server has it now.
    pub(super) fn answered(&mut self, profile: &ProfileId, job: Job, created: bool, cx: &mut Cx) {
        let id = job.id.clone();
        self.job_changed(profile, job, cx);
        if created && let Some(stale) = self.list_of(profile).and_then(|list| list.listing.take()) {
            // A list that was asked for before may lack the job.
            self.pending.take(stale);
            cx.cancel(stale);
            self.request_jobs_of(profile, cx);
        }
        if created && let Some(list) = self.list_of(profile) {
            list.select_job(&id);
            if self.list().is_some_and(|list| list.profile == *profile) {
                self.show_jobs(cx);
                self.selection_changed(cx);
            }
        }
        self.follow(cx);
    }

    /// Handles the end of creating a job.
    pub(super) fn created(&mut self, profile: &ProfileId, why: Option<Failure>, cx: &mut Cx) {
        self.saved.save_soon(cx.now);
        let here = self.list().is_some_and(|list| list.profile == *profile);
        let notice = match &why {
            Some(_) if here && self.page == TunePage::Create => None,
            Some(why) => Some(Notice::error(format!("the fine-tune was not created: {}", why.sentence.line()))),
            None => {
                let name = self.list_of(profile).and_then(|list| list.jobs.selected_item()).map(JobRow::name);
                let runs = format::after_quitting(profile);
                Some(Notice::ok(format!("{} created and queued; {runs}", name.unwrap_or_default())))
            }
        };
        self.create.handle_answer(profile, why);
        if let Some(notice) = notice {
            cx.notify(notice.about("create"));
        }
    }

    pub(super) fn not_cancelled(&mut self, profile: &ProfileId, id: &str, why: &Failure, cx: &mut Cx) {
        let name = self.list_of(profile).and_then(|list| Some(list.jobs.get(id)?.name())).unwrap_or_default();
        cx.notify(Notice::error(format!("{name} was not cancelled: {}", why.sentence.line())).about("cancel"));
        // Mostly it was over already.
        self.request_jobs(cx);
    }

    /// Handles the end of deleting a model.
    pub(super) fn deleted(&mut self, profile: &ProfileId, id: &str, why: Option<Failure>, cx: &mut Cx) {
        let Some(row) = self.list_of(profile).and_then(|list| list.jobs.get(id)) else { return };
        let model = safe(row.job.fine_tuned_model.as_deref().unwrap_or_default());
        let notice = match why {
            None => {
                self.mark_deleted(profile, id, cx.now);
                Notice::ok(format!("{model} was deleted"))
            }
            Some(why) if why.status == Some(403) => {
                let said = "only an organisation owner can delete models";
                Notice::error(format!("{model} was not deleted: {said}"))
            }
            Some(why) if why.status == Some(404) && why.kind != FailureKind::Unsupported => {
                self.mark_deleted(profile, id, cx.now);
                Notice::warn(format!(
                    "the server has no model {model}: it was already deleted or belongs to someone else"
                ))
            }
            Some(why) => Notice::error(format!("{model} was not deleted: {}", why.sentence.line())),
        };
        cx.notify(notice.about("delete"));
    }
}

/// Returns what is typed to confirm: the job's name where that is easily typed, else its id.
fn word(row: &JobRow) -> String {
    let name = row.name();
    let easy = (1..=WORD).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_graphic());
    if easy { name } else { super::job_row::tail(&row.job.id) }
}
