//! How well an entry of a list matches what was typed: a matching beginning ranks above a match within it, and that
//! above scattered letters.

use std::cmp::Reverse;

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// Columns per letter within which scattered letters must be to count.
const SPREAD: usize = 2;

/// How an entry matches, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MatchKind {
    /// It equals the search text.
    Same,
    /// It begins with the search text, or the part after its `Tab:` does.
    Start,
    /// Each searched word begins one of its words.
    Words,
    /// The same, including its keywords.
    Keywords,
    /// Each searched word occurs in it.
    Within,
    /// The letters occur in it in this order.
    Scattered,
}

/// An entry's rank among the matches; smaller comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    /// Whether only letters match, and no beginning of a word.
    loose: bool,
    /// Whether it belongs to another place than the current one.
    elsewhere: bool,
    kind: MatchKind,
    score: Reverse<u32>,
}

impl Rank {
    /// Returns whether only its scattered letters match.
    pub(super) fn is_scattered(self) -> bool {
        self.kind == MatchKind::Scattered
    }
}

/// What was typed, prepared for comparison.
pub(super) struct RankQuery {
    /// In lower case.
    text: String,
    pattern: Pattern,
    matcher: Matcher,
    room: Vec<char>,
    at: Vec<u32>,
}

impl RankQuery {
    pub(super) fn new(text: &str) -> Self {
        Self {
            text: text.trim().to_lowercase(),
            pattern: Pattern::parse(text, CaseMatching::Ignore, Normalization::Smart),
            matcher: Matcher::new(Config::DEFAULT),
            room: Vec::new(),
            at: Vec::new(),
        }
    }

    /// Returns the rank of an entry with this label and these keywords; `None`: it does not match.
    pub(super) fn rank(&mut self, label: &str, keywords: &str, elsewhere: bool) -> Option<Rank> {
        if self.text.is_empty() {
            // Nothing was typed: all of them, in their order.
            return Some(Rank { loose: false, elsewhere: false, kind: MatchKind::Same, score: Reverse(0) });
        }
        let small = label.to_lowercase();
        let (kind, score) = match self.direct(&small, keywords) {
            Some(kind) => (kind, 0),
            None if self.text.split_whitespace().all(|word| small.contains(word)) => (MatchKind::Within, 0),
            None => (MatchKind::Scattered, self.scattered(label)?),
        };
        Some(Rank { loose: kind >= MatchKind::Within, elsewhere, kind, score: Reverse(score) })
    }

    fn direct(&self, label: &str, keywords: &str) -> Option<MatchKind> {
        let text = self.text.as_str();
        let own = |typed: &str| label.split(|c: char| !c.is_alphanumeric()).any(|word| word.starts_with(typed));
        let other = |typed: &str| keywords.split(' ').any(|word| word.starts_with(typed));
        Some(match () {
            () if label == text => MatchKind::Same,
            () if label.starts_with(text) || label.split_once(": ").is_some_and(|(_, rest)| rest.starts_with(text)) => {
                MatchKind::Start
            }
            () if text.split_whitespace().all(own) => MatchKind::Words,
            () if text.split_whitespace().all(|word| own(word) || other(word)) => MatchKind::Keywords,
            () => return None,
        })
    }

    fn scattered(&mut self, label: &str) -> Option<u32> {
        let mut score = 0;
        for atom in &self.pattern.atoms {
            self.at.clear();
            let hay = Utf32Str::new(label, &mut self.room);
            score += u32::from(atom.indices(hay, &mut self.matcher, &mut self.at)?);
            if let (Some(first), Some(last)) = (self.at.iter().min(), self.at.iter().max())
                && (last - first) as usize > SPREAD * self.at.len()
            {
                return None;
            }
        }
        Some(score)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the matches, best first.
    fn found(typed: &str, entries: &[(&'static str, &str, bool)]) -> Vec<&'static str> {
        let mut query = RankQuery::new(typed);
        let mut found: Vec<_> = entries
            .iter()
            .filter_map(|(label, keywords, elsewhere)| Some((query.rank(label, keywords, *elsewhere)?, *label)))
            .collect();
        found.sort_by_key(|(rank, _)| *rank);
        found.into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn a_beginning_comes_before_a_word_a_keyword_and_letters() {
        let entries = [
            ("Chat: most delicate look", "", false),
            ("Chat: remodel", "", false),
            ("Profile: choose…", "model server", false),
            ("Chat: what the model thought", "", false),
            ("Model: choose…", "", false),
        ];
        let order: Vec<_> = entries.iter().rev().map(|(label, ..)| *label).collect();
        assert_eq!(found("model", &entries), order);
        assert_eq!(found("MODEL ", &entries), order);
        assert_eq!(found("", &entries).len(), 5);
        assert_eq!(found("choose model", &entries), ["Model: choose…", "Profile: choose…"]);
    }

    #[test]
    fn what_is_here_comes_before_what_is_elsewhere_unless_only_letters_of_it_fit() {
        let entries = [
            ("Moderate: export as CSV", "", true),
            ("Chat: all marked answers", "export", false),
            ("Chat: explain port names twice", "", false),
        ];
        let order = ["Chat: all marked answers", "Moderate: export as CSV", "Chat: explain port names twice"];
        assert_eq!(found("export", &entries), order);
    }

    #[test]
    fn letters_far_apart_are_not_meant() {
        assert_eq!(found("gptmini", &[("gpt-4o-mini", "", false)]), ["gpt-4o-mini"]);
        assert!(found("attach", &[("Chat: a text of the last answer, copied with its heading", "", false)]).is_empty());
        assert_eq!(found("gpt-4", &[("gpt-4o", "", false), ("gpt-4", "", false)]), ["gpt-4", "gpt-4o"]);
    }
}
