"""A simulated cluster in place of kubectl's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from gpucluster.operate.acceptance.runs.collect import Kubectl

_RANKS = "".join(
    f"#  Rank {rank:2} Group  0 Pid    200 on pod-{rank // 8} device  {rank % 8} "
    f"[0000:5{rank % 8}:00] NVIDIA H100 80GB HBM3\n"
    for rank in range(16)
)
RING = (
    "# nThread 1 nGpus 1 minBytes 4294967296 maxBytes 17179869184 step: 2(factor) warmup iters: 5 iters: 20\n"
    f"{_RANKS}"
    " 17179869184    4294967296     float     sum      -1  89476.3  192.00  {speed}       0  89476.3  192.00  {speed}"
    "       0\n# Avg bus bandwidth    : {speed}\n"
)
DIAGNOSIS = '{"DCGM Diagnostic": {"test_categories": [{"category": "Hardware", "tests": [{"name": "memory", "results": \
[{"entity_group": "GPU", "entity_id": 0, "status": "Pass"}], "test_summary": {"status": "Pass"}}]}]}}'
STORAGE = '{"phase_type": "READ", "config": {"hosts": "2", "file_size": "8589934592"}, "last_done": \
{"bytes/s": "3300000000"}}'


class Clock:
    """In place of the module `time`: waiting takes no time, and looking at the clock takes a minute."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        self.now += 60
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class FakeCluster(Kubectl):
    """What a test sees and sets. nodes: names of training nodes. cordoned: those of them that are.
    speed: bus bandwidth of every ring, GB/s.

    queued: nodes that the queue gives to one job; None for all. checks: what else it waits for.
    polls: questions after an object before it is complete. made: objects, in order; created: their names. standing:
    those not yet removed.
    """

    def __init__(self) -> None:
        self.nodes = ["node-a", "node-b"]
        self.cordoned: list[str] = []
        self.speed = "360.00"
        self.polls = 1
        self.queued: int | None = None
        self.checks: dict[str, Any] = {}
        self.made: list[Mapping[str, Any]] = []
        self.standing: dict[tuple[str, str], int] = {}
        self.holding: list[dict[str, Any]] = []

    @property
    def created(self) -> list[str]:
        return [item["metadata"]["name"] for item in self.made]

    def get(self, *words: str) -> dict[str, Any]:
        match words:
            case ("nodes",):
                return {"items": [_node(name, cordoned=name in self.cordoned) for name in self.nodes]}
            case ("clusterqueue", "training"):
                quota = {"name": "nvidia.com/gpu", "nominalQuota": str(8 * (self.queued or len(self.nodes)))}
                groups = [{"flavors": [{"resources": [quota]}]}]
                return {"spec": {"resourceGroups": groups, **self.checks}}
            case ("pods", "--all-namespaces"):
                return {"items": self.holding}
            case ("pods", "--selector", _):
                return {"items": [pod(f"pod-{index}", name) for index, name in enumerate(self.nodes)]}
            case (kind, name):
                self.standing[kind, name] += 1
                done = self.standing[kind, name] > self.polls
                conditions = [{"type": "Complete", "status": "True"}] if done else []
                return {"status": {"conditions": conditions}}
            case _:
                raise AssertionError(words)

    def apply(self, objects: Sequence[Mapping[str, Any]]) -> None:
        for item in objects:
            key = _key(item)
            assert key not in self.standing
            self.standing[key] = 0
            self.made.append(item)

    def delete(self, objects: Sequence[Mapping[str, Any]]) -> None:
        for item in objects:
            self.standing.pop(_key(item), None)

    def logs(self, selector: str) -> str:
        if "jobset" in selector:
            return RING.format(speed=self.speed)
        return STORAGE if "storage" in selector else f"[pod/pod-0/dcgm] {DIAGNOSIS}\n"


def _key(item: Mapping[str, Any]) -> tuple[str, str]:
    return item["kind"].lower(), item["metadata"]["name"]


def _node(name: str, *, cordoned: bool) -> dict[str, Any]:
    labels = {
        "gpucluster/pool": "training",
        "node.kubernetes.io/instance-type": "p5.48xlarge",
        "topology.kubernetes.io/zone": "us-east-1a",
        "topology.kubernetes.io/region": "us-east-1",
        "topology.k8s.aws/network-node-layer-1": "nn-1",
    }
    return {
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": {"unschedulable": True} if cordoned else {},
    }


def pod(name: str, node: str, gpus: str | None = None) -> dict[str, Any]:
    resources = {"limits": {"nvidia.com/gpu": gpus}} if gpus else {}
    return {
        "metadata": {"name": name, "namespace": "training"},
        "spec": {"nodeName": node, "hostname": name, "containers": [{"resources": resources}]},
        "status": {"phase": "Running"},
    }


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    """The cluster that a session asks, and no waiting."""
    fake = FakeCluster()
    connect: Callable[..., Kubectl] = lambda *_: fake  # noqa: E731
    monkeypatch.setattr("gpucluster.operate.acceptance.runs.session.Kubectl", connect)
    monkeypatch.setattr("gpucluster.operate.acceptance.runs.collect.time", Clock())
    return fake


@pytest.fixture
def holder() -> Callable[..., dict[str, Any]]:
    """A running pod on a node that holds GPUs."""
    return pod
