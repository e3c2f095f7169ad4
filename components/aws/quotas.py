"""What a cluster takes of the account's quotas, which a plan can't look up. Imports no Pulumi."""

from __future__ import annotations

__all__ = ["NODE_GROUP_LIMIT", "quota_note"]

# Quota L-BD136F5B. Source: Amazon EKS user guide, service-quotas.
NODE_GROUP_LIMIT = 450

# Quota L-DF5E4CA3. Source: Amazon VPC user guide, amazon-vpc-limits.
_NETWORK_INTERFACES = 5_000


def quota_note(*, on_demand: int, spot: int, interfaces: int, nodes: int) -> str:
    """The quotas that decide whether a cluster starts, with what it needs of each, in one line.

    on_demand: vCPUs of P machines on demand or reserved. spot: vCPUs of P5 machines as spot capacity, at the limit.
    interfaces, nodes: of the training pool. Source of the codes: the Service Quotas tables of EC2, VPC and EKS.
    """
    parts: list[str] = []
    if on_demand:
        parts.append(f"{on_demand:,} vCPUs of running on-demand P instances (L-417A185B, often 0 in a new account)")
    if spot:
        parts.append(f"{spot:,} vCPUs of P5 spot requests (L-C4BD4855, 0 by default)")
    parts.append(f"{interfaces:,} network interfaces ({_default('L-DF5E4CA3', interfaces, _NETWORK_INTERFACES)})")
    parts.append(f"{nodes:,} nodes in a node group ({_default('L-BD136F5B', nodes, NODE_GROUP_LIMIT)})")
    return f"quotas to have: {', '.join(parts)}"


def _default(code: str, needed: int, default: int) -> str:
    return f"{code}, {default:,} by default{': raise it' if needed > default else ''}"
