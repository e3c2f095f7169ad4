"""A machine's credentials are not given to whoever sends it a request."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.clouds.hidden import with_hidden
from gpucluster.policies.rule import Severity, Stack, StackRule

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud(Stack, __name__)

RULE: Final = StackRule(
    name="metadata-needs-token",
    title="The metadata service requires a token or header",
    why="A notebook or job that can be tricked into fetching an address gets the node's credentials there, and with "
    "them images, buckets and more machines.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.HIGH,
    order=140,
    check=with_hidden(_JUDGED.check, _JUDGED.reads, types=False, template=True),
)
