//! Moderation results as files: a row for each check of a text; a text without checks has one row, too.
//!
//! CSV: place (from 1), name, label, text, whether it was flagged, the highest category and its score; for each
//! category its score, whether the service flagged it, the user's threshold, and whether the score reaches it; the
//! model asked for, the model that answered, and when (UTC). What is not known is an empty cell. Headers depend on the
//! categories alone. Two spellings of a category (`hate/threatening`, `hate_threatening`) are one, with the name that
//! has a `/`, in CSV and JSON alike. JSON has every text and number as it came.
//!
//! For texts of a file its other columns follow, each under its own name, with ` (file)` appended if that is taken.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::super::course::Course;
use super::super::save;
use super::rows::{cell, moved};
use crate::dataset::{OtherColumns, TextLimits, other_columns};
use crate::record::work::{Export, Form};
use crate::record::{Check, TextRow, TextSource};
use crate::text::Untrusted;

/// Categories of the API whose names can be spelled in several ways: their headers are the same whichever models
/// answered.
const USUAL: [&str; 8] = [
    "harassment/threatening",
    "hate/threatening",
    "illicit/violent",
    "self-harm",
    "self-harm/instructions",
    "self-harm/intent",
    "sexual/minors",
    "violence/graphic",
];

/// What is written.
struct Checks<'a> {
    rows: &'a [TextRow],
    checks: &'a [Option<Check>],
    /// The threshold of each category, by its folded name.
    thresholds: BTreeMap<String, f64>,
    /// The file's other columns.
    others: OtherColumns,
}

/// Writes `Export::Checks` to a new file. Returns its name, and what it does not contain; fails with a sentence.
pub(super) fn write(
    path: &str,
    form: Form,
    what: &Export,
    course: &Course,
) -> Result<(PathBuf, Option<String>), String> {
    let Export::Checks { rows, checks, thresholds, source } = what else {
        return Err("these are not moderation results".to_owned());
    };
    let thresholds = thresholds.iter().map(|(name, threshold)| (folded(name), *threshold)).collect();
    let (others, without) = match source.as_ref().map(|source| others(source, rows, course)).transpose() {
        Ok(others) => (others.unwrap_or_default(), None),
        Err(why) => (OtherColumns::default(), Some(format!("without the file's other columns: {why}"))),
    };
    let all = Checks { rows, checks, thresholds, others };
    let path = match form {
        Form::Csv => save::write(path, &["csv"], &mut |_, file| all.csv(file, course)),
        Form::Json => save::write(path, &["json"], &mut |_, file| all.json(file, course)),
        Form::Npy | Form::Markdown | Form::JsonLines => {
            Err("moderation results contain text and numbers; export them as CSV or JSON".to_owned())
        }
    }?;
    Ok((path, without))
}

/// Reads the other columns of the texts' file.
fn others(source: &TextSource, rows: &[TextRow], course: &Course) -> Result<OtherColumns, String> {
    let mut moved = |_, _| !course.is_stopped();
    other_columns(Path::new(source.path.raw()), source, rows, TextLimits::default(), &mut moved)
}

impl<'a> Checks<'a> {
    /// Returns each check with its text and the text's place among the rows; `None` for a text without any.
    fn each(&self) -> impl Iterator<Item = (usize, &'a TextRow, Option<&'a Check>)> {
        let (rows, checks) = (self.rows, self.checks);
        let models = checks.len() / rows.len().max(1);
        rows.iter().enumerate().flat_map(move |(at, row)| {
            let mut known = checks[at * models..(at + 1) * models].iter().flatten().peekable();
            let none = known.peek().is_none().then_some(None);
            known.map(Some).chain(none).map(move |check| (at, row, check))
        })
    }

    fn csv(&self, file: &mut dyn Write, course: &Course) -> io::Result<()> {
        let categories = self.categories();
        let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(file);
        let mut row: Vec<String> = ["place", "name", "label", "text", "flagged", "highest", "highest score"]
            .into_iter()
            .map(str::to_owned)
            .collect();
        for (_, name) in &categories {
            let name = cell(name.raw());
            row.push(name.clone().into_owned());
            row.push(format!("{name} flagged"));
            row.push(format!("{name} threshold"));
            row.push(format!("{name} over threshold"));
        }
        row.extend(["asked", "model", "checked"].map(str::to_owned));
        let others = headers(&self.others.names, &row);
        row.extend(others.iter().map(|name| cell(name).into_owned()));
        writer.write_record(&row)?;
        for (at, text, check) in self.each() {
            moved(course, at, self.rows.len())?;
            row.clear();
            let label = text.label.as_ref().map(Untrusted::raw).unwrap_or_default();
            row.push((u64::from(text.place) + 1).to_string());
            row.extend([text.name.raw(), label, text.text.raw()].map(|text| cell(text).into_owned()));
            let highest = check.and_then(highest);
            let names: Vec<String> = check.iter().flat_map(|check| check.categories.iter()).map(folded).collect();
            row.push(check.map(|check| check.flagged.to_string()).unwrap_or_default());
            let shown = |name| categories.iter().find(|(key, _)| *key == folded(name)).map_or(name, |(_, name)| name);
            row.push(highest.map(|(name, _)| cell(shown(name).raw()).into_owned()).unwrap_or_default());
            row.push(number(highest.map(|(_, score)| score)));
            for (key, _) in &categories {
                let (score, flag) = check.map_or((None, None), |check| found(check, &names, key));
                let over = score.zip(self.thresholds.get(key)).map(|(score, threshold)| score >= *threshold);
                row.push(number(score));
                let word = |flag: Option<bool>| flag.map(|flag| flag.to_string()).unwrap_or_default();
                row.extend([word(flag), number(self.thresholds.get(key).copied()), word(over)]);
            }
            row.push(check.map(|check| cell(check.asked.raw()).into_owned()).unwrap_or_default());
            row.push(check.map(|check| cell(check.model.raw()).into_owned()).unwrap_or_default());
            row.push(check.map(|check| date(check.at_ms)).unwrap_or_default());
            row.extend(self.others.rows.get(at).into_iter().flatten().map(|text| cell(text).into_owned()));
            writer.write_record(&row)?;
        }
        writer.flush()
    }

    fn json(&self, file: &mut dyn Write, course: &Course) -> io::Result<()> {
        let categories = self.categories();
        let threshold = |(key, name): &(String, Untrusted)| Some((name.raw().to_owned(), *self.thresholds.get(key)?));
        let thresholds: BTreeMap<String, f64> = categories.iter().filter_map(threshold).collect();
        write!(file, "{{\"thresholds\":{},\"results\":[", json!(thresholds))?;
        let names = headers(&self.others.names, &[]);
        let mut first = true;
        for (at, row, check) in self.each() {
            moved(course, at, self.rows.len())?;
            file.write_all(if std::mem::take(&mut first) { b"\n" } else { b",\n" })?;
            let mut row = json!({
                "place": u64::from(row.place) + 1,
                "name": row.name.raw(),
                "label": row.label.as_ref().map(Untrusted::raw),
                "text": row.text.raw(),
                "check": check.map(|check| self.check(check, &categories)),
            });
            if let Some(cells) = self.others.rows.get(at).filter(|_| !names.is_empty()) {
                let cells = names.iter().cloned().zip(cells.iter().map(|cell| Value::from(cell.as_str())));
                row["columns"] = Value::Object(cells.collect());
            }
            serde_json::to_writer(&mut *file, &row)?;
        }
        file.write_all(b"\n]}\n")
    }

    fn check(&self, check: &Check, all: &[(String, Untrusted)]) -> Value {
        let names: Vec<String> = check.categories.iter().map(folded).collect();
        let mut categories = Map::new();
        for (key, name) in all.iter().filter(|(key, _)| names.contains(key)) {
            let (score, flag) = found(check, &names, key);
            let over = score.zip(self.thresholds.get(key)).map(|(score, threshold)| score >= *threshold);
            categories.insert(name.raw().to_owned(), json!({ "score": score, "flagged": flag, "over": over }));
        }
        json!({
            "model": check.model.raw(),
            "asked": check.asked.raw(),
            "checked": date(check.at_ms),
            "flagged": check.flagged,
            "categories": categories,
        })
    }

    /// Returns all categories by their folded names, with the name to show: of several spellings the one with `/`, else
    /// `-`.
    fn categories(&self) -> Vec<(String, Untrusted)> {
        let mut all: BTreeMap<String, &Untrusted> = BTreeMap::new();
        let mut last: Option<&[Untrusted]> = None;
        for check in self.checks.iter().flatten() {
            // Checks of one answer share their names.
            if last.is_some_and(|last| std::ptr::eq(last, &raw const *check.categories)) {
                continue;
            }
            last = Some(&check.categories);
            for name in check.categories.iter() {
                let known = all.entry(folded(name)).or_insert(name);
                if marks(name) > marks(known) {
                    *known = name;
                }
            }
        }
        let name = |(folded, name): (String, &Untrusted)| {
            let usual = USUAL.iter().find(|usual| folded == self::folded(&(**usual).into()));
            let name = usual.map_or_else(|| name.clone(), |usual| (*usual).into());
            (folded, name)
        };
        all.into_iter().map(name).collect()
    }
}

/// Returns headers for the file's other columns: their names, made unique.
fn headers(names: &[String], taken: &[String]) -> Vec<String> {
    let mut headers: Vec<String> = Vec::with_capacity(names.len());
    for name in names {
        let mut header = name.clone();
        while taken.contains(&header) || headers.contains(&header) {
            header.push_str(" (file)");
        }
        headers.push(header);
    }
    headers
}

/// Returns a category's name normalised over its spellings.
fn folded(name: &Untrusted) -> String {
    let plain = |char| if matches!(char, '/' | '-' | ' ' | '.') { '_' } else { char };
    name.raw().trim().to_lowercase().chars().map(plain).collect()
}

fn marks(name: &Untrusted) -> u8 {
    u8::from(name.contains("/")) * 2 + u8::from(name.contains("-"))
}

/// Returns a category's score and flag by its folded name, which is one of the check's; of two spellings the higher
/// ones.
fn found(check: &Check, names: &[String], key: &str) -> (Option<f64>, Option<bool>) {
    let places = || names.iter().enumerate().filter(|(_, name)| *name == key).map(|(at, _)| at);
    let score = places().filter_map(|at| check.scores.get(at).copied().flatten()).max_by(f64::total_cmp);
    (score, places().filter_map(|at| check.flags.get(at).copied().flatten()).max())
}

/// Returns the category with the highest score.
fn highest(check: &Check) -> Option<(&Untrusted, f64)> {
    let scored = check.categories.iter().zip(&check.scores).filter_map(|(name, score)| Some((name, (*score)?)));
    scored.reduce(|best, next| if next.1 > best.1 { next } else { best })
}

/// Formats a number in the shortest form that can be read back exactly.
fn number(number: Option<f64>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}

fn date(ms: i64) -> String {
    Timestamp::from_millisecond(ms).unwrap_or_default().to_string()
}
