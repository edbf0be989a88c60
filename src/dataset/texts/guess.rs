//! Guesses about a file: whether it is text at all, its form, and which column has the texts.

use std::path::Path;

use super::field::Value;
use super::rows::{BOM, Ends, RowOutcome, Rows, cells};
use crate::record::work::Layout;

/// Rows looked at.
const ROWS: usize = 50;
/// Characters of the longest name of a column that is one without doubt.
const NAME: usize = 40;

/// Names of columns that hold the texts, likeliest first.
const TEXTS: &[&str] = &[
    "text",
    "prompt",
    "input",
    "content",
    "comment",
    "comment_text",
    "message",
    "messages.user",
    "body",
    "sentence",
    "tweet",
    "post",
    "review",
    "question",
    "utterance",
    "query",
    "document",
    "description",
    "title",
    "response",
];
/// Names of columns that hold labels, likeliest first.
const LABELS: &[&str] = &[
    "label",
    "labels",
    "category",
    "categories",
    "flagged",
    "flag",
    "class",
    "target",
    "y",
    "toxic",
    "toxicity",
    "is_toxic",
    "truth",
    "expected",
    "annotation",
    "gold",
    "tag",
    "tags",
];

/// First bytes of files that are no text.
const MAGIC: &[(&[u8], &str)] = &[
    (b"PK\x03\x04", "a zip archive or an Office document"),
    (b"PK\x05\x06", "a zip archive"),
    (b"%PDF-", "a PDF"),
    (b"\x1f\x8b", "compressed with gzip"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd"),
    (b"\xfd7zXZ\x00", "compressed with xz"),
    (b"BZh91AY&SY", "compressed with bzip2"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF87a", "an image"),
    (b"GIF89a", "an image"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\x00", "a database"),
    (b"PAR1\x15", "a Parquet table"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
];

/// Returns why a file that begins so cannot be read as texts, and what to do; `None`: it can.
pub(crate) fn refused(head: &[u8]) -> Option<String> {
    const WIDE: &str = "is UTF-16; save it as UTF-8 (for example with iconv -f utf-16 -t utf-8)";
    if head.starts_with(b"\xff\xfe\x00\x00") || head.starts_with(b"\x00\x00\xfe\xff") {
        return Some("is UTF-32; save it as UTF-8 (for example with iconv -f utf-32 -t utf-8)".to_owned());
    }
    if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        return Some(WIDE.to_owned());
    }
    if let Some((_, what)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Some(format!("is {what}, not a text file; export its contents as CSV, JSONL or one text per line"));
    }
    // Without a mark: every other byte of mostly Latin text is zero.
    let zeros = |from: usize| head.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd, half) = (zeros(0), zeros(1), head.len() / 2);
    if half >= 4 && (even.max(odd) * 10 > half * 7) && even.min(odd) * 10 < half {
        return Some(WIDE.to_owned());
    }
    let odd = head.iter().filter(|byte| matches!(byte, 0..=8 | 11 | 14..=26 | 28..=31)).count();
    // A single stray byte concerns only its row.
    if odd > 3 && odd * 20 > head.len() {
        return Some("is not a text file: it contains binary data".to_owned());
    }
    None
}

/// Returns what ends lines, judged by the beginning of a file.
pub(crate) fn line_ends(head: &[u8]) -> Ends {
    if !head.contains(&b'\n') && head.contains(&b'\r') { Ends::Cr } else { Ends::Lf }
}

/// Returns why a file is not JSON Lines although its name and beginning suggest JSON; `None` if it may be.
pub(crate) fn document(head: &[u8], path: &Path) -> Option<&'static str> {
    let first = head.trim_ascii_start().first()?;
    let line = lines(head, true).into_iter().next().unwrap_or_default();
    let whole = serde_json::from_slice::<Value>(&line).is_ok_and(|value| !matches!(value, Value::List(_)));
    let json = ending(path) == "json" && matches!(first, b'[' | b'{') && !whole;
    json.then_some("is a single JSON document, but one JSON value per line is expected (jq -c '.[]' converts a list)")
}

/// Returns the form of a file that begins so. `whole`: this is the whole file.
pub(crate) fn layout(head: &[u8], whole: bool, path: &Path) -> Layout {
    let ending = ending(path);
    let lines = lines(head, whole);
    let values: Vec<_> = lines.iter().filter_map(|line| serde_json::from_slice::<Value>(line).ok()).collect();
    let objects = values.iter().filter(|value| matches!(value, Value::Object(_))).count();
    let strings = values.iter().filter(|value| matches!(value, Value::Text(_))).count();
    let named = matches!(ending.as_str(), "jsonl" | "ndjson");
    let most = (objects + strings) * 5 >= lines.len() * 4;
    if (named && (objects + strings > 0 || lines.is_empty())) || (most && objects > 0) {
        return Layout::Jsonl;
    }
    if most && strings > 0 && ending != "txt" {
        return Layout::Jsonl;
    }
    let tsv = matches!(ending.as_str(), "tsv" | "tab");
    let csv = ending == "csv";
    if !csv && table(head, whole, b'\t', tsv) {
        return Layout::Tsv;
    }
    let part = comma(head);
    if !tsv && table(head, whole, part, csv) {
        return Layout::Csv;
    }
    if csv && table(head, whole, b'\t', false) { Layout::Tsv } else { Layout::Lines }
}

/// Returns what separates the cells of a CSV file that begins so: a comma, or a semicolon where there are more of them.
pub(crate) fn comma(head: &[u8]) -> u8 {
    let count = |part| first_row(head, true, part).len();
    if count(b';') > count(b',') { b';' } else { b',' }
}

/// Returns whether it reads as a table. `named`: its name suggests one.
fn table(head: &[u8], whole: bool, part: u8, named: bool) -> bool {
    let rows = first_rows(head, whole, part, ROWS);
    let Some(first) = rows.first() else { return named };
    let alike = rows.iter().filter(|row| row.len() == first.len()).count();
    if named {
        return alike * 2 >= rows.len();
    }
    let known = first.iter().any(|cell| is_known(cell));
    first.len() > 1 && alike * 10 >= rows.len() * 9 && (known || (part == b'\t' && rows.len() > 1))
}

/// Returns whether the first row of a table has the columns' names.
pub(crate) fn header(head: &[u8], whole: bool, part: u8) -> bool {
    let rows = first_rows(head, whole, part, ROWS);
    let Some((first, others)) = rows.split_first() else { return true };
    if first.iter().any(|cell| is_known(cell)) {
        return true;
    }
    let name = |cell: &String| {
        let words = cell.split_whitespace().count();
        (1..=4).contains(&words) && cell.chars().count() <= NAME && cell.trim().parse::<f64>().is_err()
    };
    // What occurs again below in the same column is a value: `ham`, `spam`.
    let again = |at: usize, cell: &String| others.iter().any(|row| row.get(at) == Some(cell));
    first.iter().all(name) && !first.iter().enumerate().any(|(at, cell)| again(at, cell))
}

/// Returns the cells of the first row of a table.
pub(super) fn first_row(head: &[u8], whole: bool, part: u8) -> Vec<String> {
    first_rows(head, whole, part, 1).into_iter().next().unwrap_or_default()
}

fn is_known(cell: &str) -> bool {
    let cell = cell.trim().to_lowercase();
    TEXTS.contains(&cell.as_str()) || LABELS.contains(&cell.as_str())
}

/// Returns the columns with the text and the label, by their names, else the one with the longest cells.
pub(crate) fn columns(names: &[String], rows: &[Vec<String>]) -> (usize, Option<usize>) {
    let folded: Vec<String> = names.iter().map(|name| name.trim().to_lowercase()).collect();
    let find_where = |known: &[&str], fits: &dyn Fn(usize) -> bool| {
        let find = |same: &dyn Fn(&str) -> bool| (0..folded.len()).find(|at| fits(*at) && same(&folded[*at]));
        let exact = known.iter().find_map(|word| find(&|name| name == *word));
        // `data.text` is a text, too.
        let inner = |word: &&str| find(&|name| name.rsplit('.').next() == Some(word));
        exact.or_else(|| known.iter().find_map(inner))
    };
    let find = |known: &[&str]| find_where(known, &|_| true);
    // A column of single words is a likelier label than one of lists, whatever their order.
    let list = |at: usize| rows.iter().any(|row| row.get(at).is_some_and(|cell| cell.starts_with('[')));
    let label = find_where(LABELS, &|at| !list(at)).or_else(|| find(LABELS));
    let length = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(String::len).sum::<usize>();
    let others = || (0..names.len()).filter(|at| Some(*at) != label);
    let longest = || others().max_by_key(|at| (length(*at), std::cmp::Reverse(*at)));
    let text = find(TEXTS).filter(|at| Some(*at) != label).or_else(longest).unwrap_or(0);
    (text, label.filter(|label| *label != text))
}

fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// Returns the first lines that are not blank. If the file goes on, the last one may be cut and is left out.
fn lines(head: &[u8], whole: bool) -> Vec<Vec<u8>> {
    let head = head.strip_prefix(BOM).unwrap_or(head);
    let end = if line_ends(head) == Ends::Cr { b'\r' } else { b'\n' };
    let mut lines: Vec<&[u8]> = head.split(|byte| *byte == end).collect();
    if !whole && lines.len() > 1 {
        lines.pop();
    }
    let lines = lines.into_iter().map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    lines.take(ROWS).map(<[u8]>::to_vec).collect()
}

/// Returns the first rows that are not blank, split into cells.
fn first_rows(head: &[u8], whole: bool, part: u8, most: usize) -> Vec<Vec<String>> {
    let head = head.strip_prefix(BOM).unwrap_or(head);
    let mut rows = Rows::new(head, Ends::Quoted(part), head.len());
    let mut all = Vec::new();
    while let Ok(Some(row)) = rows.next() {
        if !row.bytes.trim_ascii().is_empty() && row.form == RowOutcome::Whole {
            let cells = cells(row.bytes, part).into_iter();
            all.push(cells.map(|cell| String::from_utf8_lossy(&cell).into_owned()).collect());
        }
        if all.len() > most {
            break;
        }
    }
    if !whole && all.len() > 1 && all.len() <= most {
        all.pop();
    }
    all.truncate(most);
    all
}
