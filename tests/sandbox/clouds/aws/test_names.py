"""Generated names."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.sandbox.clouds.aws.names import with_name
from gpucluster.sandbox.clouds.cloud import Resource
from gpucluster.sandbox.clouds.types.values import UNKNOWN

SEED = b"seed"


@pytest.mark.parametrize(
    ("token", "inputs", "prop", "pattern"),
    [
        ("iam/role:Role", {}, "name", r"it-[0-9a-f]{7}"),
        ("eks/nodeGroup:NodeGroup", {}, "nodeGroupName", r"it-[0-9a-f]{7}"),
        ("s3/bucket:Bucket", {}, "bucket", r"it-[0-9a-f]{7}"),
        ("kms/alias:Alias", {}, "name", r"alias/it-[0-9a-f]{7}"),
        ("sqs/queue:Queue", {"fifoQueue": True}, "name", r"it-[0-9a-f]{7}\.fifo"),
        ("cloudwatch/eventTarget:EventTarget", {}, "targetId", r"it-[0-9a-f]{7}"),
        ("sns/topic:Topic", {}, "name", r"it-[0-9a-f]{7}"),
    ],
)
def test_a_name_is_made_where_the_program_gives_none(
    aws: Callable[..., Resource], token: str, inputs: dict[str, Any], prop: str, pattern: str
) -> None:
    checked = with_name(aws(token, **inputs), SEED)
    assert re.fullmatch(pattern, checked[prop])
    assert checked["__defaults"] == [prop]


def test_a_bucket_name_is_in_lower_case(aws: Callable[..., Resource]) -> None:
    assert with_name(aws("s3/bucket:Bucket", "MyData"), SEED)["bucket"].startswith("mydata-")


def test_the_same_seed_makes_the_same_name(aws: Callable[..., Resource]) -> None:
    role = aws("iam/role:Role")
    assert with_name(role, SEED) == with_name(role, SEED) != with_name(role, b"other")


@pytest.mark.parametrize("inputs", [{"name": "mine"}, {"namePrefix": "mine"}, {"name": UNKNOWN}], ids=str)
def test_a_name_of_the_program_is_left_alone(aws: Callable[..., Resource], inputs: dict[str, Any]) -> None:
    assert with_name(aws("iam/role:Role", **inputs), SEED) == inputs


def test_a_generated_name_stays_over_updates(aws: Callable[..., Resource]) -> None:
    first = with_name(aws("iam/role:Role"), SEED)
    later = replace(aws("iam/role:Role", description="new"), old_inputs=first)
    assert with_name(later, b"other") == {"description": "new", "name": first["name"], "__defaults": ["name"]}


def test_a_name_taken_out_of_the_program_is_not_kept(aws: Callable[..., Resource]) -> None:
    later = replace(aws("iam/role:Role"), old_inputs={"name": "mine"})
    assert with_name(later, SEED)["name"] != "mine"


def test_types_without_a_name_get_none(aws: Callable[..., Resource]) -> None:
    assert with_name(aws("ec2/vpc:Vpc"), SEED) == {}


def test_a_security_group_gets_the_description_of_the_provider(aws: Callable[..., Resource]) -> None:
    checked = with_name(aws("ec2/securityGroup:SecurityGroup", name="x"), SEED)
    assert checked == {"name": "x", "description": "Managed by Pulumi", "__defaults": ["description"]}
