//! What files are uploaded for: the list to choose from.

use crate::text::Untrusted;
use crate::ui::picker::{Item, Picker};

/// What files are for, most usual first.
const PURPOSES: [(&str, &str); 7] = [
    ("fine-tune", "examples to train a model with"),
    ("search", "documents to be searched"),
    ("answers", "documents to answer questions from"),
    ("classifications", "labelled examples"),
    ("batch", "requests to be made later"),
    ("assistants", "files for assistants"),
    ("user_data", "anything"),
];

/// Returns the list of purposes, with the cursor on the last one chosen.
pub(crate) fn purposes(last: &str) -> Picker<String> {
    let mut items: Vec<Item<String>> =
        PURPOSES.iter().map(|(word, about)| Item::new((*word).to_owned(), *word, *about)).collect();
    if !last.is_empty() && !PURPOSES.iter().any(|(word, _)| *word == last) {
        items.push(Item::new(last.to_owned(), Untrusted::from(last), "as last time"));
    }
    let mut picker = Picker::new("What are the files for?", items).no_match_text("⏎ uses the word as typed");
    picker.select_where(|word| word == last);
    picker
}
