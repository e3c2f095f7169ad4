"""The machines of the stack as nodes of the cluster."""

from __future__ import annotations

from collections.abc import Sequence

from gpucluster.sandbox.api_server.client import ObjectRefused
from gpucluster.sandbox.clouds.kubernetes.clusters import cluster_at
from gpucluster.sandbox.engine.model import EngineError
from gpucluster.sandbox.live.nodes.sync import sync
from gpucluster.sandbox.live.site import Site


def put_nodes(site: Site) -> Sequence[str]:
    """Makes the nodes of a cluster that stands those of the ledger; why some machines have none, in lines.

    Raises EngineError.
    """
    cluster = cluster_at(site.ledger, site.scope)
    assert cluster is not None
    try:
        return sync(site.client, site.ledger.all(), cluster).left_out
    except ObjectRefused as refusal:
        raise EngineError(f"The API server refuses a node: {refusal}") from refusal
