"""Tag requirements of all AWS services.

Source: AWS Tagging user guide, "Tag naming limits and requirements"; codes as in the EC2 API error list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from gpucluster.sandbox.clouds.aws.model import ManagedResource
from gpucluster.sandbox.clouds.aws.rules.rule import refused, rule
from gpucluster.sandbox.type_guards import items, mapping

_GROUP_TAG: Final = "aws:autoscaling/tag:Tag"
_MOST: Final = 50
_KEY_LENGTH: Final = 128
_VALUE_LENGTH: Final = 256
_ALLOWED: Final = r"[\w\s+\-=.:/@]*"


@rule("*")
def tags_are_within_limits(managed: ManagedResource) -> None:
    """At most 50 tags, keys of 1-128 and values of up to 256 characters, without reserved keys and disallowed
    characters.
    """
    if len(managed.tags) > _MOST:
        raise _refused(managed, "TagLimitExceeded", f"{len(managed.tags)} tags; a resource may have {_MOST}")
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
    if len(others) >= _MOST:
        raise refused(
            managed,
            "AutoScaling: CreateOrUpdateTags",
            400,
            "LimitExceeded",
            f"{len(others) + 1} tags; allowed: {_MOST}",
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
    for key, value in tags.items():
        if key.lower().startswith("aws:"):
            raise _refused(managed, "InvalidParameterValue", f"Tag keys starting with 'aws:' are reserved: '{key}'")
        if not 1 <= len(key) <= _KEY_LENGTH:
            raise _refused(
                managed, "InvalidParameterValue", f"Tag key '{key}' is not 1 to {_KEY_LENGTH} characters long"
            )
        if len(str(value)) > _VALUE_LENGTH:
            message = f"Tag value of '{key}' exceeds the maximum length of {_VALUE_LENGTH} characters"
            raise _refused(managed, "InvalidParameterValue", message)
        for text in (key, str(value)):
            if not re.fullmatch(_ALLOWED, text):
                allowed = "letters, digits, spaces, + - = . _ : / @"
                message = f"Tag '{key}' has characters that are not allowed in '{text}'; allowed: {allowed}"
                raise _refused(managed, "InvalidParameterValue", message)


def _refused(managed: ManagedResource, code: str, message: str) -> Exception:
    service = managed.token.split(":")[1].split("/")[0].upper()
    return refused(managed, f"{service}: CreateTags", 400, code, message)
