//! The small language model: given tokens, it predicts a distribution of the next token.
//!
//! Three terms are mixed at each step: a network that sees a window of 16 tokens and a pooled view of the whole prompt,
//! an n-gram model of the project's own texts, and, for a chat, a **copy term** that copies from the passages of the
//! manual which fit the question. Temperature, top-p, penalties, bias and seed act on the mixed distribution.
//!
//! Token ids are those of `r50k`: the vocabulary is the part of it that the training texts use, plus its 256 single
//! bytes, so that any text can be read and written. `usage` counts plain `r50k` tokens ([`Model::count`]).

mod chance;
mod copying;
mod infilling;
mod manual;
mod network;
mod ngram;
mod placing;
mod retrieval;
mod sampling;
mod scoring;
pub mod spelling;
mod topics;
mod training;
pub mod tuning;
mod vocabulary;
mod words;
mod writing;

pub use placing::{Placed, Placing};
pub use sampling::{Finish, Generation, Sampling, Step};
pub use scoring::{Scored, Scoring};
pub use topics::train_manual;
pub use training::{Epoch, train_base};
pub use writing::{StopBuffer, Utf8Buffer};

use std::sync::Arc;

use ndarray::Array1;

use crate::tokens::Encoding::R50k;
use copying::{Alignment, CopyKind, PassageTokens};
use infilling::Gap;
use manual::Manual;
use network::{Network, WINDOW};
use ngram::Ngrams;
use retrieval::Index;
use tuning::{Bag, Form, KnownPrompts, Nearest, Weights};
use vocabulary::{Slot, Vocabulary};

pub(crate) const MANUAL: &str = include_str!("../../../assets/manual.md");
pub(crate) const PROSE: &str = include_str!("../../../assets/prose.md");
const WEIGHTS: &[u8] = include_bytes!("../../../assets/base.weights");

/// A weights file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error(
    "the weights file is not one of benchtop's: {0}; train it again with `cargo run --release --example train_base`"
)]
pub struct Unreadable(pub(crate) &'static str);

/// What a model is asked to continue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prompt {
    /// A conversation; the answer to its last user message is written.
    Chat(Vec<(String, String)>),
    /// Plain text to be continued.
    Text(String),
    /// The same as `r50k` tokens; see [`spelling`].
    Tokens(Vec<u32>),
    /// The text between two texts is to be written; both as `r50k` tokens.
    Gap(Vec<u32>, Vec<u32>),
}

impl Prompt {
    /// Builds a conversation of `(role, text)`, oldest first.
    pub fn chat(messages: &[(&str, &str)]) -> Self {
        Self::Chat(messages.iter().map(|(role, text)| ((*role).to_owned(), (*text).to_owned())).collect())
    }

    /// Builds a prompt of plain text.
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// A prompt that a model has read: the state with which every answer to it begins.
#[derive(Clone)]
pub struct Read {
    /// Its last tokens.
    tail: Vec<Slot>,
    /// The whole prompt as one vector ([`Model::pool`]).
    pooled: Array1<f32>,
    /// The places of the manual that may answer it, for a chat.
    alignment: Option<Alignment>,
    /// The text that the answer must lead to, for a gap.
    gap: Option<Gap>,
}

/// The language model: read-only once loaded, to be shared between threads behind an `Arc`.
pub struct Model {
    vocabulary: Vocabulary,
    network: Network,
    ngrams: Ngrams,
    /// The manual, for chats with a model that was not tuned.
    index: Option<Index>,
    /// The prompt's features, in a fine-tuned model.
    bag: Option<Bag>,
    /// How a fine-tuned model reads chats.
    form: Form,
    /// The prompts it was trained on, where each has an answer of its own.
    known: Option<KnownPrompts>,
    /// The model that answers prompts near none of them.
    base: Option<Arc<Model>>,
    /// The kind of each token when an answer is copied from the manual.
    kinds: Vec<CopyKind>,
}

impl Model {
    /// Returns the model that ships with benchtop. Takes tens of milliseconds: call it once, on a blocking thread.
    pub fn base() -> Self {
        Self::load(WEIGHTS).expect("the shipped weights are tested")
    }

    /// Loads a model from a weights file written by [`train_base`]. Fails if the file is none.
    pub fn load(weights: &[u8]) -> Result<Self, Unreadable> {
        let (ids, network) = network::read(weights)?;
        let vocabulary = Vocabulary::new(ids);
        let manual = Manual::parse(MANUAL);
        let mut ngrams = Ngrams::default();
        for document in Manual::parse(PROSE).passages.iter().chain(&manual.passages) {
            ngrams.learn(&vocabulary.slots_to_end(&document.body));
        }
        let index = Some(Index::new(&manual));
        let breaks = |slot: usize| vocabulary.bytes(slot as Slot).starts_with(b"\n\n");
        let mut kinds: Vec<CopyKind> =
            (0..vocabulary.len()).map(|slot| CopyKind { breaks: breaks(slot), exact: false }).collect();
        for slot in manual
            .passages
            .iter()
            .flat_map(|passage| PassageTokens::new(&vocabulary, &passage.body).exact().collect::<Vec<_>>())
        {
            kinds[usize::from(slot)].exact = true;
        }
        let (bag, form, known, base) = (None, Form::Talk, None, None);
        Ok(Self { vocabulary, network, ngrams, index, bag, form, known, base, kinds })
    }

    /// Loads a model from a weights file written by [`tuning::tune`]. The file is complete, whichever model was tuned.
    /// A fine-tuned model reads chats as text and answers from what it learned, not from the manual. Fails if the file
    /// is none.
    pub fn tuned(weights: &[u8]) -> Result<Self, Unreadable> {
        let Weights { ids, network, bag, form, known } = tuning::read(weights)?;
        let vocabulary = Vocabulary::new(ids);
        Ok(Self {
            vocabulary,
            network,
            ngrams: Ngrams::default(),
            index: None,
            bag: Some(bag),
            form,
            known,
            base: None,
            kinds: Vec::new(),
        })
    }

    /// Sets the model that answers prompts that are near none of those it was trained on.
    pub fn with_base(self, base: Arc<Self>) -> Self {
        Self { base: Some(base), ..self }
    }

    /// Returns which model answers a prompt, and the prompt it reads. A fine-tuned model reads a prompt with the
    /// meaning of one it was trained on as that one; what is near none of them goes to its base, if it has one.
    pub fn route(self: &Arc<Self>, prompt: Prompt) -> (Arc<Self>, Prompt) {
        let Some(known) = &self.known else { return (Arc::clone(self), prompt) };
        let text = match &prompt {
            Prompt::Chat(messages) => self.form.read(messages),
            Prompt::Text(text) => text.clone(),
            Prompt::Tokens(ids) => spelling::text(ids),
            Prompt::Gap(..) => return (Arc::clone(self), prompt),
        };
        let nearest = known.nearest(&text, || tuning::vector(self.form.asked(&text)));
        match (nearest, &self.base) {
            (Nearest::Like(known), _) => (Arc::clone(self), Prompt::text(known)),
            (Nearest::None, Some(base)) => (Arc::clone(base), prompt),
            _ => (Arc::clone(self), prompt),
        }
    }

    /// Returns the headings of the manual's passages, the one that answers the last user message first; none in a
    /// fine-tuned model.
    pub fn passages(&self, messages: &[(&str, &str)]) -> Vec<&str> {
        let Prompt::Chat(messages) = Prompt::chat(messages) else { return Vec::new() };
        self.index.as_ref().map_or_else(Vec::new, |index| index.headings(&messages))
    }

    /// Returns the token ids of a text, all of the model's own vocabulary.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        self.vocabulary.slots(text).into_iter().map(|slot| self.vocabulary.id(slot)).collect()
    }

    /// Returns the bytes of token ids; ids that the model does not have are skipped.
    pub fn decode(&self, ids: &[u32]) -> Vec<u8> {
        let slots = ids.iter().filter_map(|id| self.vocabulary.slot(*id));
        slots.flat_map(|slot| self.vocabulary.bytes(slot).iter().copied()).collect()
    }

    /// Returns the size of the vocabulary.
    pub fn size(&self) -> usize {
        self.vocabulary.len()
    }

    /// Returns the number of trained weights.
    pub fn weights(&self) -> usize {
        self.network.weights()
    }

    /// Counts the tokens of a text for `usage`: plain `r50k`.
    pub fn count(&self, text: &str) -> u64 {
        R50k.count(text)
    }

    /// Counts the tokens of a prompt for `usage`: for a chat four more for each message and three for the answer.
    pub fn count_prompt(&self, prompt: &Prompt) -> u64 {
        match prompt {
            Prompt::Text(text) => self.count(text),
            Prompt::Tokens(ids) => ids.len() as u64,
            Prompt::Gap(before, after) => (before.len() + after.len()) as u64,
            Prompt::Chat(messages) => messages.iter().map(|(_, text)| self.count(text) + 4).sum::<u64>() + 3,
        }
    }

    /// Reads a prompt. Takes up to a quarter of a second for a long one; answers to the same prompt share the result.
    pub fn read(&self, prompt: &Prompt) -> Read {
        let spell = |ids: &[u32]| ids.iter().flat_map(|id| self.vocabulary.spell(*id)).collect::<Vec<_>>();
        let (slots, after, alignment) = match (prompt, &self.index) {
            (Prompt::Text(text), _) => (self.vocabulary.slots(text), Vec::new(), None),
            (Prompt::Tokens(ids), _) => (spell(ids), Vec::new(), None),
            (Prompt::Gap(before, after), _) => (spell(before), spell(after), None),
            (Prompt::Chat(messages), Some(index)) => {
                let text: String = messages.iter().flat_map(|(_, text)| [text.as_str(), "\n\n"]).collect();
                let ranked = index.rank(messages).into_iter();
                let texts =
                    ranked.map(|(text, weight)| (PassageTokens::new(&self.vocabulary, &text), weight)).collect();
                (self.vocabulary.slots(&text), Vec::new(), Some(Alignment::new(texts)))
            }
            (Prompt::Chat(messages), None) => (self.vocabulary.slots(&self.form.read(messages)), Vec::new(), None),
        };
        let pooled = match after.as_slice() {
            [] => self.pool(&slots, true),
            // Both sides of a gap say what it is about.
            after => self.pool(&[&slots, after].concat(), true),
        };
        let gap = Gap::new(self, &slots, &after, &pooled);
        let tail = slots[slots.len().saturating_sub(self.window())..].to_vec();
        Read { tail, pooled, alignment, gap }
    }

    /// Returns how many of a prompt's last tokens the model sees in order.
    fn window(&self) -> usize {
        self.bag.as_ref().map_or(WINDOW, |bag| bag.window)
    }

    /// Returns the whole prompt as one vector, as [`Network::next`] takes it; in a fine-tuned model with its sentence
    /// vector if `meant` is set, which takes some milliseconds.
    fn pool(&self, prompt: &[Slot], meant: bool) -> Array1<f32> {
        let pooled = self.network.pool(prompt);
        let Some(bag) = &self.bag else { return pooled };
        let seen = &prompt[prompt.len().saturating_sub(network::POOL)..];
        let text = self.vocabulary.text(seen);
        let vector = if meant { tuning::vector(self.form.asked(&text)) } else { Vec::new() };
        tuning::join(pooled.view(), bag.glance(&text, &vector).view())
    }

    /// Starts an answer to a prompt that was read: an iterator of steps. To stop, drop it.
    pub fn begin(&self, read: &Read, sampling: &Sampling) -> Generation<&Self> {
        Generation::new(self, read.clone(), sampling)
    }

    /// Reads a prompt and starts an answer to it.
    pub fn generate(&self, prompt: &Prompt, sampling: &Sampling) -> Generation<&Self> {
        self.begin(&self.read(prompt), sampling)
    }

    /// Writes a whole answer: returns its text, the number of its tokens and why it ended.
    pub fn answer(&self, prompt: &Prompt, sampling: &Sampling) -> (String, u64, Finish) {
        let mut generation = self.generate(prompt, sampling);
        let (mut text, mut tokens) = (String::new(), 0);
        for step in generation.by_ref() {
            text.push_str(&step.text);
            tokens += 1;
        }
        text.push_str(&generation.rest());
        (text, tokens, generation.finish().unwrap_or(Finish::Stop))
    }
}
