//! The contents of a store, read while nobody writes it.

use std::path::Path;
use std::sync::mpsc::channel;

use benchtop::api::call::Ticket;
use benchtop::record::{Conversation, Query, Rows, Stored, Turn};
use benchtop::store::Store;

use super::LIMIT;

/// A conversation with all its turns, oldest first.
pub struct Kept {
    pub conversation: Conversation,
    pub turns: Vec<Turn>,
}

/// Opens the store of a data directory, and closes it once `read` has sent its queries.
pub fn read_store<T>(data: &Path, read: impl FnOnce(&dyn Fn(Query) -> Rows) -> T) -> T {
    let (send, answers) = channel();
    let store = Store::open(&data.join("benchtop.db"), move |_, stored| send.send(stored).unwrap_or_default()).unwrap();
    assert!(store.warnings().is_empty(), "{:?}", store.warnings());
    let ask = |query| {
        store.load(Ticket(1), query);
        match answers.recv_timeout(LIMIT).unwrap() {
            Stored::Rows(rows) => rows,
            other => panic!("{other:?}"),
        }
    };
    let found = read(&ask);
    assert!(store.close());
    found
}

/// Returns everything in the store of a data directory, the newest conversation first.
pub fn kept(data: &Path) -> Vec<Kept> {
    read_store(data, |ask| {
        let Rows::Heads(heads) = ask(Query::Heads) else { panic!() };
        let read = |head: benchtop::record::Head| {
            let Rows::Outline(_, outline) = ask(Query::Outline(head.conversation.id)) else { panic!() };
            let ids = outline.into_iter().map(|(id, _)| id).collect();
            let Rows::Turns(turns) = ask(Query::Turns(ids)) else { panic!() };
            Kept { conversation: head.conversation, turns }
        };
        heads.into_iter().map(read).collect()
    })
}

/// Returns the texts of the only conversation: role and content, oldest first.
pub fn texts(data: &Path) -> Vec<(String, String)> {
    let all = kept(data);
    assert_eq!(all.len(), 1, "one conversation");
    all.into_iter()
        .flat_map(|one| one.turns)
        .map(|turn| (turn.role.raw().to_owned(), turn.content.raw().to_owned()))
        .collect()
}
