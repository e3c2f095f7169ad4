"""What a stack itself uses: a second `up` needs no room for what the first one created.

Sources: GKE documentation, "Creating and managing cluster labels" (labels that GKE applies); Compute Engine API v1,
Instance; Managed Lustre API v1, projects.locations.instances.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import Final

from pydantic import Field

from gpucluster.components.gcp.planning.plan import GcpClusterPlan
from gpucluster.components.gcp.planning.quotas import BALANCED_DISKS, add_machines, exact_names
from gpucluster.components.planning.planning import Planning
from gpucluster.core.catalog.machines import machines
from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.gcp.client import Client, Page, Reading, last
from gpucluster.operate.preflight.gcp.clusters import LUSTRE


class _Disk(Reading):
    boot: bool = False
    type: str = ""
    disk_size_gb: int = 0


class _Scheduling(Reading):
    provisioning_model: str = ""


class _Interface(Reading):
    network: str = ""


class _Affinity(Reading):
    values: Sequence[str] = ()


class _Machine(Reading):
    machine_type: str = ""
    status: str = ""
    disks: Sequence[_Disk] = ()
    scheduling: _Scheduling = _Scheduling()
    network_interfaces: Sequence[_Interface] = ()
    reservation_affinity: _Affinity = _Affinity()
    resource_policies: Sequence[str] = ()
    labels: Mapping[str, str] = Field(default_factory=dict[str, str])


class _Scope(Reading):
    instances: Sequence[_Machine] = ()


class _Everywhere(Page):
    items: Mapping[str, _Scope] = Field(default_factory=dict[str, _Scope])


class _FileSystem(Reading):
    name: str = ""
    capacity_gib: int = 0


class _FileSystems(Page):
    instances: Sequence[_FileSystem] = ()


_COUNTED: Final = frozenset({"PROVISIONING", "REPAIRING", "RUNNING", "STAGING"})
_PREEMPTIBLE: Final = frozenset({"FLEX_START", "SPOT"})
_BOUND: Final = "RESERVATION_BOUND"
_CLUSTER: Final = "goog-k8s-cluster-name"


@dataclass(frozen=True)
class Own:
    """Of the cluster of a plan, if it exists, and of those of other stacks, which the sandbox may have too."""

    client: Client
    plan: GcpClusterPlan
    _lock: Lock = field(default_factory=Lock)

    def used(self, question: Question) -> int:
        """Of a quota. question: about it."""
        service, metric = question.details["service"], question.details["metric"]
        if service.startswith("lustre"):
            return self._lustre(question.place)
        with self._lock:
            return self._amounts[self.plan.stack][metric, question.details.get("family", "")]

    def by_others(self, question: Question) -> dict[str, int]:
        """Other stack -> what it uses of a quota. question: about it."""
        key = question.details["metric"], question.details.get("family", "")
        with self._lock:
            found = {stack: amounts[key] for stack, amounts in self._amounts.items() if stack != self.plan.stack}
        return {stack: amount for stack, amount in found.items() if amount}

    def reserved(self, reservation: str) -> int:
        """Machines in a reservation. reservation: its path, perhaps of a block, without the zone."""
        with self._lock:
            own = self._machines.get(self.plan.stack, ())
        values = [value for one in own for value in one.reservation_affinity.values]
        _, owner, _, name, *block = reservation.split("/")
        path = f"projects/{owner}/reservations/{name}"
        names = {reservation, *([] if block or owner != self.client.project else [name])}
        return sum(value in names or (not block and value.startswith(f"{path}/")) for value in values)

    @cached_property
    def _machines(self) -> Mapping[str, list[_Machine]]:
        """By stack. The project may have a cluster of this name in another region, and another program a stack of this
        name.
        """
        asked = {"project": self.client.project, "filter": f"labels.{_CLUSTER}:*"}
        pages = self.client.pages("compute:v1", "instances.aggregatedList", _Everywhere, **asked)
        here = f"zones/{self.plan.location.region}-"
        found: dict[str, list[_Machine]] = {}
        for scope in (scope for page in pages for place, scope in page.items.items() if place.startswith(here)):
            for one in scope.instances:
                if one.status in _COUNTED and (stack := self._stack(one)):
                    found.setdefault(stack, []).append(one)
        return found

    def _stack(self, one: _Machine) -> str:
        """Empty for none."""
        if one.labels.get(_CLUSTER) == self.plan.cluster_name:
            return self.plan.stack
        stack = one.labels.get("pulumi-stack", "")
        return "" if stack == self.plan.stack else stack

    @cached_property
    def _amounts(self) -> Mapping[str, Counter[tuple[str, str]]]:
        found = {stack: self._amounts_of(own, stack) for stack, own in self._machines.items()}
        return {self.plan.stack: Counter(), **found}

    def _amounts_of(self, own: Sequence[_Machine], stack: str) -> Counter[tuple[str, str]]:
        """(metric, family) -> amount, by the arithmetic of the plan. stack: of the machines."""
        planning = Planning(stack=self.plan.stack, location=self.plan.location)
        found: Counter[tuple[str, str]] = Counter()
        for one in own:
            shape = machines().get(last(one.machine_type))
            boot_gb = sum(disk.disk_size_gb for disk in one.disks if disk.boot)
            model = one.scheduling.provisioning_model
            if shape is None:
                planning.quotas[BALANCED_DISKS] += boot_gb
            elif model != _BOUND:
                local = any(disk.type == "SCRATCH" for disk in one.disks)
                preemptible = model in _PREEMPTIBLE
                add_machines(planning, shape, 1, preemptible=preemptible, root_gib=boot_gb, local=local)
                found["gpus_all_regions", ""] += shape.gpus
        families = [one[1] for text in planning.quotas if (one := re.search(r"vCPUs of (\w+) ", text))]
        for text, amount in planning.quotas.items():
            found.update({(exact.metric, exact.family): amount for exact in exact_names(text, families)})
        networks = {last(interface.network) for one in own for interface in one.network_interfaces}
        policies = {last(policy) for one in own for policy in one.resource_policies}
        name = re.escape(self.plan.name) if stack == self.plan.stack else r"[a-z0-9-]+"
        found["networks", ""] = _named(networks, rf"{name}-network-.+")
        found["resource_policies", ""] = _named(policies, rf"{name}-.+")
        found["in_use_addresses", ""] = min(1, found["networks", ""])  # of its NAT
        return found

    def _lustre(self, zone: str) -> int:
        url = f"{LUSTRE}/projects/{self.client.project}/locations/{zone}/instances"
        found = (one for page in self.client.pages_at(url, _FileSystems) for one in page.instances)
        return sum(one.capacity_gib for one in found if last(one.name) == self.plan.cluster_name)


def _named(names: set[str], form: str) -> int:
    return sum(re.fullmatch(form, one) is not None for one in names)
