"""Subscription quotas that a cluster needs; a plan can't look up their current values. Imports no Pulumi.

Each family also counts against the whole region; spot has a separate quota, and a capacity block needs none. The quota
of the CPU nodes starts at 0 or 10 in many subscriptions. Sources: Azure documentation, "Check vCPU quotas" (also the
names of the quotas); langchain-ai/terraform issue 261; NVIDIA/aicr pull request 1709; azure-sdk-for-go
ascusages_client_example_test.go (the quota of file systems).
"""

from __future__ import annotations

from typing import Any, Final

from gpucluster.components.planning.planning import Planning
from gpucluster.core.program.questions import Question

LUSTRE: Final = "AmlFilesystem"
"""The quota of Azure Managed Lustre, of file systems in a region. A plan counts their TiB under it, for the note."""
_TOTAL: Final = "cores"
_SPOT: Final = "lowPriorityCores"
_TITLES: Final = {_TOTAL: "Total Regional vCPUs", _SPOT: "Total Regional Spot vCPUs"}


def add_machines(planning: Planning[Any], family: str, vcpus: int, *, spot: bool = False) -> None:
    """The quotas of a pool. family: of its machines. vcpus: of all of them."""
    if spot:
        planning.quotas[_SPOT] += vcpus
    else:
        planning.quotas[family] += vcpus
        planning.quotas[_TOTAL] += vcpus


def report_quotas(planning: Planning[Any]) -> None:
    """The quotas that decide whether the parts start, with the amounts that they added, in one line."""
    needed, region = +planning.quotas, planning.location.region
    families = [name for name in needed if name not in (_TOTAL, _SPOT, LUSTRE)]
    names = [*families, _TOTAL, *([_SPOT] if needed[_SPOT] else [])]
    amounts = ", ".join(f"{needed[name]:,} of {_TITLES.get(name, name)}" for name in names)
    lustre = f"; also the Azure Managed Lustre quota for {needed[LUSTRE]:,} TiB more" if needed[LUSTRE] else ""
    note = f"required quotas in {region}, in vCPUs: {amounts}{lustre}; quota is not capacity"
    planning.ask(
        *(
            Question(
                about="quota",
                subject=name,
                needed=needed[name],
                unit="vCPUs",
                place=region,
                title=_TITLES.get(name, ""),
                note=note,
            )
            for name in names
        )
    )
    if needed[LUSTRE]:
        planning.ask(
            Question(
                about="file-systems",
                subject=LUSTRE,
                needed=1,
                unit="file system",
                place=region,
                title="Azure Managed Lustre",
                note=note,
            )
        )
