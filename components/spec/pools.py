"""Pools of GPU nodes: training nodes with their purchase and placement, elastic pools, sliced GPUs."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal, cast

from pydantic import BeforeValidator, Field, model_validator

from gpucluster.components.planning.names import MIG_POOL, SYSTEM_POOL, TRAINING_POOL
from gpucluster.components.planning.problem import Problem
from gpucluster.components.spec.model import ROLL, Hours, Minutes, Model, Whole
from gpucluster.core.text.values import shown_value


class Training(Model):
    """The training pool: fixed size, co-located, fabric on."""

    nodes: Whole = Field(ge=1, le=4096, description="Nodes of 8 GPUs that jobs can use", examples=[4])
    spares: Whole = Field(default=0, ge=0, le=512, description="Spare nodes, in the same domain")
    fabric_gbps: Whole = Field(
        default=0,
        ge=0,
        le=12_800,
        description="Least GPU-fabric bandwidth per node, Gb/s; 0: any",
        examples=[1600, 3200],
    )
    roll: bool = Field(default=False, description=ROLL)

    @property
    def size(self) -> int:
        """Nodes bought: requested and spare."""
        return self.nodes + self.spares


class OnDemandPurchase(Model):
    """List price by the hour, no guarantee of capacity."""

    kind: Literal["on-demand"]


class SpotPurchase(Model):
    """Spare capacity that the cloud can reclaim."""

    kind: Literal["spot"]


class CapacityBlockPurchase(Model):
    """Capacity for fixed dates, paid upfront, referred to by the id of its reservation.

    A plan has no clock: the user sets `active` once the block has started, and the pool then gets its nodes.
    """

    kind: Literal["capacity-block"]
    active: bool = Field(default=False, description="Whether the block has started; until then the pool has no nodes")


class FlexStartPurchase(Model):
    """Capacity that starts when available, for at most seven days; on Google Cloud only."""

    kind: Literal["flex-start"]


Purchase = Annotated[
    OnDemandPurchase | SpotPurchase | CapacityBlockPurchase | FlexStartPurchase,
    Field(description="Purchase option of the training nodes", discriminator="kind"),
]


class GroupPlacement(Model):
    """A co-location domain created for this cluster."""

    kind: Literal["group"]


class ReservationPlacement(Model):
    """Reserved capacity, which already has a placement."""

    kind: Literal["reservation"]
    id: str = Field(
        min_length=3,
        max_length=512,
        description="The cloud's id of the reservation or capacity block; on AWS also the ARN of a resource group of "
        "reservations",
        examples=["cr-0123456789abcdef0", "projects/my-project/reservations/my-reservation"],
    )
    group: str | None = Field(
        default=None,
        pattern=r"^[!-~]([ -~]{0,253}[!-~])?$",
        description="Placement group that the reservation was created in (Google Cloud: resource policy that it was "
        "created with), if any",
    )
    host_maintenance: Literal["periodic"] | None = Field(
        default=None,
        description="Maintenance of the reservation's hosts, if Google Cloud has agreed on a period for it; a pool of "
        "nodes needs the same",
    )


class BlocksPlacement(Model):
    """Several capacity blocks of AWS, each of which has its own placement."""

    kind: Literal["blocks"]
    blocks: dict[str, Whole] = Field(
        description="Nodes in each block, by its id; the sum is that of training.nodes and training.spares",
        examples=[{"cr-0123456789abcdef0": 64, "cr-0123456789abcdef1": 32}],
    )


class NoPlacement(Model):
    """No co-location; for a single node only."""

    kind: Literal["none"]


Placement = Annotated[
    GroupPlacement | ReservationPlacement | BlocksPlacement | NoPlacement,
    Field(description="Co-location of the training nodes", discriminator="kind"),
]


# As long as AKS takes names of node pools, which are the shortest.
_POOL_NAME = r"^[a-z]([a-z0-9-]{0,10}[a-z0-9])?$"
_OTHER_POOLS = (MIG_POOL, SYSTEM_POOL, TRAINING_POOL)


def _flow(value: object) -> str:
    """A value as YAML on one line."""
    return f"[{', '.join(map(str, cast(list[Any], value)))}]" if isinstance(value, list) else str(value)


def _pool_name(value: object) -> object:
    """A name that fits every cloud and is no other pool's."""
    if not isinstance(value, str) or not re.fullmatch(_POOL_NAME, value):
        raise ValueError(
            f"must not contain the name {shown_value(value)}; write 1 to 12 lower-case letters, digits and hyphens, "
            "starting with a letter and not ending with a hyphen"
        )
    if value in _OTHER_POOLS:
        raise ValueError(
            f"must not contain the name {shown_value(value)}, which another pool of the cluster has; allowed: any "
            f"except {', '.join(_OTHER_POOLS)}"
        )
    return value


PoolName = Annotated[str, BeforeValidator(_pool_name)]


def _usage(expected_gpus: Decimal | None, max_gpus: int) -> Iterator[Problem]:
    if expected_gpus is not None and expected_gpus > max_gpus:
        yield Problem("", f"expected_gpus {expected_gpus} is more than max_gpus {max_gpus}", "change one of them")


class ElasticPool(Model):
    """One pool of machines, started for a job and removed after it. Its queue has the same name."""

    checks = (_usage,)

    max_gpus: Whole = Field(ge=1, le=4096, description="Most GPUs of the pool", examples=[8])
    expected_gpus: Decimal | None = Field(
        default=None, ge=0, description="GPUs running on average over the month, for the expected cost"
    )
    purchase: tuple[Literal["on-demand", "spot", "flex-start"], ...] = Field(
        default=("on-demand",),
        min_length=1,
        description="Allowed purchase options of its machines",
        examples=[["spot"]],
    )
    keep_empty: Minutes = Field(
        default=5,
        description="How long an empty machine waits for the next job, in minutes or hours up to 24h; default: 5m",
        examples=["5m", "2h"],
        json_schema_extra={"default": "5m"},
    )
    expire_after: Hours | None = Field(
        default=None,
        description="Age at which Karpenter replaces a machine, in hours, days or weeks; default: 30d. Native engines "
        "do not replace machines by age",
        examples=["14d"],
    )


class Elastic(Model):
    """Single-node GPU capacity that scales with the jobs."""

    engine: Literal["karpenter", "native"] = Field(default="karpenter", description="Autoscaler of the pools")
    own_prices: bool = Field(
        default=False,
        description="Karpenter decides by your own prices (GPUCLUSTER_PRICES), through NodeOverlays, an alpha feature; "
        "AWS only",
    )
    pools: dict[PoolName, ElasticPool] = Field(
        min_length=1,
        description="Name of a pool -> its settings; 1 to 12 lower-case letters, digits and hyphens",
        examples=[{"dev": {"max_gpus": 8}}],
        json_schema_extra={"propertyNames": {"not": {"enum": list(_OTHER_POOLS)}, "pattern": _POOL_NAME}},
    )

    @model_validator(mode="before")
    @classmethod
    def _named(cls, values: Any) -> Any:
        given = cast(Mapping[str, Any], values if isinstance(values, Mapping) else {})
        nameless = [name for name in ElasticPool.model_fields if name in given]
        if nameless:
            pool = ", ".join(f"{name}: {_flow(given[name])}" for name in nameless)
            wrong = f"{', '.join(nameless)} must be inside a named pool"
            raise ValueError(f"{wrong}; write instead pools: {{dev: {{{pool}}}}}")
        return cast(Any, values)


# What it means on a GPU is in `components/planning/mig_layout.py`.
_LAYOUT = (
    r"^(all-(balanced|[1-7]g\.[1-9]\d*gb)|([1-9]\d?x)?[1-7]g(\.[1-9]\d*gb)?(\+([1-9]\d?x)?[1-7]g(\.[1-9]\d*gb)?)*)$"
)


class Mig(Model):
    """Nodes with sliced GPUs; not for multi-node training."""

    nodes: Whole = Field(
        ge=1,
        le=512,
        description="Nodes of 8 GPUs; if a cloud has smaller machines, as many as have the same number of GPUs",
    )
    layout: str = Field(
        pattern=_LAYOUT,
        description="Slices of every GPU: all-1g.10gb, 3x2g.20gb+1x1g.10gb and the like, or all-balanced",
        examples=["all-1g.10gb", "3x2g.20gb+1x1g.10gb", "4g.40gb+3g.40gb", "all-balanced"],
    )
    strategy: Literal["single", "mixed"] | None = Field(
        default=None,
        description="How pods request slices: as nvidia.com/gpu, if all are alike (single), or by size, as "
        "nvidia.com/mig-1g.10gb (mixed); default: single if possible",
    )
    purchase: Literal["on-demand", "spot", "flex-start"] = Field(
        default="on-demand", description="Purchase option of its machines"
    )
    roll: bool = Field(default=False, description=ROLL)
