"""Nodes of AKS: the machines of its agent pools, and AKS's changes to them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from gpucluster.core.catalog.fabrics import release_of
from gpucluster.core.catalog.machines import CpuMachine, Machine
from gpucluster.core.catalog.mig import slices_of
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
    layout,
    machine_of,
    most,
    objects_of,
    releases,
)

_AGENT_POOL: Final = "azure-native:containerservice:AgentPool"
# Source: Azure/karpenter-provider-azure, pkg/operator/options/options.go (VM_MEMORY_OVERHEAD_PERCENT).
_UNSEEN: Final = 0.075
# Cores of a machine -> reserved millicores; the page ends with 64.
# Source: AKS documentation, "Node resource reservations".
_CORES: Final = {1: 60, 2: 100, 4: 140, 8: 180, 16: 260, 32: 420, 64: 740}
PODS: Final = 250
"""Default maximum of one node."""

_LABEL: Final = "kubernetes.azure.com"
_SPOT: Final = f"{_LABEL}/scalesetpriority"
_ZONE: Final = "topology.kubernetes.io/"


def pools(entries: Sequence[Entry], cluster: Entry, more: Sequence[Mapping[str, str]] = ()) -> Iterator[Pool]:
    """The agent pools of a cluster, including those in its own inputs. entries: all of the ledger. more: taints that
    count for device plugins.
    """
    made = mapping(plain(cluster.outputs))
    scope = f"https://{made.get('fqdn')}:443"
    apart = {
        entry.name: {**(pool := mapping(plain(entry.outputs))), "count": entry.started(int(pool.get("count") or 0))}
        for entry in entries
        if entry.type == _AGENT_POOL and entry.id.lower().startswith(f"{cluster.id.lower()}/agentpools/")
    }
    inline = {str(pool["name"]): pool for pool in map(mapping, items(made.get("agentPoolProfiles")))}
    for name, pool in {**inline, **apart}.items():
        yield _pool(name, pool, made, cluster, entries, scope, more)


def _pool(
    name: str,
    pool: Mapping[str, Any],
    made: Mapping[str, Any],
    cluster: Entry,
    entries: Sequence[Entry],
    scope: str,
    more: Sequence[Mapping[str, str]],
) -> Pool:
    machine_type = str(pool.get("vmSize"))
    machine = machine_of(machine_type)
    region = str(made.get("location"))
    numbers = [str(zone) for zone in items(pool.get("availabilityZones"))]
    spot = str(pool.get("scaleSetPriority")) == "Spot"
    labels = {**_labels(name, pool, made, machine, spot=spot), **_features(entries, scope, machine)}
    taints = [*map(_taint, items(pool.get("nodeTaints")))]
    if spot:
        taints.append({"key": _SPOT, "value": "spot", "effect": "NoSchedule"})
    pods = int(pool.get("maxPods") or PODS)
    near = _nearness(entries, scope) if isinstance(machine, Machine) and machine.fabric == "InfiniBand" else []
    return Pool(
        key=name,
        machine_type=machine_type,
        size=int(pool.get("count") or 0),
        zones=[f"{region}-{number}" for number in numbers] or ["0"],
        labels=labels,
        taints=taints,
        pods=pods,
        disk_gib=int(pool.get("osDiskSizeGB") or 128),
        devices=_devices(pool, machine, labels, [*taints, *more], entries, scope),
        reserve=reserve(machine, pods),
        version=f"v{pool.get('currentOrchestratorVersion')}",
        host=lambda ordinal: _host(name, made, cluster, near, ordinal),
        scaled=pool.get("enableAutoScaling") is True,
    )


def reserve(machine: Machine | CpuMachine | None, pods: int) -> Reserve:
    """AKS's reserved resources of a machine. pods: the maximum of one node."""
    memory = machine.memory_gib * 1_024 if machine else 0
    return Reserve(
        unseen=_UNSEEN,
        millicores=max((kept for cores, kept in _CORES.items() if machine and cores <= machine.vcpus), default=0),
        # In MB in the documentation; the same page.
        memory=int(min((20 * pods + 50) * 10**6 // 2**20, memory // 4)) + EVICTION_MIB,
    )


def _taint(text: object) -> dict[str, str]:
    """Parses KEY=VALUE:EFFECT, the form that AKS accepts."""
    pair, _, effect = str(text).rpartition(":")
    key, _, value = pair.partition("=")
    return {"key": key, **({"value": value} if value else {}), "effect": effect}


def _labels(
    name: str, pool: Mapping[str, Any], made: Mapping[str, Any], machine: object, *, spot: bool
) -> dict[str, str]:
    """The labels of the pool and of AKS. Source: AKS documentation, "Use labels" (reserved system labels)."""
    return {
        **{str(key): str(value) for key, value in mapping(pool.get("nodeLabels")).items()},
        "agentpool": name,
        f"{_LABEL}/agentpool": name,
        f"{_LABEL}/cluster": str(made.get("nodeResourceGroup")),
        f"{_LABEL}/mode": str(pool.get("mode")).lower(),
        f"{_LABEL}/node-image-version": str(pool.get("nodeImageVersion")),
        f"{_LABEL}/os-sku": str(pool.get("osSKU")),
        f"{_LABEL}/role": "agent",
        **({f"{_LABEL}/accelerator": "nvidia"} if isinstance(machine, Machine) else {}),
        **({_SPOT: "spot"} if spot else {}),
        f"{_ZONE}region": str(made.get("location")),
    }


def _features(entries: Sequence[Entry], scope: str, machine: object) -> dict[str, str]:
    """Labels by the stack's own rules for Node Feature Discovery, for machines with InfiniBand cards."""
    if not isinstance(machine, Machine) or machine.fabric != "InfiniBand":
        return {}
    rules = (
        rule
        for it in objects_of(entries, scope, "NodeFeatureRule")
        for rule in items(mapping(it.get("spec")).get("rules"))
    )
    return {key: str(value) for rule in rules for key, value in mapping(mapping(rule).get("labels")).items()}


def _nearness(entries: Sequence[Entry], scope: str) -> list[str]:
    """Topology labels that queues use and AKS does not set: users set them on a real cluster, so they are set here."""
    levels = [
        str(mapping(level).get("nodeLabel"))
        for topology in objects_of(entries, scope, "Topology")
        for level in items(mapping(topology.get("spec")).get("levels"))
    ]
    return [label for label in dict.fromkeys(levels) if not label.startswith(("kubernetes.io/", _ZONE))]


def _devices(
    pool: Mapping[str, Any],
    machine: object,
    labels: Mapping[str, str],
    taints: Sequence[Mapping[str, str]],
    entries: Sequence[Entry],
    scope: str,
) -> dict[str, str]:
    """Devices of NVIDIA's two operators: the GPU Operator's plugin, and the plugin of the policy for network cards."""
    found: dict[str, str] = {}
    operator = releases(entries, scope).get("gpu-operator")
    if not isinstance(machine, Machine):
        return found
    if operator is not None and comes_to(mapping(operator.get("daemonsets")), {}, taints):
        slices = _slices(pool, machine, labels, entries, scope)
        found |= gpu_resources(machine, slices, str(mapping(operator.get("mig")).get("strategy") or "single"))
    for policy in objects_of(entries, scope, "NicClusterPolicy"):
        spec = mapping(policy.get("spec"))
        if machine.fabric == "InfiniBand" and spec.get("sriovDevicePlugin") and comes_to(spec, {}, taints):
            found[release_of(machine).waits_for] = str(machine.network_cards)
    return found


def _slices(
    pool: Mapping[str, Any], machine: Machine, labels: Mapping[str, str], entries: Sequence[Entry], scope: str
) -> dict[str, int]:
    """Slices of one GPU, created by AKS from the pool's profile, or by the MIG manager from the node's label."""
    profile = pool.get("gpuInstanceProfile")
    if profile:
        return {found.size: most(found) for found in slices_of(machine.gpu) if found.aks == profile}
    known: dict[str, Mapping[str, int]] = {}
    for config in objects_of(entries, scope, "ConfigMap"):
        text = mapping(config.get("data")).get("config.yaml")
        for name, parts in mapping(json.loads(text).get("mig-configs") if text else None).items():
            known[name] = {size: int(count) for size, count in mapping(items(parts)[0].get("mig-devices")).items()}
    return layout(labels.get("nvidia.com/mig.config", ""), machine, known)


def _host(name: str, made: Mapping[str, Any], cluster: Entry, near: Sequence[str], ordinal: int) -> Host:
    """A machine of a scale set: six base-36 digits number its machines."""
    scale_set = f"aks-{name}-{int(digits(cluster.id, length=8), 16) % 10**8:08d}-vmss"
    full = f"{scale_set}{_base36(ordinal):0>6}"
    subscription = cluster.id.split("/")[2]
    return Host(
        name=full,
        provider_id=(
            f"azure:///subscriptions/{subscription}/resourceGroups/{str(made.get('nodeResourceGroup')).lower()}/providers/"
            f"Microsoft.Compute/virtualMachineScaleSets/{scale_set}/virtualMachines/{ordinal}"
        ),
        address=f"10.224.{int(digits(name, length=2), 16)}.{ordinal % 250 + 4}",
        labels=dict.fromkeys(near, f"leaf-{ordinal % LEAVES}"),
    )


def _base36(number: int) -> str:
    digit, rest = "0123456789abcdefghijklmnopqrstuvwxyz"[number % 36], number // 36
    return (_base36(rest) if rest else "") + digit


def interruption(node: Mapping[str, Any]) -> Sign | None:
    """A scheduled event that ends the machine: Redeploy, or Preempt of a Spot machine.

    Sources: AKS documentation, "Node problem detector" (VMEventScheduled) and "Node auto-drain".
    """
    labels = mapping(mapping(node.get("metadata")).get("labels"))
    event = "Preempt" if labels.get("kubernetes.azure.com/scalesetpriority") == "spot" else "Redeploy"
    return Sign(
        notice=f"AKS sees the scheduled event {event}, cordons the node and drains it",
        taints=[{"key": "remediator.kubernetes.azure.com/unschedulable", "effect": "NoSchedule"}],
        conditions=[
            Condition(type="VMEventScheduled", status="True", reason="VMEventScheduled", message=f"{event} Scheduled")
        ],
        drains=True,
    )


def broken(node: Mapping[str, Any], entries: Sequence[Entry]) -> Sequence[Condition]:
    """A missing GPU, as reported by AKS' node problem detector; it detects none in pools whose driver is not AKS'.

    entries: all of the ledger. Source: AKS documentation, "GPU health monitoring".
    """
    pool = mapping(mapping(node.get("metadata")).get("labels")).get("agentpool")
    for entry in entries:
        made = mapping(plain(entry.outputs))
        if (entry.type, entry.name) == (_AGENT_POOL, pool) and mapping(made.get("gpuProfile")).get("driver") == "None":
            return ()
    return (Condition(type="GPUMissing", status="True", reason="GPUMissing"),)
