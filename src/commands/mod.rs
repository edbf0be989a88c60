//! The commands: `benchtop chat`, `benchtop models` and so on, for scripts and pipelines. `docs/commands.md` is their
//! contract: what they print and how they exit.
//!
//! A command is a [`Task`]: it is told what came from client, store and work threads, asks for effects as a tab does,
//! and prints. [`run`] is the loop around it. Requests, records and costs are made by the same code as in the tabs.

mod advice;
pub mod chat;
pub mod complete;
pub mod completions;
pub mod config;
pub mod doctor;
pub mod doctor_checks;
pub mod embed;
pub mod export;
mod fields;
pub mod files;
mod input;
pub mod man;
pub mod models;
pub mod moderate;
mod output;
pub mod plain;
pub mod profiles;
mod progress_line;
mod request;
mod rows;
mod run;
mod signals;
mod status;
mod store_faults;
mod text_task;
mod texts;
pub mod tune;

pub use self::output::{Output, Reader};
pub use self::run::{Plan, Task, run};
pub use self::signals::end_at_signals;
pub use self::status::Status;
