"""Whether the address that the internet sees of this machine is in the ranges that reach the cluster's API.

Only somebody outside can tell this address. Amazon has a service for it; the other clouds have none, so only a cluster
on AWS asks.
Source: Amazon EC2 user guide, "Security group rules for different use cases" (https://checkip.amazonaws.com).
"""

from __future__ import annotations

import http.client
import ipaddress
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Final

from gpucluster.core.program.questions import Question
from gpucluster.operate.preflight.answers import Answer, Asker, fine, refused, unknown

ABOUT: Final = "address"
TELLS: Final[Mapping[str, str]] = {"aws": "https://checkip.amazonaws.com"}
"""Cloud -> its own service, which answers with the address of who asks."""
_SECONDS: Final = 5
_LONGEST: Final = 100
"""Bytes that are read: an IPv6 address has 39."""


def address_questions(cloud: str, ranges: Sequence[str]) -> list[Question]:
    """ranges: in CIDR notation, from which the API is open; none if it is private."""
    if not ranges or cloud not in TELLS:
        return []
    question = Question(
        about=ABOUT,
        subject="access.cidrs",
        needed=", ".join(ranges),
        title="own address",
        place="this machine",
        decides=False,  # `up` may run elsewhere than the commands that follow it
    )
    return [question]


def asker_at(url: str) -> Asker:
    """url: of a service as in `TELLS`."""

    def ask(questions: Sequence[Question]) -> list[Answer]:
        try:
            with urllib.request.urlopen(url, timeout=_SECONDS) as answer:
                text = answer.read(_LONGEST).decode("ascii", "replace").strip()
            own = ipaddress.ip_address(text)
        except (OSError, http.client.HTTPException, ValueError) as error:
            why = f"{url} did not tell it: {type(error).__name__}"
            return [unknown(one, why, "compare your public address with access.cidrs") for one in questions]
        return [_judged(one, own) for one in questions]

    return ask


def _judged(question: Question, own: ipaddress.IPv4Address | ipaddress.IPv6Address) -> Answer:
    if any(own in ipaddress.ip_network(one, strict=False) for one in str(question.needed).split(", ")):
        return fine(question, str(own))
    return refused(question, str(own), f"add {own}/{own.max_prefixlen} to access.cidrs, or use a machine in its ranges")
