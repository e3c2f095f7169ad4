"""User settings for comparing purchase options: utilisation, spot behaviour, coverage."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """Assumptions of a comparison; each is printed with the result.

    days: duration in days that machines are needed for; None uses the duration from the components.
    utilisation: share of its hours in which a GPU does useful work, 0 to 1.
    cover: share of a co-located pool that a commitment covers, 0 to 1; the rest stays on-demand.
    interruption_rate: share of spot nodes reclaimed per hour; None uses the published rate of a machine.
    checkpoint_hours: hours between two checkpoints; half an hour is the example of a course.
    restart_hours: paid hours from an interruption until the job runs again; our default, change it as needed.
    baseline: machines of an elastic pool under a commitment; None uses the whole ones that run on average.
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
