"""Objects of the Prometheus operator that may keep their data on new volumes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.cost.handlers.pod_volumes import ephemeral_volumes
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import Free, NotPriced
from gpucluster.cost.pricing import Pricing

_SOURCE: Final = "https://prometheus-operator.dev/docs/platform/storage/"


@prices(
    "kubernetes:monitoring.coreos.com/v1:Alertmanager",
    "kubernetes:monitoring.coreos.com/v1:Prometheus",
    "kubernetes:monitoring.coreos.com/v1:ThanosRuler",
    "kubernetes:monitoring.coreos.com/v1alpha1:PrometheusAgent",
)
def stored(item: Pricing) -> Iterator[Free | NotPriced]:
    """Free, except volumes of `spec.storage` and `spec.volumes` (Prometheus operator documentation, storage)."""
    made = [*ephemeral_volumes(item.get("spec"))]
    for key in ("volumeClaimTemplate", "ephemeral"):
        if item.get("spec", "storage", key) is not None:
            made.append(f"storage.{key}")
    if made:
        yield item.not_priced(f"it creates a new volume for each pod: {', '.join(made)}")
    else:
        yield item.free("runs on nodes that are priced", _SOURCE)
