"""The existing resources of a stack, by its state: their number, start, end and cost."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property
from typing import Any

from gpucluster.core.program.readers.files import read_state
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.core.text.typed import typed
from gpucluster.cost.estimate.estimate import Estimate, estimate
from gpucluster.cost.estimate.trial import Trial, now, trial_of
from gpucluster.cost.pricing.assumptions import Assumptions, regions_in_use
from gpucluster.cost.pricing.money import ranged_daily
from gpucluster.operate.account.pulumi import Pulumi


class StackStatus:
    """A stack, and its resources in its state. Queries no cloud."""

    def __init__(self, stack: str, resources: Resources, created: datetime | None) -> None:
        self.stack = stack
        self.resources = resources
        self._created = created

    @cached_property
    def owned(self) -> list[Resource]:
        """Its resources in a cloud or a cluster."""
        return [one for one in self.resources if one.custom and not one.type.startswith("pulumi:")]

    @cached_property
    def protected(self) -> list[Resource]:
        """Resources that `destroy --exclude-protected` keeps, without their dependencies."""
        return [one for one in self.owned if one.protect]

    @cached_property
    def cost(self) -> Estimate:
        return estimate(self.resources, None, Assumptions(regions=regions_in_use()))

    @cached_property
    def trial(self) -> Trial | None:
        """Its time; None if nothing exists. Without an output `begun`, its first update started when the engine wrote
        the stack into its state: also a failed one.
        """
        return trial_of(self.cost, now(), begun=self._created) if self.owned else None

    @property
    def daily(self) -> str:
        """Its continuing cost: `$125.76 a day`."""
        return ranged_daily(self.cost.monthly.expected, self.cost.gaps.expected)

    @property
    def size(self) -> str:
        """`12 resources`."""
        return f"{len(self.owned):,} resource{'' if len(self.owned) == 1 else 's'}"


def stack_status(pulumi: Pulumi, stack: str) -> StackStatus:
    """Raises InputError if the state is not available."""
    from gpucluster.operate.account.answers import Export

    document = pulumi.answer("stack", "export", stack=stack)
    found = typed(document, Export, pulumi.source("stack", "export", stack=stack))
    records: list[Any] = document["deployment"].get("resources") or []
    resources = read_state({"deployment": {"resources": records}}, f"the state of stack {stack}")
    created = [record.created for record in found.deployment.resources or () if record.created is not None]
    return StackStatus(stack, resources, min(created, default=None))
