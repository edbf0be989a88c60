//! The setups compared last, as they are kept: loaded once, saved when they have changed.

use serde::{Deserialize, Serialize};

use super::{ColumnSetup, Compare, ComparedColumn, FEWEST, MOST};
use crate::api::call::Ticket;
use crate::component::{Cx, Notice};
use crate::record::{Query, Record, Rows, Stored};

/// The setting that holds them.
pub(super) const SETTING: &str = "completion.compare";

/// What is kept of the page.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct SavedComparison {
    columns: Vec<ColumnSetup>,
    focus: usize,
}

impl Compare {
    /// Asks for the setups used last.
    pub(crate) fn load(&mut self, cx: &mut Cx) {
        self.loading = Some(cx.load(Query::Setting(SETTING.into())));
    }

    /// Returns whether the setups used last have not come yet.
    pub(crate) fn is_loading(&self) -> bool {
        self.loading.is_some()
    }

    /// Takes the setups used last, unless there are columns already. Returns whether this answers [`Self::load`].
    pub(crate) fn stored(&mut self, ticket: Ticket, stored: &Stored, cx: &mut Cx) -> bool {
        if self.loading.take_if(|loading| *loading == ticket).is_none() {
            return false;
        }
        match stored {
            Stored::Rows(Rows::Setting(_, Some(json))) => self.fill(json.raw()),
            Stored::Failed(reason) => cx.notify(Notice::error(reason.clone())),
            _ => {}
        }
        true
    }

    pub(super) fn fill(&mut self, json: &str) {
        let SavedComparison { mut columns, focus } = serde_json::from_str(json).unwrap_or_default();
        columns.truncate(MOST);
        if self.columns.is_empty() && columns.len() >= FEWEST {
            self.columns = columns.into_iter().map(ComparedColumn::new).collect();
            self.set_focus(focus.min(self.columns.len() - 1));
        }
    }

    /// Returns the record that saves the setups; `None`: they are saved.
    pub(crate) fn take_record(&mut self) -> Option<Record> {
        if !std::mem::take(&mut self.changed) {
            return None;
        }
        let columns = self.columns.iter().map(|column| column.setup.clone()).collect();
        let saved = SavedComparison { columns, focus: self.focus() };
        let json = serde_json::to_string(&saved).expect("texts and numbers are always JSON");
        Some(Record::Setting(SETTING.into(), json.into()))
    }
}
