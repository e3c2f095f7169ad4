"""EC2 machines, of which those that run in an open reservation of the stack are billed by it, each once.

An open reservation holds every on-demand machine of its type, platform, tenancy and zone that does not refuse it; a
machine in it costs nothing more (EC2 user guide, Capacity Reservations: matching, pricing and billing).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, once
from gpucluster.core.program.values import is_list
from gpucluster.cost.handlers.aws_place import SUBNETS
from gpucluster.cost.handlers.reserved_capacity import LAUNCH_TEMPLATE, RESERVATION, inside
from gpucluster.cost.handlers.whole_machines import Cover, bought, instance_is_stopped
from gpucluster.cost.pricing.model import CostLine, Count, NotPriced
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing, as_number, read

_COVERS: Final = tuple(
    Cover(f"{plan}_{term}_share", plan, term, words)
    for plan, words in (("savings_plan", "a savings plan"), ("instance_savings_plan", "an EC2 Instance savings plan"))
    for term in ("1y", "3y")
)
"""Savings plans without payment upfront: they cover on-demand machines of the account (Savings Plans user guide)."""

_CONFIGURATION: Final = "aws:ec2/launchConfiguration:LaunchConfiguration"
_GROUP: Final = "aws:autoscaling/group:Group"
_INSTANCE: Final = "aws:ec2/instance:Instance"
_NODES: Final = "aws:eks/nodeGroup:NodeGroup"
_ZERO: Final = Decimal(0)


def machine_lines(
    item: Pricing, machine: str, count: Count, purchase: str, *, region: str, assumption: str = ""
) -> Iterator[CostLine | NotPriced]:
    """Machines as many as `count` says, without charge in an open reservation, else all month. Raises CannotPrice if
    their price is unknown.
    """
    share = _shares(item.resources)[0].get(item.urn) if purchase == "on_demand" else None
    if share is not None:
        for name, held in share.held.items():
            note = (
                f"they run in {name}, an open reservation of this stack for the same machine and zone, which is billed "
                "whether used or not"
            )
            yield inside(item, machine, held, name, note, region=region)
        count = share.rest(count)
        if not count.ceiling:
            return
        if share.perhaps:
            assumption = "; ".join(filter(None, [assumption, _perhaps(share.perhaps)]))
    yield from bought(item, machine, count, purchase, _COVERS, region=region, assumption=assumption)


def _perhaps(names: tuple[str, ...]) -> str:
    return (
        f"billed as outside of {', '.join(names)}: an open reservation bills matching machines once, and the plan does "
        "not show whether these match its type and zone"
    )


@dataclass(frozen=True, kw_only=True)
class _Share:
    """The machines of one resource that open reservations bill. held: by reservation. spare: places beyond them for
    autoscaled machines. perhaps: reservations that may match.
    """

    held: Mapping[str, Decimal]
    spare: Decimal
    perhaps: tuple[str, ...]

    def rest(self, count: Count) -> Count:
        """The machines outside of them."""
        held = sum(self.held.values(), _ZERO)
        most = count.ceiling if isinstance(count.ceiling, str) else max(count.ceiling - held - self.spare, _ZERO)
        expected = max(count.expected - held, _ZERO)
        return Count(expected, min(max(count.floor - held, _ZERO), expected), most)


@dataclass(frozen=True, kw_only=True)
class _User:
    """On-demand machines of one resource. types, zones: where they may run, no zones if unknown. target: URN of the
    reservation that they name.
    """

    resource: Resource
    expected: Decimal
    most: Decimal
    types: frozenset[str]
    zones: frozenset[str]
    target: str = ""
    refuses: bool = False


@dataclass(frozen=True, kw_only=True)
class _Open:
    """An open reservation. zone: empty if unknown."""

    resource: Resource
    machine: str
    zone: str
    places: Decimal


@once
def _shares(resources: Resources) -> Iterator[Mapping[str, _Share]]:
    """URN -> its share, in one mapping: reservations are filled in the order of URNs, so that a plan has one result."""
    reservations = sorted(_reservations(resources), key=lambda found: found.resource.urn)
    if not reservations:
        yield {}
        return
    users = sorted(_users(resources), key=lambda found: found.resource.urn)
    free = {found.resource.urn: found.places for found in reservations}
    for user in users:
        if user.target in free:
            free[user.target] = max(free[user.target] - user.expected, _ZERO)
    held: dict[str, dict[str, Decimal]] = {}
    perhaps: dict[str, list[str]] = {}
    takers = [user for user in users if not user.refuses]
    matches: dict[str, list[_Open]] = {}
    for user in takers:
        for found in reservations:
            match _match(user, found):
                case True:
                    matches.setdefault(user.resource.urn, []).append(found)
                case None:
                    perhaps.setdefault(user.resource.urn, []).append(found.resource.name)
                case False:
                    pass
    for user in takers:
        wanted, taken = user.expected, held.setdefault(user.resource.urn, {})
        for found in matches.get(user.resource.urn, ()):
            number = min(wanted, free[found.resource.urn])
            if number:
                taken[found.resource.name] = number
                free[found.resource.urn] -= number
                wanted -= number
    shares: dict[str, _Share] = {}
    for user in takers:
        urn, spare = user.resource.urn, _ZERO
        for found in matches.get(urn, ()):
            number = min(user.most - user.expected - spare, free[found.resource.urn])
            free[found.resource.urn] -= number
            spare += number
        if held[urn] or spare or urn in perhaps:
            shares[urn] = _Share(held=held[urn], spare=spare, perhaps=tuple(perhaps.get(urn, ())))
    yield shares


def _match(user: _User, found: _Open) -> bool | None:
    """Whether all its machines match the reservation; None if the plan does not show it."""
    if found.machine not in user.types or (user.zones and found.zone and found.zone not in user.zones):
        return False
    alike = (user.types, user.zones) == (frozenset({found.machine}), frozenset({found.zone}))
    in_group = found.resource.inputs.get("placementGroupArn") is not None
    return True if alike and not in_group and user.resource.provider == found.resource.provider else None


def _reservations(resources: Resources) -> Iterator[_Open]:
    for resource in resources.of_type(RESERVATION):
        of, count = resource.inputs, resource.inputs.get("instanceCount")
        plain = (_first(of.get("instancePlatform"), "Linux/UNIX"), _first(of.get("tenancy"), "default"))
        if plain != ("Linux/UNIX", "default") or of.get("instanceMatchCriteria") not in (None, "open"):
            continue
        machine, zone = of.get("instanceType"), of.get("availabilityZone")
        try:
            places = as_number(count, "instanceCount")
        except CannotPrice:  # it is named with the reservation
            continue
        if isinstance(machine, str):
            yield _Open(resource=resource, machine=machine, zone=zone if isinstance(zone, str) else "", places=places)


def _users(resources: Resources) -> Iterator[_User]:
    for type_, read_one in ((_INSTANCE, _instance), (_NODES, _node_group), (_GROUP, _group)):
        for resource in resources.of_type(type_):
            try:
                found = read_one(resources, resource)
            except CannotPrice:  # it is named with its own resource
                continue
            if found is not None:
                yield found


def _instance(resources: Resources, resource: Resource) -> _User | None:
    template = _template(resources, resource, "launchTemplate")
    if any(_market(one) != "on-demand" for one in (resource.inputs, template)) or instance_is_stopped(
        resources, resource
    ):
        return None
    one = Decimal(1)
    types = _texts(_first(resource.inputs.get("instanceType"), template.get("instanceType")))
    zones = _zones(resources, resource, "subnetId") or _texts(read(template, "placement", "availabilityZone"))
    return _user(resources, resource, (one, one), types, zones, template)


def _node_group(resources: Resources, resource: Resource) -> _User | None:
    if resource.inputs.get("capacityType") not in (None, "ON_DEMAND"):
        return None
    template, sizes = _template(resources, resource, "launchTemplate"), resource.inputs.get("scalingConfig")
    expected = as_number(read(sizes, "desiredSize"), "desiredSize")
    most = read(sizes, "maxSize")
    count = expected, expected if most in (None, UNKNOWN) else as_number(most, "maxSize")
    types = _texts(template.get("instanceType")) or _texts(resource.inputs.get("instanceTypes"))
    return _user(resources, resource, count, types, _zones(resources, resource, "subnetIds"), template)


def _group(resources: Resources, resource: Resource) -> _User | None:
    of, mixed = resource.inputs, resource.inputs.get("mixedInstancesPolicy")
    configured = resources.referred(resource, "launchConfiguration", _CONFIGURATION)
    template = (
        _template(resources, resource, "launchTemplate")
        or _template(resources, resource, "mixedInstancesPolicy")
        or ({} if configured is None else configured.inputs)
    )
    if mixed is None and (_market(template) != "on-demand" or template.get("spotPrice") is not None):
        return None
    desired = of.get("desiredCapacity")
    expected = as_number(of.get("minSize") if desired is None else desired, "desiredCapacity")
    overrides = read(mixed, "launchTemplate", "overrides")
    mix = [read(one, "instanceType") for one in overrides] if is_list(overrides) else []
    types = _texts([*mix, template.get("instanceType")])
    if mixed is not None:
        types |= {""}  # some of them are spot, so that none of them matches for certain
    count = expected, max(as_number(of.get("maxSize"), "maxSize"), expected)
    return _user(resources, resource, count, types, _zones(resources, resource, "vpcZoneIdentifiers"), template)


def _user(
    resources: Resources,
    resource: Resource,
    count: tuple[Decimal, Decimal],
    types: frozenset[str],
    zones: frozenset[str],
    template: Mapping[str, Any],
) -> _User:
    specifications = [read(one, "capacityReservationSpecification") for one in (resource.inputs, template)]
    named = resources.referred(resource, "capacityReservationSpecification", RESERVATION)
    launch = resources.referred(resource, "launchTemplate", LAUNCH_TEMPLATE)
    if named is None and launch is not None:
        named = resources.referred(launch, "capacityReservationSpecification", RESERVATION)
    aims = named is not None or any(read(one, "capacityReservationTarget") is not None for one in specifications)
    tenancy = (resource.inputs.get("tenancy"), read(template, "placement", "tenancy"), template.get("placementTenancy"))
    return _User(
        resource=resource,
        expected=count[0],
        most=max(count),
        types=types,
        zones=zones,
        target="" if named is None else named.urn,
        refuses=aims
        or any(read(one, "capacityReservationPreference") == "none" for one in specifications)
        or _first(*tenancy, "default") != "default",
    )


def _template(resources: Resources, resource: Resource, prop: str) -> Mapping[str, Any]:
    found = resources.referred(resource, prop, LAUNCH_TEMPLATE)
    return {} if found is None else found.inputs


def _market(of: Mapping[str, Any]) -> Any:
    return _first(read(of, "instanceMarketOptions", "marketType"), "on-demand")


def _zones(resources: Resources, resource: Resource, subnets: str) -> frozenset[str]:
    """Zones by name; none if one of them is unknown."""
    own = _zone(resource) or _texts(resource.inputs.get("availabilityZones"))
    if own:
        return own
    made = [one for one in resources.present(resource.dependencies.get(subnets, ())) if one.type in SUBNETS]
    zones = [_zone(one) for one in made]
    given = resource.inputs.get(subnets)
    whole = len(made) >= (len(given) if is_list(given) else 1)
    return frozenset[str]().union(*zones) if whole and all(zones) else frozenset()


def _zone(resource: Resource) -> frozenset[str]:
    return _texts(_first(resource.inputs.get("availabilityZone"), resource.outputs.get("availabilityZone")))


def _first(*values: Any) -> Any:
    """The first value that is set, which may be unknown."""
    return next((value for value in values if value is not None), None)


def _texts(value: Any) -> frozenset[str]:
    return frozenset(one for one in (value if is_list(value) else [value]) if isinstance(one, str) and one)
