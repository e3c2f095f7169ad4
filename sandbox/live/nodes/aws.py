"""Nodes of EKS: the machines of its managed node groups, and EKS's changes to them."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from ipaddress import ip_network
from typing import Any, Final

from gpucluster.core.catalog.kubernetes_versions import eks_pods
from gpucluster.core.catalog.machines import CpuMachine, Machine
from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.clouds.types.values import plain
from gpucluster.sandbox.live.nodes.manifest import Condition, Sign
from gpucluster.sandbox.live.nodes.pool import (
    EVICTION_MIB,
    LEAVES,
    Host,
    Pool,
    Reserve,
    comes_to,
    digits,
    gpu_resources,
    machine_of,
    releases,
    steps_of_cores,
)

_NODE_GROUP: Final = "aws:eks/nodeGroup:NodeGroup"
_TEMPLATE: Final = "aws:ec2/launchTemplate:LaunchTemplate"
_SUBNET: Final = "aws:ec2/subnet:Subnet"

# Share of memory that is invisible to a guest. Source: aws/karpenter-provider-aws, pkg/operator/options/options.go
# (VM_MEMORY_OVERHEAD_PERCENT).
_UNSEEN: Final = 0.075
# Huge pages of 2 MiB that a node with EFA reserves. Source: Amazon EKS user guide, node-efa.
_HUGE_PAGES_MIB: Final = 5_128 * 2
_EFFECTS: Final = {"NO_SCHEDULE": "NoSchedule", "NO_EXECUTE": "NoExecute", "PREFER_NO_SCHEDULE": "PreferNoSchedule"}
_SLICES: Final = re.compile(r"nvidia-smi mig .*-cgi (?P<sizes>[\w.,]+)")
_RESERVED_ADDRESSES: Final = 4


def pools(entries: Sequence[Entry], cluster: Entry, more: Sequence[Mapping[str, str]] = ()) -> Iterator[Pool]:
    """The node groups of a cluster. entries: all of the ledger. more: taints that count for device plugins."""
    scope = str(cluster.outputs.get("endpoint"))
    charts = releases(entries, scope)
    by_id = {entry.id: entry for entry in entries if entry.type in (_TEMPLATE, _SUBNET)}
    for entry in entries:
        group = mapping(plain(entry.outputs))
        if entry.type == _NODE_GROUP and group.get("clusterName") == cluster.name:
            yield _pool(entry, group, by_id, charts, more)


def _pool(
    entry: Entry,
    group: Mapping[str, Any],
    by_id: Mapping[str, Entry],
    charts: Mapping[str, Mapping[str, Any]],
    more: Sequence[Mapping[str, str]],
) -> Pool:
    wanted = mapping(group.get("launchTemplate"))
    found = by_id.get(str(wanted.get("id")))
    template = mapping(plain(found.outputs) if found is not None else None)
    subnets = [mapping(plain(by_id[str(id_)].outputs)) for id_ in items(group.get("subnetIds")) if id_ in by_id]
    machine_type = str(template.get("instanceType") or next(iter(items(group.get("instanceTypes"))), ""))
    name, region = str(group.get("nodeGroupName")), str(group.get("region"))
    labels = {
        **{str(key): str(value) for key, value in mapping(group.get("labels")).items()},
        "eks.amazonaws.com/nodegroup": name,
        "eks.amazonaws.com/capacityType": str(group.get("capacityType")),
        "eks.amazonaws.com/sourceLaunchTemplateId": str(wanted.get("id")),
        "eks.amazonaws.com/sourceLaunchTemplateVersion": str(wanted.get("version")),
        "topology.kubernetes.io/region": region,
    }
    taints = [_taint(mapping(taint)) for taint in items(group.get("taints"))]
    pods = eks_pods(machine_type)
    machine = machine_of(machine_type)
    return Pool(
        key=name,
        machine_type=machine_type,
        size=entry.started(int(mapping(group.get("scalingConfig")).get("desiredSize") or 0)),
        zones=[str(subnet.get("availabilityZone")) for subnet in subnets],
        labels=labels,
        taints=taints,
        pods=pods,
        disk_gib=_disk_gib(template, machine),
        devices=_devices(template, machine, charts, labels, [*taints, *more]),
        reserve=reserve(machine, pods),
        version=f"v{group.get('version')}.0",
        host=lambda ordinal: _host(entry, machine, region, subnets[ordinal % len(subnets)], ordinal),
    )


def reserve(machine: Machine | CpuMachine | None, pods: int) -> Reserve:
    """EKS's reserved resources of a machine. pods: the maximum of one node."""
    return Reserve(
        unseen=_UNSEEN,
        millicores=steps_of_cores(machine.vcpus if machine else 0),
        # Source: awslabs/amazon-eks-ami 81fec2e8, nodeadm/internal/kubelet/config.go.
        memory=255 + 11 * pods + EVICTION_MIB,
    )


def _taint(taint: Mapping[str, Any]) -> dict[str, str]:
    value = {"value": str(taint["value"])} if taint.get("value") else {}
    return {"key": str(taint.get("key")), **value, "effect": _EFFECTS[str(taint.get("effect"))]}


def _host(group: Entry, machine: object, region: str, subnet: Mapping[str, Any], ordinal: int) -> Host:
    """Its name is derived from its address, as by EKS for nodes without InstanceIdNodeName."""
    network = ip_network(str(subnet.get("cidrBlock")))
    free = network.num_addresses - _RESERVED_ADDRESSES - 1
    address = str(network[_RESERVED_ADDRESSES + int(digits(group.id, ordinal, length=8), 16) % free])
    zone = str(subnet.get("availabilityZone"))
    domain = "ec2.internal" if region == "us-east-1" else f"{region}.compute.internal"
    return Host(
        name=f"ip-{address.replace('.', '-')}.{domain}",
        provider_id=f"aws:///{zone}/i-{digits('instance', group.id, ordinal, length=17)}",
        address=address,
        labels={"topology.k8s.aws/zone-id": str(subnet.get("availabilityZoneId")), **_nearness(machine, zone, ordinal)},
    )


def _nearness(machine: object, zone: str, ordinal: int) -> dict[str, str]:
    """Network nodes from the widest layer down to the leaf switch, none for machines without layers.

    Source: Amazon EKS user guide, ml-workload-topology.
    """
    layers = machine.network_layers if isinstance(machine, Machine) else 0
    places = [("network", zone, layer, ordinal % LEAVES if layer == layers else 0) for layer in range(1, layers + 1)]
    return {
        f"topology.k8s.aws/network-node-layer-{layer}": f"nn-{digits(*place, length=17)}"
        for layer, place in enumerate(places, 1)
    }


def _user_data(template: Mapping[str, Any]) -> str:
    return base64.b64decode(str(template.get("userData") or "")).decode(errors="replace")


def _disk_gib(template: Mapping[str, Any], machine: object) -> int:
    """Local disks if they are combined into one, which the kubelet then uses, else the root disk.

    Source: awslabs/amazon-eks-ami, nodeadm/doc/api.md (LocalStorageOptions).
    """
    if isinstance(machine, Machine) and "strategy: RAID0" in _user_data(template):
        return machine.nvme_gb * 10**9 // 2**30
    [root, *_] = [mapping(mapping(item).get("ebs")) for item in items(template.get("blockDeviceMappings"))] or [{}]
    return int(root.get("volumeSize") or 20)


def _devices(
    template: Mapping[str, Any],
    machine: object,
    charts: Mapping[str, Mapping[str, Any]],
    labels: Mapping[str, str],
    taints: Sequence[Mapping[str, str]],
) -> dict[str, str]:
    """GPUs from NVIDIA's plugin, interfaces from the EFA plugin; the image configures huge pages."""
    found: dict[str, str] = {}
    if not isinstance(machine, Machine):
        return found
    gpus, efa = charts.get("nvidia-device-plugin"), charts.get("aws-efa-k8s-device-plugin")
    if gpus is not None and comes_to(gpus, labels, taints):
        sizes = (_SLICES.search(_user_data(template)) or {"sizes": ""})["sizes"].split(",")
        slices = {size: sizes.count(size) for size in sizes if size}
        found |= gpu_resources(machine, slices, str(gpus.get("migStrategy") or "none"))
    cards = sum("efa" in str(mapping(item).get("interfaceType")) for item in items(template.get("networkInterfaces")))
    if cards:
        found["hugepages-2Mi"] = f"{_HUGE_PAGES_MIB}Mi"
        if efa is not None and comes_to(efa, labels, taints):
            found["vpc.amazonaws.com/efa"] = str(cards)
    return found


_CAPACITY: Final = "eks.amazonaws.com/capacityType"
_AGENT: Final = "eks-node-monitoring-agent"


def interruption(node: Mapping[str, Any]) -> Sign | None:
    """Only for Spot machines and Karpenter's; AWS does not notify a cluster of the maintenance of other machines.

    Sources: Amazon EKS user guide, managed-node-groups ("Managed node group capacity types");
    aws/karpenter-provider-aws v1.14.1, pkg/controllers/interruption/controller.go (it deletes the NodeClaim).
    """
    labels = mapping(mapping(node.get("metadata")).get("labels"))
    if "karpenter.sh/nodepool" in labels:
        return Sign(notice="Karpenter reads the notice from its queue and deletes the NodeClaim", claim=True)
    if labels.get(_CAPACITY) == "SPOT":
        return Sign(notice="EKS drains the node within the two minutes of a Spot notice", drains=True)
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
