"""What a person sets to compare ways to buy: how well the machines are used, how spot behaves, what is covered."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """Assumptions of a comparison; each is printed with the result.

    days: days that the machines are wanted for, instead of what the components say; None takes theirs.
    utilisation: share of its hours in which a GPU works for someone, 0 to 1.
    cover: share of a co-located pool that a commitment covers, 0 to 1; the rest of it stays on demand.
    interruption_rate: share of spot nodes that are taken back in an hour; None takes what is published for a machine.
    checkpoint_hours: hours between two checkpoints; half an hour is the example of a course.
    restart_hours: hours from an interruption until the job runs again, machines being paid for; ours, to be set.
    baseline: machines of an elastic pool under a commitment; None takes the whole ones that run on average.
    spot_share: share of the machines above the baseline that is spot in a mix.
    """

    days: Decimal | None = None
    utilisation: Decimal = Decimal(1)
    cover: Decimal = Decimal(1)
    interruption_rate: Decimal | None = None
    checkpoint_hours: Decimal = Decimal("0.5")
    restart_hours: Decimal = Decimal("0.25")
    baseline: Decimal | None = None
    spot_share: Decimal = Decimal("0.7")
