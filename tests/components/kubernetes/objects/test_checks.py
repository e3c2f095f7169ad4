"""Every Kubernetes object of a program is checked before it is registered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_gcp as gcp
import pytest
from pulumi.runtime.mocks import MockCallArgs, MockResourceArgs, Mocks

from gpucluster.components.kubernetes.objects.charts import KUEUE
from gpucluster.components.kubernetes.objects.checks import (
    check_object,
    key_problem,
    label_problem,
    name_problem,
    node_label_problem,
    quantity_problem,
)
from gpucluster.components.kubernetes.objects.objects import (
    CLUSTER_QUEUE,
    NAMESPACE,
    PERSISTENT_VOLUME_CLAIM,
    Declared,
    manifest_of,
)
from gpucluster.components.kubernetes.objects.release import release
from gpucluster.components.planning.planning import PlanError

Declare = Callable[[pulumi.ResourceOptions], object]


class Recorder(Mocks):
    def __init__(self) -> None:
        self.names: list[str] = []

    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        self.names.append(args.name)
        return args.name, args.inputs

    def call(self, args: MockCallArgs) -> Any:
        raise AssertionError(args.token)


class Parent(pulumi.ComponentResource):
    def __init__(self, declare: Declare) -> None:
        super().__init__("test:index:Parent", "parent", {}, pulumi.ResourceOptions(transformations=[check_object]))
        declare(pulumi.ResourceOptions(parent=self))
        self.register_outputs({})


def registered(declare: Declare) -> list[str]:
    """Names of what a program registers below a checked component."""
    recorder = Recorder()
    pulumi.runtime.set_mocks(recorder, preview=True)

    @pulumi.runtime.test
    def program() -> None:
        Parent(declare)

    program()
    return recorder.names


def claim(size: str) -> Declare:
    return lambda opts: Declared(
        "claim",
        manifest_of(
            PERSISTENT_VOLUME_CLAIM,
            {"resources": {"requests": {"storage": size}}},
            object_name="shared",
            namespace="training",
        ),
        opts,
    )


def test_a_sound_object_is_registered() -> None:
    assert registered(claim("20480Gi")) == ["parent", "claim"]


def test_what_is_not_known_yet_is_left_to_the_api_server() -> None:
    later = pulumi.Output.from_input("Not A Name")
    assert "n" in registered(
        lambda opts: Declared("n", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": later}}, opts)
    )


@pytest.mark.parametrize(
    ("declare", "expected"),
    [
        (
            claim("20480GiB"),
            [
                "PersistentVolumeClaim claim: spec.resources.requests.storage is '20480GiB'; allowed: a number with an "
                "optional unit: m, k, M, G, T or Ki, Mi, Gi, Ti; change it"
            ],
        ),
        (
            lambda opts: Declared(
                "n", manifest_of(NAMESPACE, {}, object_name="team.a", labels={"Team!": "a", "team": "a b"}), opts
            ),
            [
                "Namespace n: metadata.name is 'team.a'; allowed: 1 to 63 lower-case letters, digits and hyphens, "
                "with a "
                "letter or digit at both ends; change it",
                "Namespace n: metadata.labels key 'Team!'; allowed: 1 to 63 letters, digits, -, _ and ., with a "
                "letter or "
                "digit at both ends, after an optional domain/; change it",
                "Namespace n: metadata.labels['team'] is 'a b'; allowed: up to 63 letters, digits, -, _ and ., with a "
                "letter or digit at both ends; change it",
            ],
        ),
        (
            lambda opts: Declared(
                "q",
                manifest_of(
                    CLUSTER_QUEUE,
                    {"groups": [{"selector": {"matchLabels": {"a": "-"}}}], "limits": {"cpu": "x"}},
                    object_name="q",
                ),
                opts,
            ),
            [
                "ClusterQueue q: spec.groups[0].selector.matchLabels['a'] is '-'; allowed: up to 63 letters, digits, "
                "-, _ "
                "and ., with a letter or digit at both ends; change it",
                "ClusterQueue q: spec.limits.cpu is 'x'; allowed: a number with an optional unit: m, k, M, G, T or "
                "Ki, Mi, "
                "Gi, Ti; change it",
            ],
        ),
        (
            lambda opts: release(
                "r", KUEUE, release_name="R", namespace="n", values={"nodeSelector": {"a": "b c"}}, after=(), opts=opts
            ),
            [
                "Release r: name is 'R'; allowed: 1 to 53 lower-case letters, digits, dots and hyphens, with a "
                "letter or "
                "digit at both ends; change it",
                "Release r: values.nodeSelector['a'] is 'b c'; allowed: up to 63 letters, digits, -, _ and ., with a "
                "letter or digit at both ends; change it",
            ],
        ),
        (
            lambda opts: aws.eks.NodeGroup(
                "nodes",
                cluster_name="c",
                node_role_arn="r",
                subnet_ids=["s"],
                scaling_config={"desired_size": 1, "max_size": 1, "min_size": 1},
                labels={"app.kubernetes.io/name": "x"},
                opts=opts,
            ),
            [
                "NodeGroup nodes: labels key 'app.kubernetes.io/name'; allowed: a key outside the kubernetes.io and "
                "k8s.io domains, with which the kubelet does not start; change it"
            ],
        ),
        (
            lambda opts: gcp.container.NodePool(
                "nodes",
                cluster="c",
                node_config=gcp.container.NodePoolNodeConfigArgs(
                    labels={"app.kubernetes.io/name": "x", "gpucluster/pool": "y"}
                ),
                opts=opts,
            ),
            [
                "NodePool nodes: node_config.labels key 'app.kubernetes.io/name'; allowed: a key outside the "
                "kubernetes.io and k8s.io domains, with which the kubelet does not start; change it"
            ],
        ),
    ],
    ids=["amount", "name-and-labels", "custom-kind", "release", "node-group", "node-pool"],
)
def test_a_wrong_object_is_refused_with_every_reason(declare: Declare, expected: list[str]) -> None:
    with pytest.raises(PlanError) as refused:
        registered(declare)
    assert list(map(str, refused.value.problems)) == expected


@pytest.mark.parametrize(
    ("name", "longest", "fits"),
    [
        ("training", 63, True),
        ("a" * 63, 63, True),
        ("a" * 64, 63, False),
        ("a.b", 63, False),
        ("a.b", 253, True),
        ("a..b", 253, False),
        ("Training", 253, False),
        ("-a", 253, False),
        ("a-", 253, False),
        ("a_b", 253, False),
        ("", 253, False),
        ("a\n", 253, False),
        ("a" * 54, 53, False),
    ],
)
def test_a_name_is_a_dns_name(name: str, longest: int, fits: bool) -> None:
    assert (name_problem(name, longest=longest) is None) is fits


@pytest.mark.parametrize(
    ("key", "fits"),
    [
        ("team", True),
        ("Team_1.x", True),
        ("nvidia.com/gpu", True),
        ("gpucluster/pool", True),
        ("a" * 63, True),
        ("a" * 64, False),
        ("", False),
        ("/team", False),
        ("Example.com/team", False),
        ("a/b/c", False),
        ("team!", False),
        ("example.com/", False),
    ],
)
def test_a_label_key_is_a_word_after_an_optional_domain(key: str, fits: bool) -> None:
    assert (key_problem(key) is None) is fits


@pytest.mark.parametrize(
    ("value", "fits"), [("", True), ("Research_1.x", True), ("a" * 64, False), ("a b", False), ("-a", False)]
)
def test_a_label_value_is_a_word_or_nothing(value: str, fits: bool) -> None:
    assert (label_problem(value) is None) is fits


@pytest.mark.parametrize(
    ("key", "fits"),
    [
        ("team", True),
        ("nvidia.com/gpu.present", True),
        ("kubernetes.io/arch", True),
        ("node.kubernetes.io/pool", True),
        ("x.kubelet.kubernetes.io/pool", True),
        ("app.kubernetes.io/managed-by", False),
        ("kubernetes.io/team", False),
        ("k8s.io/team", False),
        ("notkubernetes.io/team", True),
    ],
)
def test_a_kubelet_takes_few_labels_of_its_own_domains(key: str, fits: bool) -> None:
    assert (node_label_problem(key) is None) is fits


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("20480Gi", True),
        ("8", True),
        ("500m", True),
        ("1.5Ti", True),
        ("1e3", True),
        ("20480GiB", False),
        ("20 Gi", False),
        ("twenty", False),
        ("", False),
        ("1KI", False),
    ],
)
def test_an_amount_is_a_number_with_a_known_unit(text: str, fits: bool) -> None:
    assert (quantity_problem(text) is None) is fits
