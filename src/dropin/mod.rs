//! The drop-in commands: arguments in, recorded texts and statuses out.
