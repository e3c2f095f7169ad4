"""The pools of Slurm as its nodes and partitions, and the files that they share. Imports no Pulumi."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from gpucluster.components.kubernetes.jobs.job_pool import JobPool
from gpucluster.components.planning.names import GPU, HOME_PATH, MIG_POOL, MIG_SLICE, SCRATCH_PATH, SHARED_PATH
from gpucluster.core.catalog.machines import gpus
from gpucluster.core.slurm import (
    SlurmCluster,
    SlurmNode,
    SlurmPartition,
    gres_conf,
    topology_conf,
    topology_yaml,
)

FOLDER: Final = "/etc/gpucluster"
"""Of the files in every node: `environment` for scripts, `task-prolog` for Slurm."""
_MIB: Final = 1024


def slurm_note(owned: Sequence[str], pools: Sequence[str]) -> str:
    """Who has which pool."""
    rest = [pool for pool in pools if pool not in owned]
    kueue = f"; Kueue has {', '.join(rest)}" if rest else "; Kueue has no pool, and jobs of Kubernetes get no GPU"
    return f"Slurm has the pools {', '.join(owned)}, each a partition{kueue}"


def slurm_node(pool: JobPool, number: int) -> SlurmNode:
    """A machine of a pool. Three quarters of its memory, as other jobs may request. The network of a pool with a fabric
    is one switch: its machines are placed together.
    """
    sliced = pool.name == MIG_POOL
    return SlurmNode(
        name=f"{pool.name}-{number}",
        cpus=pool.shape.vcpus,
        memory_mib=pool.shape.memory_gib * _MIB * 3 // 4,
        gpus={_kind(pool, resource): amount for resource, amount in devices(pool).items()},
        features=(pool.name,),
        switches=(pool.name,) if pool.fabric is not None else (),
        detect="nvml" if sliced else "nvidia",
    )


def devices(pool: JobPool) -> dict[str, int]:
    """GPUs or slices of one machine: resource -> amount."""
    if pool.name != MIG_POOL:
        return {GPU: pool.shape.gpus}
    return {resource: amount // max(1, pool.nodes) for resource, amount in pool.gpus.items()}


def _kind(pool: JobPool, resource: str) -> str:
    """A part of the name that NVIDIA's driver gives the device, as AutoDetect compares it: `h100`, or `1g.10gb`.

    Source: gres.conf(5), "Type".
    """
    if resource.startswith(MIG_SLICE):
        return resource.removeprefix(MIG_SLICE)
    return gpus()[pool.shape.gpu].model


def slurm_cluster(pools: Sequence[JobPool]) -> SlurmCluster:
    """The nodes of Slurm's pools, an elastic one at its largest, and a partition for each. The first is the default."""
    nodes = {pool.name: [slurm_node(pool, number) for number in range(pool.nodes)] for pool in pools}
    return SlurmCluster(
        nodes=[node for some in nodes.values() for node in some],
        partitions=[slurm_partition(pool, default=pool is pools[0]) for pool in pools],
    )


def slurm_partition(pool: JobPool, *, default: bool) -> SlurmPartition:
    """A pool with a fabric gives whole nodes; in others, a job's memory is the share of its GPUs."""
    whole = pool.fabric is not None
    node = slurm_node(pool, 0)
    return SlurmPartition(
        name=pool.name,
        nodes=[f"{pool.name}-{number}" for number in range(pool.nodes)],
        default=default,
        exclusive=whole,
        memory_per_gpu_mib=None if whole else node.memory_mib // max(1, sum(node.gpus.values())),
    )


# A job sees only the GPUs and the memory that Slurm gives it. Source: cgroup.conf(5).
_CGROUP: Final = """\
CgroupPlugin=cgroup/v2
IgnoreSystemd=yes
ConstrainCores=yes
ConstrainDevices=yes
ConstrainRAMSpace=yes
"""
# Containers of jobs by enroot. The pattern matches nothing in slurmctld's image, which has no plugin.
# Source: SlinkyProject/slurm-operator v1.1.0, its page "Pyxis".
_PLUGINS: Final = "include /usr/share/pyxis/*\n"


def config_files(pools: Sequence[JobPool]) -> dict[str, str]:
    """Slurm's files beside slurm.conf, which the operator writes. Slurm from 25.05 on reads topology.yaml only."""
    nodes = slurm_cluster(pools).nodes
    return {
        "cgroup.conf": _CGROUP,
        "gres.conf": gres_conf(nodes),
        "plugstack.conf": _PLUGINS,
        "topology.conf": topology_conf(nodes),
        "topology.yaml": topology_yaml(nodes),
    }


def extra_conf() -> str:
    """Lines of slurm.conf that the operator does not write. A job that loses a node starts anew, as other jobs do."""
    return f"TaskProlog={FOLDER}/task-prolog\nJobRequeue=1\n"


def environment(pool: JobPool, image: str) -> Mapping[str, str]:
    """Variables of every job of a pool: the fabric's, and the image that loads it as enroot writes its name.

    Source of the name: NVIDIA/enroot, doc/cmd/import.md.
    """
    registry, _, path = image.partition("/")
    return {**({} if pool.fabric is None else pool.fabric.env), "JOB_IMAGE": f"{registry}#{path}"}


def node_files(pool: JobPool, image: str, *, home: bool) -> dict[str, str]:
    """The files of a pool's nodes: the environment as shell commands, the prolog that prints it for Slurm, and the
    folders that containers of jobs get.

    Sources: slurm.conf(5), "TaskProlog"; NVIDIA/enroot, doc/configuration.md (mounts.d).
    """
    given = environment(pool, image)
    fabric = [] if pool.fabric is None else [str(mount["mountPath"]) for mount in pool.fabric.mounts]
    folders = [SCRATCH_PATH, SHARED_PATH, *([HOME_PATH] if home else []), FOLDER, *fabric]
    return {
        "environment": _lines(f"export {name}={shlex.quote(value)}" for name, value in sorted(given.items())),
        "task-prolog": _lines(["#!/bin/sh", *(_printed(*item) for item in sorted(given.items()))]),
        "mounts.fstab": _lines(f"{path} {path} none x-create=dir,rbind,rw" for path in dict.fromkeys(folders)),
    }


def _printed(name: str, value: str) -> str:
    return f"echo {shlex.quote(f'export {name}={value}')}"


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
