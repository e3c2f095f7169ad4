"""What runs in the cluster is the same tomorrow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.kubernetes.versions import CHARTS, NODE_CLASS, unpinned
from gpucluster.policies.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation

__all__ = ["RULE"]


def check(stack: Stack) -> Iterator[Finding]:
    for resource in stack.resources:
        if not resource.type.startswith("kubernetes:"):
            continue
        found = unpinned(resource)
        if found.floating:
            yield Violation(resource, "; ".join(found.floating))
        if found.unknown:
            yield CannotTell(resource, f"{' and '.join(found.unknown)} not known yet")


RULE: Final = StackRule(
    name="versions-pinned",
    title="Charts, images and machine images are pinned to a version",
    why="What floats changes on the next restart: a driver, plugin or fabric library of another version stops a job "
    "that ran for weeks, on every node at once, and nothing in the plan shows it.",
    fix="Give charts a version, images a tag other than latest or a digest, and the alias of an EC2NodeClass a date "
    "instead of @latest.",
    reads=f"containers of every Kubernetes object the program declares; {', '.join(CHARTS)}, {NODE_CLASS}",
    severity=Severity.MEDIUM,
    check=check,
)
