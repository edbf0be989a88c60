//! The files of a tuned model: its weights, and the checkpoint from which training goes on.

use super::super::{
    Unreadable, network,
    network::Network,
    network::{WIDTH, WINDOW},
};
use super::adam::Adam;
use super::bag::{Bag, ROWS};
use super::chat::Form;
use super::run::State;

const MAGIC: &[u8; 8] = b"BTOPFT01";
const CHECKPOINT: &[u8; 8] = b"BTOPCK01";

/// The weights file of a tuned model: the base's format with the rows of the bag that are not zero behind it.
pub(super) fn write(ids: &[u32], network: &Network, bag: &Bag, form: &Form) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
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
    let base = network::write(ids, network);
    bytes.extend((base.len() as u32).to_le_bytes());
    bytes.extend(base);
    for (i, row) in bag.rows.rows().into_iter().enumerate().filter(|(_, row)| row.iter().any(|x| *x != 0.0)) {
        bytes.extend((i as u16).to_le_bytes());
        bytes.extend(row.iter().flat_map(|x| x.to_le_bytes()));
    }
    bytes
}

/// What [`write`] wrote.
pub(in super::super) fn read(bytes: &[u8]) -> Result<(Vec<u32>, Network, Bag, Form), Unreadable> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(Unreadable("it does not begin as a tuned model's"))?;
    let (window, mut rest) = rest.split_first().ok_or(SHORT)?;
    let form = match take(&mut rest)? {
        [0] => Form::Talk,
        _ => Form::Framed { before: text(&mut rest)?, after: text(&mut rest)? },
    };
    let (length, rest) = rest.split_first_chunk::<4>().ok_or(SHORT)?;
    let (base, rows) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or(SHORT)?;
    let (ids, network) = network::read(base)?;
    let mut bag = Bag::default();
    bag.window = usize::from(*window).min(WINDOW);
    let rows = rows.chunks(2 + 4 * WIDTH);
    for row in rows {
        let (at, row) = row.split_first_chunk::<2>().ok_or(Unreadable("it has the wrong length"))?;
        let at = usize::from(u16::from_le_bytes(*at));
        if at >= ROWS || row.len() != 4 * WIDTH {
            return Err(Unreadable("it has the wrong length"));
        }
        for (to, b) in bag.rows.row_mut(at).iter_mut().zip(row.chunks_exact(4)) {
            *to = f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        }
    }
    Ok((ids, network, bag, form))
}

/// All of a training between two epochs.
pub(super) fn write_checkpoint(state: &State) -> Vec<u8> {
    let State { ids, network, bag, form, adam, epoch, step, tokens, examples } = state;
    let mut bytes = CHECKPOINT.to_vec();
    for number in [u64::from(*epoch), *step, *tokens, *examples, u64::from(adam.steps)] {
        bytes.extend(number.to_le_bytes());
    }
    let weights = write(ids, network, bag, form);
    bytes.extend((weights.len() as u64).to_le_bytes());
    bytes.extend(weights);
    let memory = adam.mean.parts().into_iter().chain(adam.square.parts());
    bytes.extend(memory.flatten().flat_map(|x| x.to_le_bytes()));
    for (row, touched) in adam.touched.iter().enumerate().filter(|(_, touched)| **touched > 0) {
        bytes.extend((row as u16).to_le_bytes());
        bytes.extend(touched.to_le_bytes());
        let memory = adam.bag_mean.row(row).into_iter().chain(adam.bag_square.row(row));
        bytes.extend(memory.flat_map(|x| x.to_le_bytes()));
    }
    bytes
}

/// What [`write_checkpoint`] wrote.
pub(super) fn read_checkpoint(bytes: &[u8]) -> Result<State, Unreadable> {
    let mut rest = bytes.strip_prefix(CHECKPOINT).ok_or(Unreadable("it does not begin as a checkpoint"))?;
    let mut numbers = [0; 6];
    for number in &mut numbers {
        *number = u64::from_le_bytes(take(&mut rest)?);
    }
    let [epoch, step, tokens, examples, steps, length] = numbers;
    let (weights, mut rest) = rest.split_at_checked(length as usize).ok_or(SHORT)?;
    let (ids, network, bag, form) = read(weights)?;
    let mut adam = Adam::new(ids.len());
    adam.steps = steps as u32;
    for part in adam.mean.parts_mut().into_iter().chain(adam.square.parts_mut()) {
        for x in part {
            *x = f32::from_le_bytes(take(&mut rest)?);
        }
    }
    while !rest.is_empty() {
        let row = usize::from(u16::from_le_bytes(take(&mut rest)?));
        let touched = u32::from_le_bytes(take(&mut rest)?);
        *adam.touched.get_mut(row).ok_or(Unreadable("it names a row that does not exist"))? = touched;
        for x in adam.bag_mean.row_mut(row).into_iter().chain(adam.bag_square.row_mut(row)) {
            *x = f32::from_le_bytes(take(&mut rest)?);
        }
    }
    Ok(State { ids, network, bag, form, adam, epoch: epoch as u32, step, tokens, examples })
}

const SHORT: Unreadable = Unreadable("it is cut short");

/// A text behind its length.
fn text(bytes: &mut &[u8]) -> Result<String, Unreadable> {
    let length = u16::from_le_bytes(take(bytes)?);
    let (text, rest) = bytes.split_at_checked(usize::from(length)).ok_or(SHORT)?;
    *bytes = rest;
    String::from_utf8(text.to_vec()).map_err(|_| Unreadable("a text in it is not UTF-8"))
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], Unreadable> {
    let (first, rest) = bytes.split_first_chunk::<N>().ok_or(SHORT)?;
    *bytes = rest;
    Ok(*first)
}
