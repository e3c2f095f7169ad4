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
