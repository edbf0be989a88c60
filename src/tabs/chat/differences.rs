//! Words in which two texts differ.

use std::ops::Range;
use std::time::Instant;

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline, get_diff_ratio};
use unicode_segmentation::UnicodeSegmentation;

/// Below this share of words in common two texts are different texts, in which marks would help nobody.
const ALIKE: f32 = 0.25;

/// Returns where the words of each text are that the other lacks, in order; `None`: the texts have little in common. What is
/// not compared by the deadline counts as different.
pub(super) fn differences<'t>(one: &'t str, other: &'t str, deadline: Instant) -> Option<[Vec<Range<usize>>; 2]> {
    let (one, other) = (words(one), words(other));
    let ops = {
        let texts = |words: &[(usize, &'t str)]| words.iter().map(|(_, word)| *word).collect::<Vec<&'t str>>();
        capture_diff_slices_deadline(Algorithm::Myers, &texts(&one), &texts(&other), Some(deadline))
    };
    if get_diff_ratio(&ops, one.len(), other.len()) < ALIKE {
        return None;
    }
    let ranges = |words: &[(usize, &str)], side: fn(&DiffOp) -> Range<usize>| {
        let changed = ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. })).map(side);
        let bytes = |range: Range<usize>| {
            let last = words[..range.end].last()?;
            (!range.is_empty()).then(|| words[range.start].0..last.0 + last.1.len())
        };
        changed.filter_map(bytes).collect()
    };
    Some([ranges(&one, DiffOp::old_range), ranges(&other, DiffOp::new_range)])
}

/// The words and signs of a text with their places, without the spaces between them.
fn words(text: &str) -> Vec<(usize, &str)> {
    text.split_word_bound_indices().filter(|(_, word)| !word.trim().is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn marked(one: &str, other: &str) -> Option<[Vec<String>; 2]> {
        let deadline = Instant::now() + Duration::from_secs(5);
        let [left, right] = differences(one, other, deadline)?;
        let pick = |text: &str, ranges: Vec<Range<usize>>| ranges.into_iter().map(|at| text[at].to_owned()).collect();
        Some([pick(one, left), pick(other, right)])
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
    fn texts_with_little_in_common_have_no_marks() {
        assert_eq!(marked("one two three four five", "six seven eight nine ten"), None);
    }

    #[test]
    fn a_deadline_that_has_passed_leaves_the_rest_different() {
        let text = |from: u32| (from..from + 4_000).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
        let found = |deadline| differences(&text(0), &text(2_000), deadline);
        let [left, right] = found(Instant::now() + Duration::from_mins(1)).expect("half of the words are in both");
        assert_eq!((left.len(), right.len()), (1, 1));
        assert_eq!(found(Instant::now()), None, "nothing was compared, so nothing is in common");
    }
}
