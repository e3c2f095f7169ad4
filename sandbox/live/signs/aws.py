"""Signs of EKS about its machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpucluster.sandbox.clouds.ledger import Entry
from gpucluster.sandbox.live.signs.sign import Condition, Sign
from gpucluster.sandbox.type_guards import mapping

_CAPACITY: Final = "eks.amazonaws.com/capacityType"


def interruption(node: Mapping[str, Any]) -> Sign | None:
    """Only for Spot machines and Karpenter's; AWS does not notify a cluster of the maintenance of other machines.

    Sources: Amazon EKS user guide, managed-node-groups ("Managed node group capacity types");
    aws/karpenter-provider-aws v1.14.1, pkg/controllers/interruption/controller.go (it deletes the NodeClaim).
    """
    labels = mapping(mapping(node.get("metadata")).get("labels"))
    if "karpenter.sh/nodepool" in labels:
        return Sign(says="Karpenter reads the notice from its queue and deletes the NodeClaim", claim=True)
    if labels.get(_CAPACITY) == "SPOT":
        return Sign(says="EKS drains the node within the two minutes of a Spot notice", drains=True)
    return None


def broken(node: Mapping[str, Any], entries: Sequence[Entry]) -> Sequence[Condition]:
    """A GPU that has fallen off the bus, as reported by the EKS node monitoring agent. entries: all of the ledger.

    Source: aws/eks-node-monitoring-agent, the reasons NvidiaXID<code>Error of AcceleratedHardwareReady.
    """
    del node
    if not any(entry.inputs.get("addonName") == "eks-node-monitoring-agent" for entry in entries):
        return ()
    message = "XID 79: GPU has fallen off the bus"
    return (Condition(type="AcceleratedHardwareReady", status="False", reason="NvidiaXID79Error", message=message),)
