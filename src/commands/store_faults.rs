//! What is wrong with the store while commands run, and what of it the user is told.

use super::Output;

/// Why the store cannot be read or written, as far as is known by now.
#[derive(Debug, Default)]
pub(super) struct StoreFaults {
    /// Why what is stored cannot be read; `None`: it can, or nothing is stored.
    unreadable: Option<String>,
    /// Why nothing can be saved; `None`: it can, or it was told.
    unsaved: Option<String>,
    /// Whether a command had something to save that would be missed.
    has_saved: bool,
}

impl StoreFaults {
    /// Takes in that what is stored cannot be read, and nothing can be saved.
    pub(super) fn note_unreadable(&mut self, why: String, out: &mut Output) {
        self.unreadable = Some(why.clone());
        self.note_unsaved(why, out);
    }

    /// Takes in that nothing can be saved.
    pub(super) fn note_unsaved(&mut self, why: String, out: &mut Output) {
        self.unsaved = Some(why);
        self.tell(out);
    }

    /// Takes in that a command has something to save that would be missed.
    pub(super) fn note_save(&mut self, out: &mut Output) {
        self.has_saved = true;
        self.tell(out);
    }

    /// Returns why what is stored cannot be read.
    pub(super) fn unreadable(&self) -> Option<&str> {
        self.unreadable.as_deref()
    }

    /// Returns whether a command had something to save that would be missed.
    pub(super) fn has_saved(&self) -> bool {
        self.has_saved
    }

    /// Tells once that nothing can be saved, where something is to be.
    fn tell(&mut self, out: &mut Output) {
        if let Some(why) = self.unsaved.take_if(|_| self.has_saved) {
            out.notice(format!("nothing can be saved: {why}"));
        }
    }
}
