"""Automatic repair of broken nodes of a node group by EKS."""

from __future__ import annotations

from typing import Final

from pulumi_aws import eks

from gpucluster.components.aws.node_health import HARDWARE, UNHARMED

# The service requires a number even if it does nothing; this is its default.
_MINUTES: Final = 10


def node_repair(*, enabled: bool) -> eks.NodeGroupNodeRepairConfigArgs:
    """Broken nodes are rebooted or replaced, except for faults that harm no other program.

    Source: Amazon EKS user guide dbc0b729, node-repair ("nodeRepairConfigOverrides").
    """
    if not enabled:
        return eks.NodeGroupNodeRepairConfigArgs(enabled=False)
    return eks.NodeGroupNodeRepairConfigArgs(
        enabled=True,
        node_repair_config_overrides=[
            eks.NodeGroupNodeRepairConfigNodeRepairConfigOverrideArgs(
                node_monitoring_condition=HARDWARE,
                node_unhealthy_reason=reason,
                min_repair_wait_time_mins=_MINUTES,
                repair_action="NoAction",
            )
            for reason in UNHARMED
        ],
    )
