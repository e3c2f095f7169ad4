"""No container has the whole machine, but those that prepare a GPU node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.kubernetes.privileged import NODE_DAEMONS, identity, privileged_containers
from gpucluster.policies.label_sets import labels_at
from gpucluster.policies.rule import Accepted, CannotTell, Finding, Severity, Stack, StackRule, Violation
from gpucluster.program.resources import UNKNOWN

__all__ = ["RULE"]


def check(stack: Stack) -> Iterator[Finding]:
    allowed = {**NODE_DAEMONS, **_configured(stack)}
    for resource in stack.resources:
        if not resource.custom or not resource.type.startswith("kubernetes:"):
            continue
        names = privileged_containers(resource)
        reason = allowed.get(identity(resource) or "")
        if names is UNKNOWN:
            if reason is None:
                yield CannotTell(resource, "whether its containers are privileged is not known yet")
        elif names:
            what = f"privileged container{'s' if len(names) > 1 else ''} {', '.join(f'`{name}`' for name in names)}"
            yield Violation(resource, what) if reason is None else Accepted(resource, what, reason)


def _configured(stack: Stack) -> dict[str, str]:
    allowed = labels_at(stack.config.get("allowed"))
    return {} if allowed is UNKNOWN else {name: str(reason) for name, reason in allowed.items()}


RULE: Final = StackRule(
    name="no-privileged-containers",
    title="Containers are not privileged, but for those that prepare GPU nodes",
    why="A privileged container is root on its machine: one compromised image reads every job's data and credentials "
    "there, and the labels and limits of its namespace do not hold it.",
    fix="Take securityContext.privileged away and ask for the devices and capabilities it needs; a daemon that cannot "
    "do without is named in the rule's setting `allowed`, or in an exemption with an end date.",
    reads="containers of every Kubernetes object the program declares; not of charts, rendered in the cluster",
    severity=Severity.HIGH,
    check=check,
    config={
        "allowed": {
            "type": "object",
            "description": "`kind namespace/name` of further objects that may be privileged -> the reason, e.g. "
            '{"DaemonSet monitoring/node-agent": "reads performance counters"}',
            "additionalProperties": {"type": "string"},
        },
    },
)
