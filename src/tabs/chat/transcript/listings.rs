//! Code listings on the screen that are shown without colours.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use ratatui::layout::{Position, Rect};

use super::entries::EntryKey;
use crate::record::Id;
use crate::text::Untrusted;
use crate::ui::transcript::Transcript;

/// While text streams a listing is coloured once it has been on the screen for so long.
const STILL: Duration = Duration::from_millis(100);

/// A listing that wants colours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CodeListing {
    pub(crate) turn: Id,
    pub(crate) block: usize,
    pub(crate) language: Untrusted,
    pub(crate) code: Untrusted,
}

/// A listing by its turn, its place there and the length of its code.
type ListingKey = (Id, usize, usize);

/// The listings that were found, and those whose colours were asked for.
#[derive(Debug, Default)]
pub(super) struct CodeListings {
    found: Vec<CodeListing>,
    asked: HashSet<ListingKey>,
    /// Listings on the screen while text streams, and since when.
    since: HashMap<ListingKey, Instant>,
}

impl CodeListings {
    /// Returns those found since this was called last.
    pub(super) fn take(&mut self) -> Vec<CodeListing> {
        std::mem::take(&mut self.found)
    }

    /// Returns whether none was found.
    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Forgets which were asked for, but for those of turns that are kept.
    pub(super) fn retain(&mut self, kept: impl Fn(Id) -> bool) {
        self.asked.retain(|(turn, ..)| kept(*turn));
    }

    /// Finds the listings on the screen. A long message has many, of which few are there.
    pub(super) fn find(&mut self, transcript: &mut Transcript<EntryKey>, area: Rect, streaming: bool, now: Instant) {
        let mut since = HashMap::new();
        let rows = (area.y..area.bottom()).filter_map(|y| transcript.hit(Position::new(area.x, y)));
        let mut shown: Vec<(EntryKey, usize)> = rows.filter_map(|hit| Some((hit.id, hit.code?))).collect();
        shown.dedup();
        // A listing that left the screen may have lost its colours when it returns.
        self.retain(|turn| shown.iter().any(|(id, _)| id.turn() == turn));
        for (id, block) in shown {
            let EntryKey::Turn(turn) = id else { continue };
            let Some(found) = transcript.get_mut(id).and_then(|entry| entry.doc().uncoloured(block)) else { continue };
            let key = (turn, block, found.text.len());
            if self.asked.contains(&key) {
                continue;
            }
            // Listings that scroll by faster than anybody reads are not coloured.
            let seen = self.since.get(&key).copied().unwrap_or(now);
            if streaming && now.saturating_duration_since(seen) < STILL {
                since.insert(key, seen);
                continue;
            }
            self.asked.insert(key);
            let (language, code) = (found.language.clone(), found.text.clone());
            self.found.push(CodeListing { turn, block, language, code });
        }
        self.since = since;
    }
}
