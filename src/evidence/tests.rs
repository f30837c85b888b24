//! Whole answers: one row for every rule of the grades and flags, and what no source may break.

use super::*;
use proptest::prelude::*;

fn one(source: &str, quote: &str) -> Match {
    ground(&Prepared::new(source).unwrap(), &[quote]).remove(0)
}

fn passage<'s>(source: &'s str, found: &Match) -> &'s str {
    found
        .at
        .map_or("", |at| &source[at.span.byte_start..at.span.byte_end])
}

#[track_caller]
fn check(source: &str, quote: &str, grade: Grade, flags: &[Flag], wanted: &str) {
    let found = one(source, quote);
    assert_eq!(
        (found.grade, found.flags.as_slice(), passage(source, &found)),
        (grade, flags, wanted),
        "{source:?} {quote:?} {found:?}"
    );
}

use Flag::{CrossesPage, CutsWord, Markup, NumberDiffers, OmitsNegation};
use Grade::{Absent, Elided, Identical, Near, Reflowed, Typographic};

#[test]
fn identical() {
    check(
        "the landlord pays",
        "landlord pays",
        Identical,
        &[],
        "landlord pays",
    );
    check(
        "the landlord pays",
        "lord pays",
        Identical,
        &[CutsWord],
        "lord pays",
    );
    check(
        "so ... it goes",
        "so ... it goes",
        Identical,
        &[],
        "so ... it goes",
    );
    check("12: a line", "12: a line", Identical, &[], "12: a line");
    check("a\u{c}b c", "a\u{c}b", Identical, &[CrossesPage], "a\u{c}b");
    check(
        "end\n7\nstart",
        "end\n7\nstart",
        Identical,
        &[CrossesPage],
        "end\n7\nstart",
    );
    check("we don’t pay", "don’t pay", Identical, &[], "don’t pay");
}

#[test]
fn reflowed() {
    check(
        "the\n  landlord\u{a0}pays",
        "the landlord pays",
        Reflowed,
        &[],
        "the\n  landlord\u{a0}pays",
    );
    check(
        "the landlord pays",
        "the\tlandlord\npays ",
        Reflowed,
        &[],
        "the landlord pays",
    );
    check(
        "one\nthe landlord\npays",
        "2: the landlord\n3: pays",
        Reflowed,
        &[],
        "the landlord\npays",
    );
    check(
        "12: the landlord\n13: pays",
        "the landlord pays",
        Reflowed,
        &[],
        "the landlord\n13: pays",
    );
    check(
        "12: the landlord\n13: pays",
        "the landlord\npays",
        Reflowed,
        &[],
        "the landlord\n13: pays",
    );
    check(
        "甲方應支\n付租金",
        "甲方應支付租金",
        Reflowed,
        &[],
        "甲方應支\n付租金",
    );
    check(
        "甲方應支付租金",
        "甲方應支\n付租金",
        Reflowed,
        &[],
        "甲方應支付租金",
    );
    check(
        "the rent\u{c}is due",
        "the rent is due",
        Reflowed,
        &[CrossesPage],
        "the rent\u{c}is due",
    );
    // Log lines that begin with a time: both sides keep it, or both lose it.
    check(
        "12:00:04 up\n12:00:09 down",
        "12:00:04 up 12:00:09 down",
        Reflowed,
        &[],
        "12:00:04 up\n12:00:09 down",
    );
    check(
        "09:30 queue stalls",
        "10:30 queue stalls",
        Near,
        &[NumberDiffers],
        "09:30 queue stalls",
    );
    check(
        "1: a b\n2: c d",
        "8: a b\n2: c d",
        Near,
        &[NumberDiffers],
        "a b\n2: c d",
    );
    check(
        "1: a b\n2: c d",
        "1: a b\n9: c d",
        Near,
        &[NumberDiffers],
        "a b\n2: c d",
    );
    assert_eq!(one("a\nb", "a b").difference, None);
}

#[test]
fn typographic() {
    for (source, quote) in [
        ("so it’s “here”", "so it's \"here\""),
        ("so it's \"here\"", "so it’s “here”"),
        ("pages 10–20 — all", "pages 10-20 - all"),
        ("pages 10--20", "pages 10–20"),
        ("ﬁnal oﬀer", "final offer"),
        ("ＡＢ １２", "AB 12"),
        ("wait… now", "wait... now"),
        ("wait... now", "wait… now"),
        ("the land\u{ad}lord pays", "the landlord pays"),
        ("the land\u{200b}lord pays", "the landlord pays"),
        ("the land-\nlord pays", "the landlord pays"),
        ("the landlord pays", "the land-\nlord pays"),
        ("a well-\nknown fact", "a well-known fact"),
        ("a well-known fact", "a well-\nknown fact"),
        ("a well-known fact", "1: a well-\nknown fact"),
        (
            "the land-\nlord’s well-\nknown duty",
            "the landlord's well-known duty",
        ),
        ("“land-\nlord” duty", "\"land- lord\" duty"),
        ("cafe\u{301} noir", "caf\u{e9} noir"),
        ("caf\u{e9} noir", "cafe\u{301} noir"),
        ("COVID-\n19 rules", "COVID-19 rules"),
        ("1\u{2044}2 day", "½ day"),
        ("ｶﾞｲﾄﾞ", "ガイド"),
        ("a b\u{2011}c", "a b-c"),
    ] {
        let found = one(source, quote);
        assert_eq!(
            (found.grade, passage(source, &found)),
            (Typographic, source),
            "{source:?} {quote:?}"
        );
        assert!(found.difference.is_some(), "{source:?} {quote:?}");
    }
    check(
        "10² men",
        "102 men",
        Typographic,
        &[NumberDiffers],
        "10² men",
    );
    check(
        "a well-known fact",
        "a wellknown fact",
        Near,
        &[],
        "a well-known fact",
    );
    check("The Rent", "the rent", Near, &[], "The Rent");
    check(
        "The Rent is due on Monday",
        "the rent is due on Monday",
        Near,
        &[],
        "The Rent is due on Monday",
    );
    assert_eq!(
        one("a\nso it’s here", "so it's here").difference.as_deref(),
        Some("line 2 has `it’s`, the quote has `it's`")
    );
}

#[test]
fn elided() {
    let source = "The tenant shall not be liable and must pay the rent, promptly.";
    let gap = "shall not be liable and must pay";
    check(
        source,
        "The tenant shall ... pay the rent",
        Elided,
        &[OmitsNegation],
        "The tenant shall not be liable and must pay the rent",
    );
    check(source, "shall … pay", Elided, &[OmitsNegation], gap);
    check(source, "shall [...] pay", Elided, &[OmitsNegation], gap);
    check(source, "shall […] pay", Elided, &[OmitsNegation], gap);
    check(
        source,
        "be liable ... pay ... promptly.",
        Elided,
        &[],
        "be liable and must pay the rent, promptly.",
    );
    check(source, "...be liable...", Elided, &[], "be liable");
    check(
        source,
        "ten... pay",
        Elided,
        &[CutsWord, OmitsNegation],
        "tenant shall not be liable and must pay",
    );
    check(source, "pay the rent ... The tenant shall", Absent, &[], "");
    let found = one(source, "be liable … the rent");
    assert_eq!(
        found.difference.as_deref(),
        Some("omitted after `be liable`: `and must pay`")
    );
    assert_eq!(found.omitted.len(), 1);
    let near = format!("alpha beta{}gamma delta", " x".repeat(249) + " ");
    assert_eq!(one(&near, "alpha beta ... gamma delta").grade, Elided);
    let far = format!("alpha beta{}gamma delta", " x".repeat(250) + " ");
    assert_eq!(one(&far, "alpha beta ... gamma delta").grade, Absent);
    // The nearest fragments count, whatever comes before.
    let repeated = format!("alpha {} alpha one two gamma", "z".repeat(600));
    assert_eq!(
        passage(&repeated, &one(&repeated, "alpha ... gamma")),
        "alpha one two gamma"
    );
    assert_eq!(
        one("nothing here", "...").difference.as_deref(),
        Some("the quote is an ellipsis alone")
    );
    assert_eq!(
        one("alpha beta gamma", "alpha ... omega")
            .difference
            .as_deref(),
        Some("not in the source: `omega`")
    );
}

#[test]
fn near() {
    let source = "1. The landlord is not liable for rents over 500 euros.";
    check(
        source,
        "The landlord is liable for rents over 500 euros.",
        Near,
        &[OmitsNegation],
        &source[3..],
    );
    check(
        source,
        "The landlord is not liable for rents over 600 euros.",
        Near,
        &[NumberDiffers],
        &source[3..],
    );
    check(
        source,
        "The landlord was not liable for rents over 500 euros.",
        Near,
        &[],
        &source[3..],
    );
    assert_eq!(
        one(source, "The landlord is liable for rents over 500 euros.")
            .difference
            .as_deref(),
        Some("missing after `landlord is`: `not`")
    );
    check(
        "we don’t pay the rent on time",
        "we do pay the rent on time",
        Near,
        &[OmitsNegation],
        "we don’t pay the rent on time",
    );
    check(
        "if x ≤ 5 then stop at once",
        "if x >= 5 then stop at once",
        Near,
        &[NumberDiffers],
        "if x ≤ 5 then stop at once",
    );
    check(
        "if x ≤ 5 then stop at once",
        "if x <= 5 then stop at once",
        Near,
        &[],
        "if x ≤ 5 then stop at once",
    );
    check(
        "the tenant must\n12\npay all of the rent",
        "the tenant must pay all of the rent",
        Near,
        &[CrossesPage],
        "the tenant must\n12\npay all of the rent",
    );
    check(
        "all of it is gone",
        "none of this was here",
        Absent,
        &[],
        "",
    );
    check("short", "shirt", Near, &[], "short");
    check("", "anything", Absent, &[], "");
}

#[test]
fn markup() {
    check(
        "the **tenant** must _not_ pay",
        "the tenant must not pay",
        Near,
        &[Markup],
        "the **tenant** must _not_ pay",
    );
    check(
        "must **not** pay",
        "must not pay",
        Near,
        &[Markup],
        "must **not** pay",
    );
    check(
        "the tenant must pay",
        "the **tenant** must pay",
        Near,
        &[Markup],
        "the tenant must pay",
    );
    check(
        "| a cell | b cell |\n|---|---|\n| c | d |",
        "a cell b cell c d",
        Near,
        &[Markup],
        "a cell | b cell |\n|---|---|\n| c | d",
    );
    check(
        "so **not liable** it is",
        "not liable",
        Identical,
        &[],
        "not liable",
    );
}

#[test]
fn blank_quotes_are_absent() {
    assert_eq!(
        one("a b", "").difference.as_deref(),
        Some("the quote is empty")
    );
    assert_eq!(
        one("a b", " \n").difference.as_deref(),
        Some("the quote is blank")
    );
    assert_eq!(one("a b", "\u{200b}").grade, Absent);
    assert!(ground(&Prepared::new("a").unwrap(), &[]).is_empty());
}

#[test]
fn a_near_passage_of_many_lines_is_found_whole() {
    let line = |number: usize| {
        format!(
            "clause {number} binds party {} to term {}\n",
            number * 7 % 31,
            number * 11 % 17
        )
    };
    let source: String = (0..300).map(line).collect();
    let passage: String = (100..110).map(line).collect();
    let passage = passage.trim_end();
    let quote = passage.replace("binds", "ties");
    check(&source, &quote, Near, &[], passage);
}

#[test]
fn an_empty_source_says_so() {
    for source in ["", " \n"] {
        let found = one(source, "a quote");
        assert_eq!(found.grade, Absent);
        assert_eq!(found.difference.as_deref(), Some("the source is empty"));
    }
}

#[test]
fn the_same_quote_twice_gets_the_same_answer() {
    let source = Prepared::new("a b\nc d").unwrap();
    let found = ground(&source, &["b c", "zzzz", "b c"]);
    assert_eq!(found.len(), 3);
    assert_eq!(found[0], found[2]);
    assert_eq!((found[0].grade, found[1].grade), (Reflowed, Absent));
}

#[test]
fn a_passage_of_white_space_for_the_most_part_is_told_reflowed() {
    let gap = " \n".repeat(20_000);
    let source = format!("pay{gap}the “rent”{gap}\u{c}{gap}at once");
    check(
        &source,
        "pay the \"rent\" at once",
        Typographic,
        &[CrossesPage],
        &source,
    );
    let found = one(&source, "pay the “rent” once");
    assert_eq!(found.grade, Near);
    assert_eq!(
        found.difference.as_deref(),
        Some("missing after `the “rent”`: `at`")
    );
}

#[test]
fn occurrences_and_the_first_whole_place() {
    assert_eq!(one("ab ab ab", "ab").occurrences, 3);
    assert_eq!(one("aaaa", "aa").occurrences, 3);
    assert_eq!(one("a b\na\nb", "a  b").occurrences, 2);
    let source = "party art";
    let found = one(source, "art");
    assert_eq!(
        (found.occurrences, found.at.unwrap().span.byte_start),
        (2, 6)
    );
    assert!(found.flags.is_empty());
    assert_eq!(
        one("no match at all", "something else entirely").occurrences,
        0
    );
}

#[test]
fn places_count_code_points_from_one() {
    let source = "é\nxé “land-\r\n  lord” z";
    let found = one(source, "\"landlord\"");
    let at = found.at.unwrap();
    assert_eq!(at.start, Position { line: 2, column: 4 });
    assert_eq!(at.end, Position { line: 3, column: 8 });
    assert_eq!(
        &source[at.span.byte_start..at.span.byte_end],
        "“land-\r\n  lord”"
    );
}

#[test]
fn sources_that_cannot_be_read() {
    assert_eq!(
        Prepared::from_bytes(b"ab\xffc").unwrap_err(),
        SourceError::NotUtf8 { byte_at: 2 }
    );
}

// Words and marks that meet every rule, in any order.
fn parts() -> impl Strategy<Value = Vec<&'static str>> {
    let part = prop::sample::select(vec![
        "tenant",
        "shall",
        "not",
        "pay",
        "it’s",
        "it's",
        "ﬁne",
        "5",
        "10²",
        "-",
        "–",
        "well-known",
        "land-\nlord",
        "landlord",
        "…",
        "...",
        "[…]",
        "\n",
        "\n12: ",
        "\n3:",
        "\u{a0}",
        "\u{c}",
        "漢",
        "字\n字",
        "é",
        "e\u{301}",
        "\u{ad}",
        "\u{200b}",
        "**",
        "_a_",
        "|",
        "“x”",
        "\"x\"",
        "ａ",
        "½",
        "😀",
        "\t",
        "\u{feff}",
        "ｶﾞ",
        ".",
        ",",
    ]);
    prop::collection::vec(part, 1..20)
}

// A sentence as lists of words, and ways to falsify it.
fn sentences() -> impl Strategy<Value = Vec<&'static str>> {
    let word = prop::sample::select(vec![
        "tenant",
        "landlord",
        "shall",
        "not",
        "pay",
        "the",
        "rent",
        "of",
        "2,500",
        "EUR",
        "30",
        "days",
        "unless",
        "notice",
        "well-known",
        "10:30",
        "-5",
        "≥",
        "premises",
        "gekündigt",
        "loyer",
        "ограничен",
        "租金",
        "支付",
        "1:",
        "2026:",
    ]);
    prop::collection::vec(word, 4..16)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_falsified_quote_is_never_accepted(words in sentences(), breaks in prop::collection::vec(any::<bool>(), 16), at in 0usize..16, kind in 0usize..5) {
        let source: String = words
            .iter()
            .zip(&breaks)
            .flat_map(|(word, is_end)| [*word, if *is_end { "\n" } else { " " }])
            .collect();
        let mut quote: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let at = at % quote.len();
        match kind {
            0 => quote[at] = "guarantor".to_owned(),
            1 if at > 0 && at + 1 < quote.len() => {
                quote.remove(at);
            }
            2 => quote.insert(at.max(1), "never".to_owned()),
            3 => {
                let Some(digit) = quote[at].find(|character: char| character.is_ascii_digit()) else { return Ok(()) };
                let other = if quote[at][digit..].starts_with('7') { "8" } else { "7" };
                quote[at].replace_range(digit..=digit, other);
            }
            _ if at + 1 < quote.len() => quote.swap(at, at + 1),
            _ => return Ok(()),
        }
        let quote = quote.join(" ");
        // What a falsified sentence says may stand there all the same, when words repeat.
        let bare = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        if bare(&source).contains(&quote) {
            return Ok(());
        }
        for source in [source.clone(), format!("Lease\n{source}\nSigned\n")] {
            let found = one(&source, &quote);
            prop_assert!(!found.grade.is_accepted(), "{:?} {:?} {:?}", source, quote, found);
            prop_assert!(found.difference.is_some());
            prop_assert_eq!(found.text.as_str(), passage(&source, &found));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_gets_an_answer_in_place(source in parts(), quote in parts(), spaced in any::<bool>()) {
        let between = if spaced { " " } else { "" };
        let (source, quote) = (source.join(between), quote.join(between));
        let found = one(&source, &quote);
        prop_assert_eq!(found.grade == Absent, found.at.is_none());
        prop_assert_eq!(found.grade == Absent, found.occurrences == 0);
        if let Some(at) = found.at {
            let slice = source.get(at.span.byte_start..at.span.byte_end);
            prop_assert!(slice.is_some_and(|slice| !slice.is_empty()));
        }
        let prepared = Prepared::new(&source).unwrap();
        prop_assert_eq!(accepted(&prepared, &[&quote]), [found.grade.is_accepted()]);
        let needs_words = !found.grade.is_accepted();
        if needs_words {
            prop_assert!(found.difference.is_some(), "{:?}", found);
        }
    }

    #[test]
    fn a_slice_is_identical_and_its_reflow_is_found(source in parts(), from in 0usize..30, len in 1usize..30) {
        let source = source.join(" ");
        let characters: Vec<char> = source.chars().collect();
        let quote: String = characters.iter().skip(from).take(len).collect();
        if !quote.chars().all(characters::is_space) {
            prop_assert_eq!(one(&source, &quote).grade, Identical);
        }
        // Reflow and folding of a whole source find it again, at its place.
        let reflowed = View::new(&source, Mode::default()).key;
        if !reflowed.is_empty() {
            let found = one(&source, &reflowed);
            prop_assert!(found.grade <= Reflowed, "{:?}", found);
        }
        let folded = View::new(&source, Mode { fold: true, ..Mode::default() }).key;
        if !folded.is_empty() {
            let found = one(&source, &folded);
            prop_assert!(found.grade <= Typographic, "{:?}", found);
            let at = found.at.unwrap();
            let again = View::new(&source[at.span.byte_start..at.span.byte_end], Mode { fold: true, ..Mode::default() }).key;
            // A quote that begins like a numbered line may be found without its number.
            let stripped = View::new(&folded, Mode { fold: true, strip_prefixes: true, ..Mode::default() }).key;
            prop_assert!(again.contains(&folded) || again.contains(&stripped), "{:?} {:?}", again, folded);
        }
    }

    #[test]
    fn a_batch_answers_as_each_quote_alone(source in parts(), quotes in prop::collection::vec(parts(), 1..12)) {
        let source = source.join(" ");
        let quotes: Vec<String> = quotes.into_iter().map(|parts| parts.join(" ")).collect();
        let asked: Vec<&str> = quotes.iter().map(String::as_str).collect();
        let together = ground(&Prepared::new(&source).unwrap(), &asked);
        for (quote, found) in quotes.iter().zip(together) {
            prop_assert_eq!(one(&source, quote), found);
        }
    }
}
