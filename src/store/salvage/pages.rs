//! The pages of a store and its log, read without SQLite: a page that cannot be read loses only that page.
//!
//! Format: <https://www.sqlite.org/fileformat2.html>.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::super::paths::with_suffix;
use super::log::Log;

/// Bytes of a page where nothing says otherwise. Every store is created with pages of this size.
const PAGE: usize = 4096;
/// Bytes of the file's header, with which page 1 begins.
pub(crate) const HEADER: usize = 100;

/// The pages of a store with its log applied.
pub(super) struct Pages {
    file: Option<File>,
    log: Option<(File, Log)>,
    size: usize,
    count: u32,
}

impl Pages {
    /// Opens the store at `path` and its log; either may be missing. Fails if one exists but cannot be read.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = there(path)?;
        let mut size = file.as_ref().and_then(declared).unwrap_or(PAGE);
        let log = match there(&with_suffix(path, "-wal"))? {
            Some(file) => Some((Log::read(&file, size)?, file)),
            None => None,
        };
        let log = log.and_then(|(log, file)| (log.pages > 0).then_some((file, log)));
        let length = file.as_ref().map_or(Ok(0), |file| file.metadata().map(|about| about.len()))?;
        let count = match &log {
            Some((_, log)) => {
                size = log.size;
                log.pages
            }
            None => u32::try_from(length.div_ceil(size as u64)).unwrap_or(u32::MAX),
        };
        Ok(Self { file, log, size, count })
    }

    /// Returns the bytes of a page.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Returns how many pages there are; the first has the number 1.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Returns whether SQLite would drop some of the log.
    pub(super) fn torn(&self) -> bool {
        self.log.as_ref().is_some_and(|(_, log)| log.torn)
    }

    /// Reads a page, filled up with zeros if the file ends in it; `None`: it cannot be read.
    pub(super) fn read(&self, number: u32) -> Option<Vec<u8>> {
        if number == 0 || number > self.count {
            return None;
        }
        let (mut file, at) = match &self.log {
            Some((file, log)) if log.frames.contains_key(&number) => (file, log.frames[&number]),
            _ => (self.file.as_ref()?, u64::from(number - 1) * self.size as u64),
        };
        let mut page = Vec::with_capacity(self.size);
        file.seek(SeekFrom::Start(at)).ok()?;
        file.take(self.size as u64).read_to_end(&mut page).ok()?;
        page.resize(self.size, 0);
        Some(page)
    }

    /// Returns the pages on the free list; `None`: the list is damaged.
    pub(super) fn free(&self) -> Option<Vec<u32>> {
        let header = self.read(1)?;
        let (mut trunk, count) = (number(&header, 32), number(&header, 36));
        let mut free = Vec::new();
        while trunk != 0 {
            let page = self.read(trunk)?;
            let leaves = number(&page, 4) as usize;
            if leaves > self.size / 4 - 2 || free.len() >= self.count as usize {
                return None;
            }
            free.push(trunk);
            free.extend((0..leaves).map(|n| number(&page, 8 + 4 * n)));
            trunk = number(&page, 0);
        }
        (free.len() == count as usize && free.iter().all(|page| (2..=self.count).contains(page))).then_some(free)
    }
}

/// Opens a file for reading; `None`: there is none.
fn there(path: &Path) -> io::Result<Option<File>> {
    match fs::metadata(path) {
        Ok(about) if about.is_file() => File::open(path).map(Some),
        Ok(_) => Err(io::Error::other("it is not a file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the big-endian number at a place of a page.
pub(super) fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Returns a page's size, if it is a valid one.
pub(super) fn page_size(bytes: u32) -> Option<usize> {
    (bytes.is_power_of_two() && (512..=1 << 16).contains(&bytes)).then_some(bytes as usize)
}

/// Returns the page size in a file's header.
fn declared(mut file: &File) -> Option<usize> {
    let mut header = [0; HEADER];
    file.seek(SeekFrom::Start(0)).and_then(|_| file.read_exact(&mut header)).ok()?;
    size_in(&header)
}

fn size_in(header: &[u8; HEADER]) -> Option<usize> {
    match u16::from_be_bytes([header[16], header[17]]) {
        1 => Some(1 << 16),
        bytes => page_size(bytes.into()),
    }
}

/// Returns whether a file's header is as SQLite writes it for a store. `length`: bytes of the file, if no log has more
/// of it.
pub(crate) fn is_sound(header: &[u8; HEADER], length: Option<u64>) -> bool {
    let Some(size) = size_in(header) else { return false };
    // Both versions of the format (journal or log); bytes reserved per page; payload fractions.
    let fixed = header.starts_with(b"SQLite format 3\0")
        && header[18] == header[19]
        && matches!(header[19], 1 | 2)
        && header[20..24] == [0, 64, 32, 32];
    // Schema format, largest root page (of files that shrink by themselves), text encoding, incremental vacuum, first
    // free page and their count, reserved.
    let numbers = number(header, 44) == 4
        && number(header, 52) == 0
        && number(header, 56) == 1
        && number(header, 64) == 0
        && (number(header, 32) == 0) == (number(header, 36) == 0)
        && header[72..92].iter().all(|byte| *byte == 0);
    // The size in the header counts if it was written with the last change.
    let dated = number(header, 24) == number(header, 92);
    let long = length.is_none_or(|length| !dated || u64::from(number(header, 28)) * size as u64 == length);
    fixed && numbers && long
}
