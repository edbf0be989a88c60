//! The files of a tuned model: its weights, and the checkpoint from which training goes on.

use super::super::{Unreadable, network, network::Network, network::WIDTH};
use super::bag::{Bag, ROWS};

const MAGIC: &[u8; 8] = b"BTOPFT01";

/// The weights file of a tuned model: the base's format with the rows of the bag that are not zero behind it.
pub(super) fn write(ids: &[u32], network: &Network, bag: &Bag) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
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
pub(in super::super) fn read(bytes: &[u8]) -> Result<(Vec<u32>, Network, Bag), Unreadable> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(Unreadable("it does not begin as a tuned model's"))?;
    let (length, rest) = rest.split_first_chunk::<4>().ok_or(Unreadable("it is cut short"))?;
    let (base, rows) =
        rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or(Unreadable("it is cut short"))?;
    let (ids, network) = network::read(base)?;
    let mut bag = Bag::default();
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
    Ok((ids, network, bag))
}
