//! Lists of texts in the store, and the results of services for their texts.
//!
//! A check belongs to its text and to no list: the same text has the same checks in every list.

mod load;
mod repair;
mod save;
mod score;

pub(super) use load::{checks, list_checks, lists, texts};
pub(super) use repair::repair_rows;
pub(super) use save::{delete_list, delete_rows, write_checks, write_list, write_rows};

use crate::record::Bench;

/// Returns the word that a bench is stored as.
fn word(bench: Bench) -> &'static str {
    match bench {
        Bench::Moderate => "moderate",
        Bench::Embed => "embed",
        Bench::Score => "score",
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rusqlite::Connection;

    use super::super::commit::commit;
    use super::super::drafts::Copies;
    use super::super::error::WriteError;
    use super::super::schema::{self, Medium};
    use super::super::write::write as keep;
    use super::*;
    use crate::record::{Check, Id, Record, TextKey, TextList, TextRow};

    fn write(connection: &Connection, record: &Record) -> Result<(), WriteError> {
        keep(connection, record, &Copies::alone())
    }

    #[test]
    fn a_full_disk_refuses_what_does_not_fit_and_no_more() {
        let mut store = Connection::open_in_memory().unwrap();
        schema::prepare(&store, Medium::Memory).unwrap();
        schema::migrate(&mut store).unwrap();
        let list = TextList {
            id: Id(1),
            bench: Bench::Moderate,
            name: "a".into(),
            source: "".into(),
            created_ms: 0,
            updated_ms: 0,
            state: String::new(),
            rows: 0,
        };
        let rows = |first: i64, length: usize| {
            let row = |n: i64| {
                let text = "x".repeat(length).into();
                TextRow { id: Id(first + n), place: n as u32, name: "".into(), text, label: None }
            };
            Record::TextRows { list: Id(1), rows: (0..10).map(row).collect() }
        };
        let check = Check {
            id: Id(7),
            text: TextKey([1; 16]),
            profile: String::new(),
            asked: "m".into(),
            model: "m".into(),
            at_ms: 0,
            latency_ms: 0,
            flagged: false,
            categories: Arc::from(["hate".into()]),
            scores: [None].into(),
            flags: [None].into(),
        };
        assert!(commit(&mut store, &[Record::TextList(Box::new(list))], write)[0].is_ok());
        let pages: i64 = store.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
        store.pragma_update_and_check(None, "max_page_count", pages + 10, |_| Ok(())).unwrap();
        let results = commit(&mut store, &[rows(10, 10), rows(50, 100_000), Record::Checks(vec![check])], write);
        assert!(results[0].is_ok() && results[2].is_ok(), "{results:?}");
        assert!(results[1].as_ref().unwrap_err().sentence().starts_with("disk full"), "{results:?}");
        // None of them is stored partially.
        let (_, found) = texts(&store, Id(1)).unwrap().unwrap();
        assert_eq!(found.len(), 10);
        assert_eq!(checks(&store, &[TextKey([1; 16])]).unwrap().len(), 1);
    }
}
