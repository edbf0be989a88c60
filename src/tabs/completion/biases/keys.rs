//! What the keys of the list of biases do.

use std::sync::LazyLock;

use super::{BiasMode, Biases};
use crate::component::{Bindings, Motion, bind, bind_all, motions};
use crate::ui::key_table::{KeyContext, KeyPlace, ListedKeys};

/// What a key of the list does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Add,
    /// Changes the bias by so much.
    Step(i8),
    Value,
    Remove,
    RemoveAll,
    Move(Motion),
    Close,
}

/// What a key does while something is typed or asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BiasReply {
    Accept,
    RemoveAll,
    Back,
    Up,
    Down,
    Toggle,
}

use Action as A;

/// Keys of the list.
pub(super) static LIST: LazyLock<Bindings<Action, ()>> = LazyLock::new(|| {
    let mut list = vec![
        bind("a", A::Add, "add", "add a token, by its text or id"),
        bind_all([("h left", A::Step(-1)), ("l right", A::Step(1))], "±1", "bias by 1")
            .does(&["lower the bias by 1", "raise the bias by 1"])
            .named(&["decrease", "increase"]),
        bind("enter", A::Value, "value", "type the bias"),
        bind("x 0 delete", A::Remove, "remove", "remove the bias"),
        bind("esc", A::Close, "close", "close"),
        bind_all([("H shift-left", A::Step(-10)), ("L shift-right", A::Step(10))], "±10", "bias by 10")
            .does(&["lower the bias by 10", "raise the bias by 10"])
            .named(&["decrease-more", "increase-more"]),
        bind("X", A::RemoveAll, "remove all", "remove all biases"),
    ];
    list.extend(motions(A::Move, "token"));
    Bindings::new(KeyContext::new("complete.biases").used_in(KeyPlace::Dialog), list)
});

/// The keys of the list that are shown, in their order.
pub(super) const SHOWN: [Action; 7] = [A::Add, A::Step(-1), A::Value, A::Remove, A::Close, A::Step(-10), A::RemoveAll];

/// Keys while a text or a number is typed, or a question is asked.
pub(super) static REPLIES: LazyLock<Bindings<BiasReply, Biases>> = LazyLock::new(|| {
    let accept = |list: &Biases| if matches!(list.mode, BiasMode::Value(_)) { "set" } else { "add" };
    let back = |list: &Biases| if matches!(list.mode, BiasMode::Clear) { "keep" } else { "back" };
    Bindings::while_typing(
        KeyContext::new("complete.bias-prompt").used_in(KeyPlace::Dialog),
        vec![
            bind("enter", BiasReply::Accept, "add", "").labelled(accept),
            bind("esc", BiasReply::Back, "back", "").labelled(back),
        ],
    )
});

/// Keys while it is asked which tokens of a text are meant, and whether all biases are to go.
pub(super) static QUESTIONS: LazyLock<Bindings<BiasReply, Biases>> = LazyLock::new(|| {
    Bindings::new(
        KeyContext::new("complete.bias-question").used_in(KeyPlace::Dialog),
        vec![
            bind_all([("up k", BiasReply::Up), ("down j", BiasReply::Down)], "choose", "")
                .does(&["choice above", "choice below"]),
            bind("tab shift-tab", BiasReply::Toggle, "choose", "").does(&["other choice"]),
            bind("X", BiasReply::RemoveAll, "remove all", ""),
        ],
    )
});

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![LIST.listed(), REPLIES.listed(), QUESTIONS.listed()]
}
