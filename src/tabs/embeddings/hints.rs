//! The keys that work now, for the footer, and all keys for the help page.

use super::editing::RowEditor;
use super::keys::{
    Action, BLANK, FOOTER, FOOTER_NARROW, FOOTER_WIDE, INPUTS, LIST_GROUP, MATRIX, MATRIX_GROUP, RUNNING,
    TYPING_FOOTER, typing,
};
use super::pane_data::Page;
use super::state::State;
use crate::component::{Component, FindBar, Hint, help_in_use_first};

/// Returns the footer's hints.
pub(super) fn hints(state: &State) -> Vec<Hint> {
    if state.modals.is_open() {
        return state.modals.hints();
    }
    if state.find.bar.is_typing() {
        return FindBar::hints();
    }
    if let Some(row_editor) = &state.editing {
        return row_editor.bindings().footer(&TYPING_FOOTER, state);
    }
    if let Some(pane) = state.list.panes.get(state.view.page).filter(|_| state.view.page != Page::Pair) {
        return pane.hints();
    }
    if state.is_blank() {
        let rest = INPUTS.footer(&[Action::Add, Action::File, Action::Lists], state);
        return [BLANK.footer(&[Action::Sample], state), rest].concat();
    }
    let run = match (&state.run.job, state.is_busy()) {
        (Some(_), true) => RUNNING.footer(&[Action::Stop, Action::Pause], state),
        (Some(_), false) => RUNNING.footer(&[Action::Run, Action::Stop], state),
        _ => INPUTS.footer(&[Action::Run], state),
    };
    let find = INPUTS.footer(&[Action::Next], state);
    let more = match state.view.page {
        Page::Pair => state.list.panes.pair.hints(),
        Page::Inputs => INPUTS.footer(&FOOTER, state),
        _ if state.view.layout.wide => MATRIX.footer(&FOOTER_WIDE, state),
        _ => MATRIX.footer(&FOOTER_NARROW, state),
    };
    [find, run, more].concat()
}

/// Returns the signs at the right of a text, with what they mean.
fn signs() -> Vec<Hint> {
    let signs = [
        ("=", "its vector was cached: nothing was sent for it"),
        ("·", "waits for its vector"),
        ("—", "has no vector: the request failed"),
        ("!", "is too long for the model"),
    ];
    signs.map(|(sign, means)| Hint::new(sign, means)).into()
}

/// Returns all keys by pane, those of the pane in front first.
pub(super) fn help(state: &State) -> Vec<(&'static str, Vec<Hint>)> {
    let pages = [Page::Pair, Page::Map, Page::Pairs, Page::Query, Page::Compare, Page::Hygiene];
    let panes = pages.into_iter().filter_map(|page| state.list.panes.get(page)).flat_map(Component::help);
    // Of the list's table only its own keys: the others are those of the matrix's.
    let list = INPUTS.help_groups(LIST_GROUP).into_iter().take(1);
    let list = list.chain([("Signs beside texts", signs())]);
    let (matrix, shared): (Vec<_>, Vec<_>) =
        MATRIX.help_groups(MATRIX_GROUP).into_iter().partition(|(name, _)| *name == MATRIX_GROUP);
    let front = match state.view.page {
        Page::Inputs => LIST_GROUP,
        Page::Matrix => MATRIX_GROUP,
        Page::Pair => "Pair",
        Page::Map => "Map",
        Page::Pairs => "Pairs",
        Page::Query => "Rank by similarity",
        Page::Compare => "Compare",
        Page::Hygiene => "Vector checks",
    };
    let row_editor = state.editing.as_ref();
    let table = row_editor.map_or_else(|| typing(false), RowEditor::bindings);
    let text = ("A text being typed", [table.help(), Hint::of_text_box()].concat());
    let is_in_use = |name: &str| row_editor.is_none() && name == front;
    let panes = list.chain(matrix).chain(panes).map(|group| (is_in_use(group.0), vec![group]));
    let (front, others): (Vec<_>, Vec<_>) = panes.partition(|(in_use, _)| *in_use);
    let shared = [(row_editor.is_none(), shared), (row_editor.is_some(), vec![text])];
    help_in_use_first(front.into_iter().chain(shared).chain(others))
}
