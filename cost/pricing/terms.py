"""Terms of an account with its cloud: a discount on list prices, and a support plan, whose fee is a share of the
account's whole spend by bands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Final

from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.program.facts import Terms
from gpucluster.core.program.values import BadValue, amount
from gpucluster.cost.prices import NotKnown, Price, PriceBook, PriceRow
from gpucluster.cost.pricing.model import UNBOUNDED, Between, CostLine, NotPriced, Unbounded, cents
from gpucluster.cost.pricing.money import money, percent_of
from gpucluster.errors import InputError


class DiscountedBook(PriceBook):
    """A book with discounted list prices; the user's own prices are what they pay, and stay unchanged.

    shares: cloud -> discount as a share of the list price, above 0 and below 1. Support fees have no discount.
    """

    def __init__(self, book: PriceBook, shares: Mapping[str, Decimal]) -> None:
        super().__init__(today=book.today, folder=book.folder)
        self.own = book.own
        self._book = book
        self._shares = shares

    def lookup(
        self, provider: str, region: str, sku: str, purchase: str = "on_demand", term: str = "", *, unit: str
    ) -> Price | NotKnown:
        """The price after the discount, with the list price."""
        found = self._book.lookup(provider, region, sku, purchase, term, unit=unit)
        share = self._shares.get(provider)
        if share is None or isinstance(found, NotKnown) or found.row.basis == "own":
            return found
        return replace(
            found,
            row=_less(found.row, share),
            tiers=tuple(_less(row, share) for row in found.tiers),
            list_usd=found.row.usd_per_unit,
        )

    def of_sku(self, provider: str, sku: str) -> list[PriceRow]:
        """The rows after the discount: bounds of an unknown price are discounted, too."""
        return self._discounted(provider, super().of_sku(provider, sku))

    def of_family(self, provider: str, sku: str) -> list[PriceRow]:
        """The same for siblings."""
        return self._discounted(provider, super().of_family(provider, sku))

    def _discounted(self, provider: str, rows: Sequence[PriceRow]) -> list[PriceRow]:
        share = self._shares.get(provider, Decimal(0))
        return [row if row.basis == "own" or not share else _less(row, share) for row in rows]


def _less(row: PriceRow, share: Decimal) -> PriceRow:
    return replace(row, usd_per_unit=row.usd_per_unit * (1 - share))


_PREFIX: Final = "support-"
_UNIT: Final = "USD-of-monthly-spend"
_TO: Final = re.compile(r"^tier \d+: (?:first ([\d,]+)|[\d,]+ to ([\d,]+)|over [\d,]+)")
"""Upper end of a band, as in notes of the price book."""
_LOWEST: Final = re.compile(r"down to (\d+)%")
"""Lowest rate of a plan whose bands are unknown."""
_ENDS: Final = re.compile(r"plan ends (\d{4}-\d{2}-\d{2})")
_MORE: Final = "no source states the percentages"


class UnknownPlan(InputError):
    """The price book has no such support plan."""


@dataclass(frozen=True, slots=True)
class Support:
    """A plan: bands of monthly spend as (up to, share of it), None without an end, and the minimum of a month.

    lowest: the lowest rate, if the book does not have the bands below the first rate; None if it has all.
    """

    plan: str
    bands: tuple[tuple[Decimal | None, Decimal], ...]
    least: Decimal
    rows: tuple[PriceRow, ...]
    lowest: Decimal | None = None

    @property
    def ends(self) -> str:
        """The day on which the plan ends; empty without one."""
        return next((found[1] for row in self.rows if (found := _ENDS.search(row.note))), "")

    @property
    def at_lowest(self) -> Support | None:
        """The plan at its lowest rate for all spend: the lower bound of its fee; None if all bands are known."""
        return None if self.lowest is None else replace(self, bands=((None, self.lowest),), lowest=None)

    @property
    def open(self) -> bool:
        """Whether only its minimum is known."""
        return any(_MORE in row.note for row in self.rows)

    def fee(self, spend: Decimal) -> Decimal:
        """USD per month for an account that spends this much: the sum over the bands, at least the minimum."""
        total, done = Decimal(0), Decimal(0)
        for end, share in self.bands:
            most = spend if end is None else min(spend, end)
            total += max(most - done, Decimal(0)) * share
            done = max(done, most)
        return cents(max(total, self.least))

    def added(self, stack: Decimal, account: Decimal) -> Decimal:
        """USD per month that a stack adds to the fee of an account that otherwise spends `account`; the whole fee if
        the account has no other spend.
        """
        return self.fee(account + stack) - (self.fee(account) if account else Decimal(0))


def support_of(book: PriceBook, provider: str, plan: str) -> Support:
    """A plan by its name in the price book. UnknownPlan lists the existing ones."""
    name = plan if plan.startswith(_PREFIX) else f"{_PREFIX}{plan}"
    share = book.lookup(provider, "global", name, unit=_UNIT)
    flat = book.lookup(provider, "global", name, unit="month")
    if not isinstance(share, Price) and not isinstance(flat, Price):
        rows = (row.sku for row in book.in_region(provider, "global") if row.sku.startswith(_PREFIX))
        known = sorted({sku.removeprefix(_PREFIX) for sku in rows})
        raise UnknownPlan(f"{plan!r} is not a priced plan of {provider}; known: {', '.join(known) or 'none'}")
    rows = () if not isinstance(share, Price) else share.tiers or (share.row,)
    return Support(
        name,
        tuple((_end(row), row.usd_per_unit) for row in rows),
        flat.usd if isinstance(flat, Price) else Decimal(0),
        (*rows, *((flat.row,) if isinstance(flat, Price) else ())),
        next((Decimal(found[1]) / 100 for row in rows if (found := _LOWEST.search(row.note))), None),
    )


def _end(row: PriceRow) -> Decimal | None:
    found = _TO.match(row.note)
    number = found and (found[1] or found[2])
    return Decimal(number.replace(",", "")) if number else None


_PART: Final = "support"
"""Part of the fees; it counts into no GPU-hour price."""

_TYPE: Final = "gpucluster:cost:Support"


def support_lines(
    stack: str, lines: Sequence[CostLine], terms: Mapping[str, Terms], book: PriceBook
) -> Iterator[CostLine | NotPriced]:
    """A line for each cloud of the stack with a support plan.

    The fee is a share of the account's charges at list prices, before discounts, as AWS bills it ("gross AWS charges
    (before any discounts or credits are applied)", aws.amazon.com/premiumsupport/partner-led-support/pricing,
    2026-11-23); no page was found for the other clouds, so the same is assumed. Committed capacity counts. If the
    account spends more than this stack, the total includes only what the stack adds.
    """
    for cloud, agreed in terms.items():
        cloud_lines = [line for line in lines if line.provider == cloud]
        if not agreed.support or not cloud_lines:
            continue
        urn = f"urn:pulumi:{stack or 'stack'}::account::{_TYPE}::{cloud}"
        try:
            plan = support_of(book, cloud, agreed.support)
        except UnknownPlan as error:
            yield NotPriced(urn, _TYPE, _PART, str(error))
            continue
        line = _line(urn, cloud, cloud_lines, agreed, plan, book)
        if plan.at_lowest is not None:
            rule = f"{percent_of(plan.at_lowest.bands[0][1])} to {percent_of(plan.bands[0][1])} of all charges"
            least = _line(urn, cloud, cloud_lines, agreed, plan.at_lowest, book)
            why = f"the bands of the {line.name} are unknown; {line.assumption}"
            yield NotPriced(urn, _TYPE, _PART, why, own_row=_own(cloud, plan), between=Between(least, line, rule))
            continue
        yield line
        if plan.open:
            why = f"the {line.name} costs more by percentages that no source states; {money(plan.least)} is its minimum"
            yield NotPriced(urn, _TYPE, _PART, why, own_row=_own(cloud, plan))


def _own(cloud: str, plan: Support) -> str:
    """The beginning of the user's row for the plan's rate."""
    return f"{cloud},global,{plan.plan},{_UNIT},on_demand,"


def _line(urn: str, cloud: str, lines: Sequence[CostLine], agreed: Terms, plan: Support, book: PriceBook) -> CostLine:
    spend = sum((line.listed for line in lines), Decimal(0))
    row = plan.rows[0]
    return CostLine(
        urn=urn,
        part=_PART,
        name=f"support plan {plan.plan.removeprefix('support-')} of {cloud}",
        quantity=plan.added(spend, agreed.account_usd),
        unit="USD",
        unit_price=Decimal(1),
        region=row.region,
        purchase=row.purchase,
        source=row.source,
        as_of=row.as_of,
        confidence=row.confidence(book.today),
        basis=f"on {money(spend)}",
        assumption=_assumption(cloud, agreed, plan),
        floor=plan.added(sum((line.listed_at(line.floor) for line in lines), Decimal(0)), agreed.account_usd),
        ceiling=_ceiling(lines, agreed, plan),
        provider=cloud,
        sku=plan.plan,
    )


def _ceiling(lines: Sequence[CostLine], agreed: Terms, plan: Support) -> Decimal | Unbounded:
    most = Decimal(0)
    for line in lines:
        if isinstance(line.ceiling, str):
            return UNBOUNDED
        most += line.listed_at(line.ceiling)
    return plan.added(most, agreed.account_usd)


def _assumption(cloud: str, agreed: Terms, plan: Support) -> str:
    bands = [f"{percent_of(share)}{_until(end, plan)}" for end, share in plan.bands]
    of = "of the account's monthly charges at list prices, committed capacity included"
    fee = f"{', '.join(bands)}, {of}, at least {money(plan.least)}" if bands else f"{money(plan.least)} a month"
    rest = "the account has no other charges"
    if agreed.account_usd:
        rest = f"the account has {money(agreed.account_usd)} of other charges; the line is what the stack adds"
    ends = f"; the plan ends on {plan.ends}" if plan.ends else ""
    return f"{plan.plan} of {cloud}: {fee}; {rest}{ends}"


def _until(end: Decimal | None, plan: Support) -> str:
    if end is not None:
        return f" up to {money(end)}"
    return " above" if len(plan.bands) > 1 else ""


class BadTerms(InputError):
    """Terms cannot be used; one line for each problem."""


def terms_from_options(
    book: PriceBook, *, support: Sequence[str] = (), discount: Sequence[str] = (), account_spend: Sequence[str] = ()
) -> dict[str, Terms]:
    """Cloud -> terms. BadTerms lists all problems."""
    found: dict[str, Terms] = {}
    problems: list[str] = []
    for option, texts in (("--support", support), ("--discount", discount), ("--account-spend", account_spend)):
        for text in texts:
            cloud, _, value = text.partition("=")
            try:
                found[cloud] = _with(found.get(cloud, Terms()), book, option, cloud, value)
            except BadValue as error:
                problems.append(f"{option} {text!r}: {error}")
    problems += _without_plan(found)
    if problems:
        raise BadTerms("\n".join(problems))
    return found


def _with(terms: Terms, book: PriceBook, option: str, cloud: str, value: str) -> Terms:
    if cloud not in clouds() or not value:
        example = {"--support": "business", "--discount": "8%"}.get(option, "100000")
        raise BadValue(f"write CLOUD=VALUE with one of {', '.join(clouds())}, such as {next(iter(clouds()))}={example}")
    if option == "--support":
        try:
            support_of(book, cloud, value)
        except UnknownPlan as error:
            raise BadValue(str(error)) from None
        return replace(terms, support=value)
    if option == "--discount":
        return replace(terms, discount=_share(value))
    try:
        return replace(terms, account_usd=amount(value, ""))
    except BadValue:
        raise BadValue("write USD a month, such as 100000") from None


def _share(text: str) -> Decimal:
    try:
        share = Decimal(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except InvalidOperation:
        share = Decimal("NaN")
    if share.is_finite() and 0 <= share < 1:
        return share
    raise BadValue("write a share of the list price from 0 to less than 1, such as 8% or 0.08")


def _without_plan(found: dict[str, Terms]) -> Iterator[str]:
    for cloud, terms in found.items():
        if terms.account_usd and not terms.support:
            usd = f"{terms.account_usd:f}"
            yield f"--account-spend {cloud}={usd}: only support depends on it; add --support {cloud}=PLAN"


def effective_terms(stated: Mapping[str, Terms], given: Mapping[str, Terms]) -> dict[str, Terms]:
    """Cloud -> its terms; without clouds for which nothing is agreed."""
    found = {**stated, **given}
    return {cloud: terms for cloud, terms in found.items() if terms.support or terms.discount}


def term_texts(terms: Mapping[str, Terms]) -> Iterator[str]:
    """The terms as texts, one for each."""
    for cloud, agreed in terms.items():
        if agreed.discount:
            yield f"{percent_of(agreed.discount)} off the list prices of {cloud}"
        if agreed.support:
            yield f"the support plan {agreed.support} of {cloud}"
