"""The fee of a support plan as a line of an estimate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from gpucluster.cost.model import UNBOUNDED, CostLine, NotPriced, Unbounded
from gpucluster.cost.money import money, percent_of
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.terms.support import Support, UnknownPlan, support_of
from gpucluster.program.facts import Terms

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
        mine = [line for line in lines if line.provider == cloud]
        if not agreed.support or not mine:
            continue
        urn = f"urn:pulumi:{stack or 'stack'}::account::{_TYPE}::{cloud}"
        try:
            plan = support_of(book, cloud, agreed.support)
        except UnknownPlan as error:
            yield NotPriced(urn, _TYPE, _PART, str(error))
            continue
        yield _line(urn, cloud, mine, agreed, plan, book)


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
    return f"{plan.plan} of {cloud}: {fee}; {rest}"


def _until(end: Decimal | None, plan: Support) -> str:
    if end is not None:
        return f" up to {money(end)}"
    return " above" if len(plan.bands) > 1 else ""
