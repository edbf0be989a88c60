//! Keys in the system's keyring, if the program was built with the feature `keyring`. A keyring may wait for its user
//! or not answer at all: each request runs on a thread of its own with a time limit.

use secrecy::SecretString;

use super::profile::origin;

/// Whether the program was built with the keyring.
pub const AVAILABLE: bool = cfg!(feature = "keyring");

/// What can be done instead of using the keyring.
const OTHER_SOURCE: &str = "or choose another source with e in Ctrl+P → Profile: choose";

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

#[cfg(any(test, feature = "keyring"))]
use asking::ask;

/// Asks a keyring, which need not answer.
#[cfg(any(test, feature = "keyring"))]
mod asking {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::{self, RecvTimeoutError};
    use std::time::Duration;

    use crate::settings::keyring::{KeyringEntry, OTHER_SOURCE};
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

    /// Makes a request on a thread of its own, within a limit. The error is a sentence that names the profile.
    pub(super) fn ask<T: Send + 'static>(
        entry: &KeyringEntry,
        limit: Duration,
        request: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, String> {
        let silent = || {
            format!(
                "the system's keyring did not answer within {} s for {}; unlock it and try again, {OTHER_SOURCE}",
                limit.as_secs_f64(),
                entry.profile
            )
        };
        if WAITING.load(Ordering::Relaxed) >= limits::KEYRING_WAITING {
            return Err(silent());
        }
        let failed = |why: &str| format!("the system's keyring could not be asked for {}: {why}", entry.profile);
        let (sender, answer) = mpsc::channel();
        let counted = Counted::begin();
        let thread = std::thread::Builder::new().name("keyring".to_owned()).spawn(move || {
            let _counted = counted;
            let _ = sender.send(request());
        });
        if let Err(why) = thread {
            return Err(failed(&why.to_string()));
        }
        answer.recv_timeout(limit).map_err(|why| match why {
            RecvTimeoutError::Timeout => silent(),
            RecvTimeoutError::Disconnected => failed("its access failed; see the log"),
        })
    }
}

#[cfg(not(feature = "keyring"))]
mod system {
    use secrecy::SecretString;

    use crate::settings::keyring::{KeyringEntry, OTHER_SOURCE};

    /// Says that the program was built without the keyring.
    fn absent(entry: &KeyringEntry) -> String {
        format!(
            "the key of {} is in the system's keyring, which this benchtop was built without; build it with --features \
             keyring, {OTHER_SOURCE}",
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
    use keyring::{Entry, Error};
    use secrecy::{ExposeSecret as _, SecretString};

    use crate::api::advice::Advice;
    use crate::settings::keyring::{KeyringEntry, OTHER_SOURCE, ask};
    use crate::settings::limits;

    pub(super) fn read(entry: &KeyringEntry, user: String) -> Result<String, String> {
        let (service, of) = (entry.service.clone(), user.clone());
        ask(entry, limits::KEYRING, move || Entry::new(&service, &of)?.get_password())?.map_err(|why| match why {
            Error::NoEntry => format!(
                "the system's keyring has no key for {} (service {}, user {user}); {}",
                entry.profile,
                entry.service,
                Advice::PasteKey.words()
            ),
            why => failed(entry, &why),
        })
    }

    pub(super) fn store(entry: &KeyringEntry, user: String, key: &SecretString) -> Result<(), String> {
        let (service, key) = (entry.service.clone(), key.clone());
        ask(entry, limits::KEYRING, move || Entry::new(&service, &user)?.set_password(key.expose_secret()))?
            .map_err(|why| failed(entry, &why))
    }

    /// Says why a request failed. Some errors contain what was stored: they are not repeated.
    fn failed(entry: &KeyringEntry, why: &Error) -> String {
        let status = Entry::store_status().as_ref().err();
        let said = match status.unwrap_or(why) {
            Error::PlatformFailure(why) | Error::NoStorageAccess(why) => why.to_string(),
            Error::NoDefaultStore => "it has no service".to_owned(),
            Error::Ambiguous(_) => "several entries fit".to_owned(),
            _ => "its entry is not a key".to_owned(),
        };
        let said: String = said.chars().take(limits::ERROR_WORDS).collect();
        format!(
            "the system's keyring cannot be used for {}: {said}; start or unlock its service, restart benchtop, \
             {OTHER_SOURCE}",
            entry.profile
        )
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError, mpsc};
    use std::time::{Duration, Instant};

    use super::*;
    use crate::settings::limits;

    /// Held by tests that ask: the number of requests under way is that of the whole program.
    static ASKING: Mutex<()> = Mutex::new(());

    fn entry() -> KeyringEntry {
        KeyringEntry { profile: "work".to_owned(), service: "benchtop-work".to_owned() }
    }

    #[test]
    fn a_keyring_that_never_answers_is_waited_for_so_long_and_no_thread_is_lost_to_each_attempt() {
        let _alone = ASKING.lock().unwrap_or_else(PoisonError::into_inner);
        let limit = Duration::from_millis(250);
        let mut prompts = Vec::new();
        for _ in 0..limits::KEYRING_WAITING {
            let (release, prompt) = mpsc::channel::<()>();
            let begun = Instant::now();
            let why = ask(&entry(), limit, move || prompt.recv().is_ok()).expect_err("nobody answers the prompt");
            assert!(begun.elapsed() >= limit);
            assert!(why.contains("did not answer within 0.25 s for work; unlock it and try again"), "{why}");
            assert!(why.contains("choose another source"), "{why}");
            prompts.push(release);
        }
        // Each of them still has its thread: no further one is begun, and nobody waits.
        let why = ask(&entry(), Duration::MAX, || panic!("it is asked")).expect_err("all places are taken");
        assert!(why.contains("did not answer"), "{why}");
        // One that is answered in the end makes room.
        drop(prompts);
        let begun = Instant::now();
        while ask(&entry(), Duration::from_mins(1), || "key") != Ok("key") {
            assert!(begun.elapsed() < Duration::from_mins(1), "no place becomes free");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn an_access_that_fails_inside_is_said_at_once() {
        let _alone = ASKING.lock().unwrap_or_else(PoisonError::into_inner);
        let why = ask(&entry(), Duration::from_mins(10), || -> () { panic!("a test asked for this") });
        assert!(why.expect_err("it failed").contains("could not be asked for work"));
    }

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
        for why in [
            entry().read("https://a.example/v1").unwrap_err(),
            entry().store("https://a.example/v1", &"sk-secret".into()).unwrap_err(),
        ] {
            assert!(why.contains("key of work") && why.contains("--features keyring"), "{why}");
            assert!(!why.contains("sk-secret"));
        }
    }
}
