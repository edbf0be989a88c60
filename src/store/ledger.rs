//! The ledger: what each answered request cost.

use rusqlite::{Connection, named_params};

use super::columns::to_column;
use super::error::WriteError;
use crate::record::{Cost, LedgerRow};
use crate::text::Untrusted;

/// Stores what a request cost, once. Fails if SQLite does.
pub(super) fn write(connection: &Connection, row: &LedgerRow) -> Result<(), WriteError> {
    connection
        .prepare_cached(
            "INSERT INTO ledger (request_id, at_ms, profile, tab, model, prompt_tokens, completion_tokens, estimated, \
             cost_nano) VALUES (:request_id, :at_ms, :profile, :tab, :model, :prompt_tokens, :completion_tokens, \
             :estimated, :cost_nano) ON CONFLICT (request_id) DO NOTHING",
        )?
        .execute(named_params! {
            ":request_id": row.request_id,
            ":at_ms": row.at_ms,
            ":profile": row.profile,
            ":tab": row.tab,
            ":model": row.model,
            ":prompt_tokens": to_column(row.prompt_tokens),
            ":completion_tokens": to_column(row.completion_tokens),
            ":estimated": row.estimated,
            ":cost_nano": row.cost_nano,
        })?;
    Ok(())
}

/// Sums the costs of a profile since `since_ms`. Summed here and not in SQL, where one absurd row would make every sum
/// overflow. Fails if SQLite does.
pub(super) fn spent(connection: &Connection, profile: &str, since_ms: i64) -> rusqlite::Result<Option<Cost>> {
    let mut statement = connection.prepare_cached("SELECT cost_nano FROM ledger WHERE profile = ?1 AND at_ms >= ?2")?;
    let mut rows = statement.query((profile, since_ms))?;
    let mut spent = None;
    while let Some(row) = rows.next()? {
        let cost = Cost::from(row.get::<_, Option<i64>>(0)?);
        spent = Some(spent.unwrap_or_default() + cost);
    }
    Ok(spent)
}

/// Returns the models of a profile that answered, the one used last first. Fails if SQLite does.
pub(super) fn models(connection: &Connection, profile: &str) -> rusqlite::Result<Vec<Untrusted>> {
    let mut statement = connection
        .prepare_cached("SELECT model FROM ledger WHERE profile = ?1 GROUP BY model ORDER BY MAX(at_ms) DESC")?;
    let rows = statement.query_map([profile], |row| row.get::<_, String>(0))?;
    rows.map(|model| model.map(Untrusted::from)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::schema;

    #[test]
    fn each_value_of_a_row_is_in_its_column() {
        let mut store = Connection::open_in_memory().unwrap();
        schema::migrate(&mut store).unwrap();
        let row = LedgerRow {
            request_id: "request".into(),
            at_ms: 1,
            profile: "profile".into(),
            tab: "Chat".into(),
            model: "model".into(),
            prompt_tokens: 2,
            completion_tokens: 3,
            estimated: true,
            cost_nano: Some(4),
        };
        write(&store, &row).unwrap();
        let text = |column: &str| -> String {
            store.query_row(&format!("SELECT CAST({column} AS TEXT) FROM ledger"), [], |row| row.get(0)).unwrap()
        };
        let columns = ["request_id", "at_ms", "profile", "tab", "model", "prompt_tokens", "completion_tokens"];
        assert_eq!(columns.map(text), ["request", "1", "profile", "Chat", "model", "2", "3"]);
        assert_eq!(["estimated", "cost_nano"].map(text), ["1", "4"]);
        let later = LedgerRow { request_id: "next".into(), at_ms: 2, model: "other".into(), ..row };
        write(&store, &later).unwrap();
        assert_eq!(models(&store, "profile").unwrap(), ["other", "model"].map(Untrusted::from));
        assert!(models(&store, "another").unwrap().is_empty());
    }
}
