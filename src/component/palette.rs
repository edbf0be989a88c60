//! Entries of the palette, and the key that opens it.

use crate::ui::key_table::named_key;

/// Returns the key that opens the palette as sentences and hints name it; without one, the palette's name.
pub fn palette_key() -> String {
    Some(named_key("shell", "palette", "^P")).filter(|key| !key.is_empty()).unwrap_or_else(|| "palette".to_owned())
}

/// A palette entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The id by which its tab knows it.
    pub id: &'static str,
    /// The title, in sentence case.
    pub title: String,
    /// The key with the same action; empty: none.
    pub key: String,
    /// Why it cannot be used now; `None`: it can be used.
    pub disabled: Option<String>,
    /// Other words that find it, in lower case, separated by spaces.
    pub keywords: &'static str,
}

/// Returns the keywords of the command with this id from a table of a tab; empty: it has none.
pub fn keywords(table: &[(&str, &'static str)], id: &str) -> &'static str {
    table.iter().find(|(known, _)| *known == id).map_or("", |(_, words)| words)
}
