//! Whether a store holds what was acknowledged. Knows nothing of who wrote it, so any program can be held to it.

use std::path::Path;
use std::sync::mpsc::channel;
use std::time::Duration;

use benchtop::api::call::Ticket;
use benchtop::record::{Id, Query, Rows, Stored, TurnStatus};
use benchtop::store::Store;

/// What must be in the store.
pub struct Kept {
    pub turn: Id,
    /// Acknowledged text: the stored one begins with it.
    pub content: String,
    pub reasoning: String,
    /// All there was to write: the stored text goes no further and says nothing else.
    pub all_content: String,
    pub all_reasoning: String,
    /// Whether the finished turn was acknowledged.
    pub whole: bool,
}

/// Opens the store and compares; the first loss as a sentence.
pub fn kept(path: &Path, expected: &[Kept]) -> Result<(), String> {
    let (send, answers) = channel();
    let store = Store::open(path, move |_, stored| send.send(stored).unwrap_or_default()).map_err(|e| e.to_string())?;
    if !store.warnings().is_empty() {
        return Err(store.warnings().join("; "));
    }
    store.load(Ticket(1), Query::Turns(expected.iter().map(|kept| kept.turn).collect()));
    let turns = match answers.recv_timeout(Duration::from_mins(1)) {
        Ok(Stored::Rows(Rows::Turns(turns))) => turns,
        other => return Err(format!("no turns came: {other:?}")),
    };
    for kept in expected {
        let id = kept.turn.0;
        let Some(turn) = turns.iter().find(|turn| turn.id == kept.turn) else {
            return Err(format!("turn {id} is lost"));
        };
        for (what, stored, acknowledged, all) in [
            ("content", turn.content.raw(), &kept.content, &kept.all_content),
            ("reasoning", turn.reasoning.raw(), &kept.reasoning, &kept.all_reasoning),
        ] {
            if !stored.starts_with(acknowledged.as_str()) {
                return Err(format!("turn {id} holds {} of {} bytes {what}", stored.len(), acknowledged.len()));
            }
            if !all.starts_with(stored) {
                return Err(format!("turn {id} holds {what} that nobody wrote"));
            }
        }
        if kept.whole && turn.status != TurnStatus::Done {
            return Err(format!("turn {id} was finished and is {:?}", turn.status));
        }
    }
    if store.close() { Ok(()) } else { Err("the store did not close".to_owned()) }
}
