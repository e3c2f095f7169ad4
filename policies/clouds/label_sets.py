"""Labels of a resource, independent of the cloud's name for them, from the `labels` module of the cloud of its type.

Such a module has `label_sets(resource, provider)`, every set of labels of a resource, and, if other resources of a
stack add labels to it, `with_stack(sets, resource, resources)`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, cast

from gpucluster.core.catalog.clouds import cloud_of_package, module_of
from gpucluster.core.catalog.labels import LabelSyntax
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.policies.engine.rule import Place


@dataclass(frozen=True, kw_only=True)
class LabelSet:
    """
    where: the name of these labels for users, e.g. "tags of the instances it starts".
    labels: key -> value; a value, or the whole map, may be UNKNOWN.
    place: the property that contains the labels; empty if the resource has none for them.
    written: labels in the form of the property; for a list, the elements to append.
    own: whether they are labels of the resource itself, not of machines it starts.
    node_domains: for labels of machines, the allowed kubernetes.io domains; None for anything else.
    advice: how to set them, where there is no place.
    partial: whether a template of another stack may add others.
    """

    where: str
    labels: Mapping[str, Any] | Unknown
    syntax: LabelSyntax
    place: Place = ()
    written: Callable[[Mapping[str, str]], Any] = dict
    own: bool = False
    node_domains: tuple[str, ...] | None = None
    advice: str = ""
    partial: bool = False


def node_labels(labels: Any, place: Place, domains: tuple[str, ...], of: str = "") -> LabelSet:
    """Labels of the nodes that a resource starts. domains: see `LabelSet.node_domains`. of: the pool, if not all."""
    return LabelSet(
        where=f"labels of the nodes it starts{of}",
        labels=labels_at(labels),
        syntax=LabelSyntax.KUBERNETES,
        place=place,
        node_domains=domains,
    )


def labels_with_defaults(own: Any, every: Any, default: Any) -> Mapping[str, Any] | Unknown:
    """A resource's labels over those that its provider adds. every: both, as the provider returns them.

    UNKNOWN if all are unknown.
    """
    returned = labels_at(every)
    if own is UNKNOWN and (returned is UNKNOWN or not returned):
        return UNKNOWN
    given = (labels_at(default), returned, labels_at(own))
    return {key: value for labels in given if labels is not UNKNOWN for key, value in labels.items()}


def labels_at(value: Any) -> Mapping[str, Any] | Unknown:
    """`value` as labels: a missing map is an empty one."""
    if value is UNKNOWN:
        return UNKNOWN
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def label_sets_in(resource: Resource, resources: Resources) -> Iterator[LabelSet]:
    """Its label sets, those of machines including labels from other resources of the stack."""
    sets = label_sets(resource, resources.get(resource.provider))
    with_stack = getattr(_module(resource), "with_stack", None)
    yield from sets if with_stack is None else with_stack(sets, resource, resources)


def label_sets(resource: Resource, provider: Resource | None = None) -> Iterator[LabelSet]:
    """Label sets of a resource, empty if it has no labels; `provider` adds its default tags."""
    if resource.custom and (of := _module(resource)) is not None:
        yield from of.label_sets(resource, provider)


def _module(resource: Resource) -> ModuleType | None:
    return _of_package(resource.type.split(":", 1)[0])


@functools.lru_cache(maxsize=64)
def _of_package(package: str) -> ModuleType | None:
    """None for a package without one. A type token is text of a plan, and no module's name may come from one."""
    cloud = cloud_of_package(package)
    if cloud is None and package != "kubernetes":
        return None
    return module_of(f"gpucluster.policies.clouds.{package if cloud is None else cloud.name}.labels")
