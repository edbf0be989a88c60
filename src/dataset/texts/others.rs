//! The columns of a file of texts that are neither its text nor its label.

use std::path::Path;

use super::field::Value;
use super::rows::{Row, cells};
use super::{Moved, TextLimits, TextPreview, each_text, size, utf8};
use crate::record::work::{FileText, Layout};
use crate::record::{TextRow, TextSource};

/// Columns and their cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OtherColumns {
    /// Names of the columns.
    pub names: Vec<String>,
    /// A row for each text, a cell for each column.
    pub rows: Vec<Vec<String>>,
}

/// Reads the other columns of a file that texts were read from. Fails with a sentence if the file cannot be read, has
/// changed, or its other columns hold more text than `limits` allows for all texts.
pub fn other_columns(
    path: &Path,
    source: &TextSource,
    texts: &[TextRow],
    limits: TextLimits,
    moved: Moved,
) -> Result<OtherColumns, String> {
    let columns = source.columns;
    let mut found = OtherColumns::default();
    if columns.layout == Layout::Lines {
        return Ok(found);
    }
    let changed = || "it has changed since it was opened".to_owned();
    let is_other = |at: &usize| *at != columns.text && Some(*at) != columns.label;
    let mut bytes = 0;
    let mut take = |text: FileText, row: &Row<'_>, look: &TextPreview| {
        if texts.get(found.rows.len()).is_none_or(|known| known.text != text.text) {
            return Err(changed());
        }
        let others: Vec<usize> = (0..look.names.len()).filter(is_other).collect();
        let cells = others_of(row, look, &others)?;
        bytes += cells.iter().map(String::len).sum::<usize>();
        if bytes > limits.text {
            return Err(format!("they contain more than {} of text", size(limits.text as u64)));
        }
        if found.names.is_empty() {
            found.names = others.iter().map(|at| look.names[*at].clone()).collect();
        }
        found.rows.push(cells);
        Ok(())
    };
    let (_, stamp) = each_text(path, columns, limits, moved, &mut take)?;
    if stamp == source.stamp && found.rows.len() == texts.len() { Ok(found) } else { Err(changed()) }
}

/// Returns a row's cells at these places; missing ones are empty.
fn others_of(row: &Row<'_>, look: &TextPreview, places: &[usize]) -> Result<Vec<String>, String> {
    if let Some(part) = look.part {
        let mut cells = cells(row.bytes, part);
        let take = |at: &usize| cells.get_mut(*at).map(std::mem::take).unwrap_or_default();
        return Ok(places.iter().map(take).map(|cell| String::from_utf8_lossy(&cell).into_owned()).collect());
    }
    let value: Value = serde_json::from_str(utf8(row)?).map_err(|why| why.to_string())?;
    let shown = |at: &usize| look.fields[*at].of(&value).map(Value::shown).unwrap_or_default();
    Ok(places.iter().map(shown).collect())
}
