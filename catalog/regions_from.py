"""Sources of a resource's region other than its inputs: `regions_from.csv`, for each cloud in order of precedence.

========= ============================================================================================================
column    meaning
========= ============================================================================================================
`from`    `option`: a region as a user writes it, which differs between clouds; `environment`: a variable that the
          cloud's provider reads; `output`: the cloud's answer for a resource that exists
`name`    of the variable or output
`pattern` regular expression for the whole value; its group is the region
========= ============================================================================================================
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Literal

from gpucluster.catalog.clouds import clouds
from gpucluster.catalog.rows import rows

_From = Literal["option", "environment", "output"]


def package_of_region(region: str) -> str | None:
    """The package of the cloud with this format of regions; None without a match."""
    return next(_packages(region), None)


def region_of_environment(package: str, environ: Mapping[str, str]) -> tuple[str, str] | None:
    """(region, its variable) for a package's default provider; None if no variable is set."""
    return next(_said(package, "environment", environ), None)


def region_of_outputs(package: str, outputs: Mapping[str, Any]) -> str | None:
    """The region in a resource's outputs; None if missing."""
    return next((region for region, _ in _said(package, "output", outputs)), None) if outputs else None


def _packages(region: str) -> Iterator[str]:
    for cloud in clouds().values():
        if any(re.fullmatch(pattern, region) for _, pattern in _ways(cloud.package, "option")):
            yield cloud.package


def _said(package: str, kind: _From, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, pattern in _ways(package, kind):
        value = values.get(name)
        if isinstance(value, str) and (found := re.fullmatch(pattern, value)):
            yield found[1], name


@cache
def _ways(package: str, kind: _From) -> tuple[tuple[str, str], ...]:
    names = {cloud.name for cloud in clouds().values() if cloud.package == package}
    return tuple(
        (row["name"], row["pattern"]) for row in rows("regions_from") if row["cloud"] in names and row["from"] == kind
    )
