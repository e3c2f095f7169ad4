"""Launch templates, tags of Auto Scaling groups, placement groups and capacity reservations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpucluster.sandbox.clouds.aws.identity import ACCOUNT, hex_id
from gpucluster.sandbox.clouds.aws.model import Thing, models

__all__: list[str] = []


# Source of both: hashicorp/terraform-provider-aws internal/service/ec2/ec2_launch_template.go, `CustomizeDiff` for what
# a plan shows and `updateKeys` for what is done. They differ for tags and the description.
_PLANNED_WITHOUT_VERSION = frozenset({"name", "namePrefix", "description", "defaultVersion", "updateDefaultVersion"})
_DONE_WITHOUT_VERSION = frozenset({"tags", "defaultVersion", "updateDefaultVersion"})


@models("aws:ec2/launchTemplate:LaunchTemplate", id="lt", changing=("latestVersion",), keeping=_PLANNED_WITHOUT_VERSION)
def launch_template(thing: Thing) -> Mapping[str, Any]:
    """A change of what it launches makes a version; the default one stays unless the program moves it."""
    new_version = not thing.previous or bool(thing.changed - _DONE_WITHOUT_VERSION)
    latest = int(thing.previous.get("latestVersion") or 0) + new_version
    default = latest if thing.inputs.get("updateDefaultVersion") else thing.previous.get("defaultVersion") or 1
    return {
        "arn": thing.arn("ec2", f"launch-template/{thing.id}"),
        "latestVersion": latest,
        "defaultVersion": thing.inputs.get("defaultVersion") or default,
    }


@models(
    "aws:autoscaling/tag:Tag", id=lambda thing: f"{thing.inputs['autoscalingGroupName']},{thing.inputs['tag']['key']}"
)
def group_tag(_: Thing) -> Mapping[str, Any]:
    """Source of the id: hashicorp/terraform-provider-aws internal/tags, SetResourceID."""
    return {}


@models("aws:ec2/placementGroup:PlacementGroup", id=lambda thing: thing.name)
def placement_group(thing: Thing) -> Mapping[str, Any]:
    computed: dict[str, Any] = {
        "arn": thing.arn("ec2", f"placement-group/{thing.name}"),
        "placementGroupId": thing.keep("placementGroupId", lambda: hex_id("pg")),
    }
    if thing.inputs.get("strategy") == "spread":
        computed["spreadLevel"] = thing.inputs.get("spreadLevel") or "rack"
    if thing.inputs.get("strategy") == "partition":
        computed["partitionCount"] = thing.inputs.get("partitionCount") or 2
    return computed


@models(
    "aws:ec2/capacityReservation:CapacityReservation",
    id="cr",
    defaults={"endDateType": "unlimited", "instanceMatchCriteria": "open", "tenancy": "default"},
)
def capacity_reservation(thing: Thing) -> Mapping[str, Any]:
    return {"arn": thing.arn("ec2", f"capacity-reservation/{thing.id}"), "ownerId": ACCOUNT}
