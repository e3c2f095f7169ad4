"""Long-running operations: their resources, states and durations.

The caller polls; the operation does not depend on it. `lasting.csv`, one type per row: the output with the state, if
the SDK has one; the service's names of the states, empty for a request that completes at once, or can't fail; kept:
whether the provider remembers a failed resource (Google's forgets most: "The resource didn't actually create");
timeout: how long the provider waits; source.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from gpucluster.catalog.rows import read_rows
from gpucluster.sandbox.clouds.cloud import Act
from gpucluster.sandbox.clouds.ledger import Entry, Operation
from gpucluster.sandbox.clouds.scenario import Disturbance


@dataclass(frozen=True, kw_only=True)
class Lasting:
    """One row."""

    property: str
    states: Mapping[Act, str]
    done: str
    failed: str
    kept: bool
    timeout: str


@functools.cache
def lasting() -> Mapping[str, Lasting]:
    """The types whose requests are answered before they complete."""
    return {
        row["type"]: Lasting(
            property=row["property"],
            states={Act.CREATE: row["creating"], Act.UPDATE: row["updating"], Act.DELETE: row["deleting"]},
            done=row["done"],
            failed=row["failed"],
            kept=row["kept"] == "yes",
            timeout=row["timeout"],
        )
        for row in read_rows("sandbox/clouds/lasting.csv")
    }


def begun(entry: Entry, act: Act, wish: Disturbance | None, seconds: float) -> Entry:
    """The resource with its operation, if this request is answered before it completes.

    seconds: the duration unless the scenario specifies one; 0 for none.
    """
    row = lasting().get(entry.type)
    state = row.states.get(act, "") if row is not None else ""
    if row is None or not state:
        return entry
    error = wish.error if wish is not None and wish.fails == "partial" and act is not Act.DELETE else ""
    lasts = wish.seconds if wish is not None and wish.seconds is not None else seconds
    if not error and not lasts:
        return entry
    operation = Operation(
        state=state,
        ends=time.time() + lasts,
        lasts=lasts,
        then=_with_state(entry, row, row.failed if error else row.done),
        removes=act is Act.DELETE,
        error=error,
    )
    return replace(entry, outputs={**entry.outputs, **_with_state(entry, row, state)}, operation=operation)


def _with_state(entry: Entry, row: Lasting, state: str) -> dict[str, object]:
    """The outputs with the state; some types have it in another output, some SDKs do not have it."""
    return {row.property: state} if row.property and row.property in entry.outputs else {}
