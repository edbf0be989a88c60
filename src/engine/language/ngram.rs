//! The n-gram term: which token followed the last one, two and three in the training texts.

use std::collections::HashMap;

use super::vocabulary::Slot;

/// How often each token followed a context.
type Followers = Vec<(Slot, u32)>;

/// Counts of up to four tokens with Witten-Bell smoothing: a context with many different followers gets less weight.
#[derive(Default)]
pub(super) struct Ngrams {
    /// By number of context tokens less one, packed into 16 bits each.
    tables: [HashMap<u64, Followers>; 3],
}

impl Ngrams {
    pub(super) fn learn(&mut self, text: &[Slot]) {
        for (at, next) in text.iter().enumerate() {
            for (order, table) in self.tables.iter_mut().enumerate() {
                if at > order {
                    let followers = table.entry(pack(&text[at - order - 1..at])).or_default();
                    match followers.iter_mut().find(|(slot, _)| slot == next) {
                        Some((_, count)) => *count += 1,
                        None => followers.push((*next, 1)),
                    }
                }
            }
        }
    }

    /// Blends the counts into `distribution`, which keeps its sum.
    pub(super) fn blend(&self, context: &[Slot], distribution: &mut [f32]) {
        for (order, table) in self.tables.iter().enumerate() {
            let Some(from) = context.len().checked_sub(order + 1) else { break };
            let Some(followers) = table.get(&pack(&context[from..])) else { break };
            let total: u32 = followers.iter().map(|(_, count)| count).sum();
            let whole = total as f32 + followers.len() as f32;
            let keep = followers.len() as f32 / whole;
            for p in distribution.iter_mut() {
                *p *= keep;
            }
            for (slot, count) in followers {
                distribution[usize::from(*slot)] += *count as f32 / whole;
            }
        }
    }
}

fn pack(context: &[Slot]) -> u64 {
    context.iter().fold(0, |key, slot| key << 16 | u64::from(*slot))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seen_followers_gain_and_the_sum_stays() {
        let mut ngrams = Ngrams::default();
        ngrams.learn(&[1, 2, 3, 1, 2, 3, 1, 2, 4]);
        let mut p = vec![0.2; 5];
        ngrams.blend(&[1, 2], &mut p);
        assert!((p.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert!(p[3] > p[4] && p[4] > p[0]);
    }
}
