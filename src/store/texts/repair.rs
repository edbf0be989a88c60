//! Makes the lists' rows and the checks fit each other again after some were lost with a damaged file.

use rusqlite::Connection;

/// Rows whose owner is lost: given one where they hold text or scores, taken out where they mean nothing without it.
///
/// A list that is lost is taken for the bench's own where a setting names it so, else for a file's.
pub(crate) fn adopt(new: &Connection) -> rusqlite::Result<()> {
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
