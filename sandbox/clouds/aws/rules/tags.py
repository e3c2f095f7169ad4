"""Refusals of tags, for default tags of the provider and tags that are known only when a resource is created."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.aws.model import ManagedResource, refused, rule
from gpucluster.sandbox.clouds.aws.names import MOST, refused_tags

_GROUP_TAG: Final = "aws:autoscaling/tag:Tag"


@rule("*")
def tags_are_within_limits(managed: ManagedResource) -> None:
    """The limits of all services, and the characters of this one."""
    _check(managed, managed.tags)


@rule(_GROUP_TAG)
def tag_of_a_group_is_within_limits(managed: ManagedResource) -> None:
    """The same for a tag that is its own resource, on an existing group: no more than 50 on each.

    Source: Amazon EC2 Auto Scaling API, CreateOrUpdateTags; EKS creates the groups of managed node groups.
    """
    group, tag = managed.inputs["autoscalingGroupName"], mapping(managed.inputs["tag"])
    if not _is_group(managed, group):
        raise refused(
            managed,
            "AutoScaling: CreateOrUpdateTags",
            400,
            "ValidationError",
            f"AutoScalingGroup name not found - {group}",
        )
    others = [entry for entry in managed.others(_GROUP_TAG, group) if entry.inputs["autoscalingGroupName"] == group]
    if len(others) >= MOST:
        raise refused(
            managed,
            "AutoScaling: CreateOrUpdateTags",
            400,
            "LimitExceeded",
            f"{len(others) + 1} tags; allowed: {MOST}",
        )
    _check(managed, {str(tag["key"]): str(tag["value"])})


def _is_group(managed: ManagedResource, name: str) -> bool:
    """Whether an Auto Scaling group of this name exists: of a node group, or a separate resource."""
    made = (entry.name for entry in managed.others("aws:autoscaling/group:Group", name))
    of_nodes = managed.others("aws:eks/nodeGroup:NodeGroup", name)
    listed = (mapping(items(entry.outputs["resources"])[0]) for entry in of_nodes)
    return name in {
        *made,
        *(str(mapping(group)["name"]) for found in listed for group in items(found["autoscalingGroups"])),
    }


def _check(managed: ManagedResource, tags: Mapping[str, str]) -> None:
    for found in refused_tags(managed.token, tags):
        service = managed.token.split(":")[1].split("/")[0].upper()
        raise refused(managed, f"{service}: CreateTags", 400, found.code, found.message)
