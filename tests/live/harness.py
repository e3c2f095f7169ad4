"""A live cluster in the hands of a test: submit, wait, and say what is there where it does not come."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeVar

import yaml

from gpucluster.operate.jobs.end import end_pods, find, jobs_in
from gpucluster.operate.rehearse.report import leaves
from gpucluster.sandbox.api_server.client import Client, ObjectRefused
from gpucluster.sandbox.clouds.kubernetes.definitions import chart_of
from gpucluster.sandbox.clouds.kubernetes.objects import RELEASE, cluster_at
from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.live.cluster import LiveCluster, open_cluster
from gpucluster.sandbox.live.commands.node import gpus_of, state_of
from gpucluster.sandbox.live.nodes.fleet import sync
from gpucluster.sandbox.live.nodes.manifest import POOL
from gpucluster.sandbox.project.project import Project, find_project
from tests.waiting import wait_for

__all__ = ["EXAMPLES", "Live", "Object", "living", "trainjob"]

Object = Mapping[str, Any]
T = TypeVar("T")

EXAMPLES: Final = Path(__file__).parents[2] / "examples" / "jobs"
_BROKEN: Final = "gpucluster/broken"
_TRAINER: Final = "trainer.kubeflow.org/v1alpha1"
_KUEUE: Final = "kueue.x-k8s.io/v1beta2"
_ENDED: Final = ("Succeeded", "Failed")


def trainjob(name: str, *, nodes: int = 2, example: str = "pytorch", **labels: str) -> dict[str, Any]:
    """An example of the repository under another name, on so many nodes. labels: Kueue's, by the ends of their keys."""
    job: dict[str, Any] = copy.deepcopy(yaml.load((EXAMPLES / f"{example}.yaml").read_text(), yaml.CSafeLoader))
    job["metadata"]["name"] = name
    job["metadata"]["labels"] |= {f"kueue.x-k8s.io/{key.replace('_', '-')}": value for key, value in labels.items()}
    job["spec"]["trainer"]["numNodes"] = nodes
    return job


@dataclass
class Live:
    """One stack's cluster. left: what tests have made, which goes at the end of each."""

    cluster: LiveCluster
    entry: Entry
    cloud: str
    left: list[Object] = field(default_factory=list[Object])

    @property
    def client(self) -> Client:
        return self.cluster.client

    def submit(self, document: Object) -> Object:
        """Makes it, as `kubectl create` does."""
        made = self.client.create(document)
        self.left.append(document)
        return made

    def refusal(self, document: Object) -> str:
        """What the API server says of an object that it does not take; nothing of one that it would take."""
        try:
            self.client.apply(document, dry_run=True)
        except ObjectRefused as refusal:
            return str(refusal)
        return ""

    def wait_until(self, what: str, look: Callable[[], T | None]) -> T:
        """What `look` finds, once it finds something; else what there is instead."""
        found = wait_for(what, look, scene=self.scene, tick=0.3)
        assert found is not None
        return found

    def nodes(self, pool: str = "training") -> list[Object]:
        """Those of a pool, by its label, in the order of their names."""
        found = self.client.list("v1", "Node", labels=f"gpucluster/pool={pool}")
        return sorted(found, key=lambda node: node["metadata"]["name"])

    def node(self, name: str) -> Object:
        """One, as it is now."""
        found = self.client.get({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})
        assert found is not None, f"there is no node {name}"
        return {"apiVersion": "v1", "kind": "Node", **found}

    def pods(self, job: str, *, ended: bool = False) -> list[Object]:
        """Those of a job that have not ended, in the order of their names."""
        found = self.client.list("v1", "Pod", namespace="training", labels=f"jobset.sigs.k8s.io/jobset-name={job}")
        there = [pod for pod in found if ended or pod["status"].get("phase") not in _ENDED]
        return sorted(there, key=lambda pod: pod["metadata"]["name"])

    def running(self, job: str, number: int) -> list[str]:
        """The nodes of its pods, once so many run; those that go do not count."""

        def look() -> list[str] | None:
            pods = [pod for pod in self.pods(job) if not pod["metadata"].get("deletionTimestamp")]
            fit = len(pods) == number and all(pod["status"].get("phase") == "Running" for pod in pods)
            return sorted(pod["spec"]["nodeName"] for pod in pods) if fit else None

        return self.wait_until(f"{number} pods of {job} run", look)

    def end(self, name: str, code: int = 0) -> None:
        """The pods of a job that run exit with this code, only the first of them where that is a failure."""
        found = find(jobs_in(self.client), name, "training")
        pods = [pod.name for pod in found.pods if pod.phase == "Running"]
        end_pods(self.client, found, code, pods if code == 0 else pods[:1])

    def restarts(self) -> tuple[int, int]:
        """Of the only job: how often it was restarted, and how many of these count towards its `maxRestarts`."""
        [jobset] = self.client.list("jobset.x-k8s.io/v1alpha2", "JobSet", namespace="training")
        return jobset["status"]["restarts"], jobset["status"].get("restartsCountTowardsMax", 0)

    def leaves(self, job: str, node: str) -> bool | None:
        """Whether no pod of a job is bound to a node any more."""
        return not any(pod["spec"].get("nodeName") == node for pod in self.pods(job)) or None

    def workload(self, job: str) -> Object:
        """What Kueue has of a job; nothing where it has nothing."""
        for found in self.client.list(_KUEUE, "Workload", namespace="training"):
            owners = found["metadata"].get("ownerReferences", [])
            if any(owner["name"] == job for owner in owners):
                return found
        return {}

    def condition(self, document: Object, kind: str) -> Object:
        """A condition of an object; nothing where it has none of the type."""
        conditions = document.get("status", {}).get("conditions", [])
        return next((it for it in conditions if it["type"] == kind), {})

    def waits(self, job: str, words: str = "") -> str:
        """Why Kueue does not admit a job, once it says so."""

        def look() -> str | None:
            said = self.condition(self.workload(job), "QuotaReserved")
            message = str(said.get("message", ""))
            return message if said.get("status") == "False" and words in message else None

        return self.wait_until(f"Kueue says why {job} waits ({words!r})", look)

    def holds_nothing(self, job: str) -> None:
        """No pod of a job has a node; of one that Kueue lets wait there is no pod."""
        assert [pod for pod in self.pods(job) if pod["spec"].get("nodeName")] == [], self.scene()

    def leaf(self, name: str) -> str:
        """The place of a node next above the machine, by the narrowest label that its queue goes by."""
        [label] = leaves(self.client.list(_KUEUE, "Topology"))
        return self.node(name)["metadata"]["labels"][label]

    def fill(self, nodes: Sequence[str]) -> list[str]:
        """Takes nodes by one job each, as another team's jobs would; their names."""
        names = [f"fill-{index}" for index in range(len(nodes))]
        others = [node["metadata"]["name"] for node in self.nodes()]
        for name in (other for other in others if other not in nodes):
            self.client.patch(self.node(name), {"spec": {"unschedulable": True}})
        for name in names:
            self.submit(trainjob(name, nodes=1))
            self.running(name, 1)
        for name in (other for other in others if other not in nodes):
            self.client.patch(self.node(name), {"spec": {"unschedulable": None}})
        return names

    def resync(self) -> None:
        """What the cloud does for a pool of a fixed size: new machines for those that are gone."""
        sync(self.client, self.cluster.ledger.all(), self.entry)

    @contextmanager
    def anew(self) -> Generator[None]:
        """Opened as by another command, which starts what the cluster has come to need."""
        project = find_project(self.cluster.folder)
        assert project is not None
        with open_cluster(project, f"{self.cloud}-trial"):
            yield

    @contextmanager
    def configured(self, **settings: Any) -> Generator[None]:
        """Kueue restarts with other settings in the values of its release, as after an `up` that changed them."""
        ledger = self.cluster.ledger
        [before] = [one for one in ledger.find("kubernetes", self.cluster.scope, RELEASE) if chart_of(one) == "kueue"]
        inputs = copy.deepcopy(before.inputs)
        manager = inputs["values"]["managerConfig"]
        given = json.loads(manager["controllerManagerConfigYaml"])
        manager["controllerManagerConfigYaml"] = json.dumps({**given, **settings})
        try:
            ledger.put(replace(before, inputs=inputs))
            with self.anew():
                yield
        finally:
            ledger.put(before)
            with self.anew():
                pass

    def scene(self) -> str:
        """Nodes, pods and workloads, a line each."""
        nodes = [f"  node {it['metadata']['name']}: {state_of(it)}" for it in self.client.list("v1", "Node")]
        pods = [
            f"  pod {it['metadata']['name']}: {it['status'].get('phase')} on {it['spec'].get('nodeName', 'no node')}, "
            f"{gpus_of(it)} GPUs{', going' if it['metadata'].get('deletionTimestamp') else ''}"
            f"{_why(it)}"
            for it in self.client.list("v1", "Pod", namespace="training")
        ]
        queued = [
            f"  workload {it['metadata']['name']}: {_last(it)}"
            for it in self.client.list(_KUEUE, "Workload", namespace="training")
        ]
        return "\n".join([*nodes, *pods, *queued])

    def clean(self) -> None:
        """All nodes well and in their number, and no job left."""
        from gpucluster.sandbox.live import node_events

        for document in self.left:
            self.client.delete(document)
        self.left.clear()
        for node in self.client.list("v1", "Node"):
            if POOL in node["metadata"].get("annotations", {}):
                node_events.repair(self.client, node, self.entry, self.cluster.ledger.all())
                node_events.uncordon(self.client, node)
                self.untaint(node["metadata"]["name"])
        self.resync()
        self.wait_until("all jobs are gone and all nodes are well", self._is_clean)

    def is_broken(self, name: str) -> bool:
        """Whether jobs are kept off a node because it broke."""
        return any(taint["key"] == _BROKEN for taint in _taints(self.node(name)))

    def untaint(self, name: str) -> None:
        """Lets jobs on a node that broke, as a person may, without the two minutes in which it has to stay well."""
        node = self.node(name)
        kept = [taint for taint in _taints(node) if taint["key"] != _BROKEN]
        if len(kept) != len(_taints(node)):
            self.client.patch(node, {"spec": {"taints": kept}})

    def _is_clean(self) -> bool:
        nodes = self.client.list("v1", "Node")
        return (
            all(state_of(node) == "Ready" for node in nodes)
            and not any(taint["key"].startswith("node.kubernetes.io/") for node in nodes for taint in _taints(node))
            and not self.client.list("v1", "Pod", namespace="training")
            and not self.client.list(_KUEUE, "Workload", namespace="training")
        )


def _taints(node: Object) -> Sequence[Object]:
    return node["spec"].get("taints") or []


def _last(workload: Object) -> str:
    conditions = workload.get("status", {}).get("conditions", [])
    return (
        "; ".join(f"{it['type']}={it['status']} {it.get('message', '')[:160]}" for it in conditions) or "nothing said"
    )


def _why(pod: Object) -> str:
    said = [it.get("message", "") for it in pod["status"].get("conditions", []) if it["type"] == "PodScheduled"]
    return f" ({said[0][:160]})" if said and said[0] else ""


@contextmanager
def living(path: Path, stack: str, cloud: str) -> Generator[Live]:
    """The cluster of a stack that stands in the project at a path."""
    project = Project(path / "Pulumi.yaml")
    with open_cluster(project, stack) as cluster:
        entry = cluster_at(cluster.ledger, cluster.scope)
        assert entry is not None
        yield Live(cluster=cluster, entry=entry, cloud=cloud)
