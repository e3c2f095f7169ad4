"""Deletions and replacements of a plan: the steps that end an existing resource."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from gpucluster.core.program.resources import urn_name, urn_type
from gpucluster.core.program.values import is_list, is_object

How = Literal["deleted", "replaced"]

_ENDS: Final[Mapping[str, How]] = {
    "delete": "deleted",
    "replace": "replaced",
    "create-replacement": "replaced",
    "import-replacement": "replaced",
    "delete-replaced": "replaced",
}
"""Operation -> effect on the resource (StepOp in pulumi/pulumi pkg/resource/deploy/step.go).

`discard` and `discard-replaced` end resources that were only read, which the cloud keeps; `remove-pending-replace`
removes one from the state that an earlier, interrupted update has already deleted.
"""


@dataclass(frozen=True)
class Deletion:
    """One resource that an update ends.

    because: properties whose change forces the replacement; empty if the plan names none.
    retained: whether it leaves the stack but still exists and is billed (`retainOnDelete`).
    """

    urn: str
    how: How
    because: tuple[str, ...] = ()
    retained: bool = False

    @property
    def type(self) -> str:
        """Type token."""
        return urn_type(self.urn)

    @property
    def name(self) -> str:
        """Logical name."""
        return urn_name(self.urn)


def deletions_of(document: Mapping[str, Any]) -> tuple[Deletion, ...]:
    """Resources that the steps of a plan end, by URN; none for a state, which has no history."""
    steps = document.get("steps")
    found: dict[str, Deletion] = {}
    for step in steps if is_list(steps) else ():
        how = _ENDS.get(str(step.get("op"))) if is_object(step) else None
        urn = step.get("urn") if is_object(step) else None
        if how is None or not isinstance(urn, str) or urn.count("::") < 3:
            continue
        before = found.get(urn)
        because = _texts(step.get("replaceReasons"))
        old = step.get("oldState")
        retained = is_object(old) and old.get("retainOnDelete") is True
        if before is not None:  # a replacement is up to three steps, one of which has the reasons
            because, retained = before.because or because, before.retained or retained
        found[urn] = Deletion(urn, how, because, retained)
    return tuple(found[urn] for urn in sorted(found))


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if is_list(value) else ()
