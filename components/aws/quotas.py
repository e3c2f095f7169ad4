"""Account quotas that a cluster needs; a plan can't look up their current values. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.components.aws.lustre import LustrePlan
from gpucluster.components.aws.mig import MigPlan
from gpucluster.components.aws.network_plan import NetworkPlan
from gpucluster.components.aws.purchase import block_size
from gpucluster.components.aws.system import SystemPlan
from gpucluster.components.aws.training import TrainingPlan
from gpucluster.components.elastic import ElasticMachines
from gpucluster.components.mounted import MountedPlan

# Quota L-BD136F5B. Source: Amazon EKS user guide, service-quotas.
_NODE_GROUP_LIMIT = 450

# Quota L-DF5E4CA3. Source: Amazon VPC user guide, amazon-vpc-limits.
_NETWORK_INTERFACES = 5_000

# vCPUs of quota L-1216C47A in a new account. Source: the tables of Service Quotas, as copied in public repositories.
_STANDARD_VCPUS = 5

# Instances in capacity blocks, at a time in one organization. Source: Amazon EC2 user guide, ec2-capacity-blocks.
_BLOCK_INSTANCES = 256

# Source: codes of Amazon FSx in Service Quotas, as public repositories copy them; no source gives the defaults.
_LUSTRE = {"PERSISTENT_1": "L-C8640C82", "PERSISTENT_2": "L-8F1B9C74"}


def quota_note(
    training: TrainingPlan, elastic: ElasticMachines | None = None, mig: MigPlan | None = None, *, cluster: str = ""
) -> str:
    """The quotas that decide whether these pools start, with the required amounts, in one line.

    cluster: the quotas of the rest. Source of the codes: the Service Quotas tables of EC2, VPC and EKS.
    """
    # A capacity block has separate quotas.
    on_demand, spot = 0 if training.capacity_block else training.size * training.shape.vcpus, 0
    if elastic is not None:
        on_demand += elastic.bought("on-demand") * elastic.shape.vcpus
        spot = elastic.bought("spot") * elastic.shape.vcpus
    if mig is not None:
        on_demand += 0 if mig.spot else mig.nodes * mig.shape.vcpus
        spot += mig.nodes * mig.shape.vcpus if mig.spot else 0
    block = sum(block_size(part.nodes) or 0 for part in training.parts) if training.capacity_block else 0
    interfaces, nodes = training.size * len(training.interfaces), max(part.nodes for part in training.parts)
    parts: list[str] = []
    if on_demand:
        parts.append(f"{on_demand:,} vCPUs of running on-demand P instances (L-417A185B, often 0 in a new account)")
    if spot:
        parts.append(f"{spot:,} vCPUs of P5 spot requests (L-C4BD4855, 0 by default)")
    if block:
        parts.append(
            f"{block:,} instances in capacity blocks (at most {_BLOCK_INSTANCES} at a time in an organization)"
        )
    parts.append(f"{interfaces:,} network interfaces ({_default('L-DF5E4CA3', interfaces, _NETWORK_INTERFACES)})")
    parts.append(f"{nodes:,} nodes in a node group ({_default('L-BD136F5B', nodes, _NODE_GROUP_LIMIT)})")
    return f"required quotas: {', '.join(parts)}{cluster}"


def cluster_quotas(system: SystemPlan, network: NetworkPlan, storage: LustrePlan | MountedPlan) -> str:
    """Quotas of a cluster's other parts, as a continuation of the line."""
    own, vcpus = network.existing is None, system.nodes * system.vcpus
    standard = _default("L-1216C47A", vcpus, _STANDARD_VCPUS)
    vpc = ", a VPC (L-F678F1CE, 5 by default)" if own else ""
    address = ", an Elastic IP (L-0263D0A3, 5 by default)" if own and network.nat else ""
    files = ""
    if isinstance(storage, LustrePlan):
        files = f", {storage.capacity_gib:,} GiB of Lustre {storage.deployment} ({_LUSTRE[storage.deployment]})"
    return f", {vcpus} vCPUs of running on-demand standard instances ({standard}){vpc}{address}{files}"


def _default(code: str, needed: int, default: int) -> str:
    return f"{code}, {default:,} by default{': raise it' if needed > default else ''}"
