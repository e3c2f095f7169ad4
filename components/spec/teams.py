"""Teams with a share of the cluster."""

import re
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from gpucluster.components.names import TRAINING_POOL
from gpucluster.components.spec.access import People
from gpucluster.components.spec.model import Model
from gpucluster.components.spec.values import NAME, Dollars, Whole
from gpucluster.textio.values import shown_value


def _team_name(value: object) -> object:
    # With `team-` before it and the longest name of a pool behind it, within the 63 characters of a label.
    if not isinstance(value, str) or not re.fullmatch(NAME, value):
        raise ValueError(
            f"must not contain the name {shown_value(value)}; write 1 to 20 lower-case letters, digits and hyphens, "
            "starting with a letter and not ending with a hyphen"
        )
    return value


TeamName = Annotated[str, BeforeValidator(_team_name)]


class Team(Model):
    """A team with its own namespace, queues and share of the GPUs."""

    groups: People = Field(
        min_length=1,
        description="Identities that submit and read its jobs, written as in access.submitters",
        examples=[["arn:aws:iam::123456789012:role/vision"]],
    )
    gpus: dict[str, Whole] = Field(
        default_factory=dict,
        description="Pool -> the team's own GPUs of that pool: others borrow them while idle, and give them back; of "
        "other pools the team can only borrow",
        examples=[{TRAINING_POOL: 16, "dev": 4}],
    )
    priority: Literal["low", "medium", "high"] = Field(
        default="medium",
        description="Priority for borrowing idle GPUs: each level gets twice the share of the level below",
    )
    monthly_usd: Dollars | None = Field(
        default=None,
        description="Limit in USD for its share of the cost of the cluster in a month of 730 hours; a higher cost is "
        "a warning",
        examples=[200000],
    )
