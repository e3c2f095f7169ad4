"""Every namespace states its Pod Security level."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.core.program.resources import UNKNOWN
from gpucluster.core.program.values import at
from gpucluster.policies.clouds.label_sets import labels_at
from gpucluster.policies.engine.rule import CannotTell, Finding, Framework, Severity, Stack, StackRule, Violation

_NAMESPACE: Final = "kubernetes:core/v1:Namespace"
_LABEL: Final = "pod-security.kubernetes.io/enforce"
_LEVELS: Final = ("privileged", "baseline", "restricted")


def check(stack: Stack) -> Iterator[Finding]:
    for namespace in stack.resources.of_type(_NAMESPACE):
        labels = labels_at(at(namespace.inputs, "metadata", "labels"))
        level = UNKNOWN if labels is UNKNOWN else labels.get(_LABEL)
        if level is UNKNOWN:
            yield CannotTell(namespace, f"its label {_LABEL} is not known yet")
        elif level is None:
            yield Violation(namespace, f"no label {_LABEL}: the API server admits privileged pods")
        elif level not in _LEVELS:
            yield Violation(namespace, f"a label {_LABEL} that is not one of {', '.join(_LEVELS)}")


RULE: Final = StackRule(
    name="namespaces-state-pod-security",
    title="Every namespace sets its Pod Security level",
    why="Without the label every pod is admitted, privileged ones too: one job's image is then root on the machine "
    "and reads all other jobs' data.",
    fix=f"Label the namespace {_LABEL}: baseline or restricted, and privileged only where the containers of the GPU "
    "fabric must be privileged.",
    reads=_NAMESPACE,
    severity=Severity.MEDIUM,
    order=180,
    frameworks=(
        Framework(
            name="Kubernetes documentation",
            specification="Pod Security Admission",
            reference="https://kubernetes.io/docs/concepts/security/pod-security-admission/",
        ),
    ),
    check=check,
)
