"""What Kubernetes takes as text."""

from __future__ import annotations

import pytest

from gpucluster.components.kubernetes.objects.syntax import (
    key_problem,
    label_problem,
    name_problem,
    node_label_problem,
    quantity_problem,
)


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
