"""Ways to buy a machine that its cloud does not offer, or offers by list price only.

Price lists hold sums of parts for machines that cannot be bought so; a plan that counts on one is wrong twice.
"""

from __future__ import annotations

from typing import Final

__all__ = ["hard_to_get", "not_sold"]

_SMALL: Final = "created as Spot or Flex-start VMs only (Compute Engine documentation, GPU machine types)"
_OPTIONS: Final = "Cluster Director documentation, Choose a consumption option"
_NONE_LISTED: Final = (
    f"list price; Google's table of consumption options has no GPU machine under on demand ({_OPTIONS}), so whether it "
    "can be had without a reservation, flex-start or Spot is not known"
)

_NOT_SOLD: Final = {
    ("a3-highgpu-1g", "on_demand"): _SMALL,
    ("a3-highgpu-2g", "on_demand"): _SMALL,
    ("a3-highgpu-4g", "on_demand"): _SMALL,
    ("a4-highgpu-8g", "on_demand"): "N/A on demand on Google's price page for accelerator-optimized machines",
}
"""(machine, purchase) -> why nobody can buy it so."""

_HARD_TO_GET: Final = {
    ("a3-highgpu-8g", "on_demand"): _NONE_LISTED,
    ("a3-megagpu-8g", "on_demand"): _NONE_LISTED,
    ("a3-ultragpu-8g", "on_demand"): (
        f"list price; Google offers it by reservation, calendar mode, flex-start or Spot and not on demand ({_OPTIONS})"
    ),
}
"""(machine, purchase) -> what is known against counting on its price."""


def not_sold(machine: str, purchase: str) -> str | None:
    """Why a machine cannot be bought in this way, None where nothing says so."""
    why = _NOT_SOLD.get((machine, purchase))
    return None if why is None else f"{machine} is not sold {purchase.replace('_', ' ')}: {why}"


def hard_to_get(machine: str, purchase: str) -> str:
    """What is known against getting a machine in this way, empty where nothing is."""
    why = _HARD_TO_GET.get((machine, purchase))
    return f"{machine} {purchase.replace('_', ' ')}: {why}" if why else ""
