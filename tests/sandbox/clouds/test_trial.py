"""A case that does not hold fails, in whichever way it is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.schema import Schema
from tests.sandbox.clouds.trial import Trial

VPC = {"ec2/Vpc vpc": {"cidrBlock": "10.0.0.0/16"}}
SUBNET = {"make": [VPC], "try": "ec2/Subnet it", "inputs": {"vpcId": "$vpc"}}
INSIDE, OUTSIDE = {"cidrBlock": "10.0.1.0/24"}, {"cidrBlock": "10.9.0.0/24"}


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ({"refused": [[INSIDE, "InvalidSubnet.Range"]]}, "is taken"),
        ({"refused": [[OUTSIDE, "InvalidSubnet.Conflict"]]}, "InvalidSubnet.Range"),
        ({"refused": [[OUTSIDE]]}, "cidrBlock"),
        ({"taken": [OUTSIDE]}, "InvalidSubnet.Range"),
        ({"taken": [[INSIDE, {"id": "~vpc-.*"}]]}, "not ..id.."),
        ({"deletes": {"vpc": ["DependencyViolation"]}}, "is taken"),
        ({"deletes": {"vpc": False}}, "gone is True"),
        ({"check": "ec2/Subnet it", "refused": [[{"zone": "a"}]]}, "zone"),
        ({"with": {"vcp": {}}, "taken": [INSIDE]}, "vcp"),
        ({"refuses": [[INSIDE, "InvalidSubnet.Range"]]}, "refuses"),
        ({}, "try"),
    ],
    ids=str,
)
def test_a_case_that_does_not_hold_fails(
    case: dict[str, Any], said: str, ledger: Ledger, schemas: dict[str, Schema]
) -> None:
    with pytest.raises((AssertionError, pytest.fail.Exception), match=said):
        Trial("aws", ledger, schemas, {}).run({}, {**SUBNET, **case})


def test_a_case_that_holds_passes(ledger: Ledger, schemas: dict[str, Schema]) -> None:
    holds = {"refused": [[OUTSIDE, "InvalidSubnet.Range"]], "taken": [[INSIDE, {"id": "~subnet-.*"}]]}
    Trial("aws", ledger, schemas, {}).run({}, {**SUBNET, **holds, "deletes": {"vpc": []}})
    assert ledger.all() != []


def test_texts_keys_items_and_parts_are_written_in_short(ledger: Ledger, schemas: dict[str, Schema]) -> None:
    trial = Trial("aws", ledger, schemas, {})
    trial.there["vpc"] = vpc = trial.make(*next(iter(VPC.items())))
    short = {
        "k{0..1}": "v{at}",
        "(n*3)": ["$vpc", "${vpc}/x", "$vpc.arn", {"each": "1..2", "a": "#{at}", "b": "b{at}"}],
    }
    assert trial.asked("ec2/Vpc it", short).inputs == {
        "k0": "v0",
        "k1": "v1",
        "nnn": [vpc.id, f"{vpc.id}/x", vpc.outputs["arn"], {"a": 1, "b": "b1"}, {"a": 2, "b": "b2"}],
    }
