//! Invariants: what cannot happen, said aloud where the code counts on it.
//!
//! In: an option or result that holds a value by construction. Out: the value. Where the construction is
//! broken the call ends: `dropin::guarded` and the bindings make status 2 and `GatewrightError` of it,
//! since what failed inside has decided nothing. A default in its place could read as a PASS. What an
//! input can bring about is no invariant but an [`Error`](crate::error::Error).

use std::fmt;

/// A value that is there by construction.
pub trait Invariant<T> {
    /// The value; ends the call when `why` does not hold.
    fn holds(self, why: &'static str) -> T;
}

impl<T> Invariant<T> for Option<T> {
    fn holds(self, why: &'static str) -> T {
        match self {
            Some(value) => value,
            None => broken(why, &"nothing is there"),
        }
    }
}

impl<T, E: fmt::Display> Invariant<T> for Result<T, E> {
    fn holds(self, why: &'static str) -> T {
        match self {
            Ok(value) => value,
            Err(fault) => broken(why, &fault),
        }
    }
}

#[expect(
    clippy::panic,
    reason = "the one place where a broken invariant ends the call; every caller of the core is guarded"
)]
fn broken(why: &'static str, fault: &dyn fmt::Display) -> ! {
    panic!("broken invariant: {why}: {fault}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dropin::guarded;

    #[test]
    fn what_holds_is_handed_over() {
        assert_eq!(Some(1).holds("there"), 1);
        assert_eq!("7".parse::<u8>().holds("a digit"), 7);
    }

    #[test]
    fn what_does_not_hold_ends_the_call_with_status_2() {
        let broken: [fn() -> u8; 2] = [|| None.holds("there"), || "x".parse().holds("a digit")];
        for work in broken {
            let ended = guarded("gatewright", || {
                let line = crate::value::Text::from(work().to_string());
                crate::dropin::Completion::fail(0, &line)
            });
            assert_eq!(ended.status, 2);
            let said = String::from_utf8_lossy(&ended.stderr).into_owned();
            assert!(
                said.contains("internal failure, nothing was decided"),
                "{said}"
            );
        }
    }
}
