//! The tokens of the buffer with their probabilities, in the buffer's order, and the position of each.

use std::collections::HashMap;
use std::ops::Range;

use super::history::EditHistory;
use crate::record::{Id, Made, Run, Token};
use crate::tabs::generation::score::Score;
use crate::tabs::generation::tokens::token_ranges;
use crate::ui::buffer::Buffer;

/// Which tokens the buffer has and where they stand in it. They stay where they are kept: what a change of the text
/// leaves as it was costs nothing, what it moves is added up again, and nothing is copied.
#[derive(Clone, Debug, Default)]
pub(super) struct TokenLayout {
    revision: Option<u64>,
    pieces: Vec<PlacedTokens>,
    ranges: Vec<Range<usize>>,
    found: HashMap<TokenOwner, OwnerRanges>,
    prompt: Score,
    completion: Score,
}

/// Whose a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum TokenOwner {
    /// The prompt of this run.
    Prompt(Id),
    /// This step's text.
    Step(Id),
}

impl TokenOwner {
    fn id(self) -> Id {
        match self {
            Self::Prompt(id) | Self::Step(id) => id,
        }
    }
}

/// Tokens of one owner that stand in the buffer one after the other.
#[derive(Clone, Debug)]
struct PlacedTokens {
    owner: TokenOwner,
    /// How many there are before it.
    first: usize,
    /// Which of the owner's they are.
    own: Range<usize>,
    /// The position where it begins, in the owner's text and in the buffer.
    at: (usize, usize),
    score: Score,
}

impl PlacedTokens {
    /// Returns the tokens of a part: of a text that was cut or split those that are whole in it.
    fn of(part: &ScoredPart, first: usize, own: &[Token], ranges: &[Range<usize>], near: &[Self]) -> Self {
        let start = ranges.partition_point(|place| place.start < part.range.start);
        let end = ranges.partition_point(|place| place.end <= part.range.end).max(start);
        let known = |old: &&Self| old.owner == part.owner && old.own.start == start && old.own.end <= end;
        let (mut score, scored) =
            near.iter().find(known).map_or((Score::default(), start), |old| (old.score, old.own.end));
        score.add(&own[scored..end]);
        Self { owner: part.owner, first, own: start..end, at: (part.range.start, part.at), score }
    }

    /// Returns whether its first token is the same as that of another piece, at the same position.
    fn begins_as(&self, other: &Self) -> bool {
        let beginning = |piece: &Self| (piece.owner, piece.first, piece.own.start, piece.at);
        beginning(self) == beginning(other)
    }

    /// Returns where in the buffer a place in the owner's text is.
    fn moved(&self, place: usize) -> usize {
        place - self.at.0 + self.at.1
    }
}

/// The ranges of an owner's tokens in its own text.
#[derive(Clone, Debug, Default)]
struct OwnerRanges {
    ranges: Vec<Range<usize>>,
    /// How many bytes of its text have been read.
    bytes: usize,
    /// Whether they came one by one, each looked for after the one before.
    grown: bool,
}

impl OwnerRanges {
    /// Takes in an owner's tokens. Returns whether those found before stand where they stood.
    fn sync(&mut self, part: &ScoredPart, own: &[Token], known: &TokenSources) -> bool {
        let grows = known.growing == Some(part.owner.id());
        if self.ranges.len() == own.len() && self.bytes == part.len && (grows || !self.grown) {
            return true;
        }
        let goes_on = grows && self.ranges.len() <= own.len() && self.bytes <= part.len;
        if goes_on && self.ranges.len() == own.len() {
            // Their text came first.
            return true;
        }
        if !goes_on {
            *self = Self::default();
        }
        let (from, new) = (self.bytes, &own[self.ranges.len()..]);
        let new = token_ranges(new, &part.words(from, known)).into_iter();
        self.ranges.extend(new.map(|place| from + place.start..from + place.end));
        (self.bytes, self.grown) = (part.len, grows);
        goes_on
    }
}

/// What of an owner's text is in the buffer.
struct ScoredPart {
    owner: TokenOwner,
    /// What of it, in bytes of it.
    range: Range<usize>,
    /// The position where it begins in the buffer.
    at: usize,
    /// How long the owner's text is.
    len: usize,
}

impl ScoredPart {
    /// Returns the owner's text from here on.
    fn words(&self, from: usize, known: &TokenSources) -> String {
        match self.owner {
            TokenOwner::Prompt(_) => known.buffer.slice(from.min(self.len)..self.len),
            TokenOwner::Step(id) => {
                let text = known.history.step(id).map(|step| step.inserted.raw());
                text.and_then(|text| text.get(from..)).unwrap_or_default().to_owned()
            }
        }
    }
}

/// Returns the parts of the buffer whose tokens are known, in its order. What runs wrote is in the prompt of a later
/// one, too: there the tokens of the one that wrote it stand.
fn parts(known: &TokenSources) -> Vec<ScoredPart> {
    let spans = known.history.spans().iter().filter(|span| known.tokens.contains_key(&span.step));
    let mut parts: Vec<ScoredPart> = spans
        .filter_map(|span| {
            let len = known.history.step(span.step)?.inserted.len();
            let range = span.from..span.from + span.range.len();
            Some(ScoredPart { owner: TokenOwner::Step(span.step), range, at: span.range.start, len })
        })
        .collect();
    if let Some((run, end)) = prompt_run(known) {
        let len = end.min(known.buffer.len());
        let between = |range: Range<usize>| ScoredPart { owner: TokenOwner::Prompt(run), at: range.start, range, len };
        let (mut from, mut gaps) = (0, Vec::new());
        for part in &parts {
            gaps.push(between(from..part.at.min(len).max(from)));
            from = (part.at + part.range.len()).min(len).max(from);
        }
        gaps.push(between(from..len));
        parts.extend(gaps.into_iter().filter(|part| !part.range.is_empty()));
        parts.sort_by_key(|part| part.at);
    }
    parts
}

/// What tokens are looked for in.
pub(super) struct TokenSources<'a> {
    pub(super) history: &'a EditHistory,
    pub(super) tokens: &'a HashMap<Id, Vec<Token>>,
    pub(super) runs: &'a [Run],
    pub(super) buffer: &'a Buffer,
    /// The step that grows just now.
    pub(super) growing: Option<Id>,
}

impl TokenLayout {
    /// Returns how many tokens the buffer has.
    pub(super) fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Returns whether it has none.
    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Returns the tokens in the buffer's order, out of `all` that are known.
    pub(super) fn tokens<'a>(&self, all: &'a HashMap<Id, Vec<Token>>) -> Vec<&'a Token> {
        let mut tokens = Vec::with_capacity(self.len());
        for piece in &self.pieces {
            // Without these tokens, those behind them would not match their ranges.
            let Some(own) = all.get(&piece.owner.id()).and_then(|own| own.get(piece.own.clone())) else { break };
            tokens.extend(own);
        }
        tokens
    }

    /// Returns the token at an index.
    pub(super) fn token<'a>(&self, index: usize, all: &'a HashMap<Id, Vec<Token>>) -> Option<&'a Token> {
        let piece = self.piece(index)?;
        all.get(&piece.owner.id())?.get(piece.own.start + index - piece.first)
    }

    /// Returns where each of them stands, in bytes of the buffer.
    pub(super) fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// Returns scores of the prompt and of what was generated.
    pub(super) fn scores(&self) -> (Score, Score) {
        (self.prompt, self.completion)
    }

    /// Returns whose a token is.
    pub(super) fn owner(&self, index: usize) -> Option<TokenOwner> {
        self.piece(index).map(|piece| piece.owner)
    }

    /// Returns the owners of the tokens, in the buffer's order.
    pub(super) fn owners(&self) -> impl Iterator<Item = TokenOwner> {
        self.pieces.iter().map(|piece| piece.owner)
    }

    fn piece(&self, index: usize) -> Option<&PlacedTokens> {
        let after = self.pieces.partition_point(|piece| piece.first <= index);
        self.pieces.get(after.checked_sub(1)?).filter(|_| index < self.len())
    }

    /// Takes in what has changed. Returns whether anything has.
    pub(super) fn sync(&mut self, revision: u64, known: &TokenSources) -> bool {
        if self.revision.replace(revision) == Some(revision) {
            return false;
        }
        self.found.retain(|owner, _| known.tokens.contains_key(&owner.id()));
        let old = std::mem::take(&mut self.pieces);
        (self.prompt, self.completion) = (Score::default(), Score::default());
        // The ranges before the first part that has changed stay as they are.
        let (mut first, mut same) = (0, true);
        for part in parts(known) {
            let own = &known.tokens[&part.owner.id()];
            let found = self.found.entry(part.owner).or_default();
            let stayed = found.sync(&part, own, known);
            // A piece more or less puts the others one further.
            let nth = self.pieces.len();
            let near = &old[nth.saturating_sub(1).min(old.len())..(nth + 2).min(old.len())];
            let piece = PlacedTokens::of(&part, first, own, &found.ranges, if stayed { near } else { &[] });
            let before = old.get(nth).filter(|before| same && stayed && before.begins_as(&piece));
            if before.is_none_or(|before| before.own != piece.own) {
                let kept = before.map_or(0, |before| before.own.len().min(piece.own.len()));
                if std::mem::take(&mut same) {
                    self.ranges.truncate(first + kept);
                }
                let moved = |place: &Range<usize>| piece.moved(place.start)..piece.moved(place.end);
                self.ranges.extend(found.ranges[piece.own.start + kept..piece.own.end].iter().map(moved));
            }
            let sum =
                if matches!(piece.owner, TokenOwner::Prompt(_)) { &mut self.prompt } else { &mut self.completion };
            sum.tokens += piece.score.tokens;
            sum.scored += piece.score.scored;
            sum.sum += piece.score.sum;
            first += piece.own.len();
            self.pieces.push(piece);
        }
        self.ranges.truncate(first);
        true
    }
}

/// Returns the run whose prompt the beginning of the buffer still is, and how long that is: the last one on the way
/// here whose prompt was scored, if nothing before its place has changed since.
fn prompt_run(known: &TokenSources) -> Option<(Id, usize)> {
    let TokenSources { history, tokens, runs, .. } = known;
    // Accepting changes no text.
    let steps = || history.ancestors().filter(|step| step.made != Made::Accepted);
    let here = steps().next().map(|step| step.id);
    // A run that only scored its prompt has no step: it is known by where it was asked.
    let scored = |run: &&Run| run.parent == here && tokens.contains_key(&run.id);
    if let Some(run) = runs.iter().find(scored) {
        return Some((run.id, usize::MAX));
    }
    let mut least = usize::MAX;
    for step in steps() {
        let at = step.at as usize;
        match step.made {
            Made::Generated { run, .. } if tokens.contains_key(&run) && at <= least => return Some((run, at)),
            _ => least = least.min(at),
        }
    }
    None
}

#[cfg(test)]
mod tests;
