//! Threads for parallel work: one pool a process, made anew in a forked child, and stacks for deep
//! documents.
//!
//! In: work that uses rayon's iterators, or that walks nested documents. Out: its result. Rayon's own
//! global pool does not survive a fork: the child has the pool's memory and none of its threads, and
//! waits for them for ever. A pool here belongs to the process that made it.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, Mutex, TryLockError};

/// What a gate may need on the deepest document that it reads (1,000 levels), with room to spare.
const STACK_BYTES: usize = 16 * 1024 * 1024;
/// From this on the stack of the calling thread will do.
const ENOUGH_STACK_BYTES: usize = 3 * 1024 * 1024;

struct Owned {
    process: u32,
    pool: Arc<ThreadPool>,
}

static POOL: Mutex<Option<Owned>> = Mutex::new(None);

/// Run `work` so that its parallel parts run on the threads of this process.
pub fn spread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if rayon::current_thread_index().is_some() {
        return work();
    }
    match pool() {
        Some(pool) => pool.install(work),
        // No thread can be started: rayon says so itself if it has to.
        None => work(),
    }
}

/// [`rayon::join`] on the threads of this process.
pub fn join<A: Send, B: Send>(
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    spread(|| rayon::join(first, second))
}

/// Threads that parallel work runs on.
pub fn count() -> usize {
    spread(rayon::current_num_threads)
}

/// Run `work` on `threads` threads of its own, whatever parallel parts it has.
pub fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    match build(threads) {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// Threads for a call of its own, kept for as long as it takes.
pub struct Crew(Option<ThreadPool>);

impl Crew {
    /// So many threads.
    pub fn new(threads: usize) -> Self {
        Self(build(threads))
    }

    /// Run `work` on them.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.0 {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}

fn build(threads: usize) -> Option<ThreadPool> {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(STACK_BYTES)
        .build()
        .ok()
}

/// The pool of this process.
fn pool() -> Option<Arc<ThreadPool>> {
    let process = std::process::id();
    let known = kept(|kept| {
        let owned = kept.as_ref().filter(|owned| owned.process == process);
        owned.map(|owned| Arc::clone(&owned.pool))
    });
    if let Some(Some(pool)) = known {
        return Some(pool);
    }
    let pool = Arc::new(build(0)?);
    let owned = Owned {
        process,
        pool: Arc::clone(&pool),
    };
    // Where the lock cannot be had the pool serves this call alone.
    let former = kept(|kept| kept.replace(owned)).flatten();
    if let Some(former) = former
        && former.process != process
    {
        // Its threads stayed in the parent: ending them would wait for ever.
        std::mem::forget(former);
    }
    Some(pool)
}

/// What `look` says of the slot; nothing when the lock cannot be had. The lock is held for an
/// instant only, so what stays locked was locked by a thread that a fork left behind.
fn kept<T>(look: impl FnOnce(&mut Option<Owned>) -> T) -> Option<T> {
    const TRIES: usize = 1000;
    for _ in 0..TRIES {
        match POOL.try_lock() {
            Ok(mut slot) => return Some(look(&mut slot)),
            Err(TryLockError::Poisoned(slot)) => return Some(look(&mut slot.into_inner())),
            Err(TryLockError::WouldBlock) => std::thread::yield_now(),
        }
    }
    None
}

/// Whether the calling thread's stack may be too small for deeply nested documents.
pub fn is_stack_small() -> bool {
    stacker::remaining_stack().is_some_and(|left| left < ENOUGH_STACK_BYTES)
}

/// Run `work` where the stack is large enough for any document: here, or on a thread beside it.
/// Signals are for the main thread, whose stack is large, so that none goes unseen meanwhile.
pub fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if !is_stack_small() {
        return work();
    }
    on_threads(1, work)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;

    #[test]
    fn parallel_work_runs_on_the_pool_of_the_process_and_nests() {
        let total: u64 = spread(|| {
            (0_u64..1000)
                .into_par_iter()
                .map(|number| spread(|| number))
                .sum()
        });
        assert_eq!(total, 499_500);
        assert_eq!(on_threads(1, rayon::current_num_threads), 1);
        assert_eq!(on_threads(3, rayon::current_num_threads), 3);
    }

    #[test]
    fn a_small_stack_is_seen_and_helped() {
        fn depth(levels: u32) -> u32 {
            let ballast = std::hint::black_box([levels; 256]);
            if levels == 0 {
                return 0;
            }
            depth(levels - 1) + u32::from(ballast.first() == Some(&levels))
        }
        let thread = std::thread::Builder::new().stack_size(256 * 1024);
        let joined = thread
            .spawn(|| (is_stack_small(), with_stack(|| depth(2000))))
            .unwrap()
            .join();
        assert_eq!(joined.unwrap(), (true, 2000));
    }
}
