//! The findings ledger: read-back, quotes, checker plan, merge, status.
