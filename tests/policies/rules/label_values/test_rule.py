"""label-values: one mutation of the compliant program per case."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.label_values import RULE
from tests.says import Says


@pytest.mark.parametrize(
    ("tags", "what"),
    [
        ({"k" * 129: "v"}, f"tags: key `{'k' * 129}` has 129 characters; AWS allows 128"),
        ({"key": "v" * 257}, Says("key", "257", "AWS", "256")),
        ({"key": "a#b"}, Says("key", "2", "AWS", "+", "=", "_", "/", "@")),
        ({"aws:owner": "v"}, Says("aws:owner", "aws", "AWS")),
        ({"": "v"}, Says("AWS", "1", "128")),
        ({f"key-{number}": "v" for number in range(51)}, "tags: 51 tags; AWS allows 50"),
    ],
)
def test_what_aws_refuses_is_refused(program, found, tags, what):
    program["group"]["tags"] = tags
    assert found(RULE, program) == [("group", what)]


def test_a_value_is_never_quoted(program, messages):
    program["group"]["tags"]["token"] = "hunter2#" * 50
    assert not any("hunter2" in text for text in messages(RULE, program))


def _node_pool(program, labels):
    spec = {"template": {"metadata": {"labels": labels}}}
    program.add("kubernetes:karpenter.sh/v1:NodePool", "elastic", {"metadata": {}, "spec": spec})


def test_karpenter_writes_some_more_labels_itself(program, found):
    _node_pool(program, {"node-restriction.kubernetes.io/team": "v"})
    assert found(RULE, program) == []
    _node_pool(program, {"kubernetes.io/team": "v"})
    assert [name for name, _ in found(RULE, program)] == ["elastic"]


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
    "labels", [{"k" * 63: "v" * 63}, {"key": ""}, {"a1-_": "-_9"}, {f"key-{number}": "v" for number in range(64)}]
)
def test_what_google_cloud_takes_passes(mega, found, labels):
    mega["cluster"]["resourceLabels"] = labels
    assert found(RULE, mega) == []


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
