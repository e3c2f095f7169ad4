"""The control plane is open to listed networks only, not to everybody."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.per_cloud import stack_checks
from gpucluster.policies.rule import Severity, StackRule

RULE: Final = StackRule(
    name="control-plane-not-open",
    title="The API of a Kubernetes cluster is not open to the whole internet",
    why="One leaked token, or one flaw of the API server, gives every GPU you pay for to anyone, from anywhere. "
    "Ranges count together: one in 32 of all addresses (eight networks of /8) is as good as open.",
    severity=Severity.HIGH,
    order=110,
    **stack_checks(__name__),
)
