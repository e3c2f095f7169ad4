"""Data that pods can read from a GKE node's metadata server.

Source: GKE page "Protecting cluster metadata": mode GCE_METADATA shows every pod the node's own service account, and
legacy endpoints answer without the header Metadata-Flavor; GKE disables them unless the metadata enables them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.gcp.pools import every_pool
from gpucluster.policies.rule import CannotTell, Finding, Stack, Violation
from gpucluster.program.resources import UNKNOWN
from gpucluster.program.values import flag, text

FIX: Final = (
    "Set workload_metadata_config mode GKE_METADATA (with workload_identity_config on the cluster), and metadata "
    "disable-legacy-endpoints true."
)
READS: Final = "gcp:container/nodePool:NodePool, gcp:container/cluster:Cluster"

_MODE: Final = ("nodeConfig", "workloadMetadataConfig", "mode")


def check(stack: Stack) -> Iterator[Finding]:
    for pool in every_pool(stack.resources):
        mode = text(pool.inputs, *_MODE)
        legacy = flag(pool.inputs, "nodeConfig", "metadata", "disable-legacy-endpoints")
        problems = [
            *(["mode GCE_METADATA: every pod gets the credentials of the node"] if mode == "GCE_METADATA" else ()),
            *(["legacy endpoints answer without a header"] if legacy is False else ()),
        ]
        if problems:
            yield Violation(pool.resource, "; ".join(problems))
        elif mode is UNKNOWN or legacy is UNKNOWN:
            yield CannotTell(pool.resource, "its metadata settings are not known yet")
