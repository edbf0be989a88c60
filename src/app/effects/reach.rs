//! Resolves how each profile's server is reached: at the first call, and again when its key may have changed.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::Services;
use super::services::LocalTasks;
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
    Resolving {
        /// What waits for it.
        waiting: Vec<Use>,
        /// Whether the profile changed meanwhile: the result will be obsolete.
        is_obsolete: bool,
    },
    /// Resolved.
    Ready(Arc<Endpoint>),
}

/// What needs a profile's server.
pub(super) enum Use {
    /// A call.
    Call(Ticket, Call),
    /// Copying a call as a `curl` command.
    Curl(Call),
}

impl Services {
    /// Makes a call to a profile's server.
    pub(super) fn call(&mut self, ticket: Ticket, profile: ProfileId, call: Call) {
        self.use_server(profile, Use::Call(ticket, call));
    }

    /// Resolves a profile's server for calls that will follow, unless it was done.
    pub fn resolve_ahead(&mut self, profile: ProfileId) {
        if !self.reach.contains_key(&profile) {
            self.reach.insert(profile.clone(), Reach::Resolving { waiting: Vec::new(), is_obsolete: false });
            self.resolve(profile);
        }
    }

    /// Copies a call to a profile's server as a `curl` command.
    pub(super) fn copy_curl(&mut self, profile: ProfileId, call: Call) {
        self.use_server(profile, Use::Curl(call));
    }

    /// Does something with a profile's server, now or once it is resolved.
    fn use_server(&mut self, profile: ProfileId, purpose: Use) {
        match self.reach.get_mut(&profile) {
            Some(Reach::Ready(endpoint)) => {
                let endpoint = Arc::clone(endpoint);
                self.use_endpoint(&endpoint, purpose);
            }
            Some(Reach::Resolving { waiting, .. }) => waiting.push(purpose),
            None => {
                self.reach.insert(profile.clone(), Reach::Resolving { waiting: vec![purpose], is_obsolete: false });
                self.resolve(profile);
            }
        }
    }

    /// Does something with a server that is resolved.
    fn use_endpoint(&self, endpoint: &Arc<Endpoint>, purpose: Use) {
        match purpose {
            Use::Call(ticket, call) => self.client.call(ticket, Arc::clone(endpoint), call),
            Use::Curl(call) => drop(self.events.send(Event::Copy(client::curl(endpoint, &call).into()))),
        }
    }

    /// Resolves how a profile's server is reached, in the background.
    fn resolve(&mut self, profile: ProfileId) {
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
        let service = (self.config.start_local)(sender);
        let addresses = tokio::spawn(async move {
            let mut is_up = true;
            while let Some(address) = addresses.recv().await {
                is_up = address.is_ok();
                if events.send(Event::Endpoint(profile.clone(), address)).is_err() {
                    return;
                }
            }
            // What waits for an address must fail. If the service did not start, it has failed already.
            if is_up {
                let _ = events.send(Event::Endpoint(profile, Err(ENDED.to_owned())));
            }
        });
        self.local = Some(LocalTasks { addresses, service });
    }

    /// Makes the next call resolve a profile's server again: its key may have changed. Calls in flight continue.
    pub(super) fn reset_endpoint(&mut self, profile: &ProfileId) {
        match self.reach.get_mut(profile) {
            Some(Reach::Resolving { is_obsolete, .. }) => *is_obsolete = true,
            Some(Reach::Ready(_)) => drop(self.reach.remove(profile)),
            None => {}
        }
    }

    /// Uses a resolved server for what waits for it and for later calls, or fails what waits.
    pub(super) fn set_endpoint(&mut self, profile: ProfileId, endpoint: Result<Arc<Endpoint>, String>) {
        let waiting = match self.reach.remove(&profile) {
            Some(Reach::Resolving { waiting, is_obsolete: true }) => {
                self.reach.insert(profile.clone(), Reach::Resolving { waiting, is_obsolete: false });
                return self.resolve(profile);
            }
            Some(Reach::Resolving { waiting, .. }) => waiting,
            _ => Vec::new(),
        };
        match endpoint {
            Ok(endpoint) => {
                for purpose in waiting {
                    self.use_endpoint(&endpoint, purpose);
                }
                self.reach.insert(profile, Reach::Ready(endpoint));
            }
            // Nothing is kept, so that the next call tries again.
            Err(why) => {
                // For other profiles than the local service no connection was tried: the key is missing.
                let local = profile == self.config.local;
                let kind = if local { FailureKind::Offline } else { FailureKind::Auth };
                for purpose in waiting {
                    let event = match purpose {
                        Use::Call(ticket, _) => {
                            Event::Progress(ticket, Progress::Closed(Err(Failure::new(kind, why.clone()))))
                        }
                        Use::Curl(_) => Event::Notice(Notice::error(format!("not copied: {why}"))),
                    };
                    let _ = self.events.send(event);
                }
            }
        }
    }

    /// Cancels a call, also one that still waits for its server, or work.
    pub(super) fn cancel(&mut self, ticket: Ticket) {
        for reach in self.reach.values_mut() {
            if let Reach::Resolving { waiting, .. } = reach {
                waiting.retain(|purpose| !matches!(purpose, Use::Call(waits, _) if *waits == ticket));
            }
        }
        self.client.cancel(ticket);
        self.workers.cancel(ticket);
    }
}
