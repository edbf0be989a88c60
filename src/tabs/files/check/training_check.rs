//! A training file that is checked and repaired outside the tab: what `benchtop files check` and `prepare` do.

use super::chosen_columns::ChosenColumns;
use super::page::CheckPage;
use super::run::CheckPhase;
use super::{columns, wording};
use crate::api::call::Ticket;
use crate::component::{Component as _, Cx, Response};
use crate::record::training::{CheckReport, Mapping, Prepared, Repair};
use crate::tabs::files::persistence::Persistence;
use crate::text::Untrusted;

/// What a reply means for a check.
#[derive(Debug)]
pub enum CheckUpdate {
    /// Nothing to show.
    Nothing,
    /// So many bytes of so many are read or written.
    Moved(u64, u64),
    /// The file is checked: [`TrainingCheck::report`] has what was found.
    Checked,
    /// The columns cannot be taken for what was chosen; words that follow the name of the file.
    ColumnsRefused(String),
    /// The file cannot be read as a training file at all, or the repaired copy was not written; a sentence.
    Failed(Untrusted),
    /// The repaired copy is written.
    Prepared(Box<Prepared>),
}

/// A training file that is checked.
#[derive(Debug)]
pub struct TrainingCheck {
    path: String,
    /// What columns of files were taken for in the tab.
    saved: Persistence,
    /// What columns are to be taken for; `None`: nothing is said of them, or they are taken for it.
    chosen: Option<ChosenColumns>,
    asked: Option<Ticket>,
    page: Option<CheckPage>,
}

impl TrainingCheck {
    /// Begins to check a file, by its absolute path, for the model that would be tuned. If columns are chosen, it is
    /// read twice: which ones it has is known after the first time.
    pub fn begin(path: String, chosen: Option<ChosenColumns>, cx: &mut Cx) -> Self {
        let mut saved = Persistence::default();
        let asked = saved.ask(cx);
        Self { path, saved, chosen, asked, page: None }
    }

    /// Takes in a reply of store or work threads.
    pub fn handle(&mut self, ticket: Ticket, mut response: Response, cx: &mut Cx) -> CheckUpdate {
        if let Response::Store(stored) = response {
            if self.asked.take_if(|asked| *asked == ticket).is_some() {
                // Without what is saved the columns are guessed.
                let _ = self.saved.handle_stored(stored);
                self.page = Some(CheckPage::open(self.path.clone(), self.saved.view.mappings.clone(), cx));
            }
            return CheckUpdate::Nothing;
        }
        let Some(page) = self.page.as_mut().filter(|page| page.run.owns(ticket)) else { return CheckUpdate::Nothing };
        let _ = page.reply(ticket, &mut response, cx);
        match &page.run.phase {
            CheckPhase::Reading { done, total } | CheckPhase::Writing { done, total } => {
                CheckUpdate::Moved(*done, *total)
            }
            CheckPhase::Checked => match self.chosen.take().map(|chosen| page.choose(&chosen, cx)) {
                None => CheckUpdate::Checked,
                Some(Ok(())) => CheckUpdate::Nothing,
                Some(Err(why)) => CheckUpdate::ColumnsRefused(why),
            },
            CheckPhase::Failed(why) | CheckPhase::NotWritten(why) => CheckUpdate::Failed(why.clone()),
            CheckPhase::Written(prepared) => CheckUpdate::Prepared(prepared.clone()),
        }
    }

    /// Returns what was found; `None`: the file is not checked yet.
    pub fn report(&self) -> Option<&CheckReport> {
        self.page.as_ref().filter(|page| page.run.is_ready()).map(|page| &*page.report)
    }

    /// Accepts the repairs that pass, and those without which the file cannot be used. Without a call those are
    /// accepted that are advised.
    pub fn accept(&mut self, passes: impl Fn(&Repair) -> bool) {
        if let Some(page) = &mut self.page {
            let accept = |repair: &Repair| repair.necessary || passes(repair);
            page.choices.accepted = page.report.repairs.iter().map(accept).collect();
        }
    }

    /// Returns the accepted repairs.
    pub fn accepted(&self) -> impl Iterator<Item = &Repair> {
        let pages = self.page.iter();
        let all = pages.flat_map(|page| page.report.repairs.iter().zip(&page.choices.accepted));
        all.filter(|(_, accepted)| **accepted).map(|(repair, _)| repair)
    }

    /// Writes a copy with the accepted repairs to a path; with `held_out` two, the second with so many percent of the
    /// rows.
    ///
    /// # Errors
    /// Nothing of the file can be written; a sentence.
    pub fn prepare(&mut self, output: String, held_out: Option<u8>, cx: &mut Cx) -> Result<(), Untrusted> {
        let Some(page) = &mut self.page else { return Err("the file is not checked yet".into()) };
        if let Some(why) = wording::objection(&page.report) {
            return Err(why);
        }
        page.choices.held_out = held_out;
        page.write(Some(output), cx);
        Ok(())
    }

    /// Stops what is under way.
    pub fn stop(&mut self, cx: &mut Cx) {
        if let Some(page) = &mut self.page {
            page.close(cx);
        }
    }
}

/// Returns what the columns of a file are taken for, in a line.
pub fn column_words(mapping: &Mapping) -> Untrusted {
    columns::summary(mapping)
}

/// Returns what a repair is called, with the number of rows that it changes.
pub fn repair_words(repair: &Repair) -> String {
    wording::repair(repair)
}

/// Returns what requests to a model that is trained on a repaired copy have to send; `None`: nothing special.
pub fn request_words(prepared: &Prepared) -> Option<Untrusted> {
    wording::requests(&prepared.prompt_end, &prepared.completion_end)
}
