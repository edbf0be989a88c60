//! The character encoding of a file, and a copy of it in UTF-8.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write as _};
use std::path::Path;

use encoding_rs::{DecoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use tempfile::{NamedTempFile, TempPath};

use super::limits::STOPPED;
use crate::dataset::Moved;
use crate::dataset::texts::open::unreadable;

/// Bytes read at a time; the first block with a byte above ASCII decides.
const BLOCK: usize = 256 << 10;
/// Bytes between two checks whether to continue.
const OFTEN: u64 = 16 << 20;
/// Lines with undecodable characters that are remembered at most.
const NAMED: usize = 1_000;
/// After this many blocks with bytes that are not UTF-8, and none that are, the file counts as Windows-1252.
const SURE: usize = 8;

/// Detects the encoding of a file of `total` bytes; UTF-8 unless another is certain. A file that is ASCII throughout is
/// read to its end. Fails with a sentence if it cannot be read, or if `moved` says to stop.
pub(super) fn detect(path: &Path, total: u64, moved: Moved) -> Result<&'static Encoding, String> {
    let mut file = File::open(path).map_err(|why| unreadable(path, &why))?;
    let mut block = Vec::new();
    let (mut first, mut others) = (true, 0);
    let (mut done, mut said) = (0, 0);
    loop {
        block.clear();
        (&mut file).take(BLOCK as u64).read_to_end(&mut block).map_err(|why| unreadable(path, &why))?;
        done += block.len() as u64;
        if done >= said + OFTEN {
            said = done;
            if !moved(done.min(total), total) {
                return Err(STOPPED.to_owned());
            }
        }
        if block.is_empty() {
            return Ok(if others > 0 { WINDOWS_1252 } else { UTF_8 });
        }
        // UTF-32 is refused where the file is opened.
        if first && (block.starts_with(b"\xff\xfe\0\0") || block.starts_with(b"\0\0\xfe\xff")) {
            return Ok(UTF_8);
        }
        if first && let Some(wide) = wide(&block) {
            return Ok(wide);
        }
        match narrow(&block, block.len() < BLOCK) {
            Narrow::Utf8 => return Ok(UTF_8),
            Narrow::Ascii => {}
            Narrow::Other => others += 1,
        }
        // A single damaged row of UTF-8 may precede all other characters above ASCII.
        if others == SURE {
            return Ok(WINDOWS_1252);
        }
        first = false;
    }
}

/// Returns which UTF-16 a file that begins so is in; `None`: it is not.
fn wide(head: &[u8]) -> Option<&'static Encoding> {
    if let Some((encoding, _)) = Encoding::for_bom(head) {
        return (encoding != UTF_8).then_some(encoding);
    }
    let zeros = |from: usize| head.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd, half) = (zeros(0), zeros(1), head.len() / 2);
    // Texts in Latin script have a zero in nearly every character.
    let certain = half >= 4 && even.max(odd) * 10 > half * 7 && even.min(odd) == 0;
    certain.then_some(if odd > even { UTF_16LE } else { UTF_16BE })
}

/// What a block shows about a file that is not UTF-16.
enum Narrow {
    /// Only ASCII.
    Ascii,
    /// Certainly not Windows-1252.
    Utf8,
    /// Bytes above ASCII, none of them in a UTF-8 character.
    Other,
}

/// Classifies a block; `last`: nothing follows it.
fn narrow(block: &[u8], last: bool) -> Narrow {
    if block.is_ascii() {
        return Narrow::Ascii;
    }
    // Characters may be cut at either end of the block, but not at the end of the file.
    let from = block.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
    let mut found = Narrow::Ascii;
    let mut left = block.len() - from;
    for chunk in block[from..].utf8_chunks() {
        let invalid = chunk.invalid();
        left -= chunk.valid().len() + invalid.len();
        let none = invalid.iter().any(|byte| matches!(byte, 0x81 | 0x8D | 0x8F | 0x90 | 0x9D));
        if none || !chunk.valid().is_ascii() {
            return Narrow::Utf8;
        }
        let cut = left == 0 && !last && str::from_utf8(invalid).is_err_and(|why| why.error_len().is_none());
        if !invalid.is_empty() && !cut {
            found = Narrow::Other;
        }
    }
    found
}

/// What could not be decoded while a file was copied.
#[derive(Debug, Default)]
pub(super) struct Lost {
    /// Number of characters: each is a `\u{FFFD}` in the copy.
    pub(super) count: u64,
    /// The lines of the first ones, counted from 1.
    pub(super) lines: Vec<u64>,
}

/// Copies a file into a temporary one in UTF-8, which is deleted when dropped. Fails with a sentence if a file cannot
/// be read or written, or if `moved` says to stop.
pub(super) fn copy(path: &Path, encoding: &'static Encoding, moved: Moved) -> Result<(TempPath, Lost), String> {
    let failed = |why: io::Error| format!("cannot copy the file as UTF-8: {why}");
    let total = path.metadata().map_err(|why| unreadable(path, &why))?.len();
    let mut reader = BufReader::new(File::open(path).map_err(|why| unreadable(path, &why))?);
    let copied = NamedTempFile::with_prefix(".benchtop-").map_err(failed)?;
    let mut writer = BufWriter::with_capacity(BLOCK, copied.as_file());
    let mut decoder = encoding.new_decoder_with_bom_removal();
    let (mut bytes, mut text) = (vec![0; BLOCK], String::with_capacity(BLOCK));
    let (mut done, mut line, mut lost) = (0, 1, Lost::default());
    loop {
        let read = reader.read(&mut bytes).map_err(|why| unreadable(path, &why))?;
        let mut from = 0;
        loop {
            let (result, used) = decoder.decode_to_string_without_replacement(&bytes[from..read], &mut text, read == 0);
            from += used;
            line += memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64;
            writer.write_all(text.as_bytes()).map_err(failed)?;
            text.clear();
            match result {
                DecoderResult::InputEmpty => break,
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(..) => {
                    writer.write_all("\u{FFFD}".as_bytes()).map_err(failed)?;
                    lost.count += 1;
                    if lost.lines.len() < NAMED {
                        lost.lines.push(line);
                    }
                }
            }
        }
        done += read as u64;
        if read == 0 {
            break;
        }
        if !moved(done.min(total), total) {
            return Err(STOPPED.to_owned());
        }
    }
    writer.flush().map_err(failed)?;
    drop(writer);
    Ok((copied.into_temp_path(), lost))
}
