"""Fees of capacity blocks, set against the machines that they pay for.

AWS bills a block once, on the day it starts, with the usage type `USE2-CapacityBlockFee:p5.48xlarge`; a refund has the
same usage type and a negative amount (grafana/cloudcost-exporter, pkg/aws/client/billing.go and pull request 1090,
verified there on an account with blocks). Its machines are `BoxUsage` at $0.00, operation `RunInstances:CB` (AWS price
list, market option CapacityBlock). In FOCUS the fee has no EffectiveCost where the hours carry it
(FOCUS_Spec pull request 856); hours without it are exported as well (FOCUS_Spec issue 1214).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from typing import Final

from gpucluster.cost.bills.charges import BLOCK_FEE, USD, Charge, Contract
from gpucluster.cost.bills.matching import Matcher
from gpucluster.cost.bills.planned import Planned, Window

_FEE: Final = re.compile(rf"(?:[A-Z]{{2,4}}\d?-)?{BLOCK_FEE}\S+")
_RESERVATION: Final = re.compile(r"\bcr-\w+")


@dataclass(frozen=True)
class Fees:
    """of_line: the fees that pay for a line. possible: fees whose owner nothing tells, and a line that may be it."""

    of_line: Mapping[Planned, Sequence[Charge]]
    possible: Sequence[tuple[Charge, Planned]]


def is_fee(charge: Charge) -> bool:
    """Whether a charge is the fee of a block, or a refund of one."""
    return charge.currency == USD and charge.category in ("Purchase", "Refund") and bool(_FEE.fullmatch(charge.meter))


def fees_of(charges: Sequence[Charge], lines: Sequence[Planned], matcher: Matcher, accounts: frozenset[str]) -> Fees:
    """The fees of each line: those with the id of its reservation or of a resource of the stack, else with the labels
    of the stack. A fee with neither pays for the only line with such machines if it is the only one in the accounts of
    the stack.
    """
    of_line: dict[Planned, list[Charge]] = {}
    loose: dict[Planned, list[Charge]] = {}
    for charge in filter(is_fee, charges):
        alike = [line for line in lines if _may_pay(charge, line)]
        ids = {*_RESERVATION.findall(f"{charge.resource} {charge.commitment} {charge.reservation} {charge.contract}")}
        named = [line for line in alike if line.reservation in ids]
        if named or (alike and matcher.has(charge)):
            of_line.setdefault((named or alike)[0], []).append(charge)
        elif len(alike) == 1 and not ids and matcher.unmarked(charge) and charge.account in accounts:
            loose.setdefault(alike[0], []).append(charge)
    possible: list[tuple[Charge, Planned]] = []
    for line, fees in loose.items():
        if line not in of_line and sum(fee.rows for fee in fees if fee.billed > 0) == 1:
            of_line[line] = fees
        else:
            possible += [(fee, line) for fee in fees]
    return Fees(of_line, possible)


def _may_pay(charge: Charge, line: Planned) -> bool:
    machine = charge.meter.rpartition(":")[2]
    return (line.purchase, line.sku) == ("capacity_block", machine) and charge.region in ("", line.region)


def contract_of(line: Planned, contracts: Sequence[Contract]) -> Contract | None:
    """The contract commitment of the reservation that a line pays for."""
    found = (one for one in contracts if line.reservation and line.reservation in _RESERVATION.findall(one.id))
    return next(found, None)


def with_fees(
    line: Planned,
    fees: Sequence[Charge],
    hours: Sequence[tuple[Charge, Decimal | None]],
    window: Window,
    contract: Contract | None = None,
) -> list[tuple[Charge, Decimal | None]]:
    """The machines' own charges and the part of the fees for the days of the bill, each with a quantity.

    A fee pays for the hours of the block, used or not. If neither its contract nor the plan tells how long the block
    is, the whole fee counts, for the hours used. Where the bill has no fee, that of the contract counts.
    """
    if any(charge.effective > charge.billed for charge, _ in hours):  # the hours carry the fee
        return [*hours, *((fee, Decimal(0)) for fee in fees)]
    if not fees and contract is not None and contract.cost and hours:
        fees = [replace(hours[0][0], effective=Decimal(0), billed=contract.cost, rows=0)]
        billed = [Decimal(0)]
    else:
        billed = [fee.billed for fee in fees]
    if not fees:
        return [*hours]
    begin = min((charge.start for charge, _ in hours), default=fees[0].start)
    end = begin + timedelta(days=float(line.block_days))
    if contract is not None:
        begin, end = contract.start, contract.end
    share, paid = Decimal(1), Decimal(0)
    if begin < end:
        within = max(min(window.end, end) - max(window.start, begin), timedelta())
        share = Decimal(within // timedelta(seconds=1)) / ((end - begin) // timedelta(seconds=1))
        paid = line.machines * Decimal(within // timedelta(seconds=1)) / 3600
    first, *others = [
        replace(fee, effective=fee.billed * share, billed=usd) for fee, usd in zip(fees, billed, strict=True)
    ]
    return [*hours, (first, paid), *((fee, Decimal(0)) for fee in others)]
