//! Requests that are under way.

use std::collections::HashMap;

use crate::api::call::Ticket;

/// Requests under way by ticket, each with its purpose. A reply is routed by the purpose of its ticket.
#[derive(Clone, Debug)]
pub struct Pending<T>(HashMap<Ticket, T>);

impl<T> Default for Pending<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<T> Pending<T> {
    /// Adds a request.
    pub fn insert(&mut self, ticket: Ticket, purpose: T) {
        self.0.insert(ticket, purpose);
    }

    /// Returns the purpose of a request that stays under way.
    pub fn get(&self, ticket: Ticket) -> Option<&T> {
        self.0.get(&ticket)
    }

    /// Removes a request that has ended and returns its purpose; `None`: another component made it, or it was
    /// forgotten.
    pub fn take(&mut self, ticket: Ticket) -> Option<T> {
        self.0.remove(&ticket)
    }

    /// Returns whether a request with such a purpose is under way.
    pub fn any(&self, wanted: impl Fn(&T) -> bool) -> bool {
        self.0.values().any(wanted)
    }

    /// Returns the ticket of a request with such a purpose.
    pub fn ticket(&self, wanted: impl Fn(&T) -> bool) -> Option<Ticket> {
        self.0.iter().find(|(_, purpose)| wanted(purpose)).map(|(ticket, _)| *ticket)
    }

    /// Removes the requests with such a purpose and returns their tickets; later replies to these are ignored.
    pub fn forget(&mut self, unwanted: impl Fn(&T) -> bool) -> Vec<Ticket> {
        self.0.extract_if(|_, purpose| unwanted(purpose)).map(|(ticket, _)| ticket).collect()
    }

    /// Returns all purposes, in no order.
    pub fn purposes(&self) -> impl Iterator<Item = &T> {
        self.0.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_for_who_asked_and_for_nobody_after_that() {
        let mut pending = Pending::default();
        pending.insert(Ticket(1), "list");
        pending.insert(Ticket(2), "delete");
        assert_eq!(pending.take(Ticket(3)), None, "nobody asked for this");
        assert_eq!(pending.take(Ticket(1)), Some("list"));
        assert_eq!(pending.take(Ticket(1)), None);
        assert!(pending.any(|purpose| *purpose == "delete"));
        assert_eq!(pending.ticket(|purpose| *purpose == "delete"), Some(Ticket(2)));
        assert_eq!(pending.forget(|purpose| *purpose == "delete"), [Ticket(2)]);
        assert_eq!(pending.take(Ticket(2)), None);
    }
}
