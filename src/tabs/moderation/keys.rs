//! What the tab's keys do: a table for each page, for input, footer, help and palette.

use std::sync::LazyLock;

use Action as A;

use super::action::Action;
use super::state::Moderate;
use crate::component::{Bindings, Motion, bind, palette_entry};
use crate::ui::key_table::ListedKeys;

/// Actions in the footer on a bench with texts.
pub(super) const BENCH: [A; 6] = [A::Run, A::Add, A::Edit, A::AddModel, A::Thresholds, A::Differences];
/// The footer where one column is shown.
pub(super) const NARROW: [A; 4] = [A::Run, A::Add, A::Edit, A::Beside];

/// Keys of the bench.
pub(super) static KEYS: LazyLock<Bindings<Action, Moderate>> = LazyLock::new(|| {
    Bindings::grouped(
        "moderate.bench",
        vec![
            (
                "Check",
                vec![
                    bind("ctrl-r", A::Run, "check", "check new texts; if there are none, all again")
                        .in_palette("run", "classify moderate")
                        .titled("check new texts")
                        .disabled_when(no_text),
                    bind("R", A::Again, "again", "check this column again")
                        .in_palette("again", "retry")
                        .disabled_when(no_text),
                    palette_entry("stop", A::Stop, "stop", "", "esc").disabled_when(not_busy),
                    bind("m", A::AddModel, "model", "add a model as a column").in_palette("model", "choose switch"),
                    bind("M", A::DropModel, "remove", "remove this column's model")
                        .named(&["remove-model"])
                        .in_palette("unmodel", "")
                        .disabled_when(no_text),
                    bind("D", A::Details, "details", "details of a failure")
                        .in_palette("details", "error")
                        .disabled_when(no_failure),
                    bind("C", A::Curl, "curl", "copy the request as curl")
                        .in_palette("curl", "http")
                        .disabled_when(no_text),
                ],
            ),
            (
                "Texts",
                vec![
                    bind("a", A::Add, "add text", "add a text (a paste adds one too)")
                        .in_palette("add", "")
                        .titled("add a text"),
                    bind("e i enter", A::Edit, "edit", "edit the text").in_palette("edit", "").disabled_when(no_text),
                    bind("f4", A::External, "$EDITOR", "edit it in $EDITOR")
                        .in_palette("external", "editor")
                        .titled("edit the text in $EDITOR")
                        .disabled_when(no_text),
                    bind("x", A::Delete, "delete", "delete the text").in_palette("delete", "").disabled_when(no_text),
                    bind("u", A::Undo, "undo", "restore the deleted text")
                        .in_palette("undo", "")
                        .disabled_when(none_deleted),
                    bind("J", A::Later, "later", "move the text to the right").named(&["move-text-right"]),
                    bind("K", A::Earlier, "earlier", "move the text to the left").named(&["move-text-left"]),
                    bind("B", A::Blur, "blur", "blur flagged texts")
                        .in_palette("blur", "hide")
                        .titled("blur flagged texts, or show them"),
                    bind("o", A::Offer, "send", "send the text to another tab")
                        .named(&["send-to-tab"])
                        .in_palette("offer", "share")
                        .disabled_when(no_text),
                    bind("y", A::Copy, "copy", "copy the text")
                        .in_palette("copy", "clipboard yank")
                        .disabled_when(no_text),
                ],
            ),
            (
                "Thresholds",
                vec![
                    bind("t", A::Thresholds, "threshold", "threshold profiles")
                        .in_palette("thresholds", "limits cutoff"),
                    bind("+", A::Threshold(1), "raise", "raise the row's threshold by 0.01")
                        .named(&["raise-threshold"]),
                    bind("-", A::Threshold(-1), "lower", "lower it by 0.01").named(&["lower-threshold"]),
                    bind("=", A::Threshold(5), "by 0.05", "raise it by 0.05").named(&["raise-threshold-more"]),
                    bind("_", A::Threshold(-5), "by 0.05", "lower it by 0.05").named(&["lower-threshold-more"]),
                    bind("0", A::Reset, "default", "reset the row's threshold to the default"),
                    bind("space", A::Mark, "mark", "mark the row: + and - move all marked"),
                ],
            ),
            (
                "View",
                vec![
                    bind("s", A::Sort, "sort", "sort by score, or by name")
                        .in_palette("sort", "order")
                        .disabled_when(no_results),
                    bind("g", A::Families, "families", "group by family")
                        .in_palette("families", "")
                        .disabled_when(no_results),
                    bind("d", A::Differences, "differences", "only differences; for a failed column the details")
                        .in_palette("differences", "disagreements compare")
                        .titled("only differences")
                        .disabled_when(no_results),
                    bind("c", A::Beside, "compare", "columns side by side, where one is shown")
                        .named(&["side-by-side"])
                        .in_palette("beside", "")
                        .titled("columns side by side")
                        .disabled_when(no_text),
                    bind("H", A::History, "over time", "this text over time")
                        .in_palette("past", "history")
                        .disabled_when(no_text),
                    bind("w", A::Sentences, "sentences", "sentence by sentence")
                        .in_palette("origin", "explain why")
                        .disabled_when(no_text),
                    bind("v", A::Conversation, "conversation", "conversation sent from Chat")
                        .in_palette("turns", "")
                        .disabled_when(no_turns),
                ],
            ),
            (
                "Files",
                vec![
                    bind("f", A::File, "file", "the file opened last, else choose one")
                        .in_palette("file", "import open csv")
                        .titled("a file of texts"),
                    bind("L", A::Lists, "recent", "files opened before").in_palette("lists", "history recent"),
                    bind("E", A::Export, "export", "export as CSV or JSON")
                        .in_palette("export", "save download")
                        .disabled_when(no_results),
                ],
            ),
            (
                "Move",
                vec![
                    bind("h left", A::Column(-1), "previous", "previous column").named(&["previous-column"]),
                    bind("l right", A::Column(1), "next", "next column").named(&["next-column"]),
                    bind("<", A::Columns(-1), "previous", "previous columns").named(&["previous-columns"]),
                    bind(">", A::Columns(1), "next", "next columns").named(&["next-columns"]),
                    bind("k up", A::Row(Motion::Up), "up", "row above"),
                    bind("j down", A::Row(Motion::Down), "down", "row below"),
                    bind("home", A::Row(Motion::First), "first", "first row"),
                    bind("G end", A::Row(Motion::Last), "last", "last row"),
                    bind("pageup ctrl-u", A::Row(Motion::PageUp), "page up", "page up"),
                    bind("pagedown ctrl-d", A::Row(Motion::PageDown), "page down", "page down"),
                ],
            ),
        ],
    )
});

/// What Enter does in some states in place of what the tables above say.
pub(super) static OVERRIDES: LazyLock<Bindings<Action, Moderate>> = LazyLock::new(|| {
    Bindings::new(
        "moderate.bench-enter",
        vec![
            bind("enter", A::RetryNow, "try now", "").disabled_when(not_retrying),
            bind("enter", A::Examples, "sample texts", "").disabled_when(has_text),
        ],
    )
});

/// Esc on the bench, where the footer names it first: [`Moderate::escape_action`] says what it does.
pub(super) static ESCAPE: LazyLock<Bindings<Action, ()>> =
    LazyLock::new(|| Bindings::new("moderate.bench", vec![bind("esc", A::Stop, "stop", "")]));

fn not_retrying(tab: &Moderate) -> Option<&'static str> {
    (!tab.counts_down()).then_some("nothing is waiting for a retry")
}

fn has_text(tab: &Moderate) -> Option<&'static str> {
    (!tab.is_empty_bench()).then_some("there are texts")
}

fn no_text(tab: &Moderate) -> Option<&'static str> {
    (tab.texts.len() == 0).then_some("there is no text (add one: a)")
}

fn no_results(tab: &Moderate) -> Option<&'static str> {
    (tab.bench.table.rows.is_empty() && !tab.bench.differences).then_some("nothing is checked yet (check: ^R)")
}

fn none_deleted(tab: &Moderate) -> Option<&'static str> {
    (!tab.texts.has_deleted()).then_some("no text was deleted")
}

fn not_busy(tab: &Moderate) -> Option<&'static str> {
    (!tab.checks.is_busy()).then_some("nothing is running")
}

fn no_failure(tab: &Moderate) -> Option<&'static str> {
    (!tab.results.has_failures()).then_some("nothing has failed")
}

fn no_turns(tab: &Moderate) -> Option<&'static str> {
    tab.conversation.is_empty().then_some("no conversation was sent (send one from Chat's palette)")
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed(), OVERRIDES.listed()]
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_key_means_two_things() {
        assert_eq!(super::KEYS.keymap().clashes(), []);
    }
}
