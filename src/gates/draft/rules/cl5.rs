//! CL-5: technology named from signals alone.

use super::rule;
use crate::gates::draft::place::in_blueprint;
use crate::gates::draft::reading::quoted;
use crate::gates::draft::{Context, Findings};
use crate::rule::Rule;
use crate::say;

/// A product is named without a signal.
pub const NAMED: Rule = rule!(
    "CL5-NAMED", "product-without-signal", Error, "12.6",
    checks: "An item of `tech_stack.identified` has no direct reference into `tech_stack.signals` or `nonfunctional_baseline`.",
    why: "A product name must rest on something the site sent, not on a heading or an impression.",
    fails: "{\"name\": \"Next.js\", \"evidence_refs\": [\"copy-home\"], …}",
    repaired: "{\"name\": \"Express\", \"evidence_refs\": [\"tech_stack.signals.response_headers.x-powered-by\"], …}",
    remedy: "reference the signal that points to the product, or drop the item",
);
/// A product is named among the signals.
pub const NAMED_IN_FACT: Rule = rule!(
    "CL5-NAMED-IN-FACT", "product-among-signals", Error, "12.6",
    checks: "`tech_stack.signals` has a member `framework`, `hosting`, `cdn`, `analytics`, `saas` or `identified`.",
    why: "Signals are facts; naming a product is an inference and belongs to `identified`.",
    fails: "\"signals\": {\"framework\": \"Express\", …}",
    repaired: "\"identified\": [{\"name\": \"Express\", \"category\": \"framework\", …}]",
    remedy: "move the name to `tech_stack.identified` with its evidence",
);

/// The rules of this file.
pub const RULES: &[Rule] = &[NAMED, NAMED_IN_FACT];

/// Apply them.
pub fn check(context: &Context<'_>, out: &mut Findings) {
    for (record, resolved) in context
        .survey
        .records
        .iter()
        .zip(&context.evidence.resolved)
    {
        if record.path.starts_with("tech_stack.identified[")
            && record.path.ends_with(']')
            && !record.path.contains("].")
            && !resolved.has_signal
        {
            out.add(
                &NAMED,
                in_blueprint(&record.path),
                say!(
                    context.lang,
                    "製品名 {0} が信号や非機能の観測に直接結び付いていない (根拠 {1})",
                    "the product {0} rests on no signal and no baseline fact (references {1})",
                    quoted(record.value.get("name")),
                    quoted(record.value.get("evidence_refs")),
                ),
            );
        }
    }
    let signals = context.inner("tech_stack", "signals");
    for name in [
        "framework",
        "hosting",
        "cdn",
        "analytics",
        "saas",
        "identified",
    ] {
        if let Some(value) = signals.and_then(|signals| signals.get(name)) {
            out.add(
                &NAMED_IN_FACT,
                in_blueprint(format!("tech_stack.signals.{name}")),
                say!(
                    context.lang,
                    "事実の欄に製品名の要素 `{0}` がある ({1})",
                    "the signals hold `{0}` ({1}), which names a product",
                    name,
                    quoted(Some(value)),
                ),
            );
        }
    }
}
