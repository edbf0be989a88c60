//! Categories of harm, as the replies name them. There is no list of them here: services have 7, 13 or others, some
//! spell `hate/threatening`, some `hate_threatening`, some send both, and some have null for a score.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::record::Check;
use crate::text::Untrusted;

/// Names a category whichever way it is spelled: `self-harm/intent` and `self_harm_intent` have the same. Safe to show.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct CategoryKey(String);

impl CategoryKey {
    /// Returns the key of a category's name.
    pub(super) fn of(name: &Untrusted) -> Self {
        let plain = |char| if matches!(char, '/' | '-' | ' ' | '.') { '_' } else { char };
        Self(name.line().trim().to_lowercase().chars().map(plain).collect())
    }

    /// Returns the key as text, to be saved.
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Families of categories that have a colour of their own, in the order of the theme's colours of curves.
const FAMILIES: [&str; 6] = ["violence", "hate", "sexual", "self_harm", "harassment", "illicit"];

impl CategoryKey {
    /// Returns which of the theme's colours of curves is the category's: the same everywhere, and of its family.
    pub(super) fn colour(&self) -> usize {
        let known = FAMILIES.iter().position(|family| self.0.starts_with(family));
        known.unwrap_or_else(|| self.0.bytes().map(usize::from).sum::<usize>() % FAMILIES.len())
    }
}

/// One category of several checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CategoryInfo {
    pub(super) key: CategoryKey,
    /// The name shown: of several spellings the one with `/` or `-`.
    pub(super) name: Untrusted,
    /// The category it is a kind of: `hate` of `hate/threatening`; its own key where it is none's.
    pub(super) family: CategoryKey,
}

/// Returns all categories of some checks, each once, in the order of their keys: it does not depend on the order of the
/// checks.
pub(super) fn union<'a>(checks: impl IntoIterator<Item = &'a Check>) -> Vec<CategoryInfo> {
    let mut names: BTreeMap<CategoryKey, Untrusted> = BTreeMap::new();
    let mut last: Option<&Arc<[Untrusted]>> = None;
    for check in checks {
        // Texts of one request share their names.
        if last.is_some_and(|last| Arc::ptr_eq(last, &check.categories)) {
            continue;
        }
        last = Some(&check.categories);
        for name in check.categories.iter() {
            let known = names.entry(CategoryKey::of(name)).or_insert_with(|| name.clone());
            if marks(name) > marks(known) {
                known.clone_from(name);
            }
        }
    }
    let keys: Vec<CategoryKey> = names.keys().cloned().collect();
    let category =
        |(key, name): (CategoryKey, Untrusted)| CategoryInfo { family: family(&key, &name, &keys), key, name };
    names.into_iter().map(category).collect()
}

/// Rates how much a spelling tells: a `/` more than a `-`, both more than nothing.
fn marks(name: &Untrusted) -> u8 {
    u8::from(name.contains("/")) * 2 + u8::from(name.contains("-"))
}

/// Returns the category that one is a kind of: what is before its `/`, else the shortest other one whose words it
/// begins with.
fn family(key: &CategoryKey, name: &Untrusted, all: &[CategoryKey]) -> CategoryKey {
    if let Some((before, _)) = name.line().split_once('/') {
        return CategoryKey::of(&before.into());
    }
    let begins = |other: &&CategoryKey| key.0.strip_prefix(&other.0).is_some_and(|rest| rest.starts_with('_'));
    all.iter().filter(begins).min_by_key(|other| other.0.len()).unwrap_or(key).clone()
}

/// Returns a check's score for a category, 0 to 1; `None`: it has none. Of two spellings in one reply the higher one.
pub(super) fn score(check: &Check, key: &CategoryKey) -> Option<f64> {
    places(check, key).filter_map(|at| check.scores.get(at).copied().flatten()).max_by(f64::total_cmp)
}

/// Returns whether the service flagged the text for a category; `None`: it does not say.
pub(super) fn flag(check: &Check, key: &CategoryKey) -> Option<bool> {
    places(check, key).filter_map(|at| check.flags.get(at).copied().flatten()).max()
}

fn places<'a>(check: &'a Check, key: &'a CategoryKey) -> impl Iterator<Item = usize> + 'a {
    let named = |(_, name): &(usize, &Untrusted)| CategoryKey::of(name) == *key;
    check.categories.iter().enumerate().filter(named).map(|(at, _)| at)
}

/// Returns the category with the highest score, and the score; `None`: no category has one.
pub fn highest(check: &Check) -> Option<(&Untrusted, f64)> {
    let scored = check.categories.iter().zip(&check.scores).filter_map(|(name, score)| Some((name, (*score)?)));
    // Of several as high the first one.
    scored.fold(None, |best, next| match best {
        Some((_, score)) if next.1 <= score => best,
        _ => Some(next),
    })
}

/// Scores below this round to 0.00.
const SHOWS: f64 = 0.005;

/// Returns the category with the highest score, where that score shows: not where all round to 0.00.
pub(super) fn telling(check: &Check) -> Option<(&Untrusted, f64)> {
    highest(check).filter(|(_, score)| *score >= SHOWS)
}

/// What a check says about a category.
#[derive(Clone, Debug, PartialEq)]
pub struct CategoryScore {
    /// Its name.
    pub name: Untrusted,
    /// 0 to 1; `None`: it has none.
    pub score: Option<f64>,
    /// Whether the service flagged the text for it; `None`: it does not say.
    pub flag: Option<bool>,
}

/// Returns the categories that are flagged or whose score does not round to 0.00, each once: the flagged ones first,
/// then by score.
pub fn telling_categories(check: &Check) -> Vec<CategoryScore> {
    let all = union([check]).into_iter().map(|category| CategoryScore {
        score: score(check, &category.key),
        flag: flag(check, &category.key),
        name: category.name,
    });
    let mut all: Vec<_> = all
        .filter(|category| category.flag == Some(true) || category.score.is_some_and(|score| score >= SHOWS))
        .collect();
    all.sort_by(|a, b| {
        let order = |category: &CategoryScore| (category.flag == Some(true), category.score.unwrap_or_default());
        let ((a_flag, a_score), (b_flag, b_score)) = (order(a), order(b));
        b_flag.cmp(&a_flag).then(b_score.total_cmp(&a_score))
    });
    all
}

/// Returns the category with the highest score; `none` where all scores round to 0.00, `—` where there is no score.
pub(super) fn leading(check: &Check) -> Cow<'_, str> {
    match telling(check) {
        Some((name, _)) => name.line(),
        None if highest(check).is_some() => "none".into(),
        None => "—".into(),
    }
}

/// Counts the categories that the service flagged; two spellings of one count once.
pub(super) fn flagged(check: &Check) -> usize {
    let named = check.categories.iter().zip(&check.flags).filter(|(_, flag)| **flag == Some(true));
    let mut keys: Vec<CategoryKey> = named.map(|(name, _)| CategoryKey::of(name)).collect();
    keys.sort();
    keys.dedup();
    keys.len()
}

/// Reads the scores of many checks, a row for each: the index of a category is looked up once for all checks that name
/// the same categories.
#[derive(Clone, Debug)]
pub(super) struct ScoreReader {
    keys: Vec<CategoryKey>,
    known: Option<NameIndex>,
}

/// Where categories are in a list of names.
#[derive(Clone, Debug)]
struct NameIndex {
    names: Arc<[Untrusted]>,
    /// The indices of each key.
    places: Vec<Vec<usize>>,
}

impl ScoreReader {
    /// Makes a reader for these categories, in this order.
    pub(super) fn new(categories: &[CategoryInfo]) -> Self {
        Self { keys: categories.iter().map(|category| category.key.clone()).collect(), known: None }
    }

    /// Returns the score and the flag of each category.
    pub(super) fn read(&mut self, check: &Check) -> Vec<(Option<f64>, Option<bool>)> {
        let known = |names: &Arc<[Untrusted]>| Arc::ptr_eq(names, &check.categories) || *names == check.categories;
        if !self.known.as_ref().is_some_and(|NameIndex { names, .. }| known(names)) {
            let named: Vec<CategoryKey> = check.categories.iter().map(CategoryKey::of).collect();
            let places = |key: &CategoryKey| (0..named.len()).filter(|at| named[*at] == *key).collect();
            let places = self.keys.iter().map(places).collect();
            self.known = Some(NameIndex { names: Arc::clone(&check.categories), places });
        }
        let places = self.known.iter().flat_map(|known| &known.places);
        let cell = |places: &Vec<usize>| {
            let scores = places.iter().filter_map(|at| check.scores.get(*at).copied().flatten());
            let flags = places.iter().filter_map(|at| check.flags.get(*at).copied().flatten());
            (scores.max_by(f64::total_cmp), flags.max())
        };
        places.map(cell).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use super::*;

    fn key(name: &str) -> CategoryKey {
        CategoryKey::of(&name.into())
    }

    #[test]
    fn two_spellings_are_one_category() {
        assert_eq!(key("hate/threatening"), key("hate_threatening"));
        assert_eq!(key("self-harm/intent"), key("Self_Harm_Intent"));
        assert_ne!(key("hate"), key("hate/threatening"));
        let both = check(&[
            ("hate_threatening", Some(0.5), None),
            ("hate/threatening", Some(0.5), Some(true)),
            ("self_harm", None, None),
        ]);
        let all = union([&both]);
        let names: Vec<_> = all.iter().map(|category| category.name.line().into_owned()).collect();
        assert_eq!(names, ["hate/threatening", "self_harm"]);
        assert_eq!((score(&both, &all[0].key), flag(&both, &all[0].key)), (Some(0.5), Some(true)));
        assert_eq!((score(&both, &all[1].key), flag(&both, &all[1].key)), (None, None));
        assert_eq!(flagged(&both), 1);
    }

    #[test]
    fn the_union_has_one_order_whichever_check_comes_first() {
        let (a, b) =
            (check(&[("violence", None, None), ("hate", None, None)]), check(&[("sexual/minors", None, None)]));
        let names = |checks: [&Check; 2]| -> Vec<String> {
            union(checks).iter().map(|category| category.name.line().into_owned()).collect()
        };
        assert_eq!(names([&a, &b]), names([&b, &a]));
        assert_eq!(names([&a, &b]), ["hate", "sexual/minors", "violence"]);
    }

    #[test]
    fn a_family_is_what_stands_before_the_stroke_or_another_category() {
        let check = check(&[
            ("hate", None, None),
            ("hate_threatening", None, None),
            ("sexual/minors", None, None),
            ("self_harm", None, None),
        ]);
        let families: Vec<_> = union([&check]).iter().map(|category| category.family.as_str().to_owned()).collect();
        assert_eq!(families, ["hate", "hate", "self_harm", "sexual"]);
    }

    #[test]
    fn nulls_are_no_scores_and_the_highest_is_found_all_the_same() {
        let none = check(&[("hate", None, None)]);
        assert_eq!((highest(&none), leading(&none)), (None, "—".into()));
        assert_eq!(leading(&check(&[("self-harm", Some(0.0049), None)])), "none");
        let some = check(&[("a", None, None), ("b", Some(0.2), None), ("c", Some(0.2), None), ("d", Some(0.1), None)]);
        assert_eq!(highest(&some).map(|(name, score)| (name.line().into_owned(), score)), Some(("b".to_owned(), 0.2)));
        assert_eq!(leading(&some), "b");
    }

    #[test]
    fn the_categories_that_tell_something_are_flagged_or_have_a_score_that_shows() {
        let some = check(&[
            ("a", Some(0.004), Some(false)),
            ("b", Some(0.2), None),
            ("c", Some(0.7), Some(false)),
            ("d_e", Some(0.3), None),
            ("d/e", Some(0.1), Some(true)),
            ("f", None, Some(true)),
            ("g", None, None),
        ]);
        let told: Vec<_> = telling_categories(&some)
            .into_iter()
            .map(|category| (category.name.line().into_owned(), category.score, category.flag))
            .collect();
        let expected = [
            ("d/e", Some(0.3), Some(true)),
            ("f", None, Some(true)),
            ("c", Some(0.7), Some(false)),
            ("b", Some(0.2), None),
        ];
        assert_eq!(told, expected.map(|(name, score, flag)| (name.to_owned(), score, flag)));
    }

    #[test]
    fn many_checks_are_read_as_one() {
        let first = check(&[("hate", Some(0.1), None), ("violence", Some(0.2), Some(true))]);
        let other = check(&[("violence", Some(0.3), None)]);
        let all = union([&first, &other]);
        let mut reader = ScoreReader::new(&all);
        assert_eq!(reader.read(&first), [(Some(0.1), None), (Some(0.2), Some(true))]);
        assert_eq!(reader.read(&other), [(None, None), (Some(0.3), None)]);
        for check in [&first, &other, &first] {
            let one: Vec<_> = all.iter().map(|c| (score(check, &c.key), flag(check, &c.key))).collect();
            assert_eq!(reader.read(check), one);
        }
    }
}
