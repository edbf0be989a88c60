//! Threads at low priority.

/// Gives the calling thread a low priority, so that the screen and answers come first. Does nothing where the system
/// has no priority of a single thread.
pub fn lower_priority() {
    // On Linux "process 0" is the calling thread; elsewhere it is the whole process, which must stay quick.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, 15);
}

/// Starts threads of low priority: `threads` of them, or for 0 one fewer than the machine has cores. Fails if the
/// system starts none.
pub(super) fn pool(threads: usize) -> Result<rayon::ThreadPool, rayon::ThreadPoolBuildError> {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let threads = if threads == 0 { cores.saturating_sub(1).max(1) } else { threads };
    let builder = rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("tune-{i}"));
    builder.start_handler(|_| lower_priority()).build()
}
