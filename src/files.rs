//! File-system effects: whole-file writes and locks.
