"""A placement and a reservation go together only when the reservation was made in that placement."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.clouds.hidden import with_hidden
from gpucluster.policies.frameworks import AWS_PLACEMENT, GKE_PLACEMENT
from gpucluster.policies.rule import Enforcement, Severity, Stack, StackRule

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud(Stack, __name__)

RULE: Final = StackRule(
    name="no-group-on-foreign-reservation",
    title="No placement group or policy is forced on a reservation that was not made in it",
    why="A reservation is placed already: with another group the cloud reports no capacity, or starts only some of "
    "the machines you pay for.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.CRITICAL,
    enforcement=Enforcement.MANDATORY,
    order=70,
    frameworks=(AWS_PLACEMENT, GKE_PLACEMENT),
    check=with_hidden(_JUDGED.check, _JUDGED.reads, types=False, template=True),
)
