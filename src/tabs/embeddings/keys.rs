//! The tab's keys, a table for each pane: for input, footer, help and palette.

use std::sync::LazyLock;

use super::state::State;
use crate::component::{Binding, Bindings, Command, bind, bind_all, palette_entry};
use crate::ui::key_table::ListedKeys;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Run,
    Stop,
    /// Does what [`State::escape_hint`] says.
    Escape,
    Pause,
    Add,
    Edit,
    External,
    Delete,
    Undo,
    Lower,
    Raise,
    File,
    Lists,
    Typed,
    Open,
    Inputs,
    Matrix,
    Map,
    Pairs,
    Query,
    Compare,
    Hygiene,
    Order,
    Scale,
    Whole,
    Zoom,
    Wider,
    Narrower,
    Dimensions,
    Model,
    Newlines,
    Export,
    Import,
    Find,
    Next,
    Previous,
    Details,
    Copy,
    Offer,
    Load,
    Left,
    Right,
    Up,
    Down,
    Top,
    Bottom,
    PageUp,
    PageDown,
    NextPane,
    PreviousPane,
    Sample,
}

use Action as A;

/// Actions in the footer of the list.
pub(super) const FOOTER: [A; 5] = [A::Add, A::Edit, A::Delete, A::File, A::NextPane];
/// Actions in the footer of the matrix beside the other panes.
pub(super) const FOOTER_WIDE: [A; 5] = [A::Add, A::Query, A::Order, A::Compare, A::Open];
/// Actions in the footer of the matrix alone.
pub(super) const FOOTER_NARROW: [A; 5] = [A::Map, A::Open, A::Inputs, A::Order, A::Add];

type TabBinding = Binding<Action, State>;

/// Returns a table of keys that both panes have, and of a pane's own, whose group has this name.
fn table(context: &'static str, name: &'static str, own: Vec<TabBinding>) -> Bindings<Action, State> {
    let embed = vec![
        bind("ctrl-r", A::Run, "embed", "embed texts without a vector")
            .in_palette("run", "vectors")
            .disabled_when(no_text),
        bind("esc", A::Escape, "back", ""),
        palette_entry("stop", A::Stop, "stop", "cancel", "esc").disabled_when(no_run),
        bind("p", A::Pause, "pause", "pause, resume")
            .in_palette("pause", "")
            .titled("pause or resume")
            .disabled_when(no_run),
        bind("M", A::Model, "model", "model").in_palette("model", "choose switch"),
        bind("D", A::Dimensions, "dimensions", "dimensions").in_palette("dimensions", ""),
        bind("W", A::Newlines, "newlines", "send newlines as spaces, or unchanged").in_palette("newlines", ""),
        bind("b", A::Load, "load", "load the vectors from disk").in_palette("load", "cache").disabled_when(no_text),
        bind("d", A::Details, "details", "details of a failure")
            .in_palette("details", "error")
            .titled("details of the failure")
            .disabled_when(no_failure),
    ];
    let texts = vec![
        bind("x", A::Delete, "delete", "delete the text").in_palette("delete", "").disabled_when(no_text),
        bind("u", A::Undo, "undo", "undo the last change of the list").in_palette("undo", "").disabled_when(no_change),
        bind("f4", A::External, "$EDITOR", "edit in $EDITOR")
            .in_palette("external", "editor")
            .titled("edit the text in $EDITOR")
            .disabled_when(no_text),
        bind("y", A::Copy, "copy", "copy the text"),
        bind("/", A::Find, "find", "find a text").in_palette("find", "search").disabled_when(no_text),
        bind_all([("n", A::Next), ("N", A::Previous)], "next, previous", "next, previous match")
            .named(&["next-match", "previous-match"])
            .does(&["next match", "previous match"])
            .disabled_when(no_find),
    ];
    let pages = vec![
        bind("m", A::Map, "map", "map").in_palette("map", "plot scatter projection").disabled_when(too_few),
        bind_all([("+ = >", A::Wider), ("- <", A::Narrower)], "map", "map wider, narrower")
            .does(&["map wider", "map narrower"])
            .in_palette("wider", "resize narrower split")
            .titled("map wider")
            .disabled_when(not_beside),
        bind("P", A::Pairs, "pairs", "pairs above a threshold, near-duplicates")
            .in_palette("pairs", "similar")
            .titled("pairs and near-duplicates")
            .disabled_when(too_few),
        bind("s", A::Query, "rank by similarity", "rank by similarity to a typed text")
            .in_palette("query", "search nearest similarity")
            .disabled_when(too_few),
        bind("c", A::Compare, "compare", "compare two models or two lengths")
            .in_palette("compare", "")
            .disabled_when(too_few),
        bind("H", A::Hygiene, "check vectors", "check the vectors")
            .in_palette("hygiene", "hygiene quality statistics")
            .disabled_when(no_vectors),
        bind("tab", A::NextPane, "next pane", "next pane"),
        bind("shift-tab", A::PreviousPane, "previous pane", "previous pane"),
    ];
    let files = vec![
        bind("f", A::File, "file", "texts from a file").in_palette("file", "import open csv").disabled_when(busy),
        bind("L", A::Lists, "recent", "recent files").in_palette("lists", "history recent").disabled_when(busy),
        bind("T", A::Typed, "typed", "back to the typed texts").in_palette("typed", "").disabled_when(busy),
        bind("E", A::Export, "export CSV", "export vectors or matrix")
            .in_palette("export", "save npy csv")
            .disabled_when(no_vectors),
        bind("I", A::Import, "import", "import vectors or a matrix")
            .in_palette("import", "open npy csv")
            .disabled_when(busy),
        bind("O", A::Offer, "send", "send the texts to another tab")
            .named(&["send-to-tab"])
            .in_palette("offer", "share")
            .disabled_when(no_text),
    ];
    Bindings::grouped(
        context,
        vec![(name, own), ("Embed", embed), ("Change texts", texts), ("Pages", pages), ("Files and other tabs", files)],
    )
}

/// The names of the groups of a pane's own keys.
pub(super) const LIST_GROUP: &str = "Texts";
pub(super) const MATRIX_GROUP: &str = "Similarities";

/// Keys of the list of texts.
pub(super) static INPUTS: LazyLock<Bindings<Action, State>> = LazyLock::new(|| {
    table(
        "embed.texts",
        LIST_GROUP,
        vec![
            bind("a", A::Add, "add text", "add a text").in_palette("add", ""),
            bind("e enter i", A::Edit, "edit", "edit the text").in_palette("edit", "").disabled_when(no_text),
            bind_all([("J", A::Lower), ("K", A::Raise)], "move", "move the text down, up")
                .named(&["move-text-down", "move-text-up"])
                .does(&["move the text down", "move the text up"]),
            bind_all([("j down", A::Down), ("k up", A::Up)], "text", "next, previous text")
                .does(&["next text", "previous text"]),
            bind_all([("g home", A::Top), ("G end", A::Bottom)], "first, last", "first, last text")
                .does(&["first text", "last text"]),
            bind_all([("pagedown ctrl-d", A::PageDown), ("pageup ctrl-u", A::PageUp)], "page", "half a page down, up")
                .does(&["half a page down", "half a page up"]),
            bind("l right", A::Matrix, "similarities", "similarities"),
        ],
    )
});

/// Keys of the matrix, or of the list above so many texts.
pub(super) static MATRIX: LazyLock<Bindings<Action, State>> = LazyLock::new(|| {
    table(
        "embed.matrix",
        MATRIX_GROUP,
        vec![
            bind_all(
                [("h left", A::Left), ("j down", A::Down), ("k up", A::Up), ("l right", A::Right)],
                "move",
                "cell left, down, up, right",
            )
            .does(&["cell left", "cell down", "cell up", "cell right"]),
            bind("enter", A::Open, "pair detail", "both texts in full"),
            bind("o", A::Order, "order", "order by cluster, or as in the list")
                .in_palette("order", "")
                .disabled_when(no_vectors),
            bind("v", A::Scale, "colours", "colours from 0 to 1, or from lowest to highest")
                .in_palette("scale", "color")
                .disabled_when(no_vectors),
            bind("i", A::Inputs, "texts", "texts").named(&["texts"]).in_palette("inputs", "list inputs"),
            bind("a", A::Add, "add text", "add a text"),
            bind("e", A::Edit, "edit", "edit the text"),
            bind("z", A::Whole, "whole", "the whole matrix, or each cell"),
            bind("w", A::Zoom, "wide", "the matrix alone, or beside the other panes"),
            bind_all([("g home", A::Top), ("G end", A::Bottom)], "first, last", "first, last row")
                .does(&["first row", "last row"]),
            bind_all([("pagedown", A::PageDown), ("pageup", A::PageUp)], "page", "page down, up")
                .does(&["page down", "page up"]),
            bind("0", A::Matrix, "first cell", "back to the first cell").named(&["first-cell"]),
        ],
    )
});

/// Keys where there is nothing yet.
pub(super) static BLANK: LazyLock<Bindings<Action, State>> =
    LazyLock::new(|| Bindings::new("embed.blank", vec![bind("enter", A::Sample, "sample texts", "")]));

/// Keys that mean something else while a run is under way, for the footer.
pub(super) static RUNNING: LazyLock<Bindings<Action, State>> = LazyLock::new(|| {
    Bindings::new(
        "embed.texts",
        vec![bind("esc", A::Stop, "stop", ""), bind("p", A::Pause, "pause", ""), bind("ctrl-r", A::Run, "resume", "")],
    )
});

/// What a key does to a text that is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TypingAction {
    /// Takes the text, and begins another.
    TakeNext,
    Take,
    Newline,
    Embed,
    External,
}

/// Actions in the footer while a text is typed.
pub(super) const TYPING_FOOTER: [TypingAction; 3] =
    [TypingAction::TakeNext, TypingAction::Newline, TypingAction::Embed];

/// Returns the keys while a text is typed: those that take it, and those that insert a newline.
fn typing_with(take: &'static str, newline: &'static str) -> Bindings<TypingAction, State> {
    Bindings::while_typing(
        "embed.text-box",
        vec![
            bind(take, TypingAction::TakeNext, "next text", "take the text and begin another"),
            bind(newline, TypingAction::Newline, "newline", "newline"),
            bind("ctrl-r", TypingAction::Embed, "embed", "take the text and embed"),
            bind("esc tab shift-tab", TypingAction::Take, "done", "take the text"),
            bind("f4", TypingAction::External, "$EDITOR", "$EDITOR (also ^X ^E)"),
        ],
    )
}

/// Keys while a text is typed where Enter takes it.
static TYPING: LazyLock<Bindings<TypingAction, State>> =
    LazyLock::new(|| typing_with("enter ctrl-enter", "ctrl-j alt-enter shift-enter"));
/// Keys while a text is typed where Enter inserts a newline.
static TYPING_NEWLINES: LazyLock<Bindings<TypingAction, State>> =
    LazyLock::new(|| typing_with("alt-enter shift-enter", "enter ctrl-j ctrl-enter"));

/// Returns the keys in force while a text is typed.
pub(super) fn typing(enter_newline: bool) -> &'static Bindings<TypingAction, State> {
    if enter_newline { &TYPING_NEWLINES } else { &TYPING }
}

/// Returns the palette's entries of both tables, each once.
pub(super) fn palette(state: &State) -> Vec<Command> {
    let mut commands = INPUTS.palette("Embed", state);
    for command in MATRIX.palette("Embed", state) {
        if commands.iter().all(|other| other.id != command.id) {
            commands.push(command);
        }
    }
    commands
}

/// Returns the action of the palette's entry with this id, if it can be used.
pub(super) fn command(id: &str, state: &State) -> Option<Action> {
    INPUTS.command(id, state).or_else(|| MATRIX.command(id, state))
}

fn no_text(state: &State) -> Option<&'static str> {
    state.list.data.texts.is_empty().then_some("there are no texts (add one: a)")
}

fn too_few(state: &State) -> Option<&'static str> {
    (state.list.data.texts.len() < 2).then_some("needs 2 texts (add one: a)")
}

fn not_beside(state: &State) -> Option<&'static str> {
    (!state.view.layout.wide).then_some("the map is beside the matrix on larger screens only")
}

fn no_vectors(state: &State) -> Option<&'static str> {
    (state.list.data.table.is_none() && state.list.data.matrix.is_none()).then_some("there are no vectors (embed: ^R)")
}

fn no_run(state: &State) -> Option<&'static str> {
    state.run.job.is_none().then_some("nothing is running")
}

fn busy(state: &State) -> Option<&'static str> {
    state.is_busy().then_some("a run is under way")
}

fn no_failure(state: &State) -> Option<&'static str> {
    state.run.failure.is_none().then_some("nothing has failed")
}

fn no_change(state: &State) -> Option<&'static str> {
    state.list.storage.undo.is_empty().then_some("there is nothing to undo")
}

fn no_find(state: &State) -> Option<&'static str> {
    state.find.words().is_empty().then_some("no search yet (find: /)")
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys(enter_newline: bool) -> Vec<ListedKeys> {
    vec![INPUTS.listed(), MATRIX.listed(), BLANK.listed(), typing(enter_newline).listed()]
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_key_means_two_things() {
        for table in [&super::INPUTS, &super::MATRIX, &super::BLANK, &super::RUNNING] {
            assert_eq!(table.keymap().clashes(), []);
        }
        for table in [&super::TYPING, &super::TYPING_NEWLINES] {
            assert_eq!(table.keymap().clashes(), []);
        }
    }
}
