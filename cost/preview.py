"""The costed plan: prices what the running program declared, and shows it in `pulumi preview`.

watched = watch()                       # first, before any resource is made
...
for name, total in costed_plan(watched).items():
    pulumi.export(name, total)          # last
"""

from __future__ import annotations

from decimal import Decimal

import pulumi

from cost.assumptions import Assumptions
from cost.estimate import Estimate, estimate
from cost.model import Unbounded
from cost.money import at_least, money
from cost.prices import PriceBook
from cost.render.table import as_table
from cost.resources import urn_type
from cost.sources.program import Watched, watch
from cost.verdict import budget_verdict

__all__ = ["Watched", "costed_plan", "totals", "watch"]


def costed_plan(
    watched: Watched, *, book: PriceBook | None = None, assumptions: Assumptions | None = None
) -> dict[str, str]:
    """Price what was seen, print the table, and return the totals to export. Call it when every resource is declared.

    Raises pulumi.RunError, before anything is registered, when the components' budget says `onExceed: fail` and the
    expected amount is over it.
    """
    found = estimate(watched.resources(), book, assumptions)
    pulumi.log.info(as_table(found, f"Cost of stack {pulumi.get_stack()}"))
    verdict = budget_verdict(found)
    if verdict is not None and verdict.outcome == "over" and verdict.budget.on_exceed == "fail":
        watched.withdraw()
        raise pulumi.RunError(
            f"{verdict.sentence}. Nothing was registered, because the budget says to fail. "
            "Take fewer or cheaper nodes, raise the budget, or let it warn instead of fail."
        )
    if verdict is not None and verdict.outcome == "cannot tell" and found.unpriced_compute:
        urns = dict.fromkeys(item.urn for item in found.unpriced_compute)
        named = ", ".join(f"{found.names.get(urn, urn)} ({urn_type(urn)})" for urn in urns)
        have = "resource has" if len(urns) == 1 else "resources have"
        pulumi.log.warn(
            f"cannot tell whether this is within the budget of {money(verdict.budget.monthly)} a month: "
            f"{len(urns)} {have} no price: {named}"
        )
    return totals(found)


def totals(found: Estimate) -> dict[str, str]:
    """Totals in USD as stack outputs take them; the next preview shows how they change.

    Where something has no price they read `at least 73.00`, or `unknown` where nothing is known.
    """

    def shown(amount: Decimal | Unbounded) -> str:
        return at_least(amount, complete=found.complete, plain=True)

    monthly, per_gpu = found.monthly, found.per_training_gpu_hour
    outputs = {
        "monthly": shown(monthly.expected),
        "monthlyFloor": shown(monthly.floor),
        "monthlyCeiling": shown(monthly.ceiling),
        "hourly": shown(found.hourly.expected),
    }
    if per_gpu is not None:
        outputs["perTrainingGpuHour"] = "unknown" if found.training_unknown else shown(per_gpu)
    committed = found.per_training_gpu_hour_with_committed
    if committed is not None:
        outputs["perTrainingGpuHourWithCommitted"] = shown(committed)
    if not found.complete:
        outputs["notPriced"] = str(len(found.not_priced))
    return outputs
