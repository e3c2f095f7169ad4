"""What the fabric adds to the pods of a training job, for each machine type."""

from __future__ import annotations

import pytest

from gpucluster.components.gcp.fabric import FABRICS
from gpucluster.components.gcp.fabric_pod import _copy_tests, fabric_pod, mpi_fabric_pod


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
