"""The machine type of an EC2 template or override, or requirements that match several."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from gpucluster.program.resources import UNKNOWN, Unknown
from gpucluster.program.values import at, items, text, whole

# Prefixes of entries of allowedInstanceTypes that may match a GPU machine, such as `p5.48xlarge`, `p*` or `*`.
_MAY_HAVE_GPUS: Final = r"\*|[pg]r?(\*|\d)"


def named(entry: Any) -> Iterator[str | Unknown]:
    """The type, UNKNOWN for requirements that GPU machines may meet.

    They do unless the requirements exclude them: pulumi-aws 7.51.1, LaunchTemplateInstanceRequirementsArgs
    (acceleratorCount: "Default is no minimum or maximum limits").
    """
    own = text(entry, "instanceType")
    requirements = at(entry, "instanceRequirements")
    if own is not None:
        yield own
    if requirements is not None and _may_have_gpus(requirements):
        yield UNKNOWN


def _may_have_gpus(requirements: Any) -> bool:
    if whole(requirements, "acceleratorCount", "max") == 0:
        return False
    kinds = items(requirements, "acceleratorTypes")
    if kinds is not UNKNOWN and kinds and not {"gpu", UNKNOWN} & set(kinds):
        return False
    allowed = items(requirements, "allowedInstanceTypes")
    if allowed is UNKNOWN or not allowed:
        return True
    return any(not isinstance(one, str) or re.match(_MAY_HAVE_GPUS, one) for one in allowed)
