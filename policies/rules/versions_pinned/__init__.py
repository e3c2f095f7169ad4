"""Versions in the cluster do not change without an update."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.kubernetes.charts import RELEASES
from gpucluster.policies.clouds.kubernetes.rendered import unrendered
from gpucluster.policies.clouds.kubernetes.versions import NODE_CLASS, unpinned
from gpucluster.policies.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation


def check(stack: Stack) -> Iterator[Finding]:
    yield from unrendered(stack.resources)
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
    why="A floating version changes at the next restart: another driver, plugin or fabric library stops a weeks-long "
    "job on every node at once, and no plan shows the change.",
    fix="Give charts a full version such as 1.2.3, not a range; images a digest, or a tag with a full version, year "
    "and month (25.03) or commit; and the alias of an EC2NodeClass a date instead of @latest.",
    reads=f"containers of every Kubernetes object the program declares; {', '.join(RELEASES)}, {NODE_CLASS}",
    severity=Severity.MEDIUM,
    order=170,
    check=check,
)
