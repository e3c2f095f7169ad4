"""GKE node pools: machines, their local SSDs and boot disks."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.handlers.gcp_external_ip import node_address_lines
from gpucluster.cost.handlers.gcp_place import region_of
from gpucluster.cost.handlers.gke_node_count import location_of, nodes_of
from gpucluster.cost.handlers.gke_nodes import node_lines, purchase_of
from gpucluster.cost.handlers.named import or_named
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import CostLine, NotPriced
from gpucluster.cost.subject import Subject


@prices("gcp:container/nodePool:NodePool")
def node_pool(ask: Subject) -> Iterator[CostLine | NotPriced]:
    """`nodeCount` machines in each zone, within the bounds of autoscaling, and their disks (Compute Engine prices).

    A node pool has no price of its own (GKE price page). Queued provisioning starts nodes as flex-start does.
    """
    queued = bool(ask.get("queuedProvisioning", "enabled"))
    purchase = purchase_of(ask, queued=queued)
    nodes, said = nodes_of(ask, flex_start=purchase == "flex_start")
    region = region_of(location_of(ask))
    yield from node_lines(ask, nodes, purchase, region=region, said=said, autoscaled=nodes.varies)
    yield from or_named(ask, node_address_lines(ask, nodes, purchase, region=region))
