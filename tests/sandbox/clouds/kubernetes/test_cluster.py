"""The simulated API server."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.sandbox.clouds.cloud import Change, CloudError, Kind, Resource
from gpucluster.sandbox.clouds.kubernetes.cloud import Kubernetes
from gpucluster.sandbox.clouds.kubernetes.cluster import Cluster
from gpucluster.sandbox.clouds.kubernetes.objects import STAND_IN, account_of_token
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.values import UNKNOWN, Secret
from tests.says import Says

SERVER = "https://ABC.gr7.us-east-1.eks.sandbox.invalid"
Asked = Callable[..., Resource]


def settings(server: str) -> dict[str, Any]:
    context = {"name": "c", "context": {"cluster": "c"}}
    document = {
        "current-context": "c",
        "contexts": [context],
        "clusters": [{"name": "c", "cluster": {"server": server}}],
    }
    return {"kubeconfig": json.dumps(document)}


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({}, "the kubernetes provider has no kubeconfig: "),
        (settings("https://1.2.3.4:6443"), "the kubeconfig points at https://1.2.3.4:6443: "),
        (settings("https://sandbox.invalid.com"), "the kubeconfig points at https://sandbox.invalid.com: "),
    ],
    ids=["none", "address", "lookalike"],
)
def test_an_empty_cluster_stands_in_for_one_that_is_not_of_the_sandbox(
    ledger: Ledger, asked: Asked, config: dict[str, Any], message: str
) -> None:
    stand_in = Kubernetes().configure(config, ledger)
    assert stand_in.remark.startswith(message)
    wanted = asked("apps/v1:Deployment", "web", metadata={"name": "web", "namespace": "of-somebody"})
    assert (stand_in.scope(wanted.type, {}), stand_in.create(wanted).id) == (STAND_IN, "of-somebody/web")


def test_another_api_server_replaces_what_is_in_it_and_an_unknown_one_does_not() -> None:
    one, two = settings("https://a.sandbox.invalid"), settings("https://b.sandbox.invalid")
    assert Kubernetes().config_replaces(one, two) == ["kubeconfig"]
    assert Kubernetes().config_replaces(one, one) == []
    assert Kubernetes().config_replaces(one, {"kubeconfig": UNKNOWN}) == []


def test_names_and_namespaces_are_filled_in(cluster: Cluster, asked: Asked) -> None:
    inputs = cluster.defaults(asked("core/v1:ConfigMap", "map"), b"seed")
    assert re.fullmatch(r"map-[0-9a-f]{8}", inputs["metadata"].pop("name"))
    assert inputs == {"metadata": {"namespace": "default", "annotations": {"pulumi.com/autonamed": "true"}}}


def test_a_generated_name_stays_over_updates(cluster: Cluster, asked: Asked) -> None:
    first = cluster.defaults(asked("core/v1:ConfigMap"), b"seed")
    later = replace(asked("core/v1:ConfigMap", data={"a": "b"}), old_inputs=first)
    assert cluster.defaults(later, b"other")["metadata"] == first["metadata"]


@pytest.mark.parametrize(
    ("token", "metadata", "expected"),
    [
        ("core/v1:Namespace", {"name": "n"}, {"name": "n"}),
        ("core/v1:PersistentVolume", {"name": "n"}, {"name": "n"}),
        ("core/v1:ServiceAccount", {"name": "n"}, {"name": "n", "namespace": "default"}),
        ("core/v1:ServiceAccount", {"name": UNKNOWN, "namespace": UNKNOWN}, {"name": UNKNOWN, "namespace": UNKNOWN}),
        ("karpenter.sh/v1:NodePool", {"name": "n"}, {"name": "n"}),
        ("core/v1:ConfigMap", UNKNOWN, UNKNOWN),
    ],
    ids=str,
)
def test_only_namespaced_kinds_get_a_namespace(
    cluster: Cluster, asked: Asked, token: str, metadata: Any, expected: Any
) -> None:
    assert cluster.defaults(asked(token, metadata=metadata), b"")["metadata"] == expected


def test_an_object_gets_an_identity_and_a_status(create: Callable[[Resource], Entry], asked: Asked) -> None:
    entry = create(asked("core/v1:Namespace", metadata={"name": "n"}))
    assert (entry.id, entry.outputs["status"]) == ("n", {"phase": "Active"})
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", entry.outputs["metadata"]["uid"])


STRICT = {"pod-security.kubernetes.io/enforce": "restricted"}
SECCOMP = {"podSecurityContext": {"seccompProfile": {"type": "RuntimeDefault"}}}


@pytest.mark.parametrize(
    ("chart", "labels", "more", "why"),
    [
        ("oci://registry.example/lws", STRICT, {}, Says("lws-controller-manager", "values.podSecurityContext")),
        ("oci://registry.example/lws", STRICT, {"values": SECCOMP}, ""),
        ("oci://registry.example/lws", STRICT, {"skipAwait": True}, ""),
        ("oci://registry.example/lws", {}, {}, ""),
        ("oci://registry.example/kueue", STRICT, {}, ""),
        ("dcgm-exporter", STRICT, {}, Says("RELEASE-dcgm-exporter", "no value")),
    ],
    ids=["lacks", "given", "not-awaited", "no-standard", "meets", "never"],
)
def test_a_release_whose_pods_do_not_meet_the_standard_of_their_namespace_fails(
    create: Callable[[Resource], Entry],
    asked: Asked,
    chart: str,
    labels: dict[str, str],
    more: dict[str, Any],
    why: str,
) -> None:
    create(asked("core/v1:Namespace", metadata={"name": "n", "labels": labels}))
    release = asked("helm.sh/v3:Release", "it", chart=chart, namespace="n", **more)
    if not why:
        create(release)
        return
    with pytest.raises(CloudError) as refused:
        create(release)
    assert str(refused.value) == why


def test_a_helm_release_counts_its_revisions(
    cluster: Cluster, create: Callable[[Resource], Entry], asked: Asked
) -> None:
    entry = create(asked("helm.sh/v3:Release", "plugin", chart="nvidia-device-plugin", version="0.17.1"))
    assert re.fullmatch(r"default/plugin-[0-9a-f]{8}", entry.id)
    assert entry.outputs["status"]["revision"] == 1
    later = replace(
        asked("helm.sh/v3:Release", "plugin", **{**entry.inputs, "version": "0.17.2"}),
        old_inputs=entry.inputs,
        outputs=entry.outputs,
        id=entry.id,
    )
    status = cluster.update(later).outputs["status"]
    assert (status["revision"], status["version"], status["status"]) == (2, "0.17.2", "deployed")


KNOWN = {"daemonsets": {"annotations": {"any": "1"}}, "driver": UNKNOWN, "global": {"any": 1}, "tags": {"any": True}}


@pytest.mark.parametrize(
    ("version", "values", "refused"),
    [
        ("v26.3.9", {**KNOWN, "node-feature-discovery": {"worker": {"tolerations": []}}}, {}),
        ("v26.3.9", {"driver": {"enable": 1}, "daemonset": {}}, {"driver.enable": "'enabled'", "daemonset": "'d"}),
        (
            "v26.3.9",
            {"node-feature-discovery": {"worker": {"toleration": 1}}},
            {"node-feature-discovery.worker.toleration": "'tolerations'"},
        ),
        ("v25.3.0", {"daemonset": {}}, {}),
    ],
    ids=["known", "misspelt", "misspelt in a part", "other version"],
)
def test_a_value_that_a_chart_does_not_know_is_refused_before_anything_is_made(
    cluster: Cluster, asked: Asked, version: str, values: dict[str, Any], refused: dict[str, str]
) -> None:
    release = asked("helm.sh/v3:Release", chart="oci://registry.example/gpu-operator", version=version, values=values)
    found = {failure.path: failure.reason for failure in cluster.failures(release)}
    assert {*found} == {f"values.{path}" for path in refused}
    assert all(f"did you mean {meant}" in found[f"values.{path}"] for path, meant in refused.items())


def test_a_cluster_that_is_gone_is_unreachable(ledger: Ledger, asked: Asked) -> None:
    with pytest.raises(CloudError, match="configured Kubernetes cluster is unreachable"):
        Cluster(ledger, SERVER, {}).create(asked("core/v1:Namespace", metadata={"name": "n"}))


def test_a_namespace_takes_its_objects_along(
    cluster: Cluster, create: Callable[[Resource], Entry], asked: Asked, ledger: Ledger
) -> None:
    namespace = create(asked("core/v1:Namespace", metadata={"name": "n"}))
    create(asked("core/v1:ConfigMap", metadata={"name": "inside", "namespace": "n"}))
    create(asked("core/v1:ConfigMap", metadata={"name": "outside"}))
    cluster.delete(namespace)
    assert sorted(entry.id for entry in ledger.find("kubernetes", SERVER, "kubernetes:core/v1:ConfigMap")) == [
        "default/outside"
    ]


@pytest.mark.parametrize(
    ("token", "path", "expected"),
    [
        ("core/v1:PersistentVolumeClaim", "spec.resources.requests.storage", True),
        ("core/v1:PersistentVolume", "spec.csi.volumeHandle", True),
        ("core/v1:PersistentVolume", "spec.capacity.storage", False),
        ("core/v1:ConfigMap", "data.a", True),
        ("core/v1:Namespace", "metadata.labels.a", False),
        ("core/v1:Namespace", "metadata.name", True),
        ("apps/v1:Deployment", "spec.replicas", False),
        ("apps/v1:Deployment", "spec.selector.matchLabels.app", True),
        ("helm.sh/v3:Release", "values.a.b", False),
        ("helm.sh/v3:Release", "version", False),
        ("helm.sh/v3:Release", "namespace", True),
        ("karpenter.sh/v1:NodePool", "spec.limits.cpu", False),
        ("karpenter.sh/v1:NodePool", "metadata.name", True),
    ],
)
def test_fields_that_cannot_change_replace_the_object(
    cluster: Cluster, asked: Asked, token: str, path: str, expected: bool
) -> None:
    assert cluster.replaces(asked(token), Change(path, Kind.UPDATE)) is expected


def test_a_provider_may_keep_config_maps_mutable(ledger: Ledger, asked: Asked) -> None:
    mutable = Cluster(ledger, SERVER, {"enableConfigMapMutable": True})
    assert mutable.replaces(asked("core/v1:ConfigMap"), Change("data.a", Kind.UPDATE)) is False
    assert mutable.replaces(asked("core/v1:ConfigMap"), Change("metadata.name", Kind.UPDATE)) is True


def test_a_replacement_deletes_first_where_the_name_is_given(cluster: Cluster, asked: Asked) -> None:
    given = asked("core/v1:ConfigMap", metadata={"name": "m", "namespace": "default"})
    generated = asked("core/v1:ConfigMap", metadata=cluster.defaults(asked("core/v1:ConfigMap"), b"")["metadata"])
    for resource, expected in ((given, True), (generated, False)):
        assert cluster.deletes_first(replace(resource, old_inputs=resource.inputs)) is expected


def test_the_token_of_a_service_account_needs_the_account_and_is_a_secret(
    asked: Asked, create: Callable[[Resource], Entry]
) -> None:
    metadata = {"name": "token", "namespace": "kube-system"}
    whose = {"annotations": {"kubernetes.io/service-account.name": "robot"}}
    token = asked("core/v1:Secret", "t", type="kubernetes.io/service-account-token", metadata={**metadata, **whose})
    with pytest.raises(CloudError, match='its service account "kube-system/robot" does not exist'):
        create(token)
    create(asked("core/v1:ServiceAccount", "a", metadata={**metadata, "name": "robot"}))
    data = create(token).outputs["data"]
    assert isinstance(data, Secret)
    assert sorted(data.value) == ["ca.crt", "namespace", "token"]
    name = account_of_token(base64.b64decode(data.value["token"]).decode())
    assert name == "system:serviceaccount:kube-system:robot"
    with pytest.raises(ValueError, match="Expecting value"):
        account_of_token("no token")
