//! The shape of each table's rows, so that a page itself shows whose rows it holds if no other page does.

use std::borrow::Cow;

use rusqlite::Connection;
use rusqlite::types::{ToSqlOutput, ValueRef};

use super::cells::{Cell, value};

/// The kind of values that a column holds; every table is STRICT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ColumnType {
    Integer,
    Real,
    Text,
    Blob,
}

/// A column.
#[derive(Debug)]
struct Column {
    name: String,
    column_type: ColumnType,
    /// Whether it may be NULL.
    null: bool,
    /// Whether older rows may lack it.
    missing: bool,
}

/// A table.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) table: String,
    columns: Vec<Column>,
    /// The column that is the row's key, which SQLite does not store twice.
    key: Option<usize>,
}

impl Shape {
    /// Reads the shape of a table. Fails if SQLite does.
    pub(super) fn of(connection: &Connection, table: &str) -> rusqlite::Result<Self> {
        let mut about = connection.prepare(&format!("PRAGMA table_info({table})"))?;
        let mut rows = about.query([])?;
        let (mut columns, mut keys) = (Vec::new(), Vec::new());
        while let Some(row) = rows.next()? {
            let column_type = match row.get_ref(2)?.as_str().unwrap_or_default() {
                "INTEGER" | "INT" => ColumnType::Integer,
                "REAL" => ColumnType::Real,
                "TEXT" => ColumnType::Text,
                _ => ColumnType::Blob,
            };
            let (required, default) = (row.get::<_, bool>(3)?, !matches!(row.get_ref(4)?, ValueRef::Null));
            let key = row.get::<_, i64>(5)? > 0;
            if key {
                keys.push(columns.len());
            }
            columns.push(Column {
                name: row.get(1)?,
                column_type,
                null: !required,
                missing: !key && (!required || default),
            });
        }
        let key = match *keys {
            [key] if columns[key].column_type == ColumnType::Integer => Some(key),
            _ => None,
        };
        Ok(Self { table: table.to_owned(), columns, key })
    }

    /// Returns the shape of the schema table, which is stored as the others are.
    pub(super) fn schema() -> Self {
        let column =
            |name: &str, column_type, null| Column { name: name.to_owned(), column_type, null, missing: false };
        let text = |name| column(name, ColumnType::Text, false);
        let columns = vec![
            text("type"),
            text("name"),
            text("tbl_name"),
            column("rootpage", ColumnType::Integer, true),
            column("sql", ColumnType::Text, true),
        ];
        Self { table: "sqlite_schema".to_owned(), columns, key: None }
    }

    /// Returns whether there is such a table.
    pub(super) fn is_there(&self) -> bool {
        !self.columns.is_empty()
    }

    /// Returns whether a row can belong to this table.
    pub(super) fn fits(&self, cell: &Cell<'_>) -> bool {
        let Some((types, _)) = cell.types() else { return false };
        let required = self.columns.iter().rposition(|column| !column.missing).map_or(0, |last| last + 1);
        (required..=self.columns.len()).contains(&types.len())
            && types.iter().zip(&self.columns).enumerate().all(|(at, (kind, column))| match kind {
                0 => column.null || self.key == Some(at),
                _ if self.key == Some(at) => false,
                1..=6 | 8 | 9 => column.column_type == ColumnType::Integer || column.column_type == ColumnType::Real,
                7 => column.column_type == ColumnType::Real,
                kind if *kind >= 12 => {
                    column.column_type == if kind % 2 == 0 { ColumnType::Blob } else { ColumnType::Text }
                }
                _ => false,
            })
    }

    /// Returns whether a row's text indicates this table, among those whose rows have the same shape.
    pub(super) fn recognises(&self, cell: &Cell<'_>) -> bool {
        let text = first_text(cell);
        let json = |open: &[u8]| text.starts_with(open);
        match self.table.as_str() {
            "tokens" => json(b"[["),
            // Its third number is a place in a text; that of a draft is a time.
            "parts" => !json(b"[[") && number(cell, 3).is_none_or(|place| place < TIME),
            "drafts" if self.columns.len() > 2 => !json(b"[[") && number(cell, 3).is_some_and(|at| at >= TIME),
            "drafts" => !json(b"[\""),
            "categories" => json(b"[\""),
            // The names of settings consist of two words; the other is a profile's.
            "settings" => text.contains(&b'.') || text.contains(&b':'),
            "asked" => !text.contains(&b'.') && !text.contains(&b':'),
            _ => true,
        }
    }

    /// Inserts a row's first values unless its key exists already.
    pub(super) fn insert(&self, values: usize) -> String {
        let columns = &self.columns[..values.min(self.columns.len())];
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let marks = vec!["?"; names.len()].join(", ");
        format!("INSERT OR IGNORE INTO {} ({}) VALUES ({marks})", self.table, names.join(", "))
    }

    /// Returns a row's values as they are inserted.
    pub(super) fn row<'a>(&'a self, key: i64, values: &[ValueRef<'a>]) -> Vec<ToSqlOutput<'a>> {
        let columns = self.columns.iter().zip(values).enumerate();
        columns
            .map(
                |(at, (column, value))| {
                    if self.key == Some(at) { ToSqlOutput::from(key) } else { column.readable(*value) }
                },
            )
            .collect()
    }
}

impl Column {
    /// Converts a value to the column's type. A single bit can make a number NULL or text a blob, and bytes that are
    /// not UTF-8 would make the row unreadable for good.
    fn readable<'a>(&self, value: ValueRef<'a>) -> ToSqlOutput<'a> {
        match (value, self.column_type) {
            (ValueRef::Null, ColumnType::Integer | ColumnType::Real) if !self.null => ToSqlOutput::from(0_i64),
            (ValueRef::Null, ColumnType::Text) if !self.null => ToSqlOutput::from(""),
            (ValueRef::Text(bytes), ColumnType::Blob) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
            (ValueRef::Text(bytes) | ValueRef::Blob(bytes), ColumnType::Text) => match String::from_utf8_lossy(bytes) {
                Cow::Borrowed(text) => ToSqlOutput::from(text),
                Cow::Owned(text) => ToSqlOutput::from(text),
            },
            (value, _) => ToSqlOutput::Borrowed(value),
        }
    }
}

/// No text is that long, and every time since 1973 is later: milliseconds.
const TIME: i64 = 100_000_000_000;

/// Returns the beginning of a row's first text.
fn first_text<'a>(cell: &Cell<'a>) -> &'a [u8] {
    let mut values = cell.values();
    values.find_map(|(kind, bytes)| (kind >= 13 && kind % 2 == 1).then_some(bytes)).unwrap_or_default()
}

/// Returns the number in a column of a row.
fn number(cell: &Cell<'_>, column: usize) -> Option<i64> {
    match cell.values().nth(column).map(|(kind, bytes)| value(kind, bytes)) {
        Some(ValueRef::Integer(number)) => Some(number),
        _ => None,
    }
}
