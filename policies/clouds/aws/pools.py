"""Training pools on AWS: several GPU nodes that train together.

What starts such nodes is a managed node group, an Auto Scaling group or an instance. Whole GPU nodes of one type in one
component are one pool, however many of these they come from; without a component those of one EKS cluster are, else
those of the stack. The node label `gpucluster/pool`, or one that a Kueue ResourceFlavor selects by, tells pools apart.
Other machines with EFA are a pool by themselves. One node is no pool, nor are nodes whose GPUs are sliced (MIG). Where
the machines cannot be seen, a GPU image makes it a pool of which nothing is certain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.catalog.machines import Machine, has_gpus, machines
from gpucluster.policies.clouds.aws.interfaces import Interface, interfaces
from gpucluster.policies.clouds.kubernetes.pool_labels import sliced_by_label, telling_labels
from gpucluster.policies.label_sets import labels_at
from gpucluster.policies.machines import Labelled, Machines, several
from gpucluster.policies.rule import CannotTell
from gpucluster.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.program.values import at, items, text, whole

__all__ = [
    "INSTANCE",
    "LAUNCH_TEMPLATE",
    "NODE_GROUP",
    "READS",
    "SCALING_GROUP",
    "AwsMachines",
    "labelled",
    "machines_of",
    "sliced_pools",
    "training_pools",
]

NODE_GROUP: Final = "aws:eks/nodeGroup:NodeGroup"
SCALING_GROUP: Final = "aws:autoscaling/group:Group"
INSTANCE: Final = "aws:ec2/instance:Instance"
LAUNCH_TEMPLATE: Final = "aws:ec2/launchTemplate:LaunchTemplate"

READS: Final = NODE_GROUP

_STACK: Final = "pulumi:pulumi:Stack"
_CLUSTER: Final = "aws:eks/cluster:Cluster"

# In every amiType of EKS with NVIDIA drivers, e.g. AL2023_x86_64_NVIDIA.
_GPU_IMAGE: Final = "NVIDIA"


@dataclass(frozen=True, kw_only=True)
class AwsMachines(Machines):
    """
    interfaces: those of their launch template; UNKNOWN with it, and for an instance without one.
    """

    interfaces: list[Interface] | Unknown

    @property
    def known(self) -> Machine | None:
        """Its machine type in the catalog, None for a type not there."""
        return machines().get(self.machine) if isinstance(self.machine, str) else None

    @property
    def whole_node(self) -> bool:
        return self.known is not None and self.known.whole_node

    @property
    def with_gpus(self) -> bool:
        """Whether its machines certainly have GPUs."""
        return isinstance(self.machine, str) and has_gpus("aws", self.machine)

    @property
    def labels(self) -> dict[str, Any]:
        """Labels of its nodes as far as they are known; tags stand for them where no kubelet is EKS' own."""
        return _labels(self.resource)

    @property
    def surely_on_fabric(self) -> bool:
        with_efa = self.interfaces is not UNKNOWN and any(interface.efa for interface in self.interfaces)
        return with_efa or self.whole_node

    def template_not_visible(self) -> CannotTell:
        return CannotTell(self.resource, "its launch template is not part of this stack")


def training_pools(resources: Resources) -> Iterator[tuple[AwsMachines, ...]]:
    """Each training pool of the stack, as the machines it is made of, in the order of their names."""
    keys = telling_labels(resources)
    return several(
        (_pool_of(machines, resources, keys), machines) for machines in machines_of(resources) if _on_fabric(machines)
    )


def machines_of(resources: Resources) -> Iterator[AwsMachines]:
    """What starts machines in the stack, whatever they are."""
    for type_, read in ((NODE_GROUP, _node_group), (SCALING_GROUP, _scaling_group), (INSTANCE, _instance)):
        for resource in resources.of_type(type_):
            machines = read(resource, resources)
            if machines.nodes != 0:
                yield machines


def sliced_pools(resources: Resources) -> Iterator[AwsMachines]:
    """What starts machines whose GPUs are sliced."""
    return (machines for machines in machines_of(resources) if sliced_by_label(machines.labels))


def labelled(resources: Resources) -> Iterator[Labelled]:
    """What starts machines, by their labels."""
    for nodes in machines_of(resources):
        yield Labelled(nodes.resource, nodes.name, nodes.labels, sliced_by_label(nodes.labels))


def _pool_of(machines: AwsMachines, resources: Resources, keys: list[str]) -> tuple[Any, ...]:
    if not machines.whole_node:
        return (machines.resource.urn,)
    resource = machines.resource
    around = (parent.urn for parent in resources.parents(resource) if not parent.custom and parent.type != _STACK)
    cluster = resources.referred(resource, "clusterName", _CLUSTER)
    within = next(around, None) or (cluster.urn if cluster else text(resource.inputs, "clusterName"))
    labels = _labels(resource)
    return (within, machines.machine, *(str(labels.get(key)) for key in keys))


def _labels(resource: Resource) -> dict[str, Any]:
    """Labels of the nodes; tags stand for them where there is no kubelet of EKS' own."""
    if resource.type == SCALING_GROUP:
        listed = items(resource.inputs, "tags")
        entries = [] if listed is UNKNOWN else listed
        return {key: at(entry, "value") for entry in entries if isinstance(key := text(entry, "key"), str)}
    labels = labels_at(resource.inputs.get("labels" if resource.type == NODE_GROUP else "tags"))
    return {} if labels is UNKNOWN else dict(labels)


def _node_group(resource: Resource, resources: Resources) -> AwsMachines:
    types = items(resource.inputs, "instanceTypes")
    own = UNKNOWN if types is UNKNOWN else text(types, 0)
    nodes = _most(resource, ("scalingConfig", "desiredSize"), ("scalingConfig", "maxSize"))
    return _machines(resource, resources, "launchTemplate", own, nodes)


def _scaling_group(resource: Resource, resources: Resources) -> AwsMachines:
    nodes = _most(resource, ("desiredCapacity",), ("maxSize",))
    if at(resource.inputs, "mixedInstancesPolicy") is None:
        return _machines(resource, resources, "launchTemplate", None, nodes)
    own = text(resource.inputs, "mixedInstancesPolicy", "launchTemplate", "overrides", 0, "instanceType")
    return _machines(resource, resources, "mixedInstancesPolicy", own, nodes)


def _instance(resource: Resource, resources: Resources) -> AwsMachines:
    return _machines(resource, resources, "launchTemplate", text(resource.inputs, "instanceType"), 1)


def _machines(
    resource: Resource, resources: Resources, prop: str, own: str | Unknown | None, nodes: int | Unknown
) -> AwsMachines:
    """prop: the input that names the launch template. own: the machine type the resource itself gives."""
    template = None
    if at(resource.inputs, prop) is not None:
        template = resources.referred(resource, prop, LAUNCH_TEMPLATE) or UNKNOWN
    visible = template if isinstance(template, Resource) else None
    in_template = text(visible.inputs, "instanceType") if visible else None
    hidden = template is UNKNOWN or (visible is None and resource.type == INSTANCE)
    return AwsMachines(
        resource=resource,
        template=template,
        machine=own if isinstance(own, str) or in_template is None else in_template,
        nodes=nodes,
        interfaces=UNKNOWN if hidden else interfaces(visible) if visible else [],
    )


def _most(resource: Resource, *paths: tuple[str, ...]) -> int | Unknown:
    sizes = [whole(resource.inputs, *path) for path in paths]
    if any(size is UNKNOWN for size in sizes):
        return UNKNOWN
    return max((size for size in sizes if isinstance(size, int)), default=0)


def _on_fabric(machines: AwsMachines) -> bool:
    if sliced_by_label(_labels(machines.resource)):
        return False
    if machines.surely_on_fabric:
        return True
    hidden = machines.machine is UNKNOWN or (machines.machine is None and machines.template is UNKNOWN)
    image = text(machines.resource.inputs, "amiType")
    return hidden and isinstance(image, str) and _GPU_IMAGE in image
