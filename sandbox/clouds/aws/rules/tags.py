"""What every AWS service asks of tags.

Source: AWS Tagging user guide, "Tag naming limits and requirements"; codes as in the EC2 API error list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from gpucluster.sandbox.clouds.aws.model import Thing
from gpucluster.sandbox.clouds.aws.rules.rule import refused, rule
from gpucluster.sandbox.type_guards import items, mapping

__all__: list[str] = []

_GROUP_TAG: Final = "aws:autoscaling/tag:Tag"
_MOST: Final = 50
_KEY_LENGTH: Final = 128
_VALUE_LENGTH: Final = 256
_ALLOWED: Final = re.compile(r"[\w\s+\-=.:/@]*")


@rule("*")
def tags_are_within_limits(thing: Thing) -> None:
    """At most 50 tags, keys of 1-128 and values of up to 256 characters, none of them reserved or not allowed."""
    if len(thing.tags) > _MOST:
        raise _refused(thing, "TagLimitExceeded", f"{len(thing.tags)} tags; a resource may have {_MOST}")
    _check(thing, thing.tags)


@rule(_GROUP_TAG)
def tag_of_a_group_is_within_limits(thing: Thing) -> None:
    """The same of a tag that is a resource of its own, on a group that there is: no more than 50 on each.

    Source: Amazon EC2 Auto Scaling API, CreateOrUpdateTags; EKS makes the groups of managed node groups.
    """
    group, tag = thing.inputs["autoscalingGroupName"], mapping(thing.inputs["tag"])
    if not _is_group(thing, group):
        raise refused(
            thing,
            "AutoScaling: CreateOrUpdateTags",
            400,
            "ValidationError",
            f"AutoScalingGroup name not found - {group}",
        )
    others = [entry for entry in thing.others(_GROUP_TAG, group) if entry.inputs["autoscalingGroupName"] == group]
    if len(others) >= _MOST:
        raise refused(
            thing, "AutoScaling: CreateOrUpdateTags", 400, "LimitExceeded", f"{len(others) + 1} tags; allowed: {_MOST}"
        )
    _check(thing, {str(tag["key"]): str(tag["value"])})


def _is_group(thing: Thing, name: str) -> bool:
    """Whether there is an Auto Scaling group of this name: that of a node group, or one made by itself."""
    made = (entry.name for entry in thing.others("aws:autoscaling/group:Group", name))
    of_nodes = thing.others("aws:eks/nodeGroup:NodeGroup", name)
    listed = (mapping(items(entry.outputs["resources"])[0]) for entry in of_nodes)
    return name in {
        *made,
        *(str(mapping(group)["name"]) for found in listed for group in items(found["autoscalingGroups"])),
    }


def _check(thing: Thing, tags: Mapping[str, str]) -> None:
    for key, value in tags.items():
        if key.lower().startswith("aws:"):
            raise _refused(thing, "InvalidParameterValue", f"Tag keys starting with 'aws:' are reserved: '{key}'")
        if not 1 <= len(key) <= _KEY_LENGTH:
            raise _refused(thing, "InvalidParameterValue", f"Tag key '{key}' is not 1 to {_KEY_LENGTH} characters long")
        if len(str(value)) > _VALUE_LENGTH:
            message = f"Tag value of '{key}' exceeds the maximum length of {_VALUE_LENGTH} characters"
            raise _refused(thing, "InvalidParameterValue", message)
        for text in (key, str(value)):
            if not _ALLOWED.fullmatch(text):
                allowed = "letters, digits, spaces, + - = . _ : / @"
                message = f"Tag '{key}' has characters that are not allowed in '{text}'; allowed: {allowed}"
                raise _refused(thing, "InvalidParameterValue", message)


def _refused(thing: Thing, code: str, message: str) -> Exception:
    service = thing.token.split(":")[1].split("/")[0].upper()
    return refused(thing, f"{service}: CreateTags", 400, code, message)
