//! Searches conversations by the words in them.

use std::borrow::Cow;
use std::fmt::Write as _;

use rusqlite::{Connection, OptionalExtension, params_from_iter};

use super::limits::{HITS, MAX_SEARCH_WORDS, SEARCHED, SNIPPET};
use crate::record::Id;
use crate::text::Untrusted;

/// Adds a title or a finished turn to the search index (replacing the text of its row). Fails if SQLite does.
pub(super) fn index(connection: &Connection, row: Id, text: &str) -> rusqlite::Result<()> {
    forget(connection, row)?;
    if !text.is_empty() {
        connection
            .prepare_cached("INSERT INTO words (rowid, text) VALUES (?1, ?2)")?
            .execute((row.0, spread(&text[..text.floor_char_boundary(SEARCHED)]).as_ref()))?;
    }
    Ok(())
}

/// Removes a row from the search index. Fails if SQLite does.
pub(super) fn forget(connection: &Connection, row: Id) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM words WHERE rowid = ?1")?.execute([row.0])?;
    Ok(())
}

/// Finds conversations that contain all the words, perhaps in different turns: (conversation, its best turn, a
/// snippet). Each word also matches longer ones that begin with it. Those in the trash come last. Fails if SQLite does.
pub(super) fn find(connection: &Connection, words: &str) -> rusqlite::Result<Vec<(Id, Id, Untrusted)>> {
    let words: Vec<&str> =
        words.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).take(MAX_SEARCH_WORDS).collect();
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let terms: Vec<String> = words.iter().map(|word| term(word)).collect();
    let rows = "FROM words w LEFT JOIN turns t ON t.id = w.rowid WHERE words MATCH";
    let mut sql = format!(
        "SELECT c.id, h.turn, coalesce(c.leaf, (SELECT max(id) FROM turns WHERE conversation = c.id)), c.title FROM \
         (SELECT coalesce(t.conversation, w.rowid) AS owner, t.id AS turn, min(w.rank) AS rank {rows} ?1 GROUP BY 1) h \
         JOIN conversations c ON c.id = h.owner WHERE TRUE"
    );
    if terms.len() > 1 {
        for n in 0..terms.len() {
            // Writing to a String cannot fail.
            let _ = write!(sql, " AND c.id IN (SELECT coalesce(t.conversation, w.rowid) {rows} ?{})", n + 2);
        }
    }
    let _ = write!(sql, " ORDER BY c.trashed_ms IS NOT NULL, h.rank, c.updated_ms DESC LIMIT {HITS}");
    let any = terms.join(" OR ");
    let single = terms.len() == 1;
    let arguments = std::iter::once(&any).chain(terms.iter().filter(|_| !single));
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query(params_from_iter(arguments))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let conversation = Id(row.get(0)?);
        let (turn, text) = match row.get::<_, Option<i64>>(1)? {
            Some(turn) => (Id(turn), content(connection, turn)?),
            // Only the title matches: the turn to show is the one that was shown last, or the last one.
            None => (Id(row.get::<_, Option<i64>>(2)?.unwrap_or_default()), row.get(3)?),
        };
        found.push((conversation, turn, snippet(&text, &words).into()));
    }
    Ok(found)
}

fn content(connection: &Connection, turn: i64) -> rusqlite::Result<String> {
    let text = connection
        .prepare_cached("SELECT content FROM turns WHERE id = ?1")?
        .query_row([turn], |row| row.get(0))
        .optional()?;
    Ok(text.unwrap_or_default())
}

/// Returns a word as a search term: quoted, so that it is never an operator, and as a prefix.
fn term(word: &str) -> String {
    format!("\"{}\"*", spread(word).trim())
}

/// Returns whether a character belongs to a script without spaces between words: it becomes a word of its own.
fn unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Separates the characters of Chinese, Japanese and Thai by spaces, so that any part of such a text can be found.
fn spread(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.chars().any(unspaced) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() * 2);
    for c in text.chars() {
        if unspaced(c) {
            out.extend([' ', c, ' ']);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Returns the text around the first occurrence of one of the words, on one line.
fn snippet(text: &str, words: &[&str]) -> String {
    let first: Vec<char> = words.iter().filter_map(|word| word.chars().next()).flat_map(char::to_lowercase).collect();
    let begins = |rest: &str| {
        words.iter().any(|word| {
            let mut rest = rest.chars().flat_map(char::to_lowercase);
            word.chars().flat_map(char::to_lowercase).all(|c| rest.next() == Some(c))
        })
    };
    let mut inside = false;
    let hit = text
        .char_indices()
        .find(|&(at, c)| {
            let start = !std::mem::replace(&mut inside, c.is_alphanumeric() && !unspaced(c)) && c.is_alphanumeric();
            start && c.to_lowercase().next().is_some_and(|c| first.contains(&c)) && begins(&text[at..])
        })
        .map_or(0, |(at, _)| at);
    // A third of the snippet precedes the word, beginning with a whole word.
    let mut from = text[..hit].char_indices().rev().nth(SNIPPET / 3).map_or(0, |(at, _)| at);
    if from > 0 {
        from = text[from..hit].find(char::is_whitespace).map_or(from, |space| from + space);
    }
    let mut out = String::new();
    if from > 0 {
        out.push('…');
    }
    let mut words = text[from..].split_whitespace();
    let mut length = 0;
    while length < SNIPPET {
        let Some(word) = words.next() else { return out };
        if length > 0 {
            out.push(' ');
        }
        out.extend(word.chars().take(SNIPPET - length));
        length += word.chars().take(SNIPPET).count() + 1;
    }
    out.push('…');
    out
}
