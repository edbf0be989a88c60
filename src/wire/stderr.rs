//! Standard error while the program has the screen.

/// Standard error, redirected to the log while the screen is taken: other output must not corrupt the screen.
pub(super) struct Stderr {
    #[cfg(unix)]
    was: Option<std::os::fd::OwnedFd>,
}

impl Stderr {
    /// Remembers where it points; dropping this restores it.
    #[cfg(unix)]
    pub(super) fn keep() -> Self {
        use std::os::fd::AsFd as _;
        Self { was: std::io::stderr().as_fd().try_clone_to_owned().ok() }
    }

    #[cfg(not(unix))]
    pub(super) fn keep() -> Self {
        Self {}
    }

    /// Redirects it to the log; without one, nowhere.
    #[cfg(unix)]
    pub(super) fn into_log(log: Option<std::fs::File>) {
        if let Some(to) = log.or_else(|| std::fs::OpenOptions::new().write(true).open("/dev/null").ok()) {
            let _ = rustix::stdio::dup2_stderr(&to);
        }
    }

    #[cfg(not(unix))]
    pub(super) fn into_log(_log: Option<std::fs::File>) {}

    /// Returns where it pointed before.
    #[cfg(unix)]
    pub(super) fn file(&self) -> Option<std::fs::File> {
        self.was.as_ref().and_then(|was| was.try_clone().ok()).map(std::fs::File::from)
    }

    #[cfg(not(unix))]
    pub(super) fn file(&self) -> Option<std::fs::File> {
        None
    }
}

#[cfg(unix)]
impl Drop for Stderr {
    fn drop(&mut self) {
        if let Some(was) = &self.was {
            let _ = rustix::stdio::dup2_stderr(was);
        }
    }
}
