"""Which switch a machine hangs on, by the topology of its queue."""

from __future__ import annotations

import pytest

from gpucluster.components.gcp.fabric.fabric_pod import TOPOLOGY_LABELS
from gpucluster.core.program.readers.files import read_text
from gpucluster.cost.estimate.estimate import estimate
from gpucluster.operate.rehearse.outcome import Outcome, Place, Verdict
from gpucluster.operate.rehearse.report import report
from tests.gpucluster.operate.rehearse.objects import manifest, node

HOSTNAME = "kubernetes.io/hostname"
STATE = '{"version": 3, "deployment": {"manifest": {}, "resources": []}}'


@pytest.mark.parametrize(
    ("levels", "leaf"),
    [
        ((*TOPOLOGY_LABELS, HOSTNAME), "cloud.google.com/gce-topology-subblock"),
        (("topology.k8s.aws/network-node-layer-3", HOSTNAME), "topology.k8s.aws/network-node-layer-3"),
    ],
)
def test_two_machines_under_one_switch_are_told_so(levels: tuple[str, ...], leaf: str) -> None:
    nodes = [node(name, "m1") for name in ("a", "b")]
    for one in nodes:
        one["metadata"]["labels"] |= {label: f"{label} of {one['metadata']['name']}" for label in levels}
        one["metadata"]["labels"][leaf] = "switch-1"
    places = tuple(Place(pod=f"on-{name}", node=name, waits="", gpus=8, slices="") for name in ("a", "b"))
    outcome = Outcome(manifest=manifest(), verdict=Verdict.RUNS, places=places)
    topology = {"spec": {"levels": [{"nodeLabel": label} for label in levels]}}
    [job] = report("trial", [outcome], nodes, [topology], estimate(read_text(STATE, "a state"))).jobs
    assert job.switches == {"a": "switch-1", "b": "switch-1"}
