"""Subscription quotas that a cluster needs; a plan can't look up their current values. Imports no Pulumi.

Each family also counts against the whole region; spot has a separate quota, and a capacity block needs none. The quota
of the CPU nodes starts at 0 or 10 in many subscriptions. Sources: Azure documentation, "Check vCPU quotas";
langchain-ai/terraform issue 261; NVIDIA/aicr pull request 1709.
"""

from __future__ import annotations

from typing import Any, Final

from gpucluster.components.planning.planning import Planning

LUSTRE: Final = "; also the Azure Managed Lustre quota for {:,} TiB more"
_TOTAL: Final = "{:,} of Total Regional vCPUs"
_SPOT: Final = "{:,} of Total Regional Spot vCPUs"


def add_machines(planning: Planning[Any], family: str, vcpus: int, *, spot: bool = False) -> None:
    """The quotas of a pool. family: of its machines. vcpus: of all of them."""
    if spot:
        planning.quotas[_SPOT] += vcpus
    else:
        planning.quotas[f"{{:,}} of {family}"] += vcpus
        planning.quotas[_TOTAL] += vcpus


def report_quotas(planning: Planning[Any]) -> None:
    """The quotas that decide whether the parts start, with the amounts that they added, in one line."""
    needed = +planning.quotas
    families = [text for text in needed if text not in (_TOTAL, _SPOT, LUSTRE)]
    parts = [text.format(needed[text]) for text in (*families, _TOTAL, *([_SPOT] if needed[_SPOT] else []))]
    lustre = LUSTRE.format(needed[LUSTRE]) if needed[LUSTRE] else ""
    planning.before_up.append(
        f"required quotas in {planning.location.region}, in vCPUs: {', '.join(parts)}{lustre}; quota is not capacity"
    )
