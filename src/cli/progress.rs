//! A progress bar on standard error for inputs that take over a second.
//!
//! In: bytes done and in all. Out: a line that is drawn over itself and wiped at the end. Nothing is
//! drawn unless standard error is a terminal.

use super::Terminal;
use std::time::{Duration, Instant};

/// Work that is quicker is not reported.
const PATIENCE: Duration = Duration::from_secs(1);
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
            self.world.draw("\r\u{1b}[K");
        }
    }
}

fn line(name: &str, percent: u64, len_done: u64, len_total: u64) -> String {
    let filled = percent * CELLS / 100;
    let bar: String = (0..CELLS)
        .map(|cell| if cell < filled { '#' } else { '-' })
        .collect();
    format!(
        "\r\u{1b}[K{name} [{bar}] {percent:3}% {} of {} MB",
        len_done / MEGABYTE,
        len_total / MEGABYTE
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_fills_with_the_percentage() {
        let shown = line("f.json", 50, 170_000_000, 340_000_000);
        assert_eq!(
            shown,
            "\r\u{1b}[Kf.json [###############---------------]  50% 170 of 340 MB"
        );
    }
}
