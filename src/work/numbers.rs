//! Computations over vectors, by [`crate::vectors`], on threads of their own that leave a core for the screen.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::course::Course;
use crate::record::vectors::VectorTask;
use crate::record::work::Done;
use crate::vectors;

/// Milliseconds between two reports of progress.
const OFTEN: u64 = 250;

/// Performs a computation, on threads that exist only for its duration.
pub(super) fn sum(sum: VectorTask, course: &Course) -> Done {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(cores.saturating_sub(1).max(1))
        .thread_name(|at| format!("numbers-{at}"))
        .build();
    let Ok(threads) = threads else {
        return Done::Failed("no thread could be started for the calculation; quit some programs and try again".into());
    };
    let start = Instant::now();
    // Time of the last report, counted from 1; 0: none yet.
    let said = AtomicU64::new(0);
    let go = |done: u64, total: u64| {
        let now = start.elapsed().as_millis() as u64 / OFTEN + 1;
        if said.fetch_max(now, Ordering::Relaxed) < now {
            course.moved(done, total);
        }
        !course.is_stopped()
    };
    match threads.install(|| vectors::figures(&sum, &go)) {
        Ok(figures) => Done::Figures(figures),
        Err(why) => Done::Failed(why.to_string().into()),
    }
}
