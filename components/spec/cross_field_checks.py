"""Checks between the parts of a cluster. Each runs if the parts that are its parameters are valid by themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gpucluster.components.planning.mig_layout import layout_of, layout_problem
from gpucluster.components.planning.names import FLEET, MIG_POOL, NODE_GPUS, TRAINING_POOL
from gpucluster.components.planning.problem import Problem, choices, did_you_mean
from gpucluster.components.spec.access import Access, Team
from gpucluster.components.spec.operations import Fleet, JobKinds
from gpucluster.components.spec.pools import (
    BlocksPlacement,
    CapacityBlockPurchase,
    Elastic,
    FlexStartPurchase,
    GroupPlacement,
    Mig,
    NoPlacement,
    OnDemandPurchase,
    Placement,
    Purchase,
    ReservationPlacement,
    SpotPurchase,
    Training,
)
from gpucluster.components.spec.storage import OWN, Identity, Storage

_ADD_BUCKET = "add storage.bucket: {}, to which it refers"


def pool_gpus(training: Training, elastic: Elastic | None, mig: Mig | None) -> dict[str, int]:
    """Pool -> GPUs of it that jobs can use, an elastic one at its largest."""
    return {
        TRAINING_POOL: training.nodes * NODE_GPUS,
        **({name: pool.max_gpus for name, pool in elastic.pools.items()} if elastic else {}),
        **({MIG_POOL: mig.nodes * NODE_GPUS} if mig else {}),
    }


def _quotas(teams: Mapping[str, Team], training: Training, elastic: Elastic | None, mig: Mig | None) -> list[Problem]:
    gpus = {name: team.gpus for name, team in teams.items()}
    return share_problems(gpus, pool_gpus(training, elastic, mig)) if teams else []


def _groups(teams: Mapping[str, Team], access: Access) -> Iterator[Problem]:
    for name, team in teams.items():
        for at, identity in enumerate(team.groups):
            if identity in access.admins:
                seen = f"is {identity!r}, which is also under access.admins"
                fix = "remove it from one: an admin has all rights already"
                yield Problem(f"teams.{name}.groups[{at}]", seen, fix)


def _own_bucket(storage: Storage) -> Iterator[Problem]:
    if storage.shared.bucket == OWN and storage.bucket is None:
        yield Problem("storage.shared.bucket", f"is {OWN}", _ADD_BUCKET)


def _buckets_of_identities(storage: Storage, identities: Mapping[str, Identity]) -> Iterator[Problem]:
    for name, identity in identities.items():
        if OWN in (*identity.reads, *identity.writes) and storage.bucket is None:
            yield Problem(f"identities.{name}", f"refers to the bucket {OWN}", _ADD_BUCKET)


def _teams_of_identities(identities: Mapping[str, Identity], teams: Mapping[str, Team]) -> Iterator[Problem]:
    for name, identity in identities.items():
        if identity.team is not None and identity.team not in teams:
            fix = choices(identity.team, teams) if teams else "the spec has no teams: remove it"
            yield Problem(f"identities.{name}.team", f"is {identity.team!r}", fix)


def _size(training: Training, placement: Placement) -> Iterator[Problem]:
    nodes = training.size
    if isinstance(placement, NoPlacement) and nodes > 1:
        seen = f"is 'none', for a single node only, but training has {nodes} nodes with its spares"
        yield Problem("placement.kind", seen, "choose group, or reservation with its id")
    if isinstance(placement, BlocksPlacement) and (reserved := sum(placement.blocks.values())) != nodes:
        seen = f"have {reserved} nodes, but training.nodes and training.spares make {nodes}"
        yield Problem("placement.blocks", seen, "change one of them")


def _term(purchase: Purchase, duration: int | None) -> Iterator[Problem]:
    if isinstance(purchase, CapacityBlockPurchase | FlexStartPurchase) and duration is None:
        seen = f"is {purchase.kind!r}, which has a fixed term, but duration is missing"
        yield Problem("purchase.kind", seen, "add it: how long you need the nodes, such as 7d")


def _purchase(purchase: Purchase) -> Iterator[Problem]:
    if isinstance(purchase, SpotPurchase):
        seen = "is 'spot': one reclaimed node stops a co-located job on all nodes"
        fix = "choose on-demand or capacity-block, and use spot in a pool under elastic.pools"
        yield Problem("purchase.kind", seen, fix)


def _reservation(purchase: Purchase, placement: Placement) -> Iterator[Problem]:
    match purchase, placement:
        case FlexStartPurchase(), ReservationPlacement():
            fix = "choose placement.kind group, or purchase.kind on-demand for the reservation"
            yield Problem("purchase.kind", "is 'flex-start', which does not use reservations", fix)
        case CapacityBlockPurchase(), ReservationPlacement() if placement.group is not None:
            seen = "is set, but purchase.kind is 'capacity-block': a block has its own placement and is not created in "
            yield Problem("placement.group", f"{seen}a group", "remove placement.group")
        case CapacityBlockPurchase(), GroupPlacement() | NoPlacement():
            seen = "is 'capacity-block', which needs placement.kind reservation with the block's id: buy it by hand, "
            yield Problem("purchase.kind", f"{seen}because it is paid upfront and can't be cancelled")
        case OnDemandPurchase() | SpotPurchase() | FlexStartPurchase(), BlocksPlacement():
            fix = "set purchase.kind capacity-block, or choose reservation"
            yield Problem("placement.kind", "is 'blocks'", fix)
        case _:
            pass


def _layout(mig: Mig | None, accelerator: str) -> Iterator[Problem]:
    problem = None if mig is None else layout_problem(mig.layout, accelerator)
    if problem is not None:
        yield problem
    elif mig is not None and mig.strategy == "single" and not layout_of(mig.layout, accelerator).uniform:
        seen = f"is 'single', for slices of one size, but mig.layout is {mig.layout!r}"
        yield Problem("mig.strategy", seen, "choose mixed, or remove it")


def _queues(elastic: Elastic | None, fleet: Fleet | None) -> Iterator[Problem]:
    if fleet is not None and elastic is not None and FLEET in elastic.pools:
        yield Problem(f"elastic.pools.{FLEET}", "has the name of the queue of the fleet", "give the pool another name")


def slurm_pools(jobs: JobKinds, pools: Iterable[str]) -> tuple[str, ...]:
    """The pools that belong to Slurm. pools: all of them."""
    return tuple(pool for pool in pools if jobs.scheduler == "slurm" or pool in jobs.slurm_pools)


def _owners(jobs: JobKinds, training: Training, elastic: Elastic | None, mig: Mig | None) -> Iterator[Problem]:
    pools = [*pool_gpus(training, elastic, mig)]
    if jobs.scheduler == "both" and not jobs.slurm_pools:
        yield Problem("jobs.scheduler", "is 'both', but slurm_pools names none", "write those of Slurm: [training]")
    if jobs.scheduler != "both" and jobs.slurm_pools:
        owner = "Slurm" if jobs.scheduler == "slurm" else "Kueue"
        seen = f"is {jobs.scheduler!r}, which gives every pool to {owner}, but slurm_pools names some"
        yield Problem("jobs.scheduler", seen, "remove slurm_pools, or choose both")
        return
    if jobs.scheduler == "kueue" and jobs.slurm_accounting:
        yield Problem("jobs.slurm_accounting", "is true, but no pool is Slurm's", "set scheduler to slurm or both")
    for at, pool in enumerate(jobs.slurm_pools):
        if pool not in pools:
            yield Problem(f"jobs.slurm_pools[{at}]", f"is {pool!r}", choices(pool, pools))
    if jobs.slurm_pools and {*pools} <= {*jobs.slurm_pools}:
        yield Problem("jobs.slurm_pools", "names every pool", "set jobs.scheduler to slurm and remove slurm_pools")


def _asked_of_slurm(
    jobs: JobKinds,
    training: Training,
    elastic: Elastic | None,
    mig: Mig | None,
    teams: Mapping[str, Team],
    fleet: Fleet | None,
    purchase: Purchase,
) -> Iterator[Problem]:
    """What only Kueue does for a pool."""
    owned = slurm_pools(jobs, pool_gpus(training, elastic, mig))
    for name, team in teams.items():
        for pool in owned:
            if team.gpus.get(pool):
                seen = f"is {team.gpus[pool]}, but the pool is Slurm's, which shares no pool among teams here"
                yield Problem(f"teams.{name}.gpus.{pool}", seen, "remove it, or leave the pool to Kueue")
    if owned and fleet is not None:
        seen = f"is {jobs.scheduler!r}, but the queue of a fleet is Kueue's"
        yield Problem("jobs.scheduler", seen, "choose kueue, or remove fleet")
    if TRAINING_POOL in owned and isinstance(purchase, FlexStartPurchase):
        seen = "is 'flex-start': nodes start for a job that waits in a queue of Kueue, but the pool training is Slurm's"
        yield Problem("purchase.kind", seen, "choose on-demand or capacity-block, or leave the pool to Kueue")


POOL_CHECKS = (_size, _term, _purchase, _reservation)
CLUSTER_CHECKS = (
    *POOL_CHECKS,
    _layout,
    _queues,
    _owners,
    _asked_of_slurm,
    _quotas,
    _groups,
    _own_bucket,
    _buckets_of_identities,
    _teams_of_identities,
)


def share_problems(teams: Mapping[str, Mapping[str, int]], pools: Mapping[str, int]) -> list[Problem]:
    """Problems of the teams' shares. teams: name -> pool -> GPUs. pools: name -> available GPUs."""
    problems: list[Problem] = []
    for team, shares in teams.items():
        for pool, gpus in shares.items():
            field = f"teams.{team}.gpus.{pool}"
            if pool not in pools:
                near = did_you_mean(pool, pools)
                problems.append(Problem(field, "is not a pool of the cluster", f"allowed: {', '.join(pools)}{near}"))
            elif gpus < 0:
                problems.append(Problem(field, f"is {gpus}", "write a whole number of at least 0"))
            elif pool == TRAINING_POOL and gpus % NODE_GPUS:
                problems.append(
                    Problem(
                        field,
                        f"is {gpus}, but a job of this pool uses whole nodes of {NODE_GPUS}",
                        f"write {gpus // NODE_GPUS * NODE_GPUS} or {(gpus // NODE_GPUS + 1) * NODE_GPUS}",
                    )
                )
    return problems + [
        _share_problem(teams, pool, available)
        for pool, available in pools.items()
        if _shared_gpus(teams, pool) > available
    ]


def _shared_gpus(teams: Mapping[str, Mapping[str, int]], pool: str) -> int:
    return sum(shares.get(pool, 0) for shares in teams.values())


def _share_problem(teams: Mapping[str, Mapping[str, int]], pool: str, available: int) -> Problem:
    each = ", ".join(f"{team} {shares[pool]}" for team, shares in teams.items() if shares.get(pool))
    return Problem(
        "teams",
        f"have {_shared_gpus(teams, pool)} GPUs of the pool {pool} together ({each}), but it has {available} for jobs",
        "reduce one of them, or enlarge the pool",
    )
