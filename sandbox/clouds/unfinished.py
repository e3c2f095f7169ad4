"""A provider's answer for a resource that exists, although its request failed.

The engine then keeps the resource in the state, with the reason, and tries an update the next time. Source:
pulumi/pulumi-azure-native provider/pkg/provider/crud/crud.go (HandleErrorWithCheckpoint).
"""

from __future__ import annotations

from typing import Any, Final

import grpc
from google.protobuf import any_pb2
from pulumi.runtime.proto import provider_pb2

from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.ledger import Entry
from gpucluster.sandbox.clouds.values import to_struct

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
