"""Sizes of EC2's machines and volumes, which are missing in AWS's inventory. Read-only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from gpucluster.account.leftovers.kinds import Thing

_INSTANCE: Final = "ec2:instance"
_VOLUME: Final = "ec2:volume"


def ec2_sizes(
    things: Sequence[Thing], answer: Callable[[list[str]], Any], region: str, labels: Mapping[str, str]
) -> list[Thing]:
    """The inventory with sizes of machines and volumes, and without deleted ones, which the inventory continues to
    list. answer: runs a command and returns its output.
    """
    # Source: AWS CLI reference, ec2 describe-instances and describe-volumes.
    more = ["--region", region, "--output", "json", "--filters"]
    more += [f"Name=tag:{key},Values={value}" for key, value in labels.items()]
    kinds = {thing.kind for thing in things}
    there: dict[str, dict[str, Any]] = {}
    if _INSTANCE in kinds:
        for reservation in answer(["aws", "ec2", "describe-instances", *more])["Reservations"]:
            there |= {
                one["InstanceId"]: _machine(one)
                for one in reservation["Instances"]
                if one["State"]["Name"] != "terminated"
            }
    if _VOLUME in kinds:
        for one in answer(["aws", "ec2", "describe-volumes", *more])["Volumes"]:
            there[one["VolumeId"]] = _volume(one)
    return [
        replace(thing, inputs=there[thing.id]) if thing.id in there else thing
        for thing in things
        if thing.id in there or thing.kind not in (_INSTANCE, _VOLUME)
    ]


def _machine(one: Any) -> dict[str, Any]:
    # Disks are separate in the inventory; a stopped machine costs nothing except them.
    inputs = {"rootBlockDevice": {"volumeSize": 0}, "associatePublicIpAddress": "PublicIpAddress" in one}
    if one["State"]["Name"] == "stopped":
        return inputs
    market = {"instanceMarketOptions": {"marketType": kind}} if (kind := one.get("InstanceLifecycle")) else {}
    return {**inputs, "instanceType": one["InstanceType"], **market}


def _volume(one: Any) -> dict[str, Any]:
    told = {"size": "Size", "type": "VolumeType", "iops": "Iops", "throughput": "Throughput"}
    return {name: one[key] for name, key in told.items() if key in one}
