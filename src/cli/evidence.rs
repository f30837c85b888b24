//! `gatewright evidence`: where quotes stand in a source.
//!
//! Text shows each quote's grade, the passage in context and the difference. JSON is `{"version":
//! 1, "results": [{"quote", "grade", "flags", "occurrences", "at": {"byte_start", "byte_end",
//! "line", "column", "end_line", "end_column", "page"} or null, "difference": text or null, "text":
//! the source's words or null, "parts": [{"quote", "at"}]}]}`; bytes count from 0, lines, columns and
//! pages from 1, columns in code points; `page` is null without pages. Other formats show the
//! outcome.

use super::{Answer, Context};
use crate::error::Error;
use crate::evidence::{Flag, Grade, Match, Part, Place, Prepared, SourceError};
use crate::extract::{self, Extractor};
use crate::gates::quotes::{Wanted, answers_in, check, flag_names, remedy_of, rule_of};
use crate::outcome::Input;
use crate::report::Format;
use crate::report::text::escaped;
use crate::rule::Severity;
use crate::value::json::{Style, dump, parse};
use crate::value::{Object, Text, Value};
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::path::{Path, PathBuf};

/// Look up quotes in a source.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Find quotes in a source and grade how they stand there.
    ///
    /// Exit status: 0 when every quote is identical or reflowed, 1 otherwise, 2 when it could not
    /// run.
    Find(Find),
}

#[derive(Debug, clap::Args)]
struct Find {
    /// The document to search: text, Markdown, HTML, mail, Word, Excel, PowerPoint, OpenDocument,
    /// EPUB, RTF, CSV or PDF by its extension; UTF-8 text with any other name.
    #[arg(long, value_name = "FILE")]
    source: PathBuf,
    /// The reader of PDF files.
    #[arg(long, value_name = "READER", value_parser = ["auto", "stdlib", "pdftotext"], default_value = "auto")]
    extractor: String,
    #[command(flatten)]
    quotes: Quotes,
    /// The words right before the quote, to tell one of several places from the others.
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        conflicts_with = "quotes"
    )]
    prefix: Option<String>,
    /// The words right behind the quote.
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        conflicts_with = "quotes"
    )]
    suffix: Option<String>,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct Quotes {
    /// A quote; may be given several times.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    quote: Vec<String>,
    /// A JSON list of quotes: texts, or objects with `quote` (or `exact`), `prefix` and `suffix`.
    #[arg(long, value_name = "FILE.json")]
    quotes: Option<PathBuf>,
}

/// Run a command of the group.
///
/// # Errors
/// When the source or the list of quotes cannot be read.
pub fn run(arguments: &Arguments, context: &Context<'_>) -> Result<Answer, Error> {
    let Command::Find(find) = &arguments.command;
    let name = find.source.display().to_string();
    let listed = find
        .quotes
        .quotes
        .as_deref()
        .map(|path| read(path, "quotes"))
        .transpose()?;
    let wanted = match (&find.quotes.quotes, &listed) {
        (Some(path), Some(bytes)) => list(path, bytes)?,
        _ => typed(find)?,
    };
    if wanted.is_empty() {
        let name = find.quotes.quotes.as_deref().unwrap_or(&find.source);
        return Err(Error::Unusable {
            name: name.display().to_string(),
            path: String::new(),
            reason: "it holds no quote, so there is nothing to look up".to_owned(),
        });
    }
    let bytes = read(&find.source, "source")?;
    let extractor = Extractor::parse(&find.extractor)
        .ok_or_else(|| Error::Usage(format!("no reader is called `{}`", find.extractor)))?;
    let document = extract::read_source(&name, &bytes, extractor)
        .map_err(|error| unreadable(&name, &error))?;
    let found = answers_in(&document, &wanted).map_err(|error| unusable_source(&name, error))?;
    let keeps_source = context.format.shows_sources();
    let mut outcome = check(&name, &document.text, &wanted, &found, keeps_source);
    outcome
        .inputs
        .push(Input::new("source", name.clone(), &bytes));
    outcome
        .facts
        .insert("reader".to_owned(), document.reader.clone().into());
    let stdout = if context.format == Format::Json {
        json(&wanted, &found)
    } else if context.format == Format::Text {
        let source = document
            .prepared()
            .map_err(|error| unusable_source(&name, error))?;
        let shown = text(&name, &source, &wanted, &found, context.is_colored);
        shown + &format!("{}\n", escaped(&outcome.summary))
    } else {
        return Ok(Answer::Outcomes(vec![outcome]));
    };
    Ok(Answer::Own {
        outcomes: vec![outcome],
        stdout,
    })
}

// The quotes of the command line; words around them belong to one quote.
fn typed(find: &Find) -> Result<Vec<Wanted<'_>>, Error> {
    let has_words_around = find.prefix.is_some() || find.suffix.is_some();
    if has_words_around && find.quotes.quote.len() > 1 {
        return Err(Error::Usage(
            "`--prefix` and `--suffix` belong to one quote: give one `--quote`, or a list of objects with `--quotes`"
                .to_owned(),
        ));
    }
    Ok(find
        .quotes
        .quote
        .iter()
        .map(|quote| Wanted {
            quote: Text::from(quote.as_str()),
            prefix: find.prefix.clone().unwrap_or_default(),
            suffix: find.suffix.clone().unwrap_or_default(),
        })
        .collect())
}

fn read(path: &Path, kind: &'static str) -> Result<Vec<u8>, Error> {
    crate::files::read(path).map_err(|error| Error::Read {
        kind,
        name: path.display().to_string(),
        reason: error.into(),
    })
}

// A document that cannot be read, as the error of the command.
fn unreadable(name: &str, error: &extract::Unreadable) -> Error {
    let remedy = if error.reason.starts_with("not UTF-8") {
        "; save it as UTF-8 text"
    } else if error.reason.contains("more than the") {
        "; search it in parts"
    } else {
        ""
    };
    Error::Unusable {
        name: name.to_owned(),
        path: String::new(),
        reason: format!("{error}{remedy}"),
    }
}

/// A source that cannot be searched, as the error of a command.
pub(super) fn unusable_source(name: &str, error: SourceError) -> Error {
    let remedy = match error {
        SourceError::NotUtf8 { .. } => "; save it as UTF-8 text",
        SourceError::TooLarge { .. } => "; search it in parts",
    };
    Error::Unusable {
        name: name.to_owned(),
        path: String::new(),
        reason: format!("{error}{remedy}"),
    }
}

// The quotes of a JSON document, which must be a list of texts or of objects that name them.
fn list<'b>(path: &Path, bytes: &'b [u8]) -> Result<Vec<Wanted<'b>>, Error> {
    let unusable = |place: String, reason: String| Error::Unusable {
        name: path.display().to_string(),
        path: place,
        reason,
    };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        unusable(
            String::new(),
            format!("not UTF-8: invalid byte at offset {}", error.valid_up_to()),
        )
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value = parse(text).map_err(|error| {
        unusable(
            String::new(),
            error.message(text, crate::value::json::Dialect::default()),
        )
    })?;
    let Value::Array(items) = value else {
        return Err(unusable(
            "$".to_owned(),
            format!(
                "a list of texts is wanted, such as [\"first quote\", \"second quote\"], found {}",
                value.json_type()
            ),
        ));
    };
    let mut quotes = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        let place = format!("$[{index}]");
        match item {
            Value::Str(quote) => quotes.push(Wanted::anywhere(quote)),
            Value::Object(members) => quotes.push(selector(&place, &members, &unusable)?),
            other @ (Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::BigInt(_)
            | Value::Float(_)
            | Value::Array(_)) => {
                let found = other.json_type();
                return Err(unusable(place, format!("a text is wanted, found {found}")));
            }
        }
    }
    Ok(quotes)
}

// A quote with the words around it, by the names of the W3C's TextQuoteSelector or by our own.
fn selector<'b>(
    place: &str,
    members: &Object<'b>,
    unusable: &dyn Fn(String, String) -> Error,
) -> Result<Wanted<'b>, Error> {
    let member = |name: &str| match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Str(text)) => Ok(Some(text.clone())),
        Some(other) => Err(unusable(
            format!("{place}.{name}"),
            format!("a text is wanted, found {}", other.json_type()),
        )),
    };
    let quote = match member("quote")? {
        Some(quote) => quote,
        None => member("exact")?.ok_or_else(|| {
            unusable(
                place.to_owned(),
                "a quote is wanted, as `quote` or `exact`".to_owned(),
            )
        })?,
    };
    let around = |name: &str| {
        member(name).map(|text| text.map_or(String::new(), |text| text.to_display().into_owned()))
    };
    Ok(Wanted {
        quote,
        prefix: around("prefix")?,
        suffix: around("suffix")?,
    })
}

/// The JSON document of the answers.
pub fn json(wanted: &[Wanted<'_>], found: &[Match]) -> String {
    let quotes = || wanted.iter().map(|wanted| &wanted.quote);
    let results = quotes()
        .zip(found)
        .map(|(quote, found)| result(quote, found))
        .collect();
    let document = object([
        ("version", Value::Int(1)),
        ("results", Value::Array(results)),
    ]);
    // A lone surrogate of a quote can only be written as an escape.
    let is_ascii = quotes().any(|quote| quote.as_str().is_none());
    let bytes = dump(
        &document,
        Style {
            is_ascii,
            is_sorted: false,
            ..Style::UNICODE_INDENTED
        },
    );
    String::from_utf8_lossy(&bytes).into_owned() + "\n"
}

fn result<'a>(quote: &'a Text<'_>, found: &'a Match) -> Value<'a> {
    let text = |text: &'a str| Value::Str(Text::borrowed(text));
    let number = |number: usize| Value::Int(i64::try_from(number).unwrap_or(i64::MAX));
    let place = |at: Place| {
        object([
            ("byte_start", number(at.span.byte_start)),
            ("byte_end", number(at.span.byte_end)),
            ("line", number(at.start.line)),
            ("column", number(at.start.column)),
            ("end_line", number(at.end.line)),
            ("end_column", number(at.end.column)),
            ("page", at.page.map_or(Value::Null, number)),
        ])
    };
    let part = |part: &'a Part| object([("quote", text(&part.quote)), ("at", place(part.at))]);
    object([
        (
            "quote",
            Value::Str(Text::from_wtf8(quote.as_bytes().into())),
        ),
        ("grade", text(found.grade.name())),
        (
            "flags",
            Value::Array(found.flags.iter().map(|flag| text(flag.name())).collect()),
        ),
        ("occurrences", number(found.occurrences)),
        ("at", found.at.map_or(Value::Null, place)),
        (
            "difference",
            found.difference.as_deref().map_or(Value::Null, text),
        ),
        ("text", found.at.map_or(Value::Null, |_| text(&found.text))),
        (
            "parts",
            Value::Array(found.parts.iter().map(part).collect()),
        ),
    ])
}

fn object<'a, const N: usize>(members: [(&'static str, Value<'a>); N]) -> Value<'a> {
    let mut object = Object::new();
    for (key, value) in members {
        object.insert(Text::borrowed(key), value);
    }
    Value::Object(object)
}

const CONTEXT_LINES: usize = 1;
const LONGEST_LINE: usize = 400;

/// The answers for people.
fn text(
    name: &str,
    source: &Prepared<'_>,
    wanted: &[Wanted<'_>],
    found: &[Match],
    is_colored: bool,
) -> String {
    let renderer = if is_colored {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let mut out = String::new();
    for (index, (wanted, found)) in wanted.iter().zip(found).enumerate() {
        let quote = crate::finding::excerpt(&wanted.quote.to_display());
        let mut title = format!(
            "quote {} `{}` is {}",
            index + 1,
            escaped(&quote),
            found.grade.name()
        );
        if !found.flags.is_empty() {
            title.extend([" (", flag_names(found).as_ref(), ")"]);
        }
        if let Some(page) = found.at.and_then(|at| at.page) {
            title.extend([", page ", &page.to_string()]);
        }
        if found.occurrences > 1 {
            title.extend([", ", &found.occurrences.to_string(), " places"]);
        }
        let level = match rule_of(found).map(|rule| rule.severity) {
            Some(Severity::Error) => Level::ERROR,
            Some(Severity::Warning) => Level::WARNING,
            Some(Severity::Note) | None => Level::INFO,
        };
        let level = level.with_name(if found.has(Flag::Unread) {
            "could not be read"
        } else if found.grade == Grade::Absent {
            "not found"
        } else {
            found.grade.name()
        });
        let difference = found.difference.as_deref().map(escaped);
        let mut group = level
            .primary_title(title)
            .elements(Vec::<Snippet<'_, annotate_snippets::Annotation<'_>>>::new());
        if let Some(place) = found.at {
            let excerpt = excerpt(source, place.span.byte_start, place.span.byte_end);
            let label = if found.omitted.is_empty() {
                ""
            } else {
                "the quote leaves words out"
            };
            let mark = AnnotationKind::Primary
                .span(excerpt.mark.clone())
                .label(Some(label).filter(|label| !label.is_empty()));
            group = group.element(
                Snippet::source(excerpt.text)
                    .line_start(excerpt.line)
                    .path(escaped(name))
                    .annotation(mark),
            );
        }
        if let Some(difference) = difference {
            group = group.element(Level::NOTE.with_name("difference").message(difference));
        }
        if let Some(rule) = rule_of(found) {
            let remedy = remedy_of(found, rule);
            group = group.element(Level::HELP.message(format!("{remedy} ({})", rule.code)));
        }
        out += &renderer.render(&[group]);
        out += "\n\n";
    }
    out
}

// Whole lines around a passage, and the passage's bytes in them.
struct Excerpt {
    text: String,
    line: usize,
    mark: std::ops::Range<usize>,
}

fn excerpt(source: &Prepared<'_>, start: usize, end: usize) -> Excerpt {
    let bytes = source.text().as_bytes();
    let lines = source.lines();
    let first = lines
        .position(bytes, start)
        .line
        .saturating_sub(CONTEXT_LINES)
        .max(1);
    let last = (lines.position(bytes, end).line + CONTEXT_LINES).min(lines.line_count());
    let from = lines
        .line_span(bytes, first)
        .map_or(start, |span| span.byte_start);
    let to = lines
        .line_span(bytes, last)
        .map_or(end, |span| span.byte_end);
    // A file without line ends must not be shown whole.
    let from = boundary(source.text(), from.max(start.saturating_sub(LONGEST_LINE)));
    let to = boundary(source.text(), to.min(end + LONGEST_LINE));
    let line = lines.position(bytes, from).line;
    // Control characters could steer a terminal; line ends keep the excerpt in lines.
    let part = |from: usize, to: usize| {
        let text = source.text().get(from..to).unwrap_or("");
        text.split('\n')
            .map(|line| escaped(line.trim_end_matches('\r')))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let (before, passage, after) = (part(from, start), part(start, end), part(end, to));
    let mark = before.len()..before.len() + passage.len();
    Excerpt {
        text: before + &passage + &after,
        line,
        mark,
    }
}

fn boundary(text: &str, at: usize) -> usize {
    (0..=at)
        .rev()
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::ground;

    #[test]
    fn json_has_the_contract_s_keys_in_order() {
        let source = Prepared::new("é a b").unwrap();
        let quotes = ["a b", "zzzz"].map(|quote| Wanted::anywhere(Text::borrowed(quote)));
        let found = ground(&source, &["a b", "zzzz"]);
        let wanted = r#"{"version": 1,"results": [{"quote": "a b","grade": "identical","flags": [],"occurrences": 1,"at": {"byte_start": 3,"byte_end": 6,"line": 1,"column": 3,"end_line": 1,"end_column": 6,"page": null},"difference": null,"text": "a b","parts": []},{"quote": "zzzz","grade": "absent","flags": [],"occurrences": 0,"at": null,"difference": "no passage of the source is 80 % similar","text": null,"parts": []}]}"#;
        let lines: String = json(&quotes, &found).lines().map(str::trim_start).collect();
        assert_eq!(lines, wanted);
    }

    #[test]
    fn text_shows_the_passage_and_the_difference() {
        let source = Prepared::new("one\nthe landlord is not liable\u{7}\nthree\nfour").unwrap();
        let quotes = [Wanted::anywhere(Text::borrowed("the landlord is liable"))];
        let found = ground(&source, &["the landlord is liable"]);
        let shown = text("a.txt", &source, &quotes, &found, false);
        for part in [
            "quote 1 `the landlord is liable` is near (omits_negation)",
            "--> a.txt:2:1",
            "2 | the landlord is not liable\\u{7}",
            "^^^^^^^^^^^^^^^^^^^^^^^^^^",
            "missing after `landlord is`: `not`",
            "GWE002",
        ] {
            assert!(shown.contains(part), "{part}\n{shown}");
        }
        assert!(!shown.contains("four"), "{shown}");
    }

    #[test]
    fn a_list_of_quotes_names_the_item_that_is_no_text() {
        let told = |text: &str| {
            list(Path::new("q.json"), text.as_bytes())
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            told("{}"),
            "cannot use `q.json` at $: a list of texts is wanted, such as [\"first quote\", \"second quote\"], found object"
        );
        assert_eq!(
            told("[\"a\", 1]"),
            "cannot use `q.json` at $[1]: a text is wanted, found integer"
        );
        assert!(told("[").contains("line 1 column 2"), "{}", told("["));
        assert_eq!(
            told("[{\"prefix\": \"a\"}]"),
            "cannot use `q.json` at $[0]: a quote is wanted, as `quote` or `exact`"
        );
        assert_eq!(
            told("[{\"quote\": \"a\", \"suffix\": 1}]"),
            "cannot use `q.json` at $[0].suffix: a text is wanted, found integer"
        );
        let listed = br#"["a", {"exact": "b", "prefix": "c"}]"#;
        let listed = list(Path::new("q.json"), listed).unwrap();
        assert_eq!(listed.len(), 2);
        assert_eq!(
            (listed[1].quote.as_str(), &*listed[1].prefix),
            (Some("b"), "c")
        );
    }
}
