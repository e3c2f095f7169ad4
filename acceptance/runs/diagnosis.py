"""DCGM's diagnosis and the loaded driver on every node at once: each pod uses all GPUs of its node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from gpucluster.acceptance.logs import modules
from gpucluster.acceptance.runs.gpu_pod import indexed_job, one_a_node
from gpucluster.acceptance.runs.step import Step
from gpucluster.components.names import ACCEPTANCE, GPU

DCGM_IMAGE: Final = "nvcr.io/nvidia/cloud-native/dcgm:4.6.1-1-ubuntu24.04"
"""Source: the image list of NVIDIA/aicr for GPU Operator."""

_NAME: Final = "acceptance-diagnosis"
_STRESS: Final = "acceptance-stress"
_GPUS: Final = 8


def diagnosis(nodes: Sequence[str], *, level: int) -> Step:
    """`dcgmi diag` at a level: 1 takes seconds, 2 about two minutes, 3 about a quarter of an hour (DCGM 4.6)."""
    return _step(_NAME, f"DCGM diagnosis, level {level}", nodes, f"-r {level}", minutes=90 if level >= 3 else 20)


def stress(nodes: Sequence[str], *, minutes: int) -> Step:
    """GPU and memory under load: power, compute and memory test, a third of the minutes each."""
    each = minutes * 60 // 3
    tests = ("targeted_power", "targeted_stress", "memtest")
    durations = ";".join(f"{test}.test_duration={each}" for test in tests)
    return _step(
        _STRESS,
        f"GPU and memory stress, {minutes} min",
        nodes,
        f"-r {','.join(tests)} -p '{durations}'",
        minutes=minutes + 45,
    )


def _step(name: str, title: str, nodes: Sequence[str], run: str, *, minutes: int) -> Step:
    # A diagnosis with findings exits with its own code; the findings are in its JSON.
    script = (
        f"{modules.SCRIPT}; nv-hostengine && sleep 5 && dcgmi diag {run} -j --expectedNumEntities gpu:{_GPUS}; exit 0"
    )
    container: dict[str, Any] = {
        "name": "dcgm",
        "image": DCGM_IMAGE,
        "command": ["/bin/sh", "-c", script],
        "resources": {"limits": {GPU: str(_GPUS)}},
        "securityContext": {"allowPrivilegeEscalation": False},
    }
    job = indexed_job(name, name, count=len(nodes), pod={**one_a_node(name, nodes), "containers": [container]})
    selector = f"{ACCEPTANCE}={name}"
    return Step(
        name=name,
        title=f"{title}, {len(nodes)} nodes",
        objects=(job,),
        watched=("job", name),
        logged=selector,
        pods=selector,
        minutes=minutes,
    )
