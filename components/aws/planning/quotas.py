"""Account quotas that a cluster needs; a plan can't look up their current values. Imports no Pulumi.

Sources: the Service Quotas tables of EC2, VPC, EKS and FSx, as public repositories copy them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gpucluster.components.aws.location import Location
from gpucluster.components.planning.planning import Planning
from gpucluster.core.catalog.machines import Machine
from gpucluster.core.program.questions import Question

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

RESERVED: Final = "vCPUs of on-demand P instances that a reservation holds"
"""Their reservation counts in the quota of its owner before any machine runs, also for machines of other accounts.

Source: Amazon EC2 user guide, capacity-reservation-sharing, "Instance limits".
"""
LATER: Final[Mapping[str, str]] = {text: f"later: {text}" for text in (ON_DEMAND, SPOT, SPOT_P6)}
"""Amounts of pools without nodes at first: `up` succeeds without them."""

_DEFAULTS: Final = {INTERFACES: 5_000, NODES: 450, STANDARD: 5}

BLOCK_INSTANCES: Final = 256
"""In all capacity blocks of an account. Source: Amazon EC2 user guide, capacity-blocks-purchase."""


def machine_quota(shape: Machine, *, spot: bool) -> str:
    """The quota of a machine's vCPUs, in which all P instances on demand count together."""
    if not spot:
        return ON_DEMAND
    return SPOT_P6 if shape.machine_type.startswith("p6-") else SPOT


@dataclass(frozen=True, kw_only=True)
class _Quota:
    """service, code, name: in Service Quotas. unit: of the amounts."""

    service: str
    code: str
    name: str
    unit: str


_QUOTAS: Final[Mapping[str, _Quota]] = {
    ON_DEMAND: _Quota(service="ec2", code="L-417A185B", name="Running On-Demand P instances", unit="vCPUs"),
    SPOT: _Quota(service="ec2", code="L-C4BD4855", name="All P5 Spot Instance Requests", unit="vCPUs"),
    # Its code is unknown, so that the account can't be asked for it.
    SPOT_P6: _Quota(service="ec2", code="P6 spot requests", name="", unit="vCPUs"),
    INTERFACES: _Quota(service="vpc", code="L-DF5E4CA3", name="Network interfaces per Region", unit="interfaces"),
    NODES: _Quota(service="eks", code="L-BD136F5B", name="Nodes per managed node group", unit="nodes"),
    STANDARD: _Quota(
        service="ec2",
        code="L-1216C47A",
        name="Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances",
        unit="vCPUs",
    ),
    VPC: _Quota(service="vpc", code="L-F678F1CE", name="VPCs per Region", unit="VPCs"),
    ADDRESS: _Quota(service="ec2", code="L-0263D0A3", name="EC2-VPC Elastic IPs", unit="addresses"),
    LUSTRE["PERSISTENT_1"]: _Quota(
        service="fsx", code="L-C8640C82", name="Lustre Persistent_1 storage capacity", unit="GiB"
    ),
    LUSTRE["PERSISTENT_2"]: _Quota(
        service="fsx", code="L-8F1B9C74", name="Lustre Persistent_2 storage capacity", unit="GiB"
    ),
}
"""All of Service Quotas; the limit of capacity blocks has no code there."""


def report_quotas(planning: Planning[Location]) -> None:
    """The quotas that decide whether the parts start, with the amounts that they added, in one line."""
    texts = (ON_DEMAND, SPOT, SPOT_P6, BLOCKS, INTERFACES, NODES, STANDARD, VPC, ADDRESS, *LUSTRE.values())
    needed = {text: amount for text in texts if (amount := planning.quotas[text])}
    parts = [
        text.format(amount, raised=": raise it" if amount > _DEFAULTS.get(text, amount) else "")
        for text, amount in needed.items()
    ]
    note = f"required quotas: {', '.join(parts)}"
    planning.ask(*(_question(text, amount, planning, note) for text, amount in needed.items()))


def _question(text: str, amount: int, planning: Planning[Location], note: str) -> Question:
    region = planning.location.region
    if text == BLOCKS:
        return Question(
            about="blocks",
            subject="instances in capacity blocks",
            needed=amount,
            unit="instances",
            place=region,
            note=note,
            decides=False,
        )
    quota, later = _QUOTAS[text], planning.quotas[LATER.get(text, "")]
    reserved = planning.quotas[RESERVED] if text == ON_DEMAND else 0
    return Question(
        about="quota",
        subject=quota.code,
        needed=amount,
        unit=quota.unit,
        place=region,
        title=quota.name,
        details={"service": quota.service, "reserved": str(reserved), "later": str(later)},
        note=note,
        decides=amount > later,
    )
