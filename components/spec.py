"""What a user asks for: one cluster, in words that hold on every cloud. Imports no Pulumi.

`components.spec_file` reads it from YAML and turns every mistake into one line in the user's words.
"""

import datetime
import ipaddress
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Final, Literal, Self, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from gpucluster.components.labels import LABEL_VALUE, OWN_LABELS, REQUIRED_LABELS
from gpucluster.components.names import MIG_POOL, SYSTEM_POOL, TRAINING_POOL
from gpucluster.components.problem import BadSpecValue, Problem
from gpucluster.textio.values import shown_value

__all__ = [
    "NAME",
    "Access",
    "Budget",
    "CapacityBlockPurchase",
    "ClusterSpec",
    "Elastic",
    "ElasticPool",
    "Exemption",
    "FlexStartPurchase",
    "GroupPlacement",
    "HomeStorage",
    "Mig",
    "NetworkSpec",
    "NoPlacement",
    "OnDemandPurchase",
    "PoolSpec",
    "PrivateAccess",
    "PublicAccess",
    "ReservationPlacement",
    "SharedStorage",
    "SpotPurchase",
    "StackSpec",
    "Storage",
    "Telemetry",
    "Training",
    "TrainingSpec",
]

NAME: Final = r"^[a-z]([a-z0-9-]{0,18}[a-z0-9])?$"
# As long as AKS takes names of node pools, which are the shortest.
_POOL_NAME = re.compile(r"^[a-z]([a-z0-9-]{0,10}[a-z0-9])?$")
_OTHER_POOLS = (MIG_POOL, SYSTEM_POOL, TRAINING_POOL)
_DURATION = re.compile(r"^([1-9]\d{0,3})\s*([hdw])$")
_SHORT_DURATION = re.compile(r"^([1-9]\d{0,3})\s*([mh])$")
_LABEL_RULE = "1 to 63 lower-case letters, digits, - and _, starting and ending with a letter or digit"
_BUCKET = r"^[a-z][a-z0-9]*://[a-z0-9][a-z0-9._-]*(/.*)?$"
# What it means on a GPU is in `components/mig_layout.py`.
_LAYOUT = (
    r"^(all-(balanced|[1-7]g\.[1-9]\d*gb)|([1-9]\d?x)?[1-7]g(\.[1-9]\d*gb)?(\+([1-9]\d?x)?[1-7]g(\.[1-9]\d*gb)?)*)$"
)
_ROLL = (
    "Whether this update may replace the pool's nodes, which ends the jobs on them; without it, a change that would is "
    "refused. Take it back afterwards"
)
_HOURS = {"h": 1, "d": 24, "w": 7 * 24}
_MINUTES = {"m": 1, "h": 60}
# As long as GKE takes it, which is the shortest. Source: GKE documentation, "ComputeClass" definition.
_LONGEST_EMPTY = 24 * 60


def _hours(value: object) -> object:
    """Hours in a duration such as `36h`, `14d` or `2w`."""
    return _units(value, _DURATION, _HOURS, "hours, days or weeks, such as 36h, 14d or 2w")


def _minutes(value: object) -> object:
    """Minutes in a duration such as `5m` or `2h`, up to a day."""
    allowed = "minutes or hours up to 24h, such as 5m or 2h"
    minutes = _units(value, _SHORT_DURATION, _MINUTES, allowed)
    if isinstance(minutes, int) and minutes > _LONGEST_EMPTY:
        raise ValueError(f"is more than a day; write {allowed}")
    return minutes


def _units(value: object, pattern: re.Pattern[str], units: Mapping[str, int], allowed: str) -> object:
    if isinstance(value, int) and not isinstance(value, bool):
        raise ValueError(f"has no unit; write {allowed}")
    if not isinstance(value, str):
        return value
    match = pattern.match(value.strip())
    if match is None:
        raise ValueError(f"is not a duration; write {allowed}")
    return int(match[1]) * units[match[2]]


def _money(value: object) -> object:
    """A dollar amount without the binary rounding of a YAML float."""
    return str(value) if isinstance(value, float) else value


def _flow(value: object) -> str:
    """A value as YAML on one line."""
    return f"[{', '.join(map(str, cast(list[Any], value)))}]" if isinstance(value, list) else str(value)


# The widest range that belongs to one owner: registries get the internet's addresses by /8 (IANA IPv4 address space
# registry), and the widest private range is 10.0.0.0/8 (RFC 1918).
_WIDEST = 8

# No machine has these on the internet. Sources: RFC 1918, RFC 6598 (carriers), RFC 1122 (loopback), RFC 3927 (link).
_PRIVATE = tuple(
    map(
        ipaddress.IPv4Network,
        ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
    )
)


def _cidr(value: str) -> str:
    try:
        network = ipaddress.IPv4Network(value)
    except ValueError:
        raise ValueError("is not an IPv4 range; write one such as 203.0.113.0/24, with no host bits set") from None
    if network.prefixlen < _WIDEST:
        whom = f"{network.num_addresses:,} addresses" if network.prefixlen else "everyone"
        raise ValueError(
            f"opens the cluster's API to {whom}; name the ranges of your office or VPN, none wider than /{_WIDEST}"
        )
    return str(network)


def _public_cidr(value: str) -> str:
    private = next((range_ for range_ in _PRIVATE if range_.overlaps(ipaddress.IPv4Network(value))), None)
    if private is not None:
        raise ValueError(
            f"overlaps {private}, which nobody has on the internet; write the range your office or VPN has there, or "
            "choose kind: private with via: vpn"
        )
    return value


Hours = Annotated[int, BeforeValidator(_hours), WithJsonSchema({"type": "string", "pattern": _DURATION.pattern})]
Name = Annotated[
    str,
    Field(
        pattern=NAME,
        description="Prefix of every resource: 1 to 20 lower-case letters, digits and hyphens, starting with a letter",
    ),
]
Accelerator = Annotated[
    Literal["h100", "h200", "a100-80gb", "a100-40gb"],
    Field(description="GPU of the training nodes; the A100s are for comparison"),
]
Minutes = Annotated[
    int, BeforeValidator(_minutes), WithJsonSchema({"type": "string", "pattern": _SHORT_DURATION.pattern})
]
Cidr = Annotated[str, AfterValidator(_cidr)]
PublicCidr = Annotated[Cidr, AfterValidator(_public_cidr)]
_LASTS: Final = "How long the cluster is meant to stand, in hours, days or weeks"
_LENGTHS: Final = ["36h", "14d", "2w"]
Duration = Annotated[Hours | None, Field(description=_LASTS, examples=_LENGTHS)]


class Model(BaseModel):
    """A part of the spec: unknown keys are errors, values never change."""

    # A part is built within the whole spec; by itself only where it is used by itself.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Training(Model):
    """The training pool: fixed size, co-located, fabric on."""

    nodes: int = Field(ge=1, le=4096, description="Nodes of 8 GPUs that jobs can use", examples=[4])
    spares: int = Field(default=0, ge=0, le=512, description="Nodes bought beside the asked ones, in the same domain")
    fabric_gbps: int = Field(
        default=0,
        ge=0,
        le=12_800,
        description="Least GPU-fabric bandwidth per node, Gb/s; 0 takes what the shape has",
        examples=[1600, 3200],
    )
    roll: bool = Field(default=False, description=_ROLL)


class OnDemandPurchase(Model):
    """List price by the hour, no promise of capacity."""

    kind: Literal["on-demand"] = "on-demand"


class SpotPurchase(Model):
    """Spare capacity that the cloud can take back."""

    kind: Literal["spot"]


class CapacityBlockPurchase(Model):
    """Capacity for fixed dates, paid upfront, named by the id of its reservation.

    A plan has no clock: who runs it says when the block has begun, and the pool then gets its nodes.
    """

    kind: Literal["capacity-block"]
    active: bool = Field(default=False, description="Whether the block has begun; until then the pool has no nodes")


class FlexStartPurchase(Model):
    """Capacity that comes when there is some, for at most seven days; sold by Google Cloud."""

    kind: Literal["flex-start"]


Purchase = Annotated[
    OnDemandPurchase | SpotPurchase | CapacityBlockPurchase | FlexStartPurchase,
    Field(discriminator="kind", description="How the training nodes are paid for"),
]


class GroupPlacement(Model):
    """A co-location domain made for this cluster."""

    kind: Literal["group"] = "group"


class ReservationPlacement(Model):
    """Capacity that is reserved, and therefore placed, already."""

    kind: Literal["reservation"]
    id: str = Field(
        min_length=3,
        max_length=512,
        description="The cloud's id of the reservation or capacity block",
        examples=["cr-0123456789abcdef0", "projects/my-project/reservations/my-reservation"],
    )
    group: str | None = Field(
        default=None,
        min_length=1,
        description="Placement group the reservation was created in (Google Cloud: resource policy it was created "
        "with); leave out otherwise",
    )


class NoPlacement(Model):
    """No co-location; for a single node only."""

    kind: Literal["none"]


Placement = Annotated[
    GroupPlacement | ReservationPlacement | NoPlacement,
    Field(discriminator="kind", description="What keeps the training nodes close to each other"),
]


def _pool_name(value: object) -> object:
    """A name that fits every cloud and is no other pool's."""
    if not isinstance(value, str) or not _POOL_NAME.match(value):
        raise ValueError(
            f"may not hold the name {shown_value(value)}; write 1 to 12 lower-case letters, digits and hyphens, "
            "starting with a letter and not ending with a hyphen"
        )
    if value in _OTHER_POOLS:
        raise ValueError(
            f"may not hold the name {shown_value(value)}, which another pool of the cluster has; allowed: any but "
            f"{', '.join(_OTHER_POOLS)}"
        )
    return value


PoolName = Annotated[str, BeforeValidator(_pool_name)]


class ElasticPool(Model):
    """One pool of machines that come for a job and go after it. Its name is that of its queue, too."""

    max_gpus: int = Field(ge=1, le=4096, description="GPUs the pool may reach", examples=[8])
    expected_gpus: Decimal | None = Field(
        default=None, ge=0, description="GPUs running on average over the month; prices the expected total"
    )
    purchase: tuple[Literal["on-demand", "spot", "flex-start"], ...] = Field(
        default=("on-demand",), min_length=1, description="How its machines may be paid for", examples=[["spot"]]
    )
    keep_empty: Minutes = Field(
        default=5,
        description="How long an empty machine waits for the next job, in minutes or hours up to 24h; left out, 5m",
        examples=["5m", "2h"],
        json_schema_extra={"default": "5m"},
    )
    expire_after: Hours | None = Field(
        default=None,
        description="Age at which Karpenter replaces a machine, in hours, days or weeks; left out, 30d. Native engines "
        "replace none by its age",
        examples=["14d"],
    )

    @model_validator(mode="after")
    def expected_is_within_the_limit(self) -> Self:
        if self.expected_gpus is not None and self.expected_gpus > self.max_gpus:
            raise ValueError(
                f"expected_gpus {self.expected_gpus} is more than max_gpus {self.max_gpus}; change one of them"
            )
        return self


class Elastic(Model):
    """Single-node GPU capacity that comes and goes with the jobs."""

    engine: Literal["karpenter", "native"] = Field(default="karpenter", description="What scales the pools")
    pools: dict[PoolName, ElasticPool] = Field(
        min_length=1,
        description="Name of a pool -> what it is; 1 to 12 lower-case letters, digits and hyphens",
        examples=[{"dev": {"max_gpus": 8}}],
        json_schema_extra={"propertyNames": {"pattern": _POOL_NAME.pattern, "not": {"enum": list(_OTHER_POOLS)}}},
    )

    @model_validator(mode="before")
    @classmethod
    def pools_have_names(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        fields = cast(dict[Any, Any], value)
        nameless = [name for name in ElasticPool.model_fields if name in fields]
        if not nameless:
            return fields
        pool = ", ".join(f"{name}: {_flow(fields[name])}" for name in nameless)
        raise ValueError(
            f"{', '.join(nameless)} {'stands' if len(nameless) == 1 else 'stand'} outside of a pool, and each pool has "
            f"a name; write instead pools: {{dev: {{{pool}}}}}"
        )


class Mig(Model):
    """Nodes whose GPUs are sliced; never for multi-node training."""

    nodes: int = Field(
        ge=1, le=512, description="Nodes of 8 GPUs; where a cloud has smaller machines, as many as have these GPUs"
    )
    layout: str = Field(
        pattern=_LAYOUT,
        description="Slices of every GPU: all-1g.10gb, 3x2g.20gb+1x1g.10gb and the like, or all-balanced",
        examples=["all-1g.10gb", "3x2g.20gb+1x1g.10gb", "4g.40gb+3g.40gb", "all-balanced"],
    )
    strategy: Literal["single", "mixed"] | None = Field(
        default=None,
        description="How pods ask for slices: as nvidia.com/gpu, where all are alike (single), or by their size, as "
        "nvidia.com/mig-1g.10gb (mixed); left out, single where that can be",
    )
    purchase: Literal["on-demand", "spot", "flex-start"] = Field(
        default="on-demand", description="How its machines are paid for"
    )
    roll: bool = Field(default=False, description=_ROLL)


class SharedStorage(Model):
    """The storage every node mounts. A bucket is no file system: it has no tier, and promises no throughput."""

    kind: Literal["lustre", "bucket"] = Field(
        default="lustre", description="A parallel file system, or a bucket of objects that nodes mount"
    )
    usable_tib: Decimal = Field(
        gt=0, le=100_000, description="TiB (1,024 GiB) that data may fill, before headroom", examples=[20]
    )
    gb_per_s: Decimal = Field(
        default=Decimal(0), ge=0, le=10_000, description="Least throughput of the whole, GB/s", examples=[3]
    )
    protect: bool = Field(default=True, description="Refuse to delete or replace the file system")
    fabric: bool = Field(default=False, description="Serve the files over the GPU fabric as well, not by IP alone")
    tier: Literal[125, 250, 500, 1000] | None = Field(
        default=None,
        description="MB/s per TiB; left out, the cheapest that fits. Set it once the file system stands: a new price "
        "could move it",
    )
    bucket: str | None = Field(
        default=None,
        pattern=_BUCKET,
        description="Existing bucket whose objects appear under /bucket, such as s3://name/prefix; never written to",
    )

    @model_validator(mode="after")
    def a_bucket_has_nothing_of_a_file_system(self) -> Self:
        asked = {"gb_per_s": self.gb_per_s, "fabric": self.fabric, "tier": self.tier, "bucket": self.bucket}
        given = [name for name, value in asked.items() if value]
        if self.kind == "bucket" and given:
            raise ValueError(f"has kind bucket and {', '.join(given)}, for a file system only; leave them out")
        return self


class HomeStorage(Model):
    """A second file system for small files: code, environments, notebooks."""

    expected_gib: Decimal = Field(ge=0, le=1_000_000, description="GiB stored on average; prices the expected total")
    protect: bool = Field(default=True, description="Refuse to delete or replace the file system")


class Storage(Model):
    """Where data lives."""

    shared: SharedStorage
    home: HomeStorage | None = Field(default=None, description="A file system for small files; left out, there is none")


class Budget(Model):
    """The most this stack may cost in a month of 730 hours."""

    monthly_usd: Annotated[Decimal, BeforeValidator(_money)] = Field(
        gt=0, le=1_000_000_000, decimal_places=2, description="USD for a month of 730 hours", examples=[420000]
    )
    on_exceed: Literal["fail", "warn"] = Field(
        default="fail", description="fail: refuse the plan before anything is registered"
    )


class _Access(Model):
    admins: tuple[str, ...] = Field(
        default=(),
        description="Who else has all rights in the cluster, as the cloud names them (AWS: ARN of an IAM role or "
        "user); whoever runs the first up has them already and must not be named",
    )

    @field_validator("admins")
    @classmethod
    def admins_are_named_once(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        twice = sorted({name for name in value if value.count(name) > 1})
        if twice:
            raise ValueError(f"names {', '.join(twice)} twice; keep one")
        return value


class PublicAccess(_Access):
    """The cluster's API answers on the internet, to these ranges only."""

    kind: Literal["public"]
    cidrs: tuple[PublicCidr, ...] = Field(
        min_length=1, description="IPv4 ranges that may reach the API", examples=[["203.0.113.0/24"]]
    )


class PrivateAccess(_Access):
    """The cluster's API answers inside the network only."""

    kind: Literal["private"]
    via: Literal["vpn", "bastion", "inside", "dns"] | None = Field(
        default=None,
        description="How up reaches the API: a VPN or peering of yours, a bastion host, a machine in the network, or "
        "(Google Cloud) the cluster's DNS name, from anywhere with rights of IAM",
    )
    cidrs: tuple[Cidr, ...] = Field(default=(), description="IPv4 ranges at the other end of the VPN or peering")
    egress: Literal["nat", "none"] = Field(
        default="nat", description="The way out to the internet: through NAT, or none at all"
    )
    registry: str | None = Field(
        default=None,
        pattern=r"^[a-z0-9][a-z0-9.-]*(:\d+)?(/[a-z0-9._-]+)*$",
        description="Registry that mirrors the images in use, without https:// and without a slash at the end",
    )

    @model_validator(mode="after")
    def up_can_reach_the_api(self) -> Self:
        problems: list[Problem] = []
        if self.via is None:
            problems.append(
                Problem(
                    "",
                    "kind is 'private', and nothing says how up would reach the API to install what runs in the "
                    "cluster",
                    "add via: vpn with the cidrs at its other end, via: bastion, via: inside to run up on a machine "
                    "in the network, or on Google Cloud via: dns, or choose kind: public with your ranges under cidrs",
                )
            )
        if self.via == "vpn" and not self.cidrs:
            problems.append(
                Problem("", "via is 'vpn', which needs cidrs: the IPv4 ranges at its other end", "add them")
            )
        if self.via != "vpn" and self.cidrs:
            seen = f"cidrs go with via: vpn, and via is {self.via or 'missing'}"
            problems.append(Problem("", seen, "leave them out or change via"))
        if self.egress == "none" and self.registry is None:
            problems.append(
                Problem(
                    "",
                    "egress is 'none', so nodes can't reach the public registries",
                    "add registry: a mirror of the images inside the network (docs/access.md lists them), or choose "
                    "egress: nat",
                )
            )
        if problems:
            raise BadSpecValue(problems)
        return self


Access = Annotated[
    PublicAccess | PrivateAccess, Field(discriminator="kind", description="From where the cluster's API can be reached")
]


class Exemption(Model):
    """A rule that a resource may break, for a reason, until a day."""

    rule: str = Field(
        min_length=1,
        description="Name of the rule, as `gpucluster guardrails list` prints it",
        examples=["required-labels"],
    )
    resource: str = Field(min_length=1, description="Logical name of the resource, or * for all")
    reason: str = Field(min_length=10, description="Why it may")
    owner: str = Field(min_length=1, description="Who answers for it")
    until: datetime.date = Field(description="Last day it holds", examples=["2027-01-31"])


class Telemetry(Model):
    """What watches the cluster besides metrics of its GPUs, alerts and dashboards, which every cluster has."""

    opencost: bool = Field(
        default=False, description="Run OpenCost, which tells what each team used, at the prices of this project"
    )
    collector: bool = Field(
        default=False, description="Run an OpenTelemetry collector for metrics that jobs send of themselves"
    )


class Promises(Model):
    """What was promised of the cluster, by its seller or to its users; `gpucluster acceptance report` judges each."""

    bus_gb_per_s: dict[int, Decimal] = Field(
        default_factory=dict,
        description="Number of nodes -> bus bandwidth of a ring all-reduce over them, GB/s (10^9 bytes)",
        examples=[{4: 360, 8: 350}],
    )
    storage_gb_per_s: Decimal | None = Field(
        default=None,
        gt=0,
        description="Reading and writing of shared storage by all nodes together, GB/s; left out, what "
        "storage.shared asks for",
    )
    files_per_s: Decimal | None = Field(
        default=None, gt=0, description="Small files that all nodes together create, find, read or delete in a second"
    )
    replacement_hours: Decimal | None = Field(
        default=None, gt=0, description="Hours from asking for a broken node's successor until it is ready"
    )

    @field_validator("bus_gb_per_s", mode="before")
    @classmethod
    def bandwidth_is_told_by_number_of_nodes(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        problems: list[Problem] = []
        for nodes, speed in cast(dict[Any, Any], value).items():
            if not isinstance(nodes, int) or isinstance(nodes, bool) or nodes < 2:
                problems.append(
                    Problem("", f"has {shown_value(nodes)} as a number of nodes", "write 2 or more, such as 4: 360")
                )
            elif not isinstance(speed, int | float | Decimal) or isinstance(speed, bool) or speed <= 0:
                problems.append(
                    Problem(
                        "", f"has {shown_value(speed)} for {nodes} nodes", f"write GB/s above 0, such as {nodes}: 360"
                    )
                )
        if problems:
            raise BadSpecValue(problems)
        return cast(dict[Any, Any], value)


def _mig_problems(mig: Mig, accelerator: str) -> list[Problem]:
    # Most specs have no slices, and every preview would wait for it.
    from gpucluster.components.mig_layout import layout_of, layout_problem

    problem = layout_problem(mig.layout, accelerator)
    if problem is not None:
        return [problem]
    if mig.strategy == "single" and not layout_of(mig.layout, accelerator).uniform:
        return [
            Problem(
                "mig.strategy",
                f"is 'single', for slices that are all alike, and mig.layout is {mig.layout!r}",
                "choose mixed, or leave it out",
            )
        ]
    return []


def _purchase_problems(spec: "TrainingSpec") -> list[Problem]:
    nodes = spec.training.nodes + spec.training.spares
    problems: list[Problem] = []
    if isinstance(spec.placement, NoPlacement) and nodes > 1:
        problems.append(
            Problem(
                "placement.kind",
                f"is 'none', for a single node only, and training asks for {nodes} with its spares",
                "choose group, or reservation with its id",
            )
        )
    if isinstance(spec.purchase, SpotPurchase):
        problems.append(
            Problem(
                "purchase.kind",
                "is 'spot': one reclaimed node stops a co-located job on all",
                "choose on-demand or capacity-block, and put spot into a pool under elastic.pools",
            )
        )
    if isinstance(spec.purchase, FlexStartPurchase) and isinstance(spec.placement, ReservationPlacement):
        problems.append(
            Problem(
                "purchase.kind",
                "is 'flex-start', which takes no reservation",
                "choose placement.kind group, or purchase.kind on-demand for the reservation",
            )
        )
    if isinstance(spec.purchase, CapacityBlockPurchase | FlexStartPurchase) and spec.duration is None:
        problems.append(
            Problem(
                "purchase.kind",
                f"is {spec.purchase.kind!r}, which is sold for a time, and duration is missing",
                "add it: how long the nodes are wanted, such as 7d",
            )
        )
    if isinstance(spec.purchase, CapacityBlockPurchase) and not isinstance(spec.placement, ReservationPlacement):
        problems.append(
            Problem(
                "purchase.kind",
                "is 'capacity-block', which needs placement.kind reservation with the block's id: it is bought by "
                "hand, because it is paid upfront and can't be cancelled",
            )
        )
    placed_in = spec.placement.group if isinstance(spec.placement, ReservationPlacement) else None
    if isinstance(spec.purchase, CapacityBlockPurchase) and placed_in is not None:
        problems.append(
            Problem(
                "placement.group",
                "is set, and purchase.kind is 'capacity-block': a block is placed already and was not made in a group",
                "remove placement.group",
            )
        )
    return problems


class ClusterSpec(Model):
    """One training cluster. The same spec gives equivalent clusters on every cloud.

    The descriptions of the fields have their units. Raises pydantic's ValidationError for values that can't be used.
    """

    required_labels: ClassVar[tuple[str, ...]] = ()

    name: Name
    accelerator: Accelerator = "h100"
    training: Training
    purchase: Purchase = OnDemandPurchase()
    placement: Placement = GroupPlacement()
    elastic: Elastic | None = None
    mig: Mig | None = None
    storage: Storage
    labels: dict[str, str] = Field(default_factory=dict, description="On every resource")
    budget: Budget | None = None
    duration: Duration = None
    access: Access
    telemetry: Telemetry = Field(default_factory=Telemetry, description="What watches it, besides what always does")
    promises: Promises | None = Field(default=None, description="What acceptance holds the standing cluster against")
    exemptions: tuple[Exemption, ...] = Field(default=(), description="Rules that resources may break until a day")

    @field_validator("labels", mode="before")
    @classmethod
    def labels_are_complete_and_portable(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        labels = cast(dict[Any, Any], value)
        missing = [key for key in cls.required_labels if key not in labels]
        problems: list[Problem] = []
        if missing:
            problems.append(Problem("", f"lacks {', '.join(missing)}", f"required: {', '.join(cls.required_labels)}"))
        for key, text in labels.items():
            if key in OWN_LABELS:
                problems.append(Problem("", f"may not hold {key}, which every resource gets by itself", "remove it"))
            elif not LABEL_VALUE.match(str(key)):
                problems.append(
                    Problem("", f"may not have the name {shown_value(key)} on every cloud", f"write {_LABEL_RULE}")
                )
            elif not isinstance(text, str) or not LABEL_VALUE.match(text):
                problems.append(Problem(str(key), "", f"write {_LABEL_RULE}"))
        if problems:
            raise BadSpecValue(problems)
        return labels

    @model_validator(mode="after")
    def purchase_fits_placement(self) -> Self:
        problems = _purchase_problems(self)
        if self.mig is not None:
            problems += _mig_problems(self.mig, self.accelerator)
        if problems:
            raise BadSpecValue(problems)
        return self


class StackSpec(ClusterSpec):
    """The spec of a stack, which has to say what the cluster may cost, how long it is for and whose it is."""

    required_labels = REQUIRED_LABELS

    labels: dict[str, str] = Field(
        description=f"On every resource; always {', '.join(REQUIRED_LABELS)}",
        json_schema_extra={
            "required": list(REQUIRED_LABELS),
            "propertyNames": {"pattern": LABEL_VALUE.pattern},
            "additionalProperties": {"type": "string", "pattern": LABEL_VALUE.pattern},
        },
    )
    # No default, and narrower than above: a spec is never written to.
    budget: Budget  # pyright: ignore[reportIncompatibleVariableOverride, reportGeneralTypeIssues]
    duration: Hours = Field(description=_LASTS, examples=_LENGTHS)  # pyright: ignore[reportIncompatibleVariableOverride]


class PoolSpec(Model):
    """A training pool alone, in a cluster that is there already."""

    name: Name
    accelerator: Accelerator = "h100"
    training: Training
    purchase: Purchase = OnDemandPurchase()
    placement: Placement = GroupPlacement()
    labels: dict[str, str] = Field(default_factory=dict, description="On every resource")
    duration: Duration = None

    @field_validator("labels", mode="before")
    @classmethod
    def labels_are_portable(cls, value: Any) -> Any:
        return ClusterSpec.labels_are_complete_and_portable(value)

    @model_validator(mode="after")
    def purchase_fits_placement(self) -> Self:
        problems = _purchase_problems(self)
        if problems:
            raise BadSpecValue(problems)
        return self


class NetworkSpec(Model):
    """A network alone. private_services: the cloud's own services, such as its file systems, appear inside."""

    name: Name
    nat: bool = Field(default=True, description="A way out to the internet")
    private_services: bool = Field(default=False, description="Services of the cloud appear inside")
    labels: dict[str, str] = Field(default_factory=dict, description="On every resource")

    @field_validator("labels", mode="before")
    @classmethod
    def labels_are_portable(cls, value: Any) -> Any:
        return ClusterSpec.labels_are_complete_and_portable(value)


TrainingSpec = ClusterSpec | PoolSpec
"""What tells of a training pool."""
