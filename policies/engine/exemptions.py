"""Exemptions: accepted findings, with reason, owner and end date.

A component registers them as output `exemptions`, or the stack exports them, as a list of
`{rule, resource, reason, owner, until}`; they apply to the component itself and to everything inside it. For other
programs they are in the pack's configuration of the rule, without `rule`, and apply to the whole stack. `resource` is a
logical name, a URN, or `*` for all. `until` is the last day of validity (YYYY-MM-DD, UTC), at most a year ahead, and a
month for `*`. The reason has at least two words, and the rule exists. An entry that lacks one of them, or that has
expired, exempts nothing. What programs register counts as far as the pack grants it (`Grant`).
"""

from __future__ import annotations

import datetime
import functools
import pkgutil
import re
from collections.abc import Iterable, Iterator, Mapping
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

    def in_force(self, today: datetime.date, grant: Grant) -> bool:
        return self.refusal(today, grant) is None

    def refusal(self, today: datetime.date, grant: Grant) -> str | None:
        """Why it is not in force on this day, None if it is. grant: for an entry of a program."""
        named = f"the exemption from `{self.rule}` for `{self.resource}`"
        longest = _LONGEST_FOR_ALL if self.resource == _ALL else _LONGEST
        if self.until < today:
            return f"{named} ended on {self.until}, owner {self.owner}"
        if self.until > today + longest:
            scope = " for every resource" if self.resource == _ALL else ""
            return f"{named} ends on {self.until}, more than {longest.days} days ahead{scope}, owner {self.owner}"
        refusal = None if self.declared_by is None else grant.refusal(self, today)
        return f"{named} {refusal}" if refusal else None

    @property
    def identity(self) -> object:
        """What stays the same if its end moves, and a reason that says until when."""
        return self.rule, self.resource, self.declared_by and self.declared_by.urn


_GRANTS: Final = "exemptions-valid"
"""The rule whose settings they are."""
GRANT_SETTINGS: Final[Mapping[str, Mapping[str, Any]]] = {
    "ofPrograms": {
        "type": "string",
        "enum": ["count", "ignored"],
        "description": "Whether exemptions that programs register count; `count` by default, `ignored` in the pack "
        "production. Those of the pack's configuration always count",
    },
    "owners": {
        "type": "array",
        "items": {"type": "string"},
        "description": "Owners whose exemptions in programs count; anyone's by default",
    },
    "days": {
        "type": "integer",
        "minimum": 1,
        "maximum": _LONGEST.days,
        "description": "Most days ahead that an exemption in a program may end",
    },
    "rules": {
        "type": "array",
        "items": {"type": "string"},
        "description": "Rules from which programs may exempt; any by default",
    },
}


@dataclass(frozen=True, kw_only=True)
class Grant:
    """Which exemptions of programs count.

    trusts: whether the pack trusts programs. counts: whether any counts. owners, rules: None for anyone and any.
    days: most days ahead. computed: last days that no file of the program has, because each run computes them; None if
    no file was read.
    company: names of rules beside those of this package.
    """

    trusts: bool = True
    counts: bool = True
    owners: frozenset[str] | None = None
    days: int = _LONGEST.days
    rules: frozenset[str] | None = None
    computed: frozenset[str] | None = None
    company: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        configs: Mapping[str, Mapping[str, Any]],
        rules: Iterable[str],
        *,
        trusts: bool,
        computed: frozenset[str] | None,
    ) -> Grant:
        """By GRANT_SETTINGS; a setting with a wrong value grants nothing. rules: those of the pack."""
        config = configs.get(_GRANTS, {})
        days = config.get("days", _LONGEST.days)
        return cls(
            trusts=trusts,
            counts=config["ofPrograms"] == "count" if "ofPrograms" in config else trusts,
            owners=_texts(config.get("owners")),
            days=int(days) if isinstance(days, int | float) else 0,
            rules=_texts(config.get("rules")),
            computed=computed,
            company=frozenset(rules),
        )

    def covers(self, rule: str) -> bool:
        """Whether an entry of a program from this rule can count."""
        return self.counts and (self.rules is None or rule in self.rules)

    def refusal(self, entry: Exemption, today: datetime.date) -> str | None:
        """Why an entry of a program does not count, None if it does."""
        if entry.rule not in _rules() | self.company:
            return "names a rule that does not exist; `gpucluster guardrails list` prints all rules"
        if not self.counts:
            return "does not count: this pack takes exemptions from its own configuration alone"
        if self.rules is not None and entry.rule not in self.rules:
            return f"does not count: programs may exempt from {_named(self.rules)} alone"
        if self.owners is not None and entry.owner not in self.owners:
            return f"does not count: its owner is {entry.owner}; this pack allows {_named(self.owners)}"
        if entry.until > today + datetime.timedelta(days=self.days):
            return (
                f"ends on {entry.until}, more than {self.days} days ahead, the most in this pack, owner {entry.owner}"
            )
        if self.computed is not None and entry.until.isoformat() in self.computed:
            return (
                f"ends on {entry.until}, which no file of the change has: an end that each run computes never comes; "
                "write the day as YYYY-MM-DD"
            )
        return None


def _texts(value: Any) -> frozenset[str] | None:
    if value is None:
        return None
    return frozenset(map(str, value)) if is_list(value) else frozenset()


def _named(names: frozenset[str]) -> str:
    return ", ".join(sorted(names)) or "none"


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
