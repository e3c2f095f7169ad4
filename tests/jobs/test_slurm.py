"""What a real API server says of the objects of Slurm, by the definitions of its operator, and of pods with GPUs in
each scheduler's pools. The operator itself runs in tests/stacks/test_slurm.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from gpucluster.components.kubernetes.objects import charts
from gpucluster.components.kubernetes.objects.namespace import namespace
from gpucluster.sandbox.api_server.binaries import find_binaries
from gpucluster.sandbox.api_server.client import Client, ObjectRefused
from gpucluster.sandbox.api_server.definitions import definitions_of, source_of
from gpucluster.sandbox.api_server.server import open_server
from tests.components.recorded import plan_of
from tests.waiting import wait_for

pytestmark = pytest.mark.slow

OPERATOR = "system:serviceaccount:slinky:slurm-operator"
DAEMONS = "system:serviceaccount:kube-system:daemon-set-controller"


class Cluster:
    """The API server of a cluster of a recorded spec, with all that its Slurm consists of, and its rules."""

    def __init__(self, client: Client, cloud: str) -> None:
        self.client = client
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
        found = Cluster(Client(server), request.param)
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
    moved = cluster.node_set("training")
    assert cluster.said(moved) == ""
    moved["spec"]["template"]["spec"]["nodeSelector"]["gpucluster/pool"] = "elsewhere"
    assert "given by Kueue" in cluster.said(moved)
    moved["spec"]["template"]["spec"] = {"hostname": "training-"}
    assert "given by Kueue" in cluster.said(moved)


def test_no_job_of_kueue_gets_a_pool_of_slurm(cluster: Cluster) -> None:
    labelled = pod("training", "training")
    labelled["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "training"}
    assert "no kueue.x-k8s.io/queue-name of a pool" in cluster.said(labelled)
    assert "no kueue.x-k8s.io/queue-name of a pool" in cluster.said(pod("training", "training"), OPERATOR)
