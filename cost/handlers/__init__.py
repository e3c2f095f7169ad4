"""One file per priced resource, `CLOUD_*.py`, imported when the first resource of that cloud is priced."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Final

from gpucluster.catalog.clouds import cloud_of_package, clouds

__all__ = ["files_of", "load", "packages"]

_KUBERNETES: Final = (
    "gke_compute_class",
    "helm_release",
    "karpenter_node_pool",
    "kubernetes_objects",
    "kubernetes_workloads",
    "prometheus_storage",
)
"""The files for objects of Kubernetes, whose names are those of what makes machines and disks of them."""


def packages() -> tuple[str, ...]:
    """The packages of type tokens that handlers may be for."""
    return (*(cloud.package for cloud in clouds().values()), "kubernetes")


def files_of(package: str) -> tuple[str, ...]:
    """The files with handlers for a package, and what these share; none where there are none."""
    if package == "kubernetes":
        return _KUBERNETES
    cloud = cloud_of_package(package)
    found = (module.name for module in iter_modules(__path__))
    return () if cloud is None else tuple(name for name in found if name.startswith(f"{cloud.name}_"))


def load(package: str) -> None:
    """Import the handlers of a package, which registers them; nothing where there are none."""
    for name in files_of(package):
        import_module(f"{__name__}.{name}")
