"""What the transformation writes, on which resources, and what stays theirs."""

from __future__ import annotations

from typing import Any, Final

import pulumi
import pytest
from pulumi_kubernetes.core.v1 import ConfigMap, ConfigMapPatch
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs, ObjectMetaPatchArgs

from gpucluster.components.resources.label_transformation import labelled, labelled_objects

LABELS: Final = {"team": "research", "owner": "ml"}
OWN: Final = {"pulumi-project": "acme", "pulumi-stack": "dev"}


class Made(pulumi.CustomResource):
    """Of any type, with arguments as an SDK writes them: those left out are None."""

    def __init__(self, type_: str, arguments: dict[str, Any]) -> None:
        super().__init__(type_, "one", arguments, labelled(LABELS, None, stack="dev"))


@pytest.fixture(autouse=True)
def seen() -> dict[str, dict[str, Any]]:
    """Name -> inputs of what is registered."""
    found: dict[str, dict[str, Any]] = {}

    class Recorder(pulumi.runtime.Mocks):
        def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
            found[args.name] = dict(args.inputs)
            return args.name, dict(args.inputs)

        def call(self, args: pulumi.runtime.MockCallArgs) -> Any:
            raise AssertionError(args.token)

    pulumi.runtime.set_mocks(Recorder(), project="acme", stack="other")
    return found


def declare(type_: str, arguments: dict[str, Any]) -> None:
    @pulumi.runtime.test
    def program() -> None:
        Made(type_, arguments)

    program()


@pytest.mark.parametrize(
    ("type_", "arguments", "expected"),
    [
        (
            "aws:sqs/queue:Queue",
            {"tags": {"owner": "me"}},
            {"tags": {**LABELS, **OWN, "Name": "one", "managed-by": "pulumi", "owner": "me"}},
        ),
        ("aws:iam/rolePolicy:RolePolicy", {"role": "r"}, {"role": "r"}),
        (
            "azure-native:network:NatGateway",
            {"tags": None},
            {"tags": {**LABELS, **OWN, "name": "one", "managed-by": "pulumi"}},
        ),
        (
            "gcp:filestore/instance:Instance",
            {"labels": None, "tags": None, "effective_labels": None},
            {"labels": {**LABELS, **OWN, "name": "one", "managed-by": "pulumi"}},
        ),
        # These labels are of whom it tells.
        ("gcp:monitoring/notificationChannel:NotificationChannel", {"labels": {"a": "b"}}, {"labels": {"a": "b"}}),
        # Each machine is called by what the template says.
        (
            "aws:ec2/launchTemplate:LaunchTemplate",
            {"tag_specifications": [{"resource_type": "volume", "tags": {"Name": "node"}}]},
            {
                "tag_specifications": [
                    {"resource_type": "volume", "tags": {**LABELS, **OWN, "managed-by": "pulumi", "Name": "node"}}
                ]
            },
        ),
        ("aws:eks/nodeGroup:NodeGroup", {"labels": {"a": "b"}}, {"labels": {**LABELS, **OWN, "a": "b"}}),
        ("other:index:Thing", {"tags": {"a": "b"}}, {"tags": {"a": "b"}}),
    ],
)
def test_a_resource_has_the_labels_below_its_own(
    seen: dict[str, dict[str, Any]], type_: str, arguments: dict[str, Any], expected: dict[str, Any]
) -> None:
    declare(type_, arguments)
    assert seen["one"] == expected


def test_objects_have_them_in_their_metadata_and_patches_of_others_objects_have_none(
    seen: dict[str, dict[str, Any]],
) -> None:
    @pulumi.runtime.test
    def program() -> None:
        opts = labelled_objects(LABELS, None)
        shared = ObjectMetaArgs(name="own", labels={"a": "b"})
        ConfigMap("own", metadata=shared, opts=opts)
        ConfigMap("bare", opts=opts)
        ConfigMap("unlabelled", metadata=shared)
        ConfigMapPatch("patch", metadata=ObjectMetaPatchArgs(name="patch"), opts=opts)

    program()
    assert {name: inputs.get("metadata") for name, inputs in seen.items()} == {
        "own": {"name": "own", "labels": {**LABELS, "a": "b"}},
        "bare": {"labels": LABELS},
        "unlabelled": {"name": "own", "labels": {"a": "b"}},
        "patch": {"name": "patch"},
    }
