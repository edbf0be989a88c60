//! Keeps the parameters of the tab in front as the defaults of a model of the profile in use, and forgets them.

use serde_json::Value;

use super::{App, Effect};
use crate::component::{Notice, StartupChoice};
use crate::record::CompletionParams;
use crate::settings::model_params::{params_to_fields, set_defaults};
use crate::text::Untrusted;
use crate::ui::rule::cut;

/// Subject of notices about kept parameters.
pub(super) const PARAMS: &str = "parameters";
/// Why nothing can be kept.
pub(super) const NO_PARAMS: &str = "this tab has no parameters to keep";
/// Columns of a value at most.
const VALUE_WIDTH: usize = 24;

impl App {
    /// Keeps the parameters of a tab as the defaults of a model of the profile in use.
    pub(super) fn keep_params(&mut self, tab: usize, model: &Untrusted) {
        let kept = self.session.defaults(&self.session.profile, model).cloned().unwrap_or_default();
        let Some(params) = self.tabs.get(tab).and_then(|tab| tab.params(kept)) else {
            return self.say_about_params(Notice::info(NO_PARAMS));
        };
        if model.is_empty() {
            return self.say_about_params(Notice::warn("no model is chosen yet"));
        }
        let said = match params_words(&params) {
            None => format!("no parameter is set: requests to {} use the server's defaults", model.line()),
            Some(words) => format!("defaults of {}: {words}", model.line()),
        };
        self.set_params(model, params);
        self.say_about_params(Notice::ok(said));
    }

    /// Forgets the defaults of a model of the profile in use.
    pub(super) fn forget_params(&mut self, model: &Untrusted) {
        if self.session.defaults(&self.session.profile, model).is_none() {
            let said = format!("no defaults are kept for {}", model.line());
            return self.say_about_params(Notice::info(said));
        }
        self.set_params(model, CompletionParams::default());
        let said = format!("requests to {} use the server's defaults again", model.line());
        self.say_about_params(Notice::ok(said));
    }

    /// Returns whether the tab in front has parameters that can be kept.
    pub(super) fn has_params(&self) -> bool {
        self.tabs[self.front].params(CompletionParams::default()).is_some()
    }

    fn set_params(&mut self, model: &Untrusted, params: CompletionParams) {
        let profile = self.session.profile.clone();
        if let Some(used) = self.profiles.iter_mut().find(|one| one.id == profile) {
            set_defaults(&mut used.params, &model.line(), params.clone());
        }
        self.update_session_profiles();
        self.effects.push(Effect::Remember(StartupChoice::Params(profile, model.clone(), Box::new(params))));
        self.refresh_models(None);
    }

    fn say_about_params(&mut self, notice: Notice) {
        self.say(notice.about(PARAMS));
    }
}

/// Returns the parameters that are set, on one line; `None`: there are none.
pub(super) fn params_words(params: &CompletionParams) -> Option<String> {
    let word = |(name, value): (&String, &Value)| {
        let text: Untrusted = value.as_str().map_or_else(|| value.to_string().into(), Into::into);
        format!("{name} {}", cut(&text.line(), VALUE_WIDTH))
    };
    let all: Vec<String> = params_to_fields(params).iter().map(word).collect();
    (!all.is_empty()).then(|| all.join(" · "))
}
