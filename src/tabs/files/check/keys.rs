//! The page's keys: input map, footer and help at once.

use crate::ui::keys::Keymap;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Show,
    Accept,
    Write,
    Upload,
    Split,
    Less,
    More,
    Fewer,
    Longer,
    Model,
    ToPrompt,
    ToCompletion,
    ToSystem,
    Add,
    PromptTemplate,
    CompletionTemplate,
    Conversations,
    Next,
    Before,
    Pane,
    PaneBack,
    Again,
    Up,
    Down,
    PageUp,
    PageDown,
    Top,
    Bottom,
    Close,
}

use Action as A;

/// The table.
pub(super) fn table() -> Keymap<Action> {
    Keymap::new(&[
        ("w", A::Write, "write the mended file"),
        ("space", A::Accept, "accept the repair or not"),
        ("enter", A::Show, "show the row of a problem, or the whole text of a repair"),
        ("U", A::Upload, "upload what was written, or the file as it is"),
        ("n", A::Next, "next problem"),
        ("N", A::Before, "problem before"),
        ("+ =", A::Longer, "an epoch more"),
        ("-", A::Fewer, "an epoch less"),
        ("m", A::Model, "check for another model"),
        ("p", A::ToPrompt, "take the column as the prompt, or not"),
        ("c", A::ToCompletion, "take the column as the completion, or not"),
        ("a", A::Add, "add the column to the prompt"),
        ("t", A::PromptTemplate, "type a template for the prompt"),
        ("T", A::CompletionTemplate, "type a template for the completion"),
        ("y", A::ToSystem, "take the column as the system message"),
        ("f", A::Conversations, "make pairs or conversations of the rows"),
        ("s", A::Split, "hold rows out for validation, or not"),
        ("<", A::Less, "hold out less"),
        (">", A::More, "hold out more"),
        ("tab right l", A::Pane, "next part of the page"),
        ("shift-tab left h", A::PaneBack, "part before"),
        ("r ctrl-r", A::Again, "check again"),
        ("up k", A::Up, "up"),
        ("down j", A::Down, "down"),
        ("pageup ctrl-u", A::PageUp, "a page up"),
        ("pagedown ctrl-d", A::PageDown, "a page down"),
        ("g home", A::Top, "to the top"),
        ("G end", A::Bottom, "to the bottom"),
        ("esc", A::Close, "close"),
    ])
}
