"""Long-running operations: their resources, states and durations.

The caller polls; the operation does not depend on it. `long_running.csv`, one type per row: the output with the state,
if the SDK has one; the service's names of the states, empty for a request that completes at once, or can't fail,
`failed` after a creation and `unchanged` after an update that fails; unread: an output that the provider reads only
after a creation that succeeds, and by whose absence programs know that it did not; kept: whether the provider remembers
a failed resource (Google's forgets most: "The resource didn't actually create"); timeout: how long the provider waits;
source.

again: what happens to a failed resource when the engine, because of the failure, updates it without a difference.
`request`: Azure's provider sends the whole resource again (pulumi/pulumi-azure-native@006a62af:
provider/pkg/provider/provider.go, defaultUpdate). `nothing`: the provider's update requests only what differs
(pulumi/pulumi-terraform-bridge@59de6c66: pkg/tfbridge/provider.go, Update; hashicorp/terraform-provider-aws@012e0a32:
internal/service/eks/node_group.go, resourceNodeGroupUpdate), and succeeds. `waits`: the same, but the cloud itself
keeps looking for the machines (hashicorp/terraform-provider-google pull request 10121; @e03b7622:
google/services/container/resource_container_node_pool.go, resourceContainerNodePoolCreate keeps such a pool).

The engine then keeps the resource in the state, with the reason, and tries an update the next time. Source:
pulumi/pulumi-azure-native provider/pkg/provider/crud/crud.go (HandleErrorWithCheckpoint).
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

import grpc
from google.protobuf import any_pb2
from pulumi.runtime.proto import provider_pb2

from gpucluster.core.catalog.tables import read_rows
from gpucluster.sandbox.clouds.cloud import Act, AgainError, BusyError, CloudError
from gpucluster.sandbox.clouds.events.scenario import Disturbance
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger, Operation
from gpucluster.sandbox.clouds.types.values import to_struct


@dataclass(frozen=True, kw_only=True)
class LongRunningType:
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
def long_running_types() -> Mapping[str, LongRunningType]:
    """The types whose requests are answered before they complete."""
    return {
        row["type"]: LongRunningType(
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
        for row in read_rows("sandbox/clouds/events/long_running.csv")
    }


def begin_operation(entry: Entry, act: Act, disturbance: Disturbance | None, seconds: float) -> Entry:
    """The resource with its operation, if this request is answered before it completes.

    seconds: the duration unless the scenario specifies one; 0 for none.
    """
    row = long_running_types().get(entry.type)
    state = row.states.get(act, "") if row is not None else ""
    if row is None or not state:
        return entry
    error = (
        disturbance.error
        if disturbance is not None and disturbance.fails == "partial" and act is not Act.DELETE
        else ""
    )
    lasts = disturbance.seconds if disturbance is not None and disturbance.seconds is not None else seconds
    if not error and not lasts:
        return entry
    started = disturbance.machines if disturbance is not None else None
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
    return entry.failure is not None and long_running_types()[entry.type].again != "request"


def _with_state(entry: Entry, row: LongRunningType, state: str) -> dict[str, object]:
    """The outputs with the state; some types have it in another output, some SDKs do not have it."""
    return {row.property: state} if row.property and row.property in entry.outputs else {}


_T = TypeVar("_T")
_PATIENCE: Final = 200.0
"""Seconds during which a request is retried: after 20, 60 and 120 (pulumi/pulumi-azure-native
provider/pkg/azure/client_azcore.go)."""
_A_MOMENT: Final = 0.01
"""Seconds between two tries for other reasons; a real provider waits longer each time."""


class Waiting:
    """The waits of one provider; they end early when the engine cancels."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Ends all waits; accepted operations continue in the cloud."""
        self._stopped.set()

    def accepted(self, ask: Callable[[], _T]) -> _T:
        """The answer to a request, retried while a conflicting operation is in progress; raises CloudError."""
        start, tries = time.monotonic(), 0
        while True:
            try:
                with self._ledger.exclusive():
                    return ask()
            except BusyError as busy:
                waited = time.monotonic() - start
                if waited + busy.seconds > _PATIENCE or self._stopped.wait(busy.seconds):
                    raise
            except AgainError as again:
                if tries >= again.tries or self._stopped.wait(_A_MOMENT):
                    raise
                tries += 1

    def ended(self, entry: Entry) -> Entry:
        """The resource after its operation; raises UnfinishedError if it fails or the wait ends early."""
        operation = entry.operation
        if operation is None:
            return entry
        while operation.left and not self._stopped.wait(operation.left):
            pass
        stopped = self._stopped.is_set()
        with self._ledger.exclusive():
            self._ledger.settle()
            there = self._ledger.get(entry.provider, entry.scope, entry.type, entry.id)
        if stopped:
            raise UnfinishedError(f"canceled while {entry.name or entry.id} was {operation.state}", there or entry)
        if operation.error:
            raise UnfinishedError(operation.error, there or entry)
        return there or entry


_DETAILS: Final = "grpc-status-details-bin"
"""gRPC's trailer of a status with details."""


class UnfinishedError(CloudError):
    """The resource exists as in the ledger, but failed, or is still in progress.

    entry: its current content.
    """

    def __init__(self, reason: str, entry: Entry) -> None:
        super().__init__(reason)
        self.entry = entry


def refuse_unfinished(context: Any, error: UnfinishedError) -> None:
    """Ends the call with the resource's content for the engine's state."""
    from pulumi.runtime.proto import status_pb2

    remembered = provider_pb2.ErrorResourceInitFailed(
        id=error.entry.id,
        properties=to_struct(error.entry.outputs),
        reasons=[str(error)],
        inputs=to_struct(error.entry.inputs),
    )
    detail = any_pb2.Any()
    detail.Pack(remembered)
    code = grpc.StatusCode.UNKNOWN
    status = status_pb2.Status(code=code.value[0], message=str(error), details=[detail])
    context.set_trailing_metadata(((_DETAILS, status.SerializeToString()),))
    context.abort(code, str(error))
