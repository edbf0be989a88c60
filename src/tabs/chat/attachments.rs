//! Files that are named in a message by `@path`: read on a work thread while it is written, and sent with it.

use crate::component::Session;
use crate::record::Block;
use crate::record::work::Done;
use crate::text::{self, Untrusted};
use crate::ui::meter;

/// Names that are looked up at most; pasted code may hold many words with an `@`.
const NAMES: usize = 32;
/// Bytes of the files of a message at most.
const TOGETHER: usize = 40_000_000;
/// Lines and bytes of a text that the transcript shows.
const EXCERPT: (usize, usize) = (12, 2_000);

/// The files of the message being written.
#[derive(Debug, Default)]
pub(super) struct Attachments {
    files: Vec<(String, FileState)>,
    /// The message is sent as soon as they are read.
    pub(super) waits: bool,
}

/// What is known of a file.
#[derive(Debug)]
enum FileState {
    Reading,
    Read(Block),
    /// There is none: the word is only a word.
    Missing,
    /// It cannot be sent; the sentence says why.
    Wrong(Untrusted),
}

/// What stands above the message for a file.
pub(super) struct FileChip {
    pub(super) words: String,
    pub(super) wrong: bool,
}

/// Returns the paths that a message names: `@path`, or `@"path with spaces"`, at the beginning of a word.
fn named(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut before = ' ';
    for (at, char) in text.char_indices() {
        if char == '@' && before.is_whitespace() && names.len() < NAMES {
            let rest = &text[at + 1..];
            let name = match rest.strip_prefix('"') {
                Some(quoted) => quoted.split(['"', '\n']).next().unwrap_or_default(),
                None => {
                    let word = rest.split(char::is_whitespace).next().unwrap_or_default();
                    word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')'])
                }
            };
            if !name.is_empty() && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        before = char;
    }
    names
}

/// Returns how a path is written in a message.
pub(super) fn mention(path: &str) -> String {
    if path.contains(char::is_whitespace) { format!("@\"{path}\" ") } else { format!("@{path} ") }
}

impl Attachments {
    /// Keeps what is known of the files that a message names, and returns the names of which nothing is.
    pub(super) fn name(&mut self, text: &str) -> Vec<String> {
        let names = named(text);
        self.files.retain(|(name, _)| names.contains(name));
        let unknown: Vec<String> =
            names.into_iter().filter(|name| !self.files.iter().any(|(known, _)| known == name)).collect();
        self.files.extend(unknown.iter().map(|name| (name.clone(), FileState::Reading)));
        unknown
    }

    /// Takes the files of a message that is written anew: they are sent as they were.
    pub(super) fn keep(&mut self, blocks: &[Block]) {
        self.clear();
        for block in blocks {
            if let Block::File { name, .. } = block {
                self.files.push((name.raw().to_owned(), FileState::Read(block.clone())));
            }
        }
    }

    pub(super) fn clear(&mut self) {
        (self.files, self.waits) = (Vec::new(), false);
    }

    pub(super) fn is_reading(&self) -> bool {
        self.files.iter().any(|(_, state)| matches!(state, FileState::Reading))
    }

    /// Takes a file that was read.
    pub(super) fn take(&mut self, name: &str, done: Done) {
        let state = match done {
            Done::Attached(Some(block)) => FileState::Read(*block),
            Done::Failed(why) => FileState::Wrong(why),
            _ => FileState::Missing,
        };
        let mut files = self.files.iter_mut();
        if let Some(file) = files.find(|(known, now)| known == name && matches!(now, FileState::Reading)) {
            file.1 = state;
        }
    }

    /// Returns whether the message is to be sent now that its files are read.
    pub(super) fn have_come(&mut self) -> bool {
        let came = self.waits && !self.is_reading();
        self.waits &= !came;
        came
    }

    /// Returns the files as they go with the message.
    pub(super) fn blocks(&self) -> Vec<Block> {
        self.read().cloned().collect()
    }

    fn read(&self) -> impl Iterator<Item = &Block> {
        self.files.iter().filter_map(|(_, state)| if let FileState::Read(block) = state { Some(block) } else { None })
    }

    /// Returns why the message cannot be sent with its files.
    pub(super) fn problem(&self, session: &Session) -> Option<Untrusted> {
        let together: usize = self.read().map(Block::file_size).sum();
        if together > TOGETHER {
            let size = meter::bytes(together as u64);
            return Some(format!("the files have {size} together; at most 40 MB go with a message").into());
        }
        self.files.iter().find_map(|(name, state)| match state {
            FileState::Wrong(why) => Some(why.clone()),
            FileState::Read(block) => refusal(block, session).map(|why| format!("{}: {why}", text::line(name)).into()),
            _ => None,
        })
    }

    /// Returns how many tokens they have, estimated.
    pub(super) fn tokens(&self) -> u64 {
        self.read().map(Block::estimated_tokens).sum()
    }

    /// Returns whether there is anything to show.
    pub(super) fn is_shown(&self) -> bool {
        self.files.iter().any(|(name, state)| !matches!(state, FileState::Missing) || is_path(name))
    }

    /// Returns what stands above the message for each file, those that cannot be sent first.
    pub(super) fn chips(&self, session: &Session) -> Vec<FileChip> {
        let chip = |(name, state): &(String, FileState)| {
            let shown = text::line(file_name(name));
            let (words, wrong) = match state {
                FileState::Reading => (format!("{shown} …"), false),
                FileState::Missing if is_path(name) => (format!("{shown}: no such file, sent as text"), false),
                FileState::Missing => return None,
                FileState::Wrong(why) => {
                    let why = why.line();
                    let place = why.strip_prefix(&*text::line(name)).unwrap_or(&why);
                    (format!("✕ {shown}{place}"), true)
                }
                FileState::Read(block) => match refusal(block, session) {
                    Some(why) => (format!("✕ {shown}: {why}"), true),
                    None => (facts(block), false),
                },
            };
            Some(FileChip { words, wrong })
        };
        let mut chips: Vec<FileChip> = self.files.iter().filter_map(chip).collect();
        chips.sort_by_key(|chip| !chip.wrong);
        chips
    }
}

/// Returns whether a word looks like a path, so that a missing file is worth a word.
fn is_path(name: &str) -> bool {
    name.contains(['/', '.']) && !name.contains('(')
}

/// Returns the last part of a path.
fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns why a server is known not to take a file.
fn refusal(block: &Block, session: &Session) -> Option<&'static str> {
    (block.is_picture() && session.local).then_some("the local service takes no pictures")
}

/// Returns a file's name, size and estimated tokens.
pub(super) fn facts(block: &Block) -> String {
    let Block::File { name, .. } = block else { return String::new() };
    let (size, tokens) = (meter::bytes(block.file_size() as u64), meter::count(block.estimated_tokens()));
    format!("{} · {size} · ~{tokens} tok", text::line(file_name(name.raw())))
}

/// Returns how many bytes of a file the transcript shows; of a picture that is its name.
pub(super) fn excerpt(block: &Block) -> usize {
    let text = block.body().raw();
    let end = text.match_indices('\n').nth(EXCERPT.0 - 1).map_or(text.len(), |(at, _)| at);
    text.floor_char_boundary(end.min(EXCERPT.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_words_that_begin_with_an_at_sign() {
        let of = |text: &str| named(text).join("|");
        assert_eq!(of("@a.txt and @b/c.png, (@no) me@host @a.txt."), "a.txt|b/c.png");
        assert_eq!(of("look at @\"my file.txt\" and @\"open"), "my file.txt|open");
        assert_eq!(of("@ @@ @~/x.gif?"), "@|~/x.gif");
        assert_eq!(named(&"@a".repeat(3)), ["a@a@a"]);
        assert_eq!(named(&(0..100).map(|n| format!(" @{n}")).collect::<String>()).len(), NAMES);
        for path in ["a.txt", "my file.txt"] {
            assert_eq!(named(&mention(path)), [path]);
        }
    }
}
