//! Lists to choose from: the server's files, models that can be tuned.

use super::fields::TRAINING;
use super::rules::BASES;
use super::{CreatePage, FileListing};
use crate::api::file::File;
use crate::api::job::Dialect;
use crate::component::Session;
use crate::component::session::{chats, completes};
use crate::tabs::fine_tunes::format::unix_ms;
use crate::tabs::fine_tunes::job_row::safe;
use crate::ui::meter;
use crate::ui::picker::{Item, Note, Picker};

/// A file to choose for a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PickedFile {
    pub(super) field: &'static str,
    pub(super) id: String,
    pub(super) name: String,
}

impl CreatePage {
    /// Returns the list of models to tune; `tuned` were made here.
    pub(crate) fn model_picker(&self, session: &Session, tuned: &[String]) -> Picker<String> {
        let mut picker = Picker::new("Base model", self.models(session, tuned));
        let used = self.draft.request.model.as_deref().unwrap_or_default();
        picker.select_where(|model| model == used);
        picker
    }

    /// Returns the list of files for a field.
    pub(crate) fn file_picker(&self, field: &'static str) -> Picker<PickedFile> {
        let title = if field == TRAINING { "Training file" } else { "Validation file" };
        let mut picker = Picker::new(title, Vec::new()).no_match_text("no file on this server matches");
        self.fill(field, &mut picker);
        picker
    }

    /// Fills the list of files for the selected field again, once the files have arrived or failed.
    pub(crate) fn refill(&self, picker: &mut Picker<PickedFile>) {
        if let Some(field) = self.form.selected() {
            self.fill(field, picker);
        }
    }

    fn fill(&self, field: &'static str, picker: &mut Picker<PickedFile>) {
        picker.refill(self.items(field));
        picker.set_notes(self.notes());
    }

    /// Returns the files to train with, newest first.
    fn items(&self, field: &'static str) -> Vec<Item<PickedFile>> {
        let FileListing::Known(files) = &self.files else { return Vec::new() };
        let mut fit: Vec<&File> = files.iter().filter(|file| trains(file)).collect();
        fit.sort_by_key(|file| std::cmp::Reverse(file.created_at));
        let item = |file: &File| {
            let name = if file.filename.is_empty() { &file.id } else { &file.filename };
            let pick = PickedFile { field, id: file.id.clone(), name: safe(name) };
            let about = format!("{}  {}", meter::bytes(file.bytes), self.zone.date(unix_ms(file.created_at)));
            let item = Item::new(pick, safe(name), about);
            match file.status.as_deref() {
                Some("error") => item.disabled("rejected by the server"),
                Some("deleted") => item.disabled("deleted"),
                _ => item,
            }
        };
        fit.into_iter().map(item).collect()
    }

    /// Returns why there is nothing to choose from.
    fn notes(&self) -> Vec<Note> {
        match &self.files {
            FileListing::Failed(why) => vec![Note::failure(why.sentence.clone())],
            FileListing::Known(files) if !files.iter().any(trains) => {
                vec![Note::hint("This server has no training files. Upload one in the Files tab (purpose fine-tune).")]
            }
            FileListing::Known(_) => Vec::new(),
            FileListing::Asked | FileListing::Unknown => vec![Note::hint("Loading the files of this server…")],
        }
    }

    /// Models that can be tuned: the interface's own, and those tuned before.
    fn models(&self, session: &Session, tuned: &[String]) -> Vec<Item<String>> {
        let newer = self.dialect == Some(Dialect::FineTuning);
        let listed: Vec<String> = session.models.iter().map(|model| model.line().into_owned()).collect();
        let has = |model: &str| listed.is_empty() || listed.iter().any(|other| other == model);
        let mut names: Vec<String> = Vec::new();
        if !newer {
            names.extend(BASES.iter().filter(|base| has(base)).map(|base| (*base).to_owned()));
        }
        let is_tuned = |model: &String| model.contains(":ft-") || model.starts_with("ft:");
        names.extend(tuned.iter().cloned());
        names.extend(listed.iter().filter(|model| is_tuned(model)).cloned());
        if newer {
            let fit = session.models.iter().filter(|model| chats(model) || completes(model));
            names.extend(fit.map(|model| model.line().into_owned()));
        }
        let mut seen = std::collections::HashSet::new();
        names.retain(|name| !name.is_empty() && seen.insert(name.clone()));
        let item = |name: String| {
            let about = if is_tuned(&name) { "tuned before" } else { "" };
            Item::new(name.clone(), name, about)
        };
        names.into_iter().map(item).collect()
    }
}

/// Returns whether a file is there to be trained with.
fn trains(file: &File) -> bool {
    matches!(file.purpose.as_str(), "fine-tune" | "fine-tune-train")
}
