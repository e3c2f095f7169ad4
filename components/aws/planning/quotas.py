"""Account quotas that a cluster needs; a plan can't look up their current values. Imports no Pulumi.

Sources: the Service Quotas tables of EC2, VPC, EKS and FSx, as public repositories copy them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.components.planning.planning import Planning
from gpucluster.core.catalog.machines import Machine

ON_DEMAND: Final = "{:,} vCPUs of running on-demand P instances (L-417A185B, often 0 in a new account)"
SPOT: Final = "{:,} vCPUs of P5 spot requests (L-C4BD4855, 0 by default)"
SPOT_P6: Final = "{:,} vCPUs of P6 spot requests (no source gives the code and the default of their quota)"
BLOCKS: Final = "{:,} instances in capacity blocks (at most 256 at a time in an organization)"
"""Source: Amazon EC2 user guide, ec2-capacity-blocks."""
INTERFACES: Final = "{:,} network interfaces (L-DF5E4CA3, 5,000 by default{raised})"
"""Source: Amazon VPC user guide, amazon-vpc-limits."""
NODES: Final = "{:,} nodes in a node group (L-BD136F5B, 450 by default{raised})"
"""Source: Amazon EKS user guide, service-quotas."""
STANDARD: Final = "{:,} vCPUs of running on-demand standard instances (L-1216C47A, 5 by default{raised})"
VPC: Final = "a VPC (L-F678F1CE, 5 by default)"
ADDRESS: Final = "an Elastic IP (L-0263D0A3, 5 by default)"
LUSTRE: Final[Mapping[str, str]] = {
    deployment: f"{{:,}} GiB of Lustre {deployment} ({code})"
    for deployment, code in {"PERSISTENT_1": "L-C8640C82", "PERSISTENT_2": "L-8F1B9C74"}.items()
}
"""By deployment; no source gives the defaults."""

_DEFAULTS: Final = {INTERFACES: 5_000, NODES: 450, STANDARD: 5}


def machine_quota(shape: Machine, *, spot: bool) -> str:
    """The quota of a machine's vCPUs, in which all P instances on demand count together."""
    if not spot:
        return ON_DEMAND
    return SPOT_P6 if shape.machine_type.startswith("p6-") else SPOT


def report_quotas(planning: Planning[Any]) -> None:
    """The quotas that decide whether the parts start, with the amounts that they added, in one line."""
    parts = [
        text.format(amount, raised=": raise it" if amount > _DEFAULTS.get(text, amount) else "")
        for text in (ON_DEMAND, SPOT, SPOT_P6, BLOCKS, INTERFACES, NODES, STANDARD, VPC, ADDRESS, *LUSTRE.values())
        if (amount := planning.quotas[text])
    ]
    planning.before_up.append(f"required quotas: {', '.join(parts)}")
