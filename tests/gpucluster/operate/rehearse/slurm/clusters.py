"""A small Slurm cluster, and scripts for it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from gpucluster.core.slurm import SlurmCluster, SlurmNode, SlurmPartition
from gpucluster.operate.rehearse.slurm.batch import Script

TRAINING: Final = [
    SlurmNode(
        name=f"training-{number}",
        cpus=192,
        memory_mib=1_500_000,
        gpus={"h100": 8},
        features=("training",),
        switches=("block", f"leaf-{number // 2}"),
    )
    for number in range(4)
]
MIG: Final = SlurmNode(
    name="mig-0",
    cpus=96,
    memory_mib=500_000,
    gpus={"1g.10gb": 14, "3g.40gb": 2},
    features=("mig",),
    switches=("block", "leaf-0"),
)
CLUSTER: Final = SlurmCluster(
    nodes=[*TRAINING, MIG],
    partitions=[
        SlurmPartition(name="training", nodes=[node.name for node in TRAINING], default=True, exclusive=True),
        SlurmPartition(name="mig", nodes=["mig-0"], memory_per_gpu_mib=30_000, max_minutes=600),
    ],
)


def script(folder: Path, *options: str) -> Script:
    """A script that would leave a file if it ran."""
    file = folder / "job.sbatch"
    lines = ["#!/bin/bash", *(f"#SBATCH {option}" for option in options), f"touch {folder}/ran"]
    file.write_text("".join(f"{line}\n" for line in lines))
    return Script(source=file.name, path=file)


def names(nodes: Sequence[int]) -> list[str]:
    """Of the training nodes with these numbers."""
    return [f"training-{number}" for number in nodes]
