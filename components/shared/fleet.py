"""One queue over several clusters, as plain values: how clusters describe themselves to each other, and why one can't
join. Imports no Pulumi.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from ipaddress import ip_address, ip_network
from typing import Any, Final, cast

from gpucluster.components.planning.names import FLEET, GPU
from gpucluster.components.planning.planning import Planning
from gpucluster.components.planning.problem import Problem
from gpucluster.components.spec.access import Access, PrivateAccess
from gpucluster.components.spec.operations import Fleet

FACTS: Final = "fleet"
KUBECONFIG: Final = "fleetKubeconfig"
"""Outputs of a worker's stack: its description, and as a secret the access of the manager."""

_PRICE: Final = "perTrainingGpuHour"
_WORKERS: Final = "fleet.workers"


@dataclass(frozen=True, kw_only=True)
class Worker:
    """A cluster that runs jobs of a manager. manager: the stack that its spec names. namespaces: of jobs. nodes: for
    jobs, each with `gpus`. quotas: of its training pool, resource -> amount. cidrs: ranges that reach its API over the
    internet; empty if none does. charts: set of charts. leader_worker_sets: whether it takes them. gpu_hour_usd: USD of
    a GPU-hour, None if unknown. kubeconfig: of the manager, a secret.
    """

    stack: str
    manager: str
    namespaces: Sequence[str]
    nodes: int
    gpus: int
    quotas: Mapping[str, str]
    cidrs: Sequence[str]
    charts: str
    leader_worker_sets: bool
    gpu_hour_usd: Decimal | None = None
    kubeconfig: str = field(default="", repr=False)

    @property
    def name(self) -> str:
        """Of its objects in the manager."""
        return re.sub(r"[^a-z0-9.-]+", "-", self.stack.rpartition("/")[2].lower()).strip("-.")

    @property
    def facts(self) -> dict[str, Any]:
        """The output that describes it."""
        return {
            "manager": self.manager,
            "namespaces": [*self.namespaces],
            "nodes": self.nodes,
            "gpus": self.gpus,
            "quotas": dict(self.quotas),
            "cidrs": [*self.cidrs],
            "charts": self.charts,
            "leaderWorkerSets": self.leader_worker_sets,
        }


def worker_of(stack: str, outputs: Mapping[str, Any]) -> Worker | None:
    """The worker that a stack's outputs describe; None if they describe none."""
    facts: Any = outputs.get(FACTS)
    if not isinstance(facts, Mapping) or not outputs.get(KUBECONFIG):
        return None
    given = cast("Mapping[str, Any]", facts)
    # A range counts by its lower end; "unknown" and "at least 5.10" are no price.
    price = re.match(r"[\d.]+", str(outputs.get(_PRICE)))
    return Worker(
        stack=stack,
        manager=given["manager"],
        namespaces=given["namespaces"],
        nodes=int(given["nodes"]),
        gpus=int(given["gpus"]),
        quotas=given["quotas"],
        cidrs=given["cidrs"],
        charts=given["charts"],
        leader_worker_sets=given["leaderWorkerSets"],
        gpu_hour_usd=None if price is None else Decimal(price[0]),
        kubeconfig=str(outputs[KUBECONFIG]),
    )


@dataclass(frozen=True, kw_only=True)
class FleetPlan:
    """manager: the stack whose jobs this cluster runs; None for the manager itself. names: stacks of its workers.
    cidrs: ranges that reach this cluster's API over the internet. workers: the same as found by the program, the
    cheapest first.
    """

    manager: str | None
    names: Sequence[str]
    cidrs: Sequence[str]
    workers: Sequence[Worker] = ()

    @property
    def quotas(self) -> dict[str, str]:
        """Those of all workers together, in an order that does not depend on how an engine returns their outputs."""
        sums: Counter[str] = Counter()
        units: dict[str, str] = {}
        for worker in self.workers:
            for resource, amount in worker.quotas.items():
                digits = amount.rstrip("KMGTi")
                sums[resource] += int(digits)
                units[resource] = amount[len(digits) :]
        return {resource: f"{total}{units[resource]}" for resource, total in sorted(sums.items())}


def plan_fleet(
    fleet: Fleet | None, access: Access, planning: Planning[Any], *, existing_network: bool, fixed_address: bool
) -> FleetPlan | None:
    """The fleet of a spec; None if it has none. fixed_address: whether the cloud's NAT keeps its address."""
    if fleet is None:
        return None
    private = isinstance(access, PrivateAccess)
    if fleet.manager is not None:
        _plan_worker(fleet.manager, access, planning)
    else:
        if planning.stack in fleet.workers:
            planning.refuse(_WORKERS, f"has {planning.stack}, the manager itself", "remove it: its own queues serve it")
        if isinstance(access, PrivateAccess) and access.egress == "none":
            seen = "is 'none', but the manager reaches its workers over the internet"
            planning.refuse("access.egress", seen, "choose nat, or another manager")
        elif existing_network:
            planning.before_up.append(
                "fleet: the address of your network on the internet must be in access.cidrs of "
                f"{_list(fleet.workers)}; this is not checked"
            )
        elif not fixed_address:
            seen = "need a manager with a fixed address, for their access.cidrs, and Cloud NAT changes its addresses"
            planning.refuse(_WORKERS, seen, "choose a manager on AWS or Azure, or one in an existing network")
        planning.notes.append(
            f"fleet: jobs of the queue {FLEET} run in {_list(fleet.workers)}, the cheapest GPU-hour first; after 5 "
            "minutes without room there, the next one is tried, too"
        )
        planning.notes.append("fleet: queues of this cluster take no jobs of Ray, whose definitions workers lack")
    return FleetPlan(manager=fleet.manager, names=fleet.workers, cidrs=() if private else access.cidrs)


def _plan_worker(manager: str, access: Access, planning: Planning[Any]) -> None:
    if manager == planning.stack:
        planning.refuse("fleet.manager", f"is {manager}, this stack itself", "write the stack of the manager")
    if isinstance(access, PrivateAccess) and access.via != "vpn":
        seen = f"is 'private' without a VPN, so the manager {manager} can't reach the API"
        fix = "choose public, with the manager's address in access.cidrs, or via: vpn with its range there"
        planning.refuse("access.kind", seen, fix)
    elif isinstance(access, PrivateAccess):
        planning.before_up.append(f"fleet: the pods of {manager} must reach the API through your VPN; not checked")
    planning.notes.append(f"fleet: {manager} may start jobs on the training nodes, by the queue {FLEET}")


def _list(names: Sequence[str]) -> str:
    return ", ".join(names)


def by_price(workers: Sequence[Worker]) -> tuple[Worker, ...]:
    """The cheapest GPU-hour first; those without a price last."""
    return tuple(sorted(workers, key=lambda one: (one.gpu_hour_usd is None, one.gpu_hour_usd or 0)))


def worker_problems(workers: Mapping[str, Worker | None], manager: Worker) -> Iterator[Problem]:
    """Why workers can't join. workers: by the names of their stacks; None for a stack that describes none. manager: as
    if it were a worker of itself.
    """
    found = [worker for worker in workers.values() if worker is not None]
    names = Counter(worker.name for worker in found)
    for stack, worker in workers.items():
        if worker is None:
            fix = f"write fleet: {{manager: {manager.manager}}} into its spec and run `pulumi up` there first"
            fix += ", or remove it here"
            yield Problem(_WORKERS, f"has {stack}, which has no worker of a fleet", fix)
            continue
        if worker.manager.rpartition("/")[2] != manager.manager:
            seen = f"has {stack}, whose manager is {worker.manager}"
            yield Problem(
                _WORKERS, seen, f"write fleet.manager: {manager.manager} into its spec, and run `pulumi up` there"
            )
        if lacks := [name for name in manager.namespaces if name not in worker.namespaces]:
            seen = f"has {stack}, which lacks the namespaces {_list(lacks)}"
            yield Problem(_WORKERS, seen, "give both specs the same teams")
        if worker.charts != manager.charts:
            seen = f"has {stack} with the charts {worker.charts}, but this cluster has {manager.charts}"
            yield Problem(_WORKERS, seen, "update both with one release of gpucluster")
        if manager.leader_worker_sets and not worker.leader_worker_sets:
            seen = f"has {stack} without LeaderWorkerSets, which this cluster has"
            yield Problem(_WORKERS, seen, "set jobs.leader_worker_sets to the same in both specs")
        if names[worker.name] > 1:
            yield Problem(_WORKERS, f"has several stacks whose name is {worker.name}", "rename one")


def unreachable(workers: Sequence[Worker], address: str) -> list[Problem]:
    """The workers whose API the manager can't reach. address: the manager's on the internet."""
    return [
        Problem(
            _WORKERS,
            f"has {worker.stack}, whose access.cidrs lack {address}, the address of this cluster on the internet",
            f"add {address}/32 there, and run `pulumi up` there",
        )
        for worker in workers
        if worker.cidrs and not any(ip_address(address) in ip_network(cidr) for cidr in worker.cidrs)
    ]


def member_quotas(quotas: Mapping[str, str]) -> dict[str, str]:
    """The part of a pool's quotas that pods request alike on every cloud."""
    return {resource: quotas[resource] for resource in ("cpu", "memory", GPU)}
