"""GPU machines on AWS, and the training pools among them: several GPU nodes that train together.

`policies.clouds.pools` says which are one pool; other machines with EFA are a separate one. For unknown machines, a GPU
image makes it a pool without any certain property.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.core.catalog.machines import has_gpus, unlisted
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, Unknown, once
from gpucluster.core.program.values import all_items, at, flag, items, text, whole
from gpucluster.policies.clouds.kubernetes.pool_labels import sliced_by_label
from gpucluster.policies.clouds.label_sets import labels_at
from gpucluster.policies.clouds.pools import Machines, counting, pools_of

_EFA = ("efa", "efa-only")


@dataclass(frozen=True, kw_only=True)
class Interface:
    """
    card, device: networkCardIndex and deviceIndex, 0 if not given, as in EC2.
    kind: `interface` (IP only, the default), `efa` (IP and EFA) or `efa-only`.
    public_ip: associatePublicIpAddress; None leaves it to the subnet.
    security_groups: their ids.
    """

    card: int | Unknown
    device: int | Unknown
    kind: str | Unknown
    public_ip: bool | Unknown | None
    security_groups: list[Any] | Unknown

    @property
    def efa(self) -> bool:
        return self.kind is not UNKNOWN and self.kind in _EFA


def interfaces(template: Resource) -> list[Interface] | Unknown:
    """The interfaces in the template's order; UNKNOWN if their number is unknown."""
    listed = items(template.inputs, "networkInterfaces")
    if listed is UNKNOWN:
        return UNKNOWN
    return [_interface(entry) for entry in listed]


def _interface(entry: object) -> Interface:
    card, device = whole(entry, "networkCardIndex"), whole(entry, "deviceIndex")
    kind = text(entry, "interfaceType")
    return Interface(
        card=0 if card is None else card,
        device=0 if device is None else device,
        kind="interface" if kind is None else kind,
        public_ip=flag(entry, "associatePublicIpAddress"),
        security_groups=items(entry, "securityGroups"),
    )


def network_cards(cards: list[int]) -> str:
    """Card numbers as text: `card 7`, `cards 1-31`, `cards 1-4, 9`."""
    runs = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in _runs(sorted(cards)))
    return f"card{'s' if len(cards) > 1 else ''} {runs}"


def _runs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    first = last = numbers[0]
    for number in numbers[1:]:
        if number != last + 1:
            yield first, last
            first = number
        last = number
    yield first, last


# Prefixes of entries of allowedInstanceTypes that may match a GPU machine, such as `p5.48xlarge`, `p*` or `*`.
_MAY_HAVE_GPUS: Final = r"\*|[pg]r?(\*|\d)"


def _required_types(entry: Any) -> Iterator[str | Unknown]:
    """The type, UNKNOWN for requirements that GPU machines may meet.

    They do unless the requirements exclude them: pulumi-aws 7.51.1, LaunchTemplateInstanceRequirementsArgs
    (acceleratorCount: "Default is no minimum or maximum limits").
    """
    own = text(entry, "instanceType")
    requirements = at(entry, "instanceRequirements")
    if own is not None:
        yield own
    if requirements is not None and _may_have_gpus(requirements):
        yield UNKNOWN


def _may_have_gpus(requirements: Any) -> bool:
    if whole(requirements, "acceleratorCount", "max") == 0:
        return False
    kinds = items(requirements, "acceleratorTypes")
    if kinds is not UNKNOWN and kinds and not {"gpu", UNKNOWN} & set(kinds):
        return False
    allowed = items(requirements, "allowedInstanceTypes")
    if allowed is UNKNOWN or not allowed:
        return True
    return any(not isinstance(one, str) or re.match(_MAY_HAVE_GPUS, one) for one in allowed)


NODE_GROUP: Final = "aws:eks/nodeGroup:NodeGroup"
SCALING_GROUP: Final = "aws:autoscaling/group:Group"
FLEET: Final = "aws:ec2/fleet:Fleet"
INSTANCE: Final = "aws:ec2/instance:Instance"
LAUNCH_TEMPLATE: Final = "aws:ec2/launchTemplate:LaunchTemplate"
LAUNCH_CONFIGURATION: Final = "aws:ec2/launchConfiguration:LaunchConfiguration"

READS: Final = ", ".join((NODE_GROUP, SCALING_GROUP, FLEET, INSTANCE, LAUNCH_TEMPLATE, LAUNCH_CONFIGURATION))

_MIXED: Final = "mixedInstancesPolicy"
_CONFIGS: Final = "launchTemplateConfigs"


@dataclass(frozen=True, kw_only=True)
class AwsMachines(Machines):
    """
    interfaces: those of their launch template; UNKNOWN if that is, and for an instance without one.
    """

    interfaces: list[Interface] | Unknown

    @property
    def with_gpus(self) -> bool:
        return isinstance(self.machine, str) and has_gpus("aws", self.machine)

    @property
    def unlisted(self) -> bool:
        return isinstance(self.machine, str) and unlisted("aws", self.machine)

    @property
    def own_labels(self) -> Mapping[str, Any] | Unknown:
        if self.resource.type == SCALING_GROUP:
            listed = items(self.resource.inputs, "tags")
            if listed is UNKNOWN:
                return UNKNOWN
            return {key: at(entry, "value") for entry in listed if isinstance(key := text(entry, "key"), str)}
        return labels_at(self.resource.inputs.get("labels" if self.resource.type == NODE_GROUP else "tags"))

    @property
    def sliced(self) -> bool:
        return sliced_by_label(self.labels)

    @property
    def surely_on_fabric(self) -> bool:
        with_efa = self.interfaces is not UNKNOWN and any(interface.efa for interface in self.interfaces)
        return with_efa or self.whole_node


@once
def machines_of(resources: Resources) -> Iterator[AwsMachines]:
    """All resources of the stack that start machines."""
    readers = {NODE_GROUP: _node_group, SCALING_GROUP: _scaling_group, FLEET: _fleet, INSTANCE: _instance}
    for resource in resources.of_type(*readers):
        found = readers[resource.type](resource, resources)
        if found.nodes != 0:
            yield found


def _node_group(resource: Resource, resources: Resources) -> AwsMachines:
    nodes = _most(resource, ("scalingConfig", "desiredSize"), ("scalingConfig", "maxSize"))
    return _machines(resource, resources, "launchTemplate", all_items(resource.inputs, "instanceTypes"), nodes)


def _scaling_group(resource: Resource, resources: Resources) -> AwsMachines:
    nodes = _most(resource, ("desiredCapacity",), ("maxSize",))
    if at(resource.inputs, "launchConfiguration") is not None:
        return _machines(resource, resources, "launchConfiguration", [], nodes)
    if at(resource.inputs, _MIXED) is None:
        return _machines(resource, resources, "launchTemplate", [], nodes)
    return _machines(resource, resources, _MIXED, _overrides(at(resource.inputs, _MIXED, "launchTemplate")), nodes)


def _fleet(resource: Resource, resources: Resources) -> AwsMachines:
    own = [type_ for config in all_items(resource.inputs, _CONFIGS) for type_ in _overrides(config)]
    nodes = _most(resource, ("targetCapacitySpecification", "totalTargetCapacity"))
    return _machines(resource, resources, _CONFIGS, own, nodes)


def _overrides(config: Any) -> list[str | Unknown]:
    return [type_ for entry in all_items(config, "overrides") for type_ in _required_types(entry)]


def _instance(resource: Resource, resources: Resources) -> AwsMachines:
    return _machines(resource, resources, "launchTemplate", [text(resource.inputs, "instanceType")], 1)


def _machines(resource: Resource, resources: Resources, prop: str, own: list[Any], nodes: int | Unknown) -> AwsMachines:
    """prop: the input that names the launch template or configuration. own: inputs of the resource itself."""
    template = _template(resource, resources, prop)
    pinned = _pinned(resource, template) if isinstance(template, Resource) else None
    visible = template if isinstance(template, Resource) else None
    types = own if any(type_ is not None for type_ in own) or visible is None else [*_required_types(visible.inputs)]
    without = visible is None and resource.type == INSTANCE
    return AwsMachines(
        resource=resource,
        template=template if pinned is None else UNKNOWN,
        not_visible=AwsMachines.not_visible if pinned is None else f"is pinned to version {pinned}, and changed since",
        machine=counting("aws", (type_ if isinstance(type_, str) else UNKNOWN for type_ in types if type_ is not None)),
        nodes=nodes,
        interfaces=UNKNOWN if template is UNKNOWN or pinned or without else interfaces(visible) if visible else [],
    )


def _template(resource: Resource, resources: Resources, prop: str) -> Resource | Unknown | None:
    """UNKNOWN if the stack does not contain it, or if a fleet uses several."""
    if at(resource.inputs, prop) is None:
        return None
    type_ = LAUNCH_CONFIGURATION if prop == "launchConfiguration" else LAUNCH_TEMPLATE
    made = resources.present(resource.dependencies.get(prop, ()))
    templates = [found for found in made if found.type == type_]
    return templates[0] if len(templates) == 1 else UNKNOWN


_VERSIONS: Final = (
    ("launchTemplate", "version"),
    (_MIXED, "launchTemplate", "launchTemplateSpecification", "version"),
    (_CONFIGS, 0, "launchTemplateSpecification", "version"),
)


def _pinned(resource: Resource, template: Resource) -> str | None:
    """The version by number that machines use, if the template of the stack is a later one, or becomes one now."""
    exists = isinstance(text(template.outputs, "id"), str)
    newest = whole(template.outputs, "latestVersion")
    given = [version for path in _VERSIONS if isinstance(version := text(resource.inputs, *path), str)]
    return next((one for one in given if exists and one.isdigit() and newest is not None and newest != int(one)), None)


def _most(resource: Resource, *paths: tuple[str, ...]) -> int | Unknown:
    sizes = [whole(resource.inputs, *path) for path in paths]
    if any(size is UNKNOWN for size in sizes):
        return UNKNOWN
    return max((size for size in sizes if isinstance(size, int)), default=0)


# In every amiType of EKS with NVIDIA drivers, e.g. AL2023_x86_64_NVIDIA.
_GPU_IMAGE: Final = "NVIDIA"


@once
def training_pools(resources: Resources) -> Iterator[tuple[AwsMachines, ...]]:
    """Each training pool of the stack, as its machines ordered by name."""
    return pools_of([machines for machines in machines_of(resources) if _on_fabric(machines)], resources)


def _on_fabric(machines: AwsMachines) -> bool:
    image = text(machines.resource.inputs, "amiType")
    gpu_image = isinstance(image, str) and _GPU_IMAGE in image
    return machines.surely_on_fabric or (gpu_image and not isinstance(machines.machine, str) and bool(machines.hidden))
