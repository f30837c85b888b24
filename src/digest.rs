//! Digests: what identifies bytes in outcomes, receipts, lists and caches.
//!
//! In: bytes, or what a hasher gave. Out: lower-case hex digits. Which bytes are meant is for the caller.

use sha2::{Digest as _, Sha256};

/// SHA-256 of `bytes`, 64 lower-case hex digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Lower-case hex digits of `bytes`.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f',
    ];
    bytes
        .iter()
        .flat_map(|&byte| [byte >> 4, byte & 15])
        .filter_map(|nibble| DIGITS.get(usize::from(nibble)).copied())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_is_lower_case_hex() {
        assert!(sha256_hex(b"").starts_with("e3b0c44298fc1c14"));
    }
}
