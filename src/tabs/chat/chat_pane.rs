//! The panes of the tab.

/// Which pane has the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChatPane {
    /// The text box: letters are text.
    Composer,
    /// The messages.
    Transcript,
    /// The conversations.
    List,
    /// The parameter panel.
    Params,
    /// The strip of probabilities.
    Probabilities,
}
