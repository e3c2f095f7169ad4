"""A machine's credentials are not given to whoever sends it a request."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.rule import Severity, Stack, StackRule

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud(Stack, __name__)

RULE: Final = StackRule(
    name="metadata-needs-token",
    title="The metadata service of a machine does not hand its credentials to any request",
    why="A notebook or a job that can be made to fetch an address fetches the node's own credentials there, and with "
    "them images, buckets and further machines.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.HIGH,
    check=_JUDGED.check,
)
