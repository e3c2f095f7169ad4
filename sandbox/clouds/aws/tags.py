"""Tags of AWS resources: the effective ones, and the limits of all services.

Sources: AWS Tagging user guide, "Tag naming limits and requirements"; botocore 1.44.5 for the characters of a service.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.types.values import UNKNOWN, Secret, plain

MOST: Final = 50
_KEY_LENGTH: Final = 128
_VALUE_LENGTH: Final = 256
_ALLOWED: Final = re.compile(r"[\w\s+\-=.:/@]*")
_ANY_CHARACTER: Final = frozenset(
    {"autoscaling", "ebs", "ec2", "ec2clientvpn", "ec2transitgateway", "notifications", "vpc"}
)
"""Modules of pulumi-aws whose APIs accept every character: EC2's, which has no pattern ("Although EC2 allows for any
character in its tags, other AWS services are more restrictive", EC2 user guide, Tag restrictions), and those with a
pattern of all characters.
"""


@dataclass(frozen=True)
class RefusedTag:
    """A refused tag. code: of the EC2 API error list. key: empty if there are too many."""

    code: str
    message: str
    key: str = ""


def all_tags(tags: Any, default_tags: Mapping[str, str]) -> Any:
    """`tagsAll`: the resource's own tags, which override the provider's default tags; completely unknown if its own
    are.
    """
    if tags is UNKNOWN:
        return UNKNOWN
    if isinstance(tags, Secret):
        return Secret(all_tags(tags.value, default_tags))
    return {**default_tags, **mapping(tags)}


def refused_tags(token: str, tags: Any) -> Iterator[RefusedTag]:
    """More than 50 tags, reserved keys, keys of other than 1-128 and values of more than 256 characters, and characters
    that the service refuses. Unknown tags are accepted.
    """
    found = mapping(plain(tags))
    if len(found) > MOST:
        yield RefusedTag("TagLimitExceeded", f"{len(found)} tags; a resource may have {MOST}")
    free = token.split(":")[1].split("/")[0] in _ANY_CHARACTER
    for key, value in found.items():
        yield from (RefusedTag("InvalidParameterValue", said, key) for said in _refused(key, value, free=free))


def _refused(key: str, value: Any, *, free: bool) -> Iterator[str]:
    text = "" if value is UNKNOWN else str(value)
    if key.lower().startswith("aws:"):
        yield f"Tag keys starting with 'aws:' are reserved: '{key}'"
    if not 1 <= len(key) <= _KEY_LENGTH:
        yield f"Tag key '{key}' is not 1 to {_KEY_LENGTH} characters long"
    if len(text) > _VALUE_LENGTH:
        yield f"Tag value of '{key}' exceeds the maximum length of {_VALUE_LENGTH} characters"
    for given in (key, text):
        if not free and not _ALLOWED.fullmatch(given):
            allowed = "letters, digits, spaces, + - = . _ : / @"
            yield f"Tag '{key}' has characters that are not allowed in '{given}'; allowed: {allowed}"
