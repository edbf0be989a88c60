//! What the bench shows: columns of results, categories as rows, in the order wanted. Made anew when something of it
//! changes, not for each frame.

use std::sync::Arc;

use super::category::{self, Category, Key, Reader};
use super::language::is_unjudged;
use super::results::Judge;
use crate::record::Check;
use crate::text::Untrusted;

/// Columns differ where their scores are further apart than this.
const DIFFER: f64 = 0.1;
/// One cell: a score and a flag.
pub(super) type Cell = (Option<f64>, Option<bool>);

/// A text as one judge sees it.
#[derive(Clone, Debug)]
pub(super) struct Column {
    /// Which text.
    pub(super) text: usize,
    pub(super) judge: Judge,
    /// The newest check; `None`: there is none.
    pub(super) check: Option<Arc<Check>>,
    /// Whether it says nothing of the text, which is in a language its judge does not read.
    pub(super) unjudged: bool,
    /// The check before it, where the text was checked again since the program began and something moved.
    pub(super) before: Option<Arc<Check>>,
    /// A cell for each category.
    pub(super) cells: Vec<Cell>,
    /// What each was before.
    pub(super) old: Vec<Option<f64>>,
}

/// A category as a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Which category.
    pub(super) category: usize,
    /// What stands before it, safe to show.
    pub(super) label: String,
}

/// What a board is made of.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stamp {
    pub(super) revision: u64,
    /// Whom the texts are shown to: the models may be known only later.
    pub(super) judges: Vec<Judge>,
    pub(super) by_score: bool,
    /// The column whose scores count, where one is shown.
    pub(super) one: Option<usize>,
}

/// All of it.
#[derive(Debug, Default)]
pub(super) struct Board {
    /// What it was made of.
    pub(super) stamp: Option<Stamp>,
    pub(super) columns: Vec<Column>,
    pub(super) categories: Vec<Category>,
    pub(super) rows: Vec<Row>,
}

impl Board {
    /// The category at a row.
    pub(super) fn key(&self, row: usize) -> Option<&Key> {
        self.rows.get(row).map(|row| &self.categories[row.category].key)
    }

    /// Where a category stands; the first row where it does not.
    pub(super) fn row(&self, key: Option<&Key>) -> usize {
        let at = key.and_then(|key| self.rows.iter().position(|row| self.categories[row.category].key == *key));
        at.unwrap_or(0)
    }

    /// A board of checks alone, oldest first: one column for each, against the one before it of the same judge.
    /// `differences`: only categories show whose columns differ.
    pub(super) fn of(checks: &[Arc<Check>], text: &Untrusted, differences: bool) -> Self {
        let columns = checks.iter().enumerate().map(|(at, check)| {
            let judge: Judge = (check.profile.clone(), check.asked.clone());
            let same = |other: &&Arc<Check>| other.profile == judge.0 && other.asked == judge.1;
            let before = checks[..at].iter().rfind(same).cloned();
            column((at, text), judge, Some(Arc::clone(check)), before)
        });
        let mut board = Self { columns: columns.collect(), ..Self::default() };
        board.fill();
        board.order(false, false, differences, None);
        board
    }

    /// Reads the cells of all columns.
    pub(super) fn fill(&mut self) {
        let checks = || self.columns.iter().flat_map(|column| [&column.check, &column.before]).flatten();
        self.categories = category::union(checks().map(AsRef::as_ref));
        let mut reader = Reader::new(&self.categories);
        for column in &mut self.columns {
            if let Some(check) = &column.check {
                column.cells = reader.read(check);
            }
            if let Some(before) = &column.before {
                column.old = reader.read(before).into_iter().map(|(score, _)| score).collect();
                column.old.resize(self.categories.len(), None);
            }
            column.cells.resize(self.categories.len(), (None, None));
        }
    }

    /// Puts the categories in their order; `one`: the column whose scores count.
    pub(super) fn order(&mut self, by_score: bool, families: bool, differences: bool, one: Option<usize>) {
        let score = |column: &Column, at: usize| column.cells[at].0.unwrap_or(-1.0);
        let weight = |at: usize| match one.and_then(|one| self.columns.get(one)) {
            Some(column) => score(column, at),
            None => self.columns.iter().map(|column| score(column, at)).fold(-1.0, f64::max),
        };
        let weights: Vec<f64> = (0..self.categories.len()).map(weight).collect();
        let family_weight = |family: &Key| {
            let members = self.categories.iter().zip(&weights).filter(|(category, _)| category.family == *family);
            members.map(|(_, weight)| *weight).fold(-1.0, f64::max)
        };
        let mut order: Vec<usize> = (0..self.categories.len()).collect();
        if by_score {
            order.sort_by(|a, b| weights[*b].total_cmp(&weights[*a]));
        }
        if families {
            let of = |at: usize| &self.categories[at].family;
            let head = |at: usize| self.categories[at].key == *of(at);
            order.sort_by(|a, b| {
                let heavier = family_weight(of(*b)).total_cmp(&family_weight(of(*a)));
                let heavier = if by_score { heavier } else { std::cmp::Ordering::Equal };
                heavier.then_with(|| of(*a).cmp(of(*b))).then_with(|| head(*b).cmp(&head(*a)))
            });
        }
        if differences {
            order.retain(|at| self.differs(*at));
        }
        let label = |at: usize| {
            let Category { key, name, family } = &self.categories[at];
            let name = name.line();
            let headed = families && key != family && self.categories.iter().any(|other| other.key == *family);
            match name.get(family.as_str().len()..).filter(|_| headed) {
                Some(rest) => format!("└ {}", rest.trim_start_matches(['/', '_', '-'])),
                None => name.into_owned(),
            }
        };
        self.rows = order.into_iter().map(|at| Row { category: at, label: label(at) }).collect();
    }

    /// Whether several models check each text.
    pub(super) fn has_pairs(&self) -> bool {
        self.columns.windows(2).any(|pair| pair[0].text == pair[1].text)
    }

    /// Whether columns differ in a category: the models of any text where there are several, else the texts.
    fn differs(&self, at: usize) -> bool {
        let paired = self.has_pairs();
        self.columns.chunk_by(|a, b| !paired || a.text == b.text).any(|columns| Self::differ(columns, at))
    }

    fn differ(columns: &[Column], at: usize) -> bool {
        let cells = || columns.iter().filter(|column| column.check.is_some()).map(|column| column.cells[at]);
        let scores = || cells().filter_map(|(score, _)| score);
        let (least, most) = (scores().fold(f64::MAX, f64::min), scores().fold(f64::MIN, f64::max));
        let flags = || cells().filter_map(|(_, flag)| flag);
        most - least > DIFFER || (flags().any(|flag| flag) && flags().any(|flag| !flag))
    }
}

/// Returns a column without cells.
pub(super) fn column(
    (at, text): (usize, &Untrusted),
    judge: Judge,
    check: Option<Arc<Check>>,
    before: Option<Arc<Check>>,
) -> Column {
    let unjudged = check.as_ref().is_some_and(|check| is_unjudged(check, text));
    Column { text: at, judge, check, unjudged, before, cells: Vec::new(), old: Vec::new() }
}
