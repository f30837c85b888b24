//! Lines and columns for findings that know the path of a value in a file.
//!
//! In: findings' paths per file, the files' bytes. Out: spans and positions in their locations. One pass
//! over a file serves all its findings; a file that cannot be read leaves them without positions.

use crate::finding::Location;
use crate::position::LineIndex;
use crate::value::json::locate;
use crate::value::json::locate::ValuePath;

/// Fill in the places of `wanted` in a file that holds `bytes`.
pub fn locate_in(bytes: &[u8], wanted: Vec<(&ValuePath, &mut Location)>) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let paths: Vec<ValuePath> = wanted.iter().map(|(path, _)| (*path).clone()).collect();
    let lines = LineIndex::new(bytes);
    for ((_, location), span) in wanted.into_iter().zip(locate(text, &paths)) {
        if let Some(span) = span {
            location.span = Some(span);
            location.start = Some(lines.position(bytes, span.byte_start));
            location.end = Some(lines.position(bytes, span.byte_end));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_line_and_a_column() {
        let path = ValuePath::root().key("a").index(1);
        let mut location = Location::at_path("x.json", path.to_string());
        locate_in(b"{\"a\":\n [1,\n  22]}", vec![(&path, &mut location)]);
        let start = location.start.unwrap();
        assert_eq!((start.line, start.column), (3, 3));
        assert_eq!(location.end.unwrap().column, 5);
    }
}
