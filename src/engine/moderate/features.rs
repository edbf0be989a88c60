//! The features of a text for the classifier: words and word pairs, letters of words, tags, sequences and pairs of
//! tags. Each is a number below [`SPACE`].

use super::words::Word;

/// Number of features; several may share a number.
pub(super) const SPACE: usize = 1 << 17;
/// Words between two tags that still form a pair.
const NEAR: usize = 6;
/// Tagged words of one piece that are paired; a piece usually has few.
const TAGGED: usize = 40;

/// Weights of features: word lists count more than single words, single words more than letters.
const WORD: f32 = 0.45;
const PAIR: f32 = 0.35;
const LETTERS: f32 = 0.12;
const TAG: f32 = 1.0;
const ORDER: f32 = 0.7;
const TOGETHER: f32 = 0.4;
const THREE: f32 = 0.5;

/// Returns the features of a piece of text, each once, ascending.
pub(super) fn features(words: &[Word]) -> Vec<(u32, f32)> {
    let mut out = Vec::with_capacity(words.len() * 16);
    let edge = "^";
    let mut before = edge;
    for word in words {
        put(&mut out, WORD, b'w', &[word.stem.as_bytes()]);
        put(&mut out, PAIR, b'b', &[before.as_bytes(), word.stem.as_bytes()]);
        letters(&mut out, &word.form);
        before = if word.last() { edge } else { &word.stem };
    }
    tags(&mut out, words);
    out.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    out.dedup_by_key(|feature| feature.0);
    out
}

/// Adds each four consecutive letters of a word, its ends marked.
fn letters(out: &mut Vec<(u32, f32)>, form: &str) {
    if form.len() < 4 || form.len() > 20 || !form.is_ascii() {
        return;
    }
    let mut marked = [b'_'; 22];
    marked[1..=form.len()].copy_from_slice(form.as_bytes());
    for four in marked[..form.len() + 2].windows(4) {
        put(out, LETTERS, b'c', &[four]);
    }
}

/// Adds the tags, those that follow each other, and those that occur in the same piece.
fn tags(out: &mut Vec<(u32, f32)>, words: &[Word]) {
    let mut tagged: Vec<(usize, Vec<u8>)> = Vec::new();
    let mut sentence = 0;
    let mut sentences = Vec::new();
    let mut all: Vec<u8> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if !word.tags.is_empty() && tagged.len() < TAGGED {
            let numbers: Vec<u8> = word.tags.numbers().collect();
            for &number in &numbers {
                if all.contains(&number) {
                    put(out, 0.5, b'2', &[&[number]]);
                } else {
                    put(out, TAG, b't', &[&[number]]);
                    all.push(number);
                }
            }
            tagged.push((at, numbers));
            sentences.push(sentence);
        }
        sentence += usize::from(word.last());
    }
    for (i, (at, first)) in tagged.iter().enumerate() {
        let next = tagged[i + 1..].iter().zip(&sentences[i + 1..]);
        for ((place, second), _) in next.take_while(|((place, _), s)| place - at <= NEAR && **s == sentences[i]) {
            let close: u8 = u8::from(place - at <= 2);
            for &a in first {
                for &b in second {
                    put(out, ORDER, b'p', &[&[a, b]]);
                    if close == 1 {
                        put(out, ORDER, b'n', &[&[a, b]]);
                    }
                }
            }
        }
        let [(_, second), (last, third), ..] = &tagged[i + 1..] else { continue };
        if last - at > 2 * NEAR || sentences[i + 2] != sentences[i] {
            continue;
        }
        for &a in first {
            for &b in second {
                for &c in third {
                    put(out, THREE, b'q', &[&[a, b, c]]);
                }
            }
        }
    }
    all.sort_unstable();
    for (i, &a) in all.iter().enumerate() {
        for &b in &all[i + 1..] {
            put(out, TOGETHER, b's', &[&[a, b]]);
        }
    }
}

/// Adds the feature of a kind that has these parts: FNV-1a of all of it, folded.
fn put(out: &mut Vec<(u32, f32)>, value: f32, kind: u8, parts: &[&[u8]]) {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    add(kind);
    for part in parts {
        part.iter().for_each(|byte| add(*byte));
        add(0xff);
    }
    let folded = (hash ^ (hash >> 17) ^ (hash >> 34) ^ (hash >> 51)) as usize % SPACE;
    out.push((folded as u32, value));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_once_and_within_the_space() {
        let words: Vec<Word> = ["one", "two", "one", "two"]
            .map(|form| Word { form: form.into(), stem: form.into(), ..Word::default() })
            .to_vec();
        let found = features(&words);
        assert!(found.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(found.iter().all(|(at, _)| (*at as usize) < SPACE));
        assert!(features(&[]).is_empty());
    }
}
