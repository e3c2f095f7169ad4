"""The decisive machine type of a resource that may start several."""

from __future__ import annotations

from collections.abc import Iterable

from gpucluster.catalog.machines import has_gpus, machines, unlisted
from gpucluster.program.resources import UNKNOWN, Unknown


def counting(cloud: str, types: Iterable[str | Unknown | None]) -> str | Unknown | None:
    """The decisive type for rules about training: full GPU nodes, else possible ones, else the first."""
    found = [type_ for type_ in types if type_ is not None]
    known = [type_ for type_ in found if isinstance(type_, str)]
    whole_nodes = [type_ for type_ in known if type_ in machines() and machines()[type_].whole_node]
    not_listed = [type_ for type_ in known if unlisted(cloud, type_)]
    with_gpus = [type_ for type_ in known if has_gpus(cloud, type_)]
    open_ = [UNKNOWN] if UNKNOWN in found else []
    return next(iter((*whole_nodes, *not_listed, *open_, *with_gpus, *known)), None)
