//! The keys of the tab for the footer and the help page.

use super::keys::{Action, FINDING, KEYS, RUNNING, WRITING};
use super::state::{CompletePane, Page, State};
use super::{Complete, biases, compare, params, presets, runs, tokenizer};
use crate::component::{Bindings, Component, FindBar, Hint, help_in_use_first};
use crate::tabs::columns::{ColumnAction, Columns};
use crate::tabs::generation::strip::StripKeys;

impl Complete {
    /// Returns the keys for the footer, most important first, Esc apart.
    pub(super) fn footer(&self) -> Vec<Hint> {
        let state = &self.state;
        if self.enter_skips_countdown() && state.is_retrying() {
            return RUNNING.footer(&[Action::RetryNow], state);
        }
        if state.modals.is_open() {
            return state.modals.hints();
        }
        if state.text.find.bar.is_typing() {
            return FindBar::hints();
        }
        match (&state.page, state.focus) {
            (_, CompletePane::Settings) => state.pane().hints(),
            (_, CompletePane::Presets) => state.presets.hints(),
            (Page::Tokens(page), _) => page.hints(),
            (Page::Runs(page), _) => page.hints(),
            (Page::Branches(..), _) => {
                use ColumnAction as C;
                Columns::footer(&[(C::Left, "choose"), (C::Adopt, "use it"), (C::Scroll(1), "scroll")])
            }
            (Page::Compare, _) => state.compare.hints(&state.active),
            (Page::Buffer, CompletePane::Text) => self.writing_footer(),
            (Page::Buffer, CompletePane::Browse) => self.browse_footer(),
        }
    }

    /// Returns the key that stops a run, or that of these which starts one.
    fn run_or_stop(&self, keys: &Bindings<Action, State>) -> Vec<Hint> {
        let state = &self.state;
        if state.active.is_busy() { RUNNING.footer(&[Action::Stop], state) } else { keys.footer(&[Action::Run], state) }
    }

    fn writing_footer(&self) -> Vec<Hint> {
        let keys = WRITING.footer(&[Action::Browse, Action::NextPane, Action::Redo], &self.state);
        [self.run_or_stop(&WRITING), keys].concat()
    }

    fn browse_footer(&self) -> Vec<Hint> {
        let state = &self.state;
        let mut hints = Vec::new();
        if !state.text.find.words().is_empty() {
            hints.extend(FINDING.footer(&[Action::FindNext], state));
        }
        hints.extend(self.run_or_stop(&KEYS));
        hints.extend(KEYS.footer(&[Action::Write], state));
        if state.scores.has_strip() && !self.view.strip_names_keys() {
            hints.extend(StripKeys::All.footer());
        }
        let several =
            state.text.history.last_generated().is_some_and(|id| state.text.history.branches_of(id).len() > 1);
        let rest = [
            (true, Action::Again),
            (several, Action::Older),
            (true, Action::Undo),
            (true, Action::Redo),
            (true, Action::Settings),
            (!state.log.runs.is_empty(), Action::Runs),
        ];
        let shown: Vec<Action> = rest.into_iter().filter(|(shown, _)| *shown).map(|(_, action)| action).collect();
        hints.extend(KEYS.footer(&shown, state));
        hints
    }

    /// Returns every key by pane, the pane in use first.
    pub(super) fn all_keys(&self) -> Vec<(&'static str, Vec<Hint>)> {
        let state = &self.state;
        let one = |name, keys| (name, vec![(name, keys)]);
        let mut panes = vec![
            ("Text", KEYS.help_groups("Text")),
            one("Token strip", StripKeys::All.help()),
            one("Text being edited", [WRITING.help(), Hint::of_text_box()].concat()),
            one("Settings", params::help()),
            one("Presets", presets::help()),
            one("Side by side", Columns::hints()),
            one("Compare", compare::keys::help()),
            one("Runs", runs::help()),
            one("Tokens", tokenizer::help()),
            one("Biases", biases::help()),
        ];
        let front = match (&state.page, state.focus) {
            (_, CompletePane::Settings) => "Settings",
            (_, CompletePane::Presets) => "Presets",
            (Page::Tokens(_), _) => "Tokens",
            (Page::Runs(_), _) => "Runs",
            (Page::Branches(..), _) => "Side by side",
            (Page::Compare, _) => "Compare",
            (Page::Buffer, CompletePane::Text) => "Text being edited",
            (Page::Buffer, CompletePane::Browse) if state.scores.has_strip() => "Token strip",
            (Page::Buffer, CompletePane::Browse) => "Text",
        };
        // The strip takes its own keys alone, and leaves the others to the text.
        let is_in_use = |name: &str| name == front || (name, front) == ("Text", "Token strip");
        panes.sort_by_key(|(name, _)| *name != front);
        help_in_use_first(panes.into_iter().map(|(name, groups)| (is_in_use(name), groups)))
    }
}
