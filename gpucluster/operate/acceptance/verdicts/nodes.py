"""Whether the GPUs of each node passed their diagnosis: a node with fewer than 8 healthy GPUs counts as broken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from gpucluster.core.catalog.machines import Machine
from gpucluster.operate.acceptance.inventory import DRIVER, NodeFacts
from gpucluster.operate.acceptance.measurements import Diagnosis, Modules
from gpucluster.operate.acceptance.verdicts.verdict import (
    CANNOT_TELL,
    FAIL,
    PASS,
    WARN,
    Outcome,
    Verdict,
    nodes_to_check,
)


def judge_diagnosis(diagnosis: Diagnosis) -> Verdict:
    """The verdict on one node."""
    node = diagnosis.node or "an unknown node"
    failed = [test for test in diagnosis.tests if test.status == "fail"]
    warned = [test for test in diagnosis.tests if test.status == "warn"]
    ran = [test for test in diagnosis.tests if test.status != "skip"]
    outcome: Outcome
    if failed:
        gpus = sorted({gpu for test in failed for gpu in test.gpus})
        broken = f"GPU {', '.join(map(str, gpus))} of " if gpus else ""
        what = "; ".join(f"{test.name}{f': {test.why}' if test.why else ''}" for test in failed)
        outcome, why = (
            FAIL,
            f"{broken}{node} failed {what}: the node counts as broken; replace it (docs/operate/replacing-a-node.md)",
        )
    elif warned:
        what = "; ".join(f"{test.name}{f': {test.why}' if test.why else ''}" for test in warned)
        outcome, why = WARN, f"{node}: {what}"
    elif not ran:
        outcome, why = CANNOT_TELL, f"{node}: no test ran"
    else:
        outcome, why = PASS, f"{node} passed"
    return Verdict(
        check="GPU diagnosis",
        outcome=outcome,
        why=why,
        measured=f"{len(ran) - len(failed) - len(warned)} of {len(ran)} tests passed",
        nodes=nodes_to_check(diagnosis.node, outcome),
        log=diagnosis.log,
        line=diagnosis.line,
    )


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
            "first; replace the node (docs/operate/replacing-a-node.md)",
        )
    elif shape is not None and shape.fabric == "InfiniBand" and _PEERMEM not in modules.versions:
        outcome, why = (
            WARN,
            f"{node}: {_PEERMEM} is not loaded: NCCL uses DMA-BUF or the CPU's memory, as the ring's bandwidth shows; "
            "between jobs, reboot the node (docs/start/azure.md)",
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


_CHECK = "software of the nodes"


def judge_versions(nodes: Sequence[NodeFacts]) -> Iterator[Verdict]:
    """A warning for each difference between nodes; none if fewer than two nodes report their versions."""
    if len([node for node in nodes if node.software]) < 2:
        return
    differing = False
    for name in sorted({name for node in nodes for name in node.software}):
        groups: dict[str, list[str]] = {}
        for node in nodes:
            if name in node.software:
                groups.setdefault(node.software[name], []).append(node.name)
        if len(groups) > 1:
            differing = True
            ordered = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
            others = "; ".join(f"{version}: {', '.join(names)}" for version, names in ordered[1:])
            yield Verdict(
                check=_CHECK,
                outcome=WARN,
                why=f"{name} is {ordered[0][0]} on most nodes, but not on these: {others}",
                nodes=tuple(node for _, names in ordered[1:] for node in names),
            )
    if not differing:
        yield Verdict(check=_CHECK, outcome=PASS, why="the same on all nodes", measured=f"{len(nodes)} nodes")
