//! What the model thought of each token of the buffer, in the buffer's order, and where each stands in it.

use std::collections::HashMap;
use std::ops::Range;

use super::history::History;
use crate::record::{Id, Made, Run, Token};
use crate::tabs::generation::score::Score;
use crate::tabs::generation::tokens::places;
use crate::ui::buffer::Buffer;

/// Which tokens the buffer has and where they stand in it. They stay where they are kept: what a change of the text
/// leaves as it was costs nothing, what it moves is added up anew, and nothing is copied.
#[derive(Clone, Debug, Default)]
pub(super) struct Scored {
    revision: Option<u64>,
    pieces: Vec<Piece>,
    places: Vec<Range<usize>>,
    found: HashMap<Owner, Found>,
    prompt: Score,
    completion: Score,
}

/// Whose a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Owner {
    /// The prompt of this run.
    Prompt(Id),
    /// This step's text.
    Step(Id),
}

impl Owner {
    fn id(self) -> Id {
        match self {
            Self::Prompt(id) | Self::Step(id) => id,
        }
    }
}

/// Tokens of one owner that stand in the buffer one after the other.
#[derive(Clone, Debug)]
struct Piece {
    owner: Owner,
    /// How many there are before it.
    first: usize,
    /// Which of the owner's they are.
    own: Range<usize>,
    /// Where it begins in the owner's text, and where that is in the buffer.
    at: (usize, usize),
    score: Score,
}

impl Piece {
    /// Of a text that was cut or parted those tokens are in it that are whole.
    fn of(part: &Part, first: usize, own: &[Token], places: &[Range<usize>], near: &[Self]) -> Self {
        let start = places.partition_point(|place| place.start < part.range.start);
        let end = places.partition_point(|place| place.end <= part.range.end).max(start);
        let known = |old: &&Self| old.owner == part.owner && old.own.start == start && old.own.end <= end;
        let (mut score, scored) =
            near.iter().find(known).map_or((Score::default(), start), |old| (old.score, old.own.end));
        score.add(&own[scored..end]);
        Self { owner: part.owner, first, own: start..end, at: (part.range.start, part.at), score }
    }

    /// Whether its first token is the same and stands where that of another piece stands.
    fn begins_as(&self, other: &Self) -> bool {
        let beginning = |piece: &Self| (piece.owner, piece.first, piece.own.start, piece.at);
        beginning(self) == beginning(other)
    }

    /// Where in the buffer a place in the owner's text is.
    fn moved(&self, place: usize) -> usize {
        place - self.at.0 + self.at.1
    }
}

/// Where an owner's tokens stand in its own text.
#[derive(Clone, Debug, Default)]
struct Found {
    places: Vec<Range<usize>>,
    /// How many bytes of its text are taken in.
    bytes: usize,
    /// Whether they came one by one, each looked for behind the one before.
    grown: bool,
}

impl Found {
    /// Takes in an owner's tokens; whether those found before stand where they stood.
    fn sync(&mut self, part: &Part, own: &[Token], known: &Known) -> bool {
        let grows = known.growing == Some(part.owner.id());
        if self.places.len() == own.len() && self.bytes == part.len && (grows || !self.grown) {
            return true;
        }
        let goes_on = grows && self.places.len() <= own.len() && self.bytes <= part.len;
        if goes_on && self.places.len() == own.len() {
            // Their text came first.
            return true;
        }
        if !goes_on {
            *self = Self::default();
        }
        let (from, new) = (self.bytes, &own[self.places.len()..]);
        let new = places(new, &part.words(from, known)).into_iter();
        self.places.extend(new.map(|place| from + place.start..from + place.end));
        (self.bytes, self.grown) = (part.len, grows);
        goes_on
    }
}

/// What of an owner's text is in the buffer.
struct Part {
    owner: Owner,
    /// What of it, in bytes of it.
    range: Range<usize>,
    /// Where that begins in the buffer.
    at: usize,
    /// How long the owner's text is.
    len: usize,
}

impl Part {
    /// The owner's text from here on.
    fn words(&self, from: usize, known: &Known) -> String {
        match self.owner {
            Owner::Prompt(_) => known.buffer.slice(from.min(self.len)..self.len),
            Owner::Step(id) => {
                let text = known.history.step(id).map(|step| step.inserted.raw());
                text.and_then(|text| text.get(from..)).unwrap_or_default().to_owned()
            }
        }
    }
}

/// The parts of the buffer whose tokens are known, in its order. What runs wrote is in the prompt of a later one, too:
/// there the tokens of the one that wrote it stand.
fn parts(known: &Known) -> Vec<Part> {
    let spans = known.history.spans().iter().filter(|span| known.tokens.contains_key(&span.step));
    let mut parts: Vec<Part> = spans
        .filter_map(|span| {
            let len = known.history.step(span.step)?.inserted.len();
            let range = span.from..span.from + span.range.len();
            Some(Part { owner: Owner::Step(span.step), range, at: span.range.start, len })
        })
        .collect();
    if let Some((run, end)) = prompt_run(known) {
        let len = end.min(known.buffer.len());
        let between = |range: Range<usize>| Part { owner: Owner::Prompt(run), at: range.start, range, len };
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
pub(super) struct Known<'a> {
    pub(super) history: &'a History,
    pub(super) tokens: &'a HashMap<Id, Vec<Token>>,
    pub(super) runs: &'a [Run],
    pub(super) buffer: &'a Buffer,
    /// The step that grows just now.
    pub(super) growing: Option<Id>,
}

impl Scored {
    /// How many tokens the buffer has.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether it has none.
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The tokens in the buffer's order, out of `all` that are known.
    pub(super) fn tokens<'a>(&self, all: &'a HashMap<Id, Vec<Token>>) -> Vec<&'a Token> {
        let mut tokens = Vec::with_capacity(self.len());
        for piece in &self.pieces {
            // Without these the ones behind would not be at their places.
            let Some(own) = all.get(&piece.owner.id()).and_then(|own| own.get(piece.own.clone())) else { break };
            tokens.extend(own);
        }
        tokens
    }

    /// One of them.
    pub(super) fn token<'a>(&self, index: usize, all: &'a HashMap<Id, Vec<Token>>) -> Option<&'a Token> {
        let piece = self.piece(index)?;
        all.get(&piece.owner.id())?.get(piece.own.start + index - piece.first)
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
        self.piece(index).map(|piece| piece.owner)
    }

    fn piece(&self, index: usize) -> Option<&Piece> {
        let after = self.pieces.partition_point(|piece| piece.first <= index);
        self.pieces.get(after.checked_sub(1)?).filter(|_| index < self.len())
    }

    /// Takes in what has changed; whether anything has.
    pub(super) fn sync(&mut self, revision: u64, known: &Known) -> bool {
        if self.revision.replace(revision) == Some(revision) {
            return false;
        }
        self.found.retain(|owner, _| known.tokens.contains_key(&owner.id()));
        let old = std::mem::take(&mut self.pieces);
        (self.prompt, self.completion) = (Score::default(), Score::default());
        // The places before the first one that is another are left as they are.
        let (mut first, mut same) = (0, true);
        for part in parts(known) {
            let own = &known.tokens[&part.owner.id()];
            let found = self.found.entry(part.owner).or_default();
            let stayed = found.sync(&part, own, known);
            // A piece more or less puts the others one further.
            let nth = self.pieces.len();
            let near = &old[nth.saturating_sub(1).min(old.len())..(nth + 2).min(old.len())];
            let piece = Piece::of(&part, first, own, &found.places, if stayed { near } else { &[] });
            let before = old.get(nth).filter(|before| same && stayed && before.begins_as(&piece));
            if before.is_none_or(|before| before.own != piece.own) {
                let kept = before.map_or(0, |before| before.own.len().min(piece.own.len()));
                if std::mem::take(&mut same) {
                    self.places.truncate(first + kept);
                }
                let moved = |place: &Range<usize>| piece.moved(place.start)..piece.moved(place.end);
                self.places.extend(found.places[piece.own.start + kept..piece.own.end].iter().map(moved));
            }
            let sum = if matches!(piece.owner, Owner::Prompt(_)) { &mut self.prompt } else { &mut self.completion };
            sum.tokens += piece.score.tokens;
            sum.scored += piece.score.scored;
            sum.sum += piece.score.sum;
            first += piece.own.len();
            self.pieces.push(piece);
        }
        self.places.truncate(first);
        true
    }
}

/// The run whose prompt the beginning of the buffer still is, and how long that is: the last one on the way here whose
/// prompt was scored, if nothing before its place has changed since.
fn prompt_run(known: &Known) -> Option<(Id, usize)> {
    let Known { history, tokens, runs, .. } = known;
    let nothing = |id: &Id| history.step(*id).is_some_and(|step| step.made == Made::Accepted);
    // Accepting changes no text.
    let path = history.path(history.current());
    let here = path.iter().rev().copied().find(|id| !nothing(id));
    // A run that only scored its prompt has no step: it is known by where it was asked.
    let scored = |run: &&Run| run.parent == here && tokens.contains_key(&run.id);
    if let Some(run) = runs.iter().find(scored) {
        return Some((run.id, usize::MAX));
    }
    let mut least = usize::MAX;
    for id in path.into_iter().rev().filter(|id| !nothing(id)) {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::record::{CompletionParams, Step, TurnStatus};
    use crate::tabs::completion::history;
    use crate::text::Untrusted;

    #[derive(Default)]
    struct Desk {
        history: History,
        tokens: HashMap<Id, Vec<Token>>,
        runs: Vec<Run>,
        buffer: Buffer,
        growing: Option<Id>,
        last: i64,
    }

    impl Desk {
        fn step(&mut self, made: Made, at: usize, removed: &str, inserted: &str) -> Step {
            self.last += 1;
            let step = history::step(Id(self.last), Id(0), self.history.current(), made, at, 0);
            Step { removed: removed.into(), inserted: inserted.into(), ..step }
        }

        fn typed(&mut self, range: Range<usize>, text: &str) {
            let (range, removed) = (range.clone(), self.buffer.slice(range));
            let fresh = self.step(Made::Typed, range.start, &removed, text);
            self.history.typed(range.start, &removed, text, fresh);
            self.buffer.splice(range, text);
        }

        /// A step of a model's at a place, with the scores of what stands before it.
        fn run(&mut self, at: usize, echo: bool) -> Id {
            let made = Made::Generated { run: Id(1_000 + self.last), choice: 0 };
            let step = self.step(made, at, "", "");
            let Made::Generated { run, .. } = made else { unreachable!() };
            if echo {
                self.tokens.insert(run, cut(&self.buffer.slice(0..at)));
            }
            let id = step.id;
            self.history.push(step);
            self.growing = Some(id);
            id
        }

        fn writes(&mut self, text: &str) {
            let Some(id) = self.growing else { return };
            if let Some(splice) = self.history.grow(id, &Untrusted::from(text)) {
                self.buffer.splice(splice.range, splice.text.raw());
            }
            self.tokens.entry(id).or_default().extend(cut(text));
        }

        fn went(&mut self, splices: Option<Vec<history::Splice>>) {
            for splice in splices.into_iter().flatten() {
                self.buffer.splice(splice.range, splice.text.raw());
            }
        }

        fn known(&self) -> Known<'_> {
            let Self { history, tokens, runs, buffer, growing, .. } = self;
            Known { history, tokens, runs, buffer, growing: *growing }
        }
    }

    /// A run that only read its prompt.
    fn read(id: Id, parent: Option<Id>) -> Run {
        Run {
            id,
            sheet: Id(0),
            parent,
            profile: Untrusted::default(),
            model: Untrusted::default(),
            params: CompletionParams::default(),
            excerpt: Untrusted::default(),
            status: TurnStatus::Done,
            error: Untrusted::default(),
            created_ms: 0,
            prompt_tokens: 0,
            completion_tokens: 0,
            estimated: false,
            cost_nano: None,
            first_token_ms: 0,
            total_ms: 0,
        }
    }

    /// Tokens of three bytes.
    fn cut(text: &str) -> Vec<Token> {
        let token = |bytes: &[u8]| Token { bytes: bytes.to_vec(), logprob: Some(-0.25), top: Vec::new() };
        text.as_bytes().chunks(3).map(token).collect()
    }

    fn texts(scored: &Scored, desk: &Desk) -> Vec<(String, String)> {
        let tokens = scored.tokens(&desk.tokens);
        let told = tokens.iter().map(|token| String::from_utf8_lossy(&token.bytes).into_owned());
        told.zip(scored.places().iter().map(|place| desk.buffer.slice(place.clone()))).collect()
    }

    fn both(texts: &[&str]) -> Vec<(String, String)> {
        texts.iter().map(|text| ((*text).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn tokens_stand_where_their_text_went() {
        let (mut desk, mut scored) = (Desk::default(), Scored::default());
        desk.typed(0..0, "abcdef");
        desk.run(6, true);
        desk.writes("ghijkl");
        desk.growing = None;
        assert!(scored.sync(1, &desk.known()));
        assert_eq!(texts(&scored, &desk), both(&["abc", "def", "ghi", "jkl"]));
        // Within what was generated: the token there is whole no more.
        desk.typed(8..8, "-");
        scored.sync(2, &desk.known());
        assert_eq!(texts(&scored, &desk), both(&["abc", "def", "jkl"]));
        assert_eq!((scored.owner(1), scored.owner(2)), (Some(Owner::Prompt(Id(1_001))), Some(Owner::Step(Id(2)))));
        assert_eq!((scored.owner(3), scored.token(3, &desk.tokens)), (None, None));
        let (prompt, completion) = scored.scores();
        assert_eq!((prompt.tokens, completion.tokens, completion.sum), (2, 1, -0.25));
        // What is accepted is the user's, and the prompt is what it was.
        let accepted = desk.step(Made::Accepted, 0, "", "");
        desk.history.push(accepted);
        scored.sync(3, &desk.known());
        assert_eq!(texts(&scored, &desk), both(&["abc", "def"]));
        let way = desk.history.back();
        desk.went(way);
        // Before everything: what the prompt was is there no more.
        desk.typed(0..0, "+");
        scored.sync(4, &desk.known());
        assert_eq!(texts(&scored, &desk), both(&["jkl"]));
        assert_eq!(scored.scores().0, Score::default());
    }

    proptest! {
        /// Whatever was there before, it is as if it were looked for the first time.
        #[test]
        fn what_is_kept_of_before_is_right(
            steps in prop::collection::vec((0_u8..9, 0_usize..60, 0_usize..9), 1..60),
        ) {
            let (mut desk, mut scored) = (Desk::default(), Scored::default());
            desk.typed(0..0, "abc def ghi");
            for (revision, (kind, at, len)) in (1..).zip(steps) {
                let at = at.min(desk.buffer.len());
                let end = (at + len).min(desk.buffer.len());
                match kind {
                    0 => { desk.run(at, len > 4); }
                    1 | 2 => desk.writes(&"uvwxyz"[..len.min(6)]),
                    _ => desk.growing = None,
                }
                match kind {
                    3 => desk.typed(at..at, "x"),
                    4 => desk.typed(at..end, ""),
                    5 => { let way = desk.history.back(); desk.went(way); }
                    6 => { let way = desk.history.forward(); desk.went(way); }
                    7 => {
                        let parent = desk.history.current();
                        desk.last += 1;
                        let run = read(Id(2_000 + desk.last), parent);
                        desk.tokens.insert(run.id, cut(&desk.buffer.text()));
                        desk.runs.push(run);
                        // What is typed next is another text.
                        desk.history.rest();
                    }
                    8 => {
                        let accepted = desk.step(Made::Accepted, 0, "", "");
                        desk.history.push(accepted);
                    }
                    _ => {}
                }
                scored.sync(revision, &desk.known());
                let mut fresh = Scored::default();
                fresh.sync(revision, &desk.known());
                prop_assert_eq!(scored.places(), fresh.places());
                prop_assert_eq!(scored.tokens(&desk.tokens), fresh.tokens(&desk.tokens));
                prop_assert_eq!(scored.len(), scored.tokens(&desk.tokens).len());
                prop_assert_eq!(scored.scores(), fresh.scores());
                for (token, text) in texts(&scored, &desk) {
                    prop_assert_eq!(token, text);
                }
            }
        }
    }
}
