//! The names of labels or clusters on the map, each in the middle of its texts.

use std::sync::Arc;

use super::super::labels::TextLabels;
use crate::record::vectors::Map;
use crate::ui::scatter::{Caption, SIGNS};

/// Names, kept until map or groups are others.
#[derive(Debug, Default)]
pub(super) struct Captions {
    of: Option<(Arc<Map>, Arc<TextLabels>)>,
    all: Vec<Caption>,
}

impl Captions {
    /// Brings them to this map and these groups.
    pub(super) fn refresh(&mut self, map: Option<&Arc<Map>>, groups: Option<&Arc<TextLabels>>) {
        let Some((map, groups)) = map.zip(groups) else { return *self = Self::default() };
        let same = |(of, by): &(Arc<Map>, Arc<TextLabels>)| Arc::ptr_eq(of, map) && Arc::ptr_eq(by, groups);
        if !self.of.as_ref().is_some_and(same) {
            self.all = captions(map, groups);
            self.of = Some((Arc::clone(map), Arc::clone(groups)));
        }
    }

    /// Returns those that show; `only`: the only group that does.
    pub(super) fn shown(&self, only: Option<usize>) -> &[Caption] {
        match only {
            None => &self.all,
            Some(group) => self.all.get(group..=group).unwrap_or_default(),
        }
    }
}

/// Returns the names of the groups that have a mark of their own, each at the median of its points.
fn captions(map: &Map, groups: &TextLabels) -> Vec<Caption> {
    let mut places = vec![(Vec::new(), Vec::new()); groups.all.len().min(SIGNS.len())];
    for (row, point) in map.points.iter().enumerate() {
        let group = groups.place(row).and_then(|group| places.get_mut(group));
        if let Some(((right, up), [x, y])) = group.zip(*point) {
            right.push(x);
            up.push(y);
        }
    }
    let names = groups.all.iter().zip(places);
    names.map(|(group, (right, up))| Caption { at: [median(right), median(up)], words: group.name.clone() }).collect()
}

/// Returns the median; NaN where there are no values, which is drawn nowhere.
fn median(mut numbers: Vec<f32>) -> f32 {
    let middle = numbers.len() / 2;
    if numbers.is_empty() { f32::NAN } else { *numbers.select_nth_unstable_by(middle, f32::total_cmp).1 }
}
