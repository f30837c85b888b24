//! A progress bar on standard error for inputs that take over a second.
//!
//! In: bytes done and in all ([`ProgressBar`]), or the stages of gates that cannot say more
//! ([`staged`]). Out: a line that is drawn over itself and wiped at the end. Nothing is drawn unless
//! standard error is a terminal.

use super::Terminal;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Work that is quicker is not reported.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often a bar of stages is drawn again.
const STEP: Duration = Duration::from_millis(200);
/// Wipes the line.
const WIPE: &str = "\r\u{1b}[K";
/// Cells of the bar.
const CELLS: u64 = 30;
const MEGABYTE: u64 = 1_000_000;

/// A bar for one input.
pub struct ProgressBar<'w> {
    world: &'w dyn Terminal,
    name: String,
    start: Instant,
    shown: Option<u64>,
}

impl<'w> ProgressBar<'w> {
    /// A bar that has not been drawn.
    pub fn new(world: &'w dyn Terminal, name: &str) -> Self {
        Self {
            world,
            name: crate::report::text::escaped(name),
            start: Instant::now(),
            shown: None,
        }
    }

    /// Draw, if the work has taken its time and something has changed.
    pub fn advance(&mut self, len_done: u64, len_total: u64) {
        if !self.world.is_stderr_terminal() || self.start.elapsed() < PATIENCE {
            return;
        }
        let percent = len_done.min(len_total).saturating_mul(100) / len_total.max(1);
        if self.shown != Some(percent) {
            self.shown = Some(percent);
            self.world
                .draw(&line(&self.name, percent, len_done, len_total));
        }
    }

    /// Wipe the bar.
    pub fn finish(self) {
        if self.shown.is_some() {
            self.world.draw(WIPE);
        }
    }
}

/// Stages of the work on one or more inputs, each of which passes all of them.
#[derive(Default)]
pub struct Stages {
    names: &'static [&'static str],
    total: usize,
    done: AtomicUsize,
}

impl Stages {
    /// One more stage is done.
    pub fn advance(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    fn line(&self, name: &str, seconds: u64) -> String {
        let done = self.done.load(Ordering::Relaxed).min(self.total);
        let stage = done
            .checked_rem(self.names.len())
            .and_then(|at| self.names.get(at))
            .filter(|_| done < self.total)
            .unwrap_or(&"reporting");
        let share = |whole: u64| {
            u64::try_from(done)
                .unwrap_or(u64::MAX)
                .saturating_mul(whole)
                / u64::try_from(self.total.max(1)).unwrap_or(u64::MAX)
        };
        format!(
            "{WIPE}{name} [{}] {stage}, {seconds} s",
            cells(share(CELLS))
        )
    }
}

/// Do `work` on `inputs` inputs called `name`, each in the stages of `names`. A thread beside it
/// draws: a gate is pure and knows no terminal.
pub fn staged<T>(
    world: &dyn Terminal,
    name: &str,
    names: &'static [&'static str],
    inputs: usize,
    work: impl FnOnce(&Stages) -> T,
) -> T {
    let stages = Stages {
        names,
        total: names.len().saturating_mul(inputs),
        done: AtomicUsize::new(0),
    };
    if world.is_stderr_terminal() {
        watched(world, name, &stages, PATIENCE, work)
    } else {
        work(&stages)
    }
}

fn watched<T>(
    world: &dyn Terminal,
    name: &str,
    stages: &Stages,
    patience: Duration,
    work: impl FnOnce(&Stages) -> T,
) -> T {
    let name = crate::report::text::escaped(name);
    std::thread::scope(|scope| {
        let (running, ended) = mpsc::channel::<()>();
        scope.spawn(move || {
            let start = Instant::now();
            let mut wait = patience;
            while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                world.draw(&stages.line(&name, start.elapsed().as_secs()));
                wait = STEP;
            }
            if wait == STEP {
                world.draw(WIPE);
            }
        });
        let result = work(stages);
        drop(running);
        result
    })
}

fn cells(filled: u64) -> String {
    (0..CELLS)
        .map(|cell| if cell < filled { '#' } else { '-' })
        .collect()
}

fn line(name: &str, percent: u64, len_done: u64, len_total: u64) -> String {
    let bar = cells(percent * CELLS / 100);
    format!(
        "{WIPE}{name} [{bar}] {percent:3}% {} of {} MB",
        len_done / MEGABYTE,
        len_total / MEGABYTE
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::patterns::PatternEngine;
    use crate::world::{ProcessWorld, World};
    use std::ffi::OsString;
    use std::sync::Mutex;

    /// A terminal that remembers what is drawn on it.
    #[derive(Default)]
    struct Screen {
        drawn: Mutex<Vec<String>>,
        is_terminal: bool,
    }

    impl World for Screen {
        fn variable(&self, name: &str) -> Option<OsString> {
            ProcessWorld.variable(name)
        }

        fn seconds_since_epoch(&self) -> i64 {
            0
        }

        fn pattern_engine(&self) -> &dyn PatternEngine {
            ProcessWorld.pattern_engine()
        }
    }

    impl Terminal for Screen {
        fn is_stdout_terminal(&self) -> bool {
            false
        }

        fn is_stderr_terminal(&self) -> bool {
            self.is_terminal
        }

        fn draw(&self, text: &str) {
            self.drawn.lock().unwrap().push(text.to_owned());
        }
    }

    const NAMES: &[&str] = &["reading", "checking"];

    #[test]
    fn stages_are_named_while_the_work_goes_on_and_wiped_at_the_end() {
        let screen = Screen::default();
        let stages = Stages {
            names: NAMES,
            total: 4,
            done: AtomicUsize::new(0),
        };
        let seen = watched(&screen, "f.json", &stages, Duration::ZERO, |stages| {
            stages.advance();
            // The work lasts until the bar has been seen.
            loop {
                let drawn = screen.drawn.lock().unwrap().clone();
                if let Some(last) = drawn.iter().rfind(|line| line.contains("checking")) {
                    return last.clone();
                }
                std::thread::yield_now();
            }
        });
        assert_eq!(
            seen,
            "\r\u{1b}[Kf.json [#######-----------------------] checking, 0 s"
        );
        assert_eq!(screen.drawn.lock().unwrap().last().unwrap(), WIPE);
    }

    #[test]
    fn quick_work_and_work_without_a_terminal_draw_nothing() {
        for is_terminal in [true, false] {
            let screen = Screen {
                is_terminal,
                ..Screen::default()
            };
            assert_eq!(staged(&screen, "f.json", NAMES, 1, |_| 7), 7);
            assert!(screen.drawn.lock().unwrap().is_empty());
        }
    }

    #[test]
    fn after_the_last_stage_the_outcome_is_reported() {
        let stages = Stages {
            names: NAMES,
            total: 2,
            done: AtomicUsize::new(2),
        };
        assert!(
            stages
                .line("x", 3)
                .ends_with("[##############################] reporting, 3 s")
        );
    }

    #[test]
    fn the_bar_fills_with_the_percentage() {
        let shown = line("f.json", 50, 170_000_000, 340_000_000);
        assert_eq!(
            shown,
            "\r\u{1b}[Kf.json [###############---------------]  50% 170 of 340 MB"
        );
    }
}
