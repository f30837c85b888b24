//! Attestations: what a gate decided about which bytes, as an unsigned in-toto Statement.
//!
//! In: files with digests and what was decided. Out: the bytes of `NAME.intoto.json` (Statement v1,
//! predicate `test-result` v0.1), and back, also from a signed envelope around it. Signing and checking
//! signatures is left to the tools that hold keys (cosign, sigstore): what is read here is taken as it is.

use crate::finding::excerpt;
use crate::invariant::Invariant as _;
use crate::value::json::repeated::first_ambiguous;
use base64::Engine as _;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// `_type` of a Statement.
pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
/// `predicateType` of a test result.
pub const PREDICATE_TYPE: &str = "https://in-toto.io/attestation/test-result/v0.1";
/// How attestations are called.
pub const SUFFIX: &str = ".intoto.json";
/// `payloadType` of a signed envelope around a Statement.
const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";
const SHA256: &str = "sha256";

/// A Statement about a test result.
///
/// # Examples
/// ```
/// use gatewright::attestation::{Resource, Said, Statement};
///
/// let said = Said { gate: "blueprint verdict", verdict: "PASS".into(), ..Said::default() };
/// let statement = Statement::new(vec![Resource::file("a.json", "00ff")], said, Vec::new());
/// assert_eq!(statement.predicate.result, "PASSED");
/// assert_eq!(Statement::read(&statement.to_bytes()), Ok(statement.clone()));
/// let now = [Resource::file("a.json", "ff00")];
/// assert_eq!(statement.subject_disagreements(&now)[0].path, "$.subject[0]");
/// ```
///
/// Members stand in the order in which they are written; what others
/// add is passed over, as in-toto demands of readers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// [`STATEMENT_TYPE`].
    #[serde(rename = "_type")]
    pub statement_type: String,
    /// The files that were judged.
    pub subject: Vec<Resource>,
    /// [`PREDICATE_TYPE`].
    #[serde(rename = "predicateType")]
    pub predicate_type: String,
    /// What was decided.
    pub predicate: TestResult,
}

/// A file, or the tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resource {
    /// Path with forward slashes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Where a thing without bytes at hand is known by.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub uri: String,
    /// Digests by algorithm.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub digest: BTreeMap<String, String>,
}

impl Resource {
    /// The file called `name` whose bytes have the digest `sha256`.
    pub fn file(name: impl Into<String>, sha256: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            uri: String::new(),
            digest: BTreeMap::from([(SHA256.to_owned(), sha256.into())]),
        }
    }

    fn sha256(&self) -> Option<&str> {
        self.digest.get(SHA256).map(String::as_str)
    }
}

/// The predicate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestResult {
    /// `PASSED` or `FAILED`.
    pub result: String,
    /// The tool, and the receipts that the gate wrote or followed.
    pub configuration: Vec<Resource>,
    /// Codes of the rules that the work kept.
    #[serde(rename = "passedTests", default)]
    pub passed_tests: Vec<String>,
    /// Codes of the rules that it broke.
    #[serde(rename = "failedTests", default)]
    pub failed_tests: Vec<String>,
    /// What this tool adds.
    pub gatewright: Decision,
}

/// What gatewright decided, in its own words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The gate, e.g. `blueprint verdict`.
    pub gate: String,
    /// Version of gatewright.
    pub version: String,
    /// The verdict in the gate's own word.
    pub verdict: String,
    /// How many findings there are, by severity.
    pub finding_counts: BTreeMap<String, u64>,
    /// Hash of the draft, for a gate that binds one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft_hash: Option<String>,
}

/// What a gate says of the work.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// The gate.
    pub gate: &'static str,
    /// The verdict in the gate's own word.
    pub verdict: String,
    /// Rules that the work was held to, by code, and whether it kept them.
    pub rules: Vec<(&'static str, bool)>,
    /// Findings by severity.
    pub finding_counts: BTreeMap<String, u64>,
    /// Hash of the draft.
    pub draft_hash: Option<String>,
}

/// A place in a statement and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// Where, e.g. `$.subject[2]`.
    pub path: String,
    /// What stands there, and what was expected.
    pub message: String,
}

impl Statement {
    /// What `said` says of `subject`, on `receipts`.
    pub fn new(subject: Vec<Resource>, said: Said, receipts: Vec<Resource>) -> Self {
        let codes = |is_kept: bool| -> Vec<String> {
            let rules = said.rules.iter();
            rules
                .filter(|(_, kept)| *kept == is_kept)
                .map(|(code, _)| (*code).to_owned())
                .collect()
        };
        let (passed_tests, failed_tests) = (codes(true), codes(false));
        let tool = Resource {
            name: env!("CARGO_PKG_NAME").to_owned(),
            uri: concat!("pkg:pypi/gatewright@", env!("CARGO_PKG_VERSION")).to_owned(),
            digest: BTreeMap::new(),
        };
        let mut configuration = vec![tool];
        configuration.extend(receipts);
        Self {
            statement_type: STATEMENT_TYPE.to_owned(),
            subject,
            predicate_type: PREDICATE_TYPE.to_owned(),
            predicate: TestResult {
                result: if failed_tests.is_empty() {
                    "PASSED".to_owned()
                } else {
                    "FAILED".to_owned()
                },
                configuration,
                passed_tests,
                failed_tests,
                gatewright: Decision {
                    gate: said.gate.to_owned(),
                    version: env!("CARGO_PKG_VERSION").to_owned(),
                    verdict: said.verdict,
                    finding_counts: said.finding_counts,
                    draft_hash: said.draft_hash,
                },
            },
        }
    }

    /// The file: indented, with a final line end. Holds no time, so that the same verdict gives the
    /// same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).holds("a statement is texts and numbers");
        bytes.push(b'\n');
        bytes
    }

    /// A statement from its file, or from the envelope or bundle of a signer around it, whose
    /// signature is not looked at.
    ///
    /// # Errors
    /// Why the bytes are no statement about a test result.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let text = crate::text::python::decode_utf8(bytes)?;
        if let Some(why) = first_ambiguous(text) {
            return Err(why);
        }
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        let envelope = value.get("dsseEnvelope").unwrap_or(&value);
        let Some(payload) = envelope.get("payload") else {
            return serde_json::from_str(text)
                .map_err(|error| format!("no statement about a test result: {error}"));
        };
        let kind = envelope.get("payloadType").and_then(|kind| kind.as_str());
        if kind != Some(PAYLOAD_TYPE) {
            return Err(format!(
                "payloadType of the envelope is `{}`, expected `{PAYLOAD_TYPE}`",
                excerpt(kind.unwrap_or_default())
            ));
        }
        let payload = payload
            .as_str()
            .and_then(|payload| {
                base64::engine::general_purpose::STANDARD
                    .decode(payload)
                    .ok()
            })
            .and_then(|payload| String::from_utf8(payload).ok())
            .ok_or("the payload of the envelope is no text in base64")?;
        if let Some(why) = first_ambiguous(&payload) {
            return Err(format!("payload of the envelope: {why}"));
        }
        serde_json::from_str(&payload).map_err(|error| {
            format!("payload of the envelope: no statement about a test result: {error}")
        })
    }

    /// How the subject differs from `files`, each way.
    pub fn subject_disagreements(&self, files: &[Resource]) -> Vec<Disagreement> {
        let mut found = Vec::new();
        let mut open: BTreeMap<&str, &Resource> = files
            .iter()
            .map(|file| (file.name.as_str(), file))
            .collect();
        let mut seen = std::collections::BTreeSet::new();
        for (index, item) in self.subject.iter().enumerate() {
            let path = format!("$.subject[{index}]");
            let shown = excerpt(&item.name);
            if !seen.insert(&item.name) {
                found.push(Disagreement {
                    path,
                    message: format!("`{shown}` stands twice in the subject"),
                });
                continue;
            }
            let message = match (open.remove(item.name.as_str()), item.sha256()) {
                (None, _) => format!("`{shown}` is attested, and no such file is there"),
                (Some(_), None) => format!("`{shown}` has no sha256 digest"),
                (Some(file), given) if file.sha256() == given => continue,
                (Some(file), Some(given)) => format!(
                    "`{shown}` is attested as sha256 `{}`, the file has `{}`",
                    excerpt(given),
                    file.sha256().unwrap_or("none of its own")
                ),
            };
            found.push(Disagreement { path, message });
        }
        found.extend(open.into_keys().map(|name| Disagreement {
            path: "$.subject".to_owned(),
            message: format!("`{}` is not attested", excerpt(name)),
        }));
        found
    }

    /// How types and predicate differ from `expected`. The version of the tool may be another.
    pub fn predicate_disagreements(&self, expected: &Self) -> Vec<Disagreement> {
        let mut found = Vec::new();
        let mut hold = |path: &str, given: String, wanted: String| {
            if given != wanted {
                found.push(Disagreement {
                    path: path.to_owned(),
                    message: format!("`{}`, expected `{}`", excerpt(&given), excerpt(&wanted)),
                });
            }
        };
        let (given, wanted) = (&self.predicate, &expected.predicate);
        let (own, other) = (&given.gatewright, &wanted.gatewright);
        let counts = |decision: &Decision| {
            let counts = decision.finding_counts.iter();
            counts
                .map(|(severity, count)| format!("{count} {severity}"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let sorted = |codes: &[String]| {
            let mut codes = codes.to_vec();
            codes.sort();
            codes.join(", ")
        };
        let hash = |decision: &Decision| decision.draft_hash.clone().unwrap_or_default();
        for (path, given, wanted) in [
            (
                "$._type",
                self.statement_type.clone(),
                expected.statement_type.clone(),
            ),
            (
                "$.predicateType",
                self.predicate_type.clone(),
                expected.predicate_type.clone(),
            ),
            (
                "$.predicate.result",
                given.result.clone(),
                wanted.result.clone(),
            ),
            (
                "$.predicate.passedTests",
                sorted(&given.passed_tests),
                sorted(&wanted.passed_tests),
            ),
            (
                "$.predicate.failedTests",
                sorted(&given.failed_tests),
                sorted(&wanted.failed_tests),
            ),
            (
                "$.predicate.gatewright.gate",
                own.gate.clone(),
                other.gate.clone(),
            ),
            (
                "$.predicate.gatewright.verdict",
                own.verdict.clone(),
                other.verdict.clone(),
            ),
            (
                "$.predicate.gatewright.finding_counts",
                counts(own),
                counts(other),
            ),
            ("$.predicate.gatewright.draft_hash", hash(own), hash(other)),
        ] {
            hold(path, given, wanted);
        }
        for receipt in wanted
            .configuration
            .iter()
            .filter(|item| !item.digest.is_empty())
        {
            let named = given.configuration.iter().enumerate();
            let mut named = named.filter(|(_, item)| item.name == receipt.name);
            let (path, message) = match (named.next(), named.next()) {
                (None, _) => (
                    "$.predicate.configuration".to_owned(),
                    format!("`{}` is not named", excerpt(&receipt.name)),
                ),
                (Some((index, _)), Some(_)) => (
                    format!("$.predicate.configuration[{index}]"),
                    format!("`{}` is named twice", excerpt(&receipt.name)),
                ),
                (Some((_, item)), None) if item.sha256() == receipt.sha256() => continue,
                (Some((index, item)), None) => (
                    format!("$.predicate.configuration[{index}]"),
                    format!(
                        "`{}` is attested as sha256 `{}`, the file has `{}`",
                        excerpt(&receipt.name),
                        excerpt(item.sha256().unwrap_or_default()),
                        receipt.sha256().unwrap_or_default()
                    ),
                ),
            };
            found.push(Disagreement { path, message });
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement() -> Statement {
        Statement::new(
            vec![Resource::file("a.json", "1"), Resource::file("b.json", "2")],
            Said {
                gate: "blueprint verdict",
                verdict: "PASS".to_owned(),
                rules: vec![("GWV021", true)],
                finding_counts: BTreeMap::from([("high".to_owned(), 0)]),
                draft_hash: Some("h".to_owned()),
            },
            vec![Resource::file("h.verdict.json", "3")],
        )
    }

    #[test]
    fn a_statement_reads_back_plain_and_from_an_envelope() {
        let statement = statement();
        assert_eq!(
            Statement::read(&statement.to_bytes()),
            Ok(statement.clone())
        );
        let payload = base64::engine::general_purpose::STANDARD.encode(statement.to_bytes());
        let envelope = serde_json::json!({
            "payloadType": PAYLOAD_TYPE, "payload": payload, "signatures": [{"sig": "x"}],
        });
        let bundle = serde_json::json!({"mediaType": "x", "dsseEnvelope": envelope});
        for signed in [envelope, bundle] {
            assert_eq!(
                Statement::read(signed.to_string().as_bytes()),
                Ok(statement.clone())
            );
        }
        let other = serde_json::json!({"payloadType": "text/plain", "payload": payload});
        assert_eq!(
            Statement::read(other.to_string().as_bytes()).unwrap_err(),
            "payloadType of the envelope is `text/plain`, expected `application/vnd.in-toto+json`"
        );
    }

    #[test]
    fn every_disagreement_is_named() {
        let expected = statement();
        let mut given = statement();
        assert!(given.predicate_disagreements(&expected).is_empty());
        given.predicate.gatewright.version = "0.0.1".to_owned();
        assert!(given.predicate_disagreements(&expected).is_empty());
        given.predicate.result = "FAILED".to_owned();
        given.predicate.configuration = vec![Resource::file("h.verdict.json", "4")];
        given.subject = vec![
            Resource::file("a.json", "9"),
            Resource::file("c.json", "3"),
            Resource::file("c.json", "3"),
        ];
        let told = |found: Vec<Disagreement>| -> Vec<String> {
            let found = found.into_iter();
            found
                .map(|one| format!("{} {}", one.path, one.message))
                .collect()
        };
        assert_eq!(
            told(given.predicate_disagreements(&expected)),
            [
                "$.predicate.result `FAILED`, expected `PASSED`",
                "$.predicate.configuration[0] `h.verdict.json` is attested as sha256 `4`, the file has `3`",
            ]
        );
        assert_eq!(
            told(given.subject_disagreements(&expected.subject)),
            [
                "$.subject[0] `a.json` is attested as sha256 `9`, the file has `1`",
                "$.subject[1] `c.json` is attested, and no such file is there",
                "$.subject[2] `c.json` stands twice in the subject",
                "$.subject `b.json` is not attested",
            ]
        );
    }
}
