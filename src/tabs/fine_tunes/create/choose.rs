//! Lists to choose from: the server's files, models that can be tuned.

use super::fields::TRAINING;
use super::rules::BASES;
use super::{Create, Files};
use crate::api::file::File;
use crate::api::job::Dialect;
use crate::component::Session;
use crate::component::session::{chats, completes};
use crate::tabs::fine_tunes::entry::safe;
use crate::tabs::fine_tunes::words;
use crate::ui::meter;
use crate::ui::picker::{Item, Picker};

/// What can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Pick {
    /// For a field: a file's id and name.
    File(&'static str, String, String),
    Model(String),
}

impl Create {
    /// Opens the list for a field.
    pub(super) fn choose(&mut self, field: &'static str, session: &Session, models: &[String]) {
        self.picker = Some(if field == "model" {
            let mut picker = Picker::new("Base model", self.models(session, models)).or("⏎ uses this name as it is");
            let used = Pick::Model(self.draft.request.model.clone().unwrap_or_default());
            picker.point(|pick| *pick == used);
            picker
        } else {
            let title = if field == TRAINING { "Training file" } else { "Validation file" };
            let mut picker = Picker::new(title, self.items(field)).or("no file of this server matches");
            picker.note(self.notes());
            picker
        });
    }

    /// The list of files has come, or has not: an open one shows it.
    pub(super) fn refill(&mut self) {
        let Some(field) = self.form.selected().filter(|field| *field != "model") else { return };
        let (items, notes) = (self.items(field), self.notes());
        if let Some(picker) = &mut self.picker {
            picker.refill(items);
            picker.note(notes);
        }
    }

    /// Files to train with, newest first.
    fn items(&self, field: &'static str) -> Vec<Item<Pick>> {
        let Files::Known(files) = &self.files else { return Vec::new() };
        let mut fit: Vec<&File> = files.iter().filter(|file| trains(file)).collect();
        fit.sort_by_key(|file| std::cmp::Reverse(file.created_at));
        let item = |file: &File| {
            let name = if file.filename.is_empty() { &file.id } else { &file.filename };
            let pick = Pick::File(field, file.id.clone(), safe(name));
            let about = format!("{}  {}", meter::bytes(file.bytes), words::date(file.created_at));
            let item = Item::new(pick, safe(name), about);
            match file.status.as_deref() {
                Some("error") => item.disabled("the server found it faulty"),
                Some("deleted") => item.disabled("deleted"),
                _ => item,
            }
        };
        fit.into_iter().map(item).collect()
    }

    /// Why there is nothing to choose from.
    fn notes(&self) -> Vec<(crate::text::Untrusted, bool)> {
        match &self.files {
            Files::Failed(why) => vec![(why.sentence.clone(), true)],
            Files::Known(files) if !files.iter().any(trains) => {
                vec![(
                    "This server has no file to train with: the Files tab uploads one (purpose fine-tune).".into(),
                    false,
                )]
            }
            Files::Known(_) => Vec::new(),
            Files::Asked | Files::Unknown => vec![("The server's files are being fetched.".into(), false)],
        }
    }

    /// Models that can be tuned: the interface's own, and those tuned before.
    fn models(&self, session: &Session, tuned: &[String]) -> Vec<Item<Pick>> {
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
            Item::new(Pick::Model(name.clone()), name, about)
        };
        names.into_iter().map(item).collect()
    }
}

/// Whether a file is there to be trained with.
fn trains(file: &File) -> bool {
    matches!(file.purpose.as_str(), "fine-tune" | "fine-tune-train")
}
