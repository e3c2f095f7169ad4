"""What parts of a spec ask of one another."""

from collections.abc import Mapping, Sequence

from gpucluster.components.did_you_mean import did_you_mean
from gpucluster.components.problem import Problem
from gpucluster.components.spec.data import OWN, Identity
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


def team_problems(teams: Mapping[str, Team], admins: Sequence[str], gpus: Mapping[str, int]) -> list[Problem]:
    """gpus: pool -> GPUs of it that jobs can use."""
    if not teams:
        return []
    # Most specs have none.
    from gpucluster.components.team_shares import share_problems

    rights = [
        Problem(
            f"teams.{name}.groups[{at}]",
            f"is {who!r}, which is also under access.admins",
            "remove it from one: an admin has all rights already",
        )
        for name, team in teams.items()
        for at, who in enumerate(team.groups)
        if who in admins
    ]
    return rights + share_problems({name: team.gpus for name, team in teams.items()}, gpus)


def bucket_problems(storage: Storage, identities: Mapping[str, Identity], teams: Mapping[str, Team]) -> list[Problem]:
    """Of a bucket, and of teams, that the spec names and does not have."""
    problems: list[Problem] = []
    asked = "add storage.bucket: {}, to which it refers"
    if storage.shared.bucket == OWN and storage.bucket is None:
        problems.append(Problem("storage.shared.bucket", f"is {OWN}", asked))
    for name, identity in identities.items():
        if identity.team is not None and identity.team not in teams:
            near = did_you_mean(identity.team, teams)
            allowed = f"allowed: {', '.join(teams)}{near}" if teams else "the spec has no teams: remove it"
            problems.append(Problem(f"identities.{name}.team", f"is {identity.team!r}", allowed))
        if OWN in (*identity.reads, *identity.writes) and storage.bucket is None:
            problems.append(Problem(f"identities.{name}", f"refers to the bucket {OWN}", asked))
    return problems


def purchase_problems(training: Training, purchase: Purchase, placement: Placement, hours: int | None) -> list[Problem]:
    """hours: for how long it is wanted."""
    nodes = training.size
    problems: list[Problem] = []
    if isinstance(placement, NoPlacement) and nodes > 1:
        problems.append(
            Problem(
                "placement.kind",
                f"is 'none', for a single node only, but training has {nodes} nodes with its spares",
                "choose group, or reservation with its id",
            )
        )
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
    if isinstance(purchase, CapacityBlockPurchase | FlexStartPurchase) and hours is None:
        problems.append(
            Problem(
                "purchase.kind",
                f"is {purchase.kind!r}, which has a fixed term, but duration is missing",
                "add it: how long you need the nodes, such as 7d",
            )
        )
    if isinstance(placement, BlocksPlacement):
        held = sum(placement.blocks.values())
        if not isinstance(purchase, CapacityBlockPurchase):
            problems.append(
                Problem("placement.kind", "is 'blocks'", "set purchase.kind capacity-block, or choose reservation")
            )
        if held != nodes:
            why = f"have {held} nodes, but training.nodes and training.spares make {nodes}"
            problems.append(Problem("placement.blocks", why, "change one of them"))
    elif isinstance(purchase, CapacityBlockPurchase) and not isinstance(placement, ReservationPlacement):
        problems.append(
            Problem(
                "purchase.kind",
                "is 'capacity-block', which needs placement.kind reservation with the block's id: buy it by hand, "
                "because it is paid upfront and can't be cancelled",
            )
        )
    placed_in = placement.group if isinstance(placement, ReservationPlacement) else None
    if isinstance(purchase, CapacityBlockPurchase) and placed_in is not None:
        problems.append(
            Problem(
                "placement.group",
                "is set, but purchase.kind is 'capacity-block': a block has its own placement and is not created in a "
                "group",
                "remove placement.group",
            )
        )
    return problems
