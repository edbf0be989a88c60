//! The table of results: a column for each text and model, categories as rows. It is rebuilt when something changes,
//! not for each frame.

use std::sync::Arc;

use super::category::{self, CategoryInfo, CategoryKey, ScoreReader};
use super::language::is_unjudged;
use super::model_ref::ModelRef;
use crate::component::Motion;
use crate::record::Check;
use crate::text::Untrusted;

/// Columns differ where their scores are further apart than this.
const DIFFER: f64 = 0.1;
/// Scores that are closer than this have not moved: they read alike.
pub(super) const MOVED: f64 = 0.005;
/// One cell: a score and a flag.
pub(super) type ScoreAndFlag = (Option<f64>, Option<bool>);

/// The results of a text by one model.
#[derive(Clone, Debug)]
pub(super) struct ResultColumn {
    /// Which text.
    pub(super) text: usize,
    pub(super) model: ModelRef,
    /// The newest check; `None`: there is none.
    pub(super) check: Option<Arc<Check>>,
    /// Whether it says nothing of the text, which is in a language its model does not read.
    pub(super) unjudged: bool,
    /// The check before it, where the text was checked again since the program began and something moved.
    pub(super) before: Option<Arc<Check>>,
    /// A cell for each category.
    pub(super) cells: Vec<ScoreAndFlag>,
    /// What each was before.
    pub(super) old: Vec<Option<f64>>,
}

impl ResultColumn {
    /// Returns a column of the text at `at`, without cells.
    pub(super) fn new(
        (at, text): (usize, &Untrusted),
        model: ModelRef,
        check: Option<Arc<Check>>,
        before: Option<Arc<Check>>,
    ) -> Self {
        let unjudged = check.as_ref().is_some_and(|check| is_unjudged(check, text));
        Self { text: at, model, check, unjudged, before, cells: Vec::new(), old: Vec::new() }
    }
}

/// A category as a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Which category.
    pub(super) category: usize,
    /// Its name as it is shown, safe to show.
    pub(super) label: String,
}

/// What a table is made of.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TableInputs {
    pub(super) revision: u64,
    /// The models that check the texts; they may be known only later.
    pub(super) models: Vec<ModelRef>,
    pub(super) by_score: bool,
    /// The column whose scores count, where one is shown.
    pub(super) one: Option<usize>,
}

/// The table of results.
#[derive(Debug, Default)]
pub(super) struct ResultTable {
    /// What it was made of.
    pub(super) inputs: Option<TableInputs>,
    pub(super) columns: Vec<ResultColumn>,
    pub(super) categories: Vec<CategoryInfo>,
    pub(super) rows: Vec<Row>,
}

impl ResultTable {
    /// Returns the category at a row.
    pub(super) fn key(&self, row: usize) -> Option<&CategoryKey> {
        self.rows.get(row).map(|row| &self.categories[row.category].key)
    }

    /// Returns a category's row; the first where it has none.
    pub(super) fn row(&self, key: Option<&CategoryKey>) -> usize {
        let at = key.and_then(|key| self.rows.iter().position(|row| self.categories[row.category].key == *key));
        at.unwrap_or(0)
    }

    /// Returns the category that a motion from `key` leads to, where a page has `page` rows.
    pub(super) fn step(&self, key: Option<&CategoryKey>, motion: Motion, page: usize) -> Option<CategoryKey> {
        let last = self.rows.len().saturating_sub(1);
        self.key(self.row(key).saturating_add_signed(motion.rows(page)).min(last)).cloned()
    }

    /// Returns a table of checks alone, oldest first: one column for each, against the one before it by the same model.
    /// `differences`: only categories show whose columns differ.
    pub(super) fn of(checks: &[Arc<Check>], text: &Untrusted, differences: bool) -> Self {
        let columns = checks.iter().enumerate().map(|(at, check)| {
            let model = ModelRef::of(check);
            let before = checks[..at].iter().rfind(|other| model.is_model_of(other)).cloned();
            ResultColumn::new((at, text), model, Some(Arc::clone(check)), before)
        });
        let mut table = Self { columns: columns.collect(), ..Self::default() };
        table.fill();
        table.order(false, false, differences, None);
        table
    }

    /// Reads the cells of all columns.
    pub(super) fn fill(&mut self) {
        let checks = || self.columns.iter().flat_map(|column| [&column.check, &column.before]).flatten();
        self.categories = category::union(checks().map(AsRef::as_ref));
        let mut reader = ScoreReader::new(&self.categories);
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
        let score = |column: &ResultColumn, at: usize| column.cells[at].0.unwrap_or(-1.0);
        let weight = |at: usize| match one.and_then(|one| self.columns.get(one)) {
            Some(column) => score(column, at),
            None => self.columns.iter().map(|column| score(column, at)).fold(-1.0, f64::max),
        };
        let weights: Vec<f64> = (0..self.categories.len()).map(weight).collect();
        let family_weight = |family: &CategoryKey| {
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
            let CategoryInfo { key, name, family } = &self.categories[at];
            let name = name.line();
            let headed = families && key != family && self.categories.iter().any(|other| other.key == *family);
            match name.get(family.as_str().len()..).filter(|_| headed) {
                Some(rest) => format!("└ {}", rest.trim_start_matches(['/', '_', '-'])),
                None => name.into_owned(),
            }
        };
        self.rows = order.into_iter().map(|at| Row { category: at, label: label(at) }).collect();
    }

    /// Returns whether several models check each text.
    pub(super) fn has_pairs(&self) -> bool {
        self.columns.windows(2).any(|pair| pair[0].text == pair[1].text)
    }

    /// Returns whether columns differ in a category: the models of any text where there are several, else the texts.
    fn differs(&self, at: usize) -> bool {
        let paired = self.has_pairs();
        self.columns.chunk_by(|a, b| !paired || a.text == b.text).any(|columns| Self::differ(columns, at))
    }

    fn differ(columns: &[ResultColumn], at: usize) -> bool {
        let cells = || columns.iter().filter(|column| column.check.is_some()).map(|column| column.cells[at]);
        let scores = || cells().filter_map(|(score, _)| score);
        let (least, most) = (scores().fold(f64::MAX, f64::min), scores().fold(f64::MIN, f64::max));
        let flags = || cells().filter_map(|(_, flag)| flag);
        most - least > DIFFER || (flags().any(|flag| flag) && flags().any(|flag| !flag))
    }
}
