"""Nodes of one training pool stand close together."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.clouds.hidden import with_hidden
from gpucluster.policies.frameworks import AWS_PLACEMENT, AZURE_INFINIBAND, GKE_PLACEMENT
from gpucluster.policies.rule import Enforcement, Severity, Stack, StackRule

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud(Stack, __name__)

RULE: Final = StackRule(
    name="training-pool-in-one-domain",
    title="Nodes of one training pool share a co-location domain",
    why="Nodes in different parts of the data centre lose the fabric's bandwidth: every all-reduce waits, and with "
    "it every GPU you pay for.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.CRITICAL,
    enforcement=Enforcement.MANDATORY,
    order=10,
    frameworks=(AWS_PLACEMENT, GKE_PLACEMENT, AZURE_INFINIBAND),
    check=with_hidden(_JUDGED.check, _JUDGED.reads, template=True),
    config=_JUDGED.config,
)
