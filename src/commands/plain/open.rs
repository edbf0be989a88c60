//! The look-up of a conversation that the next message is to continue.

use crate::api::call::Ticket;
use crate::commands::request::ALL_IDS;
use crate::commands::{Output, Status, Task};
use crate::component::{Cx, Response};
use crate::record::{Id, Query, Rows, Stored};

/// Looks a conversation up; says so if it is not there.
#[derive(Debug)]
pub(super) struct Open {
    id: Id,
    asked: Option<Ticket>,
    status: Option<Status>,
}

impl Open {
    /// Creates the look-up.
    pub(super) fn new(id: Id) -> Self {
        Self { id, asked: None, status: None }
    }

    fn fail(&mut self, why: String, out: &mut Output) {
        out.notice(why);
        self.status = Some(Status::Usage);
    }
}

impl Task for Open {
    fn reads_store(&self) -> bool {
        true
    }

    fn start(&mut self, cx: &mut Cx, _out: &mut Output) {
        self.asked = Some(cx.load(Query::Conversation(self.id)));
    }

    fn reply(&mut self, ticket: Ticket, response: Response, _cx: &mut Cx, out: &mut Output) {
        let Response::Store(stored) = response else { return };
        if self.asked != Some(ticket) {
            return;
        }
        match stored {
            Stored::Rows(Rows::Conversation(Some(_))) => self.status = Some(Status::Done),
            Stored::Rows(Rows::Conversation(None)) => {
                self.fail(format!("there is no conversation {}: {ALL_IDS}, /new begins one", self.id.0), out);
            }
            Stored::Failed(why) => self.fail(format!("the conversation cannot be read: {}", why.line()), out),
            _ => {}
        }
    }

    fn interrupt(&mut self, _cx: &mut Cx, _out: &mut Output) {
        self.status = Some(Status::Usage);
    }

    fn status(&self) -> Option<Status> {
        self.status
    }
}
