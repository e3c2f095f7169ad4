"""Admission rules for jobs and pods: parameters of the policies in `manifests/`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pulumi
from packaging.version import Version

from gpucluster.components.kubernetes.jobs.job_pool import FabricPod, JobPool
from gpucluster.components.kubernetes.objects.manifest import manifests
from gpucluster.components.kubernetes.objects.objects import Declared
from gpucluster.components.planning.names import FLEET, GPU, TRAINING_POOL
from gpucluster.components.shared.fleet import FleetPlan
from gpucluster.core.catalog.fabrics import CUDA, DatedTag, FabricRelease, dated_tags, torch_from


def job_rules(name: str, policies: Mapping[str, Sequence[Mapping[str, Any]]], opts: pulumi.ResourceOptions) -> None:
    """Declares the policies, each with its binding."""
    for rule, (policy, binding) in policies.items():
        first = Declared(f"{name}-{rule}", policy, opts)
        bound = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[first]))
        Declared(f"{name}-{rule}-binding", binding, bound)


def rules_of(
    pools: Sequence[JobPool],
    *,
    release: FabricRelease,
    queues: Mapping[str, Sequence[str]],
    namespaces: Sequence[str],
    restricted: bool,
    fleet: FleetPlan | None = None,
    of_slurm: Sequence[JobPool] = (),
) -> dict[str, list[dict[str, Any]]]:
    """Name -> the manifests of a policy and its binding.

    pools: their pods define the permissions that any pod may have. release: of the fabric, which not all images can
    load. queues: runtime -> queues of its pools. namespaces: of jobs. restricted: whether their pod security standard
    already refuses access to the machine. fleet: None without one. of_slurm: pools without a queue, among which may be
    the one with the fabric.
    """
    values = {
        "namespaces": namespaces,
        **_queue_values(queues),
        **limit_values(pools, queues, fleet),
        **_pod_values(pools),
        **image_values(release),
    }
    names = ("training-jobs", "gpu-pods", *(() if restricted else ("training-pods",)))
    rules = {name: _policy(name, values) for name in names}
    apart = _apart(pools, queues)
    for pool in (*pools, *(of_slurm if apart else ())):
        if pool.fabric is not None:
            spec, queued = rules["gpu-pods"][0]["spec"], pool in pools
            found = _fabric_values(pool, pool.fabric, spec, apart, queued=queued, has_fleet=fleet is not None)
            rules["several-nodes"] = _policy("several-nodes", {**values, **found})
    if fleet is not None and fleet.manager is None:
        spec = rules["gpu-pods"][0]["spec"]
        objects = spec["matchConstraints"]["resourceRules"]
        variables = _with_dependencies(spec["variables"], {"parts", "queue", "bare"})
        rules["fleet-jobs"] = _policy("fleet-jobs", {**values, "objects": objects, "variables": variables})
    return rules


def _policy(name: str, values: Mapping[str, object]) -> list[dict[str, Any]]:
    return manifests(Path(__file__).with_name("manifests") / f"{name}.yaml", values)


def _apart(pools: Sequence[JobPool], queues: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Runtime of machines without a fabric -> Gb/s of a machine's network."""
    by_name = {pool.name: pool for pool in pools}
    served = {runtime: by_name[found[0]] for runtime, found in queues.items()}
    return {runtime: f"{pool.shape.host_gbps:,}" for runtime, pool in served.items() if pool.fabric is None}


_TRAINJOBS: Final = {
    "apiGroups": ["trainer.kubeflow.org"],
    "apiVersions": ["v1alpha1"],
    "operations": ["CREATE", "UPDATE"],
    "resources": ["trainjobs"],
}


def _fabric_values(
    pool: JobPool,
    fabric: FabricPod,
    gpu_pods: Mapping[str, Any],
    apart: Mapping[str, str],
    *,
    queued: bool,
    has_fleet: bool,
) -> dict[str, object]:
    """gpu_pods: specification of the policy that reads the same objects. apart: as `_apart` returns it. queued: whether
    the pool has a queue; its runtime has the same name.
    """
    resources = {name: f"{name}: {amount}" for name, amount in fabric.resources.items()}
    marks = [*resources, *fabric.annotations]
    return {
        "objects": [*gpu_pods["matchConstraints"]["resourceRules"], _TRAINJOBS],
        "variables": [
            *_with_dependencies(gpu_pods["variables"], {"parts", "queue", "made"}),
            {"name": "apart", "expression": json.dumps(apart)},
        ],
        "other_queue": f"!(variables.queue in ['{pool.name}', '{FLEET}'])"
        if has_fleet
        else f"variables.queue != '{pool.name}'",
        "or_one_cloud": f"; jobs of the queue {FLEET} have no fabric: use {pool.name}" if has_fleet else "",
        "several": f"the runtime {pool.name}" if queued else f"the partition {pool.name} of Slurm (sbatch)",
        "gpus": pool.shape.gpus,
        "fabric": marks,
        "how": [resources.get(mark, f"the annotation {mark}") for mark in marks],
        "host_gbps": f"{pool.shape.host_gbps:,}",
        "fabric_gbps": f"{pool.shape.fabric_gbps:,}",
    }


def _with_dependencies(variables: Sequence[Mapping[str, Any]], wanted: set[str]) -> list[Mapping[str, Any]]:
    """The wanted variables of a policy and those that they refer to. Each refers only to earlier ones."""
    for variable in reversed(variables):
        if variable["name"] in wanted:
            wanted |= {*re.findall(r"variables\.(\w+)", variable["expression"])}
    return [variable for variable in variables if variable["name"] in wanted]


def _queue_values(queues: Mapping[str, Sequence[str]]) -> dict[str, object]:
    fitting: dict[str, list[str]] = {}
    for runtime, found in queues.items():
        fitting.setdefault(" or ".join(found), []).append(runtime)
    return {
        "queues": queues,
        "served": "; ".join(f"{found} for {' and '.join(names)}" for found, names in fitting.items()),
    }


def _pod_values(pools: Sequence[JobPool]) -> dict[str, object]:
    """Parts of the machine that pods may use, and names of the runtimes' own volumes and mounts."""
    fabrics = [part for pool in pools for part in (pool.fabric, pool.mpi_fabric) if part is not None]
    volumes = [volume for fabric in fabrics for volume in fabric.volumes]
    mounted = {volume["hostPath"]["path"] for volume in volumes if isinstance(volume.get("hostPath"), Mapping)}
    folders = sorted(mounted | {pool.scratch for pool in pools if pool.scratch is not None})
    return {
        "folders": folders,
        "but_the_folders": f" other than {', '.join(folders)}," if folders else ",",
        "rights": sorted({right for fabric in fabrics for right in _rights(fabric)}),
        "volumes": sorted({"shm", "scratch", "shared", "home", "ssh", *(volume["name"] for volume in volumes)}),
        "mounts": sorted({"/dev/shm", *(mount["mountPath"] for fabric in fabrics for mount in fabric.mounts)}),
    }


def _rights(fabric: FabricPod) -> list[str]:
    contexts: list[Mapping[str, Any]] = [container.get("securityContext", {}) for container in fabric.before]
    return [
        *fabric.capabilities,
        *(right for context in contexts for right in context.get("capabilities", {}).get("add", [])),
    ]


_FIRST: Final = ""
_LAST: Final = "~"
"""Sorts before and after every tag."""


def image_values(release: FabricRelease) -> dict[str, object]:
    """Values of the policy; for a release that accepts every image, values that refuse none."""
    cuda, below = release.cuda, release.torch_below
    refused = [_row(torch_from(below), _FIRST, _LAST)] if below else []
    for row, following in pairwise([*dated_tags(), None]):
        if row is not None and _is_wrong(row, release):
            until = following.tag_from if following is not None and following.image == row.image else _LAST
            refused.append(_row(f"(?:^|/){row.image}:[0-9]{{2}}[.][0-9]{{2}}", row.tag_from, until))
    allowed = [
        *([f"CUDA {cuda}"] if cuda else []),
        *([f"PyTorch below {below}, for the fabric's NCCL {release.nccl} lacks what later ones call"] if below else []),
    ]
    return {
        "cuda_tag": CUDA,
        "cuda": cuda or "",
        "refused_images": refused,
        "allowed_images": " and ".join(allowed) or "any",
        "plugin": release.plugin_version,
        "pytorch": release.pytorch,
    }


def _row(matches: str, since: str, until: str) -> dict[str, str]:
    return {"image": matches, "from": since, "until": until}


def _is_wrong(row: DatedTag, release: FabricRelease) -> bool:
    newer = bool(release.torch_below) and Version(row.torch) >= Version(release.torch_below)
    return newer or release.cuda not in (None, row.cuda)


_DEVICES: Final = ("nvidia.com/", "vpc.amazonaws.com/efa", "rdma/")
"""Prefixes of the resource names of GPUs, their slices and the fabric's interfaces."""


def limit_values(
    pools: Sequence[JobPool], queues: Mapping[str, Sequence[str]], fleet: FleetPlan | None = None
) -> dict[str, object]:
    """queues: runtime -> queues of its pools. fleet: None without one."""
    by_name = {pool.name: pool for pool in pools}
    limits = [(pool.name, max(1, pool.nodes), _machine_resources(pool)) for pool in pools]
    most = {name: _queue_resources(pool) for name, pool in by_name.items()}
    if fleet is not None:
        nodes, machine = _fleet_machines(fleet, by_name[TRAINING_POOL])
        limits.append((FLEET, nodes, machine))
        most[FLEET] = {device: amount * nodes for device, amount in machine.items()}
    return {
        "pools": [name for name, _, _ in limits],
        "devices": _DEVICES,
        "asks": {runtime: by_name[found[0]].ask for runtime, found in queues.items()},
        "machine": {name: machine for name, _, machine in limits},
        "most": most,
        "limits": "; ".join(_limit_text(*limit) for limit in limits),
        "own": [f"{next(iter(pool.ask))} in {pool.name}" for pool in pools],
    }


def _fleet_machines(fleet: FleetPlan, training: JobPool) -> tuple[int, dict[str, int]]:
    """Nodes for a job of the fleet's queue, and the devices of each: of a worker its own, of the manager those of the
    largest worker.
    """
    if fleet.manager is not None:
        return max(1, training.nodes), _machine_resources(training)
    return max(((worker.nodes, {GPU: worker.gpus}) for worker in fleet.workers), key=lambda one: one[0])


def _limit_text(name: str, nodes: int, machine: Mapping[str, int]) -> str:
    devices = " and ".join(f"{amount} {device}" for device, amount in machine.items())
    return f"{name} {nodes} with {devices} each"


def _machine_resources(pool: JobPool) -> dict[str, int]:
    return {device: amount // max(1, pool.nodes) for device, amount in _queue_resources(pool).items()}


def _queue_resources(pool: JobPool) -> dict[str, int]:
    return {name: int(amount) for name, amount in pool.quotas.items() if name.startswith(_DEVICES)}
