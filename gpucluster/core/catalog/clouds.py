"""The clouds: `clouds.csv`, one row each. Everything else about a cloud is found by its name, in folders of that name.

========= =============================================================================================
column    meaning
========= =============================================================================================
`name`    its name in a stack's configuration, of its folders, and of its file in the price book
`title`   display name
`package` package of its resources' type tokens; also the name of its tables, and of its SDK for Python
========= =============================================================================================
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import TypeVar

from gpucluster.core.catalog.tables import rows
from gpucluster.errors import InputError

Fact = TypeVar("Fact")


@dataclass(frozen=True)
class CloudRow:
    """One row, by its columns."""

    name: str
    title: str
    package: str

    @property
    def sdk(self) -> str:
        """The Python package of its SDK."""
        return f"pulumi_{self.package.replace('-', '_')}"


@functools.cache
def clouds() -> Mapping[str, CloudRow]:
    """Name -> cloud, the default one first."""
    return {row["name"]: CloudRow(**row) for row in rows("clouds")}


def cloud_of_package(package: str) -> CloudRow | None:
    """The cloud whose type tokens begin with a package; None for a package of no cloud, such as `kubernetes`."""
    return next((cloud for cloud in clouds().values() if cloud.package == package), None)


def fact_of(facts: Mapping[str, Fact], cloud: str, what: str) -> Fact:
    """A table's entry for a cloud. Raises InputError if it is missing, with the file that lacks it.

    what: the fact and its file, such as `forms of versions (components/cluster/versions.py)`.
    """
    if cloud not in facts:
        raise InputError(f"cloud '{cloud}': {what} has facts for {', '.join(facts)} alone; choose one, or add a row")
    return facts[cloud]


def module_of(name: str) -> ModuleType | None:
    """The module of a full name; None if the file does not exist."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            return None
        raise


def modules_of(pattern: str) -> Iterator[tuple[CloudRow, ModuleType]]:
    """Every cloud with the module of a pattern, such as `gpucluster.policies.clouds.{cloud}.pools`, and the module."""
    for cloud in clouds().values():
        if (found := module_of(pattern.format(cloud=cloud.name))) is not None:
            yield cloud, found
