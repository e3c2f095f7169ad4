"""The simulated clouds by provider package: SIMULATED in the `cloud` module of a cloud's folder."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import TYPE_CHECKING

from gpucluster.core.catalog.clouds import modules_of
from gpucluster.sandbox.clouds.cloud import Cloud
from gpucluster.sandbox.clouds.events.scenario import Scenario
from gpucluster.sandbox.clouds.events.weather import Weather
from gpucluster.sandbox.clouds.foreign import ForeignCloud
from gpucluster.sandbox.clouds.kubernetes.cloud import Kubernetes
from gpucluster.sandbox.clouds.provider import Provider
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.schema import Schema
from gpucluster.sandbox.clouds.types.sdk_types import Sdk

if TYPE_CHECKING:
    from gpucluster.sandbox.clouds.kubernetes.api_server import RealServers


SIMULATED: Mapping[str, type[Cloud]] = {
    **{row.package: module.SIMULATED for row, module in modules_of("gpucluster.sandbox.clouds.{cloud}.cloud")},
    Kubernetes.package: Kubernetes,
}


class Clouds:
    """Creates provider instances that share one ledger and, per package, one schema."""

    def __init__(
        self,
        sdks: Mapping[str, Sdk],
        ledger: Ledger,
        weather: Weather | None = None,
        servers: RealServers | None = None,
        named: Set[str] = frozenset(),
    ) -> None:
        """weather: events that no program requests. named: types that the command may be about.

        servers: real API servers for the Kubernetes objects, if requested.
        """
        self._schemas = {package: Schema(sdk) for package, sdk in sdks.items()}
        self._ledger = ledger
        self._weather = weather or Weather(Scenario())
        self._servers = servers
        self._named = named

    def provider(self, package: str) -> Provider:
        """A new provider instance of a package."""
        return Provider(self._cloud(package), self._schemas[package], self._ledger, self._weather, self._named)

    def _cloud(self, package: str) -> Cloud:
        if package == Kubernetes.package:
            return Kubernetes(self._servers)
        return SIMULATED[package]() if package in SIMULATED else ForeignCloud(package)
