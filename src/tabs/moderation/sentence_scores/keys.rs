//! The keys of the page of sentences.

use std::sync::LazyLock;

use super::super::action::{self, category_keys, on_pages};
use super::SentenceScores;
use crate::component::{Bindings, Motion, bind, bind_all};
use crate::ui::key_table::ListedKeys;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Another category.
    Category(Motion),
    /// Other rows of the text.
    Scroll(Motion),
    Close,
    /// What the bench does.
    Bench(action::Action),
}

use Action as A;

/// Actions in the footer.
pub(super) const FOOTER: [A; 4] = [
    A::Bench(action::Action::Run),
    A::Category(Motion::Up),
    A::Scroll(Motion::Up),
    A::Bench(action::Action::Threshold(1)),
];

/// Keys of the page.
pub(super) static KEYS: LazyLock<Bindings<Action, SentenceScores>> = LazyLock::new(|| {
    let run = "check new texts; if there are none, all again";
    let mut list = on_pages(A::Bench, [run, "check all again"], None, no_category);
    list.extend(category_keys(A::Category, no_category));
    let scroll = |[(back, up), (on, down)]: [(&'static str, Motion); 2], label, help| {
        bind_all([(back, A::Scroll(up)), (on, A::Scroll(down))], label, help).disabled_when(all_shown)
    };
    list.extend([
        scroll([("J", Motion::Down), ("K", Motion::Up)], "scroll", "scroll by a row")
            .does(&["scroll down by a row", "scroll up by a row"]),
        scroll([("pageup", Motion::PageUp), ("pagedown", Motion::PageDown)], "page", "scroll by a page")
            .does(&["scroll up by a page", "scroll down by a page"]),
        bind("esc w", A::Close, "back", "back"),
    ]);
    Bindings::new("moderate.sentences", list)
});

fn no_category(page: &SentenceScores) -> Option<&'static str> {
    page.categories.is_empty().then_some("nothing is checked yet")
}

fn all_shown(page: &SentenceScores) -> Option<&'static str> {
    (page.wrapped.rows.len() <= page.height).then_some("the whole text is shown")
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
