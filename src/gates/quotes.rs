//! The evidence gate: every quote must stand in the source, as it is or reflowed.
//!
//! In: a source and quotes. Out: one answer for each quote, and the outcome with a finding for each
//! quote that a gate does not take. Matching itself is [`crate::evidence`]'s work.

use crate::detail::{Detail, Evidence, Quote, SourceText};
use crate::evidence::{
    Around, Flag, Grade, Layers, Match, Prepared, SourceError, ground, ground_around,
    ground_extracted,
};
use crate::extract::ExtractedText;
use crate::finding::{Finding, Location, excerpt};
use crate::outcome::Outcome;
use crate::rule::{Rule, Severity};
use crate::value::Text;

const SOURCE: &str = "gatewright documentation, Quotes and their grades";

/// The quote stands nowhere in the source.
pub const ABSENT: Rule = Rule {
    code: "GWE001",
    name: "quote-absent",
    severity: Severity::Error,
    checks: "No passage of the source is identical, reflowed, typographically equal, elided, equal but for letter case, or at least 0.80 similar to the quote. Parts of three words or more that stand there are listed with their places and with what lies between them.",
    why: "A claim whose evidence is not in the source may be invented.",
    fails: "source: The rent is due on Monday.\nquote:  The deposit is paid back.",
    repaired: "source: The rent is due on Monday.\nquote:  The rent is due on Monday.",
    remedy: "copy the quote from the source, character for character, or drop the claim",
    source: SOURCE,
};

/// A passage is only similar.
pub const NEAR: Rule = Rule {
    code: "GWE002",
    name: "quote-near",
    severity: Severity::Error,
    checks: "The closest passage, taken from whole word to whole word, differs from the quote in some words, in letter case, or in marks of Markdown or HTML; all differences are told.",
    why: "One missing word, such as `not`, turns evidence into its opposite.",
    fails: "source: The landlord is not liable.\nquote:  The landlord is liable.",
    repaired: "source: The landlord is not liable.\nquote:  The landlord is not liable.",
    remedy: "replace the quote by the passage at the place shown, character for character",
    source: SOURCE,
};

/// Fragments around an ellipsis.
pub const ELIDED: Rule = Rule {
    code: "GWE003",
    name: "quote-elided",
    severity: Severity::Error,
    checks: "The quote leaves words out: its fragments stand in the source around an ellipsis.",
    why: "What is left out may hold the condition or the negation that decides.",
    fails: "source: The tenant shall not pay the fee.\nquote:  The tenant shall ... pay the fee.",
    repaired: "source: The tenant shall not pay the fee.\nquote:  The tenant shall not pay the fee.",
    remedy: "quote the passage in full, or one of its fragments alone",
    source: SOURCE,
};

/// Equal but for typography.
pub const TYPOGRAPHIC: Rule = Rule {
    code: "GWE004",
    name: "quote-typographic",
    severity: Severity::Error,
    checks: "The quote equals a passage only when quotation marks, dashes, ligatures, widths, invisible characters or divided words are folded.",
    why: "A literal search for the quote fails, so a reader cannot find it again.",
    fails: "source: it\u{2019}s due\nquote:  it's due",
    repaired: "source: it\u{2019}s due\nquote:  it\u{2019}s due",
    remedy: "copy the characters of the source, its quotation marks and dashes included",
    source: SOURCE,
};

/// Something about an accepted quote that a reader must see.
pub const FLAGGED: Rule = Rule {
    code: "GWE005",
    name: "quote-flagged",
    severity: Severity::Warning,
    checks: "An accepted quote begins or ends inside a word, a compound or a number with its sign, or runs across a page.",
    why: "A fragment of a word or a passage across pages may not say what it seems to say.",
    fails: "source: the landlord pays\nquote:  lord pays",
    repaired: "source: the landlord pays\nquote:  the landlord pays",
    remedy: "begin and end the quote at word boundaries, inside one page",
    source: SOURCE,
};

/// Part of the source could not be read.
pub const UNREAD: Rule = Rule {
    code: "GWE006",
    name: "quote-unread",
    severity: Severity::Error,
    checks: "The quote stands nowhere in what could be read of the source, and pages of the source could not be read, such as scans without a text layer.",
    why: "A quote from a page that nobody could read is neither found nor missing.",
    fails: "a sentence of page 2, quoted from lease.pdf, whose page 2 is a scan",
    repaired: "the same sentence, once OCR has given page 2 its text",
    remedy: "give the pages named a text layer by OCR, or look the quote up there by eye",
    source: SOURCE,
};

/// The rules of this gate.
pub const RULES: &[Rule] = &[ABSENT, NEAR, ELIDED, TYPOGRAPHIC, FLAGGED, UNREAD];

/// The rule that a match breaks, if any.
pub fn rule_of(found: &Match) -> Option<&'static Rule> {
    if found.has(Flag::Unread) {
        return Some(&UNREAD);
    }
    match found.grade {
        Grade::Absent => Some(&ABSENT),
        Grade::Near => Some(&NEAR),
        Grade::Elided => Some(&ELIDED),
        Grade::Typographic => Some(&TYPOGRAPHIC),
        Grade::Identical | Grade::Reflowed if found.flags.is_empty() => None,
        Grade::Identical | Grade::Reflowed => Some(&FLAGGED),
    }
}

/// What to do about a match that breaks `rule`: the rule's own remedy, unless the answer knows better.
pub fn remedy_of(found: &Match, rule: &'static Rule) -> &'static str {
    if found.has(Flag::Unread) {
        rule.remedy
    } else if found.has(Flag::OtherContext) {
        "copy the words before and behind the quote from the source too, or leave them out"
    } else if found.grade == Grade::Absent && !found.parts.is_empty() {
        "quote each part that stands in the source on its own, or put what lies between back in"
    } else if found.grade != Grade::Absent && found.has(Flag::NumberDiffers) {
        "write the numbers as the passage at the place shown has them, or cite the passage that has yours"
    } else {
        rule.remedy
    }
}

/// Grades quotes that may hold lone surrogates, which no source can.
pub fn answers(source: &Prepared<'_>, quotes: &[Text<'_>]) -> Vec<Match> {
    let readable: Vec<&str> = quotes.iter().filter_map(Text::as_str).collect();
    with_surrogates(quotes, ground(source, &readable))
}

/// A quote to look up, with the words around it when they choose between several places.
#[derive(Clone, Debug)]
pub struct Wanted<'q> {
    /// The quote.
    pub quote: Text<'q>,
    /// The words right before it, or nothing.
    pub prefix: String,
    /// The words right behind it, or nothing.
    pub suffix: String,
}

impl<'q> Wanted<'q> {
    /// A quote wherever it stands.
    pub fn anywhere(quote: Text<'q>) -> Self {
        Self {
            quote,
            prefix: String::new(),
            suffix: String::new(),
        }
    }
}

/// Grades quotes against a document. What is not taken in a document with pages that could not be
/// read has the flag [`Flag::Unread`] and says which.
///
/// # Errors
/// When the text is more than can be searched.
pub fn answers_in(
    document: &ExtractedText,
    wanted: &[Wanted<'_>],
) -> Result<Vec<Match>, SourceError> {
    let source = document.prepared()?;
    let mut found = answers_of(&source, document.layers(), wanted);
    if let Some(unread) = document.unread() {
        for found in found.iter_mut().filter(|found| !found.grade.is_accepted()) {
            found.flag(Flag::Unread);
            found.difference = Some(match found.difference.take() {
                Some(difference) if found.grade != Grade::Absent => {
                    format!("{difference}; {unread}")
                }
                Some(_) | None => unread.clone(),
            });
        }
    }
    Ok(found)
}

/// Grades quotes against a text with its layers.
pub fn answers_of(source: &Prepared<'_>, layers: Layers<'_>, wanted: &[Wanted<'_>]) -> Vec<Match> {
    let quotes: Vec<Text<'_>> = wanted.iter().map(|wanted| wanted.quote.clone()).collect();
    let readable: Vec<&str> = quotes.iter().filter_map(Text::as_str).collect();
    let mut found = with_surrogates(&quotes, ground_extracted(source, layers, &readable));
    for (found, wanted) in found.iter_mut().zip(wanted) {
        let around = Around {
            prefix: &wanted.prefix,
            suffix: &wanted.suffix,
        };
        if !around.is_blank()
            && let Some(quote) = wanted.quote.as_str()
        {
            *found = ground_around(source, layers, quote, around);
        }
    }
    found
}

// The answers for all quotes, those that no text can hold included.
fn with_surrogates(quotes: &[Text<'_>], found: Vec<Match>) -> Vec<Match> {
    let mut found = found.into_iter();
    quotes
        .iter()
        .map(|quote| {
            let own = quote.as_str().and_then(|_| found.next());
            own.unwrap_or_else(|| {
                Match::absent("the quote holds a lone surrogate, which no UTF-8 source can")
            })
        })
        .collect()
}

/// The outcome for quotes and their answers in the source `name`, whose text it holds only when
/// `keeps_source`.
pub fn check(
    name: &str,
    text: &str,
    wanted: &[Wanted<'_>],
    found: &[Match],
    keeps_source: bool,
) -> Outcome {
    let quotes = || wanted.iter().map(|wanted| &wanted.quote);
    let findings = quotes()
        .zip(found)
        .enumerate()
        .filter_map(|(index, (quote, found))| {
            let rule = rule_of(found)?;
            let finding = Finding::new(
                rule,
                location(name, found),
                message(index + 1, quote, found),
            );
            Some(finding.with_remedy(remedy_of(found, rule)))
        })
        .collect();
    let mut outcome = Outcome::from_findings("evidence find", findings);
    let grades = [
        Grade::Identical,
        Grade::Reflowed,
        Grade::Typographic,
        Grade::Elided,
        Grade::Near,
        Grade::Absent,
    ];
    for grade in grades {
        let count = found.iter().filter(|found| found.grade == grade).count();
        outcome.facts.insert(grade.name().to_owned(), count.into());
    }
    let accepted = found
        .iter()
        .filter(|found| found.grade.is_accepted())
        .count();
    outcome.summary = format!("{accepted} of {} quotes stand in {name}", found.len());
    outcome.details.push(Detail::Evidence(Evidence {
        sources: vec![SourceText {
            name: name.to_owned(),
            text: if keeps_source { text } else { "" }.into(),
        }],
        quotes: quotes()
            .zip(found)
            .enumerate()
            .map(|(index, (quote, found))| Quote::answered((index + 1).to_string(), quote, found))
            .collect(),
    }));
    outcome
}

/// Where a match stands, as a finding's place.
pub fn location(name: &str, found: &Match) -> Location {
    let mut at = Location::of_source(name);
    if let Some(place) = found.at {
        at.span = Some(place.span);
        at.start = Some(place.start);
        at.end = Some(place.end);
        at.page = place.page;
    }
    at
}

/// The flags of a match, separated by commas.
pub fn flag_names(found: &Match) -> String {
    found
        .flags
        .iter()
        .map(|flag| Flag::name(*flag))
        .collect::<Vec<_>>()
        .join(", ")
}

fn message(number: usize, quote: &Text<'_>, found: &Match) -> String {
    let quote = excerpt(&quote.to_display());
    let flags = if found.flags.is_empty() {
        String::new()
    } else {
        format!(" ({})", flag_names(found))
    };
    let difference = found
        .difference
        .as_ref()
        .map_or(String::new(), |difference| format!(": {difference}"));
    format!(
        "quote {number} `{quote}` is {}{flags}{difference}",
        found.grade.name()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(text: &str, quotes: &[&str]) -> (Vec<Match>, Outcome) {
        let document = ExtractedText {
            text: text.to_owned(),
            ..ExtractedText::default()
        };
        let wanted: Vec<Wanted<'_>> = quotes
            .iter()
            .map(|quote| Wanted::anywhere(Text::borrowed(quote)))
            .collect();
        let found = answers_in(&document, &wanted).unwrap();
        let outcome = check("a.txt", text, &wanted, &found, true);
        (found, outcome)
    }

    #[test]
    fn each_grade_has_its_rule_and_accepted_quotes_only_warn() {
        let text = "The landlord\nis not liable; it\u{2019}s so.";
        let quotes = [
            "landlord",
            "lord is not",
            "it's so",
            "The ... liable",
            "The landlord is liable",
            "nothing like it at all",
        ];
        let (found, outcome) = checked(text, &quotes);
        assert_eq!(found.len(), 6);
        let codes: Vec<_> = outcome
            .findings
            .iter()
            .map(|finding| finding.rule.code)
            .collect();
        assert_eq!(codes, ["GWE005", "GWE004", "GWE003", "GWE002", "GWE001"]);
        assert_eq!(outcome.status(), 1);
        assert_eq!(outcome.summary, "2 of 6 quotes stand in a.txt");
        let near = outcome.findings.get(3).unwrap();
        assert_eq!(
            near.message,
            "quote 5 `The landlord is liable` is near (omits_negation): missing after `landlord is`: `not`"
        );
        assert_eq!(near.at.start.map(|start| start.line), Some(1));
        assert_eq!(checked(text, &quotes[..2]).1.status(), 0);
    }

    #[test]
    fn what_may_stand_on_a_page_without_text_is_not_absent() {
        let document = ExtractedText {
            text: "The rent is due.\n\u{c}\u{c}".to_owned(),
            pages: Some(2),
            unread_pages: vec![2],
            ..ExtractedText::default()
        };
        let wanted = ["The rent is due.", "The deposit is paid back."]
            .map(|quote| Wanted::anywhere(Text::borrowed(quote)));
        let found = answers_in(&document, &wanted).unwrap();
        assert_eq!(found[0].at.unwrap().page, Some(1));
        assert!(rule_of(&found[0]).is_none());
        assert_eq!(rule_of(&found[1]).unwrap().code, "GWE006");
        assert_eq!(
            found[1].difference.as_deref(),
            Some("page 2 could not be read (no text; a scan needs OCR first)")
        );
    }

    #[test]
    fn a_lone_surrogate_is_in_no_source() {
        let source = Prepared::new("abc").unwrap();
        let quotes = [
            Text::from_wtf8(b"\xed\xa0\xbd".as_slice().into()),
            Text::borrowed("abc"),
        ];
        let found = answers(&source, &quotes);
        assert_eq!(
            found.iter().map(|found| found.grade).collect::<Vec<_>>(),
            [Grade::Absent, Grade::Identical]
        );
    }
}
