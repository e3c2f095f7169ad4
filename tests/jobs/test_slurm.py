"""What a real API server says of the objects of Slurm, by the definitions of its operator, and of pods with GPUs in
each scheduler's pools; and what the operator itself makes of the objects, where no pod gets a node.
"""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gpucluster.components.kubernetes.objects import charts
from gpucluster.components.kubernetes.objects.namespace import namespace
from gpucluster.sandbox.api_server.binaries import find_binaries
from gpucluster.sandbox.api_server.client import Client, ObjectRefused
from gpucluster.sandbox.api_server.definitions import definitions_of, source_of
from gpucluster.sandbox.api_server.server import Server, open_server
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.live.charts import CHARTS
from gpucluster.sandbox.live.controllers import Site
from gpucluster.sandbox.live.programs import programs
from gpucluster.sandbox.live.release import running
from tests.components.recorded import plan_of
from tests.waiting import wait_for

pytestmark = pytest.mark.slow

OPERATOR = "system:serviceaccount:slinky:slurm-operator"
DAEMONS = "system:serviceaccount:kube-system:daemon-set-controller"


class Cluster:
    """The API server of a cluster of a recorded spec, with all that its Slurm consists of, and its rules."""

    def __init__(self, server: Server, cloud: str) -> None:
        self.server = server
        self.client = Client(server)
        self.plan = plan_of(cloud, "slurm")

    def objects(self, start: str) -> Iterator[dict[str, Any]]:
        """The objects whose names start so, but for releases of charts and parts without a manifest."""
        for name, inputs in self.plan.inputs.items():
            if name.startswith(start) and "apiVersion" in inputs:
                yield _opened(inputs)

    def said(self, document: Mapping[str, Any], user: str | None = None) -> str:
        """What the server says of an object; nothing where it takes it."""
        headers = self.client._headers  # pyright: ignore[reportPrivateUsage]
        if user is not None:
            headers |= {"Impersonate-User": user, "Impersonate-Group": "system:masters"}
        try:
            self.client.apply(document, dry_run=True)
        except ObjectRefused as refusal:
            return str(refusal)
        finally:
            for header in ("Impersonate-User", "Impersonate-Group"):
                headers.pop(header, None)
        return ""

    def node_set(self, pool: str) -> dict[str, Any]:
        return _opened(self.plan.inputs[f"slurm-{pool}-nodeset"])


def _opened(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _opened(item) for key, item in value.items() if item is not None}
    return [_opened(item) for item in value] if isinstance(value, list) else value


def pod(space: str, pool: str | None = None, *, gpus: int = 8, **more: Any) -> dict[str, Any]:
    """A pod with GPUs. pool: that it selects."""
    limits: dict[str, Any] = {"limits": {"nvidia.com/gpu": gpus}} if gpus else {}
    selected: dict[str, Any] = {"nodeSelector": {"gpucluster/pool": pool}} if pool else {}
    container = {"name": "a", "image": "a:1", "resources": limits}
    spec: dict[str, Any] = {"containers": [container], **selected, **more}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": space}, "spec": spec}


@pytest.fixture(scope="module", params=["aws", "gcp", "azure"])
def cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with open_server(tmp_path_factory.mktemp(request.param), find_binaries()) as server:
        found = Cluster(server, request.param)
        source = source_of("slurm-operator-crds", charts.SLURM_CRDS.version)
        assert source is not None
        found.client.define(definitions_of(source))
        found.client.apply(namespace("training", "privileged"))
        for document in sorted(found.objects("slurm-"), key=lambda one: one["kind"] != "Namespace"):
            if "name" in document.get("metadata", {}):
                found.client.apply(document)
        for document in found.objects("jobs-rules-"):
            found.client.apply(document)
        wait_for(
            "the rules are in force",
            lambda: found.said(pod("slurm", "training"), "somebody") and found.said(pod("training", "training")),
        )
        yield found


def test_the_api_server_takes_every_object_of_slurm(cluster: Cluster) -> None:
    """It took them above; these are the kinds that the operator turns into pods."""
    made = [document for document in cluster.objects("slurm-") if document["apiVersion"].startswith("slinky.")]
    pools = [document["metadata"]["name"] for document in made if document["kind"] == "NodeSet"]
    assert {document["kind"] for document in made} == {"Controller", "LoginSet", "NodeSet", "RestApi"}
    assert "training" in pools
    for document in made:
        there = cluster.client.get(document)
        assert there is not None
        # What the definitions do not know is dropped without a word.
        assert _lacking(document["spec"], there["spec"]) == []


def _lacking(sent: Any, there: Any, at: str = "spec") -> list[str]:
    if isinstance(sent, dict) and isinstance(there, dict):
        return [one for key, item in sent.items() for one in _lacking(item, there.get(key), f"{at}.{key}")]
    if isinstance(sent, list) and isinstance(there, list) and len(sent) == len(there):
        return [
            one
            for number, pair in enumerate(zip(sent, there, strict=True))
            for one in _lacking(*pair, f"{at}[{number}]")
        ]
    return [] if sent == there else [at]


def test_gpus_of_slurms_namespace_are_for_slurmd_alone(cluster: Cluster) -> None:
    assert cluster.said(pod("slurm", "training"), OPERATOR) == ""
    assert "for slurmd alone" in cluster.said(pod("slurm", "training"), "somebody")
    tolerates = {"tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}]}
    assert "for slurmd alone" in cluster.said(pod("slurm", "training", gpus=0, **tolerates), "somebody")
    assert cluster.said(pod("slurm", gpus=0), "somebody") == ""


def test_the_operator_gets_no_pool_of_kueue(cluster: Cluster) -> None:
    for pool in ("system", None):
        assert "given by Kueue" in cluster.said(pod("slurm", pool), OPERATOR)


def test_no_job_of_kueue_gets_a_pool_of_slurm(cluster: Cluster) -> None:
    labelled = pod("training", "training")
    labelled["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "training"}
    assert "no kueue.x-k8s.io/queue-name of a pool" in cluster.said(labelled)
    assert "no kueue.x-k8s.io/queue-name of a pool" in cluster.said(pod("training", "training"), OPERATOR)


NODE_SET = {"apiVersion": "slinky.slurm.net/v1beta1", "kind": "NodeSet"}
LABELS = {"team": "research", "project": "foundation-model", "cost-center": "cc-1234", "owner": "ml-platform"}


@pytest.fixture(scope="module")
def operated(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The same with the operator, with the rights and flags of its chart, until the pods of `training` are there."""
    needed = [program for program in programs() if program.name in ("render", "slurm-operator")]
    if not all(program.is_there() for program in needed):
        pytest.skip("the operator is a program that `make builds` builds, once")
    for name in ("auth", "jwt"):
        # As by the controller of tokens, which does not run here.
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "slurm"}}
        cluster.client.patch(secret, {"data": {"token": base64.b64encode(b"key" * 32).decode()}})
    with _operator(cluster, tmp_path_factory.mktemp("operator")):
        yield cluster


@contextmanager
def _operator(cluster: Cluster, folder: Path) -> Generator[None]:
    ledger = Ledger(folder / "ledger")
    site = Site(server=cluster.server, client=cluster.client, ledger=ledger, scope="", folder=folder, say=print)
    found = running(CHARTS["slurm-operator"], _opened(cluster.plan.inputs["slurm-operator"]), site)
    for document in found.objects:
        cluster.client.apply(document)
    log = folder / "log"
    with log.open("w") as written:
        process = subprocess.Popen(
            found.controller.command, env={**found.controller.environment}, stdout=written, stderr=written
        )
        try:
            wait_for(
                "the pods are there", lambda: len(_pods(cluster, "training")) == 4, of=process, scene=log.read_text
            )
            yield
        finally:
            process.terminate()
            assert process.wait() == 0
            ledger.close()
    assert "forbidden" not in log.read_text()


def _pods(cluster: Cluster, pool: str) -> dict[str, Any]:
    """Those that do not go, by their names."""
    labels = f"app.kubernetes.io/name=slurmd,app.kubernetes.io/instance={pool}"
    found = cluster.client.list("v1", "Pod", namespace="slurm", labels=labels)
    return {pod["metadata"]["name"]: pod for pod in found if not pod["metadata"].get("deletionTimestamp")}


def test_the_operator_makes_a_pod_for_each_machine_and_the_rules_let_it(operated: Cluster) -> None:
    asked = operated.node_set("training")["spec"]
    pods = _pods(operated, "training")
    assert [*pods] == [f"training-{number}" for number in range(4)]
    for name, made in pods.items():
        [slurmd] = made["spec"]["containers"]
        assert slurmd["resources"]["limits"] == asked["slurmd"]["resources"]["limits"]
        assert f"--conf 'Features=training Gres=gpu:h100:8 Realmemory={_memory(asked)}'" in " ".join(slurmd["args"])
        assert made["spec"]["hostname"] == name
        assert made["spec"]["nodeSelector"] == asked["template"]["spec"]["nodeSelector"]
        assert made["metadata"]["labels"].items() >= LABELS.items()
        # One on each machine, whatever its pool.
        [apart] = made["spec"]["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        assert apart["topologyKey"] == "kubernetes.io/hostname"
        steps = {one["name"] for one in made["spec"]["initContainers"]}
        assert steps == {"logfile", *(one["name"] for one in asked["template"]["spec"]["initContainers"])}


def _memory(node_set: Mapping[str, Any]) -> str:
    return dict(item.split("=") for item in node_set["extraConf"].split(" "))["RealMemory"]


def test_a_copy_of_such_a_pod_by_anybody_else_is_refused(operated: Cluster) -> None:
    copied = {**_pods(operated, "training")["training-0"], "apiVersion": "v1", "kind": "Pod"}
    copied["metadata"] = {"name": "mine", "namespace": "slurm"}
    assert "for slurmd alone" in operated.said(copied, "somebody")
    assert operated.said(copied, OPERATOR) == ""


def test_the_operator_makes_the_other_programs_and_the_partitions(operated: Cluster) -> None:
    client = operated.client
    made = [*client.list("apps/v1", "StatefulSet", namespace="slurm")]
    made += client.list("apps/v1", "Deployment", namespace="slurm")
    assert sorted(one["metadata"]["name"] for one in made) == ["login", "slurm-controller", "slurm-restapi"]
    assert [one for one in made if not one["spec"]["template"]["metadata"]["labels"].items() >= LABELS.items()] == []
    [written] = [
        one for one in client.list("v1", "ConfigMap", namespace="slurm") if one["metadata"]["name"] == "slurm-config"
    ]
    lines = written["data"]["slurm.conf"].splitlines()
    pools = {one["metadata"]["name"]: one["spec"] for one in operated.objects("slurm-") if one["kind"] == "NodeSet"}
    assert {line for line in lines if line.startswith(("NodeSet=", "PartitionName="))} == {
        line
        for name, spec in pools.items()
        for line in (
            f"NodeSet={name} Feature={name}",
            f"PartitionName={name} Nodes={name} {spec['partition']['config']}",
        )
    }
    assert {"TaskProlog=/etc/gpucluster/task-prolog", "JobRequeue=1"} <= {*lines}


def test_a_pool_gets_as_many_pods_as_its_number_says(operated: Cluster) -> None:
    training = {**NODE_SET, "metadata": {"name": "training", "namespace": "slurm"}}
    for replicas in (2, 4):
        operated.client.patch(training, {"spec": {"replicas": replicas}})
        names = [f"training-{number}" for number in range(replicas)]
        wait_for(f"{replicas} pods", lambda names=names: [*_pods(operated, "training")] == names)

    def counted() -> bool:
        there = operated.client.get(training)
        return there is not None and there["status"].get("replicas") == 4

    wait_for("the status counts them", counted)


def test_nothing_of_the_operators_waits_for_it_when_it_is_deleted(operated: Cluster) -> None:
    kinds = {"v1": ("Pod", "Service", "ConfigMap", "Secret"), "apps/v1": ("StatefulSet", "Deployment")}
    kinds["slinky.slurm.net/v1beta1"] = ("Controller", "LoginSet", "NodeSet", "RestApi")
    made = [
        one
        for version, names in kinds.items()
        for kind in names
        for one in operated.client.list(version, kind, namespace="slurm")
    ]
    assert len(made) > 12
    assert [one["metadata"]["name"] for one in made if one["metadata"].get("finalizers")] == []
