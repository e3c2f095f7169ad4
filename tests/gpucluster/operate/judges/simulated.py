"""An update of an example in this process: its program registers with the simulated clouds themselves, and every value
is known. The engine, which each example would wait for, has no part in what a judge sees.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from google.protobuf import struct_pb2
from pulumi.runtime import mocks
from pulumi.runtime.proto import provider_pb2, resource_pb2

from gpucluster.core.program.readers.records import resource_of
from gpucluster.core.program.resources import Resource, Resources, region_key
from gpucluster.sandbox.clouds.provider import Provider
from gpucluster.sandbox.clouds.registry import Clouds
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.sdk_types import installed_sdks, site_packages
from gpucluster.sandbox.clouds.types.values import from_struct, plain

__all__ = ["Update"]


class Refused(Exception):
    """The simulated cloud takes something not."""


class _Call:
    """The end of a call that a provider ends with."""

    def abort(self, code: object, message: str) -> None:
        raise Refused(f"{code}: {message}")

    def set_trailing_metadata(self, metadata: object) -> None:
        """What goes with an unfinished operation, which raises as well."""


class Update(mocks.MockMonitor):
    """Answers a program as an engine does that creates everything. config: of the stack. ids: by URN."""

    def __init__(self, folder: Path, config: Mapping[str, str]) -> None:
        super().__init__(cast(Any, None))
        self._clouds = Clouds(installed_sdks(site_packages(None)), Ledger(folder / "clouds.sqlite3"))
        self._config = config
        self._providers: dict[str, Provider] = {}
        self.created: list[Resource] = []
        self.ids: dict[str, str] = {}

    def stack(self) -> Resources:
        """All that was created."""
        regions = {key.partition(":")[0]: value for key, value in self._config.items() if key == _region(key)}
        return Resources(self.created, default_regions=regions)

    def RegisterResource(self, request: Any) -> Any:
        urn = self.make_urn(request.parent, request.type, request.name)
        package, _, rest = request.type.partition(":")
        if not request.custom:
            return resource_pb2.RegisterResourceResponse(urn=urn, object=request.object)
        if package == "pulumi":
            made = self._clouds.provider(rest.removeprefix("providers:"))
            made.Configure(provider_pb2.ConfigureRequest(args=request.object), _Call())
            self._providers[urn] = made
            self._keep(urn, request, request.object)
            return resource_pb2.RegisterResourceResponse(urn=urn, id="provider", object=request.object)
        provider = self._providers.get(request.provider.rpartition("::")[0]) or self._default(package)
        checked = provider.Check(
            provider_pb2.CheckRequest(urn=urn, news=request.object, randomSeed=hashlib.sha256(urn.encode()).digest()),
            _Call(),
        )
        if checked.failures:
            raise Refused(f"{urn}: {checked.failures}")
        self._keep(urn, request, checked.inputs)
        there = provider.Create(provider_pb2.CreateRequest(urn=urn, properties=checked.inputs), _Call())
        self.ids[urn] = there.id
        return resource_pb2.RegisterResourceResponse(urn=urn, id=there.id, object=there.properties)

    def Invoke(self, request: Any) -> Any:
        provider = self._providers.get(request.provider.rpartition("::")[0]) or self._default(
            request.tok.partition(":")[0]
        )
        found = provider.Invoke(provider_pb2.InvokeRequest(tok=request.tok, args=request.args), _Call())
        return resource_pb2.ResourceInvokeResponse(**{"return": getattr(found, "return")})

    def _default(self, package: str) -> Provider:
        if package not in self._providers:
            self._providers[package] = self._clouds.provider(package)
            args = struct_pb2.Struct()
            args.update(
                {key.split(":")[1]: value for key, value in self._config.items() if key.startswith(f"{package}:")}
            )
            self._providers[package].Configure(provider_pb2.ConfigureRequest(args=args), _Call())
        return self._providers[package]

    def _keep(self, urn: str, request: Any, inputs: Any) -> None:
        record = {
            "urn": urn, "type": request.type, "custom": True, "inputs": plain(from_struct(inputs)),
            "provider": request.provider,
        }  # fmt: skip
        self.created.append(resource_of(record, "an update", "pulumi stack export"))


def _region(key: str) -> str:
    package = key.partition(":")[0]
    return f"{package}:{region_key(package)}"
