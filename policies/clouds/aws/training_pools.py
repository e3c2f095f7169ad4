"""Training pools on EKS: managed node groups of several GPU nodes that train together.

A node group counts as one when it may hold more than one node and its machines have EFA interfaces or are whole GPU
nodes. Nodes whose GPUs are sliced (MIG) never train together. Where the machines cannot be seen, a GPU image makes it
a pool of which nothing is certain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from cost.resources import UNKNOWN, Resource, Resources, Unknown
from policies.clouds.aws.fabric import FABRIC, Fabric
from policies.clouds.aws.interfaces import Interface, interfaces
from policies.label_sets import labels_at
from policies.reading import at, items, text, whole
from policies.rule import CannotTell, Finding, Violation

__all__ = ["LAUNCH_TEMPLATE", "NODE_GROUP", "TrainingPool", "training_pools"]

NODE_GROUP: Final = "aws:eks/nodeGroup:NodeGroup"
LAUNCH_TEMPLATE: Final = "aws:ec2/launchTemplate:LaunchTemplate"

# The node label that slices a node's GPUs; NVIDIA mig-parted, `config-default.yaml`.
_MIG: Final = "nvidia.com/mig.config"
_NOT_SLICED: Final = "all-disabled"

# In every amiType of EKS with NVIDIA drivers, e.g. AL2023_x86_64_NVIDIA.
_GPU_IMAGE: Final = "NVIDIA"


@dataclass(frozen=True, kw_only=True)
class TrainingPool:
    """
    template: its launch template; None without one, UNKNOWN when the stack does not contain it.
    machine: instance type; None when nothing gives one.
    nodes: the most it may hold.
    interfaces: those of the template; UNKNOWN with it.
    """

    node_group: Resource
    template: Resource | Unknown | None
    machine: str | Unknown | None
    nodes: int | Unknown
    interfaces: list[Interface] | Unknown

    @property
    def label(self) -> str:
        """The pool in words, e.g. `5 nodes of p5.48xlarge`."""
        nodes = "" if self.nodes is UNKNOWN else f"{self.nodes} "
        return f"{nodes}nodes of {self.machine}" if isinstance(self.machine, str) else f"{nodes}GPU nodes"

    @property
    def fabric(self) -> Fabric | None:
        """EFA of its machine type, None for a type not in the table."""
        return FABRIC.get(self.machine) if isinstance(self.machine, str) else None

    @property
    def surely_on_fabric(self) -> bool:
        if self.interfaces is not UNKNOWN and any(interface.efa for interface in self.interfaces):
            return True
        return self.fabric is not None and self.fabric.whole_node

    def finding(self, what: str, fix: str | None = None) -> Finding:
        """A violation if these are surely several nodes that train together, else a result that says what is open."""
        if self.nodes is UNKNOWN:
            return CannotTell(self.node_group, f"{what}; how many nodes it holds is not known yet")
        if not self.surely_on_fabric:
            return CannotTell(self.node_group, f"{what}; their machine type is not known yet")
        return Violation(self.node_group, what, fix)

    def template_not_visible(self) -> CannotTell:
        return CannotTell(self.node_group, "its launch template is not part of this stack")


def training_pools(resources: Resources) -> Iterator[TrainingPool]:
    """Each training pool of the stack."""
    for node_group in resources.of_type(NODE_GROUP):
        pool = _pool(node_group, resources)
        if _trains_together(pool):
            yield pool


def _pool(node_group: Resource, resources: Resources) -> TrainingPool:
    template = _template(node_group, resources)
    visible = template if isinstance(template, Resource) else None
    machine = text(visible.inputs, "instanceType") if visible else None
    if machine is None:
        types = items(node_group.inputs, "instanceTypes")
        machine = text(types, 0) if types is not UNKNOWN else UNKNOWN
    return TrainingPool(
        node_group=node_group,
        template=template,
        machine=machine,
        nodes=_most_nodes(node_group),
        interfaces=UNKNOWN if template is UNKNOWN else interfaces(visible) if visible else [],
    )


def _template(node_group: Resource, resources: Resources) -> Resource | Unknown | None:
    if at(node_group.inputs, "launchTemplate") is None:
        return None
    return resources.referred(node_group, "launchTemplate", LAUNCH_TEMPLATE) or UNKNOWN


def _most_nodes(node_group: Resource) -> int | Unknown:
    sizes = [whole(node_group.inputs, "scalingConfig", name) for name in ("desiredSize", "maxSize")]
    if any(size is UNKNOWN for size in sizes):
        return UNKNOWN
    return max((size for size in sizes if isinstance(size, int)), default=0)


def _trains_together(pool: TrainingPool) -> bool:
    if pool.nodes is not UNKNOWN and pool.nodes < 2:
        return False
    labels = labels_at(pool.node_group.inputs.get("labels"))
    if labels is not UNKNOWN and labels.get(_MIG, _NOT_SLICED) not in (_NOT_SLICED, UNKNOWN):
        return False
    if pool.surely_on_fabric:
        return True
    hidden = pool.machine is UNKNOWN or (pool.machine is None and pool.template is UNKNOWN)
    image = text(pool.node_group.inputs, "amiType")
    return hidden and isinstance(image, str) and _GPU_IMAGE in image
