"""elbencho on shared storage from all nodes at once: large files, then many small ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.components.planning.names import (
    ACCEPTANCE,
    ADDONS_TOLERATION,
    POOL,
    SHARED_CLAIM,
    SHARED_PATH,
    SYSTEM_POOL,
)
from gpucluster.operate.acceptance.measurements import ALL_GATHER, ALL_TO_ALL
from gpucluster.operate.acceptance.runs.steps import (
    Step,
    collective,
    diagnosis,
    indexed_job,
    node_counts,
    one_a_node,
    pair_rounds,
)
from gpucluster.operate.acceptance.verdicts.verdict import CANNOT_TELL, Verdict

ELBENCHO_IMAGE: Final = (
    "breuner/elbencho:v3.1-11@sha256:719fba92cab57c773ddf7a2776414b358aeb8126a15fbc8e3c52469ce3a5b8b2"
)
"""The tool author's image on Docker Hub. Source of the digest: the pins of a public storage benchmark."""

_NAME: Final = "acceptance-storage"
_SERVED: Final = f"{_NAME}-node"
_PORT: Final = 1611

# Per node: 8 threads with a file of 8 GiB each, past every cache; then 8 threads with 2,500 files of 4 KiB each.
_LARGE: Final = (
    "--threads 8 --dirs 1 --files 1 --size 8g --block 1m --direct --iodepth 4 --mkdirs --write --read --delfiles "
    "--deldirs"
)
_SMALL: Final = (
    "--threads 8 --dirs 1 --files 2500 --size 4k --block 4k --mkdirs --write --stat --read --delfiles --deldirs"
)


def storage(nodes: Sequence[str]) -> Step:
    """One service per node, and a coordinator on a CPU node, so that no GPU waits."""
    hosts = ",".join(f"{_SERVED}-{index}.{_NAME}" for index in range(len(nodes)))
    results, folder = "/tmp/results.json", f"{SHARED_PATH}/acceptance"
    measure = " && ".join(
        f"elbencho --hosts {hosts} --svcwait 900 {work} --jsonfile {results} --nolive {folder} >/dev/null"
        for work in (_LARGE, _SMALL)
    )
    quit_ = f"elbencho --hosts {hosts} --quit"
    script = f"mkdir -p {folder} && {measure}; code=$?; {quit_}; cat {results}; exit $code"
    served = {
        **one_a_node(_SERVED, nodes),
        "subdomain": _NAME,
        "containers": [_container(f"exec elbencho --service --foreground --port {_PORT}")],
        "volumes": [_volume()],
    }
    coordinator = {
        "nodeSelector": {POOL: SYSTEM_POOL},
        "tolerations": [ADDONS_TOLERATION],
        "automountServiceAccountToken": False,
        "containers": [_container(script)],
        "volumes": [_volume()],
    }
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": _NAME, "labels": {ACCEPTANCE: _NAME}},
        "spec": {
            "clusterIP": "None",
            "publishNotReadyAddresses": True,
            "selector": {ACCEPTANCE: _SERVED},
            "ports": [{"port": _PORT}],
        },
    }
    return Step(
        name=_NAME,
        title=f"shared storage from {len(nodes)} nodes, large files and small ones",
        objects=(
            service,
            indexed_job(_SERVED, _SERVED, count=len(nodes), pod=served),
            indexed_job(_NAME, _NAME, count=1, pod=coordinator),
        ),
        watched=("job", _NAME),
        logged=f"{ACCEPTANCE}={_NAME}",
        pods=f"{ACCEPTANCE}={_SERVED}",
        minutes=60,
    )


def _container(script: str) -> dict[str, Any]:
    return {
        "name": "elbencho",
        "image": ELBENCHO_IMAGE,
        "command": ["/bin/sh", "-c", script],
        "volumeMounts": [{"name": SHARED_CLAIM, "mountPath": SHARED_PATH}],
        "securityContext": {"allowPrivilegeEscalation": False},
    }


def _volume() -> dict[str, Any]:
    return {"name": SHARED_CLAIM, "persistentVolumeClaim": {"claimName": SHARED_CLAIM}}


_PAIR_ROUNDS: Final = 3
"""Partners of each node: one slow partner must not make a good node suspect."""


@dataclass(frozen=True, kw_only=True)
class Scope:
    """names: of the measured nodes. cordoned: those that get no job of the queue. queued: nodes that the queue gives to
    one job, without spares. priority: class of its jobs in the queue. `high` has precedence over waiting jobs, and
    preempts running ones with a lower class.
    """

    names: Sequence[str]
    cordoned: Sequence[str] = ()
    queued: int
    priority: str = "high"

    @property
    def ringed(self) -> Sequence[str]:
        """Nodes that a ring can use.

        Kueue assigns no pod to a cordoned node, whatever the pod tolerates; without that assignment the scheduler does
        not place it. Source: kubernetes-sigs/kueue v0.19.2, pkg/cache/scheduler/tas_nodes_cache.go.
        """
        return [name for name in self.names if name not in self.cordoned]

    @property
    def most(self) -> int:
        """Nodes of the largest ring."""
        return min(len(self.ringed), self.queued)

    def steps(self, *, level: int) -> list[Step]:
        """The steps in order. Spares are measured in a separate ring. level: of the diagnosis."""
        names, most, priority = self.ringed, self.most, self.priority
        rings = [
            collective(names[:count], name=f"acceptance-ring-{count}", priority=priority) for count in node_counts(most)
        ]
        if 1 < most < len(names):
            rings.append(collective(names[-most:], name=f"acceptance-ring-{most}-with-spares", priority=priority))
        others = [
            collective(names[:most], kind, name=f"acceptance-{kind}-{most}", priority=priority)
            for kind in (ALL_GATHER, ALL_TO_ALL)
            if most > 1
        ]
        return [diagnosis(self.names, level=level), *rings, *others, storage(self.names)]

    def pairs(self) -> list[list[Step]]:
        """Rounds of pairs; the pairs of a round run concurrently."""
        return pair_rounds(self.ringed, count=_PAIR_ROUNDS, priority=self.priority) if self.most > 1 else []

    def unringed(self) -> list[str]:
        """Nodes that no ring includes."""
        seen = {*self.ringed[: self.most], *self.ringed[-self.most :]} if self.most > 1 else set[str]()
        return [name for name in self.names if name not in seen]


def no_ring(scope: Scope, nodes: Sequence[str]) -> list[Verdict]:
    """Verdicts on nodes without a ring: their fabric was not measured."""
    cordoned = [node for node in nodes if node in scope.cordoned]
    others = [node for node in nodes if node not in scope.cordoned]
    reasons = [
        (cordoned, "the queue does not schedule on cordoned nodes; uncordon, and measure again with another --results"),
        (others, "a ring needs two nodes of the queue; measure these with others, in another --results"),
    ]
    return [
        Verdict(
            check="all-reduce",
            outcome=CANNOT_TELL,
            why=f"{', '.join(found)} in no ring: {why}",
            nodes=tuple(found),
        )
        for found, why in reasons
        if found
    ]
