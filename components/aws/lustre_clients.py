"""How the training nodes reach the shared storage: over EFA, or over IP. Imports no Pulumi."""

from __future__ import annotations

from typing import Final

from gpucluster.catalog.kubernetes_versions import minor
from gpucluster.catalog.lustre_efa import lustre_efa
from gpucluster.catalog.machines import Machine
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.versions import old_plan_versions

# EFA connections of all clients to one file system, one for each interface. Source: FSx for Lustre user
# guide, configure-efa-clients.
_CONNECTIONS: Final = 1024
# The first version whose EKS image has kernel 6.12, which contains the EFA driver of Lustre's network; 1.36 has 6.18.
# Sources: awslabs/amazon-eks-ami v20260714, templates/al2023/variables-1.33.json; bottlerocket-os/
# bottlerocket-kernel-kit 6603167, packages/kernel-6.12/kernel-6.12.spec (kefalnd), derived from Amazon Linux's package.
_FIRST: Final = "1.33"

# Throughput of one client over EFA, Gb/s. Source: FSx for Lustre user guide, performance, 2026-08-15.
_OVER_EFA: Final = 700


def lustre_cards(spec: ClusterSpec, shape: Machine) -> int:
    """EFA interfaces of each training node for the shared storage; 0 if it mounts over IP. shape: of the nodes."""
    versions = old_plan_versions(spec.versions)
    if not spec.storage.shared.fabric or minor(versions.nodes or versions.control_plane) < minor(_FIRST):
        return 0
    return min(lustre_efa(shape.machine_type), _CONNECTIONS // spec.training.size)


def client_notes(spec: ClusterSpec, shape: Machine) -> list[str]:
    """What the nodes use for the shared storage."""
    cards = lustre_cards(spec, shape)
    if not cards:
        return []
    most = min(_OVER_EFA, cards * shape.fabric_gbps // shape.network_cards)
    return [
        f"training nodes mount the shared storage over EFA, by {cards} of {shape.network_cards} network cards, which "
        f"jobs use too: at most {most} Gb/s a node; nodes of other pools, and nodes that started without it, mount it "
        "over IP; not tried on machines here"
    ]


def client_losses(spec: ClusterSpec, shape: Machine) -> list[str]:
    """Why nodes do not mount over EFA, though the spec requests it."""
    if not spec.storage.shared.fabric or lustre_cards(spec, shape):
        return []
    if not lustre_efa(shape.machine_type):
        why = f"FSx has no EFA clients on {shape.machine_type}"
    elif spec.training.size > _CONNECTIONS:
        why = f"a file system has {_CONNECTIONS:,} EFA connections, fewer than nodes"
    else:
        why = f"images before Kubernetes {_FIRST} lack the driver"
    return [f"shared storage over IP only, not over the GPU fabric (storage.shared.fabric): {why}"]
