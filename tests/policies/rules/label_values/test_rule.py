"""label-values: one mutation of the compliant program per case."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.label_values import RULE


def test_plain_labels_pass(program, found, unknown):
    assert (found(RULE, program), unknown(RULE, program)) == ([], [])


@pytest.mark.parametrize(
    ("tags", "what"),
    [
        ({"k" * 129: "v"}, f"tags: key `{'k' * 129}` has 129 characters; AWS allows 128"),
        ({"key": "v" * 257}, "tags: value of `key` has 257 characters; AWS allows 256"),
        (
            {"key": "a#b"},
            "tags: value of `key` has '#' at character 2; AWS allows letters, digits, spaces and + - = . _ : / @",
        ),
        ({"aws:owner": "v"}, "tags: key `aws:owner` starts with `aws:`, which AWS reserves"),
        ({"": "v"}, "tags: key `` is empty; AWS requires 1 to 128 characters"),
        ({f"key-{number}": "v" for number in range(51)}, "tags: 51 tags; AWS allows 50"),
    ],
)
def test_what_aws_refuses_is_refused(program, found, tags, what):
    program["group"]["tags"] = tags
    assert found(RULE, program) == [("group", what)]


@pytest.mark.parametrize("value", ["", "a" * 256, "größe 1", "a+b-c=d.e_f:g/h@i"])
def test_what_aws_takes_passes(program, found, value):
    program["group"]["tags"]["key"] = value
    assert found(RULE, program) == []


@pytest.mark.parametrize(
    ("labels", "what"),
    [
        ({"key": "a b"}, "value of `key` is not a Kubernetes label: letters, digits, `-`, `_` and `.`, with a letter "
         "or digit at both ends"),
        ({"key": "v" * 64}, "value of `key` has 64 characters; Kubernetes allows 63"),
        ({"Example_Com/key": "v"}, "key `Example_Com/key` has a prefix that is not a DNS name; write "
         "`example.com/key`"),
        ({"-key": "v"}, "key `-key` is not a Kubernetes label: letters, digits, `-`, `_` and `.`, with a letter "
         "or digit at both ends"),
    ],
)  # fmt: skip
def test_what_kubernetes_refuses_is_refused(program, found, labels, what):
    program["train"]["labels"] = labels
    assert found(RULE, program) == [("train", f"labels of the nodes it starts: {what}")]


@pytest.mark.parametrize("labels", [{"nvidia.com/gpu.present": "true"}, {"key": ""}, {"a": "A-b_c.9"}])
def test_what_kubernetes_takes_passes(program, found, labels):
    program["train"]["labels"] = labels
    assert found(RULE, program) == []


def test_a_value_is_never_quoted(program, messages):
    program["group"]["tags"]["token"] = "hunter2#" * 50
    assert not any("hunter2" in text for text in messages(RULE, program))


def test_a_value_not_known_yet_is_said(program, found, unknown):
    program["group"]["tags"]["owner"] = program.unknown
    assert found(RULE, program) == []
    assert unknown(RULE, program) == [("group", "value of `owner` in tags not known yet")]


_NO_JOIN = "is in a domain that Kubernetes reserves, so the node does not join; allowed there: "


def _node_pool(program, labels):
    spec = {"template": {"metadata": {"labels": labels}}}
    program.add("kubernetes:karpenter.sh/v1:NodePool", "elastic", {"metadata": {}, "spec": spec})


@pytest.mark.parametrize("key", ["node-role.kubernetes.io/gpu", "kubernetes.io/team", "x.k8s.io/team"])
def test_a_node_label_that_a_kubelet_does_not_start_with_is_refused(program, found, key):
    program["train"]["labels"] = {key: "v"}
    assert found(RULE, program) == [
        (
            "train",
            f"labels of the nodes it starts: key `{key}` {_NO_JOIN}kubelet.kubernetes.io, node.kubernetes.io",
        )
    ]


@pytest.mark.parametrize(
    "key", ["node.kubernetes.io/team", "x.kubelet.kubernetes.io/y", "topology.kubernetes.io/zone", "mykubernetes.io/x"]
)
def test_a_node_label_that_a_kubelet_takes_passes(program, found, key):
    program["train"]["labels"] = {key: "v"}
    _node_pool(program, {key: "v"})
    assert found(RULE, program) == []


def test_karpenter_writes_some_more_labels_itself(program, found):
    _node_pool(program, {"node-restriction.kubernetes.io/team": "v"})
    assert found(RULE, program) == []
    _node_pool(program, {"kubernetes.io/team": "v"})
    assert [name for name, _ in found(RULE, program)] == ["elastic"]


def test_labels_of_other_objects_may_be_in_the_domains_of_kubernetes(program, found):
    labels = {"app.kubernetes.io/name": "v", "pod-security.kubernetes.io/enforce": "baseline"}
    program.add("kubernetes:core/v1:Namespace", "space", {"metadata": {"labels": labels}})
    assert found(RULE, program) == []


_GOOGLE = "Google Cloud allows lower-case letters, digits, _ and -"


@pytest.mark.parametrize(
    ("labels", "what"),
    [
        ({"Team": "v"}, "key `Team` does not start with a lower-case letter, as Google Cloud requires"),
        ({"1team": "v"}, "key `1team` does not start with a lower-case letter, as Google Cloud requires"),
        ({"": "v"}, "key `` does not start with a lower-case letter, as Google Cloud requires"),
        ({"team/a": "v"}, f"key `team/a` has '/' at character 5; {_GOOGLE}"),
        ({"k" * 64: "v"}, f"key `{'k' * 64}` has 64 characters; Google Cloud allows 63"),
        ({"key": "Research"}, f"value of `key` has 'R' at character 1; {_GOOGLE}"),
        ({"key": "a.b"}, f"value of `key` has '.' at character 2; {_GOOGLE}"),
        ({"key": "v" * 64}, "value of `key` has 64 characters; Google Cloud allows 63"),
        ({f"key-{number}": "v" for number in range(65)}, "65 labels; Google Cloud allows 64"),
    ],
)
def test_what_google_cloud_refuses_is_refused(mega, found, labels, what):
    mega["cluster"]["resourceLabels"] = labels
    assert found(RULE, mega) == [("cluster", f"labels: {what}")]


@pytest.mark.parametrize(
    "labels",
    [{"k" * 63: "v" * 63}, {"key": ""}, {"a1-_": "-_9"}, {f"key-{number}": "v" for number in range(64)}],
)
def test_what_google_cloud_takes_passes(mega, found, labels):
    mega["cluster"]["resourceLabels"] = labels
    assert found(RULE, mega) == []


def test_nodes_and_machines_of_gke_have_labels_of_two_kinds(mega, found):
    mega["train"]["nodeConfig"].update(labels={"a.b/C": "D.e"}, resourceLabels={"a": "D.e"})
    assert found(RULE, mega) == [
        ("train", f"resourceLabels of the machines it starts: value of `a` has 'D' at character 1; {_GOOGLE}")
    ]
    mega["train"]["nodeConfig"].update(labels={"kubernetes.io/team": "v"}, resourceLabels={})
    assert found(RULE, mega) == [
        (
            "train",
            "labels of the nodes it starts: key `kubernetes.io/team` is in a domain that Kubernetes reserves, so the "
            "node does not join; allowed there: kubelet.kubernetes.io, node.kubernetes.io",
        )
    ]


def test_labels_of_machines_that_karpenter_starts_on_google_cloud_are_looked_at(mega, found):
    spec = {"labels": {"team": "Research"}}
    mega.add("kubernetes:karpenter.k8s.gcp/v1alpha1:GCENodeClass", "class", {"metadata": {}, "spec": spec})
    assert found(RULE, mega) == [
        ("class", f"labels of the machines it starts: value of `team` has 'R' at character 1; {_GOOGLE}")
    ]


@pytest.mark.parametrize(
    ("tags", "what"),
    [
        ({"cost/center": "v"}, "key `cost/center` has '/' at character 5; Azure allows none of < > % & \\ ? /"),
        *(
            (
                {f"a{character}": "v"},
                f"key `a{character}` has {character!r} at character 2; Azure allows none of < > % & \\ ? /",
            )
            for character in "<>%&\\?"
        ),
        ({"k" * 513: "v"}, f"key `{'k' * 513}` has 513 characters; Azure allows 512"),
        ({"": "v"}, "key `` is empty; Azure requires 1 to 512 characters"),
        (
            {"Microsoft.team": "v"},
            "key `Microsoft.team` starts with one of azure, microsoft, windows, which Azure reserves",
        ),
        ({"key": "v" * 257}, "value of `key` has 257 characters; Azure allows 256"),
        ({f"key-{number}": "v" for number in range(51)}, "51 tags; Azure allows 50"),
        ({"Team": "a", "team": "b"}, "keys `Team` and `team` collide; Azure ignores case"),
    ],
)
def test_what_azure_refuses_is_refused(nd, found, tags, what):
    nd["cluster"]["tags"] = tags
    assert found(RULE, nd) == [("cluster", f"tags: {what}")]


@pytest.mark.parametrize(
    "tags",
    [
        {"k" * 512: "v" * 256},
        {"Cost Center": "<50 % & more?>/\\"},
        {"key": ""},
        {"gpucluster:pool": "a", "1": "b"},
        {f"key-{number}": "v" for number in range(50)},
    ],
)
def test_what_azure_takes_passes(nd, found, tags):
    nd["cluster"]["tags"] = tags
    assert found(RULE, nd) == []


def test_scale_sets_and_nodes_of_aks_have_labels_of_two_kinds(nd, found):
    nd["train"].update(nodeLabels={"a.b/C": "D.e"}, tags={"a": "D e"})
    assert found(RULE, nd) == []
    nd["train"].update(nodeLabels={"kubernetes.io/team": "v"}, tags={"a/b": "v"})
    assert found(RULE, nd) == [
        (
            "train",
            "tags: key `a/b` has '/' at character 2; Azure allows none of < > % & \\ ? /; labels of the nodes it "
            "starts: key `kubernetes.io/team` is in a domain that Kubernetes reserves, so the node does not join; "
            "allowed there: kubelet.kubernetes.io, node.kubernetes.io",
        )
    ]


def test_pools_written_inside_an_aks_cluster_are_looked_at(nd, found):
    nd["cluster"]["agentPoolProfiles"][0].update(nodeLabels={"key": "a b"}, tags={"a?": "v"})
    [(name, what)] = found(RULE, nd)
    assert name == "cluster"
    assert what.startswith("tags of the machines it starts in `cluster/system`: key `a?` has '?' at character 2; ")
    assert "; labels of the nodes it starts in `cluster/system`: value of `key` is not a Kubernetes label" in what


def test_tags_of_machines_that_karpenter_starts_on_azure_are_looked_at(nd, found):
    spec = {"tags": {"team%": "research"}}
    nd.add("kubernetes:karpenter.azure.com/v1beta1:AKSNodeClass", "class", {"metadata": {}, "spec": spec})
    assert found(RULE, nd) == [
        (
            "class",
            "tags of the machines it starts: key `team%` has '%' at character 5; Azure allows none of < > % & \\ ? /",
        )
    ]
