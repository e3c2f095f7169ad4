"""What a rule is, and what it can find.

A rule is metadata plus one check. Which view the check gets decides the kind:

- `ResourceRule`: one resource answers; runs before that resource is made, and no exemption reaches it, because it
  states what the cloud itself refuses.
- `StackRule`: relations between resources, or facts a component registered.
- `ChangeRule`: what a plan deletes or replaces; runs on plan files only, since a policy pack does not see it.
- `ReportRule`: tells what the other rules could not decide or were told to overlook.

A rule says its level in the training pack, which is advisory unless it says otherwise; other packs have their own.
"""

from __future__ import annotations

import datetime
import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, Final

from gpucluster.policies.changes import Changes
from gpucluster.policies.exemptions import Exemption
from gpucluster.policies.suggested_edit import Edit
from gpucluster.program.resources import Resource, Resources
from gpucluster.record import record

EXEMPTIONS: Final = "exemptions"
_EXEMPTIONS: Final[Mapping[str, Any]] = {
    "type": "array",
    "description": "Findings to accept in a program whose components state no exemptions, each "
    '{"resource": NAME, URN or *, "reason": ..., "owner": ..., "until": the last day, YYYY-MM-DD, UTC}',
    "items": {"type": "object", "required": ["resource", "reason", "owner", "until"]},
}


class Severity(enum.Enum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class Enforcement(enum.Enum):
    """ADVISORY: the finding is shown. MANDATORY: it also stops the preview and the update."""

    ADVISORY = "advisory"
    MANDATORY = "mandatory"


@record(kw_only=True)
class Framework:
    """A published practice that a rule belongs to, e.g. AWS Well-Architected PERF04-BP06."""

    name: str
    specification: str
    reference: str


@record
class Violation:
    """Something is wrong.

    resource: what it is wrong with, None for the stack as a whole.
    what: the wrong value and the values allowed, never a secret or the value of a label.
    fix: the change to make, where it is more special than the rule's own.
    edits: what to write into the resource, where the rule can tell. They hold values, so that only a source in which
        secrets are marked may show them.
    """

    resource: Resource | None
    what: str
    fix: str | None = None
    edits: tuple[Edit, ...] = ()


@record
class CannotTell:
    """The rule needs a value that is not known yet or not part of this stack; `what` names it."""

    resource: Resource | None
    what: str


@record
class NotChecked:
    """The program gives the rule nothing to hold it against; `what` names it, e.g. `budget`."""

    what: str


@record
class Accepted:
    """What would be wrong, but is taken by name in the rule's own list or its configuration; `reason` says why."""

    resource: Resource
    what: str
    reason: str


Finding = Violation | CannotTell | NotChecked | Accepted


@record(kw_only=True)
class Stack:
    """What a stack rule sees.

    config: the rule's own configuration in the pack, for programs whose components register no facts.
    today: the day exemptions are held against.
    secrets_marked: whether the source tells secrets apart, as files do; a policy sees them as plain text.
    """

    resources: Resources
    config: Mapping[str, Any] = field(default_factory=dict[str, Any])
    today: datetime.date
    secrets_marked: bool = True


@record(kw_only=True)
class Rule:
    """
    name: kebab case, unique in the project; it is the policy's name in Pulumi.
    title: what must be true, one sentence without a full stop.
    why: what it costs when it is not.
    fix: the change to make.
    reads: resource types and facts the check looks at.
    enforcement: its level in the training pack.
    order: its place among the rules of its level, in every list and report; those without one come last, by name.
    """

    name: str
    title: str
    why: str
    fix: str
    reads: str
    severity: Severity
    frameworks: tuple[Framework, ...] = ()
    enforcement: Enforcement = Enforcement.ADVISORY
    order: int = 1000

    @property
    def accepts(self) -> bool:
        """Whether an exemption can accept what it finds."""
        return False

    @property
    def mends_by(self) -> str | None:
        """The setting by which level `remediate` mends what it finds; None where it mends nothing."""
        return None

    @property
    def settings(self) -> Mapping[str, Mapping[str, Any]]:
        """Name -> JSON schema of everything the pack's user may set for it."""
        return {EXEMPTIONS: _EXEMPTIONS} if self.accepts else {}


@record(kw_only=True)
class ResourceRule(Rule):
    check: Callable[[Resource], Iterable[Finding]]


@record(kw_only=True)
class StackRule(Rule):
    """
    config: name -> JSON schema of what the pack's user may set.
    exemptible: False where accepting the finding makes no sense, as for a broken exemption.
    remedy: a setting of the rule, and what level `remediate` writes by it into one resource before that is made; None
        where nothing can be mended that way.
    """

    check: Callable[[Stack], Iterable[Finding]]
    exemptible: bool = True
    remedy: tuple[str, Callable[[Resource, Resource | None, Mapping[str, Any]], Iterable[Edit]]] | None = None
    config: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])

    @property
    def accepts(self) -> bool:
        return self.exemptible

    @property
    def mends_by(self) -> str | None:
        return self.remedy[0] if self.remedy else None

    @property
    def settings(self) -> Mapping[str, Mapping[str, Any]]:
        return {**self.config, **super().settings}


@record(kw_only=True)
class ChangeRule(Rule):
    check: Callable[[Changes], Iterable[Finding]]

    @property
    def accepts(self) -> bool:
        return True


@record
class Exempted:
    """A violation that an exemption accepts."""

    violation: Violation
    exemption: Exemption


@record(kw_only=True)
class Outcome:
    """What one rule found in one run.

    idle: exemptions of the pack's configuration that accept nothing.
    """

    rule: Rule
    violations: tuple[Violation, ...] = ()
    unknown: tuple[CannotTell, ...] = ()
    exempted: tuple[Exempted, ...] = ()
    not_checked: tuple[NotChecked, ...] = ()
    accepted: tuple[Accepted, ...] = ()
    idle: tuple[Exemption, ...] = ()


@record(kw_only=True)
class ReportRule(Rule):
    check: Callable[[Sequence[Outcome], Stack], Iterable[Violation]]
