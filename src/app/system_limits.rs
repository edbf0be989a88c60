//! Checks that the system provides enough threads and files, before the terminal is taken: later, a library that gets
//! none would end the program.

use std::sync::{Arc, RwLock};
use std::thread::Builder;

/// Threads that may run at once: those of tasks, of the store, of local work, and of watching the terminal.
const THREADS: usize = 12;
/// Files, sockets and the like that are open at once with a few requests under way.
#[cfg(unix)]
const FILES: u64 = 48;

/// Checks that there are enough threads and files.
///
/// # Errors
/// What is missing, and what to do about it, as a sentence.
pub fn check() -> Result<(), String> {
    #[cfg(unix)]
    if let Some(files) = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.filter(|n| *n < FILES) {
        return Err(format!(
            "this shell allows {files} open files, but benchtop needs {FILES}: raise the limit with \
             `ulimit -n 256` and start it again"
        ));
    }
    // They all run at once, each until the gate opens after the last one has started.
    let gate = Arc::new(RwLock::new(()));
    let closed = gate.write();
    let wait = |gate: &RwLock<()>| drop(gate.read());
    let spawn = |_| {
        let gate = Arc::clone(&gate);
        Builder::new().name("probe".to_owned()).spawn(move || wait(&gate))
    };
    let threads: Result<Vec<_>, _> = (0..THREADS).map(spawn).collect();
    drop(closed);
    let threads = threads.map_err(|why| {
        format!(
            "the system cannot start more threads ({why}), but benchtop needs {THREADS}: close other programs or raise the \
             limit (`ulimit -u`), then start it again"
        )
    })?;
    for thread in threads {
        let _ = thread.join();
    }
    Ok(())
}
