//! How each profile's server is reached: resolved at the first call, and again when its key has changed.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::Runtime;
use crate::api::call::{Call, Failure, FailureKind, Progress, Ticket};
use crate::app::Event;
use crate::client;
use crate::component::Notice;
use crate::settings::{Endpoint, ProfileId};

/// Why calls to the local service fail once it has ended.
const ENDED: &str = "the local service has stopped: send again to restart it";

/// The state of resolving a profile's server.
pub(super) enum Reach {
    /// Being resolved.
    Coming {
        /// Effects that wait for it.
        waiting: Vec<Want>,
        /// Whether the profile changed meanwhile: the result will be obsolete.
        again: bool,
    },
    /// Resolved.
    Ready(Arc<Endpoint>),
}

/// What is to be done with a profile's server.
pub(super) enum Want {
    /// A call.
    Call(Ticket, Call),
    /// The call as a command on the clipboard.
    Curl(Call),
}

impl Runtime {
    pub(super) fn call(&mut self, ticket: Ticket, profile: ProfileId, call: Call) {
        self.want(profile, Want::Call(ticket, call));
    }

    pub(super) fn copy_curl(&mut self, profile: ProfileId, call: Call) {
        self.want(profile, Want::Curl(call));
    }

    fn want(&mut self, profile: ProfileId, want: Want) {
        match self.reach.get_mut(&profile) {
            Some(Reach::Ready(endpoint)) => {
                let endpoint = Arc::clone(endpoint);
                self.give(&endpoint, want);
            }
            Some(Reach::Coming { waiting, .. }) => waiting.push(want),
            None => {
                self.reach.insert(profile.clone(), Reach::Coming { waiting: vec![want], again: false });
                self.find(profile);
            }
        }
    }

    fn give(&self, endpoint: &Arc<Endpoint>, want: Want) {
        match want {
            Want::Call(ticket, call) => self.client.call(ticket, Arc::clone(endpoint), call),
            Want::Curl(call) => self.copy(client::curl(endpoint, &call).into()),
        }
    }

    /// Resolves how a profile's server is reached.
    fn find(&mut self, profile: ProfileId) {
        let events = self.events.clone();
        if profile != self.config.local {
            let resolve = Arc::clone(&self.config.resolve);
            tokio::spawn(async move {
                let id = profile.clone();
                let found = tokio::task::spawn_blocking(move || resolve(&id)).await;
                let endpoint =
                    found.unwrap_or_else(|_| Err("internal error in the profile; please report it".to_owned()));
                let _ = events.send(Event::Endpoint(profile, endpoint.map(Arc::new)));
            });
            return;
        }
        let (sender, mut addresses) = mpsc::unbounded_channel();
        (self.config.start_local)(sender);
        tokio::spawn(async move {
            let mut up = true;
            while let Some(address) = addresses.recv().await {
                up = address.is_ok();
                if events.send(Event::Endpoint(profile.clone(), address)).is_err() {
                    return;
                }
            }
            // Whoever still waits for an address waits in vain; why it did not start is reported already.
            if up {
                let _ = events.send(Event::Endpoint(profile, Err(ENDED.to_owned())));
            }
        });
    }

    /// Uses a profile's new key for calls from now on; calls in flight keep the old one.
    pub(super) fn renew(&mut self, profile: &ProfileId) {
        match self.reach.get_mut(profile) {
            Some(Reach::Coming { again, .. }) => *again = true,
            Some(Reach::Ready(_)) => drop(self.reach.remove(profile)),
            None => {}
        }
    }

    pub(super) fn reached(&mut self, profile: ProfileId, endpoint: Result<Arc<Endpoint>, String>) {
        let waiting = match self.reach.remove(&profile) {
            Some(Reach::Coming { waiting, again: true }) => {
                self.reach.insert(profile.clone(), Reach::Coming { waiting, again: false });
                return self.find(profile);
            }
            Some(Reach::Coming { waiting, .. }) => waiting,
            _ => Vec::new(),
        };
        match endpoint {
            Ok(endpoint) => {
                for want in waiting {
                    self.give(&endpoint, want);
                }
                self.reach.insert(profile, Reach::Ready(endpoint));
            }
            // Forgotten, so that the next call tries again.
            Err(why) => {
                // Of another profile the key, or what leads to it, is missing: no connection was tried.
                let local = profile == self.config.local;
                let kind = if local { FailureKind::Offline } else { FailureKind::Auth };
                for want in waiting {
                    let event = match want {
                        Want::Call(ticket, _) => {
                            Event::Progress(ticket, Progress::Closed(Err(Failure::new(kind, why.clone()))))
                        }
                        Want::Curl(_) => Event::Notice(Notice::error(format!("not copied: {why}"))),
                    };
                    let _ = self.events.send(event);
                }
            }
        }
    }

    /// Cancels a call, also one that still waits, or work.
    pub(super) fn cancel(&mut self, ticket: Ticket) {
        for reach in self.reach.values_mut() {
            if let Reach::Coming { waiting, .. } = reach {
                waiting.retain(|want| !matches!(want, Want::Call(waits, _) if *waits == ticket));
            }
        }
        self.client.cancel(ticket);
        self.workers.cancel(ticket);
    }
}
