//! The model: reads a prompt and begins answers to it.

use std::sync::Arc;

use ndarray::Array1;

use super::copying::{Alignment, CopyKind, PassageTokens};
use super::infilling::Gap;
use super::manual::Manual;
use super::network::{self, Network, WINDOW};
use super::ngram::Ngrams;
use super::retrieval::Index;
use super::sampling::{Finish, Generation, Sampling};
use super::shipped::{InvalidWeights, MANUAL, PROSE, WEIGHTS};
use super::spelling;
use super::tuning::bag::{Bag, join};
use super::tuning::chat::Form;
use super::tuning::file::{self, Weights};
use super::tuning::known::{KnownPrompts, Nearest};
use super::tuning::meaning::vector;
use super::vocabulary::{Slot, Vocabulary};
use crate::tokens::Encoding::R50k;

/// What a model is asked to continue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prompt {
    /// A conversation; the answer to its last user message is written.
    Chat(Vec<(String, String)>),
    /// Plain text to be continued.
    Text(String),
    /// The same as `r50k` tokens; see [`spelling`](super::spelling).
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
    pub(super) tail: Vec<Slot>,
    /// The whole prompt as one vector ([`Model::pool`]).
    pub(super) pooled: Array1<f32>,
    /// The places of the manual that may answer it, for a chat.
    pub(super) alignment: Option<Alignment>,
    /// The text that the answer must lead to, for a gap.
    pub(super) gap: Option<Gap>,
}

/// The language model: read-only once loaded, to be shared between threads behind an `Arc`.
pub struct Model {
    pub(super) vocabulary: Vocabulary,
    pub(super) network: Network,
    pub(super) ngrams: Ngrams,
    /// The manual, for chats with a model that was not tuned.
    pub(super) index: Option<Index>,
    /// The prompt's features, in a fine-tuned model.
    pub(super) bag: Option<Bag>,
    /// How a fine-tuned model reads chats.
    pub(super) form: Form,
    /// The prompts it was trained on, where each has an answer of its own.
    pub(super) known: Option<KnownPrompts>,
    /// The model that answers prompts near none of them.
    pub(super) base: Option<Arc<Model>>,
    /// The kind of each token when an answer is copied from the manual.
    pub(super) kinds: Vec<CopyKind>,
}

impl Model {
    /// Returns the model that ships with benchtop. Takes tens of milliseconds: call it once, on a blocking thread.
    pub fn base() -> Self {
        Self::load(WEIGHTS).expect("the shipped weights are tested")
    }

    /// Loads a model from a weights file written by [`train_base`](super::train_base). Fails if the file is none.
    pub fn load(weights: &[u8]) -> Result<Self, InvalidWeights> {
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

    /// Loads a model from a weights file written by [`tune`](super::tuning::tune). The file is complete, whichever
    /// model was tuned. A fine-tuned model reads chats as text and answers from what it learned, not from the manual.
    /// Fails if the file is none.
    pub fn tuned(weights: &[u8]) -> Result<Self, InvalidWeights> {
        let Weights { ids, network, bag, form, known } = file::read(weights)?;
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
        let nearest = known.nearest(&text, || vector(self.form.asked(&text)));
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
    pub(super) fn window(&self) -> usize {
        self.bag.as_ref().map_or(WINDOW, |bag| bag.window)
    }

    /// Returns the whole prompt as one vector, as [`Network::next`] takes it; in a fine-tuned model with its sentence
    /// vector if `meant` is set, which takes some milliseconds.
    pub(super) fn pool(&self, prompt: &[Slot], meant: bool) -> Array1<f32> {
        let pooled = self.network.pool(prompt);
        let Some(bag) = &self.bag else { return pooled };
        let seen = &prompt[prompt.len().saturating_sub(network::POOL)..];
        let text = self.vocabulary.text(seen);
        let vector = if meant { vector(self.form.asked(&text)) } else { Vec::new() };
        join(pooled.view(), bag.embed(&text, &vector).view())
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
