"""Removals that would leave objects of Kueue stuck.

Sources: kubernetes-sigs/kueue v0.19.2, pkg/controller/core (the finalizer `kueue.x-k8s.io/resource-in-use` of flavors,
checks and queues, and its removal) and charts/kueue/templates/crd (definitions are deleted with the release).
"""

from __future__ import annotations

from typing import Final

from gpucluster.core.text.type_guards import is_object
from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.kubernetes.definitions import chart_of
from gpucluster.sandbox.clouds.kubernetes.objects import RELEASE
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger

_VERSIONS: Final = ("v1beta1", "v1beta2")
_FINALIZED: Final = ("LocalQueue", "ClusterQueue", "AdmissionCheck", "ResourceFlavor", "Topology")
"""Also kinds deleted with Kueue's definitions: a queue of a namespace has no finalizer, but its jobs have one."""


def check_removal(entry: Entry, ledger: Ledger, server: str) -> None:
    """Kueue is removed last: only Kueue removes the finalizers of its objects."""
    if entry.type != RELEASE or not is_object(entry.inputs) or chart_of(entry) != "kueue":
        return
    left = [
        other
        for kind in _FINALIZED
        for version in _VERSIONS
        for other in ledger.find("kubernetes", server, f"kubernetes:kueue.x-k8s.io/{version}:{kind}")
    ]
    if left:
        names = ", ".join(f"{other.type.rsplit(':', 1)[-1]} {other.name}" for other in left)
        raise CloudError(
            f"the sandbox does not uninstall release {entry.id} while {names} exists: a real cluster would, and the "
            "objects would wait for a controller that is no more; delete them first: make them depend on its release"
        )
