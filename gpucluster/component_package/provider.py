"""The plugin that Pulumi starts for the package: it builds clusters like the cloud's module in `gpucluster`."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import re
import sys
from collections.abc import Mapping
from contextvars import ContextVar
from importlib.metadata import version
from typing import Any, Final, cast

import grpc
import grpc.aio
import pulumi
from google.protobuf.json_format import MessageToDict
from pulumi.errors import InputPropertiesError
from pulumi.provider import ConstructResult, Provider
from pulumi.provider.server import ProviderServicer
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from gpucluster.catalog.clouds import clouds
from gpucluster.component_package.inputs import inputs_of
from gpucluster.component_package.schema_file import NAME, SCHEMA_FILE
from gpucluster.components.cloud import CLOUDS
from gpucluster.components.exit_on_error import refusing
from gpucluster.cost import preview

GIVEN: Final[ContextVar[Mapping[str, Any]]] = ContextVar("GIVEN")
"""The inputs of the component being built, in the engine's format: they mark unknowns and secrets, which the SDK's
converted values reveal only later."""

_TYPE: Final = re.compile(rf"{NAME}:({'|'.join(CLOUDS)}):TrainingCluster")
_LONGEST: Final = 400 * 1024 * 1024


class ComponentPackage(Provider):
    """The training clusters, by their type tokens."""

    def __init__(self) -> None:
        super().__init__(version(NAME), SCHEMA_FILE.read_text())

    def construct(
        self,
        name: str,
        resource_type: str,
        inputs: Mapping[str, Any],
        options: pulumi.ResourceOptions | None = None,
    ) -> ConstructResult:
        """The cluster, with the outputs of the schema. Raises InputPropertiesError if it cannot be built."""
        del inputs
        known = _TYPE.fullmatch(resource_type)
        if known is None:
            raise InputPropertiesError(f"{resource_type} is not in the package {NAME}", [])
        try:
            cluster, cost = _built(known[1], name, options or pulumi.ResourceOptions())
        except (pulumi.RunError, ModuleNotFoundError) as error:
            raise InputPropertiesError(str(error), []) from error
        outputs = {**cluster.outputs(), "endpoint": cluster.failures.before(cluster.endpoint), "cost": cost}
        return ConstructResult(cluster.urn, outputs)


def _built(cloud: str, name: str, options: pulumi.ResourceOptions) -> tuple[Any, dict[str, str]]:
    """The cluster and its totals. Raises pulumi.RunError."""
    face: Any = importlib.import_module(f"{NAME}.{cloud}")
    with refusing():
        asked = inputs_of(GIVEN.get(), cloud, name, face.Location)
    watched = preview.Watched({clouds()[cloud].package: asked.location.region})
    seen = pulumi.ResourceOptions.merge(options, pulumi.ResourceOptions(transformations=[watched.see]))
    cluster = face.TrainingCluster(name, asked.spec, asked.location, seen, machine=asked.machine)
    return cluster, preview.costed_plan(watched, title=f"Cost of {name}")


class _Servicer(ProviderServicer):
    """Stores the inputs as the engine sends them."""

    async def Construct(self, request: provider_pb2.ConstructRequest, context: Any) -> provider_pb2.ConstructResponse:
        GIVEN.set(MessageToDict(request.inputs))
        return await super().Construct(request, context)


def main() -> None:
    """Serve the engine whose address is the first argument, until it exits: the plugin's `__main__.py` calls this."""
    parser = argparse.ArgumentParser(description="The plugin of the package gpucluster; Pulumi starts it.")
    parser.add_argument("engine", help="address of the engine")
    asyncio.run(_serve(parser.parse_known_args()[0].engine))


async def _serve(engine: str) -> None:
    server = grpc.aio.server(options=[("grpc.max_receive_message_length", _LONGEST)])
    servicer = _Servicer(ComponentPackage(), sys.argv[1:], engine_address=engine)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(cast(Any, servicer), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(port, flush=True)
    await server.wait_for_termination()
