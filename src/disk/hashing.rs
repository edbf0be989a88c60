//! SHA-256 of bytes that are being written, on a thread of its own, a few chunks behind.

use std::io;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::Builder;

use bytes::Bytes;
use ring::digest::{Context, SHA256};

/// Chunks that may wait to be hashed.
const WAITING: usize = 4;

/// A command to the hashing thread.
enum HashCommand {
    Add(Bytes),
    Restart,
    Tell(Sender<[u8; 32]>),
}

/// The channel to the thread, which ends when this is dropped.
pub(super) struct Hashing(SyncSender<HashCommand>);

impl Hashing {
    /// Starts the thread with the hash of no bytes. Fails if the system starts no thread.
    pub(super) fn start() -> io::Result<Self> {
        let (commands, waiting) = sync_channel(WAITING);
        Builder::new().name("download-hash".into()).spawn(move || run(&waiting))?;
        Ok(Self(commands))
    }

    /// Adds bytes after those that were added before. Waits while many chunks wait.
    pub(super) fn add(&self, bytes: Bytes) {
        self.send(HashCommand::Add(bytes));
    }

    /// Starts again with the hash of no bytes.
    pub(super) fn restart(&self) {
        self.send(HashCommand::Restart);
    }

    /// Returns the hash of what was added, after waiting for it.
    pub(super) fn sha256(&self) -> [u8; 32] {
        let (tell, told) = channel();
        self.send(HashCommand::Tell(tell));
        told.recv().expect("the thread answers as long as it is asked")
    }

    fn send(&self, command: HashCommand) {
        self.0.send(command).expect("the thread lives as long as its commands may come");
    }
}

fn run(commands: &Receiver<HashCommand>) {
    let mut hash = Context::new(&SHA256);
    while let Ok(command) = commands.recv() {
        match command {
            HashCommand::Add(bytes) => hash.update(&bytes),
            HashCommand::Restart => hash = Context::new(&SHA256),
            HashCommand::Tell(tell) => {
                let hash = hash.clone().finish().as_ref().try_into().expect("SHA-256 has 32 bytes");
                // Whoever asked may be gone.
                let _ = tell.send(hash);
            }
        }
    }
}
