//! CL-10: the request ledger: budgets, stops, origins, levers.

use super::rule;
use crate::gates::draft::reading::{integer, is_same_json, quoted};
use crate::gates::draft::{Context, Draft, Findings, JsonFile, Limits, LoadPolicy};
use crate::rule::Rule;
use crate::say;
use crate::value::{Object, Text, Value};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// There is no ledger.
pub const MISSING: Rule = rule!(
    "CL10-MISSING", "no-ledger", Error, "12.11",
    checks: "There is no request ledger, or it is an empty object.",
    why: "Without it nobody can tell what the analysis cost the site.",
    fails: "\"request_ledger\": {}",
    repaired: "\"request_ledger\": {\"consumed_this_run\": {…}, \"cumulative\": {…}, …}",
    remedy: "hand the fetcher's ledger to the emitter",
);
/// The ledger cannot be read.
pub const UNREADABLE: Rule = rule!(
    "CL10-UNREADABLE", "unreadable-ledger", Error, "12.11",
    checks: "The ledger is not JSON, has neither of the two forms, or a needed number is not an integer.",
    why: "A budget that cannot be read has not been kept.",
    fails: "{\"requests\": 3}",
    repaired: "{\"https://shop.example\": {\"requests\": 3, \"bytes\": 1200, \"pages\": 1}}",
    remedy: "write the ledger as the fetcher does, with integers",
);
/// File and copy differ.
pub const MISMATCH: Rule = rule!(
    "CL10-MISMATCH", "ledger-mismatch", Error, "12.11",
    checks: "`request-ledger.json` and `request_ledger` of the blueprint are not equal as JSON.",
    why: "Only the copy is inside the draft hash; a file that says something else was changed afterwards.",
    fails: "request-ledger.json with 9 requests, the copy with 8",
    repaired: "both with the same content",
    remedy: "emit the draft again from the fetcher's ledger",
);
/// A budget is exceeded.
pub const BUDGET: Rule = rule!(
    "CL10-BUDGET", "budget-exceeded", Error, "12.11",
    checks: "Requests, bytes or pages are above the limit of the crawl mode, or what remained is below zero. Requests count every attempt.",
    why: "The load on somebody else's site is limited by agreement.",
    fails: "\"network_requests\": 31, \"crawl_mode\": \"single\"   (the limit is 30)",
    repaired: "\"network_requests\": 8",
    remedy: "crawl less, or hand over the budget file that carries the approval",
);
/// A number is missing.
pub const PARTIAL: Rule = rule!(
    "CL10-PARTIAL", "partial-ledger", Warning, "12.11",
    checks: "A ledger by origin lacks one of requests, bytes, pages.",
    why: "The missing number cannot be compared with its limit.",
    fails: "{\"https://shop.example\": {\"requests\": 3}}",
    repaired: "{\"https://shop.example\": {\"requests\": 3, \"bytes\": 1200, \"pages\": 1}}",
    remedy: "record the number",
);
/// The budget was reset.
pub const RESET: Rule = rule!(
    "CL10-RESET", "budget-reset", Error, "12.11",
    checks: "`budget_reset_on_retry` is true.",
    why: "A budget that starts again with each retry is no budget.",
    fails: "\"budget_reset_on_retry\": true",
    repaired: "\"budget_reset_on_retry\": false",
    remedy: "run the fetcher with a budget that is kept across retries",
);
/// More retries than requests allow.
pub const RETRY: Rule = rule!(
    "CL10-RETRY", "too-many-retries", Error, "12.11",
    checks: "`retries_used` is more than the requests of this run and one.",
    why: "At most one repeat per request is allowed.",
    fails: "\"retries_used\": 9, \"consumed_this_run\": {\"requests\": 4, …}",
    repaired: "\"retries_used\": 1",
    remedy: "limit the fetcher to one repeat per request",
);
/// Another origin was fetched.
pub const ORIGIN: Rule = rule!(
    "CL10-ORIGIN", "foreign-origin", Error, "12.11",
    checks: "A `fetched` event is of another origin than the ledger's `origin`.",
    why: "The authorisation covers one origin.",
    fails: "{\"action\": \"fetched\", \"url\": \"https://cdn.example/a\", …}   (origin https://shop.example)",
    repaired: "{\"action\": \"observation_gap\", \"url\": …, \"redirect_origin\": \"https://cdn.example\"}",
    remedy: "record foreign resources as gaps and do not fetch them",
);
/// A stop was ignored.
pub const STOP: Rule = rule!(
    "CL10-STOP", "stop-ignored", Error, "12.11",
    checks: "A `fetched` event has status 403 or 429.",
    why: "A conforming fetcher stops there.",
    fails: "{\"action\": \"fetched\", \"http_status\": 429, …}",
    repaired: "\"stopped\": {\"reason\": \"429\", …}",
    remedy: "stop at 403 and 429 and record why",
);
/// A lever is looser.
pub const LEVER: Rule = rule!(
    "CL10-LEVER", "loose-lever", Error, "12.11",
    checks: "An echoed lever is looser than agreed: concurrency other than 1, an interval below 2000 ms, Retry-After not honoured.",
    why: "The load at any moment is limited by agreement too.",
    fails: "\"rate_policy\": {\"max_concurrency_per_origin\": 4}",
    repaired: "\"rate_policy\": {\"max_concurrency_per_origin\": 1, \"min_interval_ms\": 2000, \"honor_retry_after\": true}",
    remedy: "run the fetcher with the agreed levers",
);
/// The modes differ.
pub const MODE: Rule = rule!(
    "CL10-MODE", "crawl-mode-mismatch", Warning, "12.11",
    checks: "The ledger's `crawl_mode` differs from `site_inventory.crawl_mode`.",
    why: "The limits depend on the mode.",
    fails: "ledger \"single\", inventory \"full_site\"",
    repaired: "both \"single\"",
    remedy: "write the mode that was run",
);
/// Too many pages rendered.
pub const RENDER: Rule = rule!(
    "CL10-RENDER", "too-many-renderings", Error, "12.11",
    checks: "More distinct URLs were rendered than the page limit allows.",
    why: "Each rendering loads the page again; none of it is counted as requests.",
    fails: "\"browser_render\": [four different URLs], \"crawl_mode\": \"single\"   (the limit is 3)",
    repaired: "three of them",
    remedy: "render fewer pages",
);

/// The rules of this file.
pub const RULES: &[Rule] = &[
    MISSING, UNREADABLE, MISMATCH, BUDGET, PARTIAL, RESET, RETRY, ORIGIN, STOP, LEVER, MODE, RENDER,
];

const SINGLE: Limits = Limits {
    requests: 30,
    bytes: 10_485_760,
    pages: 3,
};
const FULL_SITE: Limits = Limits {
    requests: 200,
    bytes: 33_554_432,
    pages: 20,
};
/// Shortest time between two requests, in milliseconds.
const MIN_INTERVAL_MS: i128 = 2000;
/// Parts of a ledger that may echo the levers.
const LEVER_PARTS: [&str; 2] = ["rate_policy", "instant_load_levers"];
/// The numbers of a ledger.
const NUMBERS: [&str; 3] = ["requests", "bytes", "pages"];

impl Limits {
    fn of(&self, number: &str) -> i128 {
        match number {
            "requests" => self.requests,
            "bytes" => self.bytes,
            _ => self.pages,
        }
    }
}

/// The note of a budget file that a higher budget was approved.
const APPROVAL: &str = "per_run_override applied (approved_by_user=true)";

/// The limits of a budget file, when it carries the approval note.
///
/// Each number is looked for at the root and in `per_run`, `per_run_override`, `budget` and
/// `limits`, as itself or with `max_` in front; one that is not there stays at its default.
pub fn approved_limits(budget: &Value<'_>) -> Option<Limits> {
    let is_approved = budget
        .get("per_run_override_note")
        .and_then(Value::as_text)
        .is_some_and(|note| note == APPROVAL);
    if !is_approved {
        return None;
    }
    let parts: Vec<&Value<'_>> = ["per_run", "per_run_override", "budget", "limits"]
        .iter()
        .filter_map(|name| budget.get(name))
        .chain(std::iter::once(budget))
        .collect();
    let number = |name: &str| {
        parts
            .iter()
            .flat_map(|part| [part.get(name), part.get(&format!("max_{name}"))])
            .flatten()
            .find_map(integer)
            .unwrap_or(0)
    };
    Some(Limits {
        requests: number("requests"),
        bytes: number("bytes"),
        pages: number("pages"),
    })
}

/// The ledger in force and where it stands.
#[derive(Debug)]
pub struct Source<'d> {
    /// The ledger, unless it is missing or not JSON.
    value: Option<&'d Value<'d>>,
    /// Place without its mark.
    place: &'static str,
    /// Mark between place and member.
    mark: &'static str,
    /// Why the file is not JSON.
    fault: Option<&'d str>,
}

impl<'d> Source<'d> {
    /// `request-ledger.json` if present, otherwise the copy in the blueprint.
    pub fn of(draft: &'d Draft<'d>) -> Self {
        match &draft.ledger {
            JsonFile::Missing => Self {
                value: draft
                    .blueprint
                    .get("request_ledger")
                    .filter(|value| !matches!(value, Value::Null)),
                place: "blueprint.json#request_ledger",
                mark: ".",
                fault: None,
            },
            JsonFile::Unreadable(reason) => Self {
                value: None,
                place: "request-ledger.json",
                mark: "#",
                fault: Some(reason),
            },
            JsonFile::Json(value) => Self {
                value: Some(value),
                place: "request-ledger.json",
                mark: "#",
                fault: None,
            },
        }
    }

    /// The location of a member of the ledger.
    pub fn member(&self, path: &str) -> String {
        format!("{}{}{path}", self.place, self.mark)
    }

    fn get(&self, name: &str) -> Option<&'d Value<'d>> {
        self.value?.get(name)
    }

    /// URLs that were rendered, with their position in `browser_render`.
    pub fn rendered(&self) -> impl Iterator<Item = (usize, &'d Text<'d>)> {
        self.get("browser_render")
            .and_then(Value::as_array)
            .unwrap_or_default()
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.get("rendered").is_some_and(Value::is_true))
            .filter_map(|(index, entry)| Some((index, entry.get("url")?.as_text()?)))
    }
}

/// The two forms of a ledger.
enum Form<'d> {
    /// What the fetcher writes.
    Run(&'d Object<'d>),
    /// A map from origin to totals.
    Origins(Vec<(&'d Text<'d>, &'d Value<'d>)>),
    /// Neither.
    Unknown,
}

fn form_of<'d>(object: &'d Object<'d>) -> Form<'d> {
    if object.contains_key("consumed_this_run") || object.contains_key("cumulative") {
        return Form::Run(object);
    }
    let origins: Vec<_> = object
        .iter()
        .filter(|(key, _)| {
            key.as_bytes().starts_with(b"http://") || key.as_bytes().starts_with(b"https://")
        })
        .map(|(key, value)| (key, value))
        .collect();
    if origins.is_empty() {
        Form::Unknown
    } else {
        Form::Origins(origins)
    }
}

/// What is collected while the ledger is read.
struct Examination<'e, 'd> {
    context: &'e Context<'d>,
    out: &'e mut Findings,
    within_budget: bool,
    concurrency_ok: bool,
    figures: Vec<String>,
}

/// Apply the rules and say what they mean for the load policy.
pub fn examine(context: &Context<'_>, out: &mut Findings) -> LoadPolicy {
    let ledger = &context.ledger;
    let mut examination = Examination {
        context,
        out,
        within_budget: true,
        concurrency_ok: true,
        figures: Vec::new(),
    };
    examination.mismatch();
    examination.read();
    let Examination {
        within_budget,
        concurrency_ok,
        mut figures,
        out,
        ..
    } = examination;
    let renders = ledger
        .get("browser_render")
        .and_then(Value::as_array)
        .unwrap_or_default();
    let screenshot_budget_ok = (!renders.is_empty()).then(|| renderings(context, out));
    let has_levers = LEVER_PARTS.iter().any(|part| {
        ledger
            .get(part)
            .is_some_and(|part| levers(part).next().is_some())
    });
    if !has_levers {
        figures.push(String::from("no timing in ledger"));
    }
    if !renders.is_empty() {
        figures.push(String::from("browser traffic not counted"));
    }
    if context.draft.prompts.is_none() {
        figures.push(String::from(
            "prompt files not given: CL-7 left to the caller's findings",
        ));
    }
    LoadPolicy {
        within_budget,
        concurrency_ok,
        screenshot_budget_ok,
        notes: figures.join("; "),
    }
}

/// The limits of a mode: the defaults, or higher ones that were approved.
fn limits(context: &Context<'_>, mode: &[u8]) -> Limits {
    let default = if mode == b"full_site" {
        FULL_SITE
    } else {
        SINGLE
    };
    match context.draft.approved_limits {
        None => default,
        Some(approved) => Limits {
            requests: default.requests.max(approved.requests),
            bytes: default.bytes.max(approved.bytes),
            pages: default.pages.max(approved.pages),
        },
    }
}

/// The mode that the ledger's limits follow: its own, else that of the inventory.
fn mode<'c>(context: &'c Context<'_>) -> &'c [u8] {
    context
        .ledger
        .get("crawl_mode")
        .and_then(Value::as_text)
        .map_or_else(|| context.inventory.crawl_mode(), Text::as_bytes)
}

fn renderings(context: &Context<'_>, out: &mut Findings) -> bool {
    let distinct: BTreeSet<&[u8]> = context
        .ledger
        .rendered()
        .map(|(_, url)| url.as_bytes())
        .collect();
    let limit = limits(context, mode(context)).pages;
    let is_within = i128::try_from(distinct.len()).is_ok_and(|count| count <= limit);
    if !is_within {
        out.add(
            &RENDER,
            context.ledger.member("browser_render"),
            say!(
                context.lang,
                "描画した URL が {0} 件あり、ページ上限 {1} を超える",
                "{0} distinct URLs were rendered, the page limit is {1}",
                distinct.len(),
                limit,
            ),
        );
    }
    is_within
}

/// The levers that a part echoes.
fn levers<'d>(part: &'d Value<'d>) -> impl Iterator<Item = (&'static str, &'d Value<'d>)> {
    [
        "max_concurrency_per_origin",
        "min_interval_ms",
        "honor_retry_after",
    ]
    .into_iter()
    .filter_map(|name| Some((name, part.get(name)?)))
}

impl Examination<'_, '_> {
    fn mismatch(&mut self) {
        let JsonFile::Json(file) = &self.context.draft.ledger else {
            return;
        };
        let copy = self.context.member("request_ledger");
        if copy.is_none_or(|copy| !is_same_json(file, copy)) {
            self.out.add(
                &MISMATCH,
                "request-ledger.json",
                say!(
                    self.context.lang,
                    "`request-ledger.json` が blueprint の `request_ledger` と異なる ({0})",
                    "`request-ledger.json` differs from `request_ledger` of the blueprint ({0})",
                    first_difference(file, copy),
                ),
            );
        }
    }

    fn read(&mut self) {
        let context = self.context;
        let ledger = &context.ledger;
        if let Some(fault) = ledger.fault {
            self.unreadable(ledger.place.to_owned(), fault, true);
            return;
        }
        let Some(value) = ledger.value else {
            self.missing();
            return;
        };
        let Some(object) = value.as_object() else {
            self.unreadable(ledger.place.to_owned(), &quoted(Some(value)), true);
            return;
        };
        if object.is_empty() {
            self.missing();
            return;
        }
        match form_of(object) {
            Form::Unknown => {
                self.unreadable(ledger.place.to_owned(), &quoted(Some(value)), true);
            }
            Form::Run(run) => {
                self.run(run);
                self.conduct(run);
                self.mode(run);
            }
            Form::Origins(origins) => {
                self.origins(&origins);
                self.conduct(object);
                if object.contains_key("crawl_mode") {
                    self.mode(object);
                }
            }
        }
    }

    fn missing(&mut self) {
        self.within_budget = false;
        self.concurrency_ok = false;
        self.figures.push(String::from("no ledger"));
        self.out.add(
            &MISSING,
            self.context.ledger.place,
            say!(
                self.context.lang,
                "要求台帳が無いか空 ({0})",
                "there is no request ledger, or it is empty ({0})",
                quoted(self.context.ledger.value),
            ),
        );
    }

    fn unreadable(&mut self, loc: String, shown: &str, is_form: bool) {
        self.within_budget = false;
        if is_form {
            self.concurrency_ok = false;
            self.figures.push(String::from("ledger not readable"));
        }
        self.out.add(
            &UNREADABLE,
            loc,
            say!(
                self.context.lang,
                "要求台帳を読めない: {0}",
                "the request ledger cannot be read: {0}",
                shown,
            ),
        );
    }

    /// A needed integer of a run, or a finding at its place.
    fn needed(&mut self, value: Option<&Value<'_>>, path: &str) -> Option<i128> {
        let number = value.and_then(integer);
        if number.is_none() {
            let loc = self.context.ledger.member(path);
            self.unreadable(loc, &quoted(value), false);
        }
        number
    }

    fn run(&mut self, run: &Object<'_>) {
        let mode = mode(self.context);
        let is_full = mode == b"full_site";
        let limits = limits(self.context, mode);
        let basis = if is_full {
            "consumed_this_run"
        } else {
            "cumulative"
        };
        let number = |part: &str, name: &str| run.get(part).and_then(|part| part.get(name));
        let mut line = String::new();
        for name in NUMBERS {
            let path = format!("{basis}.{name}");
            let Some(mut figure) = self.needed(number(basis, name), &path) else {
                continue;
            };
            if name == "requests" {
                figure = figure.max(self.attempts(run, is_full, figure).unwrap_or(figure));
            }
            let remaining = match number("remaining_after", name) {
                None => None,
                Some(value) => self.needed(Some(value), &format!("remaining_after.{name}")),
            };
            let limit = limits.of(name);
            let _ = write!(
                line,
                "{}{name} {figure}/{limit}",
                if line.is_empty() { "" } else { ", " }
            );
            self.budget(&path, name, figure, limit, remaining);
        }
        if !line.is_empty() {
            let _ = write!(line, " ({})", String::from_utf8_lossy(mode));
            self.figures.insert(0, line);
        }
    }

    /// Earlier runs and every attempt of this one.
    fn attempts(&mut self, run: &Object<'_>, is_full: bool, cumulative: i128) -> Option<i128> {
        let earlier = if is_full {
            0
        } else {
            let consumed = run
                .get("consumed_this_run")
                .and_then(|part| part.get("requests"));
            let consumed = self.needed(consumed, "consumed_this_run.requests")?;
            cumulative.saturating_sub(consumed)
        };
        let attempts = self.needed(run.get("network_requests"), "network_requests")?;
        Some(earlier.saturating_add(attempts))
    }

    fn budget(
        &mut self,
        path: &str,
        name: &str,
        figure: i128,
        limit: i128,
        remaining: Option<i128>,
    ) {
        let lang = self.context.lang;
        let reason = if figure > limit {
            say!(
                lang,
                "`{0}` {1} が上限 {2} を超える",
                "`{0}` {1} is above the limit {2}",
                name,
                figure,
                limit,
            )
        } else if let Some(remaining) = remaining
            && remaining < 0
        {
            say!(
                lang,
                "`{0}` の残り {1} が 0 を下回る",
                "{1} `{0}` remained, below zero",
                name,
                remaining,
            )
        } else {
            return;
        };
        self.within_budget = false;
        self.out
            .add(&BUDGET, self.context.ledger.member(path), reason);
    }

    fn origins(&mut self, origins: &[(&Text<'_>, &Value<'_>)]) {
        let mode = mode(self.context);
        let limits = limits(self.context, mode);
        let mut line = String::new();
        for (origin, totals) in origins {
            let origin = origin.to_display();
            for name in NUMBERS {
                let path = format!("{origin}.{name}");
                let Some(value) = totals.get(name) else {
                    self.out.add(
                        &PARTIAL,
                        self.context.ledger.member(&path),
                        say!(
                            self.context.lang,
                            "origin `{0}` の `{1}` が無い ({2})",
                            "`{1}` of the origin `{0}` is missing ({2})",
                            crate::finding::excerpt(&origin),
                            name,
                            quoted(Some(totals)),
                        ),
                    );
                    continue;
                };
                let Some(figure) = self.needed(Some(value), &path) else {
                    continue;
                };
                let limit = limits.of(name);
                let _ = write!(
                    line,
                    "{}{name} {figure}/{limit}",
                    if line.is_empty() { "" } else { ", " }
                );
                self.budget(&path, name, figure, limit, None);
            }
        }
        if !line.is_empty() {
            let _ = write!(line, " ({}, by origin)", String::from_utf8_lossy(mode));
            self.figures.insert(0, line);
        }
    }

    /// Resets, retries, events, levers.
    fn conduct(&mut self, ledger: &Object<'_>) {
        let context = self.context;
        let place = &context.ledger;
        if ledger
            .get("budget_reset_on_retry")
            .is_some_and(Value::is_true)
        {
            self.within_budget = false;
            self.out.add(
                &RESET,
                place.member("budget_reset_on_retry"),
                say!(
                    context.lang,
                    "`budget_reset_on_retry` が true",
                    "`budget_reset_on_retry` is true"
                ),
            );
        }
        let consumed = ledger
            .get("consumed_this_run")
            .and_then(|part| part.get("requests"))
            .and_then(integer);
        if let Some(value) = ledger.get("retries_used") {
            let retries = self.needed(Some(value), "retries_used");
            if let (Some(retries), Some(consumed)) = (retries, consumed)
                && retries > consumed.saturating_add(1)
            {
                self.out.add(
                    &RETRY,
                    place.member("retries_used"),
                    say!(
                        context.lang,
                        "再試行 {0} 回が、この回の要求 {1} 件 + 1 を超える",
                        "{0} retries are more than the {1} requests of this run and one",
                        retries,
                        consumed,
                    ),
                );
            }
        }
        self.events(ledger);
        for part in LEVER_PARTS {
            for (name, value) in ledger.get(part).into_iter().flat_map(levers) {
                self.lever(part, name, value);
            }
        }
    }

    fn events(&mut self, ledger: &Object<'_>) {
        let context = self.context;
        let home = ledger.get("origin").and_then(Value::as_text).map(origin_of);
        let events = ledger.get("events").and_then(Value::as_array);
        for (index, event) in events.unwrap_or_default().iter().enumerate() {
            let is_fetched = event
                .get("action")
                .and_then(Value::as_text)
                .is_some_and(|action| action == "fetched");
            if !is_fetched {
                continue;
            }
            let loc = context.ledger.member(&format!("events[{index}]"));
            if let (Some(home), Some(url)) = (&home, event.get("url").and_then(Value::as_text))
                && origin_of(url) != *home
            {
                self.out.add(
                    &ORIGIN,
                    loc.clone(),
                    say!(
                        context.lang,
                        "{0} は対象 origin {1} の外から取得されている",
                        "{0} was fetched from outside the origin {1}",
                        quoted(event.get("url")),
                        quoted(ledger.get("origin")),
                    ),
                );
            }
            let status = event.get("http_status");
            if let Some(403 | 429) = status.and_then(integer) {
                self.out.add(
                    &STOP,
                    loc,
                    say!(
                        context.lang,
                        "状態 {0} の応答を取得として記録している ({1})",
                        "status {0} is recorded as fetched ({1}) instead of a stop",
                        quoted(status),
                        quoted(event.get("url")),
                    ),
                );
            }
        }
    }

    fn lever(&mut self, part: &str, name: &'static str, value: &Value<'_>) {
        let (is_kept, expected) = match name {
            "max_concurrency_per_origin" => (integer(value) == Some(1), "1"),
            "min_interval_ms" => {
                let is_long = if let Value::Float(number) = value {
                    *number >= 2000.0
                } else {
                    integer(value).is_some_and(|number| number >= MIN_INTERVAL_MS)
                };
                (is_long, ">= 2000")
            }
            _ => (value.is_true(), "true"),
        };
        if is_kept {
            return;
        }
        if name == "max_concurrency_per_origin" {
            self.concurrency_ok = false;
        }
        self.out.add(
            &LEVER,
            self.context.ledger.member(&format!("{part}.{name}")),
            say!(
                self.context.lang,
                "`{0}` {1} が取り決めより緩い (期待 {2})",
                "`{0}` {1} is looser than agreed ({2})",
                name,
                quoted(Some(value)),
                expected,
            ),
        );
    }

    fn mode(&mut self, ledger: &Object<'_>) {
        let context = self.context;
        let stated = ledger.get("crawl_mode");
        let is_same = stated
            .and_then(Value::as_text)
            .is_some_and(|mode| mode.as_bytes() == context.inventory.crawl_mode());
        if !is_same {
            self.out.add(
                &MODE,
                context.ledger.member("crawl_mode"),
                say!(
                    context.lang,
                    "台帳の crawl_mode {0} が site_inventory の `{1}` と異なる",
                    "the ledger's crawl_mode {0} differs from `{1}` of site_inventory",
                    quoted(stated),
                    String::from_utf8_lossy(context.inventory.crawl_mode()),
                ),
            );
        }
    }
}

/// The first member in which two ledgers differ.
fn first_difference(file: &Value<'_>, copy: Option<&Value<'_>>) -> String {
    let (Some(file), Some(copy)) = (file.as_object(), copy.and_then(Value::as_object)) else {
        return format!("file {}, copy {}", quoted(Some(file)), quoted(copy));
    };
    let differs = |one: &Object<'_>, key: &Text<'_>| !matches!((one.get_text(key), file.get_text(key)), (Some(left), Some(right)) if is_same_json(left, right));
    let key = file.keys().find(|key| differs(copy, key)).or_else(|| {
        copy.keys()
            .find(|key| !file.contains_key(&key.to_display()))
    });
    key.map_or_else(String::new, |key| {
        format!(
            "`{}`: file {}, copy {}",
            crate::finding::excerpt(&key.to_display()),
            quoted(file.get_text(key)),
            quoted(copy.get_text(key))
        )
    })
}

/// Scheme, host and port of a URL, lower-case, the scheme's own port left out.
fn origin_of(url: &Text<'_>) -> String {
    let url = url.to_display();
    let url = url.trim();
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_lowercase();
    };
    let scheme = scheme.to_lowercase();
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or(rest);
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host)
        .to_lowercase();
    let own_port = match scheme.as_str() {
        "http" => ":80",
        "https" => ":443",
        _ => ":",
    };
    let host = host.strip_suffix(own_port).unwrap_or(&host);
    format!("{scheme}://{}", host.strip_suffix(':').unwrap_or(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_compared_without_what_does_not_tell_them_apart() {
        for (url, origin) in [
            ("https://Shop.example/a?b#c", "https://shop.example"),
            ("https://shop.example:443", "https://shop.example"),
            ("http://shop.example:8080/", "http://shop.example:8080"),
            ("https://user:p@shop.example/", "https://shop.example"),
            ("https://shop.example.evil/", "https://shop.example.evil"),
            ("https://shop.example:", "https://shop.example"),
        ] {
            assert_eq!(origin_of(&Text::borrowed(url)), origin, "{url}");
        }
    }
}
