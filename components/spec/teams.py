"""Teams with a share of the cluster."""

import re
from decimal import Decimal
from typing import Annotated, Literal

from gpucluster.components.names import TRAINING_POOL
from gpucluster.components.spec.access import People
from gpucluster.components.spec.fields import BeforeValidator, Field
from gpucluster.components.spec.model import Model
from gpucluster.components.spec.values import NAME, money
from gpucluster.textio.values import shown_value


def _team_name(value: object) -> object:
    # With `team-` before it and the longest name of a pool behind it, within the 63 characters of a label.
    if not isinstance(value, str) or not re.fullmatch(NAME, value):
        raise ValueError(
            f"may not hold the name {shown_value(value)}; write 1 to 20 lower-case letters, digits and hyphens, "
            "starting with a letter and not ending with a hyphen"
        )
    return value


TeamName = Annotated[str, BeforeValidator(_team_name)]


class Team(Model):
    """People with a namespace, queues and a share of the GPUs of their own."""

    groups: People = Field(
        min_length=1,
        description="Who submits and reads its jobs, as access.submitters names them",
        examples=[["arn:aws:iam::123456789012:role/vision"]],
    )
    gpus: dict[str, int] = Field(
        default_factory=dict,
        description="Pool -> GPUs of it that are the team's own: others borrow what it leaves idle, and give it back; "
        "of a pool that is left out it has none, and borrows",
        examples=[{TRAINING_POOL: 16, "dev": 4}],
    )
    priority: Literal["low", "medium", "high"] = Field(
        default="medium",
        description="Whose turn it is to borrow: of idle GPUs, each step up has twice the part of the one below",
    )
    monthly_usd: Annotated[Decimal, BeforeValidator(money)] | None = Field(
        default=None,
        gt=0,
        le=1_000_000_000,
        decimal_places=2,
        description="USD that its share of the cluster may cost in a month of 730 hours; more is warned of",
        examples=[200000],
    )
