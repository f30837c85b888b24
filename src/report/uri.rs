//! File references in reports: display names to URI references that differ on no machine.

/// `name` as a URI reference with forward slashes: relative when it lies under `base` or was given
/// relative, else a `file:` URI. Everything outside the unreserved set is percent-encoded.
pub fn of_name(name: &str, base: &str) -> String {
    let relative = relative(name, base);
    let path = encoded(&relative);
    if relative.starts_with('/') {
        format!("file://{path}")
    } else {
        path
    }
}

/// `name` relative to `base` where it lies under it, with forward slashes, without a leading `./`.
pub fn relative(name: &str, base: &str) -> String {
    let mut name = if cfg!(windows) {
        name.replace('\\', "/")
    } else {
        name.to_owned()
    };
    let base = base.trim_end_matches('/');
    if !base.is_empty()
        && let Some(rest) = name
            .strip_prefix(base)
            .and_then(|rest| rest.strip_prefix('/'))
    {
        name = rest.to_owned();
    }
    while let Some(rest) = name.strip_prefix("./") {
        name = rest.trim_start_matches('/').to_owned();
    }
    name
}

fn encoded(path: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(path.len());
    for &byte in path.as_bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_relative_and_encoded() {
        for (name, base, expected) in [
            ("a/b.json", "/r", "a/b.json"),
            ("./a b.json", "/r", "a%20b.json"),
            ("/r/x:y%.md", "/r/", "x%3Ay%25.md"),
            ("/rest/x.md", "/r", "file:///rest/x.md"),
            ("é.md", "", "%C3%A9.md"),
            ("../up.md", "/r", "../up.md"),
            ("", "", ""),
        ] {
            assert_eq!(of_name(name, base), expected, "{name}");
        }
    }
}
