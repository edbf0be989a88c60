//! The HTTP client. A worker runs each call in a task of its own; the progress of all calls returns through one
//! channel, each message with the ticket of its call.
//!
//! A call sends one request or several. This is how each goes; what the task reports is in brackets:
//!
//! ```text
//! ┌─► attempt ──► good status and headers ──► [Opened] ──► body ──► [Reply] …
//! │      │
//! │      ▼
//! │   failure ──► no other attempt is left or can help: the request has failed
//! │      │
//! └── [Retrying], a countdown, which Client::retry_now ends
//! ```
//!
//! The last message of a call is [`Progress::Closed`], with the failure if there was one. [`Client::cancel`] aborts the
//! task, which closes its socket; the task reports nothing more.

mod adapt;
mod answer;
mod certificate;
mod chat;
mod check;
mod completion;
mod curl;
mod download;
mod embedding;
mod endpoints;
mod failure;
mod fetch;
mod file_reader;
mod file_writer;
mod files;
mod follow;
mod headers;
mod http;
mod job_body;
mod jobs;
mod join;
mod knowledge;
mod listed_model;
mod moderation;
mod nan_filter;
mod perform;
mod pool;
mod progress;
mod random;
mod redact;
mod refused_fields;
mod request;
mod request_body;
mod response_body;
mod retry;
mod retry_after;
pub mod sse;
mod stream_format;
mod streamed_answer;
mod surrogates;
mod unpack;
mod upload;
mod vectors;
mod worker;

pub use self::curl::curl;

use std::sync::Arc;

use tokio::sync::mpsc;

use crate::api::call::{Call, Progress, Ticket};
use crate::api::capability::{Fact, Subject};
use crate::settings::{Endpoint, limits};

/// The shell's handle to the client. Its methods never wait; dropping it cancels all calls.
#[derive(Clone, Debug)]
pub struct Client {
    commands: mpsc::UnboundedSender<WorkerCommand>,
}

/// A command to the worker.
enum WorkerCommand {
    Call(Ticket, Arc<Endpoint>, Call),
    Cancel(Ticket),
    RetryNow(Ticket),
    Know(Fact),
    Forget(String, Subject),
}

impl Client {
    /// Starts the worker on the current Tokio runtime. The progress of all calls comes through the one receiver,
    /// which is bounded in bytes too, so that a slow screen slows down the sockets instead of filling memory.
    pub fn spawn() -> (Self, mpsc::Receiver<(Ticket, Progress)>) {
        let (commands, command_receiver) = mpsc::unbounded_channel();
        let (progress_sender, progress_receiver) = mpsc::channel(limits::PROGRESS_WAITING);
        tokio::spawn(worker::run(command_receiver, progress_sender));
        (Self { commands }, progress_receiver)
    }

    /// Starts a call. Exactly one [`Progress::Closed`] follows for the ticket, unless it is cancelled.
    pub fn call(&self, ticket: Ticket, endpoint: Arc<Endpoint>, call: Call) {
        self.command(WorkerCommand::Call(ticket, endpoint, call));
    }

    /// Cancels a call: its socket closes. Progress that already waits in the channel may still be received.
    pub fn cancel(&self, ticket: Ticket) {
        self.command(WorkerCommand::Cancel(ticket));
    }

    /// Ends a retry's countdown: the next attempt starts now.
    pub fn retry_now(&self, ticket: Ticket) {
        self.command(WorkerCommand::RetryNow(ticket));
    }

    /// Adds a fact about a server, which later calls take into account.
    pub fn know(&self, fact: Fact) {
        self.command(WorkerCommand::Know(fact));
    }

    /// Forgets the fact about a subject of a server, which is named by its base URL.
    pub fn forget(&self, server: String, subject: Subject) {
        self.command(WorkerCommand::Forget(server, subject));
    }

    fn command(&self, command: WorkerCommand) {
        // The worker ends only with the runtime, when nobody receives any more.
        let _ = self.commands.send(command);
    }
}
