"""Karpenter's machines on EC2: pools, their classes, and the reservations a class may use.

Source: aws/karpenter-provider-aws v1.14.1, pkg/apis/v1/ec2nodeclass.go: a term's `id` excludes other fields, which
otherwise must all match, and an open reservation that no term selects is never used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, cast

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources
from gpucluster.core.program.values import at, items, known_items, text

_POOL: Final = "kubernetes:karpenter.sh/v1:NodePool"
_CLASS: Final = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
_MACHINE: Final = "node.kubernetes.io/instance-type"
_TERMS: Final = ("spec", "capacityReservationSelectorTerms")


def machine_pools(resources: Resources, machine: str) -> Iterator[tuple[Resource, Resource]]:
    """(pool, its class) of the pools whose requirements name this machine type."""
    for pool in resources.of_type(_POOL):
        name = text(pool.inputs, "spec", "template", "spec", "nodeClassRef", "name")
        classes = resources.objects_named(_CLASS, name, provider=pool.provider) if isinstance(name, str) else ()
        if classes and _starts(pool, machine):
            yield pool, classes[0]


def _starts(pool: Resource, machine: str) -> bool:
    return any(
        text(item, "key") == _MACHINE and text(item, "operator") == "In" and machine in known_items(item, "values")
        for item in known_items(pool.inputs, "spec", "template", "spec", "requirements")
    )


def selects(node_class: Resource, reservation: Resource) -> bool | None:
    """Whether the class may use a reservation of the stack; None if unknown before the update."""
    terms = items(node_class.inputs, *_TERMS)
    if terms is UNKNOWN:
        return None
    answers = [_matches(term, node_class, reservation) for term in terms]
    return True if True in answers else None if None in answers else False


def _matches(term: object, node_class: Resource, reservation: Resource) -> bool | None:
    identity = text(term, "id")
    if term is UNKNOWN or identity is UNKNOWN:
        return True if reservation.urn in node_class.dependencies.get("spec", ()) else None
    if identity is not None:
        return identity == at(reservation.outputs, "id")
    tags, criteria = at(term, "tags"), text(term, "instanceMatchCriteria")
    own = at(reservation.inputs, "tags")
    if UNKNOWN in (tags, criteria, own):
        return None
    wanted = cast("Mapping[str, object]", tags or {})
    if any(key not in (own or {}) or value not in ("*", own[key]) for key, value in wanted.items()):
        return False
    return criteria in (None, text(reservation.inputs, "instanceMatchCriteria") or "open")
