//! Who does it and to whom: the two sides of "the dog bit the snake", of "the snake was bitten by the dog", and of
//! "dogs are bigger than cats". A guess from the order of the words, without grammar.

/// Words on each side of a verb that take part.
const SPAN: usize = 2;
/// Words that put what they are said of below what follows `than`. In the order of the alphabet.
const LESS: [&str; 14] = [
    "bad", "cheap", "early", "few", "late", "light", "little", "low", "poor", "short", "slow", "small", "weak", "young",
];

/// Which words stand on which side.
#[derive(Default)]
pub(super) struct Sides {
    /// From here to there, and which side that is: 1 or -1.
    spans: [(usize, usize, f32); 2],
    /// Whether what is compared is said to be less.
    less: bool,
}

impl Sides {
    /// The sides of words in their base form; `past` tells which of them stood in a form of the past.
    pub(super) fn of(bases: &[&str], past: impl Fn(usize) -> bool) -> Self {
        let pair =
            |one: (usize, usize), other: (usize, usize), sign: f32| [(one.0, one.1, sign), (other.0, other.1, -sign)];
        if let Some(than) = bases.iter().position(|base| *base == "than") {
            let less = bases[..than].iter().rev().take(3).any(|base| LESS.contains(base));
            let sign = if less { -1.0 } else { 1.0 };
            return Self { spans: pair((0, than), (than + 1, bases.len()), sign), less };
        }
        let Some(verb) = (1..bases.len()).find(|at| past(*at)) else { return Self::default() };
        let before = (verb.saturating_sub(SPAN), verb);
        let passive = bases[..verb].contains(&"be");
        let by = (verb + 1..bases.len()).find(|at| bases[*at] == "by").filter(|_| passive);
        let spans = match by {
            Some(by) => pair((by + 1, by + 1 + SPAN), before, 1.0),
            None => pair(before, (verb + 1, verb + 1 + SPAN), 1.0),
        };
        Self { spans, less: false }
    }

    /// The side of the word at a place, if it takes part.
    pub(super) fn of_word(&self, at: usize) -> Option<f32> {
        self.spans.iter().find(|(from, to, _)| (*from..*to).contains(&at)).map(|(_, _, side)| *side)
    }

    /// Whether `base` is what is compared, said so that its opposite holds the other way round.
    pub(super) fn turns(&self, base: &str) -> bool {
        self.less && LESS.contains(&base)
    }
}

/// Whether `word` looks like a past form of `base`.
pub(super) fn past(word: &str, base: &str) -> bool {
    let other_ending = ["s", "ing", "er", "est", "ly"].iter().any(|ending| word.ends_with(ending));
    word != base && (word.ends_with("ed") || !other_ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(words: &str, bases: &str) -> Sides {
        let (words, bases): (Vec<&str>, Vec<&str>) = (words.split(' ').collect(), bases.split(' ').collect());
        Sides::of(&bases, |at| bases[at] != "be" && past(words[at], bases[at]))
    }

    #[test]
    fn a_passive_has_the_same_sides() {
        let active = sides("snake bit dog", "snake bite dog");
        let passive = sides("dog was bitten by snake", "dog be bite by snake");
        assert_eq!((active.of_word(0), active.of_word(2)), (Some(1.0), Some(-1.0)));
        assert_eq!((passive.of_word(4), passive.of_word(0)), (Some(1.0), Some(-1.0)));
        assert_eq!(sides("dogs like snakes", "dog like snake").of_word(0), None);
    }

    #[test]
    fn less_is_more_the_other_way_round() {
        let more = sides("cats are bigger than mice", "cat be big than mouse");
        let less = sides("mice are smaller than cats", "mouse be small than cat");
        assert_eq!((more.of_word(0), less.of_word(4)), (Some(1.0), Some(1.0)));
        assert_eq!((more.of_word(4), less.of_word(0)), (Some(-1.0), Some(-1.0)));
        assert!(less.turns("small") && !more.turns("big"));
    }
}
