//! Takes models that another tab wants to compare: a column each, with the same prompt.

use super::super::state::{OfferedWork, Request, State};
use super::{ColumnSetup, ComparedColumn, MOST};
use crate::component::{ComparisonOffer, Cx, Notice};

/// Ends that a request may name.
const STOPS: usize = 4;

impl State {
    /// Opens the columns with these models, at temperature 0 and with their own end of an answer; all else stays as it
    /// is set. Nothing is sent before somebody runs them.
    pub(crate) fn accept_comparison(&mut self, trial: ComparisonOffer, cx: &mut Cx) {
        if self.is_busy() {
            return cx.notify(Notice::warn("a run is under way in Complete; stop it, then try the models again"));
        }
        // The columns begin with the settings used last, so these must be loaded.
        let coming = |asked: &Request| matches!(asked, Request::Settings | Request::Compare);
        if !self.startup.loaded || self.pending.any(coming) {
            self.startup.offered = Some(OfferedWork::Comparison(Box::new(trial)));
            return;
        }
        // The text that was here stays in the list of texts.
        if !trial.prompt.is_empty() {
            self.set_aside(cx);
            let change = self.insert_text(&trial.prompt);
            self.changed(&change, cx);
            self.text.history.end_burst();
        }
        let mut params = self.settings.params().clone();
        params.common.temperature = Some(0.0);
        if !trial.stop.is_empty() {
            params.common.stop = trial.stop.into_iter().take(STOPS).collect();
        }
        let setup = |model: &crate::text::Untrusted| ColumnSetup {
            profile: trial.profile.0.clone(),
            model: model.line().into_owned(),
            params: params.clone(),
        };
        let mut columns: Vec<ComparedColumn> = trial
            .models
            .iter()
            .take(MOST)
            .map(|model| ComparedColumn { setup: setup(model), last_run: None })
            .collect();
        if let [only] = columns.as_slice() {
            // Its base is not known: the model in use takes its place.
            let model = self.model_of(&trial.profile, cx.session).line().into_owned();
            let beside = ColumnSetup { model, ..only.setup.clone() };
            columns.push(ComparedColumn { setup: beside, last_run: None });
        }
        self.compare.columns = columns;
        self.compare.set_focus(0);
        self.setups_changed(cx);
        self.open_compare(cx);
    }
}
