"""Kubernetes objects that make something in the cloud: load balancers and volumes. All others are free."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import Free, NotPriced
from gpucluster.cost.pricing import Pricing

_RUNS_ON_NODES = "https://kubernetes.io/docs/concepts/overview/"


@prices("kubernetes:core/v1:Service")
def service(item: Pricing) -> Iterator[Free | NotPriced]:
    """A Service of type LoadBalancer creates a load balancer (Kubernetes documentation, Service)."""
    if item.get("spec", "type") == "LoadBalancer":
        yield item.not_priced("a Service of type LoadBalancer creates a load balancer in the cloud")
    else:
        yield item.free("an object in the cluster", _RUNS_ON_NODES)


@prices("kubernetes:networking.k8s.io/v1:Ingress")
def ingress(item: Pricing) -> Iterator[NotPriced]:
    """An Ingress may create a load balancer, depending on the controller of its class."""
    yield item.not_priced("an Ingress may create a load balancer in the cloud")


@prices("kubernetes:core/v1:PersistentVolumeClaim")
def volume_claim(item: Pricing) -> Iterator[Free | NotPriced]:
    """A claim on an existing volume costs nothing; a class with a provisioner creates a new one."""
    storage_class = item.get("spec", "storageClassName")
    if storage_class == "" or item.get("spec", "volumeName"):
        yield item.free("a claim on an existing volume", _RUNS_ON_NODES)
    else:
        shown = "the default class" if storage_class is None else f"class {storage_class!r}"
        yield item.not_priced(f"the claim creates a new volume of {shown}")
