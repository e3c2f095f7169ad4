"""Where a resource carries labels, whatever the cloud calls them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from gpucluster.catalog.label_syntax import LabelSyntax
from gpucluster.program.resources import UNKNOWN, Unknown
from gpucluster.record import record

Place = tuple[str | int, ...]
"""Names of properties, by the engine, and positions in lists, from the top of a resource's inputs."""


@record(kw_only=True)
class LabelSet:
    """
    where: in the reader's words, e.g. "tags of the instances it starts".
    labels: key -> value; a value, or all of it, may be UNKNOWN.
    place: the property that labels are written in.
    written: labels in the form the property takes; for a list, what is appended to it.
    own: whether they are labels of the resource itself, and not of machines it starts.
    node_domains: for labels of machines, the kubernetes.io domains they may be in; None for anything else.
    """

    where: str
    labels: Mapping[str, Any] | Unknown
    syntax: LabelSyntax
    place: Place
    written: Callable[[Mapping[str, str]], Any] = dict
    own: bool = False
    node_domains: tuple[str, ...] | None = None


def labels_at(value: Any) -> Mapping[str, Any] | Unknown:
    """`value` as labels: an absent map is an empty one."""
    if value is UNKNOWN:
        return UNKNOWN
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
