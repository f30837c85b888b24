//! What the ledger commands share: reading inputs in the recorded words, writing artifacts.

use super::{Call, Completion, ReadFault};
use crate::files::Staging;
use crate::gates::chain::document::Sink;
use crate::gates::chain::{Input, Ledger, Listing, Stop};
use crate::text::python::Line;
use crate::value::json::reader::SyntaxError;
use crate::value::{Text, Value};
use std::io;

/// Status of every refusal of these commands.
const REFUSED: u8 = 1;

/// The name that the command's own sentences begin with: the script without `.py`.
fn prefix(call: &Call<'_>) -> &'static str {
    call.spec
        .script
        .strip_suffix(".py")
        .unwrap_or(call.spec.script)
}

/// A refusal in the command's own words.
pub(super) fn said(call: &Call<'_>, text: &Text<'_>) -> Completion {
    Completion::fail(
        REFUSED,
        &Line::new()
            .plain(prefix(call))
            .plain(": ")
            .text(text)
            .done(),
    )
}

/// A refusal because of `flag`'s file as a whole.
pub(super) fn refused(call: &Call<'_>, flag: &str, reason: &str) -> Completion {
    call.refuse(REFUSED, &call.text(flag), "", reason)
}

/// The completion of a stage that ended without an artifact. `flags` names the option of each
/// input that may be at fault.
pub(super) fn stopped(call: &Call<'_>, stop: &Stop, flags: &[(Input, &str)]) -> Completion {
    match stop {
        Stop::Said(text) => said(call, text),
        Stop::Faults(texts) => said(call, &Line::new().joined(texts, "; ").done()),
        Stop::Unusable {
            input,
            place,
            reason,
        } => {
            let flag = flags
                .iter()
                .find(|(known, _)| known == input)
                .map_or("", |(_, flag)| flag);
            call.refuse(REFUSED, &call.text(flag), place, reason)
        }
    }
}

/// The bytes of the file that `flag` names, as text.
pub(super) fn read_text(call: &Call<'_>, flag: &str, input: Input) -> Result<String, Completion> {
    let fault = |fault: &ReadFault| unreadable(call, flag, input, fault);
    let path = call.python_path(flag);
    let shown = crate::files::display(path.as_os_str());
    let bytes = super::read_bytes(&path, &shown).map_err(|error| fault(&error))?;
    match crate::text::python::decode_utf8(&bytes) {
        // The check has been made: no second pass over the bytes.
        Ok(_) => String::from_utf8(bytes).map_err(|error| refused(call, flag, &error.to_string())),
        Err(words) => Err(fault(&ReadFault::Decode(words))),
    }
}

fn unreadable(call: &Call<'_>, flag: &str, input: Input, fault: &ReadFault) -> Completion {
    match fault {
        ReadFault::Os { words, .. } | ReadFault::Syntax(words) => said(
            call,
            &Text::from(format!("cannot read {}: {words}", input.label())),
        ),
        ReadFault::Decode(words) | ReadFault::Refused(words) => refused(call, flag, words),
    }
}

/// The value in `text`, with the keys it must have.
pub(super) fn parse<'t>(
    call: &Call<'_>,
    flag: &str,
    input: Input,
    text: &'t str,
    keys: &[&str],
) -> Result<Value<'t>, Completion> {
    let value = super::parse_json(text.as_bytes(), call.dialect)
        .map_err(|fault| unreadable(call, flag, input, &fault))?;
    crate::gates::chain::require_keys(input, &value, keys)
        .map_err(|stop| stopped(call, &stop, &[(input, flag)]))?;
    Ok(value)
}

/// The ledger in `text`, with the keys it must have.
pub(super) fn parse_ledger<'t>(
    call: &Call<'_>,
    flag: &str,
    text: &'t str,
    keys: &[&str],
) -> Result<Ledger<'t>, Completion> {
    listed(call, flag, Input::Findings, text, Ledger::read(text), keys)
}

/// The checker plan in `text`, with the keys it must have.
pub(super) fn parse_plan<'t>(
    call: &Call<'_>,
    flag: &str,
    text: &'t str,
    keys: &[&str],
) -> Result<Listing<'t>, Completion> {
    listed(
        call,
        flag,
        Input::Plan,
        text,
        Listing::read_plan(text),
        keys,
    )
}

fn listed<'t>(
    call: &Call<'_>,
    flag: &str,
    input: Input,
    text: &str,
    read: Result<Listing<'t>, SyntaxError>,
    keys: &[&str],
) -> Result<Listing<'t>, Completion> {
    let listing = read.map_err(|error| {
        let words = error.message(text, call.dialect);
        let fault = if error.is_refusal() {
            ReadFault::Refused(words)
        } else {
            ReadFault::Syntax(words)
        };
        unreadable(call, flag, input, &fault)
    })?;
    listing
        .require_keys(keys)
        .map_err(|stop| stopped(call, &stop, &[(input, flag)]))?;
    Ok(listing)
}

/// Writes the artifact that `fill` gives to `--out`, creating its folder, and says so on standard
/// output with the counts that `fill` returns. The file is there whole or not at all.
pub(super) fn write_out(
    call: &Call<'_>,
    fill: impl FnOnce(&mut Sink<'_>) -> io::Result<String>,
) -> Completion {
    let path = call.python_path("--out");
    let shown = call.text("--out");
    let line = Line::new().plain("Wrote ").text(&shown).plain(": ").done();
    let Some(line) = crate::text::python::surrogate_escaped(&line) else {
        return refused(
            call,
            "--out",
            "the name is not UTF-8 and cannot be reported",
        );
    };
    let folder = crate::files::folder_of(&path);
    // Not synced to the disk: the artifact can be derived again.
    let written = std::fs::create_dir_all(folder).and_then(|()| {
        let mut staging = Staging::begin(&path)?;
        let counts = fill(&mut |bytes| staging.write(bytes))?;
        staging.finish()?.commit()?;
        Ok(counts)
    });
    match written {
        Ok(counts) => Completion {
            stdout: [&line, counts.as_bytes(), b"\n"].concat(),
            ..Completion::default()
        },
        Err(error) => refused(
            call,
            "--out",
            &crate::text::python::os_error(&error, &crate::files::display(path.as_os_str())),
        ),
    }
}
