"""Whether a node runs the driver that was installed on it, with the module for GPUDirect RDMA over InfiniBand.

Node images may contain a driver of another version, whose modules may load first (Azure/AgentBaker PR 8933). Without
`nvidia_peermem`, which a restart of the driver's pod may lose (NVIDIA/gpu-operator #2619), NCCL uses DMA-BUF if kernel
and cards allow it (Azure/AKS PR 5975), else the memory of the CPU; only the bandwidth of a ring tells which.
"""

from __future__ import annotations

from typing import Final

from gpucluster.acceptance.inventory import DRIVER
from gpucluster.acceptance.measured import Modules
from gpucluster.acceptance.verdicts.verdict import CANNOT_TELL, FAIL, PASS, WARN, Outcome, Verdict, nodes_to_check
from gpucluster.catalog.machines import Machine

_PEERMEM: Final = "nvidia_peermem"


def judge_modules(modules: Modules, shape: Machine | None, driver: str | None) -> Verdict:
    """The verdict on one node. shape: its machine, if known. driver: version of the programs' driver, if known."""
    node, loaded = modules.node or "an unknown node", modules.versions.get(DRIVER)
    outcome: Outcome
    if loaded is None:
        outcome, why = CANNOT_TELL, f"{node}: the module {DRIVER} is not loaded"
    elif driver is not None and driver != loaded:
        outcome, why = (
            FAIL,
            f"{node}: the kernel has driver {loaded}, but programs use {driver}: a module of the node image was loaded "
            "first; replace the node (docs/replacing-a-node.md)",
        )
    elif shape is not None and shape.fabric == "InfiniBand" and _PEERMEM not in modules.versions:
        outcome, why = (
            WARN,
            f"{node}: {_PEERMEM} is not loaded: NCCL uses DMA-BUF or the CPU's memory, as the ring's bandwidth shows; "
            "between jobs, reboot the node (docs/azure.md)",
        )
    else:
        outcome, why = PASS, f"{node}: {', '.join(sorted(modules.versions))}"
    return Verdict(
        check="kernel modules",
        outcome=outcome,
        why=why,
        measured=loaded or "",
        nodes=nodes_to_check(modules.node, outcome),
        log=modules.log,
        line=modules.line,
    )
