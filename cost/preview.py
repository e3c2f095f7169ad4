"""The costed plan: prices the resources that a running program declared and shows it in `pulumi preview` and `up`.

watched = watch()                       # first, before any resource is declared
...
for name, total in costed_plan(watched).items():
    pulumi.export(name, total)          # last
"""

from __future__ import annotations

import os
from typing import Final

import pulumi

from gpucluster.core.catalog.tables import DamagedTable
from gpucluster.core.documents.formats import width_for, written
from gpucluster.core.program.readers.running import Watched, watch
from gpucluster.core.program.resources import urn_type
from gpucluster.cost.documents.report.report import report_document
from gpucluster.cost.estimate.budgets import budget_verdict
from gpucluster.cost.estimate.estimate import Estimate, estimate
from gpucluster.cost.estimate.trial import now, trial_of
from gpucluster.cost.prices import BadPrices, PriceBook
from gpucluster.cost.pricing.assumptions import Assumptions, regions_in_use
from gpucluster.cost.pricing.money import how_known, money, ranged
from gpucluster.errors import Error

__all__ = ["BUDGET_VARIABLE", "NotRegistered", "Watched", "costed_plan", "totals", "watch"]

BUDGET_VARIABLE: Final = "GPUCLUSTER_BUDGET"
"""If set to `report`, a preview over a budget with `onExceed: fail` continues with a warning. An update never does."""

_OVER: Final = "`gpucluster reap` destroys stacks past their end; a longer `duration` in the spec keeps this one"
_INDENT: Final = 4
"""Indent that the engine adds before each line of a message."""


class NotRegistered(Error, pulumi.RunError):
    """Ends a program before any resource is registered: over budget, or unusable prices."""


def costed_plan(
    watched: Watched,
    *,
    title: str | None = None,
    book: PriceBook | None = None,
    assumptions: Assumptions | None = None,
) -> dict[str, str]:
    """Price the watched resources, print the table, and return the totals to export. Call it after all declarations.

    title: of the table; omitted if the watched resources are the whole stack.
    A preview prints the table. An update follows a preview and prints one line; a table would hide its changes.
    Raises NotRegistered, before anything is registered, if the components' budget says `onExceed: fail` and the
    expected amount is over it (unless BUDGET_VARIABLE allows a preview), or if the user's own prices or the price
    book cannot be used.
    """
    try:
        found = estimate(watched.resources(), book, assumptions or Assumptions(regions=regions_in_use()))
    except BadPrices as error:
        watched.withdraw()
        raise NotRegistered(f"{error}\nNothing was registered, because these prices cannot be used.") from None
    except DamagedTable as error:
        watched.withdraw()
        raise NotRegistered(f"{error}\nNothing was registered, because its cost is unknown.") from None
    verdict = budget_verdict(found)
    refused = verdict is not None and verdict.outcome == "over" and verdict.budget.on_exceed == "fail"
    title = title or f"Cost of stack {pulumi.get_stack()}"
    if pulumi.runtime.is_dry_run() or refused:
        document = report_document(found, title, pulumi.get_stack())
        pulumi.log.info(written(document, "table", width_for(indent=_INDENT)))
    else:
        pulumi.log.info(f"{title}: {_line(found)}")
    if trial := trial_of(found, now()):
        said = f"{pulumi.get_stack()}: {trial.sentence}"
        pulumi.log.warn(f"{said}. {_OVER}") if trial.over else pulumi.log.info(said)
    if verdict is not None and refused and _only_reports():
        pulumi.log.warn(f"{verdict.sentence}. An update is refused, because the budget is set to fail.")
    elif verdict is not None and refused:
        watched.withdraw()
        raise NotRegistered(
            f"{verdict.sentence}. Nothing was registered, because the budget is set to fail. "
            "Use fewer or cheaper nodes, raise the budget, or set it to warn."
        )
    if verdict is not None and verdict.outcome == "cannot tell" and isinstance(verdict.ceiling, str):
        pulumi.log.warn(f"{verdict.sentence}. Give the pool a limit.")
    if verdict is not None and verdict.outcome == "cannot tell" and found.unpriced_compute:
        urns = dict.fromkeys(item.urn for item in found.unpriced_compute)
        named = ", ".join(f"{found.names.get(urn, urn)} ({urn_type(urn)})" for urn in urns)
        have = "resource has" if len(urns) == 1 else "resources have"
        pulumi.log.warn(
            f"cannot tell whether this is within the budget of {money(verdict.budget.monthly)} a month: "
            f"{len(urns)} {have} no price: {named}"
        )
    return totals(found)


def _only_reports() -> bool:
    return pulumi.runtime.is_dry_run() and os.environ.get(BUDGET_VARIABLE) == "report"


def _line(found: Estimate) -> str:
    gaps = found.gaps
    monthly, hourly = ranged(found.monthly.expected, gaps.expected), ranged(found.hourly.expected, gaps.hourly)
    known = how_known(found.monthly.expected, gaps.expected)
    return f"{monthly} a month, {hourly} an hour{f'; {known}' if known else ''}; the preview has the table"


def totals(found: Estimate) -> dict[str, str]:
    """Totals in USD in the form of stack outputs; the next preview shows how they change.

    With unpriced items they read `73.00 to 75.10` if bounded, else `at least 73.00`, or `unknown` if nothing is
    known.
    """
    monthly, per_gpu, gaps = found.monthly, found.per_training_gpu_hour, found.gaps
    outputs = {
        "monthly": ranged(monthly.expected, gaps.expected, plain=True),
        "monthlyFloor": ranged(monthly.floor, gaps.floor, plain=True),
        "monthlyCeiling": ranged(monthly.ceiling, gaps.ceiling, plain=True),
        "hourly": ranged(found.hourly.expected, gaps.hourly, plain=True),
    }
    if per_gpu is not None:
        outputs["perTrainingGpuHour"] = (
            "unknown" if found.training_unknown else ranged(per_gpu, gaps.gpu_hour, plain=True)
        )
    if found.committed_monthly:
        outputs["committedElsewhere"] = f"{found.committed_monthly:f}"
    if not found.complete:
        outputs["notPriced"] = str(len(found.not_priced))
    return outputs
