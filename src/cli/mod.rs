//! The `gatewright` command: arguments to plan, run, render, status.
