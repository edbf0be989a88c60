//! Makes a list of a file of texts: its rows are copied into the store, some thousand at a time.

use crate::component::Cx;
use crate::record::work::FileText;
use crate::record::{Bench, Record, TextList, TextRow};
use crate::text::Untrusted;

/// Rows of one record.
const ROWS: usize = 10_000;
/// Bytes of text of one record, its last row apart.
const BYTES: usize = 4 << 20;

/// A new list and how much of it was handed out to be saved.
///
/// Hand out [`Self::next`] until it is `None`: the list itself comes first, then its rows. Save the next one when the
/// one before is committed, so that the texts are not twice in memory.
#[derive(Clone, Debug)]
pub(crate) struct ListImport {
    list: TextList,
    begun: bool,
    /// Rows handed out so far.
    at: usize,
}

impl ListImport {
    /// Creates a list of a file's texts, and its rows.
    pub(crate) fn new(
        bench: Bench,
        name: Untrusted,
        source: Untrusted,
        texts: Vec<FileText>,
        cx: &mut Cx,
    ) -> (Self, Vec<TextRow>) {
        let list = TextList {
            id: cx.id(),
            bench,
            name,
            source,
            created_ms: cx.unix_ms,
            updated_ms: cx.unix_ms,
            state: String::new(),
            rows: texts.len() as u64,
        };
        let rows = texts.into_iter().zip(0..).map(|(file, place)| {
            let (text, label) = (file.text, file.label);
            TextRow { id: cx.id(), place, name: Untrusted::default(), text, label }
        });
        let rows = rows.collect();
        (Self { list, begun: false, at: 0 }, rows)
    }

    /// Sets what the tab saves besides the rows ([`TextList::state`]).
    pub(crate) fn with_state(mut self, state: String) -> Self {
        self.list.state = state;
        self
    }

    /// Returns the list.
    pub(crate) fn list(&self) -> &TextList {
        &self.list
    }

    /// Returns how many rows it has handed out.
    pub(crate) fn handed_out(&self) -> u64 {
        self.at as u64
    }

    /// Returns the next record to save; `None`: all were handed out. `rows` are those that came with [`Self::new`].
    pub(crate) fn next(&mut self, rows: &[TextRow]) -> Option<Record> {
        if !self.begun {
            self.begun = true;
            return Some(Record::TextList(Box::new(self.list.clone())));
        }
        let left = rows.get(self.at..).filter(|rows| !rows.is_empty())?;
        let mut bytes = 0;
        let fits = left.iter().take(ROWS).take_while(|row| {
            let before = bytes;
            bytes += row.text.len();
            before < BYTES
        });
        let count = fits.count();
        self.at += count;
        Some(Record::TextRows { list: self.list.id, rows: left[..count].to_vec() })
    }
}
