"""Unpriced purchase options in words: the reason, and bounds if other regions give them."""

from __future__ import annotations

from gpucluster.cost.money import money
from gpucluster.cost.purchasing import Options, PoolOptions
from gpucluster.cost.purchasing.options import Unpriced


def why(one: Unpriced, found: PoolOptions, options: Options) -> str:
    """The reason, and the bound if there is one."""
    return "; ".join(filter(None, [one.reason.reason, bound(one, found, options)]))


def bound(one: Unpriced, found: PoolOptions, options: Options) -> str:
    """`$31.46 to $125.84 an hour each, ...`: not a price, and never ranked; empty without a bound."""
    if one.ends is None:
        return ""
    low, high = one.ends
    an_hour = f"{money(low.rate.usd)} to {money(high.rate.usd)} an hour each, {low.rate.said}"
    if not found.options:
        return an_hour
    least = options.with_support(found.gap.low(found.stack_monthly(low)))
    most = found.gap.high(found.stack_monthly(high))
    up_to = (
        f" to {money(options.with_support(most))}" if most is not None and not isinstance(most, str) else " and more"
    )
    return f"{an_hour}: the stack {money(least)}{up_to} a month"
