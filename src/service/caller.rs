//! The caller of a request: keys, the organisations they belong to, and what their role permits.

use std::fmt::Write as _;

use ring::digest;
use secrecy::{ExposeSecret as _, SecretString};

use super::secret;

/// The organisation of a key that names none: the interface's name for that of a single user.
pub(super) const PERSONAL: &str = "personal";

/// What a key's holder may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Everything, deleting fine-tuned models included.
    Owner,
    /// Everything else.
    Reader,
}

/// The holder of a key: every list is that of the organisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The organisation's label, as it stands in names of fine-tuned models: lower-case letters, digits and dashes.
    pub organisation: String,
    /// The holder's permissions.
    pub role: Role,
}

impl Caller {
    /// Returns the owner of a personal machine.
    pub fn personal() -> Self {
        Self { organisation: PERSONAL.into(), role: Role::Owner }
    }

    /// Returns the organisation's id: `org-<label>`.
    pub fn organisation_id(&self) -> String {
        format!("org-{}", self.organisation)
    }
}

/// The keys that a service accepts, and the one that benchtop itself uses. Of the others only hashes are stored.
#[derive(Clone)]
pub struct Keys {
    own: SecretString,
    admitted: Vec<(Hash, Caller)>,
}

/// SHA-256 of a key in lower-case hex.
type Hash = String;

/// A line of a key file that cannot be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("line {line}: {what}")]
pub struct KeyFileError {
    /// Counted from 1.
    pub line: usize,
    /// The problem, without the key.
    pub what: &'static str,
}

impl Keys {
    /// Accepts one key, of the owner of this machine.
    pub fn single(key: SecretString) -> Self {
        let admitted = vec![(hash(key.expose_secret().as_bytes()), Caller::personal())];
        Self { own: key, admitted }
    }

    /// Reads a key file: each line is a key, its organisation and its role (`owner` or `reader`), separated by spaces.
    /// The first line may be a key alone, of the owner of this machine. Empty lines and those that begin with `#` are
    /// skipped, except the first. Benchtop itself uses the first key. Fails at a line that is none of these.
    pub fn read(text: &str) -> Result<Self, KeyFileError> {
        let (mut own, mut admitted) = (None, Vec::new());
        for (at, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            let refuse = |what| KeyFileError { line: at + 1, what };
            let words: Vec<&str> = line.split_whitespace().collect();
            if at > 0 && (words.is_empty() || words[0].starts_with('#')) {
                continue;
            }
            let word = words.first().copied().unwrap_or_default();
            if word.is_empty() || !word.bytes().all(|byte| byte.is_ascii_graphic()) {
                return Err(refuse(
                    "a key must be one word of visible ASCII characters; this one is empty or contains others",
                ));
            }
            let caller = match words[1..] {
                [] if at == 0 => Caller::personal(),
                [organisation, role] => caller(organisation, role).map_err(refuse)?,
                _ if at == 0 => {
                    return Err(refuse("the first key must stand alone, or be followed by its organisation and role"));
                }
                _ => {
                    return Err(refuse(
                        "each further key must be followed by its organisation and role: owner or reader",
                    ));
                }
            };
            let hash = hash(word.as_bytes());
            if admitted.iter().any(|(known, _)| *known == hash) {
                return Err(refuse("this key is already in the file"));
            }
            own.get_or_insert_with(|| SecretString::from(word.to_owned()));
            admitted.push((hash, caller));
        }
        let own = own.ok_or(KeyFileError { line: 1, what: "the file contains no keys" })?;
        Ok(Self { own, admitted })
    }

    /// Returns these keys with a new random one for benchtop itself, so that none of them has to be stored.
    pub(super) fn with_new_own_key(self) -> Self {
        Self { own: secret::new_key(), ..self }
    }

    /// Returns what another process needs to accept the same callers: a line each of hash, organisation and role.
    pub(super) fn hashes(&self) -> String {
        let mut lines = String::new();
        for (hash, Caller { organisation, role }) in &self.admitted {
            let role = match role {
                Role::Owner => "owner",
                Role::Reader => "reader",
            };
            let _ = writeln!(lines, "{hash} {organisation} {role}");
        }
        lines
    }

    /// Reads what [`hashes`](Self::hashes) wrote; `own` is the key that benchtop itself uses. `None` if a line is
    /// malformed.
    pub(super) fn from_hashes(own: SecretString, hashes: &str) -> Option<Self> {
        let line = |line: &str| match line.split(' ').collect::<Vec<_>>()[..] {
            [hash, organisation, role] if hash.len() == 64 => Some((hash.to_owned(), caller(organisation, role).ok()?)),
            _ => None,
        };
        let admitted = hashes.lines().map(line).collect::<Option<Vec<_>>>()?;
        (!admitted.is_empty()).then_some(Self { own, admitted })
    }

    /// Returns the key that benchtop itself uses. Its holder is that of the first key.
    pub(super) fn own_key(&self) -> &SecretString {
        &self.own
    }

    /// Returns the number of keys that were given.
    pub(super) fn count(&self) -> usize {
        self.admitted.len()
    }

    /// Returns the holder of a key; `None` if it is not accepted. The time taken reveals nothing about the keys.
    pub(super) fn caller(&self, key: &[u8]) -> Option<&Caller> {
        let hash = hash(key);
        let same = |known: &Hash| secret::constant_time_eq(known.as_bytes(), hash.as_bytes());
        let own = secret::constant_time_eq(self.own.expose_secret().as_bytes(), key).then(|| &self.admitted[0].1);
        self.admitted.iter().fold(own, |found, (known, caller)| if same(known) { Some(caller) } else { found })
    }
}

fn hash(key: &[u8]) -> Hash {
    let digest = digest::digest(&digest::SHA256, key);
    digest.as_ref().iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn caller(organisation: &str, role: &str) -> Result<Caller, &'static str> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if organisation.len() > 40 || !organisation.bytes().all(plain) {
        return Err("an organisation must be up to 40 lower-case letters, digits and dashes");
    }
    let role = match role {
        "owner" => Role::Owner,
        "reader" => Role::Reader,
        _ => return Err("a role must be owner or reader"),
    };
    Ok(Caller { organisation: organisation.to_owned(), role })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_file_names_organisations_and_roles() {
        let keys = Keys::read("sk-first\r\n\n# others\nsk-a  acme owner\nsk-b acme reader\n").unwrap();
        assert_eq!((keys.count(), keys.own_key().expose_secret()), (3, "sk-first"));
        assert_eq!(keys.caller(b"sk-first"), Some(&Caller::personal()));
        let reader = keys.caller(b"sk-b").unwrap();
        assert_eq!((reader.role, reader.organisation_id().as_str()), (Role::Reader, "org-acme"));
        let again = Keys::from_hashes(keys.own_key().clone(), &keys.hashes()).unwrap();
        assert!(!keys.hashes().contains("sk-"), "a key is not written down");
        assert_eq!((again.count(), again.caller(b"sk-first")), (3, keys.caller(b"sk-first")));
        assert_eq!(again.caller(b"sk-b"), Some(reader));
        assert_eq!(Keys::read("sk-a acme reader").unwrap().caller(b"sk-a"), Some(reader));
        assert_eq!(keys.caller(b"sk-c"), None);
        assert_eq!(keys.caller(b""), None);
    }

    #[test]
    fn a_bad_line_is_named_without_its_key() {
        for (text, line) in [
            ("", 1),
            ("\nsk-a", 1),
            ("ключ", 1),
            ("sk-a b", 1),
            ("sk-a\nsk-b", 2),
            ("sk-a\nsk-b acme", 2),
            ("sk-a\n\nsk-b acme admin", 3),
            ("sk-a\nsk-b Acme owner", 2),
            ("sk-a\nsk-b ../x owner", 2),
            ("sk-a\nsk-a acme owner", 2),
        ] {
            let why = Keys::read(text).err().unwrap_or_else(|| panic!("{text:?} passes"));
            assert_eq!(why.line, line, "{text:?}");
            assert!(!why.to_string().contains("sk-"), "{why}");
        }
    }
}
