//! The page in place of a tab whose endpoint the server is known not to have. It says how that is known, and how to
//! open the tab all the same.

use std::collections::HashSet;
use std::sync::LazyLock;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use super::App;
use crate::api::capability::Finding;
use crate::component::facts::FactKey;
use crate::component::{Bindings, Hint, RenderContext, bind};
use crate::settings::ProfileId;
use crate::ui::empty_state::EmptyState;
use crate::ui::key_table::ListedKeys;
use crate::ui::pane::{Pane, Surface};

/// Tabs that a profile's server cannot serve.
#[derive(Debug, Default)]
pub(super) struct MissingEndpoints {
    /// The message in place of the tab in front; `None`: the tab is shown.
    shown: Option<MissingEndpoint>,
    /// Tabs that were opened all the same.
    passed: HashSet<(ProfileId, usize)>,
}

/// An endpoint that a tab needs and the server does not have.
#[derive(Debug)]
struct MissingEndpoint {
    purpose: String,
    /// The facts to forget.
    facts: Vec<FactKey>,
}

/// What a key does on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    TryAnyway,
    Forget,
}

static KEYS: LazyLock<Bindings<Action, ()>> = LazyLock::new(|| {
    Bindings::new(
        "missing-endpoint",
        vec![
            bind("enter", Action::TryAnyway, "try anyway", "open the tab and try anyway"),
            bind("f", Action::Forget, "forget", "forget this, then open the tab"),
        ],
    )
});

impl App {
    /// Returns whether the tab in front is replaced, because its server lacks an endpoint.
    pub(super) fn lacks_endpoint(&self) -> bool {
        self.missing.shown.is_some()
    }

    /// Checks whether a tab that comes to the front can be served. Returns whether it is shown.
    pub(super) fn check_endpoint(&mut self, index: usize) -> bool {
        self.missing.shown = self.missing_endpoint(index);
        self.missing.shown.is_none()
    }

    /// Shows a tab whatever is known about the server, until the program ends.
    pub(super) fn pass_endpoint(&mut self, index: usize) {
        self.missing.passed.insert((self.session.profile.clone(), index));
        if index == self.front {
            self.missing.shown = None;
        }
    }

    fn missing_endpoint(&self, index: usize) -> Option<MissingEndpoint> {
        let profile = &self.session.profile;
        let paths = self.tabs.get(index)?.endpoints();
        if paths.is_empty() || self.missing.passed.contains(&(profile.clone(), index)) {
            return None;
        }
        let known = paths.iter().map(|path| self.session.facts.endpoint(&profile.0, path));
        let known: Vec<_> = known.collect::<Option<_>>()?;
        if known.iter().any(|(_, known)| known.finding != Finding::Missing) {
            return None;
        }
        let latest = known.iter().map(|(_, known)| known).max_by_key(|known| known.at_ms)?;
        let when = self.session.zone.when(latest.at_ms, self.unix_ms);
        let purpose = format!(
            "The server of {} has no {}, which this tab needs. Known {}, {when}.",
            self.session.profile_name.line(),
            paths.join(" and no "),
            latest.source.words()
        );
        Some(MissingEndpoint { purpose, facts: known.into_iter().map(|(key, _)| key).collect() })
    }

    /// Handles a key while the tab in front is replaced.
    pub(super) fn missing_endpoint_key(&mut self, key: KeyEvent) {
        match KEYS.find(&key) {
            Some(Action::TryAnyway) => self.open_anyway(),
            Some(Action::Forget) => {
                for key in self.missing.shown.take().map(|missing| missing.facts).unwrap_or_default() {
                    self.forget_fact(key);
                }
                self.open_anyway();
            }
            None => {}
        }
    }

    /// Opens the tab in front.
    pub(super) fn open_anyway(&mut self) {
        self.pass_endpoint(self.front);
        self.enter_tab(self.front);
    }

    /// Returns the keys for the footer.
    pub(super) fn missing_endpoint_hints() -> Vec<Hint> {
        KEYS.footer(&[Action::TryAnyway, Action::Forget], &())
    }

    /// Returns the keys for the help page.
    pub(super) fn missing_endpoint_help() -> Vec<(&'static str, Vec<Hint>)> {
        vec![("This page", KEYS.help())]
    }

    /// Draws the page in place of the tab in front. Returns `false` if the tab is to be drawn.
    pub(super) fn render_missing_endpoint(&self, frame: &mut Frame, area: Rect, context: RenderContext) -> bool {
        let Some(missing) = &self.missing.shown else { return false };
        let (theme, spacing) = (context.theme, context.session.spacing());
        let pane = Pane {
            title: self.tabs[self.front].title(),
            note: "",
            right: "not available",
            right_style: theme.muted,
            focus: true,
            surface: Surface::Ground,
        };
        pane.render(area, frame.buffer_mut(), theme, spacing);
        let content = spacing.pane(area).content;
        let keys = KEYS.help();
        let keys: Vec<_> = keys.iter().map(Hint::as_pair).collect();
        let state = EmptyState { purpose: &missing.purpose, samples: &[], chosen: None, keys: &keys };
        let at = state.render(content, frame.buffer_mut(), theme);
        frame.set_cursor_position((at.x, at.y));
        true
    }
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things() {
        assert_eq!(KEYS.keymap().clashes(), []);
    }
}
