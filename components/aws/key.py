"""An existing key for Kubernetes secrets, given by the spec. Imports no Pulumi."""

from __future__ import annotations

import re

from gpucluster.components.aws.location import Location
from gpucluster.components.problem import Problem

# Source: AWS KMS developer guide, "Key ARN"; a multi-Region key is one of each region.
_KEY = r"^arn:aws[a-z-]*:kms:(?P<region>[a-z0-9-]+):(?P<account>\d{12}):key/(mrk-)?[0-9a-f-]{32,36}$"


def key_problems(key: str | None) -> list[Problem]:
    """An ARN that does not name a key."""
    if key is None or re.fullmatch(_KEY, key):
        return []
    example = "arn:aws:kms:us-east-1:123456789012:key/01234567-89ab-cdef-0123-456789abcdef"
    return [Problem("secrets_key", f"is {key!r}", f"write the ARN of a KMS key, such as {example}")]


def key_place_problems(key: str | None, location: Location) -> list[Problem]:
    """A key of another region, in the terms of the stack's configuration."""
    found = None if key is None else re.fullmatch(_KEY, key)
    if found is None or found["region"] == location.region:
        return []
    return [
        Problem("region", f"is {location.region!r}, but secrets_key of the spec is in {found['region']}", "use one")
    ]
