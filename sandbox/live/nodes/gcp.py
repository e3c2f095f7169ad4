"""Nodes of GKE: the machines of its node pools, and GKE's changes to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from gpucluster.core.catalog.machines import Machine
from gpucluster.core.catalog.mig import slices_of
from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.clouds.types.values import plain
from gpucluster.sandbox.live.nodes.manifest import Condition, Sign
from gpucluster.sandbox.live.nodes.pool import (
    EVICTION_MIB,
    GPU,
    LEAVES,
    Host,
    Pool,
    Reserve,
    digits,
    in_steps,
    machine_of,
    most,
    objects_of,
    steps_of_cores,
)

_NODE_POOL: Final = "gcp:container/nodePool:NodePool"
# Source: cloudpilot-ai/karpenter-provider-gcp, pkg/operator/options/options.go (VM_MEMORY_OVERHEAD_PERCENT).
_UNSEEN: Final = 0.07
# Reserved thousandths of each part of the memory, with the part's upper bound in GiB.
# Source: GKE documentation, "Plan GKE Standard node sizes".
_MEMORY: Final = ((4, 250), (8, 200), (16, 100), (128, 60), (None, 20))
_EFFECTS: Final = {"NO_SCHEDULE": "NoSchedule", "NO_EXECUTE": "NoExecute", "PREFER_NO_SCHEDULE": "PreferNoSchedule"}
_LABEL: Final = "cloud.google.com"


def pools(entries: Sequence[Entry], cluster: Entry, more: Sequence[Mapping[str, str]] = ()) -> Iterator[Pool]:
    """The node pools of a cluster. entries: all of the ledger. more: taints, all of which GKE's plugins tolerate."""
    del more
    networks = _networks(entries, f"https://{cluster.outputs.get('endpoint')}")
    for entry in entries:
        if entry.type == _NODE_POOL and entry.id.startswith(f"{cluster.id}/nodePools/"):
            yield _pool(entry, mapping(plain(entry.outputs)), networks)


def _networks(entries: Sequence[Entry], scope: str) -> dict[str, str]:
    """Subnet -> name of the Network object that pods use to request an interface in it."""
    parameters = objects_of(entries, scope, "GKENetworkParamSet")
    return {
        str(mapping(it.get("spec")).get("vpcSubnet")): str(mapping(it.get("metadata")).get("name")) for it in parameters
    }


def _pool(entry: Entry, pool: Mapping[str, Any], networks: Mapping[str, str]) -> Pool:
    config = mapping(pool.get("nodeConfig"))
    machine_type = str(config.get("machineType") or "e2-medium")
    machine = machine_of(machine_type)
    zones = [str(zone) for zone in items(pool.get("nodeLocations"))]
    gpus = mapping(next(iter(items(config.get("guestAccelerators"))), None))
    pods = int(pool.get("maxPodsPerNode") or 110)
    return Pool(
        key=entry.name,
        machine_type=machine_type,
        # For each zone.
        size=entry.started(int(pool.get("nodeCount") or pool.get("initialNodeCount") or 0) * len(zones)),
        zones=zones,
        labels=_labels(entry.name, pool, config, gpus, machine_type, pods),
        taints=[_taint(mapping(taint)) for taint in items(config.get("effectiveTaints") or config.get("taints"))],
        pods=pods,
        disk_gib=_disk_gib(config, machine),
        devices=_devices(pool, gpus, machine, networks),
        reserve=Reserve(
            unseen=_UNSEEN,
            millicores=steps_of_cores(machine.vcpus if machine else 0),
            memory=int(in_steps(machine.memory_gib if machine else 0, _MEMORY) * 1_024) + EVICTION_MIB,
        ),
        version=f"v{pool.get('version')}",
        host=lambda ordinal: _host(entry, pool, zones[ordinal % len(zones)], ordinal),
        scaled=pool.get("autoscaling") is not None,
    )


def _taint(taint: Mapping[str, Any]) -> dict[str, str]:
    value = {"value": str(taint["value"])} if taint.get("value") else {}
    return {"key": str(taint.get("key")), **value, "effect": _EFFECTS[str(taint.get("effect"))]}


def _labels(
    name: str, pool: Mapping[str, Any], config: Mapping[str, Any], gpus: Mapping[str, Any], machine_type: str, pods: int
) -> dict[str, str]:
    """The labels of the pool and of GKE.

    Sources: kubectl describe node of GKE 1.25 to 1.32 in public bug reports (kubernetes/kubernetes 111968 and others);
    GKE documentation, "Run GPUs in GKE Standard node pools".
    """
    region = str(pool.get("location"))
    accelerator = {
        f"{_LABEL}/gke-accelerator": gpus.get("type"),
        f"{_LABEL}/gke-gpu-partition-size": gpus.get("gpuPartitionSize"),
    }
    return {
        **{str(key): str(value) for key, value in mapping(config.get("labels")).items()},
        f"{_LABEL}/gke-nodepool": name,
        f"{_LABEL}/machine-family": machine_type.partition("-")[0],
        f"{_LABEL}/gke-boot-disk": str(config.get("diskType")),
        f"{_LABEL}/gke-container-runtime": "containerd",
        f"{_LABEL}/gke-os-distribution": "cos",
        f"{_LABEL}/gke-max-pods-per-node": str(pods),
        f"{_LABEL}/gke-provisioning": "spot" if config.get("spot") else "standard",
        **({f"{_LABEL}/gke-spot": "true"} if config.get("spot") else {}),
        **({f"{_LABEL}/gke-ephemeral-storage-local-ssd": "true"} if _local(config) else {}),
        **{key: str(value) for key, value in accelerator.items() if value},
        "topology.kubernetes.io/region": region,
    }


def _local(config: Mapping[str, Any]) -> bool:
    return bool(mapping(config.get("ephemeralStorageLocalSsdConfig")).get("localSsdCount"))


def _disk_gib(config: Mapping[str, Any], machine: object) -> int:
    """Local SSDs if they are for the kubelet, else the boot disk."""
    if _local(config) and isinstance(machine, Machine):
        return machine.nvme_gb * 10**9 // 2**30
    return int(config.get("diskSizeGb") or 100)


def _devices(
    pool: Mapping[str, Any], gpus: Mapping[str, Any], machine: object, networks: Mapping[str, str]
) -> dict[str, str]:
    """GKE's own plugin reports a slice under the name of a GPU; each additional interface is its own resource.

    Sources: GKE documentation, "Run multi-instance GPUs"; kubernetes/cloud-provider-gcp, the resources
    networking.gke.io.networks/NAME of a node.
    """
    found: dict[str, str] = {}
    # Without this setting, someone else has to install the driver, and with it the plugin's devices.
    driver = mapping(gpus.get("gpuDriverInstallationConfig")).get("gpuDriverVersion")
    if isinstance(machine, Machine) and driver not in (None, "INSTALLATION_DISABLED"):
        size = gpus.get("gpuPartitionSize")
        each = next((most(found) for found in slices_of(machine.gpu) if found.size == size), 1)
        found[GPU] = str(int(gpus.get("count") or 0) * each)
    for item in items(mapping(pool.get("networkConfig")).get("additionalNodeNetworkConfigs")):
        name = networks.get(str(mapping(item).get("subnetwork")))
        if name is not None:
            found[f"networking.gke.io.networks/{name}"] = "1"
    return found


def _host(entry: Entry, pool: Mapping[str, Any], zone: str, ordinal: int) -> Host:
    """Its name is its zone's instance group and four more characters."""
    groups = [
        str(url).rsplit("/", 1)[-1] for url in items(pool.get("instanceGroupUrls")) if f"/zones/{zone}/" in str(url)
    ]
    group = (groups or [f"gke-{entry.name}-{digits(entry.id, zone, length=8)}"])[0].removesuffix("-grp")
    name = f"{group}-{digits(entry.id, ordinal, length=4)}"
    project = str(pool.get("project"))
    return Host(
        name=name,
        provider_id=f"gce://{project}/{zone}/{name}",
        # Not every network declares a range for nodes; nothing here reads the address.
        address=f"10.128.{int(digits(entry.id, length=2), 16)}.{ordinal % 250 + 2}",
        labels={"topology.gke.io/zone": zone, **_nearness(entry, pool, ordinal)},
    )


def _nearness(entry: Entry, pool: Mapping[str, Any], ordinal: int) -> dict[str, str]:
    """Block, sub-block and host of machines that are placed together by a compact placement or a reservation.

    Source: GKE documentation, "Schedule GKE workloads with Topology Aware Scheduling".
    """
    placed = mapping(pool.get("placementPolicy")).get("type") == "COMPACT"
    affinity = mapping(mapping(pool.get("nodeConfig")).get("reservationAffinity"))
    if not placed and affinity.get("consumeReservationType") != "SPECIFIC_RESERVATION":
        return {}
    leaf = ordinal % LEAVES
    return {
        f"{_LABEL}/gce-topology-block": digits("block", entry.id, length=32),
        f"{_LABEL}/gce-topology-subblock": digits("subblock", entry.id, leaf, length=32),
        f"{_LABEL}/gce-topology-host": digits("host", entry.id, ordinal, length=32),
    }


def interruption(node: Mapping[str, Any]) -> Sign | None:
    """Maintenance of the host, which ends every machine with GPUs: GKE stops the pods and prevents new ones.

    Sources: GKE documentation, "Manage disruption to GKE nodes that use GPUs or TPUs"; GoogleCloudPlatform/
    k8s-node-termination-handler, main.go (taint).
    """
    if "karpenter.sh/nodepool" in mapping(mapping(node.get("metadata")).get("labels")):
        return Sign(notice="Karpenter sees the preemption and deletes the NodeClaim", claim=True)
    return Sign(
        notice="GKE marks the maintenance as ongoing, keeps new pods away and stops those of the node",
        labels={f"{_LABEL}/active-node-maintenance": "ONGOING"},
        taints=[{"key": f"{_LABEL}/impending-node-termination", "effect": "NoSchedule"}],
        drains=True,
    )


def broken(node: Mapping[str, Any], entries: Sequence[Entry]) -> Sequence[Condition]:
    """A GPU that has fallen off the bus, as reported by GKE's device plugin.

    Source: GoogleCloudPlatform/container-engine-accelerators, pkg/gpu/nvidia/health_check (XidCriticalError).
    """
    del node, entries
    return (Condition(type="XidCriticalError", status="True", reason='{"79":true}'),)
