//! CL-9: the gates and the independent palette count.

use super::rule;
use crate::gates::draft::gates::Gate;
use crate::gates::draft::{Context, Findings};
use crate::rule::Rule;
use crate::say;

/// A gate did not pass.
pub const GATE: Rule = rule!(
    "CL9-GATE", "gate-not-passed", Error, "12.10",
    checks: "The diagram gate or the screen gate did not pass, or could not be run.",
    why: "A gate that did not say yes has said no.",
    fails: "mermaid-validate.py ends with exit 1",
    repaired: "mermaid-validate.py ends with exit 0 and `OK`",
    remedy: "mend what the gate's violations name, or give the gate's place with --plugin-root",
);
/// Count and gate disagree.
pub const DISAGREE: Rule = rule!(
    "CL9-DISAGREE", "recount-disagrees", Error, "12.10",
    checks: "The palette count and the screen gate disagree: one has orphans, the other none; or the screen gate's answer could not be read.",
    why: "Two programs that share no code and disagree show a fault in one of them, or a colour only one can see.",
    fails: "the count has an orphan in a hover state, the screen gate none",
    repaired: "both without orphans",
    remedy: "look at the orphan's place; add the colour to the palette or correct the observation",
);

/// The rules of this file.
pub const RULES: &[Rule] = &[GATE, DISAGREE];

/// Apply them.
pub fn check(context: &Context<'_>, out: &mut Findings) {
    let gates = &context.draft.gates;
    for (gate, result) in [
        (Gate::Diagrams, &gates.diagrams),
        (Gate::Screens, &gates.screens),
    ] {
        if !result.is_pass {
            out.add(
                &GATE,
                gate.name(),
                say!(
                    context.lang,
                    "gate が pass でない (exit {0}、違反 {1} 件): {2}",
                    "the gate did not pass (exit {0}, {1} violations): {2}",
                    result.exit_code,
                    result.violations.len(),
                    result
                        .violations
                        .first()
                        .map_or_else(|| String::from("-"), |line| crate::finding::excerpt(line)),
                ),
            );
        }
    }
    let orphans = context.draft.recount.orphans.len();
    if !gates.screens.is_readable {
        out.add(
            &DISAGREE,
            "recount",
            say!(
                context.lang,
                "screen gate の答えを読めず、再計数 (孤児 {0} 件) と照合できない",
                "the screen gate's answer cannot be read, so the count ({0} orphans) cannot be compared",
                orphans,
            ),
        );
    } else if gates.screens.has_orphans() != (orphans > 0) {
        out.add(
            &DISAGREE,
            "recount",
            say!(
                context.lang,
                "再計数の孤児は {0} 件、screen gate の palette 違反は {1}",
                "the count has {0} orphans, the screen gate reports {1}",
                orphans,
                match (context.lang, gates.screens.has_orphans()) {
                    (crate::gates::draft::Lang::Ja, true) => "有り",
                    (crate::gates::draft::Lang::Ja, false) => "無し",
                    (crate::gates::draft::Lang::En, true) => "some",
                    (crate::gates::draft::Lang::En, false) => "none",
                },
            ),
        );
    }
}
