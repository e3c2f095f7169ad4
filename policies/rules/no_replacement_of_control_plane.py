"""No plan replaces the control plane."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.core.catalog.resource_types import CONTROL_PLANE
from gpucluster.policies.clouds.holdings import losses, types
from gpucluster.policies.engine.rule import ChangeRule, Changes, Enforcement, Finding, Severity


def check(changes: Changes) -> Iterator[Finding]:
    for _, finding in losses(changes, CONTROL_PLANE):
        yield finding


RULE: Final = ChangeRule(
    name="no-replacement-of-control-plane",
    title="No plan replaces a control plane",
    why="Every node, job, queue and claim is lost with it. The GPUs are released and requested again, with no "
    "guarantee of on-demand capacity, and are billed idle until the cluster is set up and the jobs have restarted "
    "from their checkpoints.",
    fix="Revert the change that forces the replacement, or give the resource an alias if only its name changed. To "
    "replace it on purpose: end the jobs, and accept it by an exemption with an end date.",
    reads=f"resources that a plan replaces, of types {types(CONTROL_PLANE)}",
    severity=Severity.CRITICAL,
    enforcement=Enforcement.MANDATORY,
    order=210,
    check=check,
)
