"""What a cluster takes of the account's quotas, which a plan can't look up. Imports no Pulumi."""

from __future__ import annotations

# Quota L-BD136F5B. Source: Amazon EKS user guide, service-quotas.
_NODE_GROUP_LIMIT = 450

# Quota L-DF5E4CA3. Source: Amazon VPC user guide, amazon-vpc-limits.
_NETWORK_INTERFACES = 5_000

# vCPUs of quota L-1216C47A in a new account. Source: the tables of Service Quotas, as public repositories copy them.
_STANDARD_VCPUS = 5

# Instances in capacity blocks, at a time in one organization. Source: Amazon EC2 user guide, ec2-capacity-blocks.
_BLOCK_INSTANCES = 256

# Source: codes of Amazon FSx in Service Quotas, as public repositories copy them; no source gives the defaults.
_LUSTRE = {"PERSISTENT_1": "L-C8640C82", "PERSISTENT_2": "L-8F1B9C74"}


def quota_note(*, on_demand: int, spot: int, block: int, interfaces: int, nodes: int, cluster: str = "") -> str:
    """The quotas that decide whether a cluster starts, with what it needs of each, in one line.

    on_demand: vCPUs of P machines on demand or reserved. spot: vCPUs of P5 machines as spot capacity, at the limit.
    block: instances in a capacity block, which has no quota of vCPUs. interfaces, nodes: of the training pool.
    cluster: what is around it. Source of the codes: the Service Quotas tables of EC2, VPC and EKS.
    """
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
    return f"quotas to have: {', '.join(parts)}{cluster}"


def cluster_quotas(*, system_vcpus: int, network: bool, nat: bool, lustre: tuple[str, int] | None) -> str:
    """What a whole cluster takes beside its training pool, to go on with. network, nat: of its own. lustre: deployment
    and GiB of the shared file system, None where it stands.
    """
    standard = _default("L-1216C47A", system_vcpus, _STANDARD_VCPUS)
    vpc = ", a VPC (L-F678F1CE, 5 by default)" if network else ""
    address = ", an Elastic IP (L-0263D0A3, 5 by default)" if nat else ""
    files = f", {lustre[1]:,} GiB of Lustre {lustre[0]} ({_LUSTRE[lustre[0]]})" if lustre else ""
    return f", {system_vcpus} vCPUs of running on-demand standard instances ({standard}){vpc}{address}{files}"


def _default(code: str, needed: int, default: int) -> str:
    return f"{code}, {default:,} by default{': raise it' if needed > default else ''}"
