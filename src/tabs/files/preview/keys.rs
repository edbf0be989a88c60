//! The preview's keys.

use crate::ui::keys::Keymap;

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Down,
    Up,
    PageDown,
    PageUp,
    HalfDown,
    HalfUp,
    Top,
    End,
    Left,
    Right,
    Margin,
    GoTo,
    Find,
    Next,
    Previous,
    Pretty,
    Wrap,
    FileFormat,
    Curves,
    Copy,
    Reload,
}

/// Keys of the rows.
pub(super) fn table() -> Keymap<Action> {
    use Action as A;
    Keymap::new(&[
        ("j down", A::Down, "next row"),
        ("k up", A::Up, "previous row"),
        ("pagedown space", A::PageDown, "page down"),
        ("pageup", A::PageUp, "page up"),
        ("ctrl-d", A::HalfDown, "half a page down"),
        ("ctrl-u", A::HalfUp, "half a page up"),
        ("home", A::Top, "first row"),
        ("G end", A::End, "last row"),
        ("h left", A::Left, "scroll left"),
        ("l right", A::Right, "scroll right"),
        ("0", A::Margin, "left margin"),
        ("g", A::GoTo, "go to line"),
        ("/", A::Find, "search"),
        ("n", A::Next, "next match"),
        ("N", A::Previous, "previous match"),
        ("t", A::Pretty, "raw/pretty"),
        ("w", A::Wrap, "wrap"),
        ("v", A::Curves, "curves"),
        ("m", A::FileFormat, "show as"),
        ("y", A::Copy, "copy row"),
        ("r R", A::Reload, "read anew"),
    ])
}
