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
        ("enter", A::Show, "show the row"),
        ("U", A::Upload, "upload what was written, or the file as it is"),
        ("n", A::Next, "next problem"),
        ("N", A::Before, "problem before"),
        ("+ =", A::Longer, "an epoch more"),
        ("-", A::Fewer, "an epoch less"),
        ("m", A::Model, "reckon for another base model"),
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
