//! Entries of the palette.

/// A palette entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Names it to its tab.
    pub id: &'static str,
    /// Sentence case.
    pub title: String,
    /// The key that does it too; empty: none.
    pub key: String,
    /// Why it cannot be done now; `None`: it can.
    pub disabled: Option<String>,
    /// Other words it is found by: small letters, parted by blanks.
    pub keywords: &'static str,
}

/// Returns the keywords of the command with this id from a tab's table of them; empty: it has none.
pub fn keywords(table: &[(&str, &'static str)], id: &str) -> &'static str {
    table.iter().find(|(known, _)| *known == id).map_or("", |(_, words)| words)
}
