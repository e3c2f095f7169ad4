"""Checks between the parts of a cluster. Each runs if the parts that are its parameters are valid by themselves."""

from collections.abc import Mapping

from gpucluster.components.did_you_mean import did_you_mean
from gpucluster.components.mig_layout import layout_of, layout_problem
from gpucluster.components.names import MIG_POOL, NODE_GPUS, TRAINING_POOL
from gpucluster.components.problem import Problem
from gpucluster.components.spec.access import Access
from gpucluster.components.spec.data import OWN, Identity
from gpucluster.components.spec.elastic import Elastic
from gpucluster.components.spec.mig import Mig
from gpucluster.components.spec.storage import Storage
from gpucluster.components.spec.teams import Team
from gpucluster.components.spec.training import (
    BlocksPlacement,
    CapacityBlockPurchase,
    FlexStartPurchase,
    NoPlacement,
    Placement,
    Purchase,
    ReservationPlacement,
    SpotPurchase,
    Training,
)
from gpucluster.components.team_shares import share_problems


def pool_gpus(training: Training, elastic: Elastic | None, mig: Mig | None) -> dict[str, int]:
    """Pool -> GPUs of it that jobs can use, an elastic one at its largest."""
    return {
        TRAINING_POOL: training.nodes * NODE_GPUS,
        **({name: pool.max_gpus for name, pool in elastic.pools.items()} if elastic else {}),
        **({MIG_POOL: mig.nodes * NODE_GPUS} if mig else {}),
    }


def quota_problems(
    teams: Mapping[str, Team], training: Training, elastic: Elastic | None, mig: Mig | None
) -> list[Problem]:
    gpus = {name: team.gpus for name, team in teams.items()}
    return share_problems(gpus, pool_gpus(training, elastic, mig)) if teams else []


def group_problems(teams: Mapping[str, Team], access: Access) -> list[Problem]:
    return [
        Problem(
            f"teams.{name}.groups[{at}]",
            f"is {who!r}, which is also under access.admins",
            "remove it from one: an admin has all rights already",
        )
        for name, team in teams.items()
        for at, who in enumerate(team.groups)
        if who in access.admins
    ]


_ADD_BUCKET = "add storage.bucket: {}, to which it refers"


def bucket_problems(storage: Storage) -> list[Problem]:
    missing = storage.shared.bucket == OWN and storage.bucket is None
    return [Problem("storage.shared.bucket", f"is {OWN}", _ADD_BUCKET)] if missing else []


def identity_bucket_problems(storage: Storage, identities: Mapping[str, Identity]) -> list[Problem]:
    return [
        Problem(f"identities.{name}", f"refers to the bucket {OWN}", _ADD_BUCKET)
        for name, identity in identities.items()
        if OWN in (*identity.reads, *identity.writes) and storage.bucket is None
    ]


def identity_team_problems(identities: Mapping[str, Identity], teams: Mapping[str, Team]) -> list[Problem]:
    problems: list[Problem] = []
    for name, identity in identities.items():
        if identity.team is not None and identity.team not in teams:
            near = did_you_mean(identity.team, teams)
            allowed = f"allowed: {', '.join(teams)}{near}" if teams else "the spec has no teams: remove it"
            problems.append(Problem(f"identities.{name}.team", f"is {identity.team!r}", allowed))
    return problems


def size_problems(training: Training, placement: Placement) -> list[Problem]:
    nodes = training.size
    if isinstance(placement, NoPlacement) and nodes > 1:
        return [
            Problem(
                "placement.kind",
                f"is 'none', for a single node only, but training has {nodes} nodes with its spares",
                "choose group, or reservation with its id",
            )
        ]
    if isinstance(placement, BlocksPlacement) and (held := sum(placement.blocks.values())) != nodes:
        why = f"have {held} nodes, but training.nodes and training.spares make {nodes}"
        return [Problem("placement.blocks", why, "change one of them")]
    return []


def term_problems(purchase: Purchase, duration: int | None) -> list[Problem]:
    if isinstance(purchase, CapacityBlockPurchase | FlexStartPurchase) and duration is None:
        return [
            Problem(
                "purchase.kind",
                f"is {purchase.kind!r}, which has a fixed term, but duration is missing",
                "add it: how long you need the nodes, such as 7d",
            )
        ]
    return []


def purchase_problems(purchase: Purchase, placement: Placement) -> list[Problem]:
    problems: list[Problem] = []
    block = isinstance(purchase, CapacityBlockPurchase)
    if isinstance(purchase, SpotPurchase):
        problems.append(
            Problem(
                "purchase.kind",
                "is 'spot': one reclaimed node stops a co-located job on all nodes",
                "choose on-demand or capacity-block, and use spot in a pool under elastic.pools",
            )
        )
    if isinstance(purchase, FlexStartPurchase) and isinstance(placement, ReservationPlacement):
        problems.append(
            Problem(
                "purchase.kind",
                "is 'flex-start', which does not use reservations",
                "choose placement.kind group, or purchase.kind on-demand for the reservation",
            )
        )
    if isinstance(placement, BlocksPlacement) and not block:
        problems.append(
            Problem("placement.kind", "is 'blocks'", "set purchase.kind capacity-block, or choose reservation")
        )
    if block and not isinstance(placement, BlocksPlacement | ReservationPlacement):
        problems.append(
            Problem(
                "purchase.kind",
                "is 'capacity-block', which needs placement.kind reservation with the block's id: buy it by hand, "
                "because it is paid upfront and can't be cancelled",
            )
        )
    if block and isinstance(placement, ReservationPlacement) and placement.group is not None:
        problems.append(
            Problem(
                "placement.group",
                "is set, but purchase.kind is 'capacity-block': a block has its own placement and is not created in a "
                "group",
                "remove placement.group",
            )
        )
    return problems


def layout_problems(mig: Mig | None, accelerator: str) -> list[Problem]:
    if mig is None:
        return []
    problem = layout_problem(mig.layout, accelerator)
    if problem is not None:
        return [problem]
    if mig.strategy == "single" and not layout_of(mig.layout, accelerator).uniform:
        return [
            Problem(
                "mig.strategy",
                f"is 'single', for slices of one size, but mig.layout is {mig.layout!r}",
                "choose mixed, or remove it",
            )
        ]
    return []


POOL_CHECKS = (size_problems, term_problems, purchase_problems)
CLUSTER_CHECKS = (
    *POOL_CHECKS,
    layout_problems,
    quota_problems,
    group_problems,
    bucket_problems,
    identity_bucket_problems,
    identity_team_problems,
)
