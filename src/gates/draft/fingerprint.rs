//! The draft hash as the emitter derives it, to tell whether the recorded one still fits.
//!
//! In: the chapters, the blueprint, the tokens, the manifest. Out: 64 hex digits. The verdict never
//! uses it: what is bound is the recorded hash, whatever this one says.

use crate::value::json::Style;
use crate::value::json::writer::{dump_into, push_string};
use crate::value::{Text, Value};
use sha2::{Digest as _, Sha256};

/// The six chapters, by file name.
pub const CHAPTERS: [&str; 6] = [
    "00-overview.md",
    "01-frontend-facts.md",
    "02-backend-inference.md",
    "03-uiux-rationale.md",
    "04-nonfunctional-compliance.md",
    "05-site-coverage.md",
];

/// Members sorted, no blanks, everything but what JSON must escape written as it is.
const CANONICAL: Style = Style {
    is_ascii: false,
    indent: None,
    is_sorted: true,
    is_compact: true,
};

/// The hash that fits the files.
///
/// `chapters` are the texts of [`CHAPTERS`] in that order; `tokens` loses its `notice`, `manifest`
/// keeps it.
pub fn derive(
    chapters: &[&str],
    blueprint: &Value<'_>,
    tokens: &Value<'_>,
    manifest: &Value<'_>,
) -> String {
    let mut out = Vec::new();
    out.extend_from_slice(b"{\"blueprint\":");
    dump_into(&mut out, blueprint, CANONICAL);
    out.extend_from_slice(b",\"chapters\":{");
    for (index, (name, text)) in CHAPTERS.iter().zip(chapters).enumerate() {
        if index > 0 {
            out.push(b',');
        }
        push_string(&mut out, &Text::borrowed(name), false);
        out.push(b':');
        push_string(&mut out, &Text::borrowed(text), false);
    }
    out.extend_from_slice(b"},\"coverage\":");
    dump_into(&mut out, manifest, CANONICAL);
    out.extend_from_slice(b",\"design_tokens\":");
    let mut tokens = tokens.clone();
    if let Value::Object(object) = &mut tokens {
        object.remove("notice");
    }
    dump_into(&mut out, &tokens, CANONICAL);
    out.push(b'}');
    crate::digest::hex(&Sha256::digest(&out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::parse;

    #[test]
    fn the_recipe_is_one_canonical_object() {
        let chapters = ["a", "b", "c", "d", "e", "é\n"];
        let hash = derive(
            &chapters,
            &parse("{\"b\":1,\"a\":[true]}").unwrap(),
            &parse("{\"notice\":\"n\",\"palette\":[]}").unwrap(),
            &parse("{\"notice\":\"n\"}").unwrap(),
        );
        let whole = "{\"blueprint\":{\"a\":[true],\"b\":1},\"chapters\":{\"00-overview.md\":\"a\",\"01-frontend-facts.md\":\"b\",\"02-backend-inference.md\":\"c\",\"03-uiux-rationale.md\":\"d\",\"04-nonfunctional-compliance.md\":\"e\",\"05-site-coverage.md\":\"é\\n\"},\"coverage\":{\"notice\":\"n\"},\"design_tokens\":{\"palette\":[]}}";
        assert_eq!(hash, crate::digest::sha256_hex(whole.as_bytes()));
    }
}
