"""What stands of a stack, by its state: how much, since when, until when, and for how much."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from typing import Any, cast

from gpucluster.account.pulumi import Pulumi
from gpucluster.cost.assumptions import Assumptions
from gpucluster.cost.estimate import Estimate, estimate
from gpucluster.cost.money import ranged_daily
from gpucluster.cost.places import regions_in_use
from gpucluster.cost.trial import Trial, now, trial_of
from gpucluster.errors import InputError
from gpucluster.program.readers.errors import NotReadable
from gpucluster.program.readers.state_file import is_state, read_state
from gpucluster.program.resources import Resource, Resources


class Standing:
    """A stack, and what its state has of it. Nothing of a cloud is asked."""

    def __init__(self, stack: str, resources: Resources, created: datetime | None) -> None:
        self.stack = stack
        self.resources = resources
        self._created = created

    @cached_property
    def owned(self) -> list[Resource]:
        """What a cloud or a cluster has of it."""
        return [one for one in self.resources if one.custom and not one.type.startswith("pulumi:")]

    @cached_property
    def protected(self) -> list[Resource]:
        """What `destroy --exclude-protected` leaves, without what that needs."""
        return [one for one in self.owned if one.protect]

    @cached_property
    def cost(self) -> Estimate:
        return estimate(self.resources, None, Assumptions(regions=regions_in_use()))

    @cached_property
    def trial(self) -> Trial | None:
        """Its time; None where nothing stands. Without an output `begun`, its first update began when the engine wrote
        the stack into its state: also one that failed.
        """
        return trial_of(self.cost, now(), begun=self._created) if self.owned else None

    @property
    def daily(self) -> str:
        """What it goes on to cost: `$125.76 a day`."""
        return ranged_daily(self.cost.monthly.expected, self.cost.gaps.expected)

    @property
    def size(self) -> str:
        """`12 resources`."""
        return f"{len(self.owned):,} resource{'' if len(self.owned) == 1 else 's'}"


def standing(pulumi: Pulumi, stack: str) -> Standing:
    """Raises InputError where the state can't be had."""
    document: Any = json.loads(pulumi.read("stack", "export", stack=stack))
    if not is_state(document):
        raise InputError(f"stack {stack}", ["`pulumi stack export` returns no state"])
    records = cast(list[Mapping[str, Any]], document["deployment"].get("resources") or [])
    try:
        resources = read_state({"deployment": {"resources": records}}, f"the state of stack {stack}")
    except NotReadable as error:
        raise InputError(str(error)) from error
    created = [datetime.fromisoformat(record["created"]) for record in records if "created" in record]
    return Standing(stack, resources, min(created, default=None))
