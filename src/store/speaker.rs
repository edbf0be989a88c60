//! What the store's threads have to say that nobody asked for.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

/// Something the store says by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreEvent {
    /// A sentence that should stay until it was read.
    Warning(String),
    /// A store that could only be read can be written again.
    Writable,
}

/// Says things to whoever hears, or keeps them until somebody does.
#[derive(Clone, Default)]
pub(super) struct Speaker(Arc<Mutex<Ears>>);

enum Ears {
    None(Vec<StoreEvent>),
    Open(Box<dyn Fn(StoreEvent) + Send>),
}

impl Default for Ears {
    fn default() -> Self {
        Self::None(Vec::new())
    }
}

impl Speaker {
    /// Says something.
    pub(super) fn say(&self, said: StoreEvent) {
        match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Ears::None(kept) => kept.push(said),
            Ears::Open(hears) => hears(said),
        }
    }

    /// All that was and will be said goes to `hears`.
    pub(super) fn subscribe(&self, hears: impl Fn(StoreEvent) + Send + 'static) {
        let mut ears = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ears::None(kept) = mem::take(&mut *ears) {
            kept.into_iter().for_each(&hears);
        }
        *ears = Ears::Open(Box::new(hears));
    }
}
