"""The costed plan: prices what the running program declared, and shows it in `pulumi preview`.

watched = watch()                       # first, before any resource is made
...
for name, total in costed_plan(watched).items():
    pulumi.export(name, total)          # last
"""

from __future__ import annotations

import pulumi

from cost.assumptions import Assumptions
from cost.estimate import Estimate, estimate
from cost.prices import PriceBook
from cost.render.table import as_table
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
    return totals(found)


def totals(found: Estimate) -> dict[str, str]:
    """Totals in USD as stack outputs take them; the next preview shows how they change."""
    monthly, per_gpu = found.monthly, found.per_training_gpu_hour
    ceiling = monthly.ceiling
    outputs = {
        "monthly": f"{monthly.expected:f}",
        "monthlyFloor": f"{monthly.floor:f}",
        "monthlyCeiling": ceiling if isinstance(ceiling, str) else f"{ceiling:f}",
        "hourly": f"{found.hourly.expected:f}",
    }
    if per_gpu is not None:
        outputs["perTrainingGpuHour"] = f"{per_gpu:f}"
    if not found.complete:
        outputs["notPriced"] = str(len(found.not_priced))  # the totals are "at least" then
    return outputs
