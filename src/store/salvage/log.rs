//! Reads the write-ahead log that SQLite keeps beside a store.
//!
//! Format: <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>. SQLite stops at the first frame whose
//! checksum is wrong. A checksum covers its own frame and the stored checksum before it, so each frame can be checked
//! alone, and the sound frames behind a damaged one are used here, too.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read};

use super::pages::{number, page_size};

/// Bytes before the first frame, and before each frame's page.
const HEADER: usize = 32;
const FRAME: usize = 24;

/// Where the newest committed content of the pages in the log is.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// Page number → offset of its content in the log file.
    pub(super) frames: HashMap<u32, u64>,
    /// Pages of the store after the last commit; 0: the log holds none.
    pub(super) pages: u32,
    /// Bytes of a page.
    pub(super) size: usize,
    /// Whether there are commits after a damaged frame: SQLite would ignore them.
    pub(super) torn: bool,
}

impl Log {
    /// Reads a log. One that ends early or is no log at all has fewer frames, or none. `size`: bytes of a page if the
    /// log's own header does not say. Fails if the file cannot be read.
    pub(super) fn read(file: &File, size: usize) -> io::Result<Self> {
        let mut reader = BufReader::with_capacity(64 << 10, file);
        let mut header = [0; HEADER];
        let mut log = Self { size, ..Self::default() };
        if !fill(&mut reader, &mut header)? {
            return Ok(log);
        }
        // The last bit of the first number says how the checksums read their words.
        let big = number(&header, 0) == 0x377f_0683;
        let mut sum = (number(&header, 24), number(&header, 28));
        let sound = checksum(big, (0, 0), &header[..24]) == sum;
        let mut salt = sound.then(|| header[16..24].to_vec());
        if sound && let Some(own) = page_size(number(&header, 8)) {
            log.size = own;
        }
        // Frames since the last commit, which count only if another follows.
        let mut open = Vec::new();
        let mut damaged = !sound;
        let mut frame = vec![0; FRAME + log.size];
        let mut at = HEADER as u64;
        while fill(&mut reader, &mut frame)? {
            let place = at + FRAME as u64;
            at += frame.len() as u64;
            // Frames with another salt are from before the log was started again.
            if frame[8..16] != **salt.get_or_insert_with(|| frame[8..16].to_vec()) {
                continue;
            }
            let expected = checksum(big, checksum(big, sum, &frame[..8]), &frame[FRAME..]);
            sum = (number(&frame, 16), number(&frame, 20));
            let page = number(&frame, 0);
            if expected != sum || page == 0 {
                damaged = true;
                continue;
            }
            open.push((page, place));
            let pages = number(&frame, 4);
            if pages > 0 {
                log.pages = pages;
                log.torn |= damaged;
                log.frames.extend(open.drain(..));
            }
        }
        Ok(log)
    }
}

/// Fills a buffer. Returns whether there were enough bytes.
fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match reader.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

fn checksum(big: bool, seed: (u32, u32), bytes: &[u8]) -> (u32, u32) {
    let word = |bytes: &[u8]| {
        let bytes = [bytes[0], bytes[1], bytes[2], bytes[3]];
        if big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    };
    bytes.chunks_exact(8).fold(seed, |(one, two), pair| {
        let one = one.wrapping_add(word(&pair[..4])).wrapping_add(two);
        (one, two.wrapping_add(word(&pair[4..])).wrapping_add(one))
    })
}
