"""What an hour of the tested nodes costs, by the price book."""

from __future__ import annotations

from decimal import Decimal

from gpucluster.catalog.machines import Machine
from gpucluster.cost.machine_price import machine_price
from gpucluster.cost.prices import Price


def cost_line(machine: Machine, region: str, nodes: int, hours: Decimal) -> str:
    """One line for who decides whether to start. Raises BadPrices when the user's own prices cannot be used."""
    what = f"{nodes} x {machine.machine_type} for {hours:f} h"
    found = machine_price(machine.cloud, region, machine.machine_type)
    if not isinstance(found, Price):
        return f"{what}: not priced, {found.reason}"
    total = found.usd * nodes * hours
    return (
        f"{what}: ${total:,.2f} on demand ({nodes} x {found.usd:f} x {hours:f}; {found.row.document}, "
        f"{found.row.as_of}). Nodes cost this whether they are tested or idle; what is reserved is paid for already."
    )
