"""The cost of one resource: lines, why it is free, or why it has no price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from gpucluster.core.catalog.resource_types import free_reason
from gpucluster.core.catalog.tables import DamagedTable
from gpucluster.core.program.inventory import named_by
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost.handlers.registry import handler_for
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.assumptions import Assumptions
from gpucluster.cost.pricing.inputs import TEMPLATES, Bearing, split_unread
from gpucluster.cost.pricing.model import Between, CostLine, Free, NotConsidered, NotPriced, Parts
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing, provider_of

_ZERO: Final = Decimal(0)


def outcomes(
    resource: Resource,
    resources: Resources,
    book: PriceBook,
    assumptions: Assumptions,
    part: str,
    duration_days: Decimal | None,
    guesses: set[str],
) -> list[CostLine | Free | NotPriced]:
    """Every outcome of one resource; at least one."""
    handler = handler_for(resource.type)
    if handler is None:
        reason = free_reason(resource.type)
        if reason is not None:
            return [Free(resource.urn, resource.type, *reason)]
        named = ", ".join(found.label for found in named_by(resource, resources))
        why = f"{named}: {_why_unpriced(resource)}" if named else _why_unpriced(resource)
        return [NotPriced(resource.urn, resource.type, part, why, compute=bool(named))]
    resource_assumptions = assumptions.of(resource)
    item = Pricing(
        urn=resource.urn,
        resource=resource,
        resources=resources,
        book=book,
        assumptions=resource_assumptions,
        part=part,
        provider=provider_of(resource.type),
        duration_days=duration_days,
        guesses=guesses,
    )
    found: list[CostLine | Free | NotPriced] = []
    try:
        for outcome in handler(item):  # one by one: outcomes before a failure are kept
            entry = outcome if resource_assumptions is assumptions else _excepted(outcome, resource, assumptions)
            found.append(item.as_found(entry) if isinstance(entry, CostLine) else entry)
    except CannotPrice as error:
        found.append(item.not_priced(error))
    except DamagedTable:  # a fault of the whole tool, not of one handler
        raise
    except Exception as error:  # a fault of one handler must neither hide nor stop the others
        found.append(item.not_priced(f"handler failed: {type(error).__name__}: {error}"))
    return found or [item.not_priced("its handler found nothing to bill")]


def _for_bearing(
    resource: Resource, lines: Sequence[CostLine], part: str, bearing: Sequence[Bearing]
) -> tuple[list[NotPriced], bool]:
    """(what unread inputs that bear on the price leave unpriced, whether that includes the lines of the resource)."""
    lowered = [one.reason for one in bearing if one.effect == "less"]
    found = [NotPriced(resource.urn, resource.type, part, one.reason) for one in bearing if one.effect == "more"]
    for line in lines if lowered else ():
        none = replace(line, quantity=_ZERO, floor=_ZERO, upfront=_ZERO)
        between = Between(none, line, "nothing at least, the price without it at most")
        compute = line.unit == "instance-hour"
        found.append(NotPriced(line.urn, resource.type, part, "; ".join(lowered), compute, between=between))
    if lowered and not lines:
        found += [NotPriced(resource.urn, resource.type, part, reason) for reason in lowered]
    return found, bool(lowered)


def _why_unpriced(resource: Resource) -> str:
    if not resource.custom:
        return "a program of its own makes its parts, which are not in this plan: they are neither priced nor checked"
    if resource.type.startswith("command:"):
        return "what its command creates is in no plan: it is neither priced nor checked"
    return "no handler for its type"


def _excepted(
    outcome: CostLine | Free | NotPriced, resource: Resource, assumptions: Assumptions
) -> CostLine | Free | NotPriced:
    """The outcome; if its assumption is an exception, with the type or resource that the exception applies to."""
    if assumptions.exceptions is None or not isinstance(outcome, CostLine):
        return outcome
    where = assumptions.exceptions.origin(resource, outcome.assumption)
    return replace(outcome, assumption=f"{outcome.assumption} ({where})") if where else outcome


def place_unread(resources: Resources, parts: Parts, not_priced: list[NotPriced]) -> tuple[NotConsidered, ...]:
    """What no handler read of the resources with lines, and of templates in use, once all handlers have read. Replaces
    lines of resources whose unread inputs bear on the price. Of a resource that is priced in part, an input that may
    add to the price is only named: its total is "at least" in any case.
    """
    priced = parts.urns()
    missing = {item.urn for item in not_priced}
    others: dict[str, set[str]] = {}
    for resource in resources:
        if resource.urn not in priced and resource.type not in TEMPLATES:
            continue
        bearing, paths = split_unread(resource)
        if resource.urn in missing:
            paths = [*paths, *(one.path for one in bearing if one.effect == "more")]
            bearing = [one for one in bearing if one.effect == "less"]
        if paths:
            others.setdefault(resource.type, set()).update(paths)
        if bearing:
            part, lines = parts.place(resource)
            of_it = [line for line in lines if line.urn == resource.urn]
            found, lowered = _for_bearing(resource, of_it, part, bearing)
            not_priced += found
            if lowered:
                lines[:] = [line for line in lines if line.urn != resource.urn]
    return tuple(NotConsidered(type_, tuple(sorted(paths))) for type_, paths in sorted(others.items()))
