//! The context of one event: what a component sees, and what it may ask for.

use std::time::Instant;

use crossterm::event::KeyEvent;

use super::{Effect, NewProfile, Notice, PastedKey, Session};
use crate::api::call::{Call, Ticket};
use crate::record::work::Work;
use crate::record::{Id, Query, Record};
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::ui::editing::{self, EditAction};
use crate::ui::editor::{Edit, Editor};

/// What a component sees, and may ask for, while it handles one event.
pub struct Cx<'a> {
    /// The state that all tabs share.
    pub session: &'a Session,
    /// The time of the event, monotonic.
    pub now: Instant,
    /// The time of the event on the wall clock, in Unix milliseconds.
    pub unix_ms: i64,
    tickets: &'a mut u64,
    effects: &'a mut Vec<Effect>,
}

impl<'a> Cx<'a> {
    /// Creates a context that continues numbering tickets at `tickets` and collects effects in `effects`.
    pub fn new(
        session: &'a Session,
        now: Instant,
        unix_ms: i64,
        tickets: &'a mut u64,
        effects: &'a mut Vec<Effect>,
    ) -> Self {
        Self { session, now, unix_ms, tickets, effects }
    }

    /// Returns a new ticket that was never used before.
    fn ticket(&mut self) -> Ticket {
        Ticket::next(self.tickets)
    }

    /// Returns a new id for a record.
    pub fn id(&mut self) -> Id {
        let ticket = self.ticket();
        Id::generate(self.unix_ms, ticket.0)
    }

    /// Asks the client to make a call to the session's profile.
    pub fn call(&mut self, call: Call) -> Ticket {
        self.call_to(self.session.profile.clone(), call)
    }

    /// Asks the client to make a call to a profile.
    pub fn call_to(&mut self, profile: ProfileId, call: Call) -> Ticket {
        let ticket = self.ticket();
        self.effects.push(Effect::Call(ticket, profile, call));
        ticket
    }

    /// Stops a call. No further reply to it arrives.
    pub fn cancel(&mut self, ticket: Ticket) {
        self.effects.push(Effect::Cancel(ticket));
    }

    /// Ends the countdown before a retry, so that the call is sent again now.
    pub fn retry_now(&mut self, ticket: Ticket) {
        self.effects.push(Effect::RetryNow(ticket));
    }

    /// Saves a record. If it is refused, the store keeps it, in order, and offers it again; the replies are then
    /// `Stored::Waiting` with the reason and later `Stored::Committed`. The reply is `Stored::Failed` if what the
    /// record changes was deleted or is newer, or if the store closes without having written it. The shell delays
    /// quitting until the record is answered.
    pub fn save(&mut self, record: Record) -> Ticket {
        let ticket = self.ticket();
        self.effects.push(Effect::Save(ticket, record));
        ticket
    }

    /// Saves a record. While the disk refuses it, it waits as after [`Cx::save`]; but the reply is `Stored::Failed` if it
    /// does not fit what is stored, or too much waits already.
    pub fn try_save(&mut self, record: Record) -> Ticket {
        let ticket = self.ticket();
        self.effects.push(Effect::TrySave(ticket, record));
        ticket
    }

    /// Sends a query to the store.
    pub fn load(&mut self, query: Query) -> Ticket {
        let ticket = self.ticket();
        self.effects.push(Effect::Load(ticket, query));
        ticket
    }

    /// Starts work on a work thread.
    pub fn work(&mut self, work: Work) -> Ticket {
        let ticket = self.ticket();
        self.effects.push(Effect::Work(ticket, work));
        ticket
    }

    /// Saves a new profile.
    pub fn add_profile(&mut self, profile: NewProfile) -> Ticket {
        let ticket = self.ticket();
        self.effects.push(Effect::AddProfile(ticket, Box::new(profile)));
        ticket
    }

    /// Saves another key for a profile.
    pub fn replace_key(&mut self, key: PastedKey) -> Ticket {
        let ticket = self.ticket();
        self.effects.push(Effect::ReplaceKey(ticket, Box::new(key)));
        ticket
    }

    /// Shows a notice.
    pub fn notify(&mut self, notice: Notice) {
        self.effects.push(Effect::Notify(notice));
    }

    /// Copies a text to the clipboard unchanged.
    pub fn copy(&mut self, text: Untrusted) {
        self.effects.push(Effect::Copy(text));
    }

    /// Passes a key to a text box. What it copies goes to the clipboard; Ctrl+X Ctrl+E opens the external editor; where
    /// a character may not follow Ctrl+X, a notice names those that may.
    pub fn type_into(&mut self, editor: &mut Editor, key: KeyEvent) -> Edit {
        match EditAction::after_x(&key).filter(|_| editor.is_after_x()) {
            Some(EditAction::External) => {
                editor.end_ctrl_x();
                self.push(Effect::EditText);
                return Edit::Moved;
            }
            None if editor.is_after_x() && editing::typed(&key).is_some() => {
                let keys = editing::after_x_keys().into_iter().map(|(key, does)| format!("{key} {does}"));
                self.notify(Notice::info(format!("after ^X: {}", keys.collect::<Vec<_>>().join(", "))));
            }
            _ => {}
        }
        editor.set_time(self.now);
        let edit = editor.key(key);
        if let Some(text) = editor.take_copied() {
            self.copy(text.into());
        }
        edit
    }

    /// Asks for any other effect.
    pub fn push(&mut self, effect: Effect) {
        self.effects.push(effect);
    }
}
