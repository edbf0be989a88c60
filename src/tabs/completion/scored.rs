//! What the model thought of each token of the buffer, in the buffer's order, and where each stands in it.

use std::collections::HashMap;
use std::ops::Range;

use super::history::History;
use crate::record::{Id, Made, Run, Token};
use crate::tabs::generation::score::Score;
use crate::tabs::generation::tokens::places;

/// The tokens of the buffer, found anew when the buffer or what is known of it has changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Scored {
    revision: Option<u64>,
    tokens: Vec<Token>,
    places: Vec<Range<usize>>,
    /// Whose they are, in runs: the first of each owner's tokens, the owner.
    owners: Vec<(usize, Owner)>,
    prompt: Score,
    completion: Score,
    /// The owner whose tokens still come, and how many of them and bytes of its text are taken in.
    tail: Option<(Id, usize, usize)>,
}

/// Whose a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// The prompt of this run.
    Prompt(Id),
    /// This step's text.
    Step(Id),
}

/// What tokens are looked for in.
pub(super) struct Known<'a> {
    pub(super) history: &'a History,
    pub(super) tokens: &'a HashMap<Id, Vec<Token>>,
    pub(super) runs: &'a [Run],
    /// The step that grows just now.
    pub(super) growing: Option<Id>,
}

impl Scored {
    /// The tokens in the buffer's order.
    pub(super) fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// Where each of them stands, in bytes of the buffer.
    pub(super) fn places(&self) -> &[Range<usize>] {
        &self.places
    }

    /// Scores of the prompt and of what was generated.
    pub(super) fn scores(&self) -> (Score, Score) {
        (self.prompt, self.completion)
    }

    /// Whose a token is.
    pub(super) fn owner(&self, index: usize) -> Option<Owner> {
        let after = self.owners.partition_point(|(first, _)| *first <= index);
        self.owners.get(after.checked_sub(1)?).map(|(_, owner)| *owner)
    }

    /// Takes in what has changed; whether anything has. `prompt` gives the first bytes of the buffer.
    pub(super) fn sync(&mut self, revision: u64, known: &Known, prompt: impl FnOnce(usize) -> String) -> bool {
        if self.revision.replace(revision) == Some(revision) {
            return false;
        }
        if !self.grow(known) {
            self.rebuild(known, prompt);
        }
        true
    }

    /// While a step at the buffer's end grows only what came is taken in. Whether that is all there was to do.
    fn grow(&mut self, known: &Known) -> bool {
        let Some((id, taken, bytes)) = self.tail.filter(|(id, ..)| known.growing == Some(*id)) else { return false };
        let last = known.history.spans().last().filter(|span| span.step == id && span.from == 0);
        let (Some(span), Some(own), Some(step)) = (last, known.tokens.get(&id), known.history.step(id)) else {
            return false;
        };
        let new = &own[taken.min(own.len())..];
        let text = step.inserted.after(bytes);
        for range in places(new, text.raw()) {
            let from = span.range.start + bytes;
            self.places.push(from + range.start..from + range.end);
        }
        self.tokens.extend_from_slice(new);
        self.completion.add(new);
        self.tail = Some((id, own.len(), step.inserted.len()));
        true
    }

    fn rebuild(&mut self, known: &Known, prompt: impl FnOnce(usize) -> String) {
        *self = Self { revision: self.revision, ..Self::default() };
        if let Some((run, end)) = prompt_run(known) {
            let own = &known.tokens[&run];
            self.owners.push((0, Owner::Prompt(run)));
            self.places = places(own, &prompt(end));
            self.tokens.extend_from_slice(own);
            self.prompt.add(own);
        }
        for span in known.history.spans() {
            let (Some(own), Some(step)) = (known.tokens.get(&span.step), known.history.step(span.step)) else {
                continue;
            };
            let piece = span.from..span.from + span.range.len();
            let first = self.tokens.len();
            // Of a text that was cut or parted those tokens are left that are whole.
            let whole = |range: &Range<usize>| range.start >= piece.start && range.end <= piece.end;
            for (token, range) in own.iter().zip(places(own, step.inserted.raw())).filter(|(_, range)| whole(range)) {
                let moved = |place: usize| place - piece.start + span.range.start;
                self.places.push(moved(range.start)..moved(range.end));
                self.tokens.push(token.clone());
            }
            if self.tokens.len() > first {
                self.owners.push((first, Owner::Step(span.step)));
                self.completion.add(&self.tokens[first..]);
            }
            self.tail = Some((span.step, own.len(), step.inserted.len()));
        }
    }
}

/// The run whose prompt the beginning of the buffer still is, and how long that is: the last one on the way here whose
/// prompt was scored, if nothing before its place has changed since.
fn prompt_run(known: &Known) -> Option<(Id, usize)> {
    let Known { history, tokens, runs, .. } = known;
    let here = history.current();
    // A run that only scored its prompt has no step: it is known by where it was asked.
    let scored = |run: &&Run| run.parent == here && tokens.contains_key(&run.id);
    if let Some(run) = runs.iter().find(scored) {
        return Some((run.id, usize::MAX));
    }
    let mut least = usize::MAX;
    for id in history.path(here).into_iter().rev() {
        let step = history.step(id)?;
        let at = step.at as usize;
        match step.made {
            Made::Generated { run, .. } if tokens.contains_key(&run) && at <= least => return Some((run, at)),
            _ => least = least.min(at),
        }
    }
    None
}

/// Log-probability of a step's tokens on the average; `None`: none has one.
pub(super) fn mean(tokens: &HashMap<Id, Vec<Token>>, step: Id) -> Option<f64> {
    Score::of(tokens.get(&step)?).mean()
}
