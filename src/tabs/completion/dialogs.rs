//! Dialogs over the panes and what their answers do.

use super::biases::{BiasChange, BiasDialog};
use super::state::{Answer, Request, State};
use crate::component::{Cx, FailureDetails, LinePrompt, Notice};
use crate::record::work::{Tokens, Work};
use crate::text::Untrusted;
use crate::ui::text_field::TextField;

impl State {
    /// Opens the bias list.
    pub(super) fn open_biases(&mut self, cx: &mut Cx) {
        let (model, local) = self.pane_model(cx.session);
        let map = self.pane().params().common.logit_bias.clone();
        self.modals.open(BiasDialog::new(map, model, local, cx));
    }

    /// Asks for the name of the model of the column with the focus.
    pub(super) fn open_model_name(&mut self, name: &Untrusted) {
        let title = format!("Model of column {}", self.compare.letter());
        let answer = |name: &str, _| Answer::Model(name.into());
        self.modals.open(LinePrompt::new(title, "use it", TextField::edit(name), answer).escaping("back"));
    }

    /// Shows why the run under the cursor failed.
    pub(super) fn open_details(&mut self) {
        if let Some(why) = self.failed_run().and_then(|run| self.log.failures.get(&run)) {
            self.modals.open(FailureDetails::new(why.clone()));
        }
    }

    /// Does what a dialog was answered with.
    pub(super) fn answer(&mut self, answer: Answer, cx: &mut Cx) {
        match answer {
            Answer::Biases(map) => {
                self.pane_mut().set_biases(map);
                self.pane_settings_changed(cx);
            }
            Answer::Model(name) => self.set_column_model(&name, cx),
        }
    }

    /// Puts a bias on a token, whose id has to be found first.
    pub(super) fn change_bias(&mut self, text: Untrusted, change: BiasChange, cx: &mut Cx) {
        let model = self.model(cx.session);
        let ticket = cx.work(Work::Tokenize { model, local: cx.session.local, text: text.clone() });
        self.pending.insert(ticket, Request::Bias(text, change));
    }

    /// Takes the id of a token that is to get a bias.
    pub(super) fn bias_found(&mut self, text: &Untrusted, change: BiasChange, found: Option<Tokens>, cx: &mut Cx) {
        let named = format!("“{}”", text.line());
        let id = match found.as_ref().map(|found| (found.vocabulary, found.ids.as_slice())) {
            Some((_, [id])) => *id,
            Some((vocabulary, ids)) => {
                let said = format!("{named} is {} tokens of {vocabulary}, not one: B sets biases by id", ids.len());
                return cx.notify(Notice::warn(said));
            }
            None => {
                let said = "this model's vocabulary is unknown: B takes a bias by token id";
                return cx.notify(Notice::warn(said));
            }
        };
        self.change_bias_of(id, &named, change, cx);
    }

    /// Puts a bias on a token.
    pub(super) fn change_bias_of(&mut self, id: u32, named: &str, change: BiasChange, cx: &mut Cx) {
        let mut map = self.settings.params().common.logit_bias.clone();
        change.apply(&mut map, id);
        let said = match map.get(&id.to_string()) {
            Some(bias) => format!("{named} (id {id}) has a bias of {bias:+} starting with the next run"),
            None => format!("{named} (id {id}) has no bias now"),
        };
        self.settings.set_biases(map);
        self.settings_changed(cx.now);
        cx.notify(Notice::ok(said).about("bias"));
    }
}
