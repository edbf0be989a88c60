//! The keys of lines and lists that handle them themselves, for the footer.

use std::sync::LazyLock;

use crate::component::{Bindings, bind, bind_all};

/// What a key does where a line is typed or an item is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InputKey {
    Done,
    Use,
    Add,
    /// Moves by rows.
    Choose(isize),
}

/// The keys of lines and lists that handle them themselves, for the footer.
pub(super) static INPUT: LazyLock<Bindings<InputKey, ()>> = LazyLock::new(|| {
    Bindings::new(vec![
        bind("enter", InputKey::Done, "done", ""),
        bind("enter", InputKey::Use, "use", ""),
        bind("enter", InputKey::Add, "add it", ""),
        bind_all([("up", InputKey::Choose(-1)), ("down", InputKey::Choose(1))], "choose", "").shown("↑↓"),
    ])
});
