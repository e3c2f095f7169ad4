"""Leftovers, their known cost per day by the price book, and their removal."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from gpucluster.core.catalog.resource_types import free_reason
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.core.program.values import is_list, is_object
from gpucluster.cost.estimate.estimate import Estimate, estimate
from gpucluster.cost.pricing.assumptions import Assumptions, regions_in_use
from gpucluster.cost.pricing.model import DAY, cents
from gpucluster.cost.pricing.money import money
from gpucluster.errors import Exit
from gpucluster.operate.account.inventory import Kind, ResourceKind, kind_of, kinds_by_type, order_of, removal
from gpucluster.options import form_of, stack_option
from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.project.project import Project
from gpucluster.sandbox.state.compare import stack_of
from gpucluster.sandbox.state.damage import differences


@dataclass(frozen=True, kw_only=True)
class Left:
    """kind: in the cloud's terms, or Pulumi's type. id: its ARN or id. daily: known USD per day, None if nothing is
    known. cost: the same as text, with usage-based and unpriced items. order: of its removal, lower first. remove: a
    command, or empty. held: id of what it is removed with, or empty.
    """

    kind: str
    id: str
    daily: Decimal | None
    cost: str
    order: int
    remove: str
    held: str = ""


_CARRIERS: Final = frozenset({"aws:ec2/internetGateway:InternetGateway", "aws:ec2/vpc:Vpc"})
"""Resources billed only for traffic, which ends with the machines."""


_LESS: Final = Decimal("0.0001")
"""Of a dollar: below a cent a day, as a key of Google Cloud costs, is not free."""


def remaining_resources(things: Sequence[ResourceKind]) -> list[Left]:
    """Leftovers from an inventory: prices by a size that it does not contain are unknown."""
    found: list[Left] = []
    for thing in things:
        kind, held = kind_of(thing), thing.held or _holder(thing, things)
        daily, cost = _of_thing(thing, kind)
        remove = "" if held else removal(thing)
        found.append(
            Left(kind=thing.kind, id=thing.whole, daily=daily, cost=cost, order=kind.order, remove=remove, held=held)
        )
    return _in_order(found)


def _holder(thing: ResourceKind, things: Sequence[ResourceKind]) -> str:
    """What is left of the kind that a thing goes with, by the name that begins its own id."""
    above = (one for one in things if one.kind == kind_of(thing).holder)
    return next((one.whole for one in above if one.id == thing.parts[0] or f"{one.whole}/" in thing.whole), "")


def _of_thing(thing: ResourceKind, kind: Kind) -> tuple[Decimal | None, str]:
    if free := thing.free or kind.free:
        return Decimal(0), f"no charge: {free}"
    package = kind.type.partition(":")[0]
    urn = f"urn:pulumi:::::{kind.type}::{thing.id}"
    resource = Resource(urn=urn, type=kind.type, name=thing.id, inputs=thing.inputs)
    regions = {package: thing.region} if thing.region else {}
    priced = estimate(Resources([resource], default_regions=regions)) if kind.type else None
    return _cost(priced, urn, kind.type)


def left_of(resources: Resources, removals: dict[str, str]) -> list[Left]:
    """Leftovers from complete resources. removals: URN -> the command."""
    priced = estimate(resources, None, Assumptions(regions=regions_in_use()))
    found: list[Left] = []
    for one in resources:
        daily, cost = _cost(priced, one.urn, one.type)
        id_, order = str(one.outputs.get("id") or one.name), order_of(one.type)
        remove = removals.get(one.urn, "")
        found.append(Left(kind=one.type, id=id_, daily=daily, cost=cost, order=order, remove=remove))
    return _in_order(found)


def _in_order(found: list[Left]) -> list[Left]:
    """The order in which the commands work; of several that may go together, the dearest first, and unknown costs
    before free items.
    """
    return sorted(
        found,
        key=lambda one: (one.order, one.daily is not None and not one.daily, -(one.daily or 0), one.kind, one.id),
    )


def _cost(priced: Estimate | None, urn: str, type_: str) -> tuple[Decimal | None, str]:
    if priced is None:
        return None, "unknown: its kind has no price of its own"
    lines = [line for line in priced.lines if line.urn == urn]
    missing = [item.reason for item in priced.not_priced if item.urn == urn]
    by_usage = any(line.by_usage for line in lines)
    month = sum((line.monthly for line in lines), Decimal(0))
    daily = cents(month * DAY) or (month * DAY).quantize(_LESS)
    if missing:
        known = f"{money(daily)} a day and " if month else ""
        return (daily if month else None), f"{known}unknown: {missing[0]}"
    if not month and by_usage and type_ not in _CARRIERS:
        return None, "unknown: billed by stored or ingested data"
    amount = money(daily) if daily >= cents(daily) > 0 else "less than $0.01"
    return daily, f"{amount} a day{', and by use' if by_usage else ''}" if month else "no charge"


_KUBERNETES: Final = "kubernetes"
"""Objects cost nothing themselves, and are deleted with their cluster."""


def ledger_of(project: Project, stack: str) -> tuple[Resources, dict[str, str]]:
    """The existing resources of a stack, and URN -> the command that would remove it from a real account.

    Not what a destroy keeps on purpose and costs nothing: permissions that other clusters may use, enabled APIs. A
    cloud's own inventory does not have them either.
    """
    kept = [entry for difference in differences(project) for entry in difference.kept if free_reason(entry.type)]
    entries = [
        entry
        for entry in project.store.existing()
        if stack_of(entry.urn) == stack and not entry.type.startswith(_KUBERNETES) and entry not in kept
    ]
    regions = {entry.type.partition(":")[0]: entry.scope for entry in entries if entry.scope != "global"}
    removals = {entry.urn: removal(_thing(entry)) for entry in entries}
    known = {text: entry.urn for entry in entries for text in (entry.id, entry.outputs.get("arn")) if text}
    return Resources([_resource(entry, known) for entry in entries], default_regions=regions), removals


def _resource(entry: Entry, known: Mapping[str, str]) -> Resource:
    """known: id or ARN -> URN, to resolve references in its inputs."""
    behind = {key: tuple(known[text] for text in _texts(value) if text in known) for key, value in entry.inputs.items()}
    return Resource(
        urn=entry.urn,
        type=entry.type,
        name=entry.names[0],
        inputs=entry.inputs,
        outputs={**entry.outputs, "id": entry.id},
        dependencies={key: urns for key, urns in behind.items() if urns},
    )


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif is_object(value) or is_list(value):
        for inner in value.values() if is_object(value) else value:
            yield from _texts(inner)


def _thing(entry: Entry) -> ResourceKind:
    found = entry.outputs
    place = str(found.get("zone") or found.get("location") or found.get("region") or entry.scope)
    project = str(found.get("project") or "")
    return ResourceKind(kind=kinds_by_type().get(entry.type, ""), whole=entry.id, place=place, project=project)


_Command = TypeVar("_Command", bound=Callable[..., Any])


def _options(command: _Command) -> _Command:
    command = form_of("table", "json")(command)
    return stack_option("Destroyed stack.", required=True)(command)


@click.command()
@_options
def leftovers(stack: str, form: str) -> None:
    """List what a stack left in its account.

    Lists all resources with the stack's labels or name, by the cloud's SDK, which only reads: their cost a day by the
    price book, and the command that removes each, in an order that works. For a stack that still exists, lists all of
    its resources.

    Exit code 1: a resource is left that costs, or may cost, money.
    """
    from gpucluster.components.stack.stack_config import project_of, read_stack
    from gpucluster.operate.account.inventories.ask import inventory

    config = read_stack(stack, Path.cwd())
    _print(stack, remaining_resources(inventory(config, project_of(stack, Path.cwd()))), form)


@click.command("leftovers")
@_options
def in_sandbox(stack: str, form: str) -> None:
    """List what a stack left in the simulated clouds.

    As `gpucluster leftovers`, from the ledger of the sandbox; `gpucluster sandbox recover` removes resources that no
    state has.
    """
    from gpucluster.sandbox.project.project import current_project

    _print(stack, left_of(*ledger_of(current_project(), stack)), form)


def _print(stack: str, found: Sequence[Left], form: str) -> None:
    costly = [one for one in found if one.daily is None or one.daily]
    if form == "json":
        document = {"schema_version": 1, "stack": stack, "left": [_document(one) for one in found]}
        click.echo(json.dumps(document, indent=2))
    else:
        for line in _lines(stack, found, costly):
            click.echo(line)
    if costly:
        raise SystemExit(Exit.FINDINGS)


def _lines(stack: str, found: Sequence[Left], costly: Sequence[Left]) -> Iterator[str]:
    """The resources that cost, or may cost, and what these go with, one by one; the rest by kind."""
    holders = {one.held for one in costly}
    shown = [one for one in found if one in costly or one.id in holders]
    for one in shown:
        yield f"{one.kind}  {one.id}"
        yield f"  {one.cost}"
        yield f"  {one.remove or (f'goes with {one.held}' if one.held else 'no known command')}"
    if free := Counter(one.kind for one in found if one not in shown):
        kinds = ", ".join(f"{count} x {kind}" if count > 1 else kind for kind, count in sorted(free.items()))
        yield f"free of charge (--format json lists each with its command): {kinds}"
    if not found:
        yield f"{stack}: nothing is left."
        return
    known = sum((one.daily or Decimal(0) for one in costly), Decimal(0))
    unknown = sum(one.daily is None for one in costly)
    more = f"; the cost of {unknown:,} of them is unknown" if unknown else ""
    yield f"{stack}: {len(found):,} left, {money(known)} a day{more}"


def _document(one: Left) -> dict[str, str | None]:
    daily = None if one.daily is None else f"{one.daily:f}"
    return {"kind": one.kind, "id": one.id, "usd_a_day": daily, "cost": one.cost, "remove": one.remove or None}
