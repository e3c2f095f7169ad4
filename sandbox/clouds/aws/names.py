"""Generated names, as in pulumi-aws, and the effective tags of resources with the limits of all services.

Source: pulumi/pulumi-aws v7 provider/resources.go and its overrides: `SetAutonaming(255, "-")` for every type with an
input `name`, and the explicit `AutoName...` entries repeated here.

Sources: AWS Tagging user guide, "Tag naming limits and requirements"; botocore 1.44.5 for the characters of a service.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.cloud import Resource
from gpucluster.sandbox.clouds.model import DEFAULTS_KEY, hex_suffix, is_generated, random_hex
from gpucluster.sandbox.clouds.types.values import UNKNOWN, Secret, plain


@dataclass(frozen=True)
class _Rule:
    property: str
    shape: Callable[[str], str] = str


_RULES: Final[Mapping[str, _Rule]] = {
    "aws:s3/bucket:Bucket": _Rule("bucket", str.lower),
    "aws:eks/nodeGroup:NodeGroup": _Rule("nodeGroupName"),
    "aws:eks/fargateProfile:FargateProfile": _Rule("fargateProfileName"),
    "aws:cloudwatch/eventTarget:EventTarget": _Rule("targetId"),
    "aws:efs/fileSystem:FileSystem": _Rule("creationToken"),
    "aws:kms/alias:Alias": _Rule("name", lambda name: f"alias/{name}"),
}

_CONSTANTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "aws:ec2/securityGroup:SecurityGroup": {"description": "Managed by Pulumi"},
}


def name_property(resource: Resource) -> str | None:
    """The input with the name of a type, None for types without one."""
    if resource.token in _RULES:
        return _RULES[resource.token].property
    return "name" if "name" in resource.type.inputs and resource.type.inputs["name"].type == "str" else None


def with_name(resource: Resource, seed: bytes) -> dict[str, Any]:
    """The inputs with a name and constant defaults if the program has none; a generated name stays in updates."""
    inputs = dict(resource.inputs)
    filled = {key: value for key, value in _CONSTANTS.get(resource.token, {}).items() if inputs.get(key) is None}
    prop = name_property(resource)
    if prop is not None and inputs.get(prop) is None and inputs.get(f"{prop}Prefix") is None:
        if is_generated(resource.old_inputs, prop):
            filled[prop] = resource.old_inputs[prop]
        else:
            filled[prop] = _generated(resource, seed)
    return {**inputs, **filled, DEFAULTS_KEY: sorted(filled)} if filled else inputs


def _generated(resource: Resource, seed: bytes) -> str:
    rule = _RULES.get(resource.token, _Rule("name"))
    suffix = ".fifo" if resource.inputs.get("fifoQueue") is True or resource.inputs.get("fifoTopic") is True else ""
    return f"{rule.shape(resource.logical_name)}-{hex_suffix(seed, 7)}{suffix}"


ACCOUNT: Final = "000000000000"
"""No real AWS account has this number."""

DOMAIN: Final = "sandbox.invalid"
"""Top-level domain `invalid` never resolves (RFC 2606)."""

# The letters AWS uses for availability zone ids of a region, e.g. use1-az1 in us-east-1
# (EC2 user guide, "Availability Zone IDs").
_AREAS: Final = {
    "north": "n", "south": "s", "east": "e", "west": "w", "central": "c", "northeast": "ne", "southeast": "se",
    "northwest": "nw", "southwest": "sw",
}  # fmt: skip


def hex_id(prefix: str) -> str:
    """An EC2-style id: prefix and 17 hexadecimal digits."""
    return f"{prefix}-{random_hex(17)}"


def arn(service: str, region: str, path: str) -> str:
    """An ARN in the simulated account; region is empty for global services."""
    partition = {"cn": "aws-cn", "us-gov": "aws-us-gov"}.get(region.rsplit("-", 2)[0], "aws")
    return f"arn:{partition}:{service}:{region}:{ACCOUNT}:{path}"


def zone_ids(region: str) -> dict[str, str]:
    """Zone name -> zone id of the first six zones; in this account letters and numbers have the same order."""
    *area, direction, number = region.split("-")
    short = "".join(area) + _AREAS.get(direction, direction) + number
    return {f"{region}{letter}": f"{short}-az{index}" for index, letter in enumerate("abcdef", start=1)}


def zone_of(region: str, name: str | None, zone_id: str | None) -> tuple[str, str]:
    """(name, id) of a zone given by one of them, by default the first of the region; also of Local Zones, whose names
    determine their ids: us-east-1-atl-2a is use1-atl2-az1.
    """
    ids = zone_ids(region)
    names = {found: zone for zone, found in ids.items()}
    if name is None and zone_id is not None and zone_id not in names:
        _, place, number = [*zone_id.split("-"), "az1"][:3]
        letter = "abcdefgh"[int(number.removeprefix("az")) - 1]
        return f"{region}-{place[:-1]}-{place[-1]}{letter}", zone_id
    zone = name or names.get(zone_id or "", f"{region}a")
    if zone not in ids and zone.startswith(f"{region}-"):
        prefix = ids[f"{region}a"].split("-")[0]
        if "-wlz-" in zone:  # a Wavelength Zone: us-east-1-wl1-bos-wlz-1 is use1-wl1-bos-wlz1
            return zone, f"{prefix}-{zone.removeprefix(f'{region}-').replace('-wlz-', '-wlz')}"
        place, number = zone.removeprefix(f"{region}-").split("-")
        return zone, f"{prefix}-{place}{number[:-1]}-az{'abcdefgh'.index(number[-1]) + 1}"
    return zone, zone_id or ids.get(zone, "")


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
        yield from (RefusedTag("InvalidParameterValue", problem, key) for problem in _refused(key, value, free=free))


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
