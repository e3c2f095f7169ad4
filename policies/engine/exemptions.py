"""Exemptions: accepted findings, with reason, owner and end date.

A component registers them as output `exemptions`, or the stack exports them, as a list of
`{rule, resource, reason, owner, until}`; they apply to the component itself and to everything inside it. For other
programs they are in the pack's configuration of the rule, without `rule`, and apply to the whole stack. `resource` is a
logical name, a URN, or `*` for all. `until` is the last day of validity (YYYY-MM-DD, UTC), at most a year ahead, and a
month for `*`. The reason has at least two words, and the rule exists. An entry that lacks one of them, or that has
expired, exempts nothing.
"""

from __future__ import annotations

import datetime
import functools
import pkgutil
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gpucluster.core.program.registered_facts import read_registered_facts
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources
from gpucluster.core.program.values import is_list, is_object, text

_ALL: Final = "*"
_LONGEST: Final = datetime.timedelta(days=366)
_LONGEST_FOR_ALL: Final = datetime.timedelta(days=31)
_SHORTEST_REASON: Final = 10
"""Minimum characters of a reason, as in a spec."""
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
        """Whether it applies to this rule and resource, regardless of the date."""
        if self.rule != rule or resource is None or self.resource not in (_ALL, resource.name, resource.urn):
            return False
        if self.declared_by is None:
            return True
        around = (resource.urn, *(parent.urn for parent in resources.parents(resource)))
        return self.declared_by.urn in around

    def in_force(self, today: datetime.date) -> bool:
        return self.refusal(today) is None

    def refusal(self, today: datetime.date) -> str | None:
        """Why it is not in force on this day, None if it is."""
        named = f"the exemption from `{self.rule}` for `{self.resource}`"
        longest = _LONGEST_FOR_ALL if self.resource == _ALL else _LONGEST
        if self.until < today:
            return f"{named} ended on {self.until}, owner {self.owner}"
        if self.until > today + longest:
            scope = " for every resource" if self.resource == _ALL else ""
            return f"{named} ends on {self.until}, more than {longest.days} days ahead{scope}, owner {self.owner}"
        return None


@dataclass(frozen=True)
class Unreadable:
    """An entry that exempts nothing, with its problem; `unknown` if a value is only unknown before the update."""

    declared_by: Resource | None
    problem: str
    unknown: bool = False


def exemptions(resources: Resources) -> Iterator[Exemption | Unreadable]:
    """Every entry that a component of the stack registered."""
    for each in read_registered_facts(resources):
        entries = each.facts.exemptions
        if entries is UNKNOWN:
            yield Unreadable(each.component, "the exemptions are not known yet", unknown=True)
            continue
        for number, entry in enumerate(entries, start=1):
            yield _read(each.component, number, entry)


def configured(rule: str, entries: Any) -> Iterator[Exemption | Unreadable]:
    """Every entry in the pack's configuration of a rule."""
    for number, entry in enumerate(entries, start=1) if is_list(entries) else ():
        named = {**entry, "rule": rule} if is_object(entry) else entry
        yield _read(None, number, named)


def today() -> datetime.date:
    """The date in UTC, for checking exemptions: the same for all users of one plan."""
    return datetime.datetime.now(datetime.UTC).date()


def _read(component: Resource | None, number: int, entry: Any) -> Exemption | Unreadable:
    values = {name: text(entry, name) for name in FIELDS}
    missing = [name for name, value in values.items() if value is None]
    if entry is UNKNOWN or any(value is UNKNOWN for value in values.values()):
        return Unreadable(component, f"exemption {number} is not known yet", unknown=True)
    if missing:
        return Unreadable(component, f"exemption {number} has no {', '.join(missing)}")
    known = {name: value for name, value in values.items() if isinstance(value, str)}
    if problem := _problem(known):
        return Unreadable(component, f"exemption {number}: {problem}")
    until = datetime.date.fromisoformat(known["until"])
    return Exemption(
        rule=known["rule"],
        resource=known["resource"],
        reason=known["reason"],
        owner=known["owner"],
        until=until,
        declared_by=component,
    )


def _problem(entry: Mapping[str, str]) -> str | None:
    """The problem of an entry that has all fields."""
    if entry["rule"] not in _rules():
        return f"rule is `{entry['rule']}`, which does not exist; `gpucluster guardrails list` prints all rules"
    if len(entry["reason"].strip()) < _SHORTEST_REASON or len(re.findall(r"\w{2,}", entry["reason"])) < 2:
        return f"reason is `{entry['reason']}`; write at least {_SHORTEST_REASON} characters and two words"
    if not re.search(r"\w", entry["owner"]):
        return f"owner is `{entry['owner']}`; write the team or person responsible"
    try:
        datetime.date.fromisoformat(entry["until"])
    except ValueError:
        return f"until is `{entry['until']}`, not a date such as 2026-12-31"
    return None


@functools.cache
def _rules() -> frozenset[str]:
    """Names of the rules, from their files: rules read exemptions, so an import would be circular."""
    folder = Path(__file__).parents[1] / "rules"
    return frozenset(module.name.replace("_", "-") for module in pkgutil.iter_modules([str(folder)]))
