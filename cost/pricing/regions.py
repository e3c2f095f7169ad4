"""Regions for resources whose region is not in the plan or state: from `--region`, else the environment.

A plan has no step for a default provider, and its configuration lacks regions that come from the environment.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.catalog.resource_types import package_of_region, region_of_environment

Regions = Mapping[str, tuple[str, str]]
"""Package -> (region, its origin)."""


def regions_in_use(given: Sequence[str] = (), environ: Mapping[str, str] | None = None) -> Regions:
    """The regions to use. given: values of `--region`. ValueError names a region that no cloud could have, or two of
    one cloud.
    """
    found: dict[str, tuple[str, str]] = {}
    for name in given:
        package = package_of_region(name)
        if package is None:
            raise ValueError(f"{name!r} is not a region; write one such as us-east-1, us-central1 or eastus")
        if package in found:
            raise ValueError(f"{found[package][0]} and {name} are regions of one cloud; give one of them")
        found[package] = name, "--region"
    for cloud in clouds().values():
        said = region_of_environment(cloud.package, os.environ if environ is None else environ)
        if said is not None:
            found.setdefault(cloud.package, said)
    return found
