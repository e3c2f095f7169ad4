"""A simulated cluster whose objects a real API server judges."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gpucluster.sandbox.api_server.binaries import find_binaries
from gpucluster.sandbox.api_server.client import ObjectRefused
from gpucluster.sandbox.api_server.server import open_server
from gpucluster.sandbox.clouds.cloud import CloudError, Resource
from gpucluster.sandbox.clouds.kubernetes.api_server import RealCluster, RealServers, server_folder
from gpucluster.sandbox.clouds.kubernetes.cluster import Cluster
from gpucluster.sandbox.clouds.outputs import after
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.values import UNKNOWN

pytestmark = pytest.mark.slow

SERVER = "https://ABC.gr7.us-east-1.eks.sandbox.invalid"
KARPENTER = {"chart": "oci://public.ecr.aws/karpenter/karpenter-crd", "version": "1.15.2", "name": "crd"}
Asked = Callable[..., Resource]
Make = Callable[..., Entry]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the servers are; the tests of this module share one that runs, and each has names of its own."""
    root = tmp_path_factory.mktemp("kubernetes")
    with open_server(server_folder(root, SERVER), find_binaries()):
        yield root


@pytest.fixture
def servers(root: Path, cluster: Cluster, ledger: Ledger) -> Iterator[RealServers]:
    """Those of one run."""
    assert cluster.server == SERVER
    with RealServers(root, find_binaries(), ledger) as servers:
        yield servers


@pytest.fixture
def real(servers: RealServers, ledger: Ledger) -> RealCluster:
    return RealCluster(ledger, SERVER, {}, servers)


@pytest.fixture
def make(real: RealCluster, ledger: Ledger, asked: Asked) -> Make:
    """Creates an object as the engine would, and returns what the ledger then has."""

    def create(token: str, name: str = "it", /, **inputs: Any) -> Entry:
        resource = asked(token, name, **inputs)
        resource = replace(resource, inputs=real.defaults(resource, b"seed"))
        made = real.create(resource)
        entry = Entry(
            provider="kubernetes",
            scope=SERVER,
            type=resource.token,
            id=made.id,
            name=made.name,
            urn=resource.urn,
            inputs=dict(resource.inputs),
            outputs=after(resource, made.outputs),
        )
        ledger.put(entry)
        return entry

    return create


def _pool(name: str, **disruption: str) -> dict[str, Any]:
    """A pool as its definition wants it."""
    node_class = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "any"}
    template = {"spec": {"nodeClassRef": node_class, "requirements": []}}
    spec = {"template": template, "disruption": {"consolidateAfter": "30s", **disruption}}
    return {"metadata": {"name": name}, "spec": spec}


def test_a_made_object_bears_what_the_server_gave_it(servers: RealServers, make: Make) -> None:
    entry = make("core/v1:Namespace", metadata={"name": "made", "labels": {"a": "b"}})
    there = servers.at(SERVER).client.get({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "made"}})
    assert there is not None
    kept = {key: value for key, value in there["metadata"].items() if key != "managedFields"}
    assert entry.outputs["metadata"] == kept
    assert kept["uid"]
    assert [field["manager"] for field in there["metadata"]["managedFields"]] == ["pulumi-kubernetes"]


def test_a_patch_changes_the_object_that_another_made(servers: RealServers, make: Make) -> None:
    settings = {"name": "shared", "namespace": "default"}
    make("core/v1:ConfigMap", "theirs", metadata=settings, data={"kept": "yes"})
    make("core/v1:ConfigMapPatch", "ours", metadata=settings, data={"linear": "{}"})
    there = servers.at(SERVER).client.get({"apiVersion": "v1", "kind": "ConfigMap", "metadata": settings})
    assert there is not None
    assert "linear" in there["data"]
    assert next(servers.verdict.lines("1.34.1")) == "Real Kubernetes API server 1.34.1: 2 accepted, 0 unchecked"


def test_a_release_brings_definitions_by_which_its_kinds_are_then_judged(make: Make, servers: RealServers) -> None:
    make("helm.sh/v3:Release", **KARPENTER)
    make("karpenter.sh/v1:NodePool", **_pool("good"))
    with pytest.raises(CloudError) as caught:
        make("karpenter.sh/v1:NodePool", **_pool("bad", consolidationPolicy="WhenBored"))
    assert (
        'resource "bad" was not successfully created by the Kubernetes API server: NodePool.karpenter.sh "bad" is '
        'invalid: [spec.disruption.consolidationPolicy: Unsupported value: "WhenBored": supported values: "WhenEmpty", '
        '"WhenEmptyOrUnderutilized", "Balanced"'
    ) in str(caught.value)
    assert [*servers.verdict.lines("1.34.1")] == [
        "Real Kubernetes API server 1.34.1: 1 accepted, 1 refused, 0 unchecked",
        "  accepted: 1 NodePool.karpenter.sh",
        "  refused: 1 NodePool.karpenter.sh",
        "  charts, simulated without the objects inside: 1 Release.helm.sh",
    ]


@pytest.fixture
def of_gke(ledger: Ledger, cluster: Cluster) -> None:
    """The cluster is one of GKE."""
    assert cluster.server == SERVER
    (eks,) = ledger.of_types(["aws:eks/cluster:Cluster"])
    ledger.remove(eks.provider, eks.scope, eks.type, eks.id)
    ledger.put(replace(eks, type="gcp:container/cluster:Cluster", outputs={"endpoint": SERVER.partition("//")[2]}))


@pytest.mark.usefixtures("of_gke")
def test_a_kind_without_a_definition_is_left_to_the_sandboxs_own_rules(make: Make, servers: RealServers) -> None:
    make("cloud.google.com/v1:ComputeClass", metadata={"name": "c"}, spec={"priorities": [{"spot": True}]})
    with pytest.raises(CloudError, match="should have at least 1 properties"):
        make("cloud.google.com/v1:ComputeClass", metadata={"name": "d"}, spec={"priorities": [{}]})
    assert next(iter(servers.verdict.lines("1.34.1"))) == "Real Kubernetes API server 1.34.1: 0 accepted, 2 unchecked"


@pytest.mark.usefixtures("of_gke")
def test_gkes_own_admission_takes_requests_of_one_set_of_pods(servers: RealServers) -> None:
    """Kueue asks the server itself, not the simulation. A new policy takes effect within a second or so."""
    client, sets = servers.at(SERVER).client, [{"count": 1, "podTemplateRef": {"name": "t"}}]

    def request(name: str, class_: str, times: int) -> None:
        spec = {"provisioningClassName": class_, "podSets": sets * times}
        there = {"name": name, "namespace": "default"}
        kind = {"apiVersion": "autoscaling.x-k8s.io/v1", "kind": "ProvisioningRequest"}
        client.apply({**kind, "metadata": there, "spec": spec})

    request("one", "queued-provisioning.gke.io", 1)
    request("other", "check-capacity.autoscaling.x-k8s.io", 2)
    with pytest.raises(ObjectRefused, match="currently supports only single PodSet per request"):
        for attempt in range(100):
            request(f"two-{attempt}", "queued-provisioning.gke.io", 2)
            time.sleep(0.1)


@pytest.mark.parametrize(
    ("data", "namespace", "refused", "said"),
    [
        ({"a": "b"}, "default", None, "1 accepted, 0 unchecked"),
        ({"a": UNKNOWN}, "default", None, "0 accepted, 0 unchecked, 1 postponed"),
        ({"a": "b"}, "made-later", None, "0 accepted, 0 unchecked, 1 postponed"),
        (
            {"a": ["b"]},
            "default",
            "would be refused by the API server: failed to create",
            "0 accepted, 1 refused, 0 un",
        ),
    ],
    ids=["fine", "unknown", "no-namespace-yet", "wrong"],
)
def test_a_plan_is_rehearsed_and_leaves_nothing(
    real: RealCluster, servers: RealServers, asked: Asked, data: Any, namespace: str, refused: str | None, said: str
) -> None:
    resource = asked("core/v1:ConfigMap", metadata={"name": "planned", "namespace": namespace}, data=data)
    if refused is None:
        real.rehearse(resource)
    else:
        with pytest.raises(CloudError, match=refused):
            real.rehearse(resource)
    assert next(iter(servers.verdict.lines("1.34.1"))).startswith(f"Real Kubernetes API server 1.34.1: {said}")
    there = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "planned", "namespace": "default"}}
    assert servers.at(SERVER).client.get(there) is None


def test_a_server_opened_later_holds_what_the_ledger_holds_and_nothing_else_of_ours(
    servers: RealServers, make: Make, real: RealCluster, ledger: Ledger, root: Path
) -> None:
    document = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "namespace": "later"}}
    make("core/v1:Namespace", metadata={"name": "later"})
    changed = make("core/v1:ConfigMap", metadata={"name": "x", "namespace": "later"}, data={"a": "b"})
    gone = make("core/v1:ConfigMap", metadata={"name": "y", "namespace": "later"})
    kubectls = {**document, "metadata": {"name": "z", "namespace": "later"}}
    servers.at(SERVER).client.apply(kubectls)
    # A simulated run in between.
    ledger.put(replace(changed, inputs={**changed.inputs, "data": {"c": "d"}}))
    ledger.remove(gone.provider, gone.scope, gone.type, gone.id)
    with RealServers(root, find_binaries(), ledger) as next_run:
        client = next_run.at(SERVER).client
        kept = client.get(document)
        assert kept is not None
        assert kept["data"] == {"c": "d"}
        assert client.get({**document, "metadata": {"name": "y", "namespace": "later"}}) is None
        assert client.get(kubectls) is not None
        (space,) = (entry for entry in ledger.all() if entry.id == "later")
        assert real.delete(space)
        assert client.get(document) is None


def test_what_the_simulation_took_and_the_server_does_not_is_named(
    servers: RealServers, ledger: Ledger, root: Path
) -> None:
    bad = {"metadata": {"name": "bad", "namespace": "default"}, "data": {"a": 1}}
    ledger.put(
        Entry(
            provider="kubernetes",
            scope=SERVER,
            type="kubernetes:core/v1:ConfigMap",
            id="default/bad",
            name="bad",
            urn="u",
            inputs=bad,
            outputs={},
        )
    )
    servers.at(SERVER)
    (first, line) = servers.verdict.lines("1.34.1")
    assert first == "Real Kubernetes API server 1.34.1: 0 accepted, 0 unchecked"
    assert line.startswith("  stands since an earlier run, and would be refused: ConfigMap default/bad: resource ")
    assert (server_folder(root, SERVER) / "applied.json").exists()


def test_the_files_of_a_cluster_that_is_gone_are_removed(tmp_path: Path, ledger: Ledger) -> None:
    left = tmp_path / "0123456789ab"
    left.mkdir()
    with RealServers(tmp_path, find_binaries(), ledger):
        assert left.exists()
    assert not left.exists()
