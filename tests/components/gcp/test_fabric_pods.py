"""What the fabric adds to the pods of a training job, for each machine type."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpucluster.components.gcp.cloud import CLOUD
from gpucluster.components.gcp.fabric.fabric_pod import _copy_tests, fabric_pod, mpi_fabric_pod
from gpucluster.components.gcp.location import Location
from gpucluster.components.gcp.pools.job_pools import job_pools
from gpucluster.components.kubernetes.jobs.runtimes import mpi_runtime
from gpucluster.components.spec.file import read_spec
from tests.components.gcp.fabrics import FABRICS

FLEX_START = Path(__file__).parents[3] / "examples/specs/gcp/flex-start.yaml"
# What Kueue compares of two sets of pods before it requests them as one. Source: kubernetes-sigs/kueue v0.19.2,
# pkg/controller/admissionchecks/provisioning/controller.go (arePodSetsSimilar).
COMPARED = ("resources", "nodeSelector", "tolerations", "affinity", "resourceClaims")


@pytest.mark.parametrize("machine", FABRICS)
def test_only_the_daemon_of_a_fabric_may_gain_privileges(machine: str) -> None:
    fabric = FABRICS[machine]
    for pod in (fabric_pod(fabric), mpi_fabric_pod(fabric)):
        contexts = {it["name"]: it.get("securityContext", {}) for it in pod.before}
        assert [name for name, of in contexts.items() if of.get("allowPrivilegeEscalation") is True] == []
    assert _copy_tests(fabric)["securityContext"] == {"allowPrivilegeEscalation": False}


@pytest.mark.parametrize("machine", FABRICS)
def test_whatever_a_pod_of_a_fabric_mounts_is_a_volume_of_it(machine: str) -> None:
    fabric = FABRICS[machine]
    for pod in (fabric_pod(fabric), mpi_fabric_pod(fabric)):
        volumes = [volume["name"] for volume in pod.volumes]
        mounted = {mount["name"] for mount in pod.mounts}
        mounted |= {mount["name"] for it in pod.before for mount in it["volumeMounts"]}
        assert (sorted(mounted - {*volumes}), len(volumes)) == ([], len({*volumes}))
    sockets = [mount["name"] for mount in fabric_pod(fabric).mounts if "sockets" in mount["name"]]
    assert sockets == (["tcpx-sockets"] if fabric.kind == "TCPX" else [])


def test_the_launcher_and_the_nodes_of_an_mpi_job_are_one_set_of_pods_to_gkes_queue() -> None:
    """GKE refuses a request with two (ray-project/ray issue 57839)."""
    here = Location(project="my-project", region="us-central1", zone="us-central1-b")
    [pool] = job_pools(CLOUD.plan_cluster(read_spec(FLEX_START), here, stack="gcp-trial"))

    def requested(job: Any) -> list[Any]:
        pod = job["template"]["spec"]["template"]["spec"]
        containers = [[one.get("resources") for one in pod[kind]] for kind in ("containers", "initContainers")]
        return [containers, [pod.get(field) for field in COMPARED]]

    node, launcher = map(requested, mpi_runtime(pool, "image", home=False)["template"]["spec"]["replicatedJobs"])
    assert node == launcher
