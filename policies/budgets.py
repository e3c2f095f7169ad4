"""The monthly total against the budget, by the estimator that prices the preview."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final

from cost.resources import Resource
from policies.facts import facts
from policies.rule import Stack, Violation

if TYPE_CHECKING:
    from cost import Estimate
    from cost.model import Budget
    from cost.verdict import Verdict

__all__ = ["CONFIG", "Judgement", "judge"]

CONFIG: Final[Mapping[str, Mapping[str, Any]]] = {
    "monthly": {"type": "string", "description": "Budget in USD a month, instead of what the components register"},
    "onExceed": {"type": "string", "enum": ["fail", "warn"], "description": "Default fail"},
}

_NAMED: Final = 5
"""Resources without a price that are named one by one."""

_COMPUTE: Final = (
    "aws:autoscaling/group:Group",
    "aws:ec2/capacityBlockReservation:CapacityBlockReservation",
    "aws:ec2/capacityReservation:CapacityReservation",
    "aws:ec2/fleet:Fleet",
    "aws:ec2/instance:Instance",
    "aws:ec2/spotFleetRequest:SpotFleetRequest",
    "aws:ec2/spotInstanceRequest:SpotInstanceRequest",
    "aws:eks/nodeGroup:NodeGroup",
    "kubernetes:karpenter.sh/",
)
"""Beginnings of the types that start machines or hold them: what a GPU cluster is billed for."""


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """
    verdict: None when nobody states a budget that can be read.
    stated_by: the component that registered it; None when it is the pack's configuration.
    unread: why a stated budget could not be used.
    """

    estimate: Estimate
    verdict: Verdict | None
    stated_by: Resource | None
    unread: tuple[str, ...] = ()

    @property
    def undecided(self) -> str | None:
        """What is open and why, when what has a price fits but something has none."""
        if self.verdict is None or self.verdict.outcome != "cannot tell":
            return None
        found = self.estimate
        reasons = [f"`{found.names.get(missing.urn, missing.urn)}` ({missing.reason})" for missing in found.not_priced]
        more = f" and {len(reasons) - _NAMED} more" if len(reasons) > _NAMED else ""
        return f"{self.verdict.sentence}; without a price: {', '.join(reasons[:_NAMED])}{more}"

    @property
    def compute_without_price(self) -> list[str]:
        """Logical names of the resources that start machines and have no price."""
        found = self.estimate
        compute = [missing.urn for missing in found.not_priced if missing.type.startswith(_COMPUTE)]
        return [found.names.get(urn, urn) for urn in dict.fromkeys(compute)]


def judge(stack: Stack) -> Judgement | Violation:
    """The total of the stack against its budget; a Violation when the configured one is not a budget."""
    from cost import estimate  # prices are read only when a budget rule runs
    from cost.verdict import budget_verdict

    configured = _configured(stack.config)
    if isinstance(configured, Violation):
        return configured
    found = estimate(stack.resources)
    if configured is not None:
        return Judgement(estimate=found, verdict=budget_verdict(found, configured), stated_by=None)
    return Judgement(
        estimate=found,
        verdict=budget_verdict(found),
        stated_by=next((component for component, _ in facts(stack.resources, "budget")), None),
        unread=tuple(reason for reason in found.facts.ignored if reason.startswith("budget")),
    )


def _configured(config: Mapping[str, Any]) -> Budget | Violation | None:
    from cost.model import Budget

    if "monthly" not in config:
        return None
    on_exceed = config.get("onExceed", "fail")
    if on_exceed not in ("fail", "warn"):
        return Violation(None, f"setting `onExceed` is `{on_exceed}`, not `fail` or `warn`", fix="Correct it.")
    try:
        return Budget(Decimal(str(config["monthly"])), on_exceed)
    except InvalidOperation:
        wrong = f"setting `monthly` is `{config['monthly']}`, not an amount in USD such as `250000`"
        return Violation(None, wrong, fix="Correct it.")
