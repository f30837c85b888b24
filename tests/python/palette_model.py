"""What the recount page says, as plain Python: the yardstick for generated blueprints."""

from __future__ import annotations

import re

GAPS = {"not_observed", "blocked"}
NOTHING = {"", "transparent", "none", "currentcolor", "inherit", "initial", "unset", "auto"}
FORMS = ("canonical_hex8", "exact", "value", "color", "hex")
HEX = re.compile(r"#([0-9a-f]{3}|[0-9a-f]{4}|[0-9a-f]{6}|[0-9a-f]{8})")
HEX_RUN = re.compile(r"#[0-9a-fA-F]{3,8}\b")
RGB = re.compile(r"rgba?\(([^)]*)\)")
RGB_CALL = re.compile(r"rgba?\([^)]*\)", re.IGNORECASE)


def hex_form(text):
    match = HEX.fullmatch(text)
    if not match:
        return None
    digits = match.group(1)
    if len(digits) < 6:
        digits = "".join(digit * 2 for digit in digits)
    return "#" + digits + ("ff" if len(digits) == 6 else "")


def rgb_form(text):
    match = RGB.fullmatch(text)
    if not match:
        return None
    parts = [part.strip() for part in match.group(1).replace("/", ",").split(",") if part.strip()]
    if len(parts) < 3:
        return None
    try:
        channels = [round(float(part.rstrip("%"))) % 256 for part in parts[:3]]
        alpha = 255
        if len(parts) > 3:
            number = float(parts[3].rstrip("%"))
            share = number / 100 if parts[3].endswith("%") else number
            alpha = max(0, min(255, round(share * 255)))
    except (ValueError, OverflowError):
        return None
    return "#" + "".join(f"{channel:02x}" for channel in [*channels, alpha])


def canonical(value):
    if isinstance(value, str):
        text = value.strip().lower()
        return None if text in NOTHING else hex_form(text) or rgb_form(text) or text
    if isinstance(value, dict) and value.get("observation_status") not in GAPS:
        for form in FORMS:
            found = canonical(value.get(form))
            if found:
                return found
    return None


def walk(node, observed, in_colour):
    if isinstance(node, dict):
        if node.get("observation_status") in GAPS:
            return
        for key, value in node.items():
            names_colour = "color" in key.lower()
            if names_colour:
                observed.add(canonical(value))
            walk(value, observed, in_colour or names_colour)
    elif isinstance(node, list):
        for item in node:
            walk(item, observed, in_colour)
    elif isinstance(node, str):
        if in_colour:
            observed.add(canonical(node))
        observed.update(hex_form(run.lower()) for run in HEX_RUN.findall(node))
        observed.update(rgb_form(call.lower()) for call in RGB_CALL.findall(node))


def collect_observed(screens):
    observed = set()
    for screen in screens or []:
        walk(screen, observed, False)
    return observed - {None}


def collect_palette(tokens):
    listed, tokens = set(), tokens or {}

    def add(entries):
        for entry in entries or []:
            found = None
            if isinstance(entry, dict):
                found = canonical(entry.get("canonical_hex8")) or canonical(entry.get("value"))
            listed.add(found or canonical(entry))

    add(tokens.get("palette"))
    for variant in tokens.get("theme_variants") or []:
        if isinstance(variant, dict):
            add(variant.get("palette"))
            add(variant.get("colors"))
    brand = tokens.get("document_brand") or tokens.get("brand")
    if isinstance(brand, dict):
        add(brand.get("colors"))
    elif isinstance(brand, list):
        add(brand)
    return listed - {None}


def recount(blueprint):
    observed = collect_observed(blueprint.get("screens"))
    listed = collect_palette(blueprint.get("design_tokens"))
    orphans = sorted(observed - listed)
    return {
        "observed_count": len(observed),
        "palette_count": len(listed),
        "orphan_count": len(orphans),
        "orphans": orphans,
    }
