//! What is known of the texts of a file, in columns: scores beside each other, so that 100,000 rows are sorted,
//! filtered and signed in the time of a frame.

use std::sync::Arc;

use super::super::category::{self, CategoryInfo, CategoryKey, ScoreReader};
use super::super::sign::Sign;
use super::super::thresholds::ThresholdProfile;
use crate::record::Check;
use crate::text::Untrusted;

/// No score.
const NONE: f64 = f64::NAN;

/// So many categories have a column: servers have some dozen, and one that makes up names must not fill the memory.
pub(super) const MOST: usize = 64;

/// What a row shows of a text's check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CheckSummary {
    /// The score that counts: the category's, or the highest. NaN: none.
    pub(super) score: f64,
    /// Its category, as a place in [`CheckTable::categories`].
    pub(super) category: u16,
    /// Categories the service flagged.
    pub(super) flags: u16,
    /// Whether the service flagged the text (for the category, where one is chosen).
    pub(super) flagged: bool,
    /// The strongest sign.
    pub(super) sign: Sign,
    /// Whether a score that counts is over its threshold, whatever the service says.
    pub(super) over: bool,
}

const EMPTY: CheckSummary =
    CheckSummary { score: NONE, category: 0, flags: 0, flagged: false, sign: Sign::Clear, over: false };

/// The checks of a file's texts, each text once.
#[derive(Debug)]
pub(super) struct CheckTable {
    categories: Vec<CategoryInfo>,
    reader: ScoreReader,
    /// Names that the reader knows to be among the categories.
    names: Option<Arc<[Untrusted]>>,
    checks: Vec<Option<Check>>,
    /// A row of scores for each text.
    scores: Vec<f64>,
    /// Which categories are flagged, for each text.
    flags: Vec<u64>,
    /// Whether there are more categories than have a column.
    more: bool,
    tops: Vec<CheckSummary>,
    /// The threshold of each category.
    thresholds: Vec<f64>,
    /// The category that counts; `None`: all.
    chosen: Option<usize>,
}

impl CheckTable {
    /// Creates the results of so many texts, of which nothing is known.
    pub(super) fn new(texts: usize) -> Self {
        Self {
            categories: Vec::new(),
            reader: ScoreReader::new(&[]),
            names: None,
            checks: vec![None; texts],
            scores: Vec::new(),
            flags: vec![0; texts],
            more: false,
            tops: vec![EMPTY; texts],
            thresholds: Vec::new(),
            chosen: None,
        }
    }

    /// Returns all categories that occur.
    pub(super) fn categories(&self) -> &[CategoryInfo] {
        &self.categories
    }

    /// Returns the category that counts; `None`: the highest of all does.
    pub(super) fn chosen(&self) -> Option<&CategoryInfo> {
        self.chosen.and_then(|at| self.categories.get(at))
    }

    /// Returns whether there are categories that have no column, for want of room.
    pub(super) fn has_more(&self) -> bool {
        self.more
    }

    /// Returns the index of the category that counts.
    pub(super) fn chosen_place(&self) -> Option<usize> {
        self.chosen
    }

    /// Returns what is known of a text.
    pub(super) fn check(&self, text: u32) -> Option<&Check> {
        self.checks.get(text as usize)?.as_ref()
    }

    /// Returns all checks, by the index of the text.
    pub(super) fn checks(&self) -> &[Option<Check>] {
        &self.checks
    }

    /// Returns what a text's row shows.
    pub(super) fn top(&self, text: u32) -> &CheckSummary {
        self.tops.get(text as usize).unwrap_or(&EMPTY)
    }

    /// Takes a text's check.
    pub(super) fn set(&mut self, text: u32, check: Check, profile: &ThresholdProfile) {
        let at = text as usize;
        if at >= self.checks.len() {
            return;
        }
        let known = self
            .names
            .as_ref()
            .is_some_and(|names| Arc::ptr_eq(names, &check.categories) || *names == check.categories);
        let fits = known || self.learn(&check);
        self.checks[at] = Some(check);
        if fits {
            self.read(at);
            self.sign(at);
        } else {
            self.rebuild(profile);
        }
    }

    /// Takes these and no others: each with its text.
    pub(super) fn fill(&mut self, checks: impl IntoIterator<Item = (u32, Check)>, profile: &ThresholdProfile) {
        self.checks.fill(None);
        for (text, check) in checks {
            if let Some(place) = self.checks.get_mut(text as usize) {
                *place = Some(check);
            }
        }
        self.rebuild(profile);
    }

    /// Takes other thresholds, and the category that counts.
    pub(super) fn set_look(&mut self, category: Option<&CategoryKey>, profile: &ThresholdProfile) {
        self.chosen = category.and_then(|key| self.categories.iter().position(|category| category.key == *key));
        self.thresholds = self.categories.iter().map(|category| profile.of(&category.key)).collect();
        for at in 0..self.tops.len() {
            self.sign(at);
        }
    }

    /// Returns a text's score and flag for a category, by its index.
    pub(super) fn cell(&self, text: u32, category: usize) -> (Option<f64>, bool) {
        let width = self.categories.len();
        let score = self.scores.get(text as usize * width + category).copied().filter(|score| !score.is_nan());
        (score, self.flags.get(text as usize).is_some_and(|flags| category < 64 && flags >> category & 1 == 1))
    }

    /// Returns the threshold of a category, by its index.
    pub(super) fn threshold(&self, category: usize) -> f64 {
        self.thresholds.get(category).copied().unwrap_or(1.0)
    }

    /// Returns whether all the categories of a check are known.
    fn learn(&mut self, check: &Check) -> bool {
        let known = |name: &Untrusted| {
            let key = CategoryKey::of(name);
            self.categories.iter().any(|category| category.key == key)
        };
        let mut all = check.categories.iter().all(known);
        if !all && self.categories.len() >= MOST {
            // There is no room for another.
            (self.more, all) = (true, true);
        }
        if all {
            self.names = Some(Arc::clone(&check.categories));
        }
        all
    }

    /// Begins again with the categories of all checks.
    fn rebuild(&mut self, profile: &ThresholdProfile) {
        let chosen = self.chosen().map(|category| category.key.clone());
        self.categories = category::union(self.checks.iter().flatten());
        self.more = self.categories.len() > MOST;
        self.categories.truncate(MOST);
        self.reader = ScoreReader::new(&self.categories);
        self.names = None;
        self.scores = vec![NONE; self.categories.len() * self.checks.len()];
        for at in 0..self.checks.len() {
            self.read(at);
        }
        self.set_look(chosen.as_ref(), profile);
    }

    /// Puts a text's scores into the columns.
    fn read(&mut self, at: usize) {
        let Some(check) = &self.checks[at] else { return };
        let width = self.categories.len();
        let mut flags = 0;
        for (place, (score, flag)) in self.reader.read(check).into_iter().enumerate() {
            self.scores[at * width + place] = score.unwrap_or(NONE);
            if flag == Some(true) && place < 64 {
                flags |= 1 << place;
            }
        }
        self.flags[at] = flags;
    }

    /// Computes the sign that a text's row shows at the thresholds.
    fn sign(&mut self, at: usize) {
        let Some(check) = &self.checks[at] else {
            self.tops[at] = EMPTY;
            return;
        };
        let (width, flags) = (self.categories.len(), self.flags[at]);
        let scores = &self.scores[at * width..(at + 1) * width];
        let sign = |place: usize| {
            let flag = place < 64 && flags >> place & 1 == 1;
            let score = Some(scores[place]).filter(|score| !score.is_nan());
            Sign::of(score, Some(flag), self.thresholds[place])
        };
        let mut top = CheckSummary { flags: flags.count_ones() as u16, flagged: check.flagged, ..EMPTY };
        if let Some(place) = self.chosen {
            top.score = scores[place];
            top.category = place as u16;
            top.sign = sign(place);
            top.over = scores[place] >= self.thresholds[place];
            top.flagged = place < 64 && flags >> place & 1 == 1;
        } else {
            for (place, score) in scores.iter().enumerate() {
                if top.score.is_nan() || *score > top.score {
                    (top.score, top.category) = (*score, place as u16);
                }
                top.over |= *score >= self.thresholds[place];
                top.sign = stronger(top.sign, sign(place));
            }
            if check.flagged {
                top.sign = Sign::Flagged;
            }
        }
        self.tops[at] = top;
    }
}

/// Returns the one of two signs that says more.
fn stronger(a: Sign, b: Sign) -> Sign {
    let rank = |sign| match sign {
        Sign::Flagged => 3,
        Sign::Over => 2,
        Sign::Near => 1,
        Sign::Clear => 0,
    };
    if rank(b) > rank(a) { b } else { a }
}
