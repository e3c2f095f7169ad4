"""One file per priced resource, `CLOUD_*.py`, imported when the first resource of that cloud is priced.

For Kubernetes, the files of an API group are imported when its first object is priced.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from itertools import chain
from pkgutil import iter_modules
from typing import Final

from gpucluster.core.catalog.clouds import cloud_of_package, clouds

_KUBERNETES: Final[Mapping[str, tuple[str, ...]]] = {
    "apps": ("kubernetes_objects",),
    "batch": ("kubernetes_objects",),
    "cloud.google.com": ("gcp_compute_class",),
    "core": ("kubernetes_objects", "volume_claims"),
    "helm.sh": ("kubernetes_objects",),
    "karpenter.sh": ("karpenter",),
    "monitoring.coreos.com": ("kubernetes_objects",),
    "networking.k8s.io": ("kubernetes_objects",),
}
"""API group -> the files for its objects."""


def packages() -> tuple[str, ...]:
    """The packages of type tokens that may have handlers."""
    return (*(cloud.package for cloud in clouds().values()), "kubernetes")


def files_of(scope: str) -> tuple[str, ...]:
    """The files with handlers for a scope or a whole package, and their shared files; none without any."""
    package, _, group = scope.partition(":")
    if package == "kubernetes":
        return _KUBERNETES.get(group, ()) if group else tuple(sorted({*chain.from_iterable(_KUBERNETES.values())}))
    cloud = cloud_of_package(package)
    found = (module.name for module in iter_modules(__path__))
    return () if cloud is None else tuple(name for name in found if name.startswith(f"{cloud.name}_"))


def scope_of(type_: str) -> str:
    """The types whose handlers are imported together with this one's: a package; for Kubernetes, with an API group."""
    package, _, rest = type_.partition(":")
    return f"{package}:{rest.partition('/')[0]}" if package == "kubernetes" else package


def load(scope: str) -> None:
    """Import the handlers of a scope, or of a whole package, which registers them."""
    for name in files_of(scope):
        import_module(f"{__name__}.{name}")
