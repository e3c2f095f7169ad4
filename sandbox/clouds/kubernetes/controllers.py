"""Refusals of Karpenter's API, and removals of Karpenter and Kueue that would leave machines or objects.

Sources: aws/karpenter-provider-aws v1.14.1, pkg/apis/crds/karpenter.sh_nodepools.yaml (x-kubernetes-validations) and
website/content/en/docs/troubleshooting.md ("Unable to delete nodes after uninstalling Karpenter"). The definitions for
Google Cloud restrict no domain of that cloud; additional restrictions for Azure: aks.py.

Sources: kubernetes-sigs/kueue v0.19.2, pkg/controller/core (the finalizer `kueue.x-k8s.io/resource-in-use` of flavors,
checks and queues, and its removal) and charts/kueue/templates/crd (definitions are deleted with the release).
"""

from __future__ import annotations

from typing import Final

from gpucluster.core.text.type_guards import is_object, mapping
from gpucluster.sandbox.clouds.cloud import CloudError, Resource
from gpucluster.sandbox.clouds.kubernetes.definitions import chart_of
from gpucluster.sandbox.clouds.kubernetes.objects import RELEASE, name_of
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.values import plain

_NODE_POOL: Final = "kubernetes:karpenter.sh/v1:NodePool"
_NODE_CLASSES: Final = (
    "kubernetes:karpenter.azure.com/v1beta1:AKSNodeClass",
    "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass",
    "kubernetes:karpenter.k8s.gcp/v1alpha1:GCENodeClass",
)
_CHARTS: Final = frozenset({"karpenter", "karpenter-crd"})

_DOMAINS: Final = ("karpenter.sh", "karpenter.k8s.aws")
_FORBIDDEN: Final = frozenset({"karpenter.sh/nodepool", "kubernetes.io/hostname"})
_ALLOWED: Final = frozenset({"karpenter.sh/capacity-type", "karpenter.k8s.aws/ec2nodeclass"})
# karpenter.k8s.aws/instance-... and similar: properties of machines that a pool may fix.
_ALLOWED_PREFIXES: Final = (
    "karpenter.k8s.aws/capacity-reservation-",
    "karpenter.k8s.aws/instance-",
    "karpenter.k8s.aws/placement-group-",
)


def check_labels(resource: Resource) -> None:
    """Labels of a pool's machines are outside Karpenter's own domains."""
    if resource.token != _NODE_POOL:
        return
    spec = mapping(plain(resource.inputs.get("spec")))
    labels = mapping(mapping(mapping(spec.get("template")).get("metadata")).get("labels"))
    for key in sorted(labels):
        what = _restricted(str(key))
        if what is not None:
            raise CloudError(
                f'NodePool.karpenter.sh "{name_of(resource.inputs)}" is invalid: spec.template.metadata.labels: '
                f'Invalid value: "object": label {what} is restricted'
            )


def _restricted(key: str) -> str | None:
    if key in _FORBIDDEN:
        return f'"{key}"'
    domain = key.rpartition("/")[0]
    found = next((own for own in _DOMAINS if domain == own or domain.endswith(f".{own}")), None)
    if found is None or key in _ALLOWED or key.startswith(_ALLOWED_PREFIXES):
        return None
    return f'domain "{found}"'


def check_karpenter_removal(entry: Entry, ledger: Ledger, server: str) -> None:
    """Karpenter is removed last.

    Helm would remove it earlier: the machines of its pools would continue to run and be billed, and the finalizers of
    their objects would wait for a deleted controller.
    """
    if entry.type != RELEASE or not is_object(entry.inputs) or chart_of(entry) not in _CHARTS:
        return
    left = [other for token in (_NODE_POOL, *_NODE_CLASSES) for other in ledger.find("kubernetes", server, token)]
    if left:
        names = ", ".join(f"{other.type.rsplit(':', 1)[-1]} {other.name}" for other in left)
        raise CloudError(
            f"the sandbox does not uninstall release {entry.id} while {names} exists: a real cluster would, and leave "
            "its machines running and its objects stuck; delete pools first, then classes, then Karpenter: make them "
            "depend on its release"
        )


_VERSIONS: Final = ("v1beta1", "v1beta2")
_FINALIZED: Final = ("LocalQueue", "ClusterQueue", "AdmissionCheck", "ResourceFlavor", "Topology")
"""Also kinds deleted with Kueue's definitions: a queue of a namespace has no finalizer, but its jobs have one."""


def check_kueue_removal(entry: Entry, ledger: Ledger, server: str) -> None:
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
