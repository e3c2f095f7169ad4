"""A cost change, as far as prices are known, and the resources without a price before or after it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final, Literal

from gpucluster.core.program.resources import UNKNOWN, Resource, key_of
from gpucluster.core.program.values import is_list, is_object
from gpucluster.cost.diff.revisions import Revision
from gpucluster.cost.pricing.bounds import CLOSED, Gap
from gpucluster.cost.pricing.model import CostLine, NotPriced
from gpucluster.cost.pricing.money import change as signed

__all__ = ["Change", "Direction", "Unpriced"]


Direction = Literal["more", "less", "the same", "cannot tell"]


@dataclass(frozen=True, slots=True)
class Change:
    """Expected change in USD per month.

    known: priced cost after, minus priced cost before.
    comparable: the part of it that is not from lost or gained prices.
    before, after: gap of that side's amount from unpriced items that differ from the other side. A lost price is
        neither a saving nor an expense: it changes the result by its bounds.
    """

    known: Decimal
    comparable: Decimal
    before: Gap = CLOSED
    after: Gap = CLOSED

    @classmethod
    def of(cls, changes: Iterable[Change]) -> Change:
        """The sum of changes."""
        found = list(changes)
        return cls(
            sum((each.known for each in found), Decimal(0)),
            sum((each.comparable for each in found), Decimal(0)),
            Gap.sum(each.before for each in found),
            Gap.sum(each.after for each in found),
        )

    @property
    def exact(self) -> Decimal | None:
        """The change; None if unknown."""
        return self.at_least if self.at_least == self.at_most else None

    @property
    def at_least(self) -> Decimal | None:
        """Lower bound of the change; None without one."""
        most = self.before.high(Decimal(0))
        return self.known + self.after.least - most if isinstance(most, Decimal) else None

    @property
    def at_most(self) -> Decimal | None:
        """Upper bound of the change; None without one."""
        most = self.after.high(Decimal(0))
        return self.known + most - self.before.least if isinstance(most, Decimal) else None

    @property
    def direction(self) -> Direction:
        """Whether cost increases or decreases: by a bound if there is no amount, never from lost prices."""
        if self.exact == 0:
            return "the same"
        if self.at_least is not None and self.at_least > 0:
            return "more"
        if self.at_most is not None and self.at_most < 0:
            return "less"
        return "cannot tell"

    @property
    def shown(self) -> str:
        """`+$1.00`, `-$1.00 to +$2.00`, `at least +$1.00`, `at most -$1.00`, or `cannot tell`."""
        low, high = self.at_least, self.at_most
        if low is not None and high is not None:
            return signed(low) if low == high else f"{signed(low)} to {signed(high)}"
        if low is not None and low > 0:
            return f"at least {signed(low)}"
        if high is not None and high < 0:
            return f"at most {signed(high)}"
        return "cannot tell"


_LABELS: Final = frozenset({"tags", "tagsAll", "labels", "resourceLabels"})
"""Keys without influence on bills, in the inputs of a resource and in the `metadata` of a Kubernetes object."""

_NAMED: Final = 5
"""Number of changed inputs that a reason names."""

_Key = tuple[str, str, str, int]


@dataclass(frozen=True, slots=True)
class Unpriced:
    """newly, no_longer: items unpriced on one side only. changed: unpriced on both, with different inputs.
    before, after: items that leave the amount of that side open.

    Items that are the same on both sides cost the same on both, whatever the price: they are in none of these.
    """

    newly: tuple[NotPriced, ...]
    no_longer: tuple[NotPriced, ...]
    changed: tuple[NotPriced, ...]
    before: tuple[NotPriced, ...]
    after: tuple[NotPriced, ...]

    @classmethod
    def of(cls, old: Revision, new: Revision) -> Unpriced:
        """The differing unpriced items of two sides, by URN."""
        before, after = _by_key(old), _by_key(new)
        both = before.keys() & after.keys()
        newly = tuple(after[key] for key in sorted(after.keys() - both))
        no_longer = tuple(before[key] for key in sorted(before.keys() - both))
        pairs = [(before[key], after[key]) for key in sorted(both)]
        changed = [pair for pair in pairs if not _same_bill(*pair) and not _alike(old, pair[0].urn, new, pair[1].urn)]
        more = [_more(*pair) for pair in changed]
        less = [_more(now, was) for was, now in changed]
        return cls(
            newly,
            no_longer,
            tuple(_with_inputs(was, now, old, new) for was, now in changed),
            (*no_longer, *filter(None, less)),
            (*newly, *filter(None, more)),
        )


def _with_inputs(before: NotPriced, after: NotPriced, old: Revision, new: Revision) -> NotPriced:
    """The item after the change, with the changed inputs of its resource if nothing bounds it."""
    one, other = old.resources.get(before.urn), new.resources.get(after.urn)
    if after.between is not None or one is None or other is None:
        return after
    names = list(_differing(_billed(one), _billed(other)))
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    changed = f"; changed inputs: {', '.join([*names[:_NAMED], *more])}" if names else ""
    return replace(after, reason=f"{after.reason}{changed}")


def _differing(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """The path of each input that differs, with both values if they are numbers: texts may be secrets."""
    if _same(one, other):
        return
    if is_object(one) and is_object(other):
        for key in sorted(one.keys() | other.keys()):
            yield from _differing(one.get(key), other.get(key), f"{path}.{key}" if path else key)
    elif isinstance(one, int | float) and isinstance(other, int | float):
        yield f"{path} {one} -> {other}"
    else:
        yield path


def _same_bill(before: NotPriced, after: NotPriced) -> bool:
    """Whether the same quantity of an item unpriced on both sides is billed."""
    one, other = before.between, after.between
    return one is not None and other is not None and _quantities(one.most) == _quantities(other.most)


def _quantities(line: CostLine) -> tuple[object, ...]:
    return line.quantity, line.floor, line.ceiling, line.unit_price


def _more(before: NotPriced, after: NotPriced) -> NotPriced | None:
    """The added quantity of an item: its unknown price is the same on both sides, like its reason. None if less."""
    one, other = before.between, after.between
    if one is None or other is None or one.most.unit_price != other.most.unit_price:
        return after
    more = other.most.quantity - one.most.quantity
    if more <= 0:
        return None
    least, most = (replace(line, quantity=more, floor=more, ceiling=more) for line in (other.least, other.most))
    return replace(after, between=replace(other, least=least, most=most))


_NUMBERS: Final = re.compile(r"\d[\d,]*")


def _by_key(side: Revision) -> Mapping[_Key, NotPriced]:
    """Each item; items of one resource that lack the same price are distinguished by their order. A reason may have
    the number of machines, which a change moves.
    """
    found: dict[_Key, NotPriced] = {}
    seen: Counter[tuple[str, str, str]] = Counter()
    for item in side.estimate.not_priced:
        key = key_of(item.urn), item.part, _NUMBERS.sub("", item.reason)
        seen[key] += 1
        found[*key, seen[key]] = item
    return found


def _alike(old: Revision, before: str, new: Revision, after: str) -> bool:
    """Whether a resource has the same region and the same inputs on both sides, except labels."""
    one, other = old.resources.get(before), new.resources.get(after)
    if one is None or other is None:
        return False
    regions = old.resources.region(one), new.resources.region(other)
    return _same(*regions) and _same(_billed(one), _billed(other))


def _billed(resource: Resource) -> Mapping[str, Any]:
    inputs = resource.inputs
    metadata = {"metadata": _unlabelled(inputs["metadata"])} if is_object(inputs.get("metadata")) else {}
    return {**_unlabelled(inputs), **metadata}


def _unlabelled(values: Mapping[str, Any]) -> Mapping[str, Any]:
    return {key: value for key, value in values.items() if key not in _LABELS}


def _same(one: Any, other: Any) -> bool:
    """Whether no known value differs: ids are unknown before an update, and do not affect bills."""
    if one is UNKNOWN or other is UNKNOWN:
        return True
    if is_object(one) and is_object(other):
        return all(_same(one.get(key), other.get(key)) for key in one.keys() | other.keys())
    if is_list(one) and is_list(other):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)
