//! The texts of a run outside the tabs, a few at a time, and their results in the order of the texts.
//!
//! Only texts are in memory whose results have not come, or wait for the result of a text before them: a run over any
//! number of texts takes the same memory.

use std::collections::{HashMap, VecDeque};

use super::items::BatchItem;
use crate::record::TextKey;
use crate::text::Untrusted;

/// Texts at most.
const TEXTS: usize = 2_048;
/// Bytes of text after which no further text is added.
const BYTES: usize = 4 << 20;

/// A text and its result, or why it has none.
#[derive(Clone, Debug, PartialEq)]
pub struct TextResult<T> {
    /// Its place among all texts of the run, from 0.
    pub index: u32,
    /// The text.
    pub text: Untrusted,
    /// The result, or a sentence.
    pub result: Result<T, Untrusted>,
}

#[derive(Debug)]
struct WindowText<T> {
    key: TextKey,
    text: Untrusted,
    /// `None`: it has not come.
    result: Option<Result<T, Untrusted>>,
}

/// The texts that a run is about at a moment.
#[derive(Debug)]
pub struct TextWindow<T> {
    /// The place of the first of them.
    first: u32,
    texts: VecDeque<WindowText<T>>,
    /// Bytes of all of them.
    bytes: usize,
}

impl<T> Default for TextWindow<T> {
    fn default() -> Self {
        Self { first: 0, texts: VecDeque::new(), bytes: 0 }
    }
}

impl<T> TextWindow<T> {
    /// Returns whether another text may be added.
    pub fn has_room(&self) -> bool {
        self.texts.len() < TEXTS && self.bytes < BYTES
    }

    /// Returns whether all texts were taken.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Adds a text; `key` is what its result is kept under. Returns the item that it is for a batch runner.
    pub fn push(&mut self, text: Untrusted, key: TextKey) -> BatchItem {
        let weight = u32::try_from(text.len()).unwrap_or(u32::MAX);
        self.bytes += text.len();
        self.texts.push_back(WindowText { key, text, result: None });
        BatchItem { weight, rows: 1 }
    }

    /// Returns what the result of a text is kept under, and the text.
    pub fn subject(&self, index: u32) -> (TextKey, &Untrusted) {
        let WindowText { key, text, .. } = &self.texts[(index - self.first) as usize];
        (*key, text)
    }

    /// Returns all texts without a result, with their keys.
    pub fn open(&self) -> impl Iterator<Item = (TextKey, &Untrusted)> {
        self.texts.iter().filter(|text| text.result.is_none()).map(|text| (text.key, &text.text))
    }

    /// Sets the result of a text.
    pub fn set(&mut self, index: u32, result: Result<T, Untrusted>) {
        if let Some(text) = self.texts.get_mut(index.wrapping_sub(self.first) as usize) {
            text.result = Some(result);
        }
    }

    /// Sets the results of texts by what they are kept under.
    pub fn set_all(&mut self, results: &HashMap<TextKey, Result<T, Untrusted>>)
    where
        T: Clone,
    {
        for text in self.texts.iter_mut().filter(|text| text.result.is_none()) {
            text.result = results.get(&text.key).cloned();
        }
    }

    /// Takes the first text, if its result has come.
    pub fn take(&mut self) -> Option<TextResult<T>> {
        let first = self.texts.pop_front_if(|text| text.result.is_some())?;
        let index = self.first;
        self.first += 1;
        self.bytes -= first.text.len();
        Some(TextResult { index, text: first.text, result: first.result? })
    }

    /// Takes the next text that has a result and drops those before it, for a run that has ended.
    pub fn take_late(&mut self) -> Option<TextResult<T>> {
        let missing = self.texts.iter().position(|text| text.result.is_some())?;
        self.bytes -= self.texts.drain(..missing).map(|text| text.text.len()).sum::<usize>();
        self.first += missing as u32;
        self.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(window: &mut TextWindow<u8>, text: &str) {
        let text = Untrusted::from(text);
        let key = TextKey::of(&text);
        window.push(text, key);
    }

    #[test]
    fn results_are_taken_in_the_order_of_the_texts() {
        let mut window = TextWindow::default();
        for text in ["a", "b", "a"] {
            push(&mut window, text);
        }
        window.set(1, Ok(2));
        assert_eq!(window.take(), None, "the first has no result");
        window.set_all(&HashMap::from([(window.subject(0).0, Err("refused".into()))]));
        window.set(7, Ok(3));
        let taken: Vec<_> = std::iter::from_fn(|| window.take()).map(|text| (text.index, text.result)).collect();
        assert_eq!(taken, [(0, Err("refused".into())), (1, Ok(2)), (2, Err("refused".into()))]);
        assert!(window.is_empty());
        push(&mut window, "c");
        assert_eq!((window.subject(3).1.line(), window.open().count()), ("c".into(), 1));
    }

    #[test]
    fn results_after_a_text_without_one_are_taken_at_the_end() {
        let mut window = TextWindow::default();
        for text in ["a", "bcd", "e", "f", "g"] {
            push(&mut window, text);
        }
        window.set(2, Ok(1));
        window.set(3, Err("refused".into()));
        let late: Vec<_> = std::iter::from_fn(|| window.take_late()).map(|text| (text.index, text.result)).collect();
        assert_eq!(late, [(2, Ok(1)), (3, Err("refused".into()))]);
        assert_eq!((window.bytes, window.subject(4).1.line()), (1, "g".into()));
    }

    #[test]
    fn it_has_room_for_some_texts_and_for_one_of_any_length() {
        let mut window = TextWindow::default();
        for _ in 0..TEXTS {
            assert!(window.has_room());
            push(&mut window, "a");
        }
        assert!(!window.has_room());
        window.set(0, Ok(1));
        window.take();
        assert!(window.has_room());
        let mut window = TextWindow::default();
        push(&mut window, &"a".repeat(BYTES));
        assert!(!window.has_room());
    }
}
