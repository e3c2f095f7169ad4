"""What happens in the simulated clouds that no program asks for: what was there before, what lasts or fails."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["EXISTS", "Existing", "LastingOperation", "Scenario"]

EXISTS = "exists"
"""First part of the URN of what no stack owns."""


@dataclass(frozen=True, kw_only=True)
class LastingOperation:
    """How the operations on resources of a type go.

    name: of the resource in the cloud; empty for all of the type.
    seconds: from the answer to the end; None as without a scenario.
    error: why they fail, in the cloud's words; empty where they succeed.
    """

    type: str
    name: str = ""
    seconds: float | None = None
    error: str = ""


@dataclass(frozen=True, kw_only=True)
class Existing:
    """Something that was there before any stack.

    provider: the settings of the provider that would manage it: region, project, subscription.
    inputs: as a program would write them, in the names of the provider's schema.
    """

    type: str
    provider: Mapping[str, Any]
    inputs: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """Empty: nothing was there, and all goes well at once."""

    exists: tuple[Existing, ...] = field(default=())
    operations: tuple[LastingOperation, ...] = field(default=())

    def operation(self, type_: str, name: str) -> LastingOperation | None:
        """How an operation on this resource goes; what names the resource comes before what names the type."""
        found = [each for each in self.operations if each.type == type_ and each.name in ("", name)]
        return max(found, key=lambda each: bool(each.name), default=None)
