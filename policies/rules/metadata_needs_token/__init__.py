"""A machine does not give its credentials to every requester."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.hidden import with_hidden
from gpucluster.policies.clouds.per_cloud import stack_checks
from gpucluster.policies.rule import Severity, StackRule

RULE: Final = StackRule(
    name="metadata-needs-token",
    title="The metadata service requires a token or header",
    why="A notebook or job that can be tricked into fetching an address gets the node's credentials there, and with "
    "them images, buckets and more machines.",
    severity=Severity.HIGH,
    order=140,
    **with_hidden(stack_checks(__name__), types=False, template=True),
)
