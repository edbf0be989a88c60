//! The page's keys, and what is chosen for its columns.

use crossterm::event::KeyEvent;

use super::super::active_run::ActiveRuns;
use super::super::models::ChosenModels;
use super::super::prompt_text::TextPosition;
use super::keys::{Action, KEYS};
use super::{ColumnSetup, Compare, ComparedColumn, Event, FEWEST, MOST};
use crate::component::{Cx, Effect, Handled, Hint, Notice, Session};
use crate::record::{CompletionParams, Preset};
use crate::tabs::columns::{ColumnAction, Columns, ColumnsEvent};
use crate::text::Untrusted;

impl Compare {
    /// Opens the page: with the setups used last, else with two columns that differ in their model or temperature.
    pub(crate) fn open(&mut self, params: &CompletionParams, models: &ChosenModels, session: &Session) {
        if self.columns.is_empty() {
            let (profile, model) = (session.profile.0.clone(), models.current(session).line().into_owned());
            let first = ColumnSetup { profile, model, params: params.clone() };
            let second = first.beside(session);
            self.columns = [first, second].map(ComparedColumn::new).into();
        }
        let known = |id: &str| id == session.profile.0 || session.profiles.iter().any(|(other, _)| other.0 == id);
        for setup in self.columns.iter_mut().map(|column| &mut column.setup) {
            // The profile may have been deleted meanwhile.
            if !known(&setup.profile) {
                setup.profile.clone_from(&session.profile.0);
                setup.model.clear();
            }
            if setup.model.is_empty() {
                setup.model = models.of(&setup.profile(), session).line().into_owned();
            }
        }
        self.show_settings();
    }

    /// Empties the columns where they were run at another position; those runs stay in the list of runs.
    pub(crate) fn clear_outputs_elsewhere(&mut self, here: TextPosition) {
        if self.compared_at != Some(here) {
            self.columns.iter_mut().for_each(|column| column.last_run = None);
        }
    }

    /// Handles a key; `active`: the runs that are under way.
    pub(crate) fn key(&mut self, key: KeyEvent, active: &ActiveRuns, cx: &mut Cx) -> Handled<Event> {
        if let Some(action) = KEYS.find(&key) {
            return self.act(action, active, cx);
        }
        let before = self.focus();
        let event = self.view.key(key, self.columns.len());
        if self.focus() != before {
            self.show_settings();
        }
        match event {
            None => Handled::Ignored,
            Some(ColumnsEvent::Moved) => Handled::Consumed,
            Some(ColumnsEvent::Adopt(at)) => Handled::Emit(Event::Adopt(at)),
            Some(ColumnsEvent::Cancel(at)) => {
                self.run_of(at).map_or(Handled::Consumed, |run| Handled::Emit(Event::Stop(run)))
            }
            Some(ColumnsEvent::Close) => Handled::Emit(Event::Escape),
        }
    }

    fn act(&mut self, action: Action, active: &ActiveRuns, cx: &mut Cx) -> Handled<Event> {
        let changes = matches!(action, Action::Add | Action::Remove | Action::Model | Action::Profile);
        if changes && active.refuses_while_busy(", then the columns can be changed", cx) {
            return Handled::Consumed;
        }
        let focus = self.focus();
        match action {
            Action::Run => return Handled::Emit(Event::Run),
            Action::Add if self.columns.len() == MOST => {
                cx.notify(Notice::info(format!("{MOST} columns is the maximum")));
            }
            Action::Add => {
                let setup = self.columns[focus].setup.clone();
                self.columns.insert(focus + 1, ComparedColumn::new(setup));
                self.set_focus(focus + 1);
                self.changed = true;
            }
            Action::Remove if self.columns.len() == FEWEST => {
                cx.notify(Notice::info("a comparison needs two columns"));
            }
            Action::Remove => {
                self.columns.remove(focus);
                self.set_focus(focus.min(self.columns.len() - 1));
                self.changed = true;
            }
            Action::Model => return self.choose_model(cx).map(Event::NameModel),
            Action::Profile => return Handled::Emit(Event::NextProfile),
            Action::Settings => return Handled::Emit(Event::Settings),
            Action::Copy => return Handled::Emit(Event::Copy(self.step(focus))),
        }
        Handled::Consumed
    }

    /// Chooses the model of the column with the focus: from the list, or where that is not known by its name, beginning
    /// with the one that is emitted.
    pub(crate) fn choose_model(&self, cx: &mut Cx) -> Handled<Untrusted> {
        match self.setup() {
            Some(setup) if setup.profile != cx.session.profile.0 => Handled::Emit(setup.model()),
            _ => {
                cx.push(Effect::OpenModelPicker);
                Handled::Consumed
            }
        }
    }

    /// Sets the model of the column with the focus.
    pub(crate) fn set_model(&mut self, model: &Untrusted) {
        if let Some(setup) = self.setup_mut() {
            model.line().trim().clone_into(&mut setup.model);
        }
        self.changed = true;
    }

    /// Sets the model of the column with the focus to its profile's.
    pub(crate) fn reset_model(&mut self, models: &ChosenModels, session: &Session) {
        if let Some(profile) = self.setup().map(ColumnSetup::profile) {
            self.set_model(&models.of(&profile, session));
        }
    }

    /// Sends the column with the focus to the next profile.
    pub(crate) fn use_next_profile(&mut self, models: &ChosenModels, cx: &mut Cx) {
        let all = &cx.session.profiles;
        let Some(here) = self.setup().map(ColumnSetup::profile) else { return };
        let at = all.iter().position(|(id, _)| *id == here).map_or(0, |at| (at + 1) % all.len());
        let Some((next, _)) = all.get(at).filter(|(id, _)| *id != here) else {
            return cx.notify(Notice::info("there is no other profile"));
        };
        let model = models.of(next, cx.session);
        if let Some(setup) = self.setup_mut() {
            setup.profile.clone_from(&next.0);
            // Where no model of that profile is known, the name may mean one there, too.
            if !model.is_empty() {
                setup.model = model.line().into_owned();
            }
        }
        self.changed = true;
    }

    /// Gives the column with the focus a preset's settings and model; the text stays as it is.
    pub(crate) fn load_preset(&mut self, preset: &Preset, cx: &mut Cx) {
        if let Some((pane, params)) = self.pane_and_params() {
            params.clone_from(&preset.params);
            pane.show(params);
        }
        self.changed = true;
        if !preset.model.is_empty() {
            self.set_model(&preset.model);
        }
        let said = format!("column {} has the settings of {}", self.letter(), preset.name.line());
        cx.notify(Notice::ok(said).about("compare"));
    }

    /// Returns the keys for the footer; `active`: the runs that are under way.
    pub(crate) fn hints(&self, active: &ActiveRuns) -> Vec<Hint> {
        use ColumnAction as C;
        let (choose, stop_all) = ((C::Left, "column"), (C::Close, "stop all"));
        if self.active_run(self.focus(), active).is_some_and(|active| active.run.is_retrying()) {
            return Columns::footer(&[(C::Adopt, "try now"), (C::Cancel, "give up"), stop_all, choose]);
        }
        if active.is_busy() {
            return Columns::footer(&[(C::Cancel, "stop this one"), stop_all, choose]);
        }
        let shown = [choose, (C::Adopt, "use it"), (C::Parting, "first difference")];
        let written = self.step(self.focus()).is_some();
        let rest = KEYS.footer(&[Action::Model, Action::Settings, Action::Profile, Action::Add], &());
        [KEYS.footer(&[Action::Run], &()), Columns::footer(if written { &shown } else { &shown[..1] }), rest].concat()
    }
}
