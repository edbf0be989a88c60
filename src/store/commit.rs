//! Commits records in one transaction.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rusqlite::{Connection, TransactionBehavior};

use super::error::{WriteError, is_busy, sentence};
use super::waiting::{Depends, RefusedRecords};

/// Whether a record was written.
pub(super) type WriteResult = Result<(), WriteError>;

/// Commits all records that can be written and returns a result for each. One that fails affects no other, except those
/// that depend on it.
pub(super) fn commit<R: Depends>(
    connection: &mut Connection,
    records: &[R],
    write: impl Fn(&Connection, &R) -> WriteResult + Copy,
) -> Vec<WriteResult> {
    match catch_panic(connection, records, write) {
        Ok(results) => results,
        Err(refusal) if records.len() == 1 => vec![Err(refusal)],
        Err(WriteError::Sqlite(error)) if is_busy(&error) => {
            let all = sentence(&error);
            let mut results: Vec<WriteResult> =
                records[1..].iter().map(|_| Err(WriteError::Deferred(all.clone()))).collect();
            results.insert(0, Err(WriteError::Sqlite(error)));
            results
        }
        // The disk is full or fails, or one of them cannot be written at all, and everything was rolled back: small or
        // valid records may succeed alone.
        Err(_) => {
            let mut refused = RefusedRecords::default();
            let mut alone = |record| {
                let result = refused.check(record).and_then(|()| {
                    catch_panic(connection, std::slice::from_ref(record), write)?.pop().unwrap_or(Ok(()))
                });
                refused.add_result(record, &result);
                result
            };
            records.iter().map(&mut alone).collect()
        }
    }
}

/// Calls [`write_in_transaction`] and turns a panic into an error.
fn catch_panic<R: Depends>(
    connection: &mut Connection,
    records: &[R],
    write: impl Fn(&Connection, &R) -> WriteResult,
) -> Result<Vec<WriteResult>, WriteError> {
    match catch_unwind(AssertUnwindSafe(|| write_in_transaction(connection, records, write))) {
        Ok(results) => Ok(results?),
        Err(_) => {
            // A transaction left open by a panic is rolled back explicitly: its guard may have been lost.
            if !connection.is_autocommit() {
                let _ = connection.execute_batch("ROLLBACK");
            }
            Err(WriteError::Invalid("internal error in the store; please report it".to_owned()))
        }
    }
}

/// Writes all records in one transaction, each in a savepoint. After an error nothing is stored.
fn write_in_transaction<R: Depends>(
    connection: &mut Connection,
    records: &[R],
    write: impl Fn(&Connection, &R) -> WriteResult,
) -> rusqlite::Result<Vec<WriteResult>> {
    let mut transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut results = Vec::with_capacity(records.len());
    let mut refused = RefusedRecords::default();
    for record in records {
        let savepoint = transaction.savepoint()?;
        let result = match refused.check(record).and_then(|()| write(&savepoint, record)) {
            Ok(()) => Ok(savepoint.commit()?),
            // Some failures (a full disk) end the whole transaction.
            Err(WriteError::Sqlite(error)) if savepoint.is_autocommit() => return Err(error),
            Err(refusal) => {
                savepoint.finish()?;
                Err(refusal)
            }
        };
        refused.add_result(record, &result);
        results.push(result);
    }
    transaction.commit()?;
    Ok(results)
}
