"""Values of Azure Resource Manager: ids, regions, and enumerations of the SDK."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.cannot_ask import CannotAsk
from gpucluster.operate.preflight.answers import Answer, refused


@dataclass(frozen=True, kw_only=True)
class Id:
    """name: the last part. parent: the name before, of what contains it."""

    subscription: str
    group: str
    name: str
    parent: str


def id_of(text: str) -> Id:
    """Raises CannotAsk for another text."""
    found = re.fullmatch(r"(?i)/subscriptions/([^/]+)/resourceGroups/([^/]+)(?:/providers/[^/]+/(.+))?", text)
    if found is None:
        raise CannotAsk(f"{text!r} is not the id of a resource")
    names = (found[3] or "").split("/")[1::2]
    return Id(
        subscription=found[1],
        group=found[2],
        name=names[-1] if names else "",
        parent=names[-2] if len(names) > 1 else "",
    )


def text_of(value: Any) -> str:
    """Of an enumeration, or of a value that this SDK does not know yet."""
    return str(getattr(value, "value", value) or "")


def same_region(one: str | None, other: str) -> bool:
    """Azure writes a region as `eastus` or `East US`."""
    return (one or "").replace(" ", "").lower() == other.lower()


def other_region(question: Question, region: str | None) -> Answer | None:
    """The answer for a resource elsewhere than the question's details say; None if it is there."""
    wanted = question.details["region"]
    if same_region(region, wanted):
        return None
    return refused(question, f"in {region or 'no region'}", f"use one in {wanted}, or change gpucluster:region")
