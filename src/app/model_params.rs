//! Parameter defaults of models: the parameters of the tab in front are kept for a model of the profile in use, shown with
//! it, and forgotten.

use super::{App, Effect};
use crate::component::{Notice, StartupChoice};
use crate::record::CompletionParams;
use crate::settings::model_params::set_fields;
use crate::text::Untrusted;
use crate::ui::rule::cut;
use serde_json::Value;

/// What notices are about that say which parameters are kept.
pub(super) const PARAMS: &str = "parameters";
/// Why nothing can be kept.
pub(super) const NO_PARAMS: &str = "there are no parameters here to keep";
/// Columns of a value at most.
const VALUE: usize = 24;

impl App {
    /// Keeps the parameters of a tab as the defaults of a model of the profile in use.
    pub(super) fn keep_params(&mut self, tab: usize, model: &Untrusted) {
        let kept = self.session.defaults(&self.session.profile, model).cloned().unwrap_or_default();
        let Some(params) = self.tabs.get(tab).and_then(|tab| tab.params(kept)) else {
            return self.say_of_params(Notice::info(NO_PARAMS));
        };
        if model.is_empty() {
            return self.say_of_params(Notice::warn("no model is chosen yet"));
        }
        let said = match words(&params) {
            None => format!("no parameter is set: {} begins with the server's defaults", model.line()),
            Some(words) => format!("{} begins with {words}", model.line()),
        };
        self.set_params(model, params);
        self.say_of_params(Notice::ok(said));
    }

    /// Forgets the defaults of a model of the profile in use.
    pub(super) fn forget_params(&mut self, model: &Untrusted) {
        if self.session.defaults(&self.session.profile, model).is_none() {
            let said = format!("no defaults are kept for {}", model.line());
            return self.say_of_params(Notice::info(said));
        }
        self.set_params(model, CompletionParams::default());
        let said = format!("{} begins with the server's defaults again", model.line());
        self.say_of_params(Notice::ok(said));
    }

    fn set_params(&mut self, model: &Untrusted, params: CompletionParams) {
        let profile = self.session.profile.clone();
        if let Some(used) = self.profiles.iter_mut().find(|one| one.id == profile) {
            let id = model.line().into_owned();
            if params == CompletionParams::default() {
                used.params.remove(&id);
            } else {
                used.params.insert(id, params.clone());
            }
        }
        self.name_profiles();
        self.effects.push(Effect::Remember(StartupChoice::Params(profile, model.clone(), Box::new(params))));
        self.refill_models(None);
    }

    fn say_of_params(&mut self, notice: Notice) {
        self.notices.say(notice.about(PARAMS), self.now, self.unix_ms);
    }
}

/// Lists the parameters that are set, on one line; `None`: there are none.
pub(super) fn words(params: &CompletionParams) -> Option<String> {
    let word = |(name, value): (&String, &Value)| match value {
        Value::String(text) => format!("{name} {}", cut(&Untrusted::from(text.as_str()).line(), VALUE)),
        value => format!("{name} {}", cut(&Untrusted::from(value.to_string()).line(), VALUE)),
    };
    let all: Vec<String> = set_fields(params).iter().map(word).collect();
    (!all.is_empty()).then(|| all.join(" · "))
}
