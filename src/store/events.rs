//! Events of the store's threads that answer no request.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

/// An event of the store that answers no request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreEvent {
    /// A sentence for the user.
    Warning(String),
    /// A store that was read-only can be written again.
    Writable,
}

/// Sends events to the subscriber; without one they are queued.
#[derive(Clone, Default)]
pub(super) struct StoreEvents(Arc<Mutex<Subscriber>>);

enum Subscriber {
    None(Vec<StoreEvent>),
    Open(Box<dyn Fn(StoreEvent) + Send>),
}

impl Default for Subscriber {
    fn default() -> Self {
        Self::None(Vec::new())
    }
}

impl StoreEvents {
    /// Sends an event.
    pub(super) fn send(&self, event: StoreEvent) {
        match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Subscriber::None(queue) => queue.push(event),
            Subscriber::Open(subscriber) => subscriber(event),
        }
    }

    /// Sends queued events and all later ones to `subscriber`.
    pub(super) fn subscribe(&self, subscriber: impl Fn(StoreEvent) + Send + 'static) {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Subscriber::None(queue) = mem::take(&mut *current) {
            queue.into_iter().for_each(&subscriber);
        }
        *current = Subscriber::Open(Box::new(subscriber));
    }
}
