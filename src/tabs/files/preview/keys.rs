//! The key bindings of the preview and its prompts.

use std::sync::LazyLock;

use super::file_format::FileFormat;
use super::{Preview, PreviewPrompt, PreviewSize};
use crate::component::{Bindings, Motion, bind};
use crate::ui::key_table::ListedKeys;

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Move(Motion),
    Left,
    Right,
    Margin,
    GoTo,
    Find,
    Next,
    Previous,
    Pretty,
    Wrap,
    Form,
    Curves,
    Copy,
    Reload,
    Zoom,
    Escape,
}

use Action as A;

/// The actions in the footer, as far as they can be used.
pub(super) const FOOTER: [A; 9] =
    [A::Zoom, A::GoTo, A::Find, A::Pretty, A::Curves, A::Wrap, A::Form, A::Copy, A::Reload];

/// Keys of the rows.
pub(super) static KEYS: LazyLock<Bindings<Action, Preview>> = LazyLock::new(|| {
    Bindings::new(
        "files.preview",
        vec![
            bind("j down", A::Move(Motion::Down), "", "next row").disabled_when(closed),
            bind("k up", A::Move(Motion::Up), "", "previous row").disabled_when(closed),
            bind("pagedown space", A::Move(Motion::PageDown), "", "page down").disabled_when(closed),
            bind("pageup", A::Move(Motion::PageUp), "", "page up").disabled_when(closed),
            bind("ctrl-d", A::Move(Motion::HalfDown), "", "half a page down").disabled_when(closed),
            bind("ctrl-u", A::Move(Motion::HalfUp), "", "half a page up").disabled_when(closed),
            bind("home", A::Move(Motion::First), "", "first row").disabled_when(closed),
            bind("G end", A::Move(Motion::Last), "", "last row").disabled_when(closed),
            bind("h left", A::Left, "", "scroll left").disabled_when(not_aside),
            bind("l right", A::Right, "", "scroll right").disabled_when(not_aside),
            bind("0", A::Margin, "", "left margin").disabled_when(not_aside),
            bind("g", A::GoTo, "go to line", "go to line").disabled_when(closed),
            bind("/", A::Find, "search", "search").disabled_when(closed),
            bind("n", A::Next, "", "next match").named(&["next-match"]).disabled_when(closed),
            bind("N", A::Previous, "", "previous match").named(&["previous-match"]).disabled_when(closed),
            bind("t", A::Pretty, "raw/pretty", "raw/pretty").disabled_when(not_json),
            bind("w", A::Wrap, "wrap", "wrap").disabled_when(not_lines),
            bind("v", A::Curves, "curves", "curves").disabled_when(not_table),
            bind("m", A::Form, "show as", "show as").disabled_when(closed),
            bind("y", A::Copy, "copy row", "copy row").disabled_when(closed),
            bind("f", A::Zoom, "full size", "fill the tab with the preview, and back")
                .labelled(|preview: &Preview| if preview.is_zoomed() { "panes" } else { "full size" })
                .disabled_when(alone),
            bind("r R", A::Reload, "", "reload")
                .labelled(|preview| if preview.loader.is_open() { "reload" } else { "try again" }),
            bind("esc", A::Escape, "", "").does(&["stop, end the search, or leave the preview"]),
        ],
    )
});

fn alone(preview: &Preview) -> Option<&'static str> {
    (preview.size == PreviewSize::Only).then_some("it fills the tab already")
}

fn closed(preview: &Preview) -> Option<&'static str> {
    (!preview.loader.is_open()).then_some("nothing is loaded yet")
}

fn not_aside(preview: &Preview) -> Option<&'static str> {
    closed(preview).or_else(|| (preview.display.format == FileFormat::Hex).then_some("bytes do not scroll sideways"))
}

fn not_json(preview: &Preview) -> Option<&'static str> {
    closed(preview).or_else(|| (preview.display.format != FileFormat::Jsonl).then_some("its rows are not JSON"))
}

fn not_lines(preview: &Preview) -> Option<&'static str> {
    closed(preview).or_else(|| (!preview.display.is_lines()).then_some("its rows are not lines"))
}

fn not_table(preview: &Preview) -> Option<&'static str> {
    closed(preview).or_else(|| (!preview.display.has_curves()).then_some("it is not a table"))
}

/// What a key does to a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PromptAction {
    Accept,
    Leave,
}

impl PreviewPrompt {
    /// Returns the keys of the prompt; `None`: there is none.
    pub(super) fn keys(&self) -> Option<&'static Bindings<PromptAction, Self>> {
        match self {
            Self::None => None,
            Self::Find(_) | Self::GoTo(_) => Some(&PROMPT),
            Self::Ask(_) => Some(&QUESTION),
        }
    }
}

/// Keys while words or a row are typed.
pub(super) static PROMPT: LazyLock<Bindings<PromptAction, PreviewPrompt>> = LazyLock::new(|| {
    let label = |prompt: &PreviewPrompt| if matches!(prompt, PreviewPrompt::GoTo(_)) { "go" } else { "look" };
    // The border of the footer says what Esc does.
    let leave = bind("esc", PromptAction::Leave, "", "")
        .does(&["leave the line"])
        .disabled_when(|_| Some("Esc stands at the footer's end"));
    Bindings::while_typing(
        "files.preview-prompt",
        vec![bind("enter", PromptAction::Accept, "look", "").labelled(label), leave],
    )
});

/// Keys while it is asked whether to fetch the file.
pub(super) static QUESTION: LazyLock<Bindings<PromptAction, PreviewPrompt>> = LazyLock::new(|| {
    let accept = bind("enter y", PromptAction::Accept, "fetch", "");
    Bindings::new("files.preview-question", vec![accept, bind("esc n", PromptAction::Leave, "cancel", "")])
});

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed(), PROMPT.listed(), QUESTION.listed()]
}
