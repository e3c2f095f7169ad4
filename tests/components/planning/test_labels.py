"""Labels as each system takes them."""

from __future__ import annotations

import re

import pytest

from gpucluster.components.planning.labels import LABEL_VALUE, aws_tags, gcp_labels, kubernetes_labels


def test_aws_tags_say_what_a_resource_is_and_who_owns_it() -> None:
    assert aws_tags({"team": "a"}, project="gpucluster", stack="trial", name="trial-vpc") == {
        "team": "a",
        "Name": "trial-vpc",
        "pulumi-project": "gpucluster",
        "pulumi-stack": "trial",
        "managed-by": "pulumi",
    }


def test_kubernetes_labels_keep_the_same_keys() -> None:
    assert kubernetes_labels({"cost-center": "cc-1"}, project="gpucluster", stack="trial") == {
        "cost-center": "cc-1",
        "pulumi-project": "gpucluster",
        "pulumi-stack": "trial",
    }


@pytest.mark.parametrize("value", ["a", "cc-1234", "a_b", "7", "a" * 63])
def test_a_portable_value_is_accepted(value: str) -> None:
    assert re.match(LABEL_VALUE, value)


@pytest.mark.parametrize("value", ["", "A", "a b", "-a", "a-", "a@b.c", "é", "a" * 64, "a\n"])
def test_a_value_that_some_cloud_refuses_is_not(value: str) -> None:
    assert re.fullmatch(LABEL_VALUE, value) is None


def test_google_cloud_labels_hold_only_what_it_takes() -> None:
    found = gcp_labels({"team": "research"}, project="GPU cluster", stack="Dev.Ada", name="n" * 70)
    assert found == {
        "team": "research",
        "name": "n" * 63,
        "pulumi-project": "gpu-cluster",
        "pulumi-stack": "dev-ada",
        "managed-by": "pulumi",
    }
