//! Makes the lists' rows and the checks consistent again after some were lost with a damaged file.

use rusqlite::Connection;

/// Repairs rows whose owner is lost: creates an owner for those that hold text or scores, deletes those that mean
/// nothing without it.
///
/// A lost list becomes the bench's own if a setting says so, else a file's.
pub(crate) fn repair_rows(new: &Connection) -> rusqlite::Result<()> {
    new.execute_batch(
        "INSERT OR IGNORE INTO lists
             SELECT t.list, CASE WHEN t.list IN (SELECT list FROM answers) THEN 'score'
             WHEN s.name LIKE 'embed.%' THEN 'embed' ELSE 'moderate' END, 'Recovered',
             CASE WHEN s.name LIKE '%.bench' THEN '' ELSE 'Recovered' END, 0, 0, ''
             FROM texts t LEFT JOIN settings s ON s.value = CAST(t.list AS TEXT)
             WHERE t.list NOT IN (SELECT id FROM lists) GROUP BY t.list;
         INSERT OR IGNORE INTO asked (id, profile, model)
             SELECT asked, '', 'lost ' || asked FROM checks
             WHERE asked NOT IN (SELECT id FROM asked) GROUP BY asked;
         -- Scores of nobody knows what; their texts are checked anew.
         DELETE FROM checks WHERE categories NOT IN (SELECT id FROM categories);",
    )
}
