//! Prompts to start from: one for each kind of task that a model can do which only continues texts.
//!
//! The small models of the local service know little but texts on language models and the manual: examples that need a
//! larger model say so.

use crate::record::{ChatParams, CompletionParams, Id, Preset};
use crate::tabs::completion::lacking::Feature;

/// An example; what it does not set is left to the server.
struct PresetExample {
    name: &'static str,
    /// Whether the local service's models make sense of it.
    small: bool,
    /// The text before the caret.
    before: &'static str,
    /// The text after it; mostly empty.
    after: &'static str,
    temperature: f64,
    max_tokens: u64,
    stop: &'static [&'static str],
    /// 0: not set, as in what follows.
    n: u32,
    logprobs: u32,
    echo: bool,
}

/// What most examples are: a steady answer to what was asked.
const PLAIN: PresetExample = PresetExample {
    name: "",
    small: false,
    before: "",
    after: "",
    temperature: 0.0,
    max_tokens: 64,
    stop: &[],
    n: 0,
    logprobs: 0,
    echo: false,
};

const EXAMPLES: [PresetExample; 12] = [
    PresetExample { name: "Say this is a test", before: "Say this is a test", max_tokens: 7, ..PLAIN },
    PresetExample {
        name: "Look at probabilities",
        small: true,
        before: "A language model reads a text and says what may come next. It does not know words as we do. It knows",
        max_tokens: 16,
        logprobs: 5,
        echo: true,
        ..PLAIN
    },
    PresetExample {
        name: "Fill a gap",
        small: true,
        before: "A text can go on in many ways. If the likeliest token were always taken, the text would be",
        after: " If tokens are drawn by their shares, the text lives, and now and then it goes wrong.",
        max_tokens: 48,
        ..PLAIN
    },
    PresetExample {
        name: "Three ways on",
        small: true,
        before: "The loss is the surprise of the model. If it gave the true token a share of one,",
        temperature: 0.7,
        max_tokens: 40,
        stop: &["\n"],
        n: 3,
        logprobs: 3,
        ..PLAIN
    },
    PresetExample {
        name: "Ad copy",
        before: "Product: noise-cancelling headphones\nAudience: commuters\n\nWrite a one-sentence ad:\n\n",
        temperature: 0.7,
        max_tokens: 128,
        stop: &["\n\n"],
        n: 3,
        logprobs: 5,
        ..PLAIN
    },
    PresetExample {
        name: "Grammar correction",
        before: "Correct the English of this sentence and change nothing else.\n\n\
                 Sentence: Him and me was going at the harbour when it begun to rain.\n\
                 Corrected:",
        stop: &["\n"],
        ..PLAIN
    },
    PresetExample {
        name: "Summary for a second-grader",
        before: "The Moon turns around its own axis in the same time in which it goes once around the Earth. So we \
                 always see the same half of it. Its pull raises the water of the seas on the near side and on the far \
                 side, and as the Earth turns below these two hills of water, most coasts have high tide twice a \
                 day.\n\n\
                 The same, told to a child of seven in two short sentences:\n\n",
        temperature: 0.5,
        max_tokens: 96,
        stop: &["\n\n"],
        ..PLAIN
    },
    PresetExample {
        name: "Questions and answers",
        before: "Questions with a known answer are answered in one sentence. To a question that is nonsense, a riddle or \
                 has no known answer, the answer is \"Unknown\".\n\n\
                 Q: How many legs has a spider?\nA: A spider has eight legs.\n\n\
                 Q: Which river runs through Vienna?\nA: The Danube runs through Vienna.\n\n\
                 Q: How loud is a Tuesday?\nA: Unknown\n\n\
                 Q: Which planet is nearest to the Sun?\nA:",
        stop: &["\n"],
        logprobs: 5,
        ..PLAIN
    },
    PresetExample {
        name: "Sentiment",
        before: "The mood of each message is Positive, Neutral or Negative.\n\n\
                 Message: The ferry was on time and the crew was lovely.\nMood: Positive\n\n\
                 Message: The meeting moved to room 12.\nMood: Neutral\n\n\
                 Message: Third repair this month and it still leaks.\nMood: Negative\n\n\
                 Message: I had feared the worst, and then dinner was a delight.\nMood:",
        max_tokens: 3,
        stop: &["\n"],
        logprobs: 5,
        ..PLAIN
    },
    PresetExample {
        name: "Text to table",
        before: "At the market Ada sold 12 jars of plum jam for 4 crowns each. Her neighbour Boris had 30 brown eggs, \
                 half a crown apiece, and by noon Carla was left with 3 of her wool blankets at 45 crowns.\n\n\
                 The same as a table with the columns seller, goods, number and price:\n\n\
                 | Seller | Goods | Number | Price |\n|",
        max_tokens: 128,
        stop: &["\n\n"],
        ..PLAIN
    },
    PresetExample {
        name: "Translate",
        before: "English: Where can I leave my luggage until tonight?\nFrench:",
        stop: &["\n\n"],
        ..PLAIN
    },
    PresetExample {
        name: "SQL from text",
        before: "-- Tables of a lending library, SQLite:\n\
                 -- book(id, title, author, year)\n\
                 -- reader(id, name, town)\n\
                 -- loan(book_id, reader_id, taken_on, returned_on)\n\
                 -- Names of the readers from Saltmere who have had a book for more than 30 days:\n\
                 SELECT",
        max_tokens: 150,
        stop: &[";", "\n--"],
        ..PLAIN
    },
];

/// The models that examples are offered for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Suitability {
    /// Whether they are the local service's, which are small.
    pub(crate) local: bool,
    /// What they were found to lack.
    pub(crate) lacking: Vec<Feature>,
}

/// What is said of an example that the local model is too small for.
pub(super) const LARGER: &str = "larger model";

impl Suitability {
    /// Returns what an example needs that these models lack; `None`: it works.
    pub(super) fn obstacle(&self, id: Id) -> Option<&'static str> {
        let example = usize::try_from(-id.0 - 1).ok().and_then(|at| EXAMPLES.get(at))?;
        let lacks = |feature| self.lacking.contains(&feature);
        match () {
            () if !example.after.is_empty() && lacks(Feature::Suffix) => Some("needs suffix"),
            () if example.logprobs > 0 && lacks(Feature::Logprobs) => Some("needs logprobs"),
            () if self.local && !example.small => Some(LARGER),
            () => None,
        }
    }
}

/// Returns the examples, in the order in which they are offered: first those that work. Their ids are negative, which
/// no record's is.
pub(super) fn all(suits: &Suitability) -> Vec<Preset> {
    let mut all: Vec<Preset> = EXAMPLES.iter().zip(1..).map(|(example, number)| preset(example, Id(-number))).collect();
    all.sort_by_key(|preset| suits.obstacle(preset.id).is_some());
    all
}

/// Returns whether an id is an example's.
pub(super) fn is_example(id: Id) -> bool {
    id.0 < 0
}

fn preset(example: &PresetExample, id: Id) -> Preset {
    let common = ChatParams {
        temperature: Some(example.temperature),
        max_tokens: Some(example.max_tokens),
        stop: example.stop.iter().map(|stop| (*stop).to_owned()).collect(),
        n: Some(example.n).filter(|n| *n > 0),
        ..ChatParams::default()
    };
    Preset {
        id,
        name: example.name.into(),
        prompt: format!("{}{}", example.before, example.after).into(),
        caret: example.before.len() as u64,
        model: "".into(),
        params: CompletionParams {
            common,
            logprobs: Some(example.logprobs).filter(|most| *most > 0),
            echo: example.echo.then_some(true),
            best_of: None,
        },
        created_ms: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tabs::completion::params::{rules, set};

    #[test]
    fn every_example_can_be_sent_as_it_is() {
        let all = all(&Suitability::default());
        for preset in &all {
            let insert = preset.caret < preset.prompt.len() as u64;
            let stopping = rules(&preset.params, insert, false).into_iter().find(|rule| rule.stops);
            assert_eq!(stopping, None, "{}", preset.name.line());
            assert!(preset.params.common.stop.len() <= 4 && is_example(preset.id) && preset.caret > 0);
            // A blank at the end of a prompt parts the next word from its token.
            assert!(!EXAMPLES[(-preset.id.0 - 1) as usize].before.ends_with(' '), "{}", preset.name.line());
            // The settings of an example can also be typed.
            let mut typed = preset.params.clone();
            let temperature = typed.common.temperature.map(|value| value.to_string()).unwrap_or_default();
            set(&mut typed, "temperature", &temperature).unwrap();
            assert_eq!(typed, preset.params);
        }
        let small = Suitability { local: true, ..Suitability::default() };
        let lacking = Suitability { lacking: vec![Feature::Logprobs, Feature::Suffix], ..Suitability::default() };
        for suits in [small, lacking] {
            let ordered = super::all(&suits);
            let works = |preset: &&Preset| suits.obstacle(preset.id).is_none();
            let first = ordered.iter().take_while(works).count();
            assert!(first > 0 && first < all.len(), "{suits:?}");
            assert!(!ordered[first..].iter().any(|preset| works(&preset)), "what works comes first: {suits:?}");
            assert_eq!(ordered.len(), all.len());
        }
        let gaps = all.iter().filter(|preset| preset.caret < preset.prompt.len() as u64).count();
        assert_eq!(gaps, 1, "one shows how a gap is filled");
        let scored = all.iter().filter(|preset| preset.params.echo == Some(true) && preset.params.logprobs == Some(5));
        assert_eq!(scored.count(), 1, "one scores its prompt");
    }
}
