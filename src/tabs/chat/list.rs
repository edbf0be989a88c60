//! The conversation list as rows: by age, filtered, the trash below.

use std::collections::HashSet;

use jiff::tz::TimeZone;
use jiff::{Timestamp, civil::Date};

use crate::record::{Head, Id};

/// One row of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Row {
    /// `Today`, `Yesterday`, …
    Section(String),
    /// A conversation.
    Item { id: Id, title: String, trashed: bool },
    /// The trash, folded or not, with its count.
    Trash(usize),
}

/// Replaces a conversation's line, or adds it; newest first.
pub(super) fn put(heads: &mut Vec<Head>, head: Head) {
    heads.retain(|other| other.conversation.id != head.conversation.id);
    let at = heads.partition_point(|other| other.conversation.updated_ms > head.conversation.updated_ms);
    heads.insert(at, head);
}

/// The rows to show. `found` are conversations whose text matches the filter.
pub(super) fn rows(heads: &[Head], filter: &str, found: &HashSet<Id>, trash_open: bool, now_ms: i64) -> Vec<Row> {
    let words = filter.to_lowercase();
    let matches = |head: &&Head| {
        words.trim().is_empty()
            || head.conversation.title.to_lowercase().contains(words.trim())
            || found.contains(&head.conversation.id)
    };
    let zone = TimeZone::system();
    let today = day(now_ms, &zone);
    let mut rows = Vec::new();
    let mut section = String::new();
    // One that was never used is a draft: its title says so.
    for head in heads.iter().filter(|head| head.conversation.trashed_ms.is_none()).filter(matches) {
        let name = age(day(head.conversation.updated_ms, &zone), today);
        if name != section {
            rows.push(Row::Section(name.clone()));
            section = name;
        }
        rows.push(item(head));
    }
    let trashed: Vec<&Head> =
        heads.iter().filter(|head| head.conversation.trashed_ms.is_some()).filter(matches).collect();
    if !trashed.is_empty() {
        rows.push(Row::Trash(trashed.len()));
        if trash_open {
            rows.extend(trashed.into_iter().map(item));
        }
    }
    rows
}

fn item(head: &Head) -> Row {
    let title = match head.conversation.title.as_str() {
        "" => "Draft".to_owned(),
        title => title.to_owned(),
    };
    Row::Item { id: head.conversation.id, title, trashed: head.conversation.trashed_ms.is_some() }
}

fn day(ms: i64, zone: &TimeZone) -> Date {
    Timestamp::from_millisecond(ms).unwrap_or_default().to_zoned(zone.clone()).date()
}

/// How a day is called, seen from today.
fn age(then: Date, today: Date) -> String {
    let days = today.since(then).map_or(0, |span| span.get_days());
    match days {
        ..=0 => "Today".to_owned(),
        1 => "Yesterday".to_owned(),
        2..=7 => "Last 7 days".to_owned(),
        8..=30 => "Last 30 days".to_owned(),
        _ => then.strftime("%B %Y").to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_called_as_people_call_them() {
        let today = Date::constant(2026, 3, 10);
        let called = |month, day| age(Date::constant(2026, month, day), today);
        assert_eq!(called(3, 10), "Today");
        assert_eq!(called(3, 9), "Yesterday");
        assert_eq!(called(3, 4), "Last 7 days");
        assert_eq!(called(2, 20), "Last 30 days");
        assert_eq!(called(1, 2), "January 2026");
    }
}
