"""Long-running operations: their resources, states and durations.

The caller polls; the operation does not depend on it. `lasting.csv`, one type per row: the output with the state, if
the SDK has one; the service's names of the states, empty for a request that completes at once, or can't fail, `failed`
after a creation and `unchanged` after an update that fails; unread: an output that the provider reads only after a
creation that succeeds, and by whose absence programs know that it did not; kept: whether the provider remembers a
failed resource (Google's forgets most: "The resource didn't actually create"); timeout: how long the provider waits;
source.

again: what happens to a failed resource when the engine, because of the failure, updates it without a difference.
`request`: Azure's provider sends the whole resource again (pulumi/pulumi-azure-native@006a62af:
provider/pkg/provider/provider.go, defaultUpdate). `nothing`: the provider's update requests only what differs
(pulumi/pulumi-terraform-bridge@59de6c66: pkg/tfbridge/provider.go, Update; hashicorp/terraform-provider-aws@012e0a32:
internal/service/eks/node_group.go, resourceNodeGroupUpdate), and succeeds. `waits`: the same, but the cloud itself
keeps looking for the machines (hashicorp/terraform-provider-google pull request 10121; @e03b7622:
google/services/container/resource_container_node_pool.go, resourceContainerNodePoolCreate keeps such a pool).
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
    unread: str
    unchanged: str
    again: str
    kept: bool
    timeout: str

    def incomplete(self, act: Act) -> Mapping[str, None]:
        """The outputs that the state lacks after a request that did not succeed."""
        return {self.unread: None} if self.unread and act is Act.CREATE else {}


@functools.cache
def lasting() -> Mapping[str, Lasting]:
    """The types whose requests are answered before they complete."""
    return {
        row["type"]: Lasting(
            property=row["property"],
            states={Act.CREATE: row["creating"], Act.UPDATE: row["updating"], Act.DELETE: row["deleting"]},
            done=row["done"],
            failed=row["failed"],
            unread=row["unread"],
            unchanged=row["unchanged"],
            again=row["again"],
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
    started = wish.machines if wish is not None else None
    failed = (row.unchanged if act is Act.UPDATE else row.failed) if error else ""
    operation = Operation(
        state=state,
        ends=time.time() + lasts,
        lasts=lasts,
        then={**_with_state(entry, row, failed or row.done), **(row.incomplete(act) if error else {})},
        removes=act is Act.DELETE,
        error=error,
        failed=failed,
        machines=0 if started is None and act is Act.CREATE else started,
    )
    return replace(entry, outputs={**entry.outputs, **_with_state(entry, row, state)}, operation=operation)


def stays_failed(entry: Entry) -> bool:
    """Whether an update without a difference leaves it failed."""
    return entry.failure is not None and lasting()[entry.type].again != "request"


def _with_state(entry: Entry, row: Lasting, state: str) -> dict[str, object]:
    """The outputs with the state; some types have it in another output, some SDKs do not have it."""
    return {row.property: state} if row.property and row.property in entry.outputs else {}
