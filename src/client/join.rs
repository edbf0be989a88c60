//! Joins the texts of an answer across events: the two halves of a surrogate pair become one character, and the key is
//! masked where the server repeats it, also where it is split.

use std::collections::BTreeMap;

use memchr::memmem::Finder;
use secrecy::ExposeSecret;

use super::redact::mask;
use super::surrogates::{is_first, join_pair, marked_surrogate};
use crate::settings::Endpoint;

/// Bytes of the shortest key that is searched for in answers: `none` or `ollama` is no secret but an ordinary word.
const MIN_KEY_BYTES: usize = 12;

/// Bytes at the end of a text that must match the beginning of the key before they are held back. So fewer bytes of a
/// key may have been forwarded before the rest is masked.
const MIN_HELD_BYTES: usize = 4;

/// A text of an answer that arrives in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slot {
    pub(super) choice: u32,
    pub(super) part: ChoiceField,
}

/// Which text of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ChoiceField {
    Content,
    Reasoning,
    Refusal,
    Transcript,
    /// The arguments of the legacy function call.
    Function,
    /// The arguments of a call, by its index.
    Call(u32),
}

/// The state of the texts so far.
#[derive(Default)]
pub(super) struct Joiner {
    /// Finds the key, and what is shown in its place.
    key: Option<(Finder<'static>, String)>,
    open: BTreeMap<Slot, OpenText>,
    /// Whether the present texts come from an event in which lone surrogates are marked.
    pub(super) marked: bool,
}

/// The end of a text that is not complete.
#[derive(Default)]
struct OpenText {
    /// The first half of a surrogate pair.
    half: Option<u16>,
    /// The last bytes that were forwarded, fewer than [`MIN_HELD_BYTES`].
    shown: String,
    /// Text that may be the beginning of the key.
    held: String,
}

impl Joiner {
    pub(super) fn of(endpoint: &Endpoint) -> Self {
        let key = endpoint.key.as_ref().map(ExposeSecret::expose_secret).filter(|key| key.len() >= MIN_KEY_BYTES);
        Self { key: key.map(|key| (Finder::new(key).into_owned(), mask(key))), ..Self::default() }
    }

    /// Replaces a part that arrived by what is forwarded of the text. `last`: it is the text's last part, so nothing is
    /// held back. Returns whether anything was held back or masked; the tokens of the part must then not be shown
    /// either.
    pub(super) fn join(&mut self, slot: Slot, text: &mut String, last: bool) -> bool {
        if self.key.is_none() && !self.marked && self.open.is_empty() {
            return false;
        }
        let open = self.open.entry(slot).or_default();
        if self.marked || open.half.is_some() {
            *text = open.join_halves(text, self.marked);
        }
        if last && open.half.take().is_some() {
            text.push(char::REPLACEMENT_CHARACTER);
        }
        match &self.key {
            Some((key, mask)) => open.mask_key(text, key, mask, last),
            None => false,
        }
    }

    /// Masks the key in a short text that arrives whole: a name, an id, an address.
    pub(super) fn mask_word(&self, text: &mut String) {
        if let Some((key, mask)) = &self.key
            && key.find(text.as_bytes()).is_some()
            && let Ok(key) = str::from_utf8(key.needle())
        {
            *text = text.replace(key, mask);
        }
    }

    /// Returns what was held back and will not be continued, each with its place.
    pub(super) fn finish(&mut self) -> Vec<(Slot, String)> {
        self.marked = false;
        let waiting = |open: &OpenText| open.half.is_some() || !open.held.is_empty();
        let slots: Vec<Slot> = self.open.iter().filter(|(_, open)| waiting(open)).map(|(slot, _)| *slot).collect();
        let mut rest = Vec::new();
        for slot in slots {
            let mut text = String::new();
            self.join(slot, &mut text, true);
            rest.push((slot, text));
        }
        rest
    }
}

impl OpenText {
    /// Returns the text with its surrogate pairs joined. A first half at its end is kept for the next part.
    fn join_halves(&mut self, text: &str, marked: bool) -> String {
        let mut whole = String::with_capacity(text.len() + 3);
        for c in text.chars() {
            match (self.half.take(), marked_surrogate(c).filter(|_| marked)) {
                (Some(first), Some(second)) if !is_first(second) => whole.push(join_pair(first, second)),
                (before, found) => {
                    whole.extend(before.map(|_| char::REPLACEMENT_CHARACTER));
                    match found {
                        None => whole.push(c),
                        Some(unit) if is_first(unit) => self.half = Some(unit),
                        Some(_) => whole.push(char::REPLACEMENT_CHARACTER),
                    }
                }
            }
        }
        whole
    }

    /// Masks the key in the text that was held back and the one that follows it. Holds back what may be the beginning
    /// of the key, unless the text is the `last`. Returns whether anything was masked or held back.
    fn mask_key(&mut self, text: &mut String, finder: &Finder<'_>, mask: &str, last: bool) -> bool {
        let key = finder.needle();
        let mut from = self.shown.len();
        let all = std::mem::take(&mut self.shown) + &std::mem::take(&mut self.held) + text;
        let (mut out, mut after) = (String::with_capacity(all.len()), 0);
        while let Some(at) = finder.find(&all.as_bytes()[after..]) {
            // The key's beginning may have been forwarded before.
            out.push_str(&all[from.min(after + at)..after + at]);
            out.push_str(mask);
            after += at + key.len();
            from = after;
        }
        let masked = after > 0;
        let begins = |at: &usize| all.is_char_boundary(*at) && key.starts_with(&all.as_bytes()[*at..]);
        let longest = all.len().saturating_sub(key.len() - 1).max(after);
        let hold = (longest..(all.len() + 1).saturating_sub(MIN_HELD_BYTES)).find(begins).filter(|_| !last);
        let to = hold.unwrap_or(all.len()).max(from);
        out.push_str(&all[from..to]);
        self.held.push_str(&all[to..]);
        let tail = all.ceil_char_boundary(to.saturating_sub(MIN_HELD_BYTES - 1).max(after));
        self.shown.push_str(&all[tail.min(to)..to]);
        *text = out;
        masked || !self.held.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECRET: &str = "sk-test-0123456789";
    const SLOT: Slot = Slot { choice: 0, part: ChoiceField::Content };

    fn joiner() -> Joiner {
        Joiner::of(&Endpoint::new("http://h/v1", Some(SECRET.to_owned().into())))
    }

    /// Returns what is forwarded of a text that arrives in parts of `size` characters.
    fn forwarded(text: &str, size: usize) -> String {
        let (mut joiner, mut out) = (joiner(), String::new());
        let chars: Vec<char> = text.chars().collect();
        for piece in chars.chunks(size) {
            let mut piece: String = piece.iter().collect();
            joiner.join(SLOT, &mut piece, false);
            out.push_str(&piece);
        }
        out.extend(joiner.finish().into_iter().map(|(_, text)| text));
        out
    }

    #[test]
    fn a_key_is_masked_wherever_it_is_cut() {
        let mask = mask(SECRET);
        for (text, whole) in [
            (format!("it is {SECRET}."), format!("it is {mask}.")),
            (format!("{SECRET}{SECRET} é{SECRET}"), format!("{mask}{mask} é{mask}")),
            (format!("sk- {SECRET}"), format!("sk- {mask}")),
        ] {
            for size in 1..40 {
                let shown = forwarded(&text, size);
                // The first characters of the key may have been forwarded before it was recognised.
                let tail = &SECRET[MIN_HELD_BYTES - 1..];
                assert!(!shown.contains(tail), "{size}: {shown}");
                let known = shown.replace(&format!("sk-{mask}"), &mask).replace(&format!("sk{mask}"), &mask);
                let known = known.replace(&format!("s{mask}"), &mask);
                assert_eq!(known, whole, "{size}");
            }
        }
    }

    #[test]
    fn a_short_key_is_a_word_like_others() {
        let mut joiner = Joiner::of(&Endpoint::new("http://h/v1", Some("ollama".to_owned().into())));
        let mut text = "ollama".to_owned();
        assert!(!joiner.join(SLOT, &mut text, false));
        assert_eq!(text, "ollama");
    }

    #[test]
    fn little_is_held_back_and_only_what_begins_as_the_key() {
        let mut joiner = joiner();
        for (piece, shown, held) in [
            ("tasks", "tasks", false),
            ("k", "k", false),
            (" sk-", " sk-", false),
            ("tes", "", true),
            ("!", "tes!", false),
        ] {
            let mut text = piece.to_owned();
            assert_eq!((joiner.join(SLOT, &mut text, false), text.as_str()), (held, shown), "{piece}");
        }
    }

    proptest! {
        #[test]
        fn other_text_stays_as_it_is(text in "[sk\\-te é🐈0]{0,60}", size in 1..9_usize) {
            prop_assume!(!text.contains(SECRET));
            prop_assert_eq!(forwarded(&text, size), text);
        }
    }
}
