//! Stored data: tabs build it, the store writes it. Also the orders to the store and to the work threads.
//!
//! Ids are created with the record ([`Id::generate`]), so that a screen never waits for the store.

pub mod answers;
pub mod blocks;
pub mod completion;
pub mod conversation;
pub mod cost;
pub mod curves;
pub mod files;
pub mod parameter_bounds;
pub mod requests;
pub mod texts;
mod tool_command;
pub mod training;
pub mod vectors;
pub mod work;

pub use answers::{Answer, Mark, Marked};
pub use blocks::{Block, Details};
pub use completion::{Alternative, CompletionParams, Made, ModelParams, Preset, Run, Sheet, Step, Token};
pub use conversation::{ChatParams, Conversation, Head, Turn, TurnStatus};
pub use cost::Cost;
pub use requests::{LedgerRow, Query, Record, Rows, Stored};
pub use texts::{Bench, Check, Stamp, TextKey, TextList, TextRow, TextSource, VectorKey};
pub use tool_command::{ToolCommand, ToolOutput};
pub use vectors::VectorTable;

use serde::{Deserialize, Serialize};

/// Names a record; unique over all copies of benchtop that share a store, ordered by time of making.
///
/// 63 bits: 42 of Unix milliseconds, 21 chosen by the creator (random, then counting).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Id(pub i64);

impl Id {
    /// Returns an id for a record made at `unix_ms`; the low 21 bits of `salt` distinguish it from others of that
    /// millisecond.
    pub fn generate(unix_ms: i64, salt: u64) -> Self {
        Self(((unix_ms & 0x3ff_ffff_ffff) << 21) | (salt & 0x1f_ffff) as i64)
    }
}
