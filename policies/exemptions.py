"""Exemptions: findings a team accepts, with a reason, an owner and an end date.

They are registered as output `exemptions` by a component, or exported by the stack, as a list of
`{rule, resource, reason, owner, until}`; they reach the component itself and what is inside it. For programs that are
not ours they stand in the pack's configuration of the rule, without `rule`, and reach the whole stack. `resource` is a
logical name, a URN, or `*` for all. `until` is the last day it holds (YYYY-MM-DD, UTC). An entry that lacks one of
them, or whose day has passed, exempts nothing.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from gpucluster.program.facts import stated
from gpucluster.program.resources import UNKNOWN, Resource, Resources
from gpucluster.program.values import text

__all__ = ["FIELDS", "Exemption", "Unreadable", "configured", "exemptions"]

_ALL: Final = "*"
FIELDS: Final = ("rule", "resource", "reason", "owner", "until")


@dataclass(frozen=True, kw_only=True)
class Exemption:
    """One accepted finding; `declared_by` is the component that registered it, None for the pack's configuration."""

    rule: str
    resource: str
    reason: str
    owner: str
    until: datetime.date
    declared_by: Resource | None

    def names(self, rule: str, resource: Resource | None, resources: Resources) -> bool:
        """Whether it is written for this rule and resource, whatever the day."""
        if self.rule != rule or resource is None or self.resource not in (_ALL, resource.name, resource.urn):
            return False
        if self.declared_by is None:
            return True
        around = (resource.urn, *(parent.urn for parent in resources.parents(resource)))
        return self.declared_by.urn in around

    def in_force(self, today: datetime.date) -> bool:
        return today <= self.until


@dataclass(frozen=True)
class Unreadable:
    """An entry that exempts nothing, with what is wrong with it; `unknown` when a value is only not known yet."""

    declared_by: Resource | None
    problem: str
    unknown: bool = False


def exemptions(resources: Resources) -> Iterator[Exemption | Unreadable]:
    """Every entry that a component of the stack registered."""
    for each in stated(resources):
        entries = each.facts.exemptions
        if entries is UNKNOWN:
            yield Unreadable(each.component, "the exemptions are not known yet", unknown=True)
            continue
        for number, entry in enumerate(entries, start=1):
            yield _read(each.component, number, entry)


def configured(rule: str, entries: Any) -> Iterator[Exemption | Unreadable]:
    """Every entry that the pack's configuration of a rule holds."""
    for number, entry in enumerate(cast("list[Any]", entries), start=1) if isinstance(entries, list) else ():
        named = {**cast("Mapping[str, Any]", entry), "rule": rule} if isinstance(entry, Mapping) else entry
        yield _read(None, number, named)


def _read(component: Resource | None, number: int, entry: Any) -> Exemption | Unreadable:
    values = {name: text(entry, name) for name in FIELDS}
    missing = [name for name, value in values.items() if value is None]
    if entry is UNKNOWN or any(value is UNKNOWN for value in values.values()):
        return Unreadable(component, f"exemption {number} is not known yet", unknown=True)
    if missing:
        return Unreadable(component, f"exemption {number} has no {', '.join(missing)}")
    known = {name: value for name, value in values.items() if isinstance(value, str)}
    try:
        until = datetime.date.fromisoformat(known["until"])
    except ValueError:
        return Unreadable(component, f"exemption {number}: until is `{known['until']}`, not a date such as 2026-12-31")
    return Exemption(
        rule=known["rule"],
        resource=known["resource"],
        reason=known["reason"],
        owner=known["owner"],
        until=until,
        declared_by=component,
    )
