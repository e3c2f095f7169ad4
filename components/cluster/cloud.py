"""The interface of a cloud, and the list of clouds. Imports no Pulumi and no SDK."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

from gpucluster.components.cluster.versions import VersionPlan
from gpucluster.components.kubernetes.telemetry.plan import TelemetryPlan
from gpucluster.components.planning.planning import Planning, Prices
from gpucluster.components.planning.problem import Problem
from gpucluster.components.shared.fleet import FleetPlan
from gpucluster.components.shared.teams import PeoplePlan
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.catalog.machines import Machine
from gpucluster.core.program.facts import Facts

if TYPE_CHECKING:
    from gpucluster.components.cluster.outputs import Cluster

CLOUDS = tuple(clouds())


class Place(Protocol):
    """Location of a cluster; each cloud adds its own fields."""

    @property
    def region(self) -> str: ...
    @property
    def zone(self) -> str: ...


class Access(Protocol):
    @property
    def summary(self) -> str: ...
    @property
    def only_examples(self) -> str | None: ...


class Training(Protocol):
    @property
    def shape(self) -> Machine: ...
    @property
    def nodes(self) -> int: ...
    @property
    def spares(self) -> int: ...


class ClusterPlan(Protocol):
    """The common part of all clouds' plans."""

    @property
    def name(self) -> str: ...
    @property
    def kubernetes_version(self) -> str: ...
    @property
    def versions(self) -> VersionPlan: ...
    @property
    def location(self) -> Place: ...
    @property
    def access(self) -> Access: ...
    @property
    def people(self) -> PeoplePlan: ...
    @property
    def training(self) -> Training: ...
    @property
    def leader_worker_sets(self) -> bool: ...
    @property
    def fleet(self) -> FleetPlan | None: ...
    @property
    def telemetry(self) -> TelemetryPlan: ...
    @property
    def facts(self) -> Facts: ...


Plan = TypeVar("Plan", bound=ClusterPlan, covariant=True)


@dataclass(frozen=True, kw_only=True)
class Cloud(Generic[Plan]):
    """One cloud. `Any` is its own location or plan, which is opaque to all other parts.

    name: its row in `core.catalog.clouds`. service: the name of its Kubernetes service.
    keys: required location keys of a stack's configuration, each with an example. optional: its optional keys.
    zone_in: returns a zone of a region, to check a spec without a stack.
    parse_location: the location of these keys' values, or every problem with them; missing keys are reported elsewhere.
    plan: the plan of a spec, which reports to the planning; to be used only if that has no problems.
    parts: the cluster's parts except the training pool, as rows to print.
    """

    name: str
    service: str
    keys: Mapping[str, str]
    optional: Sequence[str] = ()
    zone_in: Callable[[str], str]
    parse_location: Callable[[Mapping[str, str]], Any | list[Problem]]
    plan: Callable[[ClusterSpec, Planning[Any]], Plan]
    parts: Callable[[Any], list[tuple[str, str]]]

    @property
    def title(self) -> str:
        """The cloud's name in texts."""
        return clouds()[self.name].title

    def declare(self, plan: ClusterPlan) -> Cluster:
        """Registers the cluster of a plan with its own provider; imports the cloud's SDK, which takes seconds."""
        import pulumi

        cluster = importlib.import_module(f"gpucluster.components.{self.name}.cluster")
        own = cluster.provider(self.name, plan.location)
        declared: Cluster = cluster.TrainingCluster(plan.name, plan, pulumi.ResourceOptions(providers=[own]))
        return declared

    def planning(
        self, location: Any | None, stack: str, machine: str | None = None, prices: Prices | None = None
    ) -> Planning[Any]:
        """To be given to `plan`. The arguments are those of Planning; location: None if it can't be used."""
        place = self.locate(self.keys)[0] if location is None else location
        return Planning(stack=stack, location=place, located=location is not None, machine=machine, prices=prices)

    def plan_cluster(
        self, spec: ClusterSpec, location: Any, stack: str, machine: str | None = None, prices: Prices | None = None
    ) -> Plan:
        """The plan of a spec at a location. Raises PlanError with every reason why the cloud can't run it."""
        planning = self.planning(location, stack, machine, prices)
        plan = self.plan(spec, planning)
        planning.check()
        return plan

    def locate(self, values: Mapping[str, str]) -> tuple[Any | None, list[Problem]]:
        """The location of a configuration's values, or the problems with them."""
        found: Any = self.parse_location(values)
        return (None, cast(list[Problem], found)) if isinstance(found, list) else (found, [])


def cloud_of(name: str) -> Cloud[ClusterPlan]:
    """The cloud with a name from CLOUDS; loads only its modules."""
    cloud: Cloud[ClusterPlan] = importlib.import_module(f"gpucluster.components.{name}.cloud").CLOUD
    return cloud


def missing_sdk(name: str) -> str | None:
    """The package to install before a cluster can be declared on a cloud; None if it is installed."""
    sdk = clouds()[name].sdk
    if importlib.util.find_spec(sdk) is not None:
        return None
    from gpucluster.core.environment import installing  # slow, and needed only here

    package = sdk.replace("_", "-")
    return f"needs {package}: {installing(package)}"


@contextmanager
def importing_sdk(name: str) -> Generator[None]:
    """Wraps imports that need a cloud's SDK: if it is missing, the error names the package to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        if missing := missing_sdk(name):
            raise ModuleNotFoundError(f"gpucluster.{name} {missing}", name=error.name) from None
        raise
