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

from cost.resources import UNKNOWN, Resource, Resources, Unknown
from policies.clouds.aws.fabric import FABRIC, Fabric
from policies.clouds.aws.interfaces import Interface, interfaces
from policies.label_sets import labels_at
from policies.reading import at, items, text, whole
from policies.rule import CannotTell, Violation

__all__ = ["INSTANCE", "LAUNCH_TEMPLATE", "NODE_GROUP", "SCALING_GROUP", "Machines", "label_of", "training_pools"]

NODE_GROUP: Final = "aws:eks/nodeGroup:NodeGroup"
SCALING_GROUP: Final = "aws:autoscaling/group:Group"
INSTANCE: Final = "aws:ec2/instance:Instance"
LAUNCH_TEMPLATE: Final = "aws:ec2/launchTemplate:LaunchTemplate"

_STACK: Final = "pulumi:pulumi:Stack"
_CLUSTER: Final = "aws:eks/cluster:Cluster"
_POOL_LABEL: Final = "gpucluster/pool"
_FLAVOR: Final = ("kubernetes:kueue.x-k8s.io/", ":ResourceFlavor")

# The node label that slices a node's GPUs; NVIDIA mig-parted, `config-default.yaml`.
_MIG: Final = "nvidia.com/mig.config"
_NOT_SLICED: Final = "all-disabled"

# In every amiType of EKS with NVIDIA drivers, e.g. AL2023_x86_64_NVIDIA.
_GPU_IMAGE: Final = "NVIDIA"


@dataclass(frozen=True, kw_only=True)
class Machines:
    """GPU nodes that one resource starts.

    template: its launch template; None without one, UNKNOWN when the stack does not contain it.
    machine: instance type; None when nothing gives one.
    nodes: the most it may hold.
    interfaces: those of the template; UNKNOWN with it, and for an instance without one.
    """

    resource: Resource
    template: Resource | Unknown | None
    machine: str | Unknown | None
    nodes: int | Unknown
    interfaces: list[Interface] | Unknown

    @property
    def label(self) -> str:
        """Them in words, e.g. `5 nodes of p5.48xlarge`."""
        of = f" of {self.machine}" if isinstance(self.machine, str) else ""
        count = "" if self.nodes is UNKNOWN else f"{self.nodes} "
        return f"{count}{'' if of else 'GPU '}node{'' if self.nodes == 1 else 's'}{of}"

    @property
    def fabric(self) -> Fabric | None:
        """EFA of its machine type, None for a type not in the table."""
        return FABRIC.get(self.machine) if isinstance(self.machine, str) else None

    @property
    def whole_node(self) -> bool:
        return self.fabric is not None and self.fabric.whole_node

    @property
    def surely_on_fabric(self) -> bool:
        with_efa = self.interfaces is not UNKNOWN and any(interface.efa for interface in self.interfaces)
        return with_efa or self.whole_node

    def finding(self, what: str, fix: str | None = None) -> Violation | CannotTell:
        """A violation if these are surely several nodes that train together, else a result that says what is open."""
        if self.nodes is UNKNOWN:
            return CannotTell(self.resource, f"{what}; how many nodes it holds is not known yet")
        if not self.surely_on_fabric:
            return CannotTell(self.resource, f"{what}; their machine type is not known yet")
        return Violation(self.resource, what, fix)

    def template_not_visible(self) -> CannotTell:
        return CannotTell(self.resource, "its launch template is not part of this stack")


def label_of(pool: tuple[Machines, ...]) -> str:
    """A pool in words, e.g. `4 nodes of p5.48xlarge (a, b)`; those of several resources with their names."""
    if len(pool) == 1:
        return pool[0].label
    counts = [machines.nodes for machines in pool if isinstance(machines.nodes, int)]
    count = f"{sum(counts)} " if len(counts) == len(pool) else ""
    return f"{count}nodes of {pool[0].machine} ({', '.join(f'`{machines.resource.name}`' for machines in pool)})"


def training_pools(resources: Resources) -> Iterator[tuple[Machines, ...]]:
    """Each training pool of the stack, as the machines it is made of, in the order of their names."""
    keys = _telling_labels(resources)
    pools: dict[tuple[Any, ...], list[Machines]] = {}
    for type_, read in ((NODE_GROUP, _node_group), (SCALING_GROUP, _scaling_group), (INSTANCE, _instance)):
        for resource in resources.of_type(type_):
            machines = read(resource, resources)
            if machines.nodes != 0 and _on_fabric(machines):
                pools.setdefault(_pool_of(machines, resources, keys), []).append(machines)
    for pool in pools.values():
        counts = [machines.nodes for machines in pool]
        if UNKNOWN in counts or sum(count for count in counts if isinstance(count, int)) > 1:
            yield tuple(sorted(pool, key=lambda machines: machines.resource.name))


def _pool_of(machines: Machines, resources: Resources, keys: list[str]) -> tuple[Any, ...]:
    if not machines.whole_node:
        return (machines.resource.urn,)
    resource = machines.resource
    around = (parent.urn for parent in resources.parents(resource) if not parent.custom and parent.type != _STACK)
    cluster = resources.referred(resource, "clusterName", _CLUSTER)
    within = next(around, None) or (cluster.urn if cluster else text(resource.inputs, "clusterName"))
    labels = _labels(resource)
    return (within, machines.machine, *(str(labels.get(key)) for key in keys))


def _telling_labels(resources: Resources) -> list[str]:
    """Node labels by which workloads choose a pool."""
    keys = {_POOL_LABEL}
    for resource in resources:
        if resource.type.startswith(_FLAVOR[0]) and resource.type.endswith(_FLAVOR[1]):
            labels = labels_at(at(resource.inputs, "spec", "nodeLabels"))
            keys.update(() if labels is UNKNOWN else labels)
    return sorted(keys)


def _labels(resource: Resource) -> dict[str, Any]:
    """Labels of the nodes; tags stand for them where there is no kubelet of EKS' own."""
    if resource.type == SCALING_GROUP:
        listed = items(resource.inputs, "tags")
        entries = [] if listed is UNKNOWN else listed
        return {key: at(entry, "value") for entry in entries if isinstance(key := text(entry, "key"), str)}
    labels = labels_at(resource.inputs.get("labels" if resource.type == NODE_GROUP else "tags"))
    return {} if labels is UNKNOWN else dict(labels)


def _node_group(resource: Resource, resources: Resources) -> Machines:
    types = items(resource.inputs, "instanceTypes")
    own = UNKNOWN if types is UNKNOWN else text(types, 0)
    nodes = _most(resource, ("scalingConfig", "desiredSize"), ("scalingConfig", "maxSize"))
    return _machines(resource, resources, "launchTemplate", own, nodes)


def _scaling_group(resource: Resource, resources: Resources) -> Machines:
    nodes = _most(resource, ("desiredCapacity",), ("maxSize",))
    if at(resource.inputs, "mixedInstancesPolicy") is None:
        return _machines(resource, resources, "launchTemplate", None, nodes)
    own = text(resource.inputs, "mixedInstancesPolicy", "launchTemplate", "overrides", 0, "instanceType")
    return _machines(resource, resources, "mixedInstancesPolicy", own, nodes)


def _instance(resource: Resource, resources: Resources) -> Machines:
    return _machines(resource, resources, "launchTemplate", text(resource.inputs, "instanceType"), 1)


def _machines(
    resource: Resource, resources: Resources, prop: str, own: str | Unknown | None, nodes: int | Unknown
) -> Machines:
    """prop: the input that names the launch template. own: the machine type the resource itself gives."""
    template = None
    if at(resource.inputs, prop) is not None:
        template = resources.referred(resource, prop, LAUNCH_TEMPLATE) or UNKNOWN
    visible = template if isinstance(template, Resource) else None
    in_template = text(visible.inputs, "instanceType") if visible else None
    hidden = template is UNKNOWN or (visible is None and resource.type == INSTANCE)
    return Machines(
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


def _on_fabric(machines: Machines) -> bool:
    if _labels(machines.resource).get(_MIG, _NOT_SLICED) not in (_NOT_SLICED, UNKNOWN):
        return False
    if machines.surely_on_fabric:
        return True
    hidden = machines.machine is UNKNOWN or (machines.machine is None and machines.template is UNKNOWN)
    image = text(machines.resource.inputs, "amiType")
    return hidden and isinstance(image, str) and _GPU_IMAGE in image
