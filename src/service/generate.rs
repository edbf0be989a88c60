//! From the engine to a stream of text: the engine runs on a blocking thread, pieces cross a bounded channel, a reader
//! who goes away stops it. A few answers are written at a time; the others wait in the order they came.

use tokio::sync::mpsc;

use super::reject::Reject;
use super::state::State;

/// Pieces between the engine and a slow reader.
const AHEAD: usize = 64;
/// Answers that may wait for a turn at the engine.
const WAITING: usize = 256;

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Text that follows what was sent of this choice. Never empty.
    Text { choice: u32, text: String },
    /// The choice is complete. Sent once for each.
    End { choice: u32, finish: Finish, tokens: u64 },
}

/// Why a choice ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finish {
    /// The model ended, or a stop sequence did.
    Stop,
    /// The cap on tokens was reached.
    Length,
}

impl Finish {
    /// The interface's word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
        }
    }
}

/// When to end a choice before the model does.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    /// Tokens of one choice, at least 1.
    pub(crate) most: u64,
    /// Sequences that end it; they are not part of the answer.
    pub(crate) stops: Vec<String>,
}

/// Starts an answer with one choice per source of tokens that `open` makes. `open` runs on the engine's thread. The
/// receiver ends early, without an `End` for every choice, only if the engine fails.
pub(crate) fn start<S>(
    state: &State,
    bounds: Bounds,
    open: impl FnOnce() -> Vec<S> + Send + 'static,
) -> Result<mpsc::Receiver<Piece>, Reject>
where
    S: Iterator<Item = Vec<u8>>,
{
    let waiting = state.queue(WAITING).ok_or_else(Reject::overloaded)?;
    let (pieces, receiver) = mpsc::channel(AHEAD);
    let state = state.clone();
    tokio::spawn(async move {
        let turn = tokio::select! {
            turn = state.turns().acquire_owned() => turn,
            () = pieces.closed() => return,
        };
        drop(waiting);
        let writing = state.write();
        tokio::task::spawn_blocking(move || {
            write(open(), &bounds, &pieces);
            drop((turn, writing));
        });
    });
    Ok(receiver)
}

/// Takes a token of each choice in turn until all have ended or nobody reads.
fn write<S: Iterator<Item = Vec<u8>>>(sources: Vec<S>, bounds: &Bounds, pieces: &mpsc::Sender<Piece>) {
    let mut choices: Vec<_> = (0..).zip(sources).map(|(choice, source)| Choice::new(choice, source, bounds)).collect();
    while !choices.is_empty() {
        let mut open = Vec::with_capacity(choices.len());
        for mut choice in choices {
            let (text, finish) = choice.step();
            let sent = text.is_empty() || pieces.blocking_send(Piece::Text { choice: choice.index, text }).is_ok();
            if !sent || pieces.is_closed() {
                return;
            }
            match finish {
                None => open.push(choice),
                Some(finish) => {
                    let end = Piece::End { choice: choice.index, finish, tokens: choice.tokens };
                    if pieces.blocking_send(end).is_err() {
                        return;
                    }
                }
            }
        }
        choices = open;
    }
}

/// One choice while it is written.
struct Choice<'a, S> {
    index: u32,
    source: S,
    bounds: &'a Bounds,
    tokens: u64,
    /// Bytes of a character whose rest comes with the next token.
    bytes: Vec<u8>,
    /// Text that may turn out to be the beginning of a stop sequence.
    held: String,
}

impl<'a, S: Iterator<Item = Vec<u8>>> Choice<'a, S> {
    fn new(index: u32, source: S, bounds: &'a Bounds) -> Self {
        Self { index, source, bounds, tokens: 0, bytes: Vec::new(), held: String::new() }
    }

    /// The text the next token settles, and whether the choice ends with it.
    fn step(&mut self) -> (String, Option<Finish>) {
        let Some(token) = self.source.next() else { return (self.rest(), Some(Finish::Stop)) };
        self.tokens += 1;
        self.bytes.extend(token);
        let text = whole_characters(&mut self.bytes);
        self.held.push_str(&text);
        if let Some(at) = self.bounds.stops.iter().filter_map(|stop| self.held.find(stop.as_str())).min() {
            self.held.truncate(at);
            return (std::mem::take(&mut self.held), Some(Finish::Stop));
        }
        if self.tokens >= self.bounds.most {
            return (self.rest(), Some(Finish::Length));
        }
        let settled =
            self.held.len() - self.bounds.stops.iter().map(|stop| overlap(&self.held, stop)).max().unwrap_or(0);
        let kept = self.held.split_off(settled);
        (std::mem::replace(&mut self.held, kept), None)
    }

    /// What was held back, when nothing more can follow it.
    fn rest(&mut self) -> String {
        self.held.push_str(&String::from_utf8_lossy(&self.bytes));
        std::mem::take(&mut self.held)
    }
}

/// Takes the whole characters off the front of `bytes`; what can never become one turns into U+FFFD.
fn whole_characters(bytes: &mut Vec<u8>) -> String {
    let mut text = String::new();
    loop {
        match str::from_utf8(bytes) {
            Ok(good) => {
                text.push_str(good);
                bytes.clear();
                return text;
            }
            Err(error) => {
                let good = error.valid_up_to();
                text.push_str(&String::from_utf8_lossy(&bytes[..good]));
                let Some(bad) = error.error_len() else {
                    bytes.drain(..good);
                    return text;
                };
                text.push(char::REPLACEMENT_CHARACTER);
                bytes.drain(..good + bad);
            }
        }
    }
}

/// Length of the longest end of `text` with which `stop` begins.
fn overlap(text: &str, stop: &str) -> usize {
    let longest = text.len().min(stop.len().saturating_sub(1));
    (1..=longest).rev().find(|&n| stop.is_char_boundary(n) && text.ends_with(&stop[..n])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs one choice to its end: pieces of text, why, tokens.
    fn run(tokens: &[&[u8]], most: u64, stops: &[&str]) -> (Vec<String>, Finish, u64) {
        let bounds = Bounds { most, stops: stops.iter().map(|stop| (*stop).to_owned()).collect() };
        let mut choice = Choice::new(0, tokens.iter().map(|token| token.to_vec()), &bounds);
        let mut texts = Vec::new();
        loop {
            let (text, finish) = choice.step();
            texts.extend((!text.is_empty()).then_some(text));
            if let Some(finish) = finish {
                return (texts, finish, choice.tokens);
            }
        }
    }

    #[test]
    fn a_stop_sequence_is_cut_however_the_tokens_fall() {
        let answer = "one END two";
        for cut in 1..answer.len() {
            let (a, b) = answer.as_bytes().split_at(cut);
            let (texts, finish, _) = run(&[a, b], 99, &["END", "zzz"]);
            assert_eq!((texts.concat().as_str(), finish), ("one ", Finish::Stop), "cut at {cut}");
        }
    }

    #[test]
    fn what_only_looked_like_a_stop_comes_out_in_the_end() {
        assert_eq!(
            run(&[b"a E", b"N", b"x E"], 99, &["END"]),
            (vec!["a ".into(), "ENx ".into(), "E".into()], Finish::Stop, 3)
        );
        assert_eq!(run(&[b"E", b"N"], 2, &["END"]), (vec!["EN".into()], Finish::Length, 2));
    }

    #[test]
    fn the_first_of_several_stops_ends_it() {
        assert_eq!(run(&[b"a\nb."], 9, &[".", "\n"]).0, ["a"]);
        assert_eq!(run(&[b"\n"], 9, &["\n"]), (vec![], Finish::Stop, 1));
    }

    #[test]
    fn characters_split_over_tokens_arrive_whole() {
        let (texts, ..) =
            run(&[&[b'a', 0xc3], &[0xa4], &[0xf0, 0x9f], &[0x98], &[0x80, 0xff], b"z", &[0xc3]], 99, &["ß"]);
        assert_eq!(texts, ["a", "ä", "😀\u{fffd}", "z", "\u{fffd}"]);
    }

    #[test]
    fn choices_take_turns_and_a_gone_reader_stops_them() {
        let bounds = Bounds { most: 2, stops: Vec::new() };
        let (sender, mut receiver) = mpsc::channel(99);
        write(vec![std::iter::repeat(b"x".to_vec()); 2], &bounds, &sender);
        drop(sender);
        let mut order = Vec::new();
        while let Ok(piece) = receiver.try_recv() {
            order.push(match piece {
                Piece::Text { choice, .. } => (choice, "text"),
                Piece::End { choice, finish, .. } => (choice, finish.word()),
            });
        }
        assert_eq!(order, [(0, "text"), (1, "text"), (0, "text"), (0, "length"), (1, "text"), (1, "length")]);

        let (sender, receiver) = mpsc::channel(1);
        drop(receiver);
        let endless = Bounds { most: u64::MAX, stops: Vec::new() };
        write(vec![std::iter::repeat(b"x".to_vec())], &endless, &sender);
    }
}
