"""Objects in the cluster, as they are sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pulumi

from gpucluster.components.kubernetes.objects.namespace import namespace
from gpucluster.components.kubernetes.objects.objects import (
    CONFIG_MAP,
    NAMESPACE,
    RESOURCE_QUOTA,
    Declared,
    manifest_of,
)

Registered = list[tuple[str, str, dict[str, Any]]]
Run = Callable[[Callable[[], object]], Registered]
HERE = pulumi.ResourceOptions()


def by_name(found: Registered) -> Registered:
    """By name: resources of which none waits for another come in any order."""
    return sorted(found, key=lambda one: one[1])


def test_an_object_is_registered_as_its_manifest_says(registered: Run) -> None:
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "a"}}
    policy = {"apiVersion": "example.com/v1", "kind": "Policy", "metadata": {"name": "b"}, "spec": {"camelCase": 1}}
    assert by_name(registered(lambda: [Declared("one", account, HERE), Declared("two", policy, HERE)])) == [
        ("kubernetes:core/v1:ServiceAccount", "one", account),
        ("kubernetes:example.com/v1:Policy", "two", policy),
    ]


def test_fields_stand_in_a_spec_or_beside_the_metadata_which_says_what_is_given(registered: Run) -> None:
    found = registered(
        lambda: [
            Declared(
                "one",
                manifest_of(
                    CONFIG_MAP,
                    {"data": {"g": "h"}},
                    object_name="a",
                    namespace="b",
                    labels={"c": "d"},
                    annotations={"e": "f"},
                ),
                HERE,
            ),
            Declared("two", manifest_of(RESOURCE_QUOTA, {"hard": {"pods": "1"}}, labels={}), HERE),
        ]
    )
    assert by_name(found) == [
        (
            "kubernetes:core/v1:ConfigMap",
            "one",
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": "a", "namespace": "b", "labels": {"c": "d"}, "annotations": {"e": "f"}},
                "data": {"g": "h"},
            },
        ),
        (
            "kubernetes:core/v1:ResourceQuota",
            "two",
            {"apiVersion": "v1", "kind": "ResourceQuota", "spec": {"hard": {"pods": "1"}}},
        ),
    ]


def test_a_patch_is_of_the_kind_that_it_changes(registered: Run) -> None:
    [(type_, _, inputs)] = registered(
        lambda: Declared("one", manifest_of(CONFIG_MAP, {}, object_name="a"), HERE, patch=True)
    )
    assert (type_, inputs["kind"]) == ("kubernetes:core/v1:ConfigMapPatch", "ConfigMap")


def test_what_has_the_name_of_an_object_comes_after_it_and_one_that_is_left_out_has_none(registered: Run) -> None:
    """The provider names an object that has no name; here nothing does, as in a staged `up`."""

    def program() -> None:
        space = Declared("space", manifest_of(NAMESPACE, {}, object_name="a"), HERE)
        nameless = Declared("nameless", manifest_of(NAMESPACE, {}), HERE)
        inside = pulumi.Output.all(space.object_name, nameless.object_name)
        Declared("inside", {"apiVersion": "v1", "kind": "ConfigMap", "data": {"names": inside}}, HERE)

    assert registered(program)[-1][2]["data"] == {"names": ["a", None]}


def test_a_namespace_enforces_a_standard_and_may_warn_of_a_stricter_one(registered: Run) -> None:
    def program() -> None:
        Declared("one", namespace("a", "restricted"), HERE)
        Declared("two", namespace("b", "privileged", warn="baseline"), HERE)

    domain = "pod-security.kubernetes.io"
    assert {name: inputs["metadata"] for _, name, inputs in registered(program)} == {
        "one": {"name": "a", "labels": {f"{domain}/enforce": "restricted"}},
        "two": {"name": "b", "labels": {f"{domain}/enforce": "privileged", f"{domain}/warn": "baseline"}},
    }
