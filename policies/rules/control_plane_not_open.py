"""The control plane answers to networks that are named, not to everybody."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.rule import Severity, Stack, StackRule

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud(Stack, __name__)

RULE: Final = StackRule(
    name="control-plane-not-open",
    title="The API of a Kubernetes cluster is not open to the whole internet",
    why="Whoever gets hold of one token, or of one flaw of the API server, has every GPU that is paid for, from "
    "anywhere.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.HIGH,
    check=_JUDGED.check,
)
