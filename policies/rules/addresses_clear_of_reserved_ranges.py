"""Networks keep clear of the address ranges that the cloud itself uses."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.rule import Severity, Stack, StackRule

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud(Stack, __name__)

RULE: Final = StackRule(
    name="addresses-clear-of-reserved-ranges",
    title="Networks, pods and services keep clear of the address ranges the cloud uses itself",
    why="Packets to such an address end in the cloud's own network: nodes start and are billed, and some of them do "
    "not reach each other. The ranges of a cluster can't be changed later.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.HIGH,
    check=_JUDGED.check,
)
