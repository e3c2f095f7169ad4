"""A rule and its findings.

A rule is metadata plus one check. The view that the check receives determines the kind:

- `ResourceRule`: a single resource decides; runs before that resource is created, and is not exemptible, because it
  checks what the cloud itself refuses.
- `StackRule`: relations between resources, or facts that a component registered.
- `ChangeRule`: deletions and replacements; runs on plan files only, since a policy pack does not see them.
- `ReportRule`: reports undecided and exempted findings of the other rules.

A rule states its level in the training pack, advisory by default; other packs have their own levels.
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
    """A published practice that a rule implements, e.g. AWS Well-Architected PERF04-BP06."""

    name: str
    specification: str
    reference: str


@record
class Violation:
    """A problem.

    resource: the faulty one, None for the stack as a whole.
    what: the wrong value and the allowed values, never a secret or the value of a label.
    fix: the change to make, if more specific than the rule's own.
    edits: what to write into the resource, if the rule can determine it. They hold values, so show them only for
        a source that marks secrets.
    """

    resource: Resource | None
    what: str
    fix: str | None = None
    edits: tuple[Edit, ...] = ()


@record
class CannotTell:
    """The rule needs a value that is unknown before the update or outside this stack; `what` names it."""

    resource: Resource | None
    what: str


@record
class NotChecked:
    """The program lacks the input that the rule compares with; `what` names it, e.g. `budget`."""

    what: str


@record
class Accepted:
    """A violation accepted by name in the rule's own list or its configuration; `reason` says why."""

    resource: Resource
    what: str
    reason: str


Finding = Violation | CannotTell | NotChecked | Accepted


@record(kw_only=True)
class Stack:
    """The view of a stack rule.

    config: the rule's own configuration in the pack, for programs whose components register no facts.
    today: the date for checking exemptions.
    program_exemptions: whether exemptions that the program registers count.
    secrets_marked: whether the source marks secrets, as files do; a policy receives them as plain text.
    """

    resources: Resources
    config: Mapping[str, Any] = field(default_factory=dict[str, Any])
    today: datetime.date
    program_exemptions: bool = True
    secrets_marked: bool = True


@record(kw_only=True)
class Rule:
    """
    name: kebab case, unique in the project; the policy's name in Pulumi.
    title: the required state, one sentence without a full stop.
    why: the cost of a violation.
    fix: the change to make.
    reads: resource types and facts that the check reads.
    enforcement: its level in the training pack.
    order: its position among rules of its level, in every list and report; those without one come last, by name.
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
        """Whether its findings are exemptible."""
        return False

    @property
    def mends_by(self) -> str | None:
        """The setting that level `remediate` writes; None if it has no remediation."""
        return None

    @property
    def settings(self) -> Mapping[str, Mapping[str, Any]]:
        """Name -> JSON schema of every setting in the pack's configuration."""
        return {EXEMPTIONS: _EXEMPTIONS} if self.accepts else {}


@record(kw_only=True)
class ResourceRule(Rule):
    check: Callable[[Resource], Iterable[Finding]]


@record(kw_only=True)
class StackRule(Rule):
    """
    config: name -> JSON schema of each setting in the pack's configuration.
    exemptible: False if accepting the finding makes no sense, as for a broken exemption.
    remedy: a setting of the rule, and what level `remediate` writes for it into one resource before its creation; None
        without a remediation.
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
    """The findings of one rule in one run.

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
