"""Resource types with labels or tags, and the argument that holds them: `labelled_PACKAGE.csv` for each SDK.

The source of these rows is the SDK in `requirements.lock`: `python -m tools.labelled` regenerates them after an SDK
update, and a test compares the two. Types that are missing, such as networks, firewalls and resource
policies of Google Cloud, have no labels.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Final

from gpucluster.catalog.clouds import clouds
from gpucluster.catalog.rows import rows

PACKAGES: Final = tuple(cloud.package for cloud in clouds().values())


def argument_of(type_: str) -> str | None:
    """The input, in camel case, with the labels of the resource itself; None for a type without labels."""
    package = type_.partition(":")[0]
    return labelled(package).get(type_) if package in PACKAGES else None


@functools.cache
def labelled(package: str) -> Mapping[str, str]:
    """Type token -> that input, of one SDK."""
    return {row["type"]: row["argument"] for row in rows(f"labelled_{package}")}
