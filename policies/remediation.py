"""A stack rule that also mends single resources, as a Pulumi policy.

The SDK lets resource policies remediate and stack policies judge, and configures each by its name. So a rule that does
both is one policy of both kinds: level and configuration are one entry, and what cannot be mended is a finding of the
rule. A remediation is asked for one resource before it is made, when no component has registered anything: of all the
rule knows, it has the configuration only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, cast

from pulumi_policy import (
    Policy,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationPolicy,
)

from gpucluster.policies.edit import Edit
from gpucluster.program.readers.policy import provider_of, resource_of
from gpucluster.program.resources import Resource

__all__ = ["RemediatingPolicy"]

_TARGET: Final = "__target"
"""Key under which the SDK's wrappers give what they wrap: with secrets marked, and unknown values as they came."""

Remedy = Callable[[Resource, Resource | None, Mapping[str, Any]], Iterable[Edit]]


class RemediatingPolicy(StackValidationPolicy, ResourceValidationPolicy):
    """Judges the stack; at level `remediate` it first writes into each resource what `remedy` says."""

    def __init__(self, *, validate: Any, remedy: Remedy, **metadata: Any) -> None:
        Policy.__init__(self, **metadata)  # those of the two kinds pass their arguments on by position, to each other
        self._judge = validate
        self._remedy = remedy

    def validate(self, args: Any, report_violation: ReportViolation) -> Any:
        """Of one resource alone nothing is judged."""
        return None if isinstance(args, ResourceValidationArgs) else self._judge(args, report_violation)

    def has_validation(self) -> bool:
        return True

    def has_remediation(self) -> bool:
        return True

    def remediate(self, args: ResourceValidationArgs) -> Any:
        """All properties with the edits, None where there is nothing to write."""
        try:
            edits = list(self._remedy(resource_of(args), provider_of(args), args.get_config()))
            if not edits:
                return None
            properties: Any = args.props
            for edit in edits:
                properties = _with(properties, edit.place, edit.value)
        except Exception as error:  # the rule says what is still wrong; the error's text may hold a secret
            print(f"{self.name}: nothing written into {args.name}: {type(error).__name__}", flush=True)
            return None
        return properties


def _with(properties: Any, place: tuple[str | int, ...], value: Any) -> Any:
    """The properties with `value` merged in at `place`, and everything else as the engine sent it.

    TypeError where something on the way is neither a map nor a list, or is a secret as a whole.
    """
    raw = _raw(properties)
    step, *further = place or (None,)
    if step is None and isinstance(value, list) and isinstance(raw, list | None):
        return [*cast("list[Any]", raw or []), *cast("list[Any]", value)]
    if not isinstance(raw, Mapping | None) or isinstance(step, int):
        raise TypeError
    members = cast("Mapping[str, Any]", raw or {})
    if step is None:
        return {**members, **cast("Mapping[str, Any]", value)}
    return {**members, step: _with(members.get(step), tuple(further), value)}


def _raw(value: Any) -> Any:
    """What a wrapper of the SDK wraps."""
    while type(value).__module__.startswith("pulumi_policy") and hasattr(value, "__getitem__"):
        value = value[_TARGET]
    return value
