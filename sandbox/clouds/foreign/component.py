"""A component of a package in another language: its own program is not run, so its children are unknown."""

from __future__ import annotations

from typing import Any

import grpc
from pulumi.runtime.proto import provider_pb2, resource_pb2, resource_pb2_grpc

from gpucluster.sandbox.clouds.cloud import Resource
from gpucluster.sandbox.clouds.outputs import after
from gpucluster.sandbox.clouds.schema import ResourceType
from gpucluster.sandbox.clouds.values import UNKNOWN, from_struct, to_struct


def construct(request: Any, type_: ResourceType) -> Any:
    """Registers only the component; its outputs are unknown in a preview, and empty after an update."""
    with grpc.insecure_channel(request.monitorEndpoint) as channel:
        monitor: Any = resource_pb2_grpc.ResourceMonitorStub(channel)
        wanted = resource_pb2.RegisterResourceRequest(
            type=request.type,
            name=request.name,
            parent=request.parent,
            custom=False,
            object=request.inputs,
            acceptSecrets=True,
            aliasURNs=request.aliases,
        )
        urn: str = monitor.RegisterResource(wanted).urn
        inputs = from_struct(request.inputs)
        resource = Resource(urn=urn, type=type_, inputs=inputs)
        outputs: dict[str, Any] = dict.fromkeys(type_.outputs, UNKNOWN) if request.dryRun else after(resource, {})
        state = to_struct(outputs)
        monitor.RegisterResourceOutputs(resource_pb2.RegisterResourceOutputsRequest(urn=urn, outputs=state))
    return provider_pb2.ConstructResponse(urn=urn, state=state)
