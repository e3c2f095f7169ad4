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
import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from gpucluster.core.program.readers.deletions import Deletion
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.policies.engine.exemptions import Exemption, Grant

EXEMPTIONS: Final = "exemptions"
_EXEMPTIONS: Final[Mapping[str, Any]] = {
    "type": "array",
    "description": "Findings to accept in a program whose components state no exemptions, each "
    '{"resource": NAME, URN or *, "reason": ..., "owner": ..., "until": the last day, YYYY-MM-DD, UTC}',
    "items": {"type": "object", "required": ["resource", "reason", "owner", "until"]},
}
_OURS: Final = "gpucluster:"
"""Start of the types of our components."""
_NAMED: Final = 20
"""Resources to name with the same problem."""


class Severity(enum.Enum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class Enforcement(enum.Enum):
    """ADVISORY: the finding is shown. MANDATORY: it also stops the preview and the update."""

    ADVISORY = "advisory"
    MANDATORY = "mandatory"


@dataclass(frozen=True, kw_only=True)
class Framework:
    """A published practice that a rule implements, e.g. AWS Well-Architected PERF04-BP06."""

    name: str
    specification: str
    reference: str


Place = tuple[str | int, ...]
"""Property names, as in the engine, and list indices, from the top of a resource's inputs."""


@dataclass(frozen=True)
class Edit:
    """The edit that fixes a finding, in the resource's own terms.

    place: the property to write, by the engine's names.
    value: the members to set in a map, or the elements to append to a list; a text that only the user can choose is
        empty.
    """

    place: Place
    value: Any

    @property
    def path(self) -> str:
        """The place as one path, e.g. `tagSpecifications[0].tags`."""
        steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.place)
        return steps.removeprefix(".")

    @property
    def snippet(self) -> str:
        """The value as JSON, to be pasted."""
        return json.dumps(self.value)


@dataclass(frozen=True)
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

    @property
    def kind(self) -> str:
        """The problem without its numbers: the same for 4 nodes and for 8, and for 1 node."""
        return re.sub(r"\b\d[\w.,]*|s\b", "", self.what)


@dataclass(frozen=True)
class CannotTell:
    """The rule needs a value that is unknown before the update or outside this stack; `what` names it."""

    resource: Resource | None
    what: str


@dataclass(frozen=True)
class NotChecked:
    """The program lacks the input that the rule compares with; `what` names it, e.g. `budget`."""

    what: str


@dataclass(frozen=True)
class Accepted:
    """A violation accepted by name in the rule's own list or its configuration; `reason` says why."""

    resource: Resource
    what: str
    reason: str


Finding = Violation | CannotTell | NotChecked | Accepted


@dataclass(frozen=True, kw_only=True)
class Stack:
    """The view of a stack rule.

    config: the rule's own configuration in the pack, for programs whose components register no facts.
    today: the date for checking exemptions.
    grant: which exemptions that the program registers count.
    before: the existing stack, if the source has it. tags: of the stack in Pulumi; only a policy pack receives them.
    secrets_marked: whether the source marks secrets, as files do; a policy receives them as plain text.
    """

    resources: Resources
    config: Mapping[str, Any] = field(default_factory=dict[str, Any])
    today: datetime.date
    grant: Grant = field(default_factory=Grant)
    before: Resources | None = None
    tags: Mapping[str, str] = field(default_factory=dict[str, str])
    secrets_marked: bool = True


@dataclass(frozen=True, kw_only=True)
class Changes:
    """The view of a change rule: deletions and replacements of a plan in an existing stack.

    ended: deleted and replaced resources.
    before: the existing stack.
    after: the stack after the update.
    """

    ended: Sequence[Deletion]
    before: Resources
    after: Resources

    def gone(self) -> Iterator[tuple[Deletion, Resource]]:
        """The ended resources, each in its existing form."""
        for ended in self.ended:
            if (old := self.before.get(ended.urn)) is not None:
                yield ended, old

    def made(self, type_: str) -> Resource | None:
        """The first new resource of a type."""
        return next((new for new in self.after.of_type(type_) if self.before.get(new.urn) is None), None)


@dataclass(frozen=True, kw_only=True)
class Rule:
    """
    name: kebab case, unique in the project; the policy's name in Pulumi.
    title: the required state, one sentence without a full stop.
    why: the cost of a violation.
    fix: the change to make.
    reads: resource types and facts that the check reads.
    spec: the field of a cluster's spec that decides, as far as one does.
    enforcement: its level in the training pack.
    order: its position among rules of its level, in every list and report; those without one come last, by name.
    folder: the one whose pack adds it, as `--pack` takes it; empty for a rule of this package.
    """

    name: str
    title: str
    why: str
    fix: str
    reads: str
    severity: Severity
    spec: str = ""
    frameworks: tuple[Framework, ...] = ()
    enforcement: Enforcement = Enforcement.ADVISORY
    order: int = 1000
    folder: str = ""

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


@dataclass(frozen=True, kw_only=True)
class ResourceRule(Rule):
    check: Callable[[Resource], Iterable[Finding]]


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True, kw_only=True)
class ChangeRule(Rule):
    check: Callable[[Changes], Iterable[Finding]]

    @property
    def accepts(self) -> bool:
        return True


@dataclass(frozen=True)
class Exempted:
    """A violation that an exemption accepts."""

    violation: Violation
    exemption: Exemption


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True, kw_only=True)
class ReportRule(Rule):
    """machines: sentences about the GPU machines of the stack, for the end of a preview."""

    check: Callable[[Sequence[Outcome], Stack], Iterable[Violation]]
    machines: Callable[[Sequence[Outcome], Stack], Iterable[str]] = lambda _, __: ()


def message(rule: Rule, violations: Sequence[Violation]) -> str:
    """All findings of a rule: what is wrong, why, fix. The Pulumi CLI itself prints the first one's resource, and only
    the title of a policy's fields.
    """
    fixes = dict.fromkeys(violation.fix or rule.fix for violation in violations)
    fix = next(iter(fixes)) if len(fixes) == 1 else rule.fix
    count = [f"{len(violations):,} findings"] if len(violations) > 1 else []
    what = wrong([(one.resource.name if one.resource else "the stack", one) for one in violations])
    return "\n".join([*count, *what, f"why: {rule.why}", f"fix: {fix}", f"see: {explained_by(rule)}"])


def wrong(named: Sequence[tuple[str, Violation]]) -> Iterator[str]:
    """What is wrong, after the names of its resources if there are several violations. named: each with its name."""
    for names, what in by_text((name, violation.what) for name, violation in named):
        yield f"{names}: {what}" if len(named) > 1 else what


def by_text(named: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """(its names, text) of each different text. named: (name, text)."""
    found: dict[str, list[str]] = {}
    for name, text in named:
        found.setdefault(text, []).append(name)
    for text, about in found.items():
        names = [*dict.fromkeys(about)]
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        yield f"{', '.join(names[:_NAMED])}{more}", text


def spec_field(rule: Rule, violation: Violation) -> str:
    """The field of a spec to edit for a finding; empty if no cluster of this package declares the resource."""
    about = violation.resource
    return rule.spec if about is None or in_own_cluster(about) else ""


def in_own_cluster(resource: Resource) -> bool:
    """Whether it is a component of this package, or inside of one: its URN has the types of all parents."""
    return any(type_.startswith(_OURS) for type_ in resource.urn.split("::")[2].split("$"))


def page_of(rule: Rule) -> str:
    """The section about the rule in this repository; of a company's rule, about those."""
    return "docs/plan/company-packs.md#rules" if rule.folder else f"docs/reference/rules.md#{rule.name}"


def explained_by(rule: Rule) -> str:
    """The command that explains the rule in any installation of the package."""
    return f"gpucluster guardrails explain {rule.name}{f' --pack {shlex.quote(rule.folder)}' if rule.folder else ''}"
