"""Pools of machines that come for a job and go after it."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal, cast

from pydantic import BeforeValidator, Field, model_validator

from gpucluster.components.names import MIG_POOL, SYSTEM_POOL, TRAINING_POOL
from gpucluster.components.problem import Problem
from gpucluster.components.spec.model import Model
from gpucluster.components.spec.values import Hours, Minutes, Whole
from gpucluster.textio.values import shown_value

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
    pools: dict[PoolName, ElasticPool] = Field(
        min_length=1,
        description="Name of a pool -> its settings; 1 to 12 lower-case letters, digits and hyphens",
        examples=[{"dev": {"max_gpus": 8}}],
        json_schema_extra={"propertyNames": {"not": {"enum": list(_OTHER_POOLS)}, "pattern": _POOL_NAME}},
    )

    @model_validator(mode="before")
    @classmethod
    def _named(cls, values: Any) -> Any:
        given = cast(Mapping[str, Any], values if isinstance(values, dict) else {})
        nameless = [name for name in ElasticPool.model_fields if name in given]
        if nameless:
            pool = ", ".join(f"{name}: {_flow(given[name])}" for name in nameless)
            wrong = f"{', '.join(nameless)} must be inside a named pool"
            raise ValueError(f"{wrong}; write instead pools: {{dev: {{{pool}}}}}")
        return cast(Any, values)
