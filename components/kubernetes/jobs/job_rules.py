"""Admission rules for jobs and pods: parameters of the policies in `manifests/`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pulumi

from gpucluster.components.kubernetes.jobs.image_rules import image_values
from gpucluster.components.kubernetes.jobs.job_pool import FabricPod, JobPool
from gpucluster.components.kubernetes.jobs.queue_limits import limit_values
from gpucluster.components.kubernetes.objects.manifest import manifests
from gpucluster.components.kubernetes.objects.objects import Declared
from gpucluster.core.catalog.fabrics import FabricRelease


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
) -> dict[str, list[dict[str, Any]]]:
    """Name -> the manifests of a policy and its binding.

    pools: their pods define the permissions that any pod may have. release: of the fabric, which not all images can
    load. queues: runtime -> queues of its pools. namespaces: of jobs. restricted: whether their pod security standard
    already refuses access to the machine.
    """
    values = {
        "namespaces": namespaces,
        **_queue_values(queues),
        **limit_values(pools, queues),
        **_pod_values(pools),
        **image_values(release),
    }
    rules = ("training-jobs", "gpu-pods", *(() if restricted else ("training-pods",)))
    folder = Path(__file__).with_name("manifests")
    return {rule: manifests(folder / f"{rule}.yaml", values) for rule in rules}


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
