//! Makes the playground's rows consistent again after some were lost with a damaged file.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use super::load;
use crate::record::{Id, Step};

/// A caret beyond any text; [`repair_steps`] moves it to the end of the text.
const BEHIND: i64 = i64::MAX;

/// Repairs rows whose owner is lost: creates an owner for those that hold text, deletes those that mean nothing without
/// it. Fails if SQLite does.
pub(crate) fn repair_rows(new: &Connection) -> rusqlite::Result<()> {
    new.execute_batch(&format!(
        "INSERT OR IGNORE INTO sheets
             SELECT sheet, min(created_ms), max(created_ms), max(id), {BEHIND} FROM steps GROUP BY sheet;
         INSERT OR IGNORE INTO sheets
             SELECT sheet, min(created_ms), max(created_ms), NULL, 0 FROM runs GROUP BY sheet;
         UPDATE sheets SET caret = {BEHIND}, current = (SELECT max(id) FROM steps WHERE sheet = sheets.id)
             WHERE current IS NOT NULL AND current NOT IN (SELECT id FROM steps WHERE sheet = sheets.id);
         UPDATE runs SET parent = NULL WHERE parent NOT IN (SELECT id FROM steps);
         DELETE FROM grown WHERE step NOT IN (SELECT id FROM steps);
         DELETE FROM tokens WHERE owner NOT IN (SELECT id FROM steps) AND owner NOT IN (SELECT id FROM runs)
             AND owner NOT IN (SELECT id FROM turns);"
    ))
}

/// Makes every step fit the text before it, so that each buffer can be restored; texts must not have gaps any more.
/// Fails if SQLite does.
pub(crate) fn repair_steps(new: &Connection) -> rusqlite::Result<()> {
    let ids: Vec<i64> =
        new.prepare("SELECT id FROM sheets")?.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let mut update = new.prepare("UPDATE steps SET parent = ?2, at = ?3, removed = ?4 WHERE id = ?1")?;
    let mut stand = new.prepare("UPDATE sheets SET caret = min(?2, ?3) WHERE id = ?1")?;
    for id in ids {
        let Some((sheet, mut steps)) = load::sheet(new, Id(id))? else { continue };
        let place = |step: &Step| (step.parent, step.at, step.removed.len());
        let before = steps.iter().map(place).collect::<Vec<_>>();
        let lengths = fit(&mut steps);
        let mut caret = sheet.caret as i64;
        for (step, before) in steps.iter().zip(before) {
            if place(step) != before {
                update.execute(params![step.id.0, step.parent.map(|id| id.0), step.at as i64, step.removed])?;
                caret = BEHIND;
            }
        }
        let end = sheet.current.and_then(|current| lengths.get(&current)).copied().unwrap_or(0);
        stand.execute((id, caret, end as i64))?;
    }
    Ok(())
}

/// Goes through the trees of a sheet's steps, building each text. A step whose parent is lost begins a text of its own;
/// one that does not fit the text before it (as some of that is lost) is appended to its end and removes nothing.
/// Returns the length of each step's text.
fn fit(steps: &mut [Step]) -> HashMap<Id, usize> {
    let places: HashMap<Id, usize> = steps.iter().enumerate().map(|(place, step)| (step.id, place)).collect();
    let mut after: HashMap<Id, Vec<usize>> = HashMap::new();
    let mut roots = Vec::new();
    for (place, step) in steps.iter().enumerate() {
        match step.parent {
            Some(parent) if places.contains_key(&parent) => after.entry(parent).or_default().push(place),
            _ => roots.push(place),
        }
    }
    // After the roots all others: what no root leads to is part of a cycle, which only damage causes.
    roots.extend(0..steps.len());
    let mut lengths = HashMap::with_capacity(steps.len());
    for root in roots {
        if lengths.contains_key(&steps[root].id) {
            continue;
        }
        steps[root].parent = None;
        let mut text = String::new();
        let mut visits = vec![Visit::Enter(root)];
        while let Some(visit) = visits.pop() {
            match visit {
                Visit::Enter(place) if lengths.contains_key(&steps[place].id) => {}
                Visit::Enter(place) => {
                    enter(&mut steps[place], &mut text);
                    lengths.insert(steps[place].id, text.len());
                    visits.push(Visit::Leave(place));
                    visits.extend(after.get(&steps[place].id).into_iter().flatten().map(|next| Visit::Enter(*next)));
                }
                Visit::Leave(place) => {
                    let step = &steps[place];
                    let at = step.at as usize;
                    text.replace_range(at..at + step.inserted.len(), step.removed.raw());
                }
            }
        }
    }
    lengths
}

/// A depth-first traversal with one text: entering a step and leaving it.
enum Visit {
    Enter(usize),
    Leave(usize),
}

fn enter(step: &mut Step, text: &mut String) {
    let end = step.at.saturating_add(step.removed.len() as u64);
    let range = step.at as usize..usize::try_from(end).unwrap_or(usize::MAX);
    let range = if text.get(range.clone()).is_some_and(|there| step.removed == *there) {
        range
    } else {
        step.at = text.len() as u64;
        step.removed.clear();
        text.len()..text.len()
    };
    text.replace_range(range, step.inserted.raw());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Made, TurnStatus};

    fn step(id: i64, parent: Option<i64>, at: u64, removed: &str, inserted: &str) -> Step {
        Step {
            id: Id(id),
            sheet: Id(1),
            parent: parent.map(Id),
            made: Made::Typed,
            at,
            removed: removed.into(),
            inserted: inserted.into(),
            status: TurnStatus::Done,
            finish_reason: "".into(),
            created_ms: 0,
        }
    }

    fn lengths(steps: &mut [Step]) -> Vec<usize> {
        let lengths = fit(steps);
        steps.iter().map(|step| lengths[&step.id]).collect()
    }

    #[test]
    fn what_fits_stays() {
        let mut steps = [
            step(1, None, 0, "", "hello wörld"),
            step(2, Some(1), 6, "wörld", "you"),
            step(3, Some(2), 0, "hello", ""),
            step(4, Some(1), 12, "", "!"),
            step(5, None, 0, "", "other"),
        ];
        let before = steps.to_vec();
        assert_eq!(lengths(&mut steps), [12, 9, 4, 13, 5]);
        assert_eq!(steps, *before);
    }

    #[test]
    fn behind_a_lost_step_no_text_is_lost() {
        let mut steps = [
            // Its parent is lost, and with it the text it belonged to.
            step(2, Some(1), 6, "wörld", "you"),
            step(3, Some(2), 0, "hello", "bye"),
            step(4, Some(3), 7, "", " all"),
            step(5, Some(2), 3, "", "!"),
            // Inside a character, and far beyond the end.
            step(6, None, 0, "", "é"),
            step(7, Some(6), 1, "", "a"),
            step(8, Some(6), u64::MAX, "x", "b"),
        ];
        assert_eq!(lengths(&mut steps), [3, 6, 10, 4, 2, 3, 3]);
        let all: Vec<_> = steps.iter().map(|s| (s.parent.map_or(0, |id| id.0), s.at, s.removed.raw())).collect();
        assert_eq!(all, [(0, 0, ""), (2, 3, ""), (3, 6, ""), (2, 3, ""), (0, 0, ""), (6, 2, ""), (6, 2, "")]);
    }

    #[test]
    fn steps_that_follow_themselves_are_cut_apart() {
        let mut steps = [step(1, Some(2), 0, "", "a"), step(2, Some(1), 1, "", "b"), step(3, Some(3), 0, "", "c")];
        assert_eq!(lengths(&mut steps), [1, 2, 1]);
        assert_eq!(steps.map(|step| step.parent), [None, Some(Id(1)), None]);
    }
}
