//! Dialogs over the page, and what their answers do.

use super::super::category::CategoryKey;
use super::open_file::OpenTextFile;
use super::page::{FileAnswer, FilePage, FilePhase, FileView};
use super::settings::FileSettings;
use crate::component::{ChoiceDialog, ConfirmDialog, Cx};
use crate::record::{Bench, Id};
use crate::tabs::texts::{ChosenFile, FileChooser, ListEvent, ListPicker};
use crate::text::Untrusted;
use crate::ui::meter::count;
use crate::ui::overlay::Confirm;
use crate::ui::picker::{Item, Picker};

impl FilePage {
    /// Asks for a file.
    pub(super) fn choose_file(&mut self) {
        self.modals.open(FileChooser::new(Bench::Moderate, FileAnswer::Read));
    }

    /// Shows the lists that are kept.
    pub(super) fn choose_list(&mut self, cx: &mut Cx) {
        let picker = ListPicker::new(Bench::Moderate, FileAnswer::List, cx).with_progress(|list| {
            let settings = FileSettings::of(list);
            settings.begun.then(|| format!("{} of {}", count(settings.done), count(list.rows)))
        });
        self.modals.open(picker);
    }

    /// Does what a dialog was answered with.
    pub(super) fn answer(&mut self, answer: FileAnswer, cx: &mut Cx) {
        match (answer, &mut self.phase) {
            (FileAnswer::Read(ChosenFile { path, columns, name }), _) => self.read(path, columns, name, cx),
            (FileAnswer::List(ListEvent::Open(id)), phase) => {
                if !is_open(phase, id) {
                    self.load(id, false, cx);
                }
            }
            (FileAnswer::List(ListEvent::Deleted(id)), FilePhase::Open(open)) if open.dataset.list.id == id => {
                open.end_run(&mut self.unsaved_results, cx);
                self.phase = FilePhase::Empty;
                self.sub = FileView::Table;
            }
            (FileAnswer::Category(category), FilePhase::Open(open)) => open.choose(category.as_ref(), &self.shared, cx),
            (FileAnswer::Export(path), _) => self.export(path, cx),
            (FileAnswer::Again, FilePhase::Open(open)) => {
                open.end_run(&mut self.unsaved_results, cx);
                (open.settings.profile, open.settings.model) = self.shared.file_model(cx.session);
                open.check_again(&self.shared, cx);
            }
            // The list is not open any more.
            (FileAnswer::List(ListEvent::Deleted(_)) | FileAnswer::Category(_) | FileAnswer::Again, _) => {}
        }
    }
}

fn is_open(phase: &FilePhase, id: Id) -> bool {
    matches!(phase, FilePhase::Open(open) if open.dataset.list.id == id)
}

/// Returns the choice of a category.
pub(super) fn categories(open: &OpenTextFile) -> ChoiceDialog<Option<CategoryKey>, FileAnswer> {
    let all = Item::new(None, "highest of all categories", "");
    let each = open
        .dataset
        .results
        .categories()
        .iter()
        .map(|category| Item::new(Some(category.key.clone()), category.name.line().into_owned(), ""));
    let mut picker =
        Picker::new("Category", std::iter::once(all).chain(each).collect()).no_match_text("No category matches.");
    let chosen = open.dataset.results.chosen().map(|category| category.key.clone());
    picker.select_where(|key| *key == chosen);
    ChoiceDialog::new(picker, FileAnswer::Category)
}

/// Returns the question before all is checked again.
pub(super) fn again(open: &OpenTextFile) -> ConfirmDialog<FileAnswer> {
    let rows = count(open.dataset.len() as u64);
    let lines = vec![
        Untrusted::from(format!("{rows} texts are sent again, also those with a result.")),
        "Earlier results are kept, with their model and date.".into(),
    ];
    ConfirmDialog::new(Confirm::new("Check all again?", lines, "Check again"), FileAnswer::Again)
}
