//! Rows split into two parts, for training and for validation: the same seed and rows give the same parts, and rows
//! with the same prompt go to the same one, so that nothing held out is trained on (of a classification: no row, but
//! perhaps its prompt).
//!
//! Prompts are ordered by a hash; the rows up to some position are held out. In a classification each class has its own
//! such position, so that its share is the same in both parts; rows with the same prompt in different classes may then
//! be separated.

use std::collections::HashMap;

use ring::digest::{SHA256, digest};

use crate::record::training::Split;

/// Bits of the places that are distinguished: of all rows, and of a class.
const FINE: u32 = 18;
const COARSE: u32 = 12;
/// Classes that are split separately.
const CLASSES: usize = 100;
/// Rows that the legacy tool holds out at most, and the share it trains on.
const MOST: u64 = 1_000;
const TRAIN: f64 = 0.8;

/// A row's place and its class.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowPlace {
    prompt: u64,
    class: u64,
}

impl RowPlace {
    pub(super) fn of(seed: u64, prompt: &str, completion: &str) -> Self {
        let hash = |name: &str, text: &str| {
            let bytes = [&seed.to_le_bytes(), name.as_bytes(), text.as_bytes()].concat();
            let hash = digest(&SHA256, &bytes);
            hash.as_ref().iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte))
        };
        // Without a prompt the completion is all there is.
        let prompt = if prompt.is_empty() { hash("completion", completion) } else { hash("prompt", prompt) };
        Self { prompt, class: hash("class", completion.trim()) }
    }
}

/// Counts of rows by place.
pub(super) struct PartCounts {
    rows: u64,
    all: Vec<u32>,
    /// `None`: too many.
    classes: Option<HashMap<u64, Vec<u32>>>,
}

impl PartCounts {
    pub(super) fn new() -> Self {
        Self { rows: 0, all: vec![0; 1 << FINE], classes: Some(HashMap::new()) }
    }

    pub(super) fn take(&mut self, place: RowPlace) {
        self.rows += 1;
        self.all[(place.prompt >> (64 - FINE)) as usize] += 1;
        if let Some(classes) = &mut self.classes {
            let class = classes.entry(place.class).or_insert_with(|| vec![0; 1 << COARSE]);
            class[(place.prompt >> (64 - COARSE)) as usize] += 1;
            if classes.len() > CLASSES {
                self.classes = None;
            }
        }
    }

    /// Returns where to split; `classes`: each class separately. `None`: the rows cannot be split.
    pub(super) fn bounds(self, split: Split, classes: bool) -> Option<Bounds> {
        let share = match split.share {
            Some(share) => share,
            None => {
                let train = (self.rows.saturating_sub(MOST)).max((TRAIN * self.rows as f64) as u64);
                (self.rows - train) as f64 / self.rows.max(1) as f64
            }
        };
        let all = bound(&self.all, share)?;
        let each = self.classes.filter(|_| classes).map(|classes| {
            classes.into_iter().map(|(class, places)| (class, bound(&places, share).unwrap_or(0))).collect()
        });
        Some(Bounds { all, classes: each.filter(|each: &HashMap<_, u64>| each.values().any(|bound| *bound > 0)) })
    }
}

/// Returns the place below which about that share of rows is, at least one and not all; `None`: there is none.
fn bound(places: &[u32], share: f64) -> Option<u64> {
    let rows: u64 = places.iter().map(|rows| u64::from(*rows)).sum();
    let wanted = share * rows as f64;
    let (mut best, mut passed) = (None, 0_u64);
    for (at, here) in places.iter().enumerate().filter(|(_, here)| **here > 0) {
        passed += u64::from(*here);
        if passed == rows {
            break;
        }
        let off = (passed as f64 - wanted).abs();
        if best.is_none_or(|(least, _)| off < least) {
            best = Some((off, at as u64 + 1));
        }
    }
    best.map(|(_, bound)| bound)
}

/// The places below which rows are held out.
#[derive(Debug)]
pub(super) struct Bounds {
    all: u64,
    classes: Option<HashMap<u64, u64>>,
}

impl Bounds {
    /// Returns whether a row is held out.
    pub(super) fn holds_out(&self, place: RowPlace) -> bool {
        match &self.classes {
            None => (place.prompt >> (64 - FINE)) < self.all,
            Some(classes) => classes.get(&place.class).is_some_and(|bound| (place.prompt >> (64 - COARSE)) < *bound),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held_out(rows: &[(String, String)], split: Split, classes: bool) -> Option<Vec<usize>> {
        let mut tally = PartCounts::new();
        let places: Vec<RowPlace> = rows.iter().map(|(p, c)| RowPlace::of(split.seed, p, c)).collect();
        for place in &places {
            tally.take(*place);
        }
        let bounds = tally.bounds(split, classes)?;
        Some((0..rows.len()).filter(|at| bounds.holds_out(places[*at])).collect())
    }

    fn rows(count: usize, class: impl Fn(usize) -> &'static str) -> Vec<(String, String)> {
        (0..count).map(|n| (format!("prompt {n}"), class(n).to_owned())).collect()
    }

    #[test]
    fn the_share_is_kept_and_the_seed_decides() {
        let all = rows(5_000, |_| "x");
        let part = |share, seed| held_out(&all, Split { share, seed }, false).unwrap();
        assert!(part(Some(0.1), 1).len().abs_diff(500) < 3);
        assert!(part(None, 1).len().abs_diff(1_000) < 3, "a fifth");
        assert_eq!(part(Some(0.1), 1), part(Some(0.1), 1));
        assert_ne!(part(Some(0.1), 1), part(Some(0.1), 2));
        let many = rows(20_000, |_| "x");
        assert!(held_out(&many, Split { share: None, seed: 1 }, false).unwrap().len().abs_diff(1_000) < 3);
        let two = rows(2, |_| "x");
        assert_eq!(held_out(&two, Split { share: Some(0.01), seed: 7 }, false).unwrap().len(), 1);
        assert_eq!(held_out(&rows(1, |_| "x"), Split { share: None, seed: 7 }, false), None);
        let same = vec![("same".to_owned(), "x".to_owned()), ("same".to_owned(), "y".to_owned())];
        assert_eq!(held_out(&same, Split { share: Some(0.5), seed: 7 }, false), None);
    }

    #[test]
    fn each_class_keeps_its_share_and_one_row_to_train_on() {
        let all = rows(2_000, |n| if n % 20 == 0 { "rare" } else { "usual" });
        let part = held_out(&all, Split { share: Some(0.2), seed: 3 }, true).unwrap();
        let rare = part.iter().filter(|at| all[**at].1 == "rare").count();
        assert!(rare.abs_diff(20) <= 1 && (part.len() - rare).abs_diff(380) <= 2, "{rare} of {}", part.len());
        let all = rows(50, |n| if n == 7 { "single" } else { "usual" });
        let part = held_out(&all, Split { share: Some(0.9), seed: 3 }, true).unwrap();
        assert!(!part.contains(&7) && part.len() > 40);
    }

    #[test]
    fn the_same_prompt_goes_to_the_same_part() {
        let all: Vec<_> = (0..600).map(|n| (format!("prompt {}", n % 50), format!("completion {n}"))).collect();
        let part = held_out(&all, Split { share: Some(0.3), seed: 3 }, false).unwrap();
        for at in &part {
            assert!((0..600).filter(|other| other % 50 == at % 50).all(|other| part.contains(&other)));
        }
        assert!((60..300).contains(&part.len()));
    }
}
