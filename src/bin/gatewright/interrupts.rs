//! Ctrl-C: the run is asked to give up, and the process ends soon whether it does or not.
//!
//! In: the interrupt signal. Out: [`is_interrupted`] for the core's loops; one line on standard
//! error; an end by the signal itself where there are signals, so that a shell stops its script
//! (shells show it as 130), and with status 130 elsewhere. A process started with interrupts
//! ignored, as shells start background jobs, goes on ignoring them.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Time for the run to stop what it started and to leave its files whole.
const GRACE: Duration = Duration::from_millis(120);

static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);
static IS_TOLD: AtomicBool = AtomicBool::new(false);

/// Whether Ctrl-C was pressed.
pub(crate) fn is_interrupted() -> bool {
    IS_INTERRUPTED.load(Ordering::Relaxed)
}

/// Watch for Ctrl-C. A watch that cannot be set leaves the system's own handling, which ends the
/// process.
#[cfg(unix)]
pub(crate) fn watch() {
    if is_ignored() {
        return;
    }
    if let Ok(mut signals) = signal_hook::iterator::Signals::new([signal_hook::consts::SIGINT]) {
        let watched = std::thread::Builder::new()
            .name("gatewright-interrupts".into())
            .spawn(move || {
                if signals.forever().next().is_some() {
                    give_up();
                }
            });
        // Without the thread the signal would be swallowed.
        if watched.is_err() {
            end();
        }
    }
}

/// Watch for Ctrl-C. A watch that cannot be set leaves the system's own handling, which ends the
/// process.
#[cfg(not(unix))]
pub(crate) fn watch() {
    let _ = ctrlc::set_handler(give_up);
}

fn give_up() {
    IS_INTERRUPTED.store(true, Ordering::Relaxed);
    std::thread::sleep(GRACE);
    end();
}

/// Say that the run was interrupted, once, and end the process.
pub(crate) fn end() -> ! {
    if !IS_TOLD.swap(true, Ordering::Relaxed) {
        let _ = std::io::stderr().write_all(b"gatewright: interrupted\n");
    }
    #[cfg(unix)]
    {
        let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGINT);
    }
    #[expect(clippy::exit, reason = "the process was asked to end")]
    std::process::exit(130)
}

/// Whether the process was started with interrupts ignored.
#[cfg(target_os = "linux")]
fn is_ignored() -> bool {
    let interrupt = 1_u64 << (signal_hook::consts::SIGINT - 1);
    std::fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|status| {
            let line = status
                .lines()
                .find_map(|line| line.strip_prefix("SigIgn:"))?;
            u64::from_str_radix(line.trim(), 16).ok()
        })
        .is_some_and(|ignored| ignored & interrupt != 0)
}

/// Whether the process was started with interrupts ignored: not to be seen here.
#[cfg(all(unix, not(target_os = "linux")))]
const fn is_ignored() -> bool {
    false
}
