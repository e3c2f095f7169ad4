"""A placement and a reservation are compatible only if the reservation was created in that placement."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.hidden import with_hidden
from gpucluster.policies.clouds.per_cloud import stack_checks
from gpucluster.policies.frameworks import AWS_PLACEMENT, GKE_PLACEMENT
from gpucluster.policies.rule import Enforcement, Severity, StackRule

RULE: Final = StackRule(
    name="no-group-on-foreign-reservation",
    title="No placement group or policy is combined with a reservation created outside it",
    why="A reservation already has a placement: with another group the cloud reports no capacity, or starts only some "
    "of the machines you pay for.",
    severity=Severity.CRITICAL,
    enforcement=Enforcement.MANDATORY,
    order=70,
    frameworks=(AWS_PLACEMENT, GKE_PLACEMENT),
    **with_hidden(stack_checks(__name__), types=False, template=True),
)
