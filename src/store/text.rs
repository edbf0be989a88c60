//! Text from outside as SQLite stores it: byte for byte. A damaged byte that is not UTF-8 does not prevent reading.

use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Row, RowIndex};

use crate::text::Untrusted;

impl ToSql for Untrusted {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.raw()))
    }
}

impl FromSql for Untrusted {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_bytes().map(|bytes| Self::from(&*String::from_utf8_lossy(bytes)))
    }
}

/// Reads a text that is never shown as it is. Fails if the column is neither text nor a blob.
pub(super) fn string(row: &Row, column: impl RowIndex) -> rusqlite::Result<String> {
    Ok(String::from_utf8_lossy(row.get_ref(column)?.as_bytes()?).into_owned())
}
