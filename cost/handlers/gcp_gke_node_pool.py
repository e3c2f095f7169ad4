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
from gpucluster.cost.pricing import Pricing


@prices("gcp:container/nodePool:NodePool")
def node_pool(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """`nodeCount` machines in each zone, within the bounds of autoscaling, and their disks (Compute Engine prices).

    A node pool has no price of its own (GKE price page). Queued provisioning starts nodes as flex-start does.
    """
    queued = bool(item.get("queuedProvisioning", "enabled"))
    purchase = purchase_of(item, queued=queued)
    nodes, said = nodes_of(item, flex_start=purchase == "flex_start")
    region = region_of(location_of(item))
    yield from node_lines(item, nodes, purchase, region=region, said=said, autoscaled=nodes.varies)
    yield from or_named(item, node_address_lines(item, nodes, purchase, region=region))
