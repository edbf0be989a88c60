//! What files are uploaded for: the list to choose from.

use crate::text::Untrusted;
use crate::ui::picker::{Item, Picker};

/// What files are for, most usual first: the server's word, what it means, and the title's words for it.
const PURPOSES: [(&str, &str, &str); 7] = [
    ("fine-tune", "examples to train a model with", "for fine-tuning"),
    ("search", "documents to be searched", "for search"),
    ("answers", "documents to answer questions from", "for question answering"),
    ("classifications", "labelled examples", "for classification"),
    ("batch", "requests to be made later", "for batch requests"),
    ("assistants", "files for assistants", "for assistants"),
    ("user_data", "anything", "as user data"),
];

/// Returns the servers' words for purposes, most usual first.
pub fn purpose_words() -> impl Iterator<Item = &'static str> {
    PURPOSES.iter().map(|(word, ..)| *word)
}

/// Returns what the title of a plan says of a purpose, such as `for fine-tuning`.
pub(super) fn title_words(purpose: &str) -> String {
    let known = PURPOSES.iter().find(|(word, ..)| *word == purpose);
    match known {
        Some((.., title)) => (*title).to_owned(),
        None => format!("with the purpose {}", Untrusted::from(purpose).line()),
    }
}

/// Returns the list of purposes, with the cursor on the last one chosen.
pub(crate) fn purposes(last: &str) -> Picker<String> {
    let mut items: Vec<Item<String>> =
        PURPOSES.iter().map(|(word, about, _)| Item::new((*word).to_owned(), *word, *about)).collect();
    if !last.is_empty() && !PURPOSES.iter().any(|(word, ..)| *word == last) {
        items.push(Item::new(last.to_owned(), Untrusted::from(last), "as last time"));
    }
    let mut picker = Picker::new("What is the upload for?", items);
    picker.select_where(|word| word == last);
    picker
}
