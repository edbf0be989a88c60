//! Models side by side: names that distinguish them, pages that keep the models of a text together, how often they
//! agree.

use std::ops::Range;

use super::bench_texts::letter;
use super::model_ref::ModelRef;
use super::result_table::ResultTable;
use super::wording::model_name;
use crate::ui::meter::percent;
use crate::ui::size_class::MEDIUM;
use crate::ui::wrap;

/// Where a name may be cut: after one of these, or before.
const SEPARATORS: [char; 5] = ['-', '_', '/', ':', '.'];

/// Returns names without the words that all of them begin with, or else end with.
fn distinct(names: &[String]) -> Vec<String> {
    let [first, others @ ..] = names else { return Vec::new() };
    if others.is_empty() {
        return names.to_vec();
    }
    let same = |a: &str, b: &str| a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let common = others.iter().map(|name| same(first, name)).min().unwrap_or(0);
    let start = first.bytes().take(common).rposition(is_separator).map_or(0, |at| at + 1);
    if start > 0 && names.iter().all(|name| name.len() > start) {
        return names.iter().map(|name| format!("…{}", &name[start..])).collect();
    }
    let same = |a: &str, b: &str| a.bytes().rev().zip(b.bytes().rev()).take_while(|(a, b)| a == b).count();
    let common = others.iter().map(|name| same(first, name)).min().unwrap_or(0);
    let end = first.bytes().rev().take(common).rposition(is_separator).map_or(0, |at| at + 1);
    if end > 0 && names.iter().all(|name| name.len() > end) {
        return names.iter().map(|name| format!("{}…", &name[..name.len() - end])).collect();
    }
    names.to_vec()
}

fn is_separator(byte: u8) -> bool {
    SEPARATORS.contains(&char::from(byte))
}

/// Returns the columns that are shown together with one: all models of as many texts as fit, or as many models of its
/// text. The last page is full too: it begins within the one before it.
pub(super) fn page(column: usize, fit: usize, models: usize, all: usize) -> Range<usize> {
    let (fit, models) = (fit.max(1), models.max(1));
    if fit >= models {
        let step = fit - fit % models;
        let first = (column / step * step).min(all.saturating_sub(step));
        return first..(first + step).min(all);
    }
    let text = column / models * models;
    let first = (text + ((column - text) / fit * fit).min(models - fit)).min(all);
    first..(first + fit).min(all)
}

/// How often models agree whether a text is flagged, over the texts that all of them have checked.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ModelAgreement {
    /// Texts that all models have checked.
    pub(super) texts: usize,
    /// The others of them: the models disagree.
    pub(super) differ: Vec<usize>,
    /// Cohen's kappa of two models, -1 to 1; `None`: more models, or both always say the same.
    pub(super) kappa: Option<f64>,
}

impl ModelAgreement {
    /// Returns how often the models of a table agree; `None`: there is one, or there is no text that all have checked.
    pub(super) fn in_table(table: &ResultTable) -> Option<Self> {
        let columns = table.columns.chunk_by(|a, b| a.text == b.text);
        let flags = columns.filter(|columns| columns.len() > 1).filter_map(|columns| {
            let flags = columns.iter().map(|column| column.check.as_ref().map(|check| check.flagged));
            Some((columns[0].text, flags.collect::<Option<Vec<bool>>>()?))
        });
        let flags: Vec<_> = flags.collect();
        (!flags.is_empty()).then(|| Self::of(&flags))
    }

    /// Compares the models by the texts that all of them have checked; `flags` has such a text and a flag for each
    /// model.
    fn of(flags: &[(usize, Vec<bool>)]) -> Self {
        let differ = |(text, flags): &(usize, Vec<bool>)| flags.windows(2).any(|two| two[0] != two[1]).then_some(*text);
        Self { texts: flags.len(), differ: flags.iter().filter_map(differ).collect(), kappa: kappa(flags) }
    }

    /// Returns `the models agree on 2 of 3 texts (67%) · κ 0.40 · not on B`; short where there is little room.
    pub(super) fn sentence(&self, width: usize) -> String {
        let Self { texts, differ, kappa } = self;
        let agree = texts - differ.len();
        let share = percent(agree as f64 / (*texts).max(1) as f64);
        let kappa = kappa.map_or_else(|| "—".to_owned(), |kappa| format!("{kappa:.2}"));
        let names: Vec<String> = differ.iter().map(|text| letter(*text)).collect();
        let rest = if names.is_empty() { String::new() } else { format!(" · not on {}", names.join(", ")) };
        let s = if *texts == 1 { "" } else { "s" };
        if width < usize::from(MEDIUM) {
            return format!("agree on {agree} of {texts} · κ {kappa}{rest}");
        }
        format!("the models agree on {agree} of {texts} text{s} ({share}) · Cohen's κ {kappa}{rest}")
    }
}

fn kappa(flags: &[(usize, Vec<bool>)]) -> Option<f64> {
    let pairs: Vec<(bool, bool)> = flags
        .iter()
        .map(|(_, flags)| if let [a, b] = flags[..] { Some((a, b)) } else { None })
        .collect::<Option<_>>()?;
    let share = |test: fn(&(bool, bool)) -> bool| {
        pairs.iter().filter(|pair| test(pair)).count() as f64 / pairs.len().max(1) as f64
    };
    let (first, second) = (share(|pair| pair.0), share(|pair| pair.1));
    let by_chance = first * second + (1.0 - first) * (1.0 - second);
    (by_chance < 1.0).then(|| (share(|pair| pair.0 == pair.1) - by_chance) / (1.0 - by_chance))
}

/// Returns the models' names as they are above columns of that width, in the order of the columns of a text.
pub(super) fn model_names(models: &[ModelRef], width: usize) -> Vec<String> {
    let names: Vec<String> = models.iter().map(|model| model_name(&model.model)).collect();
    if names.iter().all(|name| wrap::width(name) <= width) { names } else { distinct(&names) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        distinct(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn names_lose_whole_words_that_all_of_them_have() {
        assert_eq!(names(&["text-moderation-latest", "text-moderation-stable"]), ["…latest", "…stable"]);
        assert_eq!(names(&["omni-moderation-latest", "text-moderation-latest"]), ["omni…", "text…"]);
        assert_eq!(names(&["guard", "guardian"]), ["guard", "guardian"]);
        assert_eq!(names(&["a-b", "a-b-c"]), ["…b", "…b-c"]);
        assert_eq!(names(&["x-日本", "x-日曜"]), ["…日本", "…日曜"]);
        assert_eq!(names(&["one-model"]), ["one-model"]);
    }

    #[test]
    fn a_page_holds_all_models_of_its_texts() {
        let pages = |fit, models, all| {
            let mut pages: Vec<_> = (0..all).map(|column| page(column, fit, models, all)).collect();
            pages.dedup();
            pages
        };
        assert_eq!(pages(3, 2, 6), [0..2, 2..4, 4..6]);
        assert_eq!(pages(5, 2, 6), [0..4, 2..6]);
        assert_eq!(pages(2, 3, 6), [0..2, 1..3, 3..5, 4..6]);
        assert_eq!(pages(3, 1, 4), [0..3, 1..4]);
        assert_eq!(pages(3, 1, 2), std::slice::from_ref(&(0..2)));
    }

    #[test]
    fn agreement_is_what_both_say_beyond_chance() {
        let of = |flags: &[(bool, bool)]| {
            let flags: Vec<_> = flags.iter().enumerate().map(|(at, (a, b))| (at, vec![*a, *b])).collect();
            ModelAgreement::of(&flags)
        };
        let (yes, no) = (true, false);
        // 20 and 15 the same of 50, as in the usual example: 0.70 observed, 0.50 by chance.
        let flags = [vec![(yes, yes); 20], vec![(yes, no); 5], vec![(no, yes); 10], vec![(no, no); 15]].concat();
        let agreement = of(&flags);
        assert_eq!((agreement.texts, agreement.differ.len()), (50, 15));
        assert!((agreement.kappa.unwrap() - 0.4).abs() < 1e-9);
        assert_eq!(of(&[(yes, yes), (yes, yes)]).kappa, None, "both always say the same");
        assert_eq!(of(&[(yes, no), (no, yes)]).kappa, Some(-1.0));
        assert_eq!(
            of(&[(yes, yes), (no, no), (no, yes)]).sentence(80),
            "the models agree on 2 of 3 texts (67%) · Cohen's κ 0.40 · not on C"
        );
        let three = ModelAgreement::of(&[(0, vec![yes, yes, no]), (1, vec![no, no, no])]);
        assert_eq!((three.differ, three.kappa), (vec![0], None));
    }
}
