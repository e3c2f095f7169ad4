"""The costed plan: prices the resources that a running program declared and shows it in `pulumi preview` and `up`.

watched = watch()                       # first, before any resource is declared
...
for name, total in costed_plan(watched).items():
    pulumi.export(name, total)          # last

A preview shows the table of each part that is priced. At the end of the program there is one block about all of them.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Protocol
from weakref import WeakKeyDictionary

import pulumi
from pulumi.runtime import get_root_resource

from gpucluster.core.catalog.tables import DamagedTable
from gpucluster.core.documents.formats import width_for, written
from gpucluster.core.program.closing import Line, as_data, block, hand_over, in_full
from gpucluster.core.program.readers.last_outputs import last_outputs
from gpucluster.core.program.readers.private_sdk import before_outputs, has_engine
from gpucluster.core.program.readers.running import Watched, watch
from gpucluster.core.program.resources import Resources, urn_type
from gpucluster.core.program.values import is_list
from gpucluster.cost.documents.closing import closing_lines, failure, totals
from gpucluster.cost.documents.report.report import report_document
from gpucluster.cost.estimate.budgets import Verdict, budget_verdict
from gpucluster.cost.estimate.estimate import Estimate, estimate
from gpucluster.cost.estimate.trial import now, trial_of
from gpucluster.cost.prices import BadPrices, PriceBook
from gpucluster.cost.pricing.assumptions import Assumptions, regions_in_use
from gpucluster.cost.pricing.money import money
from gpucluster.errors import Error, InputError

__all__ = [
    "BUDGET_VARIABLE", "NotRegistered", "PricedParts", "Watched", "costed_plan", "parts_of_program", "totals", "watch",
    "watch_cluster", "watching",
]  # fmt: skip

BUDGET_VARIABLE: Final = "GPUCLUSTER_BUDGET"
"""If set to `report`, a preview over a budget with `onExceed: fail` continues with a warning. An update never does."""

_OVER: Final = "`gpucluster reap` destroys stacks past their end; a longer `duration` in the spec keeps this one"
_INDENT: Final = 4
"""Indent that the engine adds before each line of a message."""


class NotRegistered(Error, pulumi.RunError):
    """Ends a program before any resource is registered: over budget, or unusable prices."""


class _Declared(Protocol):
    def resources(self) -> Resources: ...
    def withdraw(self) -> None: ...


@dataclass(eq=False)
class PricedParts:
    """The parts of one program that are priced so far, and the clusters to price at its end.

    name: of this part of the closing block. ends: whether `log` is called at the end. before: the total after the last
    update, None if there was none.
    """

    name: str
    ends: bool = False
    before: str | None = None
    clusters: list[Watched] = field(default_factory=list[Watched])
    parts: list[Resources] = field(default_factory=list[Resources])
    _waiting: str = ""

    def tell(self, resources: Resources, found: Estimate, price: Pricing, failed: str) -> None:
        """Adds a part, and tells the cost of all. failed: why the program ends here; empty if it goes on."""
        self.parts.append(resources)
        every = found if len(self.parts) == 1 else price.estimate(Resources.joined(self.parts))
        lines = closing_lines(every, before=self.before, trial=trial_of(every, now()))
        following = _next(get_root_resource())
        content = {
            "lines": as_data(lines),
            "failed": failed,
            "field": "budget.monthly_usd" if failed else "",
            "next": following,
        }
        if hand_over(self.name, content):
            return
        more = [Line("Failed", failed)] if failed else [Line("Next", text) for text in following[:1]]
        # The engine shows messages without a gap between them.
        self._waiting = "\n" + block([*lines, *more], width_for(indent=_INDENT))
        if failed or not self.ends:
            self.log()

    def end(self) -> Mapping[str, str]:
        """Prices the clusters that no `watch` has, and logs the block. Returns the totals of the clusters."""
        found: dict[str, str] = {}
        if self.clusters:
            found = costed_plan(_Clusters(self.clusters), title="Cost of the clusters")
        self.log()
        return found

    def log(self) -> None:
        """The block that waits for the end."""
        if self._waiting:
            pulumi.log.info(self._waiting)
        self._waiting = ""


@dataclass(frozen=True)
class _Clusters:
    """Clusters that are priced together. The first one began before every other."""

    each: Sequence[Watched]

    def resources(self) -> Resources:
        return Resources.joined([one.resources() for one in self.each])

    def withdraw(self) -> None:
        self.each[0].withdraw()


@dataclass(frozen=True)
class Pricing:
    """book: None for the one in use."""

    book: PriceBook | None
    assumptions: Assumptions

    def estimate(self, resources: Resources) -> Estimate:
        """Raises BadPrices and DamagedTable."""
        return estimate(resources, self.book, self.assumptions)


_programs: Final[WeakKeyDictionary[pulumi.Resource, PricedParts]] = WeakKeyDictionary()
"""By the stack of the program."""
_open: Final[list[None]] = []
"""An element for each open `watching`."""


@contextmanager
def watching() -> Generator[None]:
    """Clusters declared inside do not price themselves."""
    _open.append(None)
    try:
        yield
    finally:
        _open.pop()


def parts_of_program(*, asks: bool = True) -> PricedParts | None:
    """Those of the running program; None if no stack runs, as in a unit test of a program.

    asks: for the total after the last update, if this is the first call. Meanwhile the SDK sends what is queued: do it
    before a plan that may be refused.
    """
    root = get_root_resource()
    if root is None:
        return None
    if root not in _programs:
        before = last_outputs().get("monthly") if asks and has_engine() else None
        found = _programs[root] = PricedParts(
            "cost-program", ends=True, before=before if isinstance(before, str) else None
        )
        before_outputs(root, found.end)
    return _programs[root]


def watch_cluster(opts: pulumi.ResourceOptions | None, regions: Mapping[str, str]) -> pulumi.ResourceOptions | None:
    """The options of a cluster that is about to be declared; unless a `watch` is open, the cluster is priced at the
    program's end.

    regions: package -> region of a provider that the program brings.
    """
    if _open or (parts := parts_of_program()) is None:
        return opts
    watched = Watched(regions)
    parts.clusters.append(watched)
    return pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(transformations=[watched.see]))


def costed_plan(
    watched: _Declared,
    *,
    title: str | None = None,
    book: PriceBook | None = None,
    assumptions: Assumptions | None = None,
    parts: PricedParts | None = None,
) -> dict[str, str]:
    """Price the watched resources, print the table, and return the totals to export. Call it after all declarations.

    title: of the table; omitted if the watched resources are the whole stack. parts: what the closing block is about,
    by default the program. A preview prints the table; an update would hide its changes behind one.
    Raises NotRegistered, before anything is registered, if the components' budget says `onExceed: fail` and the
    expected amount is over it (unless BUDGET_VARIABLE allows a preview), or if the user's own prices, the price book
    or the requested output cannot be used.
    """
    resources, parts = watched.resources(), parts or parts_of_program(asks=False) or PricedParts("cost-program")
    try:
        brief = not in_full()
        price = Pricing(book, assumptions or Assumptions(regions=regions_in_use()))
        found = price.estimate(resources)
    except BadPrices as error:
        watched.withdraw()
        raise NotRegistered(f"{error}\nNothing was registered, because these prices cannot be used.") from None
    except DamagedTable as error:
        watched.withdraw()
        raise NotRegistered(f"{error}\nNothing was registered, because its cost is unknown.") from None
    except InputError as error:
        watched.withdraw()
        raise NotRegistered(f"{error}\nNothing was registered.") from None
    verdict, refused = budget_verdict(found), failure(found)
    if pulumi.runtime.is_dry_run() or refused:
        title = title or f"Cost of stack {pulumi.get_stack()}"
        document = report_document(found, title, pulumi.get_stack(), brief=brief)
        pulumi.log.info(written(document, "table", width_for(indent=_INDENT)))
    if (trial := trial_of(found, now())) is not None and trial.over:
        pulumi.log.warn(f"{pulumi.get_stack()}: {trial.sentence}. {_OVER}")
    ends = bool(refused) and not _only_reports()
    parts.tell(resources, found, price, refused if ends else "")
    if verdict is not None and ends:
        watched.withdraw()
        raise NotRegistered(
            f"{verdict.sentence}. Nothing was registered, because the budget is set to fail. "
            "Use fewer or cheaper nodes, raise the budget, or set it to warn."
        )
    if verdict is not None:
        _warn(found, verdict, refused=bool(refused))
    return totals(found)


def _warn(found: Estimate, verdict: Verdict, *, refused: bool) -> None:
    if refused:
        pulumi.log.warn(f"{verdict.sentence}. An update is refused, because the budget is set to fail.")
    if verdict.outcome == "cannot tell" and isinstance(verdict.ceiling, str):
        pulumi.log.warn(f"{verdict.sentence}. Give the pool a limit.")
    if verdict.outcome == "cannot tell" and found.unpriced_compute:
        urns = dict.fromkeys(item.urn for item in found.unpriced_compute)
        named = ", ".join(f"{found.names.get(urn, urn)} ({urn_type(urn)})" for urn in urns)
        have = "resource has" if len(urns) == 1 else "resources have"
        pulumi.log.warn(
            f"cannot tell whether this is within the budget of {money(verdict.budget.monthly)} a month: "
            f"{len(urns)} {have} no price: {named}"
        )


def _next(root: pulumi.Resource | None) -> list[str]:
    """The commands after this run, as far as the program states them."""
    if pulumi.runtime.is_dry_run():
        return [f"pulumi up --stack {pulumi.get_stack()}"]
    stated: Any = getattr(root, "outputs", {}).get("next")
    return [text for text in stated if isinstance(text, str)] if is_list(stated) else []


def _only_reports() -> bool:
    return pulumi.runtime.is_dry_run() and os.environ.get(BUDGET_VARIABLE) == "report"
