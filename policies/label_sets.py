"""Labels of a resource, independent of the cloud's name for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from gpucluster.catalog.label_syntax import LabelSyntax
from gpucluster.program.resources import UNKNOWN, Unknown
from gpucluster.record import record

Place = tuple[str | int, ...]
"""Property names, as in the engine, and list indices, from the top of a resource's inputs."""


@record(kw_only=True)
class LabelSet:
    """
    where: in the user's words, e.g. "tags of the instances it starts".
    labels: key -> value; a value, or the whole map, may be UNKNOWN.
    place: the property that contains the labels.
    written: labels in the form of the property; for a list, the elements to append.
    own: whether they are labels of the resource itself, not of machines it starts.
    node_domains: for labels of machines, the allowed kubernetes.io domains; None for anything else.
    """

    where: str
    labels: Mapping[str, Any] | Unknown
    syntax: LabelSyntax
    place: Place
    written: Callable[[Mapping[str, str]], Any] = dict
    own: bool = False
    node_domains: tuple[str, ...] | None = None


def labels_at(value: Any) -> Mapping[str, Any] | Unknown:
    """`value` as labels: a missing map is an empty one."""
    if value is UNKNOWN:
        return UNKNOWN
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
