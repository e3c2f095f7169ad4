"""Automatic repair of broken nodes of a node group by EKS."""

from __future__ import annotations

from typing import Final

from pulumi_aws import eks

from gpucluster.components.aws.node_health import HARDWARE, UNHARMED

# The service requires a number even if it does nothing; this is its default.
_MINUTES: Final = 10


def node_repair(*, enabled: bool, most: int) -> eks.NodeGroupNodeRepairConfigArgs:
    """Broken nodes are rebooted or replaced, except for faults that harm no other program. most: broken nodes above
    which none is.

    Repair stops where `node-health` stops draining. Without a threshold EKS stops at 20 % too, but never in a group of
    five nodes or fewer; a percentage would end repair in groups of four, where one node is more. One at a time: if the
    new node breaks as well, that shows before the next one is replaced.
    Source: Amazon EKS user guide dbc0b729, node-repair (defaults, "maxUnhealthyNodeThresholdCount",
    "nodeRepairConfigOverrides").
    """
    if not enabled:
        return eks.NodeGroupNodeRepairConfigArgs(enabled=False)
    return eks.NodeGroupNodeRepairConfigArgs(
        enabled=True,
        max_unhealthy_node_threshold_count=most,
        max_parallel_nodes_repaired_count=1,
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
