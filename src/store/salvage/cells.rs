//! Rows in the pages of a table: cells, payloads, records.

use std::collections::HashSet;

use rusqlite::types::ValueRef;

use super::pages::{HEADER, Pages, number};

/// What a page of a table contains.
pub(super) enum Kind {
    /// Child pages, and the greatest key in each; the last page has none.
    Interior(Vec<(u32, Option<i64>)>),
    /// Offsets of its rows.
    Leaf(Vec<usize>),
}

/// Reads a page of a table's tree; `None`: it is none. Sets `sound` to false if parts of it are invalid.
pub(super) fn kind(page: &[u8], first: bool, sound: &mut bool) -> Option<Kind> {
    let start = if first { HEADER } else { 0 };
    let (leaf, array) = match page[start] {
        0x05 => (false, start + 12),
        0x0d => (true, start + 8),
        _ => return None,
    };
    let count = usize::from(u16::from_be_bytes([page[start + 3], page[start + 4]]));
    if array + 2 * count > page.len() {
        *sound = false;
    }
    let places = page[array..].chunks_exact(2).take(count).map(|two| usize::from(u16::from_be_bytes([two[0], two[1]])));
    let (good, bad): (Vec<usize>, Vec<usize>) = places.partition(|place| (array..page.len() - 4).contains(place));
    *sound &= bad.is_empty();
    if leaf {
        return Some(Kind::Leaf(good));
    }
    let mut children = Vec::with_capacity(good.len() + 1);
    for place in good {
        let key = varint(&page[place + 4..]).map(|(key, _)| key as i64);
        *sound &= key.is_some();
        children.push((number(page, place), key));
    }
    children.push((number(page, start + 8), None));
    Some(Kind::Interior(children))
}

/// Returns the places of a leaf's rows; `None`: it is no leaf.
pub(super) fn rows(page: &[u8], first: bool) -> Option<Vec<usize>> {
    match kind(page, first, &mut true)? {
        Kind::Leaf(places) => Some(places),
        Kind::Interior(_) => None,
    }
}

/// A row as far as its own page contains it.
pub(super) struct Cell<'a> {
    pub(super) key: i64,
    /// The beginning of the payload, or the complete payload.
    local: &'a [u8],
    /// Length of the payload.
    length: usize,
    /// The overflow page with the next part.
    next: u32,
}

impl<'a> Cell<'a> {
    /// Reads the cell at a place of a leaf.
    pub(super) fn read(page: &'a [u8], place: usize) -> Option<Self> {
        let (length, first) = varint(&page[place..])?;
        let (key, second) = varint(page.get(place + first..)?)?;
        let from = place + first + second;
        let length = usize::try_from(length).ok().filter(|length| *length < 1 << 31)?;
        let here = local(length, page.len());
        let bytes = page.get(from..from + here)?;
        let next = if here < length { page.get(from + here..from + here + 4).map(|next| number(next, 0))? } else { 0 };
        Some(Self { key: key as i64, local: bytes, length, next })
    }

    /// Returns the types of the row's values, as SQLite numbers them, and where the values begin.
    pub(super) fn types(&self) -> Option<(Vec<u64>, usize)> {
        types(self.local)
    }

    /// Returns the types and bytes of the row's values, as far as they are in the page itself.
    pub(super) fn values(&self) -> impl Iterator<Item = (u64, &'a [u8])> {
        let (types, mut at) = self.types().unwrap_or_default();
        let row = self.local;
        types.into_iter().map_while(move |kind| {
            let rest = row.get(at..)?;
            let length = width(kind)?;
            at = at.saturating_add(length);
            Some((kind, &rest[..length.min(rest.len())]))
        })
    }

    /// Returns the whole payload; `None`: a page on which it continues cannot be read.
    pub(super) fn payload(&self, pages: &Pages) -> Option<Vec<u8>> {
        let mut bytes = self.local.to_vec();
        let mut next = self.next;
        let mut seen = HashSet::new();
        while bytes.len() < self.length {
            if !seen.insert(next) {
                return None;
            }
            let page = pages.read(next)?;
            let here = (self.length - bytes.len()).min(pages.size() - 4);
            bytes.extend_from_slice(&page[4..4 + here]);
            next = number(&page, 0);
        }
        (next == 0).then_some(bytes)
    }
}

/// Returns how many bytes of a payload are in a leaf itself; `size`: bytes of a page.
fn local(length: usize, size: usize) -> usize {
    let (most, least) = (size - 35, (size - 12) * 32 / 255 - 23);
    if length <= most {
        return length;
    }
    let fitting = least + (length - least) % (size - 4);
    if fitting <= most { fitting } else { least }
}

fn types(record: &[u8]) -> Option<(Vec<u64>, usize)> {
    let (header, mut at) = varint(record)?;
    let header = usize::try_from(header).ok().filter(|header| *header <= record.len())?;
    let mut types = Vec::new();
    while at < header {
        let (value, length) = varint(&record[at..header])?;
        types.push(value);
        at += length;
    }
    Some((types, header))
}

/// Returns the values of a record; `None`: it does not end where it should.
pub(super) fn values(record: &[u8]) -> Option<Vec<ValueRef<'_>>> {
    let (types, mut at) = types(record)?;
    let mut values = Vec::with_capacity(types.len());
    for kind in types {
        let end = at.checked_add(width(kind)?)?;
        values.push(value(kind, record.get(at..end)?));
        at = end;
    }
    (at == record.len()).then_some(values)
}

/// Returns the bytes of a value of a type; `None` for a reserved type.
fn width(kind: u64) -> Option<usize> {
    Some(match kind {
        0 | 8 | 9 => 0,
        1..=4 => kind as usize,
        5 => 6,
        6 | 7 => 8,
        10 | 11 => return None,
        text => usize::try_from((text - 12) / 2).ok()?,
    })
}

/// Converts bytes into a value of a type.
pub(super) fn value(kind: u64, bytes: &[u8]) -> ValueRef<'_> {
    match kind {
        0 => ValueRef::Null,
        7 => ValueRef::Real(f64::from_bits(integer(bytes) as u64)),
        1..=6 => ValueRef::Integer(integer(bytes)),
        8 | 9 => ValueRef::Integer(kind as i64 - 8),
        kind if kind % 2 == 0 => ValueRef::Blob(bytes),
        _ => ValueRef::Text(bytes),
    }
}

fn integer(bytes: &[u8]) -> i64 {
    let sign = if bytes.first().is_some_and(|first| *first >= 0x80) { -1 } else { 0 };
    bytes.iter().fold(sign, |number, byte| number << 8 | i64::from(*byte))
}

/// Reads a number of up to nine bytes; also returns how many they are.
fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut number = 0;
    for (at, byte) in bytes.iter().take(8).enumerate() {
        number = number << 7 | u64::from(byte & 0x7f);
        if *byte < 0x80 {
            return Some((number, at + 1));
        }
    }
    bytes.get(8).map(|last| (number << 8 | u64::from(*last), 9))
}
