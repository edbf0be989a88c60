//! The keys of the tab for the footer and the help page.

use super::Chat;
use super::keys::{self, Action, COMPOSER, TRANSCRIPT};
use super::params_keys::{self, PARAMS};
use super::state::ChatPane;
use crate::component::{Component, FindBar, Hint};
use crate::tabs::generation::strip::StripKeys;

impl Chat {
    /// Returns the keys for the footer, most important first, Esc apart.
    pub(super) fn footer(&self) -> Vec<Hint> {
        let state = &self.state;
        if state.modals.is_open() {
            return state.modals.hints();
        }
        if let Some(page) = &state.marks_page {
            return page.hints();
        }
        if state.is_finding() {
            return FindBar::hints();
        }
        let busy = state.conversation().is_busy();
        match state.focus {
            ChatPane::Composer if state.is_retrying() => keys::composer_footer(&[Action::Submit, Action::Stop], state),
            _ if state.is_retrying() => TRANSCRIPT.footer(&[Action::Enter, Action::Stop], state),
            // The frame of the message box names the other keys.
            ChatPane::Composer if self.view.box_names_keys() => keys::composer_footer(&[Action::NextPane], state),
            ChatPane::Composer => {
                let first = if busy { Action::Stop } else { Action::Submit };
                keys::composer_footer(&[first, Action::Newline, Action::NextPane], state)
            }
            ChatPane::Transcript if self.view.is_comparing() => vec![
                TRANSCRIPT.joined(&[Action::Older, Action::Newer], "choose"),
                TRANSCRIPT.joined(&[Action::NextMessage, Action::PreviousMessage], "scroll"),
                TRANSCRIPT.joined(&[Action::SideBySide], "close"),
            ],
            ChatPane::Transcript => self.transcript_footer(busy),
            ChatPane::List => state.list.hints(),
            ChatPane::Params => params_keys::footer(&state.params.form),
            ChatPane::Probabilities => {
                [StripKeys::Reading.footer(), TRANSCRIPT.footer(&[Action::Params], state)].concat()
            }
        }
    }

    fn transcript_footer(&self, busy: bool) -> Vec<Hint> {
        let state = &self.state;
        let keys = |actions: &[Action]| TRANSCRIPT.footer(actions, state);
        if state.conversation().is_blank() {
            return keys(&[Action::Write, Action::Model, Action::System, Action::Params, Action::SideList]);
        }
        let mut hints = Vec::new();
        if !state.find.text().is_empty() {
            hints.push(TRANSCRIPT.joined(&[Action::New, Action::FindBack], "next, previous match"));
        }
        if busy {
            hints.extend(keys(&[Action::Stop]));
        }
        hints.extend(keys(&[Action::Result, Action::Write, Action::Regenerate]));
        if !busy {
            hints.extend(keys(&[Action::Edit]));
        }
        let version = self.target().map(|turn| self.versions_of(turn));
        if version.is_some_and(|turn| state.conversation().tree.version(turn).1 > 1) {
            hints.push(TRANSCRIPT.joined(&[Action::Older, Action::Newer], "version"));
        }
        hints.extend(keys(&[Action::CopyBlock]));
        hints.push(TRANSCRIPT.joined(&[Action::NextMessage, Action::PreviousMessage], "message"));
        hints.extend(keys(&[Action::Params, Action::SideList]));
        if !busy {
            hints.extend(keys(&[Action::Change, Action::DeleteTurn]));
        }
        hints
    }

    /// Returns every key by pane, the pane in use first.
    pub(super) fn all_keys(&self) -> Vec<(&'static str, Vec<Hint>)> {
        let one = |title, hints| vec![(title, hints)];
        let mut panes = vec![
            (ChatPane::Composer, one("Message", [COMPOSER.help(), Hint::of_text_box()].concat())),
            (ChatPane::Transcript, TRANSCRIPT.help_groups("Transcript")),
            (ChatPane::List, self.state.list.help()),
            (ChatPane::Params, one("Parameters", PARAMS.help())),
            (ChatPane::Probabilities, one("Probabilities", StripKeys::Reading.help())),
        ];
        panes.sort_by_key(|(pane, _)| *pane != self.state.focus);
        panes.into_iter().flat_map(|(_, groups)| groups).collect()
    }
}
