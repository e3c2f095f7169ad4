"""Inputs of a cluster from a program in any language, as values that are known before the update."""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import importlib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextvars import Context, ContextVar, copy_context
from decimal import Decimal, InvalidOperation
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

from gpucluster.components.cluster.cloud import CLOUDS
from gpucluster.components.package.folder import NAME, SCHEMA_FILE
from gpucluster.components.planning.problem import did_you_mean
from gpucluster.components.resources.run import refusing
from gpucluster.components.stack.from_python import ProgramCloud
from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.program.readers.last_outputs import last_resources
from gpucluster.core.program.readers.private_sdk import before_outputs, has_engine
from gpucluster.core.program.readers.records import UNKNOWN_TEXT, plain_number
from gpucluster.core.program.values import is_list, is_object
from gpucluster.cost import preview
from gpucluster.errors import InputError

_SHAPES: Final[Mapping[str, tuple[type, str]]] = {
    "spec": (dict, "a mapping, as in a spec file"),
    "location": (dict, "a mapping"),
    "machine": (str, "a string"),
}
_MARK: Final = "4dabf18193072939515e22adb298388d"
_SECRET: Final = "1b47061264138c4ac30d75fd1eb44270"
_OUTPUT: Final = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
"""The engine's mark of values that are not plain (pulumi/pulumi sdk/go/common/resource/sig)."""

_TOKEN: Final = "spec.telemetry.alerts.webhook"
"""May be a secret, and is one in the state in any case."""

_NUMBERED: Final = "spec.promises.bus_gb_per_s"
"""Its keys are numbers, which only spec files support."""


@dataclasses.dataclass(frozen=True)
class Inputs:
    """Inputs of a cluster. location: an object of the given class."""

    spec: dict[str, Any]
    location: Any
    machine: str | None


def inputs_of(given: Mapping[str, Any], cloud: str, name: str, location: type) -> Inputs:
    """The inputs of a cluster on a cloud, given in the engine's format. location: class of its place.

    Raises InputError with every value that is unknown in a preview, else with all problems.
    """
    source = f"gpucluster.{cloud}.TrainingCluster {name}"
    problems: list[str] = []
    values = {field: _plain(value, field, problems) for field, value in given.items()}
    if problems:
        raise InputError(source, problems)
    values = {field: value for field, value in values.items() if value is not None}
    problems += _strange(values, list(_SHAPES), "")
    for field, (shape, wanted) in _SHAPES.items():
        if field not in values:
            problems += [] if field == "machine" else [f"{field} is missing; write {wanted}"]
        elif not isinstance(values[field], shape):
            problems.append(f"{field} is {values[field]!r}; write {wanted}")
    if problems:
        raise InputError(source, problems)
    known = {field.name: field for field in dataclasses.fields(location)}
    missing = {field: None for field, of in known.items() if of.default is dataclasses.MISSING}
    place = {field: value for field, value in values["location"].items() if field in known}
    found = Inputs(values["spec"], location(**{**missing, **place}), values.get("machine"))
    strange = _strange(values["location"], list(known), "location.")
    if strange:
        raise InputError(source, strange, *_others(cloud, name, found, location))
    return found


def _others(cloud: str, name: str, found: Inputs, location: type) -> Iterator[InputError]:
    """Further problems."""
    try:
        ProgramCloud(cloud, location).plan(name, found.spec, found.location, found.machine)
    except InputError as error:
        yield error


def _strange(values: Iterable[str], allowed: Sequence[str], within: str) -> list[str]:
    all_of_them = f"; allowed: {', '.join(allowed)}"
    return [
        f"{within}{name} is not an input{did_you_mean(name, allowed) or all_of_them}"
        for name in values
        if name not in allowed
    ]


def _plain(given: Any, at: str, problems: list[str], *, secret: bool = False) -> Any:
    """The value in dicts and lists, without null members, and sorted: mappings arrive in any order.

    at: its full name.
    """
    if is_object(given) and (mark := given.get(_MARK)) is not None:
        if mark in (_SECRET, _OUTPUT):
            hidden = secret or mark == _SECRET or given.get("secret") is True
            return _plain(given.get("value", UNKNOWN_TEXT), at, problems, secret=hidden)
        problems.append(f"{at} is a resource or a file; use a string, number, boolean, list or mapping")
    elif given == UNKNOWN_TEXT:
        problems.append(
            f"{at} is not known before the update, but the preview plans and prices the cluster: write its value, or "
            "read it from the stack's configuration"
        )
    elif secret and at != _TOKEN:
        problems.append(f"{at} is a secret, but becomes part of names, labels and state; write it in plain text")
    elif is_object(given):
        members = {name: _plain(member, f"{at}.{name}", problems) for name, member in sorted(given.items())}
        kept = {name: member for name, member in members.items() if member is not None}
        return {_number(name): member for name, member in kept.items()} if at == _NUMBERED else kept
    elif is_list(given):
        return [_plain(item, f"{at}[{index}]", problems) for index, item in enumerate(given)]
    else:
        return plain_number(given) if isinstance(given, float) else given
    return None


def _number(key: str) -> int | str:
    return int(key) if key.isdecimal() else key


GIVEN: Final[ContextVar[Mapping[str, Any]]] = ContextVar("GIVEN")
"""The inputs of the component being built, in the engine's format: they mark unknowns and secrets, which the SDK's
converted values reveal only later."""

_TYPE: Final = re.compile(rf"{NAME}:({'|'.join(CLOUDS)}):TrainingCluster")
_LONGEST: Final = 400 * 1024 * 1024


class ComponentPackage(Provider):
    """The training clusters, by their type tokens."""

    def __init__(self) -> None:
        super().__init__(version(NAME), SCHEMA_FILE.read_text())
        self._running: Context | None = None

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
        if self._running is None:
            self._running = copy_context()
            _CLUSTERS.before = _total_before() if has_engine() else None
        try:
            cluster, cost = _built(known[1], name, options or pulumi.ResourceOptions())
        except (pulumi.RunError, ModuleNotFoundError) as error:
            raise InputPropertiesError(str(error), []) from error
        outputs = {**cluster.outputs(), "endpoint": cluster.failures.before(cluster.endpoint), "cost": cost}
        return ConstructResult(cluster.urn, outputs)

    def cancel(self) -> None:
        """The engine calls this before it ends the process: all clusters are priced, and it still shows messages.
        Source: pulumi/pulumi v3.250.0, pkg/host/host.go, ReleaseContext.
        """
        if self._running is not None:
            self._running.run(_CLUSTERS.log)  # in a context that has the address of the engine


_CLUSTERS: Final = preview.PricedParts("cost-package", ends=True)
"""Those of the program, which has one process of the package."""


def _total_before() -> str | None:
    """The total of the clusters after the last update; None if there were none, or if one of them has no cost, as those
    of a program in Python.
    """
    clusters = [found["outputs"] for found in last_resources().values() if _TYPE.fullmatch(found["type"])]
    totals = [outputs.get("cost", {}).get("monthly") for outputs in clusters]
    if not totals or None in totals:
        return None
    try:
        return f"{sum(map(Decimal, totals)):f}"
    except InvalidOperation:  # a range, or unknown
        return totals[0] if len(totals) == 1 else "unknown"


def _built(cloud: str, name: str, options: pulumi.ResourceOptions) -> tuple[Any, dict[str, str]]:
    """The cluster and its totals. Raises pulumi.RunError."""
    face: Any = importlib.import_module(f"{NAME}.{cloud}")
    with refusing():
        inputs = inputs_of(GIVEN.get(), cloud, name, face.Location)
    watched = preview.Watched({clouds()[cloud].package: inputs.location.region})
    cost = dict[str, str]()

    def price() -> Mapping[str, Any]:
        cost.update(preview.costed_plan(watched, title=f"Cost of {name}", parts=_CLUSTERS))
        return {"cost": cost}

    def see(args: pulumi.ResourceTransformationArgs) -> None:
        if _TYPE.fullmatch(args.type_):
            # The state has the outputs that a component registers; the next preview reads its cost there.
            before_outputs(args.resource, price)
        watched.see(args)

    seen = pulumi.ResourceOptions.merge(options, pulumi.ResourceOptions(transformations=[see]))
    with preview.watching():
        cluster = face.TrainingCluster(name, inputs.spec, inputs.location, seen, machine=inputs.machine)
    return cluster, cost


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
