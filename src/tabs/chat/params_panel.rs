//! The parameter panel: the fields, and where the keys go when it is closed.

use super::chat_pane::ChatPane;
use super::params;
use crate::api::call::Failure;
use crate::component::{Cx, Notice, Session};
use crate::record::ChatParams;
use crate::tabs::generation::{json_fields, refusal};
use crate::ui::form::{Form, Kind};

/// The parameter panel.
#[derive(Debug)]
pub(super) struct ParamsPanel {
    pub(super) form: Form,
    /// The pane it was opened from; `None`: it is closed.
    opened_from: Option<ChatPane>,
}

impl ParamsPanel {
    pub(super) fn new(params: &ChatParams) -> Self {
        let mut panel = Self { form: params::form(params), opened_from: None };
        panel.check(params);
        panel
    }

    /// Shows the parameters of another conversation.
    pub(super) fn show(&mut self, params: &ChatParams) {
        self.form = params::form(params);
        self.check(params);
    }

    /// Summarizes the fields that are JSON, and says at each what is wrong with it.
    fn check(&mut self, params: &ChatParams) {
        self.form.set_summaries(json_fields::summaries(params));
        self.form.set_notes(json_fields::problems(params));
    }

    /// Says of the fields that the server refuses that they are left out.
    pub(super) fn mark_left_out(&mut self, session: &Session) {
        if self.is_open() {
            let target = ("/chat/completions", &*session.model.line());
            let names: Vec<_> = self.form.fields.iter().map(|field| field.name).collect();
            self.form.set_left_out(session.facts.left_out(&session.profile.0, target, names));
        }
    }

    /// Returns the field under the cursor, where that is written in an editor, with its text.
    pub(super) fn editable(&self) -> Option<(&'static str, String)> {
        let field = self.form.fields.iter().find(|field| Some(field.name) == self.form.selected())?;
        (field.kind == Kind::Long && !self.form.typing()).then(|| (field.name, field.value.clone()))
    }

    /// Shows a server's refusal at the parameter it names.
    pub(super) fn refuse(&mut self, failure: &Failure) {
        let form = &mut self.form;
        let settings: Vec<_> = form.fields.iter().map(|field| (field.name, form.summary(field).to_owned())).collect();
        if let Some((name, why)) = refusal::refused_field(failure, settings.into_iter())
            && form.fields.iter().any(|field| field.name == name)
        {
            form.refuse(name, why);
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.opened_from.is_some()
    }

    /// Opens it, or goes to it; `focus`: the pane with the keys.
    pub(super) fn open(&mut self, focus: &mut ChatPane) {
        if !self.is_open() && !self.form.is_refused() {
            self.form.select("temperature");
        }
        if *focus != ChatPane::Params {
            self.opened_from = Some(*focus);
        }
        *focus = ChatPane::Params;
    }

    /// Closes it; the keys go back to where they were.
    pub(super) fn close(&mut self, focus: &mut ChatPane) {
        if let Some(from) = self.opened_from.take() {
            *focus = from;
        }
    }

    /// Takes a text as the value of a parameter. Returns whether it was taken; if not, the panel says why.
    pub(super) fn set(&mut self, params: &mut ChatParams, name: &'static str, text: &str, cx: &mut Cx) -> bool {
        if let Err(why) = params::set(params, name, text) {
            self.form.refuse_value(name, &why);
            return false;
        }
        if let Some(other) = params::clear_other_limit(params, name) {
            self.form.show(other, String::new());
            let [other, this] = [other, name].map(|name| self.form.label(name));
            cx.notify(Notice::info(format!("{other} is cleared: a request has one limit, now {this}")));
        }
        self.form.set(name, params::shown(params, name));
        self.check(params);
        true
    }
}
