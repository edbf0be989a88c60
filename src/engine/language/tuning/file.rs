//! The files of a fine-tuned model: its weights, and the checkpoint from which training continues.

use super::super::network::{self, Network, WINDOW};
use super::super::shipped::InvalidWeights;
use super::adam::Adam;
use super::bag::{Bag, FEWER_ROWS, ROWS};
use super::chat::Form;
use super::known::KnownPrompts;
use super::meaning::Meanings;
use crate::engine::numbers::{append_floats, flat, flat_mut, take_floats};
use crate::engine::sentence;

const MAGIC: &[u8; 8] = b"BTOPFT02";
/// Of models without sentence vectors and with half as many feature rows.
const EARLIER: &[u8; 8] = b"BTOPFT01";
const CHECKPOINT: &[u8; 8] = b"BTOPCK02";

/// What a weights file holds.
pub(crate) struct Weights {
    pub(crate) ids: Vec<u32>,
    pub(crate) network: Network,
    pub(crate) bag: Bag,
    pub(crate) form: Form,
    pub(crate) known: Option<KnownPrompts>,
}

/// What a checkpoint holds.
pub(super) struct Checkpoint {
    pub(super) ids: Vec<u32>,
    pub(super) network: Network,
    pub(super) bag: Bag,
    pub(super) form: Form,
    pub(super) adam: Adam,
    pub(super) epoch: u32,
    pub(super) step: u64,
    pub(super) tokens: u64,
    pub(super) examples: u64,
}

/// Writes the weights file of a fine-tuned model: how it reads prompts, the prompts it knows, the base's format, and
/// the feature rows that are not zero.
pub(super) fn write(ids: &[u32], network: &Network, bag: &Bag, form: &Form, known: Option<&KnownPrompts>) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend([u8::from(bag.rows.nrows() > FEWER_ROWS), u8::from(bag.by_heart)]);
    bytes.push(bag.window as u8);
    let texts = match form {
        Form::Talk => None,
        Form::Framed { before, after } => Some([before, after]),
    };
    bytes.push(u8::from(texts.is_some()));
    for text in texts.into_iter().flatten() {
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend(text.as_bytes());
    }
    let known = known.cloned().unwrap_or_default();
    bytes.extend((known.prompts.len() as u32).to_le_bytes());
    for (prompt, answer) in known.prompts.iter().zip(&known.answers) {
        bytes.extend(answer.to_le_bytes());
        bytes.extend((prompt.len() as u32).to_le_bytes());
        bytes.extend(prompt.as_bytes());
    }
    bytes.extend(known.meanings.to_bytes());
    append_floats(&mut bytes, flat(&bag.meaning));
    let base = network::write(ids, network);
    bytes.extend((base.len() as u32).to_le_bytes());
    bytes.extend(base);
    for (i, row) in bag.rows.rows().into_iter().enumerate().filter(|(_, row)| row.iter().any(|x| *x != 0.0)) {
        bytes.extend((i as u16).to_le_bytes());
        append_floats(&mut bytes, flat(&row));
    }
    bytes
}

/// Reads what [`write`] wrote, now or in an earlier version. Fails if the file is none or cut short.
pub(crate) fn read(bytes: &[u8]) -> Result<Weights, InvalidWeights> {
    let (magic, mut rest) = bytes.split_first_chunk::<8>().ok_or(FOREIGN)?;
    let earlier = magic == EARLIER;
    let [more_rows, by_heart] = match magic {
        MAGIC => take(&mut rest)?,
        EARLIER => [0, 0],
        _ => return Err(FOREIGN),
    };
    let mut bag = Bag::new(if more_rows == 0 { FEWER_ROWS } else { ROWS });
    bag.by_heart = by_heart != 0;
    let [window] = take(&mut rest)?;
    bag.window = usize::from(window).min(WINDOW);
    let form = match take(&mut rest)? {
        [0] => Form::Talk,
        _ => Form::Framed { before: short_text(&mut rest)?, after: short_text(&mut rest)? },
    };
    let known = if earlier { None } else { known(&mut rest)? };
    if !earlier {
        take_floats(&mut rest, flat_mut(&mut bag.meaning)).ok_or(SHORT)?;
    }
    let length = u32::from_le_bytes(take(&mut rest)?);
    let (base, mut rows) = rest.split_at_checked(length as usize).ok_or(SHORT)?;
    let (ids, network) = network::read(base)?;
    while !rows.is_empty() {
        let at = usize::from(u16::from_le_bytes(take(&mut rows)?));
        if at >= bag.rows.nrows() {
            return Err(NO_ROW);
        }
        take_floats(&mut rows, flat_mut(&mut bag.rows.row_mut(at))).ok_or(SHORT)?;
    }
    Ok(Weights { ids, network, bag, form, known })
}

/// Reads the prompts that a model knows; `None` if it knows none. Fails if the file is cut short.
fn known(bytes: &mut &[u8]) -> Result<Option<KnownPrompts>, InvalidWeights> {
    let count = u32::from_le_bytes(take(bytes)?) as usize;
    let mut known = KnownPrompts::default();
    for _ in 0..count {
        known.answers.push(u32::from_le_bytes(take(bytes)?));
        let length = u32::from_le_bytes(take(bytes)?);
        known.prompts.push(text(bytes, length as usize)?);
    }
    let length = count.checked_mul(sentence::WIDTH).ok_or(SHORT)?;
    let (meanings, rest) = bytes.split_at_checked(length).ok_or(SHORT)?;
    *bytes = rest;
    known.meanings = Meanings::from_bytes(meanings, count).ok_or(SHORT)?;
    Ok((count > 0).then_some(known))
}

/// Writes the whole state of a training between two epochs.
pub(super) fn write_checkpoint(state: &Checkpoint) -> Vec<u8> {
    let Checkpoint { ids, network, bag, form, adam, epoch, step, tokens, examples } = state;
    let mut bytes = CHECKPOINT.to_vec();
    for number in [u64::from(*epoch), *step, *tokens, *examples, u64::from(adam.steps)] {
        bytes.extend(number.to_le_bytes());
    }
    let weights = write(ids, network, bag, form, None);
    bytes.extend((weights.len() as u64).to_le_bytes());
    bytes.extend(weights);
    let of_meaning = [&adam.meaning_mean, &adam.meaning_square].map(|matrix| flat(matrix));
    let memory = adam.mean.parts().into_iter().chain(adam.square.parts()).chain(of_meaning);
    memory.for_each(|part| append_floats(&mut bytes, part));
    for (row, touched) in adam.touched.iter().enumerate().filter(|(_, touched)| **touched > 0) {
        bytes.extend((row as u16).to_le_bytes());
        bytes.extend(touched.to_le_bytes());
        for matrix in [&adam.bag_mean, &adam.bag_square] {
            append_floats(&mut bytes, flat(&matrix.row(row)));
        }
    }
    bytes
}

/// Reads what [`write_checkpoint`] wrote. Fails if the file is none or cut short.
pub(super) fn read_checkpoint(bytes: &[u8]) -> Result<Checkpoint, InvalidWeights> {
    let mut rest = bytes.strip_prefix(CHECKPOINT).ok_or(InvalidWeights("it does not begin as a checkpoint"))?;
    let mut numbers = [0; 6];
    for number in &mut numbers {
        *number = u64::from_le_bytes(take(&mut rest)?);
    }
    let [epoch, step, tokens, examples, steps, length] = numbers;
    let (weights, mut rest) = rest.split_at_checked(length as usize).ok_or(SHORT)?;
    let Weights { ids, network, bag, form, .. } = read(weights)?;
    let mut adam = Adam::new(ids.len(), bag.rows.nrows());
    adam.steps = steps as u32;
    let of_meaning = [&mut adam.meaning_mean, &mut adam.meaning_square].map(|matrix| flat_mut(matrix));
    for part in adam.mean.parts_mut().into_iter().chain(adam.square.parts_mut()).chain(of_meaning) {
        take_floats(&mut rest, part).ok_or(SHORT)?;
    }
    while !rest.is_empty() {
        let row = usize::from(u16::from_le_bytes(take(&mut rest)?));
        let touched = u32::from_le_bytes(take(&mut rest)?);
        *adam.touched.get_mut(row).ok_or(NO_ROW)? = touched;
        for matrix in [&mut adam.bag_mean, &mut adam.bag_square] {
            take_floats(&mut rest, flat_mut(&mut matrix.row_mut(row))).ok_or(SHORT)?;
        }
    }
    Ok(Checkpoint { ids, network, bag, form, adam, epoch: epoch as u32, step, tokens, examples })
}

const FOREIGN: InvalidWeights = InvalidWeights("it does not begin as a tuned model's");
const SHORT: InvalidWeights = InvalidWeights("it is cut short");
const NO_ROW: InvalidWeights = InvalidWeights("it names a row that does not exist");

/// Reads a text that follows its length in two bytes. Fails if the file is cut short.
fn short_text(bytes: &mut &[u8]) -> Result<String, InvalidWeights> {
    let length = u16::from_le_bytes(take(bytes)?);
    text(bytes, usize::from(length))
}

fn text(bytes: &mut &[u8], length: usize) -> Result<String, InvalidWeights> {
    let (text, rest) = bytes.split_at_checked(length).ok_or(SHORT)?;
    *bytes = rest;
    String::from_utf8(text.to_vec()).map_err(|_| InvalidWeights("a text in it is not UTF-8"))
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], InvalidWeights> {
    let (first, rest) = bytes.split_first_chunk::<N>().ok_or(SHORT)?;
    *bytes = rest;
    Ok(*first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::language::network::WIDTH;

    #[test]
    fn a_model_of_an_earlier_version_is_read() {
        let mut network = Network::zeros(300);
        network.embedding[[3, 4]] = 1.5;
        let base = network::write(&(0..300).collect::<Vec<_>>(), &network);
        let mut file = [&EARLIER[..], &[2, 1], &[1, 0], b"Q", &[2, 0], b"A:"].concat();
        file.extend((base.len() as u32).to_le_bytes());
        file.extend(base);
        file.extend(7_u16.to_le_bytes());
        file.extend([0.5_f32; WIDTH].iter().flat_map(|x| x.to_le_bytes()));
        let weights = read(&file).expect("it is whole");
        assert_eq!(weights.form, Form::Framed { before: "Q".to_owned(), after: "A:".to_owned() });
        assert_eq!((weights.bag.window, weights.bag.by_heart, weights.bag.rows.nrows()), (2, false, FEWER_ROWS));
        assert!((weights.bag.rows[[7, 9]] - 0.5).abs() < 1e-9 && weights.known.is_none());
        // Written again it is in the present format, with the same contents.
        let again = write(&weights.ids, &weights.network, &weights.bag, &weights.form, None);
        let again = read(&again).expect("just written");
        assert_eq!((again.bag.rows, again.form), (weights.bag.rows, weights.form));
    }
}
