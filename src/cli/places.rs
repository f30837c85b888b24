//! Lines and columns for findings that know the path of a value in a file.
//!
//! In: findings' paths per file, the files' bytes. Out: spans and positions in their locations. One pass
//! over a file serves all its findings; a file that cannot be read leaves them without positions.

use crate::finding::{Finding, Location};
use crate::position::{Position, count_code_points};
use crate::value::json::locate;
use crate::value::json::locate::ValuePath;

/// Fill in the places of all findings in the file `name` that holds `bytes`; their paths are written
/// from plain names, as those of frameworks and ledgers are.
pub fn locate_written(name: &str, bytes: &[u8], findings: &mut [Finding]) {
    let locations = findings
        .iter_mut()
        .flat_map(|finding| std::iter::once(&mut finding.at).chain(&mut finding.related));
    let here: Vec<(ValuePath, &mut Location)> = locations
        .filter(|location| location.source == name && location.span.is_none())
        .filter_map(|location| Some((ValuePath::of_plain(location.path.as_deref()?), location)))
        .collect();
    let (paths, locations): (Vec<ValuePath>, Vec<&mut Location>) = here.into_iter().unzip();
    if !paths.is_empty() {
        locate_in(bytes, paths.iter().zip(locations).collect());
    }
}

/// Fill in the places of `wanted` in a file that holds `bytes`.
pub fn locate_in(bytes: &[u8], wanted: Vec<(&ValuePath, &mut Location)>) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let paths: Vec<ValuePath> = wanted.iter().map(|(path, _)| (*path).clone()).collect();
    let spans = locate(text, &paths);
    let mut places: Vec<usize> = spans
        .iter()
        .flatten()
        .flat_map(|span| [span.byte_start, span.byte_end])
        .collect();
    places.sort_unstable();
    places.dedup();
    let positions = positions(bytes, &places);
    let position = |byte: usize| {
        let at = places.binary_search(&byte).ok()?;
        positions.get(at).copied()
    };
    for ((_, location), span) in wanted.into_iter().zip(spans) {
        if let Some(span) = span {
            location.span = Some(span);
            location.start = position(span.byte_start);
            location.end = position(span.byte_end);
        }
    }
}

/// Positions of the bytes `places`, which are sorted, in one walk: ledgers of one endless line with
/// faults all over are ordinary.
fn positions(bytes: &[u8], places: &[usize]) -> Vec<Position> {
    let mut at = 0;
    let mut now = Position { line: 1, column: 1 };
    places
        .iter()
        .map(|&place| {
            let passed = bytes.get(at..place).unwrap_or_default();
            at = place;
            let line = match memchr::memrchr(b'\n', passed) {
                None => passed,
                Some(end) => {
                    now.line += memchr::memchr_iter(b'\n', passed).count();
                    now.column = 1;
                    passed.get(end + 1..).unwrap_or_default()
                }
            };
            now.column += count_code_points(line);
            now
        })
        .collect()
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

    #[test]
    fn written_paths_are_found_in_their_own_file_only() {
        let rule = crate::rule::find("GWD004").unwrap();
        let at = |source: &str| Location::at_path(source, "$.lenses[0].items[1].hit_rule");
        let mut findings =
            [Finding::new(rule, at("new.json"), "changed").with_related(at("old.json"))];
        let new = b"{\"lenses\": [\n{\"items\": [{}, {\n\"hit_rule\": \"x\"}]}]}";
        locate_written("new.json", new, &mut findings);
        let [finding] = findings;
        let start = finding.at.start.unwrap();
        assert_eq!((start.line, start.column), (3, 13));
        assert!(
            finding
                .related
                .iter()
                .all(|location| location.start.is_none())
        );
    }

    #[test]
    fn one_walk_gives_what_a_line_index_gives() {
        let bytes = "aé\n\n日本\u{1f600}x\ny".as_bytes();
        let lines = crate::position::LineIndex::new(bytes);
        let places: Vec<usize> = (0..=bytes.len())
            .filter(|&at| std::str::from_utf8(&bytes[at..]).is_ok())
            .collect();
        let wanted: Vec<Position> = places.iter().map(|&at| lines.position(bytes, at)).collect();
        assert_eq!(positions(bytes, &places), wanted);
    }
}
