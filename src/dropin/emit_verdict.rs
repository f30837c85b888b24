//! `emit-verdict.py`: decide on a draft from its assessment and write the receipt.
//!
//! In: `--assessment`, `--draft-hash`. Out: the receipt under `--out-dir`, a report on standard
//! output, each reason against a PASS on standard error; 0 PASS, 1 FAIL, 2 nothing written.

use super::{Call, Completion, Opt, OptKind, ReadFault, Spec, parse_json, read_bytes};
use crate::gates::verdict::{self, FindingCounts, Reason};
use crate::text::python::{Line, os_error};
use crate::value::json::{Style, dump};
use crate::value::{Object, Text, Value};

/// The command.
pub static SPEC: Spec = Spec {
    name: "emit-verdict",
    script: "emit-verdict.py",
    description: "draft_hash 束縛 verdict を決定論規則で発行し ESB_VERDICT_DIR へ書く",
    options: &[
        Opt {
            flag: "--assessment",
            help: Some("R1-evaluate が組み立てた集約 assessment JSON"),
            kind: OptKind::Required,
        },
        Opt {
            flag: "--draft-hash",
            help: Some("評価対象の draft_hash (C01 sink-status.json の値)"),
            kind: OptKind::Required,
        },
        Opt {
            flag: "--out-dir",
            help: Some("ESB_VERDICT_DIR (既定 .esb-verdict)"),
            kind: OptKind::Optional {
                default: Some(crate::receipts::DEFAULT_FOLDER),
            },
        },
        Opt {
            flag: "--evaluated-at",
            help: Some("ISO8601 (既定は実行時刻 JST)"),
            kind: OptKind::Optional { default: None },
        },
    ],
    help_status: 2,
    run,
};

const UNUSABLE: u8 = 2;

fn run(call: &Call<'_>) -> Completion {
    let given = call.text("--draft-hash");
    let Some(draft_hash) = verdict::draft_hash(&given) else {
        return fail(
            Line::new()
                .plain("--draft-hash が 64 桁 hex でない: ")
                .text(&given),
        );
    };
    let path = call.python_path("--assessment");
    let shown = crate::files::display(path.as_os_str());
    let bytes = match read_bytes(&path, &shown) {
        Ok(bytes) => bytes,
        Err(fault) if fault.is_missing() => {
            return fail(Line::new().plain("入力ファイルが存在しない: ").text(&shown));
        }
        Err(fault) => return unreadable(&shown, fault.words()),
    };
    let assessment = match parse_json(&bytes, call.dialect) {
        Ok(value) => value,
        Err(ReadFault::Syntax(words)) => return unreadable(&shown, &words),
        Err(fault) => return call.refuse(UNUSABLE, &shown, "", fault.words()),
    };
    let reasons = match verdict::decide(&assessment) {
        Ok(reasons) => reasons,
        Err(fault) => return fail(Line::new().plain(&fault.japanese())),
    };
    let counts = match FindingCounts::of(&assessment) {
        Ok(counts) => counts,
        Err(at) => {
            let place = format!("$.findings[{at}].severity");
            let reason = "the severity is a list or an object, expected high, medium or low";
            return call.refuse(UNUSABLE, &shown, &place, reason);
        }
    };

    let evaluated_at = Some(call.text("--evaluated-at"))
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| Text::from(verdict::japan_time(call.world.seconds_since_epoch())));
    let word = verdict::word(&reasons);
    let receipt = verdict::receipt(&assessment, &draft_hash, evaluated_at, word);
    let Some(receipt) = crate::receipts::to_bytes(&receipt) else {
        let place = crate::receipts::surrogate_place(&receipt);
        let reason = "the text holds a lone surrogate, which UTF-8 cannot carry";
        return call.refuse(UNUSABLE, &shown, &place, reason);
    };
    let name = crate::receipts::file_name(&draft_hash);
    let folder = crate::files::python_path(call.value("--out-dir").unwrap_or_default());
    let target = crate::files::python_path(folder.join(name).as_os_str());
    let receipt_path = crate::files::display(target.as_os_str());
    let report = report(word, &draft_hash, &receipt_path, &reasons, counts);
    let mut out = Completion {
        status: u8::from(!reasons.is_empty()),
        ..Completion::default()
    };
    let report = Text::from_wtf8(dump(&report, Style::UNICODE_INDENTED).into());
    if out.push_stdout(&report).is_err() {
        let reason = "the path of the output folder is not UTF-8";
        return call.refuse(UNUSABLE, &receipt_path, "", reason);
    }
    if let Err(error) = crate::receipts::write(&folder, &target, &receipt) {
        let words = os_error(&error, &receipt_path);
        return call.refuse(UNUSABLE, &receipt_path, "", &words);
    }
    for reason in &reasons {
        out.push_stderr(&Line::new().plain("FAIL: ").text(&reason.japanese()).done());
    }
    out
}

fn fail(line: Line) -> Completion {
    Completion::fail(UNUSABLE, &line.done())
}

fn unreadable(shown: &Text<'_>, words: &str) -> Completion {
    fail(
        Line::new()
            .plain("入力 JSON を読めない: ")
            .text(shown)
            .plain(": ")
            .plain(words),
    )
}

fn report(
    word: &'static str,
    draft_hash: &str,
    receipt_path: &Text<'static>,
    reasons: &[Reason],
    counts: FindingCounts,
) -> Value<'static> {
    let mut finding_counts = Object::new();
    finding_counts.insert("high", counts.high);
    finding_counts.insert("medium", counts.medium);
    finding_counts.insert("low", counts.low);
    let mut report = Object::new();
    report.insert("verdict", word);
    report.insert("draft_hash", draft_hash.to_owned());
    report.insert("receipt_path", Value::Str(receipt_path.clone()));
    let reasons = reasons.iter().map(|reason| Value::Str(reason.japanese()));
    report.insert("fail_reasons", Value::Array(reasons.collect()));
    report.insert("finding_counts", Value::Object(finding_counts));
    Value::Object(report)
}
