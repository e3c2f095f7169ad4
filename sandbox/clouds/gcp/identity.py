"""Identifiers of the simulated projects, in the form of the real APIs, and their locations."""

from __future__ import annotations

import hashlib
import re
from typing import Final

DOMAIN: Final = "sandbox.invalid"
"""Top-level domain `invalid` never resolves (RFC 2606)."""

LINKS: Final = "https://www.googleapis.com/compute/v1/"
"""Prefix of Compute Engine's self links; the sandbox never opens one."""

_LINK: Final = r"(?:https?:)?//[^/]+/(?:[a-z]+/)?(?:v\d\w*|beta|alpha)/"
_ZONE: Final = r"[a-z]+-[a-z]+\d+-[a-z]"

# Zone letters of regions with others than a, b and c (Compute Engine documentation, "Regions and zones").
_LETTERS: Final = {"us-central1": "abcf", "us-east1": "bcd", "europe-west1": "bcd"}


def relative(reference: str) -> str:
    """A reference without the host of a self link: `projects/P/global/networks/N`; others unchanged."""
    return re.sub(_LINK, "", reference, count=1)


def forms(path: str) -> tuple[str, ...]:
    """The forms of a reference to a full path, for a ledger's `mentioning`: path or link, path without its project,
    name.
    """
    parts = path.split("/")
    return (path, "/".join(parts[2:]), parts[-1])


def is_zone(location: str) -> bool:
    """Whether a location is a zone rather than a region."""
    return re.fullmatch(_ZONE, location) is not None


def region_of(location: str) -> str:
    """The region of a zone; a region is returned unchanged."""
    return location.rsplit("-", 1)[0] if is_zone(location) else location


def zones_of(region: str) -> list[str]:
    """The zones of a region."""
    return [f"{region}-{letter}" for letter in _LETTERS.get(region, "abc")]


def number_of(project: str) -> str:
    """The number of a project: twelve digits derived from its id."""
    return str(10**11 + int(hashlib.sha256(project.encode()).hexdigest(), 16) % (9 * 10**11))
