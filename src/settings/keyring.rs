//! Keys in the system's keyring, if the program was built with the feature `keyring`. A keyring may wait for its user
//! or not answer at all: each request runs on a thread of its own with a time limit.

use secrecy::SecretString;

use super::profile::origin;

/// Whether the program was built with the keyring.
pub const AVAILABLE: bool = cfg!(feature = "keyring");

/// Where a profile's key is in the keyring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyringEntry {
    /// The profile, which messages name.
    pub profile: String,
    /// The service of the entry; its user is the origin of the profile's server.
    pub service: String,
}

impl KeyringEntry {
    /// Returns the service that a profile's key is stored under unless another is named.
    pub fn default_service(profile: &str) -> String {
        format!("benchtop-{profile}")
    }

    /// Reads the key for a server. Blocks for [`limits::KEYRING`](super::limits::KEYRING) at most.
    ///
    /// # Errors
    /// There is no such key, no keyring, or it does not answer: a sentence that names the profile.
    pub(super) fn read(&self, base_url: &str) -> Result<String, String> {
        system::read(self, user(base_url))
    }

    /// Stores a key for a server. Blocks for [`limits::KEYRING`](super::limits::KEYRING) at most.
    ///
    /// # Errors
    /// There is no keyring, or it does not answer: a sentence that names the profile.
    pub(super) fn store(&self, base_url: &str, key: &SecretString) -> Result<(), String> {
        system::store(self, user(base_url), key)
    }
}

/// Returns the user of an entry: scheme, host and port of a server. So each key belongs to one server, and a key stored
/// for https is never sent unencrypted.
fn user(base_url: &str) -> String {
    origin(base_url).to_owned()
}

#[cfg(not(feature = "keyring"))]
mod system {
    use secrecy::SecretString;

    use super::KeyringEntry;

    /// Says that the program was built without the keyring.
    fn absent(entry: &KeyringEntry) -> String {
        format!(
            "the key of {} is in the system's keyring, which this benchtop was built without; build it with --features \
             keyring, or choose another source with e in Ctrl+P → Profile: choose",
            entry.profile
        )
    }

    pub(super) fn read(entry: &KeyringEntry, _user: String) -> Result<String, String> {
        Err(absent(entry))
    }

    pub(super) fn store(entry: &KeyringEntry, _user: String, _key: &SecretString) -> Result<(), String> {
        Err(absent(entry))
    }
}

#[cfg(feature = "keyring")]
mod system {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use keyring::{Entry, Error};
    use secrecy::{ExposeSecret as _, SecretString};

    use super::KeyringEntry;
    use crate::settings::limits;

    /// Requests that were not answered yet.
    static WAITING: AtomicUsize = AtomicUsize::new(0);

    /// Counts a request until it ends, also by a panic.
    struct Counted;

    impl Counted {
        fn begin() -> Self {
            WAITING.fetch_add(1, Ordering::Relaxed);
            Self
        }
    }

    impl Drop for Counted {
        fn drop(&mut self) {
            WAITING.fetch_sub(1, Ordering::Relaxed);
        }
    }

    const OTHER: &str = "or choose another source with e in Ctrl+P → Profile: choose";

    pub(super) fn read(entry: &KeyringEntry, user: String) -> Result<String, String> {
        let (service, of) = (entry.service.clone(), user.clone());
        on_thread(entry, move || Entry::new(&service, &of)?.get_password())?.map_err(|why| match why {
            Error::NoEntry => format!(
                "the system's keyring has no key for {} (service {}, user {user}); paste one with Ctrl+P → Profile: new \
                 key",
                entry.profile, entry.service
            ),
            why => failed(entry, &why),
        })
    }

    pub(super) fn store(entry: &KeyringEntry, user: String, key: &SecretString) -> Result<(), String> {
        let (service, key) = (entry.service.clone(), key.clone());
        on_thread(entry, move || Entry::new(&service, &user)?.set_password(key.expose_secret()))?
            .map_err(|why| failed(entry, &why))
    }

    /// Makes a request on a thread of its own, within its limit.
    fn on_thread<T: Send + 'static>(
        entry: &KeyringEntry,
        request: impl FnOnce() -> keyring::Result<T> + Send + 'static,
    ) -> Result<keyring::Result<T>, String> {
        let silent = || {
            format!(
                "the system's keyring did not answer within {} s for {}; unlock it and try again, {OTHER}",
                limits::KEYRING.as_secs(),
                entry.profile
            )
        };
        if WAITING.load(Ordering::Relaxed) >= limits::KEYRING_WAITING {
            return Err(silent());
        }
        let (sender, answer) = mpsc::channel();
        let counted = Counted::begin();
        let thread = std::thread::Builder::new().name("keyring".to_owned()).spawn(move || {
            let _counted = counted;
            let _ = sender.send(request());
        });
        if let Err(why) = thread {
            return Err(format!("the system's keyring could not be asked for {}: {why}", entry.profile));
        }
        answer.recv_timeout(limits::KEYRING).map_err(|_| silent())
    }

    /// Says why a request failed. Some errors contain what was stored: they are not repeated.
    fn failed(entry: &KeyringEntry, why: &Error) -> String {
        let status = Entry::store_status().as_ref().err();
        let said = match status.unwrap_or(why) {
            Error::PlatformFailure(why) | Error::NoStorageAccess(why) => why.to_string(),
            Error::NoDefaultStore => "it has no service".to_owned(),
            Error::Ambiguous(_) => "several entries fit".to_owned(),
            _ => "what it holds is not a key".to_owned(),
        };
        let said: String = said.chars().take(limits::ERROR_WORDS).collect();
        format!(
            "the system's keyring cannot be used for {}: {said}; start or unlock its service, restart benchtop, {OTHER}",
            entry.profile
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_stored_for_one_origin() {
        for (url, origin) in [
            ("https://api.example/v1?code=1", "https://api.example"),
            ("http://api.example/v1", "http://api.example"),
            ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080"),
            ("https://[2001:db8::1]:8443/v1", "https://[2001:db8::1]:8443"),
        ] {
            assert_eq!(user(url), origin);
        }
    }

    #[cfg(not(feature = "keyring"))]
    #[test]
    fn a_program_without_the_keyring_says_so_and_names_the_profile() {
        let entry = KeyringEntry { profile: "work".to_owned(), service: "benchtop-work".to_owned() };
        for why in [
            entry.read("https://a.example/v1").unwrap_err(),
            entry.store("https://a.example/v1", &"sk-secret".into()).unwrap_err(),
        ] {
            assert!(why.contains("key of work") && why.contains("--features keyring"), "{why}");
            assert!(!why.contains("sk-secret"));
        }
    }
}
