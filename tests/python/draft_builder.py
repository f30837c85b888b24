"""Build draft directories of an invented site: a town library at https://library.test.

``Draft()`` is clean: no rule finds anything. A test changes one thing and writes it; the token
file, the manifest, the ledger copies and the hash are kept in step unless the test says otherwise.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

HOME = "https://library.test/"
BOOK = "https://library.test/books/7"
HOURS = "https://library.test/hours"
FRIEND = "https://friends.test/library"
PASS = {"status": "pass", "violations": []}
FAIL = {"status": "fail", "violations": ["something"]}
ORPHANS = {
    "status": "fail",
    "violations": ["観測色が design-tokens.json の palette に不在 (palette 孤児 != 0): #123456ff"],
}
CATEGORIES = (
    *("identity", "geometry", "layout", "paint", "typography", "media", "effects"),
    *("pseudo_elements", "state", "motion", "responsive", "a11y", "tokens"),
)
CHAPTERS = (
    "00-overview.md",
    "01-frontend-facts.md",
    "02-backend-inference.md",
    "03-uiux-rationale.md",
    "04-nonfunctional-compliance.md",
    "05-site-coverage.md",
)
LENSES = {
    "frontend-surface-analyzer": ["Dan Abramov: state", "Evan You: components"],
    "backend-inference-analyzer": [
        "Martin Kleppmann: data",
        "Werner Vogels: failure",
        "OWASP: security",
    ],
    "uiux-rationale-analyzer": ["Josh Comeau: layout", "Sarah Drasner: motion"],
    "content-intent-analyzer": [
        "Kinneret Yifrah: words",
        "Nielsen Norman Group: scent",
        "Marty Cagan: value",
        "Teresa Torres: needs",
    ],
    "architecture-essence-synthesizer": ["Martin Fowler: boundaries", "Kent Beck: feedback"],
}
GUARDS = ["never imitate the voice of a person", "do not claim their review or approval"]


def gap(reason: str = "not part of one static visit") -> dict[str, str]:
    return {"kind": "observation_gap", "observation_status": "not_observed", "reason": reason}


def fact(value: object, url: str = HOME, **more: object) -> dict[str, Any]:
    return {
        "kind": "fact",
        "value": value,
        "source_url": url,
        "locator": "main",
        "captured_at": "2026-05-01T09:00:00Z",
        "method": "static-html",
        "snapshot_id": "visit-1",
        **more,
    }


def claim(*refs: str, level: str = "low") -> dict[str, Any]:
    return {
        "kind": "inference",
        "claim": "a guess",
        "evidence_refs": list(refs),
        "confidence": {"level": level, "rationale": "seen once"},
        "source_observation": refs[0] if refs else "",
    }


def node(element_id: str, order: int, color: str, *children: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {name: gap() for name in CATEGORIES}
    made["identity"] = {"element_id": element_id, "locator": f"[data-id={element_id}]"}
    made["geometry"] = {"bounding_box_px": {"x": 0, "y": order, "width": 10, "height": 5}}
    made["paint"] = {"observation_status": "observed", "background_color": color}
    made["reading_order"] = order
    if children:
        made["children"] = list(children)
    return made


def screen(name: str, url: str) -> dict[str, Any]:
    tree = node(
        f"{name}-root",
        1,
        "#ffffff",
        node(f"{name}-head", 2, "#224466"),
        node(f"{name}-act", 3, "#ffffff"),
    )
    return {
        "screen_id": name,
        "source_url": url,
        "observation_status": "observed",
        "screenshot_ref": f"screens/{name}.png",
        "annotated_screenshot_ref": f"screens/{name}-annotated.png",
        "layout_overlay_ref": f"overlays/{name}.layout-overlay.svg",
        "layout_ref": f"layout/{name}.layout.json",
        "viewport": {
            "width": 800,
            "height": 600,
            "dpr": 1,
            "scroll_x": 0,
            "scroll_y": 0,
            "color_scheme": "light",
            "reduced_motion": False,
            "locale": "en",
        },
        "captured_at": "2026-05-01T09:00:00Z",
        "coverage": {
            "screen_regions_total": 2,
            "regions_extracted": 2,
            "elements_targeted": 3,
            "elements_extracted": 3,
            "fields_not_observed": 30,
        },
        "visual_formation_tree": tree,
    }


def colour(role: str, value: str) -> dict[str, Any]:
    return {
        "role": role,
        "value": value,
        "canonical_hex8": value + "ff",
        "gamut": "srgb",
        "usage_count": 1,
    }


def ledger() -> dict[str, Any]:
    return {
        "schema_version": "1.0.0",
        "origin": "https://library.test",
        "crawl_mode": "single",
        "budget_reset_on_retry": False,
        "consumed_this_run": {"requests": 3, "bytes": 900, "pages": 1},
        "cumulative": {"requests": 5, "bytes": 2000, "pages": 2},
        "remaining_after": {"requests": 25, "bytes": 10483760, "pages": 1},
        "retries_used": 0,
        "network_requests": 3,
        "events": [
            {"url": HOME, "action": "fetched", "http_status": 200, "bytes": 700},
            {"url": HOME + "s.css", "action": "cache_hit"},
        ],
        "stopped": None,
        "browser_render": [
            {"url": HOME, "rendered": True, "screenshot": True},
            {"url": BOOK, "rendered": True, "screenshot": True},
        ],
    }


def contract(prompt: str) -> dict[str, Any]:
    lenses = [f"Lens — {lens}" for lens in LENSES[prompt]]
    return {
        "names_must_appear_in_prompt": True,
        "required_sections": [
            "Observations",
            *lenses,
            "Cross-lens conflicts",
            "Neutral synthesis",
            "Confidence and gaps",
        ],
        "guard_rules": GUARDS,
    }


def surface() -> dict[str, Any]:
    return {"present": False, "url": "", "structure_summary": "none on the two pages"}


def blueprint() -> dict[str, Any]:
    return {
        "metadata": {
            "canonical_url": HOME,
            "observation_snapshot_id": "visit-1",
            "schema_version": "1.0.0",
            "document_brand": {
                "theme_color_meta": "#224466",
                "favicon_dominant_colors": ["#224466"],
                "root_background": "#ffffff",
                "color_scheme_support": ["light", "dark"],
            },
            "prompt_contract": {name: contract(name) for name in LENSES},
        },
        "source": {"origin": "https://library.test"},
        "snapshot": {"observation_snapshot_id": "visit-1"},
        "design_tokens": {
            "palette": [colour("bg", "#ffffff"), colour("brand", "#224466")],
            "type_scale": ["16px"],
            "spacing_scale": ["8px"],
            "radius_scale": ["2px"],
            "shadow_elevation_scale": gap(),
            "breakpoints": gap(),
            "z_layers": [0],
            "theme_variants": [
                {"theme": "light", "palette": [colour("bg", "#ffffff")]},
                {"theme": "dark", "palette": [colour("bg", "#101010")]},
            ],
        },
        "content": {
            "per_screen_verbatim_copy": [
                {"record_id": "copy-desk", "screen_ref": "desk", "records": [fact("Welcome")]},
                {
                    "record_id": "copy-book",
                    "screen_ref": "book",
                    "records": [fact("Book seven", BOOK)],
                },
            ],
            "headings_outline": [fact("Welcome")],
            "cta_inventory": [fact("Reserve", record_id="cta-reserve")],
            "meta_seo_og": fact({"title": "Library"}),
            "structured_data": [],
            "locales": ["en"],
        },
        "tech_stack": {
            "signals": {
                "meta_generator": None,
                "response_headers": {"Server": "shelf/2", "age": "9"},
                "bundle_script_src_paths": [],
                "third_party_request_domains": [],
                "cookie_names": ["reader"],
            },
            "identified": [
                {
                    "name": "Shelf",
                    "category": "hosting",
                    "evidence_refs": ["tech_stack.signals.response_headers.Server"],
                    "confidence": {"level": "medium", "rationale": "one header"},
                }
            ],
        },
        "nonfunctional_baseline": {
            "transfer_bytes_by_type": {"document": 700},
            "request_count": 5,
            "cache_policy": fact("max-age=9"),
            "compression": "br",
            "image_formats": ["png"],
            "security_headers": {"csp": None, "hsts": "max-age=1"},
            "observed_scope": "two pages",
        },
        "feature_map": {"per_screen_affordances": [{"screen_ref": "desk"}, {"screen_ref": "book"}]},
        "user_journeys": [
            {
                "task": "reserve a book",
                "steps": [
                    {"screen_ref": "desk", "action": "open"},
                    {"screen_ref": "book", "action": "reserve"},
                ],
                "evidence_refs": ["cta-reserve", "book-act"],
                "confidence": {"level": "medium", "rationale": "both were seen"},
            }
        ],
        "security_design": {
            "auth_method": claim("book-act"),
            "session_mgmt": claim("tech_stack.signals.cookie_names"),
            "csrf_xss": claim("nonfunctional_baseline.security_headers.hsts"),
            "csp_eval": claim("nonfunctional_baseline.security_headers"),
            "attack_surface": claim("feature_map.per_screen_affordances"),
            "adopt_avoid_practices": claim(
                "nonfunctional_baseline.security_headers.hsts", "server", level="high"
            ),
        },
        "delivery_topology": {
            "cdn_edge_origin": "one server behind a cache",
            "rendering": "ssr",
            "cache_tiers": "two",
            "evidence_refs": ["tech_stack.signals.response_headers.age"],
            "confidence": {"level": "low", "rationale": "one header"},
        },
        "cwv_field_sample": {
            "lcp": gap(),
            "cls": gap(),
            "inp": gap(),
            "ttfb": gap(),
            "scope_note": "one visit",
        },
        "compliance_surfaces": {
            "privacy_policy": surface(),
            "terms": surface(),
            "tokushoho": surface(),
            "cookie_banner_cmp": surface(),
        },
        "site_inventory": {
            "discovered_urls": [HOME, BOOK, HOURS, FRIEND],
            "in_scope": [HOME, BOOK, HOURS],
            "extracted": [HOME, BOOK],
            "excluded": [{"url": FRIEND, "reason": "another site"}],
            "coverage": {"discovered": 4, "extracted": 2, "pending": 1, "excluded": 1},
            "crawl_mode": "single",
            "layout_template_dedup": {
                "pages": [
                    {"url": HOME, "key_screen": True},
                    {"url": BOOK, "key_screen": True},
                    {"url": HOURS, "key_screen": False},
                ]
            },
        },
        "essence": {
            "core_problem_jtbd": claim("copy-desk"),
            "target_audience": claim("copy-desk"),
            "value_proposition": claim("copy-desk", "desk-head", level="high"),
            "key_messages": claim("copy-desk", "copy-book"),
            "tone_voice": claim("copy-book"),
            "positioning_differentiation": claim("copy-desk"),
        },
        "inferred_services": [claim("book-act", "tech_stack.signals.cookie_names")],
        "mermaid_refs": [],
        "request_ledger": ledger(),
        "pages": [{"url": HOME}],
        "unknowns": [{"id": "u-1", "question": "who pays?", "blocking": False}],
        "default_assumptions": [{"unknown_id": "u-1", "assumption": "the town"}],
        "screens": [screen("desk", HOME), screen("book", BOOK)],
        "notice": "for study only",
        "redaction_applied": {"text_hits": 0, "emitter": "doc-emit.py", "targets": []},
    }


def steps(path: str) -> list[str | int]:
    return [
        int(part[1:-1]) if part.startswith("[") else part
        for part in re.findall(r"[^.\[\]]+|\[\d+\]", path)
    ]


def put(target: Any, path: str, value: object) -> None:
    *above, last = steps(path)
    for step in above:
        target = target[step]
    if isinstance(last, int) and last == len(target):
        target.append(value)
    else:
        target[last] = value


def drop(target: Any, path: str) -> None:
    *above, last = steps(path)
    for step in above:
        target = target[step]
    del target[last]


def nodes(tree: Any) -> list[dict[str, Any]]:
    if not isinstance(tree, dict) or not tree:
        return []
    return [tree, *(inner for child in tree.get("children", []) for inner in nodes(child))]


def element_id(made: dict[str, Any]) -> str:
    identity = made.get("identity")
    return identity.get("element_id", "") if isinstance(identity, dict) else ""


class Draft:
    """A draft before it is written."""

    def __init__(self) -> None:
        self.blueprint = blueprint()
        self.ledger: Any = None
        self.files: dict[str, str | bytes | None] = {}
        self.text: str | None = None

    def put(self, path: str, value: object) -> Draft:
        put(self.blueprint, path, value)
        return self

    def drop(self, path: str) -> Draft:
        drop(self.blueprint, path)
        return self

    def put_ledger(self, path: str, value: object) -> Draft:
        if path:
            put(self.blueprint["request_ledger"], path, value)
        else:
            self.blueprint["request_ledger"] = value
        return self

    def file(self, name: str, content: str | bytes | None) -> Draft:
        """Replace a file once everything is written; ``None`` deletes it."""
        self.files[name] = content
        return self

    def tokens(self) -> dict[str, Any]:
        tokens = self.blueprint.get("design_tokens")
        return {**tokens, "notice": "n"} if isinstance(tokens, dict) else {"notice": "n"}

    def manifest(self) -> dict[str, Any]:
        inventory = self.blueprint.get("site_inventory") or {}
        screens = self.blueprint.get("screens") or []
        extracted = inventory.get("extracted") or [one.get("source_url") for one in screens]
        excluded = sorted(inventory.get("excluded", []), key=lambda entry: entry["url"])
        gone = {entry["url"] for entry in excluded}
        discovered = inventory.get("discovered_urls", [])
        lists = {
            "discovered": sorted(discovered),
            "extracted": sorted(set(extracted)),
            "pending": sorted(
                url for url in discovered if url not in extracted and url not in gone
            ),
            "excluded": excluded,
        }
        coverage = inventory.get("coverage", {})
        return {
            **lists,
            "crawl_mode": inventory.get("crawl_mode", "single"),
            "counts": {name: len(items) for name, items in lists.items()},
            "declared_counts": {name: coverage.get(name) for name in lists},
            "notice": "n",
        }

    def write(self, folder: Path) -> Path:
        def save(name: str, content: object) -> None:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                path.write_bytes(content)
            else:
                text = (
                    content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
                )
                path.write_text(text, encoding="utf-8")

        for one in self.blueprint.get("screens") or []:
            name = one["screen_id"]
            tree = nodes(one.get("visual_formation_tree"))
            elements = [
                {"element_id": element_id(made), "annotation_number": place}
                for place, made in enumerate(tree, 1)
            ]
            save(f"layout/{name}.layout.json", {"screen_id": name, "elements": elements})
            drawn = "".join(
                f'<g data-element-id="{element_id(made)}"/>'
                for made in tree
                if "bounding_box_px" in (made.get("geometry") or {})
            )
            save(f"overlays/{name}.layout-overlay.svg", f"<svg>{drawn}</svg>")
            for ending in ("", "-annotated"):
                save(f"screens/{name}{ending}.png", b"\x89PNG\r\n\x1a\nrest")
        for chapter in CHAPTERS:
            save(chapter, f"# {chapter}\n")
        tokens, manifest = self.tokens(), self.manifest()
        save("blueprint.json", self.text or self.blueprint)
        save("design-tokens.json", tokens)
        save("site-coverage-manifest.json", manifest)
        save(
            "request-ledger.json",
            self.blueprint.get("request_ledger") if self.ledger is None else self.ledger,
        )
        del tokens["notice"]
        whole = {
            "chapters": {chapter: f"# {chapter}\n" for chapter in CHAPTERS},
            "blueprint": self.blueprint,
            "design_tokens": tokens,
            "coverage": manifest,
        }
        canonical = json.dumps(whole, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        digest = hashlib.sha256(canonical.encode()).hexdigest()
        save("sink-status.json", {"draft_hash": digest, "sinks": {"local_draft": "success"}})
        for name, content in self.files.items():
            if content is None:
                (folder / name).unlink()
            else:
                save(name, content)
        return folder


def prompt_text(name: str) -> str:
    stated = contract(name)
    lines = ["# prompt", ""]
    for section in stated["required_sections"]:
        lines += [f"#### {section}", "", "Say what was seen.", ""]
    return "\n".join([*lines, *(f"- {guard}" for guard in stated["guard_rules"]), ""])


def write_prompts(folder: Path, **changed: str | None) -> Path:
    """The five prompt files; ``changed`` maps a name (with ``_``) to its text or ``None``."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in LENSES:
        text = changed.get(name.replace("-", "_"), prompt_text(name))
        if text is not None:
            (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder
