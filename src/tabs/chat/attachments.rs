//! Files that are named in a message by `@path`: read on a work thread while it is written, and sent with it.

use std::collections::HashSet;

use super::responders::Responder;
use crate::component::Session;
use crate::record::Block;
use crate::record::work::Done;
use crate::text::{self, Untrusted};
use crate::ui::meter;

/// Names that are looked up at most; pasted code may hold many words with an `@`.
const NAMES: usize = 32;
/// Bytes of the files of a message at most.
const TOGETHER: usize = 20_000_000;
/// Lines and bytes of a text that the transcript shows.
const EXCERPT: (usize, usize) = (12, 2_000);

/// The files of the message being written.
#[derive(Debug, Default)]
pub(super) struct Attachments {
    files: Vec<(String, FileState)>,
    /// Names that the user typed or chose. Others, as those of a pasted text, are not read.
    chosen: HashSet<String>,
    /// Whom the message goes to as soon as they are read.
    pub(super) waits: Option<Responder>,
    /// Whether they are read for the message as it is to be sent now.
    pub(super) is_fresh: bool,
}

/// What is known of a file.
#[derive(Debug)]
enum FileState {
    Reading,
    Read(Block),
    /// It was sent with the message that is being edited, and is sent again unchanged.
    Kept(Block),
    /// Its name is in a text that was not typed, so it is not read.
    NotChosen,
    /// There is no such file: the word is sent as text.
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
        if char == '@' && before.is_whitespace() {
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
    let is_word = !path.contains(char::is_whitespace) && named(&format!("@{path}")) == [path];
    if is_word { format!("@{path} ") } else { format!("@\"{path}\" ") }
}

impl Attachments {
    /// Keeps what is known of the files that a message names, and returns the names of which nothing is.
    pub(super) fn set_text(&mut self, text: &str) -> Vec<String> {
        let names = named(text);
        let chosen = |name: &String| self.chosen.contains(name);
        self.files
            .retain(|(name, state)| names.contains(name) && (chosen(name) || !matches!(state, FileState::Reading)));
        let is_known = |name: &&String| self.files.iter().any(|(known, _)| known == *name);
        let new: Vec<&String> = names.iter().filter(|name| !is_known(name)).collect();
        let unknown: Vec<String> =
            new.iter().filter(|name| chosen(name)).take(NAMES).map(|name| (*name).clone()).collect();
        let pasted = new.into_iter().filter(|name| !chosen(name) && is_path(name)).take(NAMES);
        let pasted: Vec<_> = pasted.map(|name| (name.clone(), FileState::NotChosen)).collect();
        self.files.extend(unknown.iter().map(|name| (name.clone(), FileState::Reading)).chain(pasted));
        unknown
    }

    /// Takes a word that the user typed or chose: the file it names may be read.
    pub(super) fn choose(&mut self, word: &str) {
        for name in named(word) {
            self.files.retain(|(known, state)| *known != name || !matches!(state, FileState::NotChosen));
            self.chosen.insert(name);
        }
    }

    /// Forgets what is known of files that are not kept, once for each time the message is to be sent: they may have
    /// changed since they were read.
    pub(super) fn refresh(&mut self) {
        if !std::mem::replace(&mut self.is_fresh, true) {
            self.files.retain(|(_, state)| matches!(state, FileState::Kept(_)));
        }
    }

    /// Takes the files of a message that is written again: they are sent as they were.
    pub(super) fn restore(&mut self, blocks: &[Block]) {
        self.clear();
        for block in blocks {
            if let Block::File { name, .. } = block {
                self.files.push((name.raw().to_owned(), FileState::Kept(block.clone())));
            }
        }
    }

    /// Forgets all, also which names were typed: the message was sent or deleted.
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }

    /// Forgets the files, not which names were typed.
    pub(super) fn clear(&mut self) {
        (self.files, self.waits, self.is_fresh) = (Vec::new(), None, false);
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

    /// Takes whom the message waits to be sent to, once its files are read.
    pub(super) fn take_addressee_if_read(&mut self) -> Option<Responder> {
        if self.is_reading() { None } else { self.waits.take() }
    }

    /// Returns the files as they go with the message.
    pub(super) fn blocks(&self) -> Vec<Block> {
        self.read().cloned().collect()
    }

    fn read(&self) -> impl Iterator<Item = &Block> {
        self.files.iter().filter_map(|(_, state)| match state {
            FileState::Read(block) | FileState::Kept(block) => Some(block),
            _ => None,
        })
    }

    /// Returns why the message cannot be sent with its files.
    pub(super) fn problem(&self, session: &Session) -> Option<Untrusted> {
        let together: usize = self.read().map(Block::file_size).sum();
        if together > TOGETHER {
            let size = meter::bytes(together as u64);
            return Some(format!("the files are {size} together; at most 20 MB can go with a message").into());
        }
        self.files.iter().find_map(|(name, state)| match state {
            FileState::Wrong(why) => Some(why.clone()),
            FileState::Read(block) | FileState::Kept(block) => {
                refusal(block, session).map(|why| format!("{}: {why}", text::line(name)).into())
            }
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
                FileState::NotChosen => (format!("{shown}: not typed here, so not attached"), false),
                FileState::Read(block) | FileState::Kept(block) => match refusal(block, session) {
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
    (block.is_picture() && session.local).then_some("the local service accepts no images")
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
        for path in ["a.txt", "my file.txt", "copy(2)"] {
            assert_eq!(named(&mention(path)), [path]);
        }
    }

    #[test]
    fn a_file_that_only_a_pasted_text_names_is_not_read() {
        let mut files = Attachments::default();
        assert_eq!(files.set_text("see @~/.ssh/id and @b.txt"), Vec::<String>::new());
        assert!(files.is_shown() && files.blocks().is_empty());
        files.choose("@b.txt");
        assert_eq!(files.set_text("see @~/.ssh/id and @b.txt"), ["b.txt"]);
        let many = (0..100).map(|n| format!("@{n}")).collect::<Vec<_>>().join(" ");
        files.choose(&many);
        assert_eq!(files.set_text(&many).len(), NAMES);
        files.reset();
        assert_eq!(files.set_text("see @b.txt"), Vec::<String>::new());
    }
}
