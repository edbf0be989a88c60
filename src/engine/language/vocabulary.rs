//! The model's tokens: a part of the `r50k` ids, with every single byte among them.

use std::collections::HashMap;

use super::spelling;
use crate::tokens::Encoding::R50k;

/// `r50k`'s end of text: ends an answer, and pads a window that starts before the text does.
pub(super) const END: u32 = 50_256;

/// A token's place in the model's own vocabulary.
pub(super) type Slot = u16;

pub(super) struct Vocabulary {
    ids: Vec<u32>,
    slots: HashMap<u32, Slot>,
    bytes: Vec<Vec<u8>>,
    of_byte: [Slot; 256],
    /// Tokens of several bytes, to spell what is not a token.
    of_bytes: HashMap<Vec<u8>, Slot>,
    longest: usize,
}

impl Vocabulary {
    /// Creates the vocabulary of a list of ids that holds the 256 bytes and [`END`] (see [`Vocabulary::ids_of`]).
    pub(super) fn new(ids: Vec<u32>) -> Self {
        let bytes: Vec<Vec<u8>> =
            ids.iter().map(|id| if *id == END { Vec::new() } else { R50k.bytes(&[*id]).unwrap_or_default() }).collect();
        let slots = ids.iter().enumerate().map(|(slot, id)| (*id, slot as Slot)).collect();
        let mut of_byte = [0; 256];
        for (slot, bytes) in bytes.iter().enumerate() {
            if let [byte] = bytes.as_slice() {
                of_byte[usize::from(*byte)] = slot as Slot;
            }
        }
        let several = bytes.iter().enumerate().filter(|(_, bytes)| bytes.len() > 1);
        let of_bytes: HashMap<_, _> = several.map(|(slot, bytes)| (bytes.clone(), slot as Slot)).collect();
        let longest = of_bytes.keys().map(Vec::len).max().unwrap_or(1);
        Self { ids, slots, bytes, of_byte, of_bytes, longest }
    }

    /// Returns the ids that a set of texts uses, with the 256 bytes (ids 0 to 255) and [`END`], ascending.
    pub(super) fn ids_of<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<u32> {
        let mut ids: Vec<u32> = (0..256).chain([END]).collect();
        ids.extend(texts.flat_map(|text| R50k.encode(text)));
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(super) fn ids(&self) -> &[u32] {
        &self.ids
    }

    pub(super) fn id(&self, slot: Slot) -> u32 {
        self.ids[usize::from(slot)]
    }

    pub(super) fn slot(&self, id: u32) -> Option<Slot> {
        self.slots.get(&id).copied()
    }

    pub(super) fn bytes(&self, slot: Slot) -> &[u8] {
        &self.bytes[usize::from(slot)]
    }

    pub(super) fn end(&self) -> Slot {
        self.slots.get(&END).copied().unwrap_or_default()
    }

    /// Returns the text of tokens; bytes that are no character become U+FFFD.
    pub(super) fn text(&self, slots: &[Slot]) -> String {
        let bytes: Vec<u8> = slots.iter().flat_map(|slot| self.bytes(*slot)).copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Tokenises a text; a token that the model does not have is spelled in the longest pieces it has, at worst in
    /// bytes.
    pub(super) fn slots(&self, text: &str) -> Vec<Slot> {
        R50k.encode(text).into_iter().flat_map(|id| self.spell(id)).collect()
    }

    /// Spells a token of `r50k`; one that the model does not have in the longest pieces it has, at worst in bytes.
    pub(super) fn spell(&self, id: u32) -> Vec<Slot> {
        if let Some(slot) = self.slot(id) {
            return vec![slot];
        }
        let (whole, mut slots) = (spelling::bytes(id), Vec::new());
        let mut bytes = whole.as_slice();
        while let Some(first) = bytes.first() {
            let mut lengths = (2..=bytes.len().min(self.longest)).rev();
            let known = lengths.find_map(|n| self.of_bytes.get(&bytes[..n]).map(|slot| (n, *slot)));
            let (n, slot) = known.unwrap_or((1, self.of_byte[usize::from(*first)]));
            slots.push(slot);
            bytes = &bytes[n..];
        }
        slots
    }

    /// Tokenises a text, with the end token after it.
    pub(super) fn slots_to_end(&self, text: &str) -> Vec<Slot> {
        let mut slots = self.slots(text);
        slots.push(self.end());
        slots
    }
}
