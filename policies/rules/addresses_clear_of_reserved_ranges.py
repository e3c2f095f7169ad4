"""Networks keep clear of the address ranges that the cloud itself uses."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.clouds.hidden import with_hidden
from gpucluster.policies.rule import Enforcement, Severity, Stack, StackRule

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud(Stack, __name__)

RULE: Final = StackRule(
    name="addresses-clear-of-reserved-ranges",
    title="Networks, pods and services avoid the address ranges that the cloud reserves",
    why="Packets to such an address end in the cloud's own network: nodes start and are billed, and some of them do "
    "not reach each other. The ranges of a cluster can't be changed later.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.HIGH,
    enforcement=Enforcement.MANDATORY,
    order=60,
    check=with_hidden(_JUDGED.check, _JUDGED.reads, single=True),
)
