//! The parts of a message besides its text: an answer may hold a refusal, calls, the words of speech and names of
//! attachments; a user's message the files sent with it.

use std::borrow::Cow;

use super::Turn;
use crate::text::Untrusted;

/// Attachments of a turn that are stored by name; above that only their number is.
const ATTACHMENTS: usize = 1000;

/// Approximate tokens of a picture: servers count tiles of it.
const PICTURE_TOKENS: u64 = 765;

/// A part of a message that is not its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// Why the model does not answer.
    Refusal {
        /// Its own words.
        words: Untrusted,
        /// Name of the profile whose server said so; empty: not known.
        profile: Untrusted,
    },
    /// A call of a tool or function.
    Call {
        /// Which of the answer's calls it is.
        index: u32,
        /// `call_…`; empty: none was sent.
        id: Untrusted,
        /// What is called.
        name: Untrusted,
        /// JSON as the model wrote it, which may be broken.
        arguments: Untrusted,
    },
    /// The call that a text is the result of.
    ResultOf {
        /// The call's id.
        id: Untrusted,
        /// What was called.
        name: Untrusted,
    },
    /// The words of a spoken answer.
    Transcript(Untrusted),
    /// An image, a file or a source.
    Attachment {
        /// `image`, `file`, `source`, …
        kind: Untrusted,
        /// Its address or name; empty: there is none.
        place: Untrusted,
    },
    /// A file that goes with a message, as it was when that was sent.
    File {
        /// Its path as it was typed.
        name: Untrusted,
        /// `text/plain`, `image/png`, …
        kind: Untrusted,
        /// The text; of a picture `data:image/png;base64,…`.
        data: Untrusted,
    },
}

impl Block {
    /// Returns the length of the block's texts in bytes, without a picture's data.
    pub fn len(&self) -> usize {
        match self {
            Self::Refusal { words, .. } | Self::Transcript(words) => words.len(),
            Self::Call { id, name, arguments, .. } => id.len() + name.len() + arguments.len(),
            Self::ResultOf { id, name } => id.len() + name.len(),
            Self::Attachment { kind, place } => kind.len() + place.len(),
            Self::File { name, .. } if self.is_picture() => name.len(),
            Self::File { name, data, .. } => name.len() + data.len(),
        }
    }

    /// Returns whether the block is a picture that is sent with a message.
    pub fn is_picture(&self) -> bool {
        matches!(self, Self::File { kind, .. } if kind.raw().starts_with("image/"))
    }

    /// Returns the picture as a data URL; `None` if the block is no picture.
    pub fn picture(&self) -> Option<&Untrusted> {
        if let Self::File { data, .. } = self { Some(data).filter(|_| self.is_picture()) } else { None }
    }

    /// Returns the size of the file in bytes; of a picture the decoded size; 0 if the block is no file.
    pub fn file_size(&self) -> usize {
        let Self::File { data, .. } = self else { return 0 };
        match data.raw().split_once(',').filter(|_| self.is_picture()) {
            Some((_, base64)) => {
                (base64.len() / 4 * 3).saturating_sub(base64.bytes().rev().take_while(|byte| *byte == b'=').count())
            }
            None => data.len(),
        }
    }

    /// Returns the approximate tokens of a picture; 0 if the block is no picture.
    pub fn picture_tokens(&self) -> u64 {
        if self.is_picture() { PICTURE_TOKENS } else { 0 }
    }

    /// Returns the approximate tokens of the file.
    pub fn estimated_tokens(&self) -> u64 {
        if self.is_picture() { PICTURE_TOKENS } else { self.file_size().div_ceil(4) as u64 }
    }

    /// Returns whether all of the block's texts are empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the text that grows while an answer streams and that is shown: words, arguments, an address.
    pub fn body(&self) -> &Untrusted {
        match self {
            Self::Refusal { words: text, .. } | Self::Transcript(text) => text,
            Self::Call { arguments, .. } => arguments,
            Self::ResultOf { name, .. } => name,
            Self::Attachment { place, .. } => place,
            Self::File { name, .. } if self.is_picture() => name,
            Self::File { data, .. } => data,
        }
    }

    /// Returns the block as text for copying and sending: a call as `name(arguments)`, an image as `[image] address`, a
    /// text file as a code block below its name; a result's header is empty.
    pub fn text(&self) -> Untrusted {
        let mut text = Untrusted::default();
        match self {
            Self::Refusal { words, .. } | Self::Transcript(words) => text.append(words),
            Self::Call { name, arguments, .. } => {
                text.append(name);
                text.push("(");
                text.append(arguments);
                text.push(")");
            }
            Self::ResultOf { .. } => {}
            Self::Attachment { kind, place } => {
                text.push("[");
                text.append(kind);
                text.push(if place.is_empty() { "]" } else { "] " });
                text.append(place);
            }
            Self::File { name, .. } if self.is_picture() => {
                text.push("[image] ");
                text.append(name);
            }
            Self::File { name, data, .. } => {
                // The fence must be longer than any run of backticks in the text.
                let longest = data.raw().split(|char| char != '`').map(str::len).max().unwrap_or(0);
                let fence = "`".repeat(3.max(longest + 1));
                text.append(name);
                text.push(&format!(":\n{fence}\n"));
                text.append(data);
                text.push(if data.raw().ends_with('\n') { "" } else { "\n" });
                text.push(&fence);
            }
        }
        text
    }

    /// Appends a later part of the same block. Returns false if it belongs to another block.
    fn grow(&mut self, piece: &Self) -> bool {
        match (self, piece) {
            (Self::Refusal { words, .. }, Self::Refusal { words: more, .. })
            | (Self::Transcript(words), Self::Transcript(more)) => {
                words.append(more);
                true
            }
            (
                Self::Call { index, id, name, arguments },
                Self::Call { index: at, id: its, name: called, arguments: more },
            ) if index == at
                && (its.is_empty() || id.is_empty() || its == id)
                // A name after arguments begins another call, where a server does not number them.
                && (called.is_empty() || name == called || arguments.is_empty()) =>
            {
                if id.is_empty() {
                    id.append(its);
                }
                // Some servers repeat the name in every part, others split it.
                if name != called {
                    name.append(called);
                }
                arguments.append(more);
                true
            }
            // Some servers repeat all sources in every part. Without an address two sources are not known to be the
            // same.
            (one, other) => one == other && !matches!(other, Self::Attachment { place, .. } if place.is_empty()),
        }
    }
}

/// Returns the block that says how many attachments were left out.
fn left_out(count: u64) -> Block {
    Block::Attachment { kind: "more".into(), place: format!("{count} attachments were left out").into() }
}

impl Turn {
    /// Adds a part of a block as it arrived. Returns whether it began a new block.
    pub fn add(&mut self, piece: Block) -> bool {
        // The latest matching block is the one that continues.
        if self.blocks.iter_mut().rev().any(|block| block.grow(&piece)) {
            return false;
        }
        if let Block::Attachment { .. } = piece {
            let mut attachments = self.blocks.iter_mut().filter(|block| matches!(block, Block::Attachment { .. }));
            if let Some(last) = attachments.nth(ATTACHMENTS) {
                let count = last.body().line().split(' ').next().and_then(|count| count.parse::<u64>().ok());
                *last = left_out(count.unwrap_or(0).saturating_add(1));
                return false;
            }
            let full =
                self.blocks.iter().filter(|block| matches!(block, Block::Attachment { .. })).count() == ATTACHMENTS;
            self.blocks.push(if full { left_out(1) } else { piece });
            return true;
        }
        self.blocks.push(piece);
        true
    }

    /// Returns the length of all blocks' texts in bytes.
    pub fn blocks_len(&self) -> usize {
        self.blocks.iter().map(Block::len).sum()
    }

    /// Returns whether the message has neither text nor blocks.
    pub fn is_silent(&self) -> bool {
        self.content.is_empty() && self.blocks.is_empty()
    }

    /// Returns content and blocks as one text: the content byte for byte, then the blocks, separated by blank lines.
    pub fn said(&self) -> Cow<'_, Untrusted> {
        self.said_with(|_| true)
    }

    /// Returns the content and those blocks that `takes` names, as [`Turn::said`].
    pub fn said_with(&self, takes: impl Fn(&Block) -> bool) -> Cow<'_, Untrusted> {
        if self.blocks.is_empty() {
            return Cow::Borrowed(&self.content);
        }
        let mut said = self.content.clone();
        for text in self.blocks.iter().filter(|block| takes(block)).map(Block::text).filter(|text| !text.is_empty()) {
            if !said.is_empty() {
                said.push("\n\n");
            }
            said.append(&text);
        }
        Cow::Owned(said)
    }
}

/// What is known of a failed answer beyond the sentence in [`Turn::error`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// HTTP status.
    pub status: Option<u16>,
    /// The error's `code`.
    pub code: Option<Untrusted>,
    /// `x-request-id`.
    pub request_id: Option<Untrusted>,
    /// Requests that were made; 0: it is not known.
    pub attempts: u8,
    /// Response headers that may be shown.
    pub headers: Vec<(String, Untrusted)>,
    /// The beginning of the answer's body.
    pub body: Untrusted,
}
