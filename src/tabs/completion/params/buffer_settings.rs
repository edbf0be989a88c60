//! The settings of runs in the buffer.

use super::{SettingsPane, fields};
use crate::api::call::Failure;
use crate::record::CompletionParams;
use crate::tabs::completion::biases::TokenBias;
use crate::tabs::generation::params::take_defaults;

/// The settings that runs in the buffer are asked for with, and the pane they are changed in.
#[derive(Clone, Debug)]
pub(crate) struct BufferSettings {
    params: CompletionParams,
    /// What the model in use begins with, as it was taken last.
    defaults: CompletionParams,
    pub(crate) pane: SettingsPane,
}

impl BufferSettings {
    /// Returns these settings with a pane over them.
    pub(crate) fn new(params: CompletionParams) -> Self {
        Self { pane: SettingsPane::new(&params), params, defaults: CompletionParams::default() }
    }

    /// Returns the settings.
    pub(crate) fn params(&self) -> &CompletionParams {
        &self.params
    }

    /// Returns the pane and the settings that it changes.
    pub(crate) fn parts_mut(&mut self) -> (&mut SettingsPane, &mut CompletionParams) {
        (&mut self.pane, &mut self.params)
    }

    /// Returns how many tokens may be generated.
    pub(crate) fn max_tokens(&self) -> u64 {
        self.params.common.max_tokens.unwrap_or(fields::MAX_TOKENS)
    }

    /// Takes other settings.
    pub(crate) fn load(&mut self, params: CompletionParams) {
        self.params = params;
        self.pane.show(&self.params);
    }

    /// Returns the defaults that were taken last.
    pub(crate) fn defaults(&self) -> &CompletionParams {
        &self.defaults
    }

    /// Takes settings that were saved, with the defaults of then.
    pub(crate) fn restore(&mut self, params: CompletionParams, defaults: CompletionParams) {
        self.load(params);
        self.defaults = defaults;
    }

    /// Takes the defaults of the model in use, unless the user has set something else.
    pub(crate) fn take_defaults(&mut self, kept: Option<&CompletionParams>) {
        if take_defaults(&mut self.params, &mut self.defaults, fields::defaults(kept)) {
            self.pane.show(&self.params);
        }
    }

    /// Changes the bias of a token. Returns a sentence about it.
    pub(crate) fn change_bias(&mut self, TokenBias { id, name, change }: &TokenBias) -> String {
        let biases = &mut self.params.common.logit_bias;
        change.apply(biases, *id);
        let said = match biases.get(&id.to_string()) {
            Some(bias) => format!("{name} (id {id}) has a bias of {bias:+} starting with the next run"),
            None => format!("{name} (id {id}) has no bias now"),
        };
        self.pane.show_biases(&self.params);
        said
    }

    /// Returns whether a request may be made with the settings, see [`SettingsPane::check`].
    pub(crate) fn check(&mut self) -> Result<(), String> {
        self.pane.check(&self.params)
    }

    /// Shows a server's refusal at the field it names. Returns whether it names one.
    pub(crate) fn refused(&mut self, failure: &Failure) -> bool {
        self.pane.refused(&self.params, failure)
    }
}
