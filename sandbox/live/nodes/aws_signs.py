"""Signs of EKS about its machines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.clouds.types.values import plain
from gpucluster.sandbox.live.nodes.pool import comes_to
from gpucluster.sandbox.live.nodes.signs import Condition, Sign

_CAPACITY: Final = "eks.amazonaws.com/capacityType"
_AGENT: Final = "eks-node-monitoring-agent"


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

    The agent runs on every node. It learns of GPUs only from the add-on's dcgm-server on the same node; if the node's
    taints keep that away, it reports this and no XID.
    Source: aws/eks-node-monitoring-agent v1.6.4, charts/eks-node-monitoring-agent (values.yaml, dcgm-daemonset.yaml),
    monitors/nvidia/dcgm/dcgm_reconcile.go, pkg/reasons/reasons.yaml.
    """
    addon = next((entry.inputs for entry in entries if entry.inputs.get("addonName") == _AGENT), None)
    if addon is None:
        return ()
    server = mapping(mapping(json.loads(plain(addon.get("configurationValues")) or "{}")).get("dcgmAgent"))
    # DaemonSets tolerate what Kubernetes itself writes, such as a cordon.
    taints = [
        {key: str(value) for key, value in mapping(taint).items()}
        for taint in items(mapping(node.get("spec")).get("taints"))
        if not str(mapping(taint).get("key")).startswith("node.kubernetes.io/")
    ]
    reason, message = "NvidiaXID79Error", "XID 79: GPU has fallen off the bus"
    if not comes_to({"tolerations": server.get("tolerations")}, {}, taints):
        reason, message = "DCGMError", "dcgm-server does not run on this node: it tolerates too few of its taints"
    return (Condition(type="AcceleratedHardwareReady", status="False", reason=reason, message=message),)
