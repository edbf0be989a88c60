//! One process runs the local service of a data directory, the others join it, and one takes over when it ends.
//!
//! Locks on files decide it, and no timer: the system wakes the waiting threads.
//!
//! - `service.turn` is held for the moment in which one process looks and decides.
//! - `service.json` (mode 0600, replaced in one step, written with the turn held) holds the address, the key that
//!   benchtop itself uses and hashes of all keys, and names the lock of the process that serves. A key that a caller gave
//!   (`--key`, `--key-file`) is never written there: benchtop then uses a random one that is valid while it is served.
//! - `service-<id>.lock` is held by that process alone (exclusively) from before it publishes until after its last
//!   connection is closed. The others wait on it in shared mode: when the holder leaves, however it ended, **all** of
//!   them wake, because all of them need the new address. Each process that serves makes a lock of its own: a copy that
//!   comes late to its wait finds the old lock free and looks again, instead of waiting on the successor.
//!
//! A workbench or a command that leaves first refuses connections, then completes the answers that it writes, and releases
//! its lock; `benchtop serve` stops at once. The others repeat the requests that were refused until the next one answers
//! ([`Endpoint::takeover_limit`](crate::settings::Endpoint::takeover_limit)).
//!
//! If the directory cannot be written or locked, or the holder does not answer, a copy runs a service for itself alone.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use tokio::sync::{oneshot, watch};

use super::limits::{ANSWER, DECIDE, GRACE, LEAVING, LOOK_AGAIN};
use super::serve::stored_keys;
use super::{Keys, Options, Running, ServiceError, secret, start};
use crate::settings::paths::keep_data_private;

/// The present address of the local service of a data directory.
#[derive(Clone, Debug)]
pub struct Address {
    /// Includes `/v1`, no trailing slash.
    pub base_url: String,
    /// The key that callers use.
    pub key: SecretString,
    /// Whether this process runs it.
    pub mine: bool,
}

/// This process's part in the local service of a data directory. When it is dropped the process leaves: if it served,
/// the service stops and another process takes over.
#[derive(Debug)]
pub struct Local {
    addresses: watch::Receiver<Address>,
    shared: Arc<Shared>,
}

/// What is held while this process serves; shared with the election thread.
#[derive(Debug)]
struct Shared {
    runtime: Handle,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    phase: Phase,
    running: Option<Running>,
    lock: Option<File>,
}

/// Whether the result of an election is still wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// The thread decides who serves.
    #[default]
    Sharing,
    /// The thread was too slow: this process uses a service of its own until it ends.
    Alone,
    /// The `Local` was dropped.
    Left,
}

/// The contents of `service.json`.
#[derive(Serialize, Deserialize)]
struct ServiceFile {
    base_url: String,
    key: String,
    /// Hashes of all accepted keys, for the copy that takes over.
    #[serde(default)]
    hashes: String,
    /// Identifies the lock of the process that serves.
    id: String,
    /// Id of that process; 0 if an older version did not write it.
    #[serde(default)]
    process: u32,
}

impl Local {
    /// Joins the service of `data` if a process runs it, else runs it. If neither is possible (the directory cannot be
    /// written, the holder hangs), a service of this process alone is started. Fails only if 127.0.0.1 cannot be bound.
    /// Needs a running tokio runtime. Takes milliseconds, at most about ten seconds if another process hangs.
    pub async fn join_or_start(data: &Path) -> Result<Self, ServiceError> {
        let shared = Arc::new(Shared { runtime: Handle::current(), inner: Mutex::default() });
        let (first, decided) = oneshot::channel();
        let thread = {
            let (shared, data) = (Arc::clone(&shared), data.to_owned());
            std::thread::Builder::new()
                .name("service-share".into())
                .spawn(move || elect_until_serving(&shared, &data, first))
        };
        if thread.is_ok()
            && let Ok(Ok(addresses)) = tokio::time::timeout(DECIDE, decided).await
        {
            return Ok(Self { addresses, shared });
        }
        tracing::warn!(data = %data.display(), "the copies of benchtop do not decide who serves: this one serves itself");
        // From here on the thread ends without serving if it ever wins an election.
        drop(shared.end_phase(Phase::Alone));
        let address = shared.serve(Options::default(), None, Phase::Alone).await?;
        // The sender is dropped: this address never changes.
        Ok(Self { addresses: watch::channel(address).1, shared })
    }

    /// Returns the address, which changes when the process that served has ended. The receiver's sender may be gone:
    /// then it does not change any more.
    pub fn address(&self) -> watch::Receiver<Address> {
        self.addresses.clone()
    }

    /// Returns how many answers this process's service writes at this moment; 0 if another process serves.
    pub fn live(&self) -> usize {
        self.shared.inner().running.as_ref().map_or(0, |running| running.state().live())
    }

    /// Leaves and waits until the service, if it was this process's, is stopped and the lock released: until the answers
    /// that other processes receive are complete, but less than six seconds.
    pub async fn leave(self) {
        let (running, lock) = self.shared.end_phase(Phase::Left);
        if let Some(running) = running {
            running.leave().await;
        }
        drop(lock);
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        let (running, lock) = self.shared.end_phase(Phase::Left);
        if let Some(running) = running {
            // The lock is released after the last connection. A runtime that is shutting down drops both at once, in
            // order.
            self.shared.runtime.spawn(async move {
                running.stop().await;
                drop(lock);
            });
        }
    }
}

impl Shared {
    fn inner(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a service and stores it with `lock`. Fails if the phase has changed meanwhile.
    async fn serve(&self, options: Options, lock: Option<File>, phase: Phase) -> Result<Address, ServiceError> {
        let running = start(options).await?;
        let key = SecretString::from(running.key().to_owned());
        let address = Address { base_url: running.base_url(), key, mine: true };
        let mut inner = self.inner();
        if inner.phase != phase {
            // `running` is dropped here, which stops it.
            return Err(ServiceError::Start(io::Error::other("this process is ending, or runs a service of its own")));
        }
        (inner.running, inner.lock) = (Some(running), lock);
        Ok(address)
    }

    /// Ends a phase and returns what was held in it.
    fn end_phase(&self, phase: Phase) -> (Option<Running>, Option<File>) {
        let mut inner = self.inner();
        inner.phase = phase;
        (inner.running.take(), inner.lock.take())
    }
}

/// Runs the thread: holds elections until this process serves, blocked in between.
fn elect_until_serving(shared: &Arc<Shared>, data: &Path, first: oneshot::Sender<watch::Receiver<Address>>) {
    let mut first = Some(first);
    let mut sender: Option<watch::Sender<Address>> = None;
    loop {
        let election = elect(shared, data, sender.is_some()).or_else(|why| {
            tracing::info!(%why, data = %data.display(), "the local service cannot be shared: this copy runs its own");
            // Nothing is stored: the directory may be another process's.
            let address = shared.runtime.block_on(shared.serve(Options::default(), None, Phase::Sharing));
            address.map(|address| Election { address, wait: None })
        });
        let election = match election {
            _ if shared.inner().phase != Phase::Sharing => return,
            Ok(election) => election,
            Err(why) => return tracing::error!(%why, "the local service could not be started"),
        };
        if let Some(first) = first.take() {
            let (made, receiver) = watch::channel(election.address);
            sender = Some(made);
            if first.send(receiver).is_err() {
                return;
            }
        } else if let Some(sender) = &sender {
            sender.send_replace(election.address);
        }
        // Blocks until the process that serves has ended.
        match election.wait {
            Some(lock) if lock.lock_shared().is_ok() => {}
            _ => return,
        }
    }
}

/// Result of one election.
struct Election {
    address: Address,
    /// The lock of the process that serves, to wait on; absent if this process serves.
    wait: Option<File>,
}

/// Checks, with `service.turn` held, whether a process serves; if none does, this one does from now on. A process that
/// had `joined` the one that ended, or waited for its end, replaces it with the same keys. The address is the same, if it
/// is free.
fn elect(shared: &Arc<Shared>, data: &Path, joined: bool) -> io::Result<Election> {
    let mut replaces = joined;
    keep_data_private(data)?;
    let election = lock_file(&data.join("service.turn"))?;
    election.lock()?;
    if shared.inner().phase != Phase::Sharing {
        return Err(io::Error::other("the wait for a turn took too long"));
    }
    let before = read_service_file(data);
    if let Some(published) = &before
        && let Some(wait) = lock_in_use(data, &published.id)?
    {
        let key = SecretString::from(published.key.clone());
        let address = Address { base_url: published.base_url.clone(), key, mine: false };
        match check_responds(&address) {
            Err(why) if why.kind() == io::ErrorKind::ConnectionRefused => {
                wait_for_end(&wait, || shared.inner().phase == Phase::Sharing)?;
            }
            responds => return responds.map(|()| Election { address, wait: Some(wait) }),
        }
        replaces = true;
    }
    let (id, lock) = new_lock(data)?;
    let left = before.as_ref().filter(|_| replaces);
    let keys = match left.and_then(|left| Keys::from_hashes(left.key.clone().into(), &left.hashes)) {
        Some(keys) => keys,
        None => stored_keys(data).map_err(io::Error::other)?.0,
    };
    // Copies that had joined send there what found nobody, whichever copy is the first to see that the other one ended.
    let port = before.as_ref().and_then(|before| socket(&before.base_url)).map_or(0, |socket| socket.port());
    let options = |port| Options { port, keys: Some(keys.clone()), data: Some(data.to_owned()), log: None };
    let serve = |port, lock| shared.runtime.block_on(shared.serve(options(port), Some(lock), Phase::Sharing));
    let address = match serve(port, lock.try_clone()?) {
        Err(ServiceError::PortInUse(_)) => serve(0, lock),
        served => served,
    };
    let address = address.map_err(io::Error::other)?;
    write_service_file(data, &address, &keys, id, before)?;
    Ok(Election { address, wait: None })
}

/// Returns the lock `id`, if a process holds it. Fails if it cannot be opened.
fn lock_in_use(data: &Path, id: &str) -> io::Result<Option<File>> {
    let path = lock_path(data, id);
    if !path.exists() {
        return Ok(None);
    }
    let lock = lock_file(&path)?;
    Ok(if is_acquired(lock.try_lock_shared())? { None } else { Some(lock) })
}

/// Waits for the end of a process that leaves: it holds its lock, accepts no connection any more, and completes answers.
/// Fails if it takes longer than it may, or as soon as its end is not `wanted` any more.
fn wait_for_end(lock: &File, wanted: impl Fn() -> bool) -> io::Result<()> {
    let until = Instant::now() + LEAVING + 2 * GRACE;
    while !is_acquired(lock.try_lock_shared())? {
        if Instant::now() > until || !wanted() {
            return Err(io::Error::other("the process that serves neither answers nor ends"));
        }
        std::thread::sleep(LOOK_AGAIN);
    }
    Ok(())
}

/// Creates and takes a lock of this process's own. Fails if the disk refuses.
fn new_lock(data: &Path) -> io::Result<(String, File)> {
    let id = secret::hex::<8>();
    let lock = lock_file(&lock_path(data, &id))?;
    lock.lock()?;
    Ok((id, lock))
}

fn lock_path(data: &Path, id: &str) -> PathBuf {
    data.join(format!("service-{id}.lock"))
}

fn lock_file(path: &Path) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn is_acquired(result: Result<(), TryLockError>) -> io::Result<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(why)) => Err(why),
    }
}

/// Writes `service.json` and removes the lock of the process that served before. Call it with `service.turn` held.
fn write_service_file(
    data: &Path,
    address: &Address,
    keys: &Keys,
    id: String,
    before: Option<ServiceFile>,
) -> io::Result<()> {
    let (base_url, key) = (address.base_url.clone(), address.key.expose_secret().to_owned());
    let published = ServiceFile { base_url, key, hashes: keys.hashes(), id, process: std::process::id() };
    let text = serde_json::to_string(&published)?;
    secret::write_private(&data.join("service.json"), &text)?;
    if let Some(before) = before {
        let _ = fs::remove_file(lock_path(data, &before.id));
    }
    Ok(())
}

/// Reads what the process that served last published; `None` if it is missing or malformed.
fn read_service_file(data: &Path) -> Option<ServiceFile> {
    let published: ServiceFile = serde_json::from_slice(&fs::read(data.join("service.json")).ok()?).ok()?;
    // The id becomes part of a path.
    published.id.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(published)
}

/// Returns the socket of a base URL on this machine; `None` if it is another.
fn socket(base_url: &str) -> Option<SocketAddr> {
    let socket: SocketAddr = base_url.strip_prefix("http://")?.strip_suffix("/v1")?.parse().ok()?;
    (socket.ip() == Ipv4Addr::LOCALHOST).then_some(socket)
}

/// Returns whether nothing listens at the address of the process that serves: it leaves.
fn refuses_connections(base_url: &str) -> bool {
    let tried = socket(base_url).map(|socket| TcpStream::connect_timeout(&socket, ANSWER));
    tried.is_some_and(|tried| tried.is_err_and(|why| why.kind() == io::ErrorKind::ConnectionRefused))
}

/// Requests the models over a plain socket: this layer has no HTTP client, and needs only the status.
fn check_responds(address: &Address) -> io::Result<()> {
    let socket = socket(&address.base_url)
        .ok_or_else(|| io::Error::other("the published address is not one of this machine's"))?;
    let mut stream = TcpStream::connect_timeout(&socket, ANSWER)?;
    stream.set_read_timeout(Some(ANSWER))?;
    stream.set_write_timeout(Some(ANSWER))?;
    let request = format!(
        "GET /v1/models HTTP/1.1\r\nHost: {socket}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\r\n",
        address.key.expose_secret()
    );
    stream.write_all(request.as_bytes())?;
    let mut status = [0; 12];
    stream.read_exact(&mut status)?;
    if &status == b"HTTP/1.1 200" {
        return Ok(());
    }
    Err(io::Error::other("the process at the local service's address does not answer correctly"))
}

/// The sole right to a data directory, before the service that will use it runs.
pub(super) struct Claim {
    /// Held until the address is published, so that no other process decides in between.
    _election: File,
    lock: File,
    id: String,
    before: Option<ServiceFile>,
}

/// Why a process may not serve a data directory.
#[derive(Debug, thiserror::Error)]
pub(super) enum ClaimError {
    #[error(
        "{} serves this data directory already, at {base_url}: use that address with its key (in the data directory's \
         serve.key, unless it was started with another), or choose another data directory with --data-dir",
        holder_name(*.process)
    )]
    Taken { process: u32, base_url: String },
    #[error("another copy of benchtop is about to serve this data directory; try again in a moment")]
    Deciding,
    #[error(transparent)]
    Unusable(#[from] io::Error),
}

fn holder_name(process: u32) -> String {
    if process == 0 { "another benchtop".into() } else { format!("another benchtop (process {process})") }
}

/// Claims `data` for this process (`benchtop serve`). Fails if another process serves it, or the directory cannot be
/// written.
pub(super) async fn claim(data: &Path) -> Result<Claim, ClaimError> {
    keep_data_private(data)?;
    let election = lock_file(&data.join("service.turn"))?;
    // Processes that decide hold the lock for milliseconds, or until one that leaves has ended.
    let until = Instant::now() + DECIDE;
    while Instant::now() < until {
        if is_acquired(election.try_lock())? {
            let before = read_service_file(data);
            let holder = match &before {
                Some(before) if lock_in_use(data, &before.id)?.is_some() => Some(before),
                _ => None,
            };
            match holder {
                None => {
                    let (id, lock) = new_lock(data)?;
                    return Ok(Claim { _election: election, lock, id, before });
                }
                Some(holder) if !refuses_connections(&holder.base_url) => {
                    return Err(ClaimError::Taken { process: holder.process, base_url: holder.base_url.clone() });
                }
                Some(_) => election.unlock()?,
            }
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
    Err(ClaimError::Deciding)
}

impl Claim {
    /// Publishes the address of `running` to other processes. It is shared for as long as the returned lock is held.
    /// Fails if the disk refuses.
    pub(super) fn publish(self, data: &Path, running: &Running) -> io::Result<File> {
        let key = SecretString::from(running.key().to_owned());
        let address = Address { base_url: running.base_url(), key, mine: true };
        write_service_file(data, &address, running.state().keys(), self.id, self.before)?;
        Ok(self.lock)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_published_address_elsewhere_is_not_asked() {
        for base_url in ["http://192.0.2.1:80/v1", "https://127.0.0.1:1/v1", "http://localhost:1/v1", "x"] {
            let address = Address { base_url: base_url.into(), key: "k".to_owned().into(), mine: false };
            assert!(
                check_responds(&address).unwrap_err().to_string().contains("not one of this machine's"),
                "{base_url}"
            );
        }
    }
}
