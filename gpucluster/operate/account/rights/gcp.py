"""Permissions in Google Cloud's form: predefined roles."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Final

from gpucluster.core.program.resources import Resources
from gpucluster.operate.account.rights.command import Rights, rights_in

PACKAGE: Final = "gcp"


def rights_of(type_: str) -> Rights | None:
    """Roles; None if no known source lists them."""
    return rights_in("gcp").get(type_)


def document(types: Mapping[str, Rights], plan: Resources) -> dict[str, list[str]]:
    """Role -> the types that need it."""
    del plan
    pairs = sorted((role, type_) for type_, roles in types.items() for role in roles)
    return {role: [type_ for _, type_ in named] for role, named in groupby(pairs, key=lambda pair: pair[0])}
