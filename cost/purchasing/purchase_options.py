"""The purchase options of a cloud for GPU machines: payment, duration, and whether they hold capacity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.whole_machines import ALL_MONTH, purchase_words
from gpucluster.cost.prices import PriceBook

_YEARS: Final = {"1y": Decimal(1), "3y": Decimal(3)}

_UPFRONT: Final = {"": Decimal(0), "partial": Decimal("0.5"), "all": Decimal(1)}
"""Share of a term that is paid before it starts. `partial` is half, AWS's minimum: 50 to 99 % of the total
(Savings Plans API, CreateSavingsPlan, upfrontPaymentAmount)."""

_PAID: Final = {"": "", "partial": ", half upfront", "all": ", all upfront"}


@dataclass(frozen=True, slots=True)
class PurchaseOption:
    """One purchase option.

    purchase, term: as in the price book. remark: empty without one. The term `1y-all` is one year, fully paid
    upfront; plain `1y` is paid monthly.
    """

    provider: str
    purchase: str
    term: str = ""
    remark: str = ""

    @property
    def years(self) -> Decimal:
        """Years of commitment, 0 without one in years."""
        return _YEARS.get(self.term.partition("-")[0], Decimal(0))

    @property
    def upfront_share(self) -> Decimal:
        """Share of its term that is paid before it starts."""
        return _UPFRONT[self.term.partition("-")[2]]

    @property
    def discount(self) -> bool:
        """Whether it is billing coverage of on-demand machines: a commitment of the account, not capacity."""
        return bool(self.years)

    @property
    def by_the_day(self) -> bool:
        """Whether it is bought for a number of days, used or not."""
        return self.purchase in ("capacity_block", "dws_calendar")

    @property
    def all_month(self) -> bool:
        """Whether it bills every hour of a month, used or not."""
        return self.purchase in ALL_MONTH

    @property
    def most_days(self) -> int | None:
        """Maximum duration in days, None without a maximum."""
        return _MOST_DAYS.get((self.provider, self.purchase))

    @property
    def words(self) -> str:
        """Its usual name: `savings plan 3y, all upfront`."""
        term, _, paid = self.term.partition("-")
        return f"{purchase_words(self.provider, self.purchase)}{f' {term}' if term else ''}{_PAID[paid]}"


_MOST_DAYS: Final = {
    ("aws", "capacity_block"): 182,
    ("azure", "capacity_block"): 182,
    ("gcp", "dws_calendar"): 90,
    ("gcp", "flex_start"): 7,
}
"""Maximum duration of an option in days; the same sources as `_SOLD`."""

_INTERRUPTED: Final = "the cloud can reclaim machines at any time; losing one stops a job on all"
_NO_CAPACITY: Final = "a discount on the bill: it holds no capacity"

_SOLD: Final = {
    "aws": (
        ("on_demand", "", "no capacity is promised"),
        ("spot", "", _INTERRUPTED),
        (
            "capacity_block",
            "",
            "1, 2, 4, 8, 16, 32 or 64 machines, at most 182 days, paid upfront and never reclaimed (EC2 user guide)",
        ),
        *(
            (plan, f"{years}{paid}", f"{_NO_CAPACITY}{of}")
            for plan, of in (("savings_plan", ""), ("instance_savings_plan", "; for one family in one region"))
            for years in _YEARS
            for paid in ("", "-partial", "-all")
        ),
    ),
    "gcp": (
        ("on_demand", "", "no capacity is promised"),
        ("spot", "", _INTERRUPTED),
        ("flex_start", "", "starts when capacity is available, for at most 7 days (Dynamic Workload Scheduler)"),
        (
            "dws_calendar",
            "",
            "1 to 80 machines for 1 to 90 days, not cancellable (future reservations in calendar mode)",
        ),
        *(("reserved", years, f"{_NO_CAPACITY}; its GPUs need a reservation as well") for years in _YEARS),
    ),
    "azure": (
        ("on_demand", "", "no capacity is promised"),
        ("spot", "", _INTERRUPTED),
        ("capacity_block", "", "private preview: 1 to 14 days or 3 to 26 weeks"),
        *(("reserved", years, f"{_NO_CAPACITY}; paid by the month or upfront") for years in _YEARS),
        *(("savings_plan", years, _NO_CAPACITY) for years in _YEARS),
    ),
}
"""Cloud -> (purchase, term, remark). Sources: EC2 user guide, Capacity Blocks; Cluster Director documentation,
consumption options; Azure Compute documentation, reservations; options that a machine lacks:
`core.catalog.machines.sold`."""


def purchase_options_of(book: PriceBook, provider: str, machine: str) -> Iterator[PurchaseOption]:
    """Every purchase option of its cloud, and any other with a known price of this machine."""
    listed = _SOLD.get(provider, (("on_demand", "", ""),))
    for purchase, term, remark in listed:
        yield PurchaseOption(provider, purchase, term, remark)
    known = {(purchase, term) for purchase, term, _ in listed}
    rows = book.of_sku(provider, machine)
    for purchase, term in dict.fromkeys((row.purchase, row.term) for row in rows):
        if (purchase, term) not in known:
            yield PurchaseOption(provider, purchase, term)
