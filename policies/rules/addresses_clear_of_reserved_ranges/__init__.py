"""Networks do not overlap address ranges that the cloud itself uses."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.hidden import with_hidden
from gpucluster.policies.clouds.per_cloud import stack_checks
from gpucluster.policies.rule import Enforcement, Severity, StackRule

RULE: Final = StackRule(
    name="addresses-clear-of-reserved-ranges",
    title="Networks, pods and services avoid the address ranges that the cloud reserves",
    why="Packets to such an address end in the cloud's own network: nodes start and are billed, and some of them do "
    "not reach each other. The ranges of a cluster can't be changed later.",
    severity=Severity.HIGH,
    enforcement=Enforcement.MANDATORY,
    order=60,
    **with_hidden(stack_checks(__name__), single=True),
)
