"""Every cluster that could answer a question, planned; and the reasons against the others."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from gpucluster.components.cluster.cloud import Cloud, ClusterPlan, cloud_of, missing_sdk
from gpucluster.components.planning.names import NODE_GPUS
from gpucluster.components.shared.machine_choice import shapes, sold_accelerators
from gpucluster.components.spec.cluster import StackSpec
from gpucluster.components.spec.errors import InvalidSpec
from gpucluster.core.catalog.machines import Machine, not_sold, sold_instead
from gpucluster.cost.handlers.reserved_capacity import block_size
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing import plan_prices
from gpucluster.operate.quote.market import PurchaseOption, asked_only, continent, places_of, purchase_options_of
from gpucluster.operate.quote.question import Question
from gpucluster.operate.quote.spec_values import STACK, default_spares, spec_values


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One cluster: place, machine, purchase option.

    place: the values of a stack's configuration. values: its spec as in YAML. listed: the zones that list the
    machine, none if only a price shows that the region sells it. fewer_spares: whether it has only the spares that fit
    into the block of its other nodes, fewer than the default.
    """

    cloud: str
    machine: Machine
    way: PurchaseOption
    place: Mapping[str, str]
    values: dict[str, Any]
    plan: ClusterPlan
    listed: tuple[str, ...]
    fewer_spares: bool = False

    @property
    def words(self) -> str:
        """Its purchase option, with its spares if they are fewer than the default."""
        if not self.fewer_spares:
            return self.way.words
        spares = self.plan.training.spares
        return f"{self.way.words}, {spares or 'no'} spare{'s' if spares > 1 else ''}"

    @property
    def configuration(self) -> dict[str, str]:
        """The configuration of its stack, besides the spec."""
        return {"cloud": self.cloud, **self.place, "machine": self.machine.machine_type}

    @property
    def asked(self) -> dict[str, Any]:
        """The input of its plan."""
        return {"spec": self.values, "place": dict(self.place), "machine": self.machine.machine_type}


@dataclass(frozen=True)
class Refusal:
    """Why something is not an answer. machine, way: empty if it applies to all of them."""

    cloud: str
    machine: str
    way: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """found: feasible clusters. refused: number of places excluded by each reason. places: machines by region that
    remain after applying the question, before any is planned.
    """

    found: list[Candidate] = field(default_factory=list[Candidate])
    refused: Counter[Refusal] = field(default_factory=Counter[Refusal])
    places: list[str] = field(default_factory=list[str])


class _Prices:
    """Price queries of plans, cached: many plans need the same ones."""

    storage_price = staticmethod(functools.cache(plan_prices.storage_price))
    storage_price_in_other_regions = staticmethod(functools.cache(plan_prices.storage_price_in_other_regions))
    machine_usd = staticmethod(functools.cache(plan_prices.machine_usd))
    own_machine_usd = staticmethod(functools.cache(plan_prices.own_machine_usd))
    machines_usd = staticmethod(functools.cache(plan_prices.machines_usd))


def candidates(question: Question, book: PriceBook) -> Candidates:
    """Every candidate of a question. Refused plans are counted by reason."""
    result = Candidates()
    for name in question.clouds:
        if missing := missing_sdk(name):
            result.refused[Refusal(name, "", "", missing)] += 1
            continue
        for machine in shapes():
            if (machine.cloud, machine.gpus) == (name, NODE_GPUS) and machine.accelerator in question.accelerators:
                _of_machine(result, question, cloud_of(name), machine, book)
        for accelerator in question.accelerators:
            if accelerator not in sold_accelerators(name) and (instead := sold_instead(name, accelerator)):
                result.refused[Refusal(name, "", "", instead)] += 1
    return result


def _of_machine(
    result: Candidates, question: Question, cloud: Cloud[ClusterPlan], machine: Machine, book: PriceBook
) -> None:
    regions = {region: zones for region, zones in places_of(machine, book).items() if _wanted(question, region)}
    result.places.extend(regions)
    asked = [(way, one) for way in _ways(cloud.name, machine) for one in _questions(question, way)] if regions else []
    for way, one in asked:
        values, spec = _spec(one, machine, way)
        why = spec if isinstance(spec, str) else _refused(cloud, spec, machine)
        if isinstance(spec, str) or why:
            result.refused[Refusal(cloud.name, machine.machine_type, way.words, why)] = len(regions)
            continue
        for region, zones in regions.items():
            found = _placed(cloud, spec, machine, region, zones)
            if isinstance(found, str):
                result.refused[Refusal(cloud.name, machine.machine_type, "", found)] = 1  # for all options alike
                continue
            place, plan = found
            result.found.append(
                Candidate(
                    cloud=cloud.name,
                    machine=machine,
                    way=way,
                    place=place,
                    values=values,
                    plan=plan,
                    listed=zones,
                    fewer_spares=one is not question,
                )
            )


def _ways(cloud: str, machine: Machine) -> Iterator[PurchaseOption]:
    """The options of a cloud; a commitment for a machine that is not sold on demand has the reservation that such a
    machine needs.
    """
    options = purchase_options_of(cloud)
    reservation = next((way.reservation for way in options if way.reservation), "")
    reserved = not_sold(machine.machine_type, "on_demand") is not None
    for way in options:
        yield replace(way, reservation=reservation) if reserved and way.assume else way


def _questions(question: Question, way: PurchaseOption) -> Iterator[Question]:
    """The question; then, if its default spares need a larger block, with those that fit into the smaller one."""
    yield question
    if question.spares is None and way.sized:
        spares = block_size(Decimal(question.nodes)) - question.nodes
        if spares < default_spares(question.nodes):
            yield replace(question, spares=int(spares))


def _wanted(question: Question, region: str) -> bool:
    word = continent(region)
    if question.places:
        return region in question.places or word in question.places
    return not asked_only(word)


def _spec(question: Question, machine: Machine, way: PurchaseOption) -> tuple[dict[str, Any], StackSpec | str]:
    """(values, the spec; or why it is invalid)."""
    values = spec_values(question, machine.accelerator, way)
    if why := way.against(question.hours):
        return values, why
    try:
        return values, StackSpec.model_validate(values)
    except InvalidSpec as error:
        return values, error.problems[0]


def _refused(cloud: Cloud[ClusterPlan], spec: StackSpec, machine: Machine) -> str:
    planning = cloud.planning(None, STACK, machine.machine_type)
    cloud.plan(spec, planning)
    return str(planning.problems[0]) if planning.problems else ""


def _placed(
    cloud: Cloud[ClusterPlan], spec: StackSpec, machine: Machine, region: str, zones: tuple[str, ...]
) -> tuple[dict[str, str], ClusterPlan] | str:
    """The first feasible zone, and the plan there; or why none is. Local Zones, whose ids have an additional part,
    come last: they offer few services.
    """
    why = ""
    for zone in sorted(zones, key=lambda name: name.count("-")) or [cloud.zone_in(region)]:
        place = {**cloud.keys, "region": region, "zone": zone}
        location, problems = cloud.locate(place)
        if not problems:
            planning = cloud.planning(location, STACK, machine.machine_type, _Prices())
            plan = cloud.plan(spec, planning)
            problems = planning.config_problems
            if not problems:
                return place, plan
        why = why or str(problems[0])
    return why
