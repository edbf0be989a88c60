//! The small language model: given tokens, it predicts a distribution of the next token.
//!
//! Three terms are mixed at each step: a network that sees a window of 16 tokens and a pooled view of the whole prompt,
//! an n-gram model of the project's own texts, and, for a chat, a **copy term** that copies from the passages of the
//! manual which fit the question. Temperature, top-p, penalties, bias and seed act on the mixed distribution.
//!
//! Token ids are those of `r50k`: the vocabulary is the part of it that the training texts use, plus its 256 single
//! bytes, so that any text can be read and written. `usage` counts plain `r50k` tokens ([`Model::count`]).

mod copying;
mod infilling;
mod manual;
mod model;
mod network;
mod ngram;
mod placing;
mod retrieval;
mod rng;
mod sampling;
mod scoring;
mod shipped;
pub mod spelling;
mod topics;
mod training;
pub mod tuning;
mod vocabulary;
mod words;
mod writing;

pub use model::{Model, Prompt, Read};
pub use placing::{Placed, Placing};
pub use sampling::{Finish, Generation, Sampling, Step};
pub use scoring::{Scored, Scoring};
pub use shipped::InvalidWeights;
pub use topics::train_manual;
pub use training::{Epoch, train_base};
pub use writing::{StopBuffer, Utf8Buffer};
