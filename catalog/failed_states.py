"""Resources that can stay failed, and how to repair them: `failed_states.csv`.

Columns: type token; output with the state, if the provider has one, and its failed states; complete: an output that the
provider reads only after a creation that succeeds, of types without another sign of a creation that failed; what failed
means and the next step, with the placeholders {pulumi}, {urn} and {id}; source.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from gpucluster.catalog.rows import rows


@dataclass(frozen=True, kw_only=True)
class FailedState:
    """output: name of the state's output, empty if the provider has none. states: those that are failures. complete: an
    output that is missing after a creation that failed, empty if another sign of it exists.
    """

    output: str
    states: frozenset[str]
    complete: str
    meaning: str
    next: str

    def advice(self, urn: str, id_: str, *, sandbox: bool) -> str:
        """What it means and what to type. sandbox: whether the clouds are simulated."""
        pulumi = "gpucluster sandbox pulumi" if sandbox else "pulumi"
        return f"{self.meaning}. Next: {self.next}".format(pulumi=pulumi, urn=urn, id=id_)


@functools.cache
def failed_states() -> Mapping[str, FailedState]:
    """By type token."""
    return {
        row["type"]: FailedState(
            output=row["output"],
            states=frozenset(row["states"].split("|")) - {""},
            complete=row["complete"],
            meaning=row["meaning"],
            next=row["next"],
        )
        for row in rows("failed_states")
    }
