//! Keys and ids: made from the operating system's random source, compared in constant time, masked, stored in 0600
//! files.

use std::io::{self, Write as _};
use std::path::Path;

use secrecy::SecretString;

/// Bytes of randomness in a key.
const KEY_BYTES: usize = 32;
/// The characters of ids.
const ALPHABET: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Returns a new key: `sk-local-` and 64 hex digits.
pub(crate) fn new_key() -> SecretString {
    SecretString::from(format!("sk-local-{}", hex::<KEY_BYTES>()))
}

/// Returns `N` random bytes as lower-case hex.
pub(crate) fn hex<const N: usize>() -> String {
    let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or('0');
    random::<N>().iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Returns an id such as `chatcmpl-…`: the prefix and 29 letters and digits.
pub(crate) fn id(prefix: &str) -> String {
    random_id::<29>(prefix)
}

/// Returns an id of something that is stored, such as `file-…` and `ft-…`: the prefix and 24 random letters and digits.
pub(crate) fn stored_id(prefix: &str) -> String {
    random_id::<24>(prefix)
}

fn random_id<const N: usize>(prefix: &str) -> String {
    let tail = random::<N>().into_iter().map(|byte| char::from(ALPHABET[usize::from(byte) % ALPHABET.len()]));
    prefix.chars().chain(tail).collect()
}

/// Returns a random seed, for a request without one.
pub(crate) fn seed() -> u64 {
    u64::from_le_bytes(random())
}

fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system's random source does not fail once it runs");
    bytes
}

/// Returns whether two keys are equal; the time taken reveals only their lengths.
pub(crate) fn constant_time_eq(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |difference, (x, y)| difference | (x ^ y)) == 0
}

/// Returns a key as an error may show it: its kind and its last four characters, or nothing of a short one.
pub(crate) fn mask(key: &str) -> String {
    let kind = if key.starts_with("sk-") { "sk-" } else { "" };
    let tail = key.char_indices().rev().nth(3).filter(|(at, _)| *at >= 12).map_or("", |(at, _)| &key[at..]);
    format!("{kind}****{tail}")
}

/// Writes `text` to `path` so that readers see the old file or the new one, readable by its owner alone. Fails if the
/// disk refuses.
pub(crate) fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // tempfile creates with mode 0600 and O_EXCL; the rename puts it in place.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|failed| failed.error)?;
    // Otherwise a power cut could undo the renaming.
    #[cfg(unix)]
    std::fs::File::open(folder)?.sync_all()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    #[test]
    fn a_key_is_long_fresh_and_masked() {
        let (a, b) = (new_key(), new_key());
        assert_eq!(a.expose_secret().len(), "sk-local-".len() + 64);
        assert!(!constant_time_eq(a.expose_secret().as_bytes(), b.expose_secret().as_bytes()));
        assert!(
            constant_time_eq(b"abc", b"abc") && !constant_time_eq(b"abc", b"abd") && !constant_time_eq(b"abc", b"abcd")
        );
        assert_eq!(mask("sk-abcdefghijklmnop1234"), "sk-****1234");
        assert_eq!(mask("sk-12345"), "sk-****");
        assert_eq!(mask("short"), "****");
        assert_eq!(mask("ключключключключ"), "****ключ");
        assert_eq!(id("chatcmpl-").len(), "chatcmpl-".len() + 29);
    }

    #[cfg(unix)]
    #[test]
    fn a_private_file_is_its_owners_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k");
        std::fs::write(&path, "old").unwrap();
        write_private(&path, "new").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
