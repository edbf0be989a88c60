//! The page's keys, and what is chosen for its columns.

use super::super::active_run::RunPurpose;
use super::super::params::SettingsPane;
use super::super::state::{CompletePane, Page, State};
use super::keys::{Action, KEYS};
use super::{ColumnSetup, ComparedAt, ComparedColumn, FEWEST, LETTERS, MOST};
use crate::component::session::completes;
use crate::component::{Cx, Effect, Hint, Notice, Session};
use crate::record::{CompletionParams, Id, Preset};
use crate::settings::ProfileId;
use crate::tabs::columns::{ColumnAction, Columns};
use crate::text::Untrusted;

impl State {
    /// Returns whether the comparison is shown in place of the text.
    pub(crate) fn is_comparing(&self) -> bool {
        matches!(self.page, Page::Compare)
    }

    /// Returns the settings that the pane shows: those of a column while columns are compared.
    pub(crate) fn pane(&self) -> &SettingsPane {
        if self.is_comparing() { &self.compare.settings } else { &self.settings }
    }

    pub(crate) fn pane_mut(&mut self) -> &mut SettingsPane {
        if self.is_comparing() { &mut self.compare.settings } else { &mut self.settings }
    }

    /// Returns the model those settings go with, and whether it is the local service's.
    pub(crate) fn pane_model(&self, session: &Session) -> (Untrusted, bool) {
        match self.compare.setup().filter(|_| self.is_comparing()) {
            Some(setup) => (setup.model(), setup.is_local()),
            None => (self.model(session), session.local),
        }
    }

    /// Takes in that the settings of the pane are others.
    pub(crate) fn pane_settings_changed(&mut self, cx: &Cx) {
        if self.is_comparing() {
            self.compare.take_settings();
            self.setups_changed(cx);
        } else {
            self.settings_changed(cx.now);
        }
    }

    /// Keeps the setups soon.
    pub(super) fn setups_changed(&mut self, cx: &Cx) {
        self.compare.changed = true;
        self.saves.save_soon(cx.now);
    }

    /// Returns where the buffer stands.
    pub(super) fn compared_at(&self) -> ComparedAt {
        (self.text.sheet.id, self.text.history.current(), self.text.buffer.caret())
    }

    /// Opens the page: with the setups used last, else with two columns that differ in their model or temperature.
    pub(crate) fn open_compare(&mut self, cx: &mut Cx) {
        let session = cx.session;
        if self.compare.columns.is_empty() {
            let first = ColumnSetup {
                profile: session.profile.0.clone(),
                model: self.model(session).line().into_owned(),
                params: self.settings.params().clone(),
            };
            let second = second_setup(&first, session);
            self.compare.columns = [first, second].map(|setup| ComparedColumn { setup, last_run: None }).into();
        }
        let known = |id: &str| id == session.profile.0 || session.profiles.iter().any(|(other, _)| other.0 == id);
        for at in 0..self.compare.columns.len() {
            // The profile may have been deleted meanwhile.
            if !known(&self.compare.columns[at].setup.profile) {
                let model = self.model(session).line().into_owned();
                let setup = &mut self.compare.columns[at].setup;
                (setup.profile, setup.model) = (session.profile.0.clone(), model);
            }
            if self.compare.columns[at].setup.model.is_empty() {
                let model = self.model_of(&self.compare.columns[at].setup.profile(), session);
                self.compare.columns[at].setup.model = model.line().into_owned();
            }
        }
        if self.compare.compared_at != Some(self.compared_at()) && !self.is_comparison_running() {
            // Runs at another position stay in the list of runs.
            self.compare.columns.iter_mut().for_each(|column| column.last_run = None);
        }
        self.compare.load_settings();
        self.page = Page::Compare;
        self.focus = CompletePane::Browse;
    }

    pub(crate) fn act_in_comparison(&mut self, action: Action, wide: bool, cx: &mut Cx) {
        let changes = matches!(action, Action::Add | Action::Remove | Action::Model | Action::Profile);
        if changes && self.refuses_while_busy(", then the columns can be changed", cx) {
            return;
        }
        let focus = self.compare.focus();
        match action {
            Action::Run => self.run_comparison(cx),
            Action::Add if self.compare.columns.len() == MOST => {
                cx.notify(Notice::info(format!("{MOST} columns is the maximum")));
            }
            Action::Add => {
                let setup = self.compare.columns[focus].setup.clone();
                self.compare.columns.insert(focus + 1, ComparedColumn { setup, last_run: None });
                self.compare.set_focus(focus + 1);
                self.setups_changed(cx);
            }
            Action::Remove if self.compare.columns.len() == FEWEST => {
                cx.notify(Notice::info("a comparison needs two columns"));
            }
            Action::Remove => {
                self.compare.columns.remove(focus);
                self.compare.set_focus(focus.min(self.compare.columns.len() - 1));
                self.setups_changed(cx);
            }
            Action::Model => self.choose_column_model(cx),
            Action::Profile => self.use_next_profile(cx),
            Action::Settings => {
                let open = self.focus == CompletePane::Settings && !wide;
                self.focus = if open { CompletePane::Browse } else { CompletePane::Settings };
            }
            Action::Copy => {
                let text = self.column_step(focus).and_then(|id| self.text.history.step(id));
                match text.map(|step| step.inserted.clone()).filter(|text| !text.is_empty()) {
                    Some(text) => cx.copy(text),
                    None => cx.notify(Notice::info("this column has no text yet: ^R runs")),
                }
            }
        }
    }

    /// Chooses the model of the column with the focus: from the list, or by its name where the list is not known.
    pub(crate) fn choose_column_model(&mut self, cx: &mut Cx) {
        match self.compare.setup() {
            Some(setup) if setup.profile != cx.session.profile.0 => {
                let name = setup.model();
                self.open_model_name(&name);
            }
            _ => cx.push(Effect::ChooseModel),
        }
    }

    /// Sets the model of the column with the focus.
    pub(crate) fn set_column_model(&mut self, model: &Untrusted, cx: &Cx) {
        if let Some(setup) = self.compare.setup_mut() {
            model.line().trim().clone_into(&mut setup.model);
        }
        self.setups_changed(cx);
    }

    /// Sets the model of the column with the focus to its profile's.
    pub(crate) fn reset_column_model(&mut self, cx: &Cx) {
        if let Some(profile) = self.compare.setup().map(ColumnSetup::profile) {
            self.set_column_model(&self.model_of(&profile, cx.session), cx);
        }
    }

    /// Sends the column with the focus to the next profile.
    fn use_next_profile(&mut self, cx: &mut Cx) {
        let all = &cx.session.profiles;
        let Some(here) = self.compare.setup().map(ColumnSetup::profile) else { return };
        let at = all.iter().position(|(id, _)| *id == here).map_or(0, |at| (at + 1) % all.len());
        let Some((next, _)) = all.get(at).filter(|(id, _)| *id != here) else {
            return cx.notify(Notice::info("there is no other profile"));
        };
        let model = self.model_of(next, cx.session);
        if let Some(setup) = self.compare.setup_mut() {
            setup.profile.clone_from(&next.0);
            // Where no model of that profile is known, the name may mean one there, too.
            if !model.is_empty() {
                setup.model = model.line().into_owned();
            }
        }
        self.setups_changed(cx);
    }

    /// Gives the column with the focus a preset's settings and model; the text stays as it is.
    pub(crate) fn load_column_preset(&mut self, preset: &Preset, cx: &mut Cx) {
        if self.refuses_while_busy("", cx) {
            return;
        }
        self.compare.settings.load(preset.params.clone());
        self.compare.take_settings();
        if !preset.model.is_empty() {
            self.set_column_model(&preset.model, cx);
        }
        self.setups_changed(cx);
        let said = format!("column {} has the settings of {}", self.compare.letter(), preset.name.line());
        cx.notify(Notice::ok(said).about("compare"));
    }

    /// Returns the step that a column's last run writes; `None`: it has written nothing.
    pub(super) fn column_step(&self, at: usize) -> Option<Id> {
        let ran = self.compare.columns.get(at)?.last_run.as_ref()?;
        let flying = || self.active_column_run(at)?.outputs.first().map(|output| output.step);
        ran.step.or_else(flying).or_else(|| self.text.history.output_of(ran.run))
    }

    /// Continues in the buffer with a column's output. What still comes of it comes there; the others are stopped.
    pub(crate) fn adopt_column(&mut self, at: usize, cx: &mut Cx) {
        let Some(step) = self.column_step(at) else {
            return cx.notify(Notice::info("this column has no text yet: ^R runs"));
        };
        let run = self.compare.columns[at].last_run.as_ref().map(|ran| ran.run);
        let others: Vec<usize> = (0..self.compare.columns.len()).filter(|other| *other != at).collect();
        let running = others.iter().filter(|other| self.active_column_run(**other).is_some()).count();
        for other in others {
            self.stop_column(other, cx);
        }
        for active in &mut self.active.runs {
            active.purpose = RunPurpose::Buffer;
        }
        self.page = Page::Buffer;
        self.log.shown = run;
        let leaf = self.text.history.latest_below(step);
        self.go_to_step(Some(leaf), cx);
        if running > 0 {
            cx.notify(Notice::ok("the other columns were stopped; D shows their text").about("compare"));
        }
    }

    /// Returns the keys for the footer.
    pub(crate) fn comparison_hints(&self) -> Vec<Hint> {
        use ColumnAction as C;
        let (choose, stop_all) = ((C::Left, "column"), (C::Close, "stop all"));
        if self.is_column_retrying() {
            return Columns::footer(&[(C::Adopt, "try now"), (C::Cancel, "give up"), stop_all, choose]);
        }
        if self.is_busy() {
            return Columns::footer(&[(C::Cancel, "stop this one"), stop_all, choose]);
        }
        let shown = [choose, (C::Adopt, "use it"), (C::Parting, "first difference")];
        let written = self.column_step(self.compare.focus()).is_some();
        let rest = KEYS.footer(&[Action::Model, Action::Settings, Action::Profile, Action::Add], self);
        [KEYS.footer(&[Action::Run], self), Columns::footer(if written { &shown } else { &shown[..1] }), rest].concat()
    }
}

/// Returns a setup beside the first: another model that completes, where the server lists one, else another
/// temperature.
fn second_setup(first: &ColumnSetup, session: &Session) -> ColumnSetup {
    let model = session.models.iter().find(|model| completes(model) && *model.line() != first.model);
    if let Some(model) = model {
        return ColumnSetup { model: model.line().into_owned(), ..first.clone() };
    }
    let mut params: CompletionParams = first.params.clone();
    let zero = params.common.temperature.is_some_and(|temperature| temperature < 0.05);
    params.common.temperature = Some(if zero { 1.0 } else { 0.0 });
    ColumnSetup { params, ..first.clone() }
}

/// Returns the name of a profile, where it is not the one in use.
pub(super) fn other_profile(profile: &ProfileId, session: &Session) -> Option<Untrusted> {
    (*profile != session.profile).then(|| session.name_of_profile(profile))
}

/// Returns a column's letter.
pub(super) fn letter(at: usize) -> &'static str {
    LETTERS.get(at).copied().unwrap_or_default()
}
