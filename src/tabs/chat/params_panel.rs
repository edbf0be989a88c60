//! The parameter panel: the fields, and where the keys go when it is closed.

use super::chat_pane::ChatPane;
use super::params;
use crate::record::ChatParams;
use crate::ui::form::Form;

/// The parameter panel.
#[derive(Debug)]
pub(super) struct ParamsPanel {
    pub(super) form: Form,
    /// The pane it was opened from; `None`: it is closed.
    opened_from: Option<ChatPane>,
}

impl ParamsPanel {
    pub(super) fn new(params: &ChatParams) -> Self {
        Self { form: params::form(params), opened_from: None }
    }

    /// Shows the parameters of another conversation.
    pub(super) fn show(&mut self, params: &ChatParams) {
        self.form = params::form(params);
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

    /// Takes a text as the value of a parameter. Returns whether it could be one; if not, the panel says why.
    pub(super) fn set(&mut self, params: &mut ChatParams, name: &'static str, text: &str) -> bool {
        match params::set(params, name, text) {
            Ok(()) => self.form.set(name, params::shown(params, name)),
            Err(why) => {
                self.form.refuse(name, why);
                return false;
            }
        }
        true
    }
}
