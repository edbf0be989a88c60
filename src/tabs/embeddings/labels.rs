//! The labels of the texts: which there are, and which each text has.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use super::pane_data::TextItem;
use crate::record::vectors::Clusters;
use crate::text::Untrusted;

/// One label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextLabel {
    /// Its name on one line, safe for the screen.
    pub(super) name: String,
    /// Texts that have it.
    pub(super) texts: usize,
}

/// The labels of a list, most frequent first; of equally frequent ones the one that comes first in the list.
#[derive(Clone, Debug, Default)]
pub(super) struct TextLabels {
    pub(super) all: Vec<TextLabel>,
    /// The place in `all` of each text's label; `None`: the text has none.
    pub(super) of: Arc<[Option<u32>]>,
}

impl TextLabels {
    /// Collects the labels of these texts. Blanks around a label are not part of it.
    pub(super) fn new(texts: &[TextItem]) -> Self {
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut all: Vec<(TextLabel, usize)> = Vec::new();
        let mut of: Vec<Option<u32>> = Vec::with_capacity(texts.len());
        for text in texts {
            let line = text.label.as_ref().map(Untrusted::line);
            let name = line.as_deref().map(str::trim).filter(|name| !name.is_empty());
            let place = name.map(|name| match places.get(name) {
                Some(place) => *place,
                None => {
                    let place = all.len();
                    places.insert(name.to_owned(), place);
                    all.push((TextLabel { name: name.to_owned(), texts: 0 }, place));
                    place
                }
            });
            if let Some(place) = place {
                all[place].0.texts += 1;
            }
            of.push(place.map(|place| place as u32));
        }
        all.sort_by_key(|(label, first)| (Reverse(label.texts), *first));
        let mut ranks = vec![0; all.len()];
        for (rank, (_, first)) in (0..).zip(&all) {
            ranks[*first] = rank;
        }
        let of = of.into_iter().map(|place| place.map(|place| ranks[place as usize])).collect();
        Self { all: all.into_iter().map(|(label, _)| label).collect(), of }
    }

    /// Returns clusters as labels. A cluster without a name is called by its number.
    pub(super) fn of_clusters(clusters: &Clusters) -> Self {
        let mut all: Vec<TextLabel> = (1..)
            .zip(&clusters.names)
            .map(|(number, name)| {
                let name = if name.is_empty() { format!("cluster {number}") } else { name.line().into_owned() };
                TextLabel { name, texts: 0 }
            })
            .collect();
        for cluster in clusters.of.iter().flatten() {
            if let Some(label) = all.get_mut(*cluster as usize) {
                label.texts += 1;
            }
        }
        Self { all, of: clusters.of.as_slice().into() }
    }

    /// Returns whether no text has a label.
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the index in `all` of a text's label.
    pub(super) fn place(&self, row: usize) -> Option<usize> {
        self.of.get(row).copied().flatten().map(|place| place as usize)
    }

    /// Returns a text's label.
    pub(super) fn name(&self, row: usize) -> Option<&str> {
        self.place(row).map(|place| self.all[place].name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::super::pane_test::texts;
    use super::*;

    #[test]
    fn labels_are_counted_most_frequent_first() {
        let mut texts = texts(&["a", "b", "c", "d", "e"]);
        for (text, label) in texts.iter_mut().zip(["ham", " spam", "", "spam ", "eggs"]) {
            text.label = Some(label.into());
        }
        let labels = TextLabels::new(&texts);
        let all: Vec<_> = labels.all.iter().map(|label| (label.name.as_str(), label.texts)).collect();
        assert_eq!(all, [("spam", 2), ("ham", 1), ("eggs", 1)]);
        assert_eq!(*labels.of, [Some(1), Some(0), None, Some(0), Some(2)]);
        assert_eq!((labels.name(3), labels.name(2), labels.name(9)), (Some("spam"), None, None));
        assert!(TextLabels::new(&texts[2..3]).is_empty());
    }

    #[test]
    fn clusters_without_words_have_their_number() {
        let of = vec![Some(0), Some(1), None, Some(0)];
        let labels = TextLabels::of_clusters(&Clusters { of, names: vec!["refund, order".into(), "".into()] });
        let all: Vec<_> = labels.all.iter().map(|label| (label.name.as_str(), label.texts)).collect();
        assert_eq!(all, [("refund, order", 2), ("cluster 2", 1)]);
        assert_eq!((labels.place(1), labels.place(2)), (Some(1), None));
    }
}
