"""No container has full access to its host, except those that prepare a GPU node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.kubernetes.node_daemons import Allowed, allowed_daemons, identity, images_of
from gpucluster.policies.clouds.kubernetes.privileged import privileges
from gpucluster.policies.clouds.kubernetes.rendered import unrendered
from gpucluster.policies.rule import Accepted, CannotTell, Enforcement, Finding, Severity, Stack, StackRule, Violation
from gpucluster.program.resources import UNKNOWN, Resource


def check(stack: Stack) -> Iterator[Finding]:
    yield from unrendered(stack.resources)
    allowed = allowed_daemons(stack.config.get("allowed"))
    for resource in stack.resources:
        if not resource.custom or not resource.type.startswith("kubernetes:"):
            continue
        asked = privileges(resource)
        by_name = allowed.get(identity(resource) or "")
        if asked is UNKNOWN:
            if by_name is None:
                yield CannotTell(resource, "whether its containers are privileged is not known yet")
        elif asked:
            yield _judged(resource, "; ".join(asked), by_name)


def _judged(resource: Resource, what: str, by_name: Allowed | None) -> Finding:
    """A name is not enough to accept anything: anybody who can declare an object can choose its name."""
    if by_name is None:
        return Violation(resource, what)
    images = images_of(resource)
    foreign = [image for image in images if image is not UNKNOWN and image not in by_name.images]
    if foreign:
        return Violation(
            resource, f"{what}; allowed by name, but not with an image from {', '.join(dict.fromkeys(foreign))}"
        )
    if UNKNOWN in images:
        return CannotTell(resource, f"{what}; allowed by name, with an image that is not known yet")
    return Accepted(resource, what, by_name.reason)


RULE: Final = StackRule(
    name="no-privileged-containers",
    title="No privileged containers except those that prepare GPU nodes",
    why="A privileged container, or one with access to the machine's processes, files or kernel, is root on the "
    "machine: one compromised image reads every job's data and credentials there, and the labels and limits of its "
    "namespace do not contain it.",
    fix="Remove securityContext.privileged, the capabilities, host namespaces and hostPath, and request the devices "
    "it needs; list a daemon that needs them in the rule's setting `allowed`, with the repositories of its images, or "
    "in an exemption with an end date.",
    reads="pods in every Kubernetes object that the program declares, and the values of charts; not objects that a "
    "chart renders in the cluster",
    severity=Severity.HIGH,
    enforcement=Enforcement.MANDATORY,
    order=140,
    check=check,
    config={
        "allowed": {
            "type": "object",
            "description": "`kind namespace/name` of further objects that may be privileged, with the reason and the "
            "repositories of all their images, without tags, e.g. "
            '{"DaemonSet monitoring/node-agent": {"reason": "reads performance counters", "images": '
            '["registry.example.com/node-agent"]}}',
            "additionalProperties": {"type": "object", "required": ["reason", "images"]},
        },
    },
)
