"""A large blueprint for measurements: many screens, colours in every form, one small palette.

    python tests/bench/blueprints.py SCREENS OUT.json

5,000 screens give about 80 MB.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

ELEMENTS = 40


def blueprint(screens):
    """A blueprint whose observed colours are all in its palette."""
    rng = random.Random(11)
    palette = [f"#{rng.randrange(1 << 24):06x}" for _ in range(180)]

    def colour():
        value = rng.choice(palette)
        red, green, blue = bytes.fromhex(value[1:])
        forms = [
            value,
            value.upper(),
            f"rgb({red}, {green}, {blue})",
            {"canonical_hex8": value + "ff"},
        ]
        return rng.choice(forms)

    def element(screen, number):
        return {
            "identity": {"element_id": f"n{screen}-{number}", "tag": "section"},
            "geometry": {"bounding_box_px": [number, screen, 99.5, 18]},
            "paint": {
                "foreground_color": colour(),
                "background_color": colour(),
                "border_width_style_color": {"color": colour()},
                "box_shadow": f"0 2px 3px {rng.choice(palette)}",
            },
            "typography": {"family": "Serif", "size": "15px", "line_height": 1.4},
            "text_verbatim": f"Sphinx of black quartz, judge my vow {number}",
            "children": [],
        }

    made = [
        {
            "screen_id": f"screen-{screen}",
            "source_url": f"https://shop.invalid/{screen}",
            "observation_status": "observed",
            "visual_formation_tree": {
                "children": [element(screen, number) for number in range(ELEMENTS)]
            },
        }
        for screen in range(screens)
    ]
    tokens = {
        "palette": [
            {"role": f"r{at}", "canonical_hex8": value + "ff"} for at, value in enumerate(palette)
        ]
    }
    return {"schema_version": "1", "screens": made, "design_tokens": tokens}


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(
        json.dumps(blueprint(int(sys.argv[1])), ensure_ascii=False), encoding="utf-8"
    )
