//! Exports of a file's results: those of every model that has checked its texts.

use super::super::category;
use super::super::dialogs::{EXPORTED, export_form};
use super::super::model_ref::ModelRef;
use super::super::shared_settings::SharedSettings;
use super::open_file::OpenTextFile;
use super::page::{ExportState, FileAnswer, FilePage, FilePhase};
use crate::api::call::Ticket;
use crate::component::{Cx, Notice, PathPrompt};
use crate::record::work::{Done, Export, Work};
use crate::record::{Check, Query, Rows, Stored, TextSource};
use crate::ui::meter::count;

/// Returns where an export goes, as it is offered.
pub(super) fn path(open: &OpenTextFile) -> String {
    let name = open.dataset.list.name.line();
    let stem = name.rsplit_once('.').map_or(&*name, |(stem, _)| stem);
    let plain: String = stem.chars().map(|char| if char == '/' { '-' } else { char }).collect();
    format!("~/{plain}-checked.csv")
}

impl FilePage {
    /// Asks where the results go.
    pub(super) fn ask_export(&mut self, path: &str) {
        let prompt = PathPrompt::save("Export results", "export", path, |path, _| FileAnswer::Export(path));
        self.modals.open(prompt.with_lines(vec![EXPORTED.into()]));
    }

    /// Writes the results to the file at this path.
    pub(super) fn export(&mut self, path: String, cx: &mut Cx) {
        let FilePhase::Open(open) = &self.phase else { return };
        if self.exporting.is_some() {
            cx.notify(Notice::info("an export is still being written; try again when it is done").about("export"));
            return self.ask_export(&path);
        }
        let list = open.dataset.list.id;
        self.exporting = Some(ExportState::Querying { ticket: cx.load(Query::ListChecks(list)), list, path });
    }

    /// Takes the results of all models from the store. Returns whether the question was the export's.
    pub(super) fn export_stored(&mut self, ticket: Ticket, stored: &mut Stored, cx: &mut Cx) -> bool {
        let asked = |exporting: &mut ExportState| matches!(exporting, ExportState::Querying { ticket: own, .. } if *own == ticket);
        let Some(ExportState::Querying { list, path, .. }) = self.exporting.take_if(asked) else { return false };
        match (&self.phase, stored) {
            (FilePhase::Open(open), Stored::Rows(Rows::Checks(checks))) if open.dataset.list.id == list => {
                let work = work(open, std::mem::take(checks), path, &self.shared);
                let (ticket, bare) = (cx.work(work), open.settings.read.is_none());
                self.exporting = Some(ExportState::Written { ticket, bare });
                cx.notify(Notice::info(format!("writing {} texts", count(open.dataset.len() as u64))));
            }
            (_, Stored::Failed(why)) => {
                let words = format!("not exported, since results could not be read: {}", why.line());
                cx.notify(Notice::error(words).about("export"));
            }
            _ => cx.notify(Notice::warn("not exported, since another file was opened").about("export")),
        }
        true
    }

    /// Takes the work threads' answer. Returns whether it was about the export.
    pub(super) fn export_worked(&mut self, ticket: Ticket, done: &Done, cx: &mut Cx) -> bool {
        let Some(ExportState::Written { ticket: own, bare }) = self.exporting else { return false };
        if own != ticket {
            return false;
        }
        let notice = match done {
            Done::Moved { .. } => return true,
            Done::Saved(path) if bare => {
                let words = "without the file's other columns; f reopens the file to include them";
                Some(Notice::warn(format!("exported to {} {words}", path.line())))
            }
            Done::Saved(path) => Some(Notice::ok(format!("exported to {}", path.line()))),
            Done::SavedWithout(path, what) => {
                Some(Notice::warn(format!("exported to {} {}", path.line(), what.line())))
            }
            Done::Failed(why) => Some(Notice::error(why.clone())),
            _ => None,
        };
        if let Some(notice) = notice {
            cx.notify(notice.about("export"));
        }
        self.exporting = None;
        true
    }
}

/// Returns the work of an export: JSON where the path says so. `checks` are what the store has of all models; the
/// list's own model comes first, with what the store may not have yet.
fn work(open: &OpenTextFile, checks: Vec<Check>, path: String, shared: &SharedSettings) -> Work {
    let (dataset, settings) = (&open.dataset, &open.settings);
    let mut others: Vec<(ModelRef, Vec<Option<Check>>)> = Vec::new();
    for check in checks {
        let Some(text) = dataset.find(&check.text).map(|text| text as usize) else { continue };
        if check.profile == settings.profile && check.asked == *settings.model {
            continue;
        }
        let known = others.iter().position(|(model, _)| model.is_model_of(&check));
        let at = known.unwrap_or_else(|| {
            others.push((ModelRef::of(&check), vec![None; dataset.texts().len()]));
            others.len() - 1
        });
        others[at].1[text] = Some(check);
    }
    others.sort_by(|(a, _), (b, _)| a.profile.cmp(&b.profile).then_with(|| a.model.line().cmp(&b.model.line())));
    let all = || dataset.results.checks().iter().chain(others.iter().flat_map(|(_, checks)| checks)).flatten();
    let profile = shared.thresholds.profile();
    let thresholds = category::union(all()).into_iter();
    let thresholds = thresholds.map(|category| (category.name, profile.of(&category.key))).collect();
    let each = |row| {
        let text = dataset.text_of(row);
        let others = others.iter().map(move |(_, checks)| checks[text as usize].clone());
        std::iter::once(dataset.results.check(text).cloned()).chain(others)
    };
    let checks: Vec<Option<Check>> = (0..dataset.len()).flat_map(each).collect();
    let source = settings.read.map(|(columns, stamp)| TextSource { path: dataset.list.source.clone(), columns, stamp });
    let form = export_form(&path);
    Work::Export {
        path,
        form,
        what: Export::Checks { rows: dataset.rows.clone(), checks: checks.into(), thresholds, source },
    }
}
