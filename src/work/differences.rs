//! Words in which texts differ.

use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline, get_diff_ratio};
use unicode_segmentation::UnicodeSegmentation;

use crate::record::work::WordMarks;

/// Below this share of common words two texts are unrelated, and marks would not help.
const ALIKE: f32 = 0.25;
/// How long texts are compared at most, all of them together.
const PATIENCE: Duration = Duration::from_secs(2);

/// Returns the words of each text that the one at `base` lacks, and of that one those that the text beside it lacks.
pub(super) fn marks(texts: &[&str], base: usize) -> Vec<WordMarks> {
    let deadline = Instant::now() + PATIENCE;
    let beside = if base > 0 { base - 1 } else { 1 };
    let mut marks = vec![WordMarks::Unlike; texts.len()];
    for at in (0..texts.len()).filter(|at| *at != base) {
        let [mine, theirs] = compare(texts[base], texts[at], deadline);
        marks[at] = theirs;
        if at == beside {
            marks[base] = mine;
        }
    }
    marks
}

/// Returns where the words are in each text that the other lacks. After the deadline nothing is returned for either:
/// what was not compared would count as different.
fn compare<'t>(one: &'t str, other: &'t str, deadline: Instant) -> [WordMarks; 2] {
    let (one, other) = (words(one), words(other));
    let ops = {
        let texts = |words: &[(usize, &'t str)]| words.iter().map(|(_, word)| *word).collect::<Vec<&'t str>>();
        capture_diff_slices_deadline(Algorithm::Myers, &texts(&one), &texts(&other), Some(deadline))
    };
    if Instant::now() >= deadline {
        return [WordMarks::NotCompared, WordMarks::NotCompared];
    }
    if get_diff_ratio(&ops, one.len(), other.len()) < ALIKE {
        return [WordMarks::Unlike, WordMarks::Unlike];
    }
    let ranges = |words: &[(usize, &str)], side: fn(&DiffOp) -> Range<usize>| {
        let changed = ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. })).map(side);
        let bytes = |range: Range<usize>| {
            let last = words[..range.end].last()?;
            (!range.is_empty()).then(|| words[range.start].0..last.0 + last.1.len())
        };
        WordMarks::Differ(changed.filter_map(bytes).collect())
    };
    [ranges(&one, DiffOp::old_range), ranges(&other, DiffOp::new_range)]
}

/// Returns the words and signs of a text with their places, without white space.
fn words(text: &str) -> Vec<(usize, &str)> {
    text.split_word_bound_indices().filter(|(_, word)| !word.trim().is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(one: &str, other: &str) -> Option<[Vec<String>; 2]> {
        let pick = |text: &str, ranges: &[Range<usize>]| ranges.iter().map(|at| text[at.clone()].to_owned()).collect();
        match &marks(&[one, other], 0)[..] {
            [WordMarks::Differ(left), WordMarks::Differ(right)] => Some([pick(one, left), pick(other, right)]),
            _ => None,
        }
    }

    #[test]
    fn words_that_differ_are_found_on_both_sides() {
        let found =
            marked("Water boils at 100 degrees, at sea level.", "Water boils at 212 Fahrenheit, at the sea level.");
        let [left, right] = found.unwrap();
        assert_eq!(left, ["100 degrees"]);
        assert_eq!(right, ["212 Fahrenheit", "the"]);
        assert_eq!(marked("same\n\nwords", "same words"), Some([vec![], vec![]]), "spaces are no words");
    }

    #[test]
    fn each_text_is_compared_with_the_chosen_one_and_that_one_with_its_neighbour() {
        let texts = ["one two three", "one two four", "one five three"];
        let differ = |range| WordMarks::Differ(vec![range]);
        assert_eq!(marks(&texts, 1), [differ(8..13), differ(8..12), differ(4..14)]);
        assert_eq!(marks(&texts, 0), [differ(8..13), differ(8..12), differ(4..8)]);
    }

    #[test]
    fn texts_with_little_in_common_have_no_marks() {
        assert_eq!(marks(&["one two three four five", "six seven eight nine ten"], 0), vec![WordMarks::Unlike; 2]);
        assert_eq!(marks(&["alone"], 0), [WordMarks::Unlike]);
    }

    #[test]
    fn after_the_deadline_nothing_is_different() {
        let text = |from: u32| (from..from + 4_000).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
        let found = |deadline| compare(&text(0), &text(2_000), deadline);
        let [left, right] = found(Instant::now() + Duration::from_mins(1));
        let count = |marks| if let WordMarks::Differ(words) = marks { words.len() } else { 0 };
        assert_eq!((count(left), count(right)), (1, 1), "half of the words are in both");
        assert_eq!(found(Instant::now()), [WordMarks::NotCompared, WordMarks::NotCompared]);
    }
}
