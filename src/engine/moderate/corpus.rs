//! Labelled texts: the tab-separated files of labelled rows, and training texts composed from phrase lists.
//!
//! The phrase lists: `$name = a | b | c` names a list; `labels: text` is a pattern, `labels` as in the rows' files;
//! `{name}` stands for an entry of the list, `{@tag}` for an entry of that tag in the lexicon, `{a|b|}` for one of
//! these. `* 40` at the end makes that many texts of a pattern.

use std::collections::{BTreeMap, BTreeSet};

use super::Category;
use super::lexicon::Lexicon;

/// Texts composed from a pattern that does not say how many.
const EACH: usize = 10;
/// Levels of nested lists.
const DEPTH: usize = 6;

/// A labelled text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its categories; none: a clean text.
    pub labels: Vec<Category>,
    /// Style or source of the text.
    pub kind: String,
    /// The text.
    pub text: String,
}

impl Row {
    /// Returns whether the text belongs to the category.
    pub fn is(&self, category: Category) -> bool {
        self.labels.contains(&category)
    }
}

/// Parses rows: a heading, then labels, kind and text separated by tabs. The error names the line.
pub fn rows(file: &str) -> Result<Vec<Row>, String> {
    let lines = file.lines().enumerate().skip(1).filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            let wrong = |what: &str| format!("line {}: {what}", at + 1);
            let [labels, kind, text] = line.splitn(3, '\t').collect::<Vec<_>>()[..] else {
                return Err(wrong("labels, kind and text parted by tabs are wanted"));
            };
            let labels = categories(labels).ok_or_else(|| wrong("a label is not known"))?;
            Ok(Row { labels, kind: kind.to_owned(), text: text.to_owned() })
        })
        .collect()
}

fn categories(labels: &str) -> Option<Vec<Category>> {
    if labels.trim() == "clean" {
        return Some(Vec::new());
    }
    labels.split(',').map(|label| Category::named(label.trim())).collect()
}

/// Composes training texts from phrase lists; the same lists give the same texts. The error names the line.
pub fn compose(lists: &str) -> Result<Vec<Row>, String> {
    let lexicon = Lexicon::new();
    let mut named: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut patterns = Vec::new();
    for (at, line) in lists.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some((name, entries)) = line.strip_prefix('$').and_then(|rest| rest.split_once('=')) {
            named.entry(name.trim()).or_default().extend(choices(entries).into_iter().map(str::trim));
            continue;
        }
        let (labels, text) = line.split_once(": ").ok_or_else(|| format!("line {}: no labels", at + 1))?;
        let labels = categories(labels).ok_or_else(|| format!("line {}: a label is not known", at + 1))?;
        let counted = text.rsplit_once(" * ").and_then(|(text, n)| Some((text, n.trim().parse().ok()?)));
        let (text, count) = counted.unwrap_or((text, if text.contains('{') { EACH } else { 1 }));
        patterns.push((at + 1, labels, text, count));
    }
    let mut rng = Rng(0x5eed);
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for (line, labels, pattern, count) in patterns {
        for _ in 0..count {
            let text = fill(pattern, &named, &lexicon, &mut rng, DEPTH).map_err(|why| format!("line {line}: {why}"))?;
            if seen.insert(text.clone()) {
                out.push(Row { labels: labels.clone(), kind: "composed".into(), text });
            }
        }
    }
    Ok(out)
}

/// Fills the placeholders of a pattern. Fails at a placeholder that is not closed or not known, and at too deep
/// nesting.
fn fill(
    pattern: &str,
    named: &BTreeMap<&str, Vec<&str>>,
    lexicon: &Lexicon,
    rng: &mut Rng,
    depth: usize,
) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some((before, tail)) = rest.split_once('{') {
        let end = closing(tail).ok_or("a place is not closed")?;
        let (place, after) = (&tail[..end], &tail[end + 1..]);
        out.push_str(before);
        rest = after;
        let chosen = if let Some(tag) = place.strip_prefix('@') {
            rng.of(lexicon.entries(tag)).map(String::as_str)
        } else if place.contains('|') {
            rng.of(&choices(place)).copied()
        } else {
            named.get(place).and_then(|list| rng.of(list)).copied()
        };
        let chosen = chosen.ok_or_else(|| format!("no list is named {place}"))?;
        if depth == 0 {
            return Err("lists name each other in a ring".into());
        }
        out.push_str(&fill(chosen, named, lexicon, rng, depth - 1)?);
    }
    out.push_str(rest);
    // An empty choice leaves two spaces.
    Ok(out.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Returns where the placeholder that was opened before `text` is closed.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1;
    text.bytes().position(|byte| {
        open += i32::from(byte == b'{') - i32::from(byte == b'}');
        open == 0
    })
}

/// Splits the choices of a placeholder, but not those of placeholders within it.
fn choices(place: &str) -> Vec<&str> {
    let mut open = 0;
    let parted = place.split(|c| {
        open += i32::from(c == '{') - i32::from(c == '}');
        open == 0 && c == '|'
    });
    parted.collect()
}

/// A fixed pseudo-random sequence.
pub(super) struct Rng(pub(super) u64);

impl Rng {
    /// Returns the next number below `most`; 0 for 0.
    pub(super) fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) % most.max(1) as u64) as usize
    }

    fn of<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// Shuffles the items.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_and_wrong_ones_named() {
        let read = rows("labels\tkind\ttext\nclean\tnews\tRain.\nhate,violence\tplain\ta\tb\n").unwrap();
        assert_eq!(read[0].labels, []);
        assert_eq!((read[1].labels.len(), read[1].text.as_str()), (2, "a\tb"));
        assert!(rows("h\nclean\tnews").unwrap_err().starts_with("line 2"));
        assert!(rows("h\nrude\tnews\tx").unwrap_err().starts_with("line 2"));
    }

    #[test]
    fn patterns_are_filled_alike_each_time() {
        let lists = "$who = Ann | Ben\n$two = {who} and {who}\nclean: {two} {read|{who} writes|}. * 5\nviolence: plain";
        let texts = compose(lists).unwrap();
        assert_eq!(texts, compose(lists).unwrap());
        assert!(texts.iter().all(|row| !row.text.contains(['{', '}'])));
        assert_eq!(texts.last().map(|row| row.labels.clone()), Some(vec![Category::Violence]));
        assert!(compose("clean: {nobody}").is_err() && compose("$a = {a}\nclean: {a}").is_err());
    }
}
