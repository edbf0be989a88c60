//! The commands: `benchtop chat`, `benchtop models` and so on, for scripts and pipelines. `docs/commands.md` is their
//! contract: what they print and how they exit.
//!
//! A command is a [`Task`]: it is told what came from client, store and work threads, asks for effects as a tab does,
//! and prints. [`run`] is the loop around it. Requests, records and costs are made by the same code as in the tabs.

pub mod chat;
pub mod complete;
pub mod embed;
mod fields;
mod input;
pub mod models;
pub mod moderate;
mod output;
pub mod plain;
mod request;
mod run;
mod status;
mod text_task;
mod texts;

pub use self::output::{Output, Reader};
pub use self::run::{Plan, Task, run};
pub use self::status::Status;
