//! The canonical template of a scorecard, and the check that keeps it in step with the rules.
//!
//! In: a template. Out: the faults of its fences, fields and severities; none for the one shipped.

use super::{FIELDS, HEADER, SEVERITIES};
use crate::value::front_matter::split_front_matter;
use crate::value::yaml::{YamlMap, YamlValue, parse_yaml};

/// The template that `gatewright scorecard template` prints.
pub const TEMPLATE: &str = include_str!("template.md");

/// What keeps `template` from being a template of the rules in force.
pub fn faults(template: &str) -> Vec<String> {
    let Ok(parts) = split_front_matter(template.as_bytes()) else {
        return vec![
            "its front matter does not stand between two lines of exactly `---`".to_owned(),
        ];
    };
    let header = match parse_yaml(parts.yaml) {
        Ok(YamlValue::Map(header)) => header,
        Ok(_) => return vec!["its front matter is no mapping".to_owned()],
        Err(error) => return vec![format!("its front matter is no YAML: {error}")],
    };
    let mut found = Vec::new();
    let mut expect_keys = |place: &str, map: &YamlMap, wanted: &[&str]| {
        let keys: Vec<String> = map
            .iter()
            .map(|member| member.key.to_printed().to_display().into_owned())
            .collect();
        if keys != wanted {
            found.push(format!(
                "{place} has the fields {}, expected {}",
                keys.join(", "),
                wanted.join(", ")
            ));
        }
    };
    expect_keys("the front matter", &header, &HEADER);
    let findings = header
        .get("findings")
        .and_then(YamlValue::as_list)
        .unwrap_or_default();
    for finding in findings {
        match finding.as_map() {
            Some(finding) => expect_keys("a finding", finding, &FIELDS),
            None => expect_keys("a finding", &YamlMap::new(), &FIELDS),
        }
    }
    if findings.is_empty() {
        found.push("it shows no finding".to_owned());
    }
    for finding in findings.iter().filter_map(YamlValue::as_map) {
        let severity = finding
            .get("severity")
            .map(|severity| severity.to_printed().to_display().into_owned());
        if !severity
            .as_deref()
            .is_some_and(|severity| SEVERITIES.contains(&severity))
        {
            found.push(format!("its severity is {}", severity.unwrap_or_default()));
        }
        for field in FIELDS {
            if finding
                .get(field)
                .is_some_and(|value| value.as_text().is_none())
            {
                found.push(format!("its {field} is no text"));
            }
        }
    }
    let body = String::from_utf8_lossy(parts.body);
    if !body.contains(&SEVERITIES.join(", ")) {
        found.push(format!(
            "its body does not name the severities {}",
            SEVERITIES.join(", ")
        ));
    }
    if !crate::gates::scorecard::disguise::shows_prose(&body) {
        found.push("its body has no prose".to_owned());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_in_step_with_the_rules() {
        assert_eq!(faults(TEMPLATE), Vec::<String>::new());
    }

    #[test]
    fn a_template_that_drifts_is_refused() {
        let table = [
            (
                "---\npersona",
                "--- # YAML doc delimiter\npersona",
                "two lines of exactly `---`",
            ),
            (
                "\n---\n\n## Summary",
                "\n--- # end\n\n## Summary",
                "two lines of exactly `---`",
            ),
            (
                "run_id: RUN_ID\n",
                "",
                "the front matter has the fields persona, findings",
            ),
            ("findings:", "results:", "the front matter has the fields"),
            (
                "    ask: \"One concrete line: what to change.\"\n",
                "",
                "a finding has the fields",
            ),
            (
                "    category: correctness\n",
                "    category: correctness\n    note: x\n",
                "a finding has the fields",
            ),
            (
                "severity: minor",
                "severity: medium",
                "its severity is medium",
            ),
            ("id: placeholder", "id: 7", "its id is no text"),
            (
                "blocker, major, minor, nit",
                "blocker, major, minor",
                "does not name the severities",
            ),
            ("persona: PERSONA", "persona: [", "is no YAML"),
        ];
        for (from, to, wanted) in table {
            assert!(TEMPLATE.contains(from), "{from}");
            let found = faults(&TEMPLATE.replacen(from, to, 1));
            assert!(
                found.iter().any(|fault| fault.contains(wanted)),
                "{from:?} -> {to:?}: {found:?}"
            );
        }
        let prose = TEMPLATE.split("Severity is").next().unwrap();
        assert!(faults(prose).contains(&"its body has no prose".to_owned()));
    }
}
