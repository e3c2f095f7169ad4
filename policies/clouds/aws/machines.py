"""Resources that start machines on EC2: node groups, Auto Scaling groups, fleets, instances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpucluster.catalog.machines import Machine, has_gpus, machines, unlisted
from gpucluster.policies.clouds.aws.interfaces import Interface, interfaces
from gpucluster.policies.clouds.aws.requirements import named
from gpucluster.policies.clouds.kubernetes.pool_labels import sliced_by_label
from gpucluster.policies.clouds.machine_types import counting
from gpucluster.policies.label_sets import labels_at
from gpucluster.policies.machines import Machines
from gpucluster.program.resources import UNKNOWN, Resource, Resources, Unknown, once
from gpucluster.program.values import at, items, text, whole
from gpucluster.record import record

NODE_GROUP: Final = "aws:eks/nodeGroup:NodeGroup"
SCALING_GROUP: Final = "aws:autoscaling/group:Group"
FLEET: Final = "aws:ec2/fleet:Fleet"
INSTANCE: Final = "aws:ec2/instance:Instance"
LAUNCH_TEMPLATE: Final = "aws:ec2/launchTemplate:LaunchTemplate"
LAUNCH_CONFIGURATION: Final = "aws:ec2/launchConfiguration:LaunchConfiguration"

READS: Final = ", ".join((NODE_GROUP, SCALING_GROUP, FLEET, INSTANCE, LAUNCH_TEMPLATE, LAUNCH_CONFIGURATION))

_MIXED: Final = "mixedInstancesPolicy"
_CONFIGS: Final = "launchTemplateConfigs"


@record(kw_only=True)
class AwsMachines(Machines):
    """
    interfaces: those of their launch template; UNKNOWN if that is, and for an instance without one.
    """

    interfaces: list[Interface] | Unknown

    @property
    def known(self) -> Machine | None:
        """Its machine type in the catalog, None for a missing type."""
        return machines().get(self.machine) if isinstance(self.machine, str) else None

    @property
    def whole_node(self) -> bool:
        return self.known is not None and self.known.whole_node

    @property
    def with_gpus(self) -> bool:
        return isinstance(self.machine, str) and has_gpus("aws", self.machine)

    @property
    def unlisted(self) -> bool:
        return isinstance(self.machine, str) and unlisted("aws", self.machine)

    @property
    def labels(self) -> Mapping[str, Any]:
        """Its known node labels; tags replace them where the kubelet is not EKS' own."""
        return {} if self.own_labels is UNKNOWN else self.own_labels

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
    for type_, read in readers.items():
        for resource in resources.of_type(type_):
            found = read(resource, resources)
            if found.nodes != 0:
                yield found


def _node_group(resource: Resource, resources: Resources) -> AwsMachines:
    types = items(resource.inputs, "instanceTypes")
    nodes = _most(resource, ("scalingConfig", "desiredSize"), ("scalingConfig", "maxSize"))
    return _machines(resource, resources, "launchTemplate", [UNKNOWN] if types is UNKNOWN else types, nodes)


def _scaling_group(resource: Resource, resources: Resources) -> AwsMachines:
    nodes = _most(resource, ("desiredCapacity",), ("maxSize",))
    if at(resource.inputs, "launchConfiguration") is not None:
        return _machines(resource, resources, "launchConfiguration", [], nodes)
    if at(resource.inputs, _MIXED) is None:
        return _machines(resource, resources, "launchTemplate", [], nodes)
    return _machines(resource, resources, _MIXED, _overrides(at(resource.inputs, _MIXED, "launchTemplate")), nodes)


def _fleet(resource: Resource, resources: Resources) -> AwsMachines:
    configs = items(resource.inputs, _CONFIGS)
    own = [UNKNOWN] if configs is UNKNOWN else [type_ for config in configs for type_ in _overrides(config)]
    nodes = _most(resource, ("targetCapacitySpecification", "totalTargetCapacity"))
    return _machines(resource, resources, _CONFIGS, own, nodes)


def _overrides(config: Any) -> list[str | Unknown]:
    listed = items(config, "overrides")
    return [UNKNOWN] if listed is UNKNOWN else [type_ for entry in listed for type_ in named(entry)]


def _instance(resource: Resource, resources: Resources) -> AwsMachines:
    return _machines(resource, resources, "launchTemplate", [text(resource.inputs, "instanceType")], 1)


def _machines(resource: Resource, resources: Resources, prop: str, own: list[Any], nodes: int | Unknown) -> AwsMachines:
    """prop: the input that names the launch template or configuration. own: inputs of the resource itself."""
    template = _template(resource, resources, prop)
    visible = template if isinstance(template, Resource) else None
    types = own if any(type_ is not None for type_ in own) or visible is None else [*named(visible.inputs)]
    without = visible is None and resource.type == INSTANCE
    return AwsMachines(
        resource=resource,
        template=template,
        machine=counting("aws", (type_ if isinstance(type_, str) else UNKNOWN for type_ in types if type_ is not None)),
        nodes=nodes,
        interfaces=UNKNOWN if template is UNKNOWN or without else interfaces(visible) if visible else [],
    )


def _template(resource: Resource, resources: Resources, prop: str) -> Resource | Unknown | None:
    """UNKNOWN if the stack does not contain it, or if a fleet uses several."""
    if at(resource.inputs, prop) is None:
        return None
    type_ = LAUNCH_CONFIGURATION if prop == "launchConfiguration" else LAUNCH_TEMPLATE
    made = resources.present(resource.dependencies.get(prop, ()))
    templates = [found for found in made if found.type == type_]
    return templates[0] if len(templates) == 1 else UNKNOWN


def _most(resource: Resource, *paths: tuple[str, ...]) -> int | Unknown:
    sizes = [whole(resource.inputs, *path) for path in paths]
    if any(size is UNKNOWN for size in sizes):
        return UNKNOWN
    return max((size for size in sizes if isinstance(size, int)), default=0)
