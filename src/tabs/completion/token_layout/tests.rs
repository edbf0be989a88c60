//! Tokens and their places after any change.

use proptest::prelude::*;

use super::*;
use crate::record::{CompletionParams, Step, TurnStatus};
use crate::tabs::completion::history;
use crate::text::Untrusted;
use crate::ui::undo::Change;

#[derive(Default)]
struct Desk {
    history: EditHistory,
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
        let change = Change { at: range.start, removed, inserted: text.to_owned() };
        self.history.typed(&change, fresh);
        self.buffer.splice(range, text);
    }

    /// Creates a step of a model at a position, with the scores of the text before it.
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
        if let Some(splice) = self.history.append(id, &Untrusted::from(text)) {
            self.buffer.splice(splice.range, splice.text.raw());
        }
        self.tokens.entry(id).or_default().extend(cut(text));
    }

    fn went(&mut self, splices: Option<Vec<history::Splice>>) {
        for splice in splices.into_iter().flatten() {
            self.buffer.splice(splice.range, splice.text.raw());
        }
    }

    fn known(&self) -> TokenSources<'_> {
        let Self { history, tokens, runs, buffer, growing, .. } = self;
        TokenSources { history, tokens, runs, buffer, growing: *growing }
    }
}

/// Creates a run that only read its prompt.
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

/// Returns a text as tokens of three bytes.
fn cut(text: &str) -> Vec<Token> {
    let token = |bytes: &[u8]| Token { bytes: bytes.to_vec(), logprob: Some(-0.25), top: Vec::new() };
    text.as_bytes().chunks(3).map(token).collect()
}

fn texts(scored: &TokenLayout, desk: &Desk) -> Vec<(String, String)> {
    let tokens = scored.tokens(&desk.tokens);
    let told = tokens.iter().map(|token| String::from_utf8_lossy(&token.bytes).into_owned());
    told.zip(scored.ranges().iter().map(|place| desk.buffer.slice(place.clone()))).collect()
}

fn both(texts: &[&str]) -> Vec<(String, String)> {
    texts.iter().map(|text| ((*text).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn tokens_stand_where_their_text_went() {
    let (mut desk, mut scored) = (Desk::default(), TokenLayout::default());
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
    assert_eq!(
        (scored.owner(1), scored.owner(2)),
        (Some(TokenOwner::Prompt(Id(1_001))), Some(TokenOwner::Step(Id(2))))
    );
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
        let (mut desk, mut scored) = (Desk::default(), TokenLayout::default());
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
                    desk.history.end_burst();
                }
                8 => {
                    let accepted = desk.step(Made::Accepted, 0, "", "");
                    desk.history.push(accepted);
                }
                _ => {}
            }
            scored.sync(revision, &desk.known());
            let mut fresh = TokenLayout::default();
            fresh.sync(revision, &desk.known());
            prop_assert_eq!(scored.ranges(), fresh.ranges());
            prop_assert_eq!(scored.tokens(&desk.tokens), fresh.tokens(&desk.tokens));
            prop_assert_eq!(scored.len(), scored.tokens(&desk.tokens).len());
            prop_assert_eq!(scored.scores(), fresh.scores());
            for (token, text) in texts(&scored, &desk) {
                prop_assert_eq!(token, text);
            }
        }
    }
}
