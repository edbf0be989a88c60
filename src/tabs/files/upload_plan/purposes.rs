//! What files are uploaded for: the list to choose from, and its keys.

use crossterm::event::KeyEvent;

use super::{Event, UploadPlan};
use crate::component::{Cx, Handled, Step};
use crate::text::Untrusted;
use crate::ui::picker::{Item, Picked, Picker};

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

/// What leaving the list of purposes does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PurposeEscape {
    /// Goes back to the plan, whose purpose was chosen before.
    ToPlan,
    Close,
}

impl UploadPlan {
    /// Takes the purpose that was chosen, and checks the files for it.
    pub(super) fn choose(&mut self, purpose: String, cx: &mut Cx) {
        (self.choosing, self.chosen) = (None, true);
        self.purpose = purpose;
        self.check(cx);
    }

    /// Returns what leaving the list of purposes does, and what it is called.
    pub(super) fn leave_purposes(&self) -> (PurposeEscape, &'static str) {
        if self.chosen { (PurposeEscape::ToPlan, "back") } else { (PurposeEscape::Close, "cancel") }
    }

    pub(super) fn purpose_key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<Step<Event>> {
        let Some(picker) = &mut self.choosing else { return Handled::Ignored };
        match picker.key(&key) {
            Picked::Open => {}
            Picked::Closed => match self.leave_purposes().0 {
                PurposeEscape::ToPlan => self.choosing = None,
                PurposeEscape::Close => return Handled::close(),
            },
            Picked::Chosen(purpose) | Picked::Typed(purpose) => self.choose(purpose, cx),
        }
        Handled::Consumed
    }
}

/// Returns the list of purposes, with the cursor on the last one chosen.
pub(super) fn purposes(last: &str) -> Picker<String> {
    let mut items: Vec<Item<String>> =
        PURPOSES.iter().map(|(word, about)| Item::new((*word).to_owned(), *word, *about)).collect();
    if !last.is_empty() && !PURPOSES.iter().any(|(word, _)| *word == last) {
        items.push(Item::new(last.to_owned(), Untrusted::from(last), "as last time"));
    }
    let picker = Picker::new("What are the files for?", items).no_match_text("⏎ uses the word as typed");
    let mut picker = picker.accepting_typed();
    picker.select_where(|word| word == last);
    picker
}
