"""The gates of site blueprints as functions."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal, Union

from gatewright import _native
from gatewright._stack import deep
from gatewright.outcome import Outcome, logged

#: A path of a file or folder.
PathLike = Union[str, "os.PathLike[str]"]


@deep
def recount_palette(
    blueprint: PathLike | Mapping[str, Any],
    *,
    count: Literal["corrected", "recorded"] = "corrected",
    why: bool = False,
) -> Outcome:
    """Count the observed colours that the palette of a blueprint lacks.

    Args:
        blueprint: the path of a blueprint, or the loaded document.
        count: the count that decides; the other stands in the facts beside it.
        why: give every place of each orphan, in both counts.

    Returns:
        The outcome: one finding per orphan; ``facts["deciding"]`` and ``facts["beside"]`` hold
        ``count``, ``observed_count``, ``palette_count``, ``orphan_count``, ``orphans`` and
        ``undecided``; ``details`` holds the swatches. A file gives lines and columns.

    Raises:
        GatewrightError: the blueprint cannot be read or counted.

    Source: draft directory page, section 14; recount page.

    Example:
        >>> outcome = recount_palette({"screens": [{"fill": "#123"}], "design_tokens": {}})
        >>> print(outcome.findings[0])
        blueprint: GWP001 `#112233ff` is observed and no palette lists it
    """
    return logged(_native.blueprint_recount(blueprint, count, why))


@deep
def decide(
    assessment: Mapping[str, Any],
    *,
    strict: bool = True,
    language: Literal["en", "ja"] = "en",
) -> Outcome:
    """Decide on a draft from its assessment; nothing is written.

    Args:
        assessment: the six parts as plain objects.
        strict: refuse an assessment whose receipt would not be valid.
        language: language of the reasons.

    Returns:
        The outcome: one finding per reason against a PASS, or per value that a receipt must not
        hold; ``facts["verdict"]`` is ``"PASS"``, ``"FAIL"`` or, when refused, ``None``;
        ``details`` holds every condition and whether it is met.

    Raises:
        GatewrightError: a part is missing or of the wrong shape (when not strict).

    Source: emit-verdict page.

    Example:
        >>> decide({}).facts["verdict"] is None
        True
    """
    return logged(_native.blueprint_decide(assessment, strict, language))


@deep
def accept_draft(
    draft: PathLike,
    verdict_dir: PathLike = ".esb-verdict",
    *,
    attestation: PathLike | None = None,
) -> Outcome:
    """Accept a draft only on a valid receipt that says PASS for exactly its hash.

    Args:
        draft: the draft directory.
        verdict_dir: folder of the receipts.
        attestation: an in-toto statement about the draft (or a signer's envelope around one, whose
            signature is not checked) that must agree with draft and receipt.

    Returns:
        The outcome: no finding, or the one reason why the draft is not accepted, and every place
        where the attestation disagrees.

    Raises:
        GatewrightError: there is no such directory, or the attestation cannot be read.

    Source: draft directory page, section 7.4.
    """
    return logged(_native.blueprint_accept(draft, verdict_dir, attestation))
