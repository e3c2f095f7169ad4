"""Resources that can stay failed, and how to repair them: `failed_states.csv`.

Columns: type token; output with the state, if the provider has one, and its failed states; hides: which failures an
update without a difference hides, because the provider then succeeds without a request, and the state gives no other
sign: `all`, those of `updates` (after a creation the output shows it), `creations` (after an update the state keeps the
difference) or none; what failed means and the next step, with the placeholders {pulumi}, {urn} and {id}; source.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final

from gpucluster.catalog.rows import rows
from gpucluster.record import record

_UPDATE: Final = "its last update did not succeed, and the state has its new values. Next: {pulumi} up --refresh"
_UNREAD: Final = "selfLink"
"""Output of Google's resources that their provider reads only after a creation that succeeds."""


@record(kw_only=True)
class FailedState:
    """output: name of the state's output, empty if the provider has none. states: those that are failures."""

    output: str
    states: frozenset[str]
    hides: str
    meaning: str
    next: str

    def hidden(self, outputs: Mapping[str, Any]) -> bool:
        """Whether an update without a difference would hide a failure. outputs: those before it."""
        if self.hides == "updates":
            return outputs.get(self.output) not in (None, *self.states)
        return self.hides == "all" or (self.hides == "creations" and not outputs.get(_UNREAD))

    def advice(self, urn: str, id_: str, *, sandbox: bool, hidden: bool = False) -> str:
        """What it means and what to type. sandbox: whether the clouds are simulated. hidden: of a hidden failure."""
        text = _UPDATE if hidden and self.hides == "updates" else f"{self.meaning}. Next: {self.next}"
        pulumi = "gpucluster sandbox pulumi" if sandbox else "pulumi"
        return text.format(pulumi=pulumi, urn=urn, id=id_)


@functools.cache
def failed_states() -> Mapping[str, FailedState]:
    """By type token."""
    return {
        row["type"]: FailedState(
            output=row["output"],
            states=frozenset(row["states"].split("|")) - {""},
            hides=row["hides"],
            meaning=row["meaning"],
            next=row["next"],
        )
        for row in rows("failed_states")
    }
