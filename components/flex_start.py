"""Errors of flex-start on a cloud that does not offer it. Imports no Pulumi."""

from __future__ import annotations

from typing import Any

from gpucluster.components.elastic import fields_that_ask_for
from gpucluster.components.planning import Planning
from gpucluster.components.spec.pools import Elastic, FlexStartPurchase, Mig, Purchase


def _sold(cloud: str) -> str:
    return f"which is available on Google Cloud but not on {cloud}"


def refuse_flex_start(
    title: str,
    planning: Planning[Any],
    *,
    purchase: Purchase | None = None,
    elastic: Elastic | None = None,
    mig: Mig | None = None,
) -> None:
    """Flex-start requested for one of the pools. title: the cloud's. purchase: of the training pool."""
    if isinstance(purchase, FlexStartPurchase):
        fix = "choose on-demand, or capacity-block for capacity with fixed dates"
        planning.refuse("purchase.kind", f"is 'flex-start', {_sold(title)}", fix)
    for field in fields_that_ask_for(elastic, "flex-start"):
        planning.refuse(field, f"has flex-start, {_sold(title)}", "choose from on-demand and spot")
    if mig is not None and mig.purchase == "flex-start":
        planning.refuse("mig.purchase", f"is 'flex-start', {_sold(title)}", "choose on-demand or spot")
